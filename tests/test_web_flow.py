"""A person's game on the page beyond its tries: help, clocks, other games, saved games, as the socket has them."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import chess
import pytest

from kriegbot.children import awake_time
from kriegbot.game.process import ProcessSeat
from kriegbot.players.base import Choice
from kriegbot.web import library
from kriegbot.web import registry as registries
from kriegbot.web.catalogue import about
from kriegbot.web.review import Analyst
from kriegbot.web.seats import GameClock, PersonSeat, TimeControl
from kriegbot.web.server import PageServer
from referee import RULE_SETS, View, load_record, record_to_pgn
from tests.effort import some
from tests.page import Client, served, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]

NEW = {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": "3", "clock": None}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    with served(tmp_path) as page:
        yield page


@pytest.fixture
def client(server: PageServer) -> Iterator[Client]:
    with Client(server.address) as found:
        yield found


def begin(client: Client, **settings: object) -> dict[str, Any]:
    """Begins a game; the first view in which a try is asked for."""
    client.send(NEW | settings)
    return client.until("view", yours=True)


def play(client: Client, *tries: str) -> dict[str, Any]:
    """Make moves that are accepted, each with its reply, and return the view after the last."""
    view: dict[str, Any] = {}
    for text in tries:
        client.send({"do": "try", "text": text})
        view = client.until("view", yours=True)
    return view


def end(client: Client, how: str = "resign") -> dict[str, Any]:
    client.send({"do": how})
    return client.until("over")


def told(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without its clocks."""
    return {name: value for name, value in view.items() if name != "clocks"}


def test_a_turn_that_is_taken_back_is_as_it_was_and_the_record_says_so(client: Client) -> None:
    before = begin(client)
    play(client, "e4")
    client.send({"do": "takeback"})
    assert told(client.until("view", yours=True)) == told(before)
    play(client, "d4", "c4")
    record = load_record(end(client)["saved"])
    assert [turn.move.uci() for turn in record.turns][::2] == ["d2d4", "c2c4"]
    assert record.headers["Help"] == "1 move taken back, a chosen seed"


def test_what_was_refused_before_a_move_stays_refused_when_it_is_taken_back(client: Client) -> None:
    begin(client)
    client.send({"do": "try", "text": "exd3"})
    refused = client.until("view", yours=True)
    play(client, "e4")
    client.send({"do": "takeback"})
    assert told(client.until("view", yours=True)) == told(refused)
    assert refused["refused"] == ["exd3"]


@pytest.mark.parametrize(
    "opponent", some(("rand", "kriegbot:level=beginner", "overconfident:samples=5", "hs:samples=5"), 2)
)
def test_after_a_move_is_taken_back_the_game_goes_on_as_if_it_had_never_been_made(
    opponent: str, client: Client
) -> None:
    """The opponent knows nothing of what was taken back: it plays as one that sat down to the same game and views."""
    begin(client, opponent=opponent)
    play(client, "e4", "d3", "h4")
    client.send({"do": "takeback"})
    client.until("view", yours=True)
    play(client, "a3", "b3")
    record = load_record(end(client)["saved"])
    assert len(record.turns) == 8
    begin(client, opponent=opponent)
    play(client, "e4", "d3", "a4")
    client.send({"do": "takeback"})
    client.until("view", yours=True)
    play(client, "a3", "b3")
    assert load_record(end(client)["saved"]).turns[5].move == record.turns[5].move


def test_nothing_can_be_taken_back_before_a_move_or_after_the_end(client: Client) -> None:
    begin(client)
    client.send({"do": "takeback"})
    refusal = client.until("refusal")
    assert (refusal["text"], refusal["to"]) == ("You have no move to undo.", "takeback")
    end(client)
    client.until("frames")
    client.send({"do": "takeback"})
    assert client.until("refusal")["to"] == "takeback"


