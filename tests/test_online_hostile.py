"""Answers of another shape or size, or that never end, and text that could drive a terminal."""

from __future__ import annotations

import copy
import gzip
import io
import math
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pytest
from rich.console import Console

from kriegbot.cli.online import Screen
from kriegbot.online import Bot, BotSettings
from kriegbot.online import site as api
from kriegbot.online.game import GameStatus, OnlineGame, _is_due
from tests.test_online_reading import started

ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    math.inf,
    math.nan,
    10**400,
    "",
    ESCAPE,
    "\ud800",
    [],
    [1],
    [[]],
    {},
    dict.fromkeys("abcd", 1),
)
WHO = {"white": {"username": "kriegbot", "role": "bot"}, "black": {"username": "anna", "role": "user"}}
LISTED = {"game_code": "ABC", "state": "active", "move_number": 1, "rule_variant": "wild16", "created_by": "zoe", **WHO}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each value in an answer."""
    if at:
        yield at
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield from places(value[key], (*at, key))


def damaged(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the answer with each of its parts missing or of another kind."""
    for *way, last in places(answer):
        for wrong in (*WRONG, "missing"):
            other = copy.deepcopy(answer)
            part: Any = other
            for key in way:
                part = part[key]
            part[last] = copy.deepcopy(wrong)
            if wrong == "missing":
                del part[last]
            yield other


def played(folder: Path, state: dict[str, Any], answer: dict[str, Any] | None = None) -> tuple[OnlineGame, Any]:
    """Return a game at a site that gives this state, and this answer to a try."""
    site: Any = SimpleNamespace(ask=lambda _: state, command=lambda *_: answer or {}, pause=lambda _: None, address="")
    facts = {"code": "ABC", "opponent": "anna", "rules": "wild16"}
    game = OnlineGame(site, BotSettings().player, folder, facts, lambda _: None)
    return game, game.status


def drawn(shown: GameStatus) -> str:
    """Return the table of one game, as a terminal gets it."""
    screen, out = Screen(None), io.StringIO()
    screen.bot = SimpleNamespace(running=lambda: [shown])  # type: ignore[assignment]
    Console(file=out, width=200).print(screen)
    return out.getvalue()


@pytest.mark.parametrize("asked", ["active", "open"])
def test_a_list_of_games_of_another_shape_ends_nothing(asked: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Bot, "_start", lambda *_: True)
    for games in damaged({"games": [LISTED]}):
        given = {"active": {"games": []}, "open": {"games": []}} | {asked: games}
        site: Any = SimpleNamespace(
            ask=lambda path, given=given: given[path.split("/")[-1]], command=lambda *_: {}, address=""
        )
        Bot(site, BotSettings(join=True), tmp_path, lambda _: None)._look()


@pytest.mark.slow
def test_a_state_of_another_shape_is_played_or_waited_for(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("kriegbot.online.game.write_file", lambda *_: None)
    monkeypatch.setattr("kriegbot.online.game.LOOKS_ANSWERED", 1)
    monkeypatch.setattr(OnlineGame, "_ask", lambda *_, **__: chess.Move.from_uci("a2a3"))
    drawn_with = set()
    for state in damaged(started()):
        game, shown = played(tmp_path, state)
        game._look()
        if _is_due(state):
            game._turn(state)
        if shown.left not in drawn_with:
            drawn_with.add(shown.left)
            drawn(shown).encode()


def test_an_end_of_another_shape_is_recorded(tmp_path: Path, monkeypatch: Any) -> None:
    written: list[bytes] = []
    monkeypatch.setattr("kriegbot.online.game.write_file", lambda _, data: written.append(data))
    for wrong in WRONG:
        state = {"state": "completed", "result": wrong, "clock": wrong, "referee_turns": wrong}
        assert isinstance(played(tmp_path, state)[0].play(), dict)
        assert written[-1].isascii()


def test_an_announcement_does_not_drive_the_terminal(tmp_path: Path) -> None:
    for said in (ESCAPE, "\ud800", [ESCAPE]):
        game, shown = played(tmp_path, started(), {"announcement": said})
        game._send(chess.Move.from_uci("a2a3"))
        assert all(char.isprintable() for char in shown.last)


@contextmanager
def answering(head: bytes, body: bytes, pause: float = 0.0) -> Iterator[str]:
    """Serve one answer at an address of this machine, a byte at a time if there is a pause."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError), server.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + head)
                for start in range(0, len(body), 1 if pause else len(body)):
                    connection.sendall(body[start : start + (1 if pause else len(body))])
                    time.sleep(pause)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
@pytest.mark.parametrize("head", [b"Content-Length: 4000000\r\n\r\n", b"X: "])
def test_an_answer_that_comes_a_byte_at_a_time_can_be_left(head: bytes) -> None:
    """It drips in its text, or already in its head."""
    stop, begun = api.in_a_while(0.3), time.monotonic()
    with (
        answering(head, b"x" * 1000, 0.05) as address,
        closing(api.Site(address, None, stop)) as site,
        pytest.raises(api.Stopped),
    ):
        site.ask("/auth/me")
    assert time.monotonic() - begun < 30  # the whole answer takes 50


@pytest.mark.slow
@pytest.mark.parametrize(("times", "why"), [(1, "more than 4000000 bytes"), (2, "encoding 'gzip, gzip'")])
def test_an_answer_is_decoded_within_the_limit_of_its_size(times: int, why: str) -> None:
    body = b" " * 50_000_000
    for _ in range(times):
        body = gzip.compress(body)
    head = f"Content-Encoding: {', '.join(['gzip'] * times)}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with (
        answering(head, body) as address,
        closing(api.Site(address, None, threading.Event())) as site,
        pytest.raises(api.Uncertain, match=why),
    ):
        site.command("POST", "/game/create", {})


def test_an_answer_in_gzip_is_read() -> None:
    body = gzip.compress(b'{"a": 1}')
    head = f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with answering(head, body) as address, closing(api.Site(address, None, threading.Event())) as site:
        assert site.ask("/auth/me") == {"a": 1}


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [("7", 7, 7), (60, 30, 61), ("999999", 120, 120), ("soon", 15, 15)],
)
def test_a_pause_is_kept_whether_it_is_a_number_or_a_date(header: str | int, low: float, high: float) -> None:
    text = formatdate(time.time() + header, usegmt=True) if isinstance(header, int) else header
    assert low <= api._pause_in(text) <= high