def test_a_hint_names_three_open_tries_from_the_view_alone_and_is_marked(client: Client) -> None:
    hints = []
    for seed in ("3", "4"):
        view = begin(client, seed=seed)
        client.send({"do": "hint"})
        hint = client.until("hint")
        assert len(hint["tries"]) == 3
        assert {one["uci"] for one in hint["tries"]} <= set(view["tries"])
        assert [one["value"] for one in hint["tries"]] == sorted((one["value"] for one in hint["tries"]), reverse=True)
        hints.append(hint)
        assert load_record(end(client)["saved"]).headers["Help"] == "1 hint, a chosen seed"
    assert hints[0] == hints[1]  # whoever the opponent is


def test_a_game_without_help_has_the_record_that_it_always_had(client: Client) -> None:
    begin(client, seed=None)
    play(client, "e4")
    record = load_record(end(client)["saved"])
    assert set(record.headers) == {"Event", "Site", "Date", "Round", "White", "Black", "Seed", "Versions"}


def test_a_flag_falls(client: Client) -> None:
    view = begin(client, clock="1+0")
    assert view["clocks"]["left"]
    over = client.until("over")
    assert (over["result"], over["text"]) == ("0-1", "Forfeit, Black wins (lost on time).")
    assert load_record(over["saved"]).headers["TimeControl"] == "1+0"


def test_the_flag_of_a_program_falls_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = ProcessSeat.ask

    def slow(seat: ProcessSeat, view: View) -> Choice:
        until = awake_time() + 1.5  # as a seat waits: long pauses count as suspensions
        while awake_time() < until:
            time.sleep(0.05)
        return ask(seat, view)

    monkeypatch.setattr(ProcessSeat, "ask", slow)
    client.send(NEW | {"color": "black", "clock": "1+0"})
    over = client.until("over")
    assert (over["won"], over["text"]) == (True, "Forfeit, Black wins (lost on time).")


def test_a_program_that_has_gone_on_to_the_next_game_does_not_leave_with_the_last_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave = PersonSeat.leave

    def at_leisure(seat: PersonSeat, why: str) -> None:
        """Check that the game ends, and its program's seat is free, before the program hears that it is to leave."""
        leave(seat, why)
        until(lambda: not any(thread.name.startswith("game ") for thread in threading.enumerate()))

    monkeypatch.setattr(PersonSeat, "leave", at_leisure)
    begin(client)
    end(client, "leave")
    begin(client)
    assert play(client, "e4")["ply"] == 2


def test_each_move_adds_its_increment() -> None:
    clock = GameClock(TimeControl.of("60+10"))
    for color in (chess.WHITE, chess.WHITE, chess.BLACK, chess.WHITE):
        clock.switch(color)
    shown = clock.shown(chess.WHITE)
    assert (round(shown.white), round(shown.black), shown.running) == (70, 70, "white")


@pytest.mark.parametrize("clock", ["", "5", "0+1", "+", "1+", "99999+0", "5+601", "5.5+1", "-1+0", "1e3+1"])
def test_a_clock_that_is_none_is_refused(clock: str, client: Client) -> None:
    client.send(NEW | {"clock": clock})
    refusal = client.until("refusal")
    assert refusal["to"] == "new"
    assert "Give seconds from 1 to 36000" in refusal["text"]


def test_a_rematch_is_the_same_game_with_the_other_side(client: Client) -> None:
    begin(client, rules="wild16")
    client.send({"do": "rematch"})
    assert client.until("refusal")["text"] == "This game is not over yet."
    end(client)
    client.send({"do": "rematch"})
    client.send({"do": "join", "game": client.until("next")["game"]})
    game = client.until("game")
    assert (game["you"], game["white"], game["rules"], game["seed"]) == ("black", "rand", "Wild 16 (ICC)", None)
    assert client.until("view", yours=True)["ply"] == 1


def test_a_game_that_is_broken_off_tells_nothing_more_and_is_played_on(client: Client, tmp_path: Path) -> None:
    begin(client, seed=None)
    client.send({"do": "try", "text": "exd3"})
    client.until("view", yours=True)
    view = play(client, "e4")
    over = end(client, "leave")
    assert (over["resumable"], over["seed"]) == (True, None)
    client.send({"do": "library"})
    (listed,) = client.until("library")["games"]
    assert not any('"frames"' in text for text in client.heard)
    assert (listed["resumable"], listed["result"], listed["white"]) == (True, "*", "You")
    client.send({"do": "resume", "file": listed["file"]})
    assert client.until("game")["men"] == view["men"]  # while the program sits down
    assert told(client.until("view", yours=True)) == told(view)
    play(client, "d4")
    record = load_record(end(client)["saved"])
    assert [turn.move.uci() for turn in record.turns][::2] == ["e2e4", "d2d4"]
    assert len(list(tmp_path.glob("*.pgn"))) == 1


def test_no_belief_is_asked_for_the_end_of_a_game_that_can_go_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[View] = []
    ask = Analyst.ask

    async def noted(analyst: Analyst, job: Any, *arguments: Any) -> Any:
        asked.extend(argument for argument in arguments if isinstance(argument, View))
        return await ask(analyst, job, *arguments)

    monkeypatch.setattr(Analyst, "ask", noted)
    begin(client)
    client.send({"do": "heat", "on": True})
    client.until("heat")
    play(client, "e4")
    file = Path(end(client, "leave")["saved"]).name
    client.send({"do": "resume", "file": file})
    client.until("view", yours=True)
    assert asked
    assert all(view.end is None for view in asked)


def test_a_continued_game_of_a_chosen_seed_is_not_rated(client: Client, server: PageServer) -> None:
    begin(client)
    play(client, "e4")
    client.send({"do": "resume", "file": Path(end(client, "leave")["saved"]).name})
    client.until("view", yours=True)
    end(client)
    until(lambda: [one.help for one in server.registry.results.all()] == ["a chosen seed"], "the result")


def test_clocks_go_on_where_a_game_was_broken_off(client: Client) -> None:
    begin(client, clock="60+0")
    threading.Event().wait(1.0)
    play(client, "e4")
    over = end(client, "leave")
    used = sum(turn.seconds or 0 for turn in load_record(over["saved"]).turns[::2])
    client.send({"do": "resume", "file": Path(over["saved"]).name})
    assert used > 0.9
    assert 30 < client.until("view", yours=True)["clocks"]["white"] < 60.1 - used


def test_who_looks_at_a_broken_off_game_has_seen_both_sides_and_the_record_says_so(client: Client) -> None:
    begin(client)
    play(client, "e4")
    file = Path(end(client, "leave")["saved"]).name
    client.send({"do": "open", "file": file})
    assert len(client.until("frames")["frames"]) > 1
    client.send({"do": "resume", "file": file})
    client.until("view", yours=True)
    assert "both sides" in load_record(end(client)["saved"]).headers["Help"]


def test_who_downloads_a_broken_off_game_has_seen_both_sides_and_the_record_says_so(
    client: Client, server: PageServer
) -> None:
    begin(client)
    play(client, "e4")
    file = Path(end(client, "leave")["saved"]).name
    with urlopen(f"{server.address}games/{file}") as answer:
        assert b"both sides" in answer.read()
    client.send({"do": "resume", "file": file})
    client.until("view", yours=True)
    assert "both sides" in load_record(end(client)["saved"]).headers["Help"]


def test_games_are_listed_opened_and_deleted(client: Client, tmp_path: Path) -> None:
    (tmp_path / "shopping.pgn").write_text("milk", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("e4", encoding="utf-8")
    begin(client)
    file = Path(end(client)["saved"]).name
    client.send({"do": "library"})
    (game,) = client.until("library")["games"]
    assert (game["file"], game["how"], game["resumable"]) == (file, "resignation", False)
    client.send({"do": "open", "file": file})
    assert client.until("game")["kind"] == "replay"
    client.send({"do": "resume", "file": file})
    assert "unfinished" in client.until("refusal")["text"]
    client.send({"do": "delete", "file": file})
    assert client.until("library")["games"] == []
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["notes.txt", "shopping.pgn"]


@pytest.mark.parametrize(
    "name", ["", ".pgn", "../secret.pgn", "notes.txt", "/etc/passwd", "a\0.pgn", "\ud800.pgn", "none.pgn", "x" * 300]
)
@pytest.mark.parametrize("do", ["open", "resume", "delete"])
def test_no_name_reaches_another_file(do: str, name: str, client: Client, tmp_path: Path) -> None:
    secret = tmp_path.parent / "secret.pgn"
    secret.write_text("secret", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("e4", encoding="utf-8")
    client.send({"do": do, "file": name})
    assert client.until("refusal")["to"] in (do, None)
    assert secret.exists()
    assert (tmp_path / "notes.txt").exists()
    secret.unlink()


def requested(page: PageServer, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """Status and body of the answer to a request beside the page."""
    parts = urlsplit(page.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    origin = {"Origin": f"http://{parts.netloc}"} if method == "POST" else {}
    connection.request(method, parts.path + path, body, origin | headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_a_game_is_downloaded_and_uploaded(server: PageServer, client: Client, tmp_path: Path) -> None:
    begin(client)
    play(client, "e4")
    file = Path(end(client)["saved"])
    status, text = requested(server, "GET", f"games/{file.name}")
    assert (status, text) == (200, file.read_bytes())
    file.unlink()
    status, answer = requested(server, "POST", "upload?rules=berkeley", text)
    assert status == 200
    assert record_to_pgn(load_record(tmp_path / json.loads(answer)["file"])).encode() == text


def test_a_game_of_chess_is_uploaded_under_the_rules_that_are_named(server: PageServer, tmp_path: Path) -> None:
    _, answer = requested(server, "POST", "upload?rules=wild16", b'[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 1-0\n')
    record = load_record(tmp_path / json.loads(answer)["file"])
    assert (record.rules.name, len(record.turns), record.headers["White"]) == ("wild16", 3, "A")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "unknown format"),
        (b"\xff\xfe", "unknown format"),
        (b"<html>", "unknown format"),
        (b"1. e4 e5 2. Ke3 *", "illegal move"),
        (b'1. e4 *\n\n[Event "x"]\n\n1. d4 *', "2 games"),
        (b'[KriegspielRecord "1"]\n\n*', "missing"),
        (b"x" * (library.MAX_UPLOADED + 1), "too large"),
    ],
)
def test_an_upload_that_is_no_game_is_refused_in_a_sentence(
    body: bytes, why: str, server: PageServer, tmp_path: Path
) -> None:
    status, answer = requested(server, "POST", "upload?rules=berkeley", body)
    assert status == 400
    assert why in json.loads(answer)["error"]
    assert list(tmp_path.glob("[!.]*")) == []


def test_files_are_for_the_page_alone(server: PageServer, client: Client) -> None:
    begin(client)
    file = Path(end(client)["saved"]).name
    text = b"1. e4 *"
    assert requested(server, "POST", "upload?rules=berkeley", text, Origin="http://evil.example")[0] == 404
    assert requested(server, "GET", "upload?rules=berkeley")[0] == 405
    assert requested(server, "POST", "upload?rules=chess960", text)[0] == 400
    for path in ("games/..%2fsecret.pgn", "games/none.pgn", "games/"):
        assert requested(server, "GET", path)[0] == 404
    host, guest = (f"/{token}/" for token in (urlsplit(server.address).path.strip("/"), server.registry.guest_token))
    for method, path in (("GET", f"games/{file}"), ("POST", "upload?rules=berkeley")):
        parts = urlsplit(server.address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        connection.request(method, guest + path, text, {"Origin": f"http://{parts.netloc}"})
        assert connection.getresponse().status in (400, 404)
        connection.close()
    assert host != guest


def test_every_rule_set_is_explained_in_two_lines_of_its_own() -> None:
    explained = [tuple(about(rules)) for rules in RULE_SETS.values()]
    assert all(len(lines) == 2 and max(map(len, lines)) < 140 for lines in explained)
    assert len(set(explained)) == len(explained)


async def begun(registry: registries.Registry) -> None:
    registry.begin()


def test_the_analyst_starts_with_the_server(tmp_path: Path) -> None:
    registry = registries.Registry(tmp_path)
    registry.seats.warm = lambda: None  # type: ignore[method-assign] # as in `served`
    asyncio.run(begun(registry))
    until(lambda: registry.analyst._pool._workers, "the analyst")
    registry.stop("the test is over")
