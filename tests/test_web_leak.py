"""The messages to a browser before the end tell no more than its side's view.

Many games are played with the same tries against players that move differently. Wherever two of these games look the
same to the person, view for view, all that was sent has to be the same, byte for byte but for the clocks; an adversary
that reads everything can then tell nothing that the view does not. Besides, one who only looks for words finds none.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import pytest

from kriegbot.narration import even_time
from kriegbot.narration.diary import Entry
from kriegbot.web import seats
from kriegbot.web.notices import Clocks, SideView, side_view
from kriegbot.web.registry import ServerLimits
from referee import GameRecord, View, load_record
from tests.effort import many
from tests.page import Client, served, views

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]

GAMES, MOVES = many(50, 6), 12


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let replies come as soon as they are there; `tests/test_timing.py` is about the time."""
    monkeypatch.setattr(even_time, "QUANTUM", 0.001)


@dataclass(frozen=True, slots=True)
class Sent:
    """A game: what the browser was sent before the end, and what the person knew; the game itself is for the judge."""

    messages: tuple[dict[str, Any], ...]
    views: tuple[View, ...]
    record: GameRecord


def play(client: Client, color: str, rules: str, *, has_heat: bool = False) -> Sent:
    """Return a game against the random player, by tries that follow from the views alone; resigned after some moves."""
    client.heard.clear()
    client.send({"do": "new", "opponent": "rand", "color": color, "rules": rules, "seed": None, "clock": None})
    client.until("game")
    if has_heat:
        client.send({"do": "heat", "on": True})
    message = client.until("view")
    answered = -1
    while message["is"] != "over":
        if message["is"] == "view" and message["yours"] and answered < len(message["log"]):
            answered = len(message["log"])
            if has_heat:
                client.until("heat", ply=message["ply"])
            tries = message["tries"]
            if message["ply"] >= 2 * MOVES:
                client.send({"do": "resign"})
            else:
                choice = random.Random(len(message["log"]) * 1000 + len(tries)).choice(tries)
                client.send({"do": "try", "text": choice})
        message = client.receive()
    *before, _ = client.heard
    messages = [json.loads(text) for text in before]
    record = load_record(Path(message["saved"]))
    return Sent(tuple(messages), tuple(views(record, color == "white")), record)


def stripped(message: dict[str, Any]) -> str:
    """Return a message without what is new in every game: its name and its clocks."""
    return json.dumps({key: value for key, value in message.items() if key not in ("id", "clocks")})


def leaks(games: list[Sent]) -> list[str]:
    """Messages that tell more than the views: two differ though all that was known then and before is the same."""
    told: dict[str, str] = {}
    found = []
    for game in games:
        shown = [stripped(message) for message in game.messages if message["is"] == "view"]
        others = [stripped(message) for message in game.messages if message["is"] not in ("view", "hello")]
        if len(shown) != len(game.views):
            found.append(f"{len(shown)} views were sent, but {len(game.views)} were new")
        known = repr(game.views[0].color) + game.views[0].rules.name
        pairs = [(repr(view), message) for view, message in zip(game.views, shown, strict=False)]
        pairs += [(known + message, message) for message in others if '"heat"' not in message]
        for view, message in pairs:
            if told.setdefault(view, message) != message:
                found.append(f"{told[view]} or {message}")
    return found


def enemy_squares(game: Sent) -> set[str]:
    """Return what an adversary reads: squares and enemy pieces named in any text or key that the view does not name."""
    own = game.views[0].color
    king = "K" if own == chess.WHITE else "k"
    enemy = "KQRBNP" if own == chess.BLACK else "kqrbnp"
    found = set()
    for message in game.messages:
        if message["is"] == "view":
            ways = "".join(uci[:4] for uci in message["tries"])
            allowed = set(message["men"]) | set(message["last"]) | {ways[at : at + 2] for at in range(0, len(ways), 2)}
            if message["check"] is not None:
                (at,) = (chess.parse_square(name) for name, man in message["men"].items() if man == king)
                allowed |= {chess.square_name(square) for square in reached(at)}
            allowed |= {name for entry in message["log"] if "own" in entry["kind"] for name in entry["squares"]}
            heard = " ".join(entry["text"] for entry in message["log"])
            assert not set(message["men"].values()) & set(enemy)
            named = set(re.findall(r"(?<![a-z0-9])[a-h][1-8](?![a-z0-9])", json.dumps(message)))
            found |= named - allowed - set(re.findall(r"[a-h][1-8]", heard)) - set(message["clear"])
    return found


def reached(king: chess.Square) -> chess.SquareSet:
    """All squares from which a man may give check."""
    board = chess.Board(None)
    board.set_piece_at(king, chess.Piece(chess.QUEEN, chess.WHITE))
    return board.attacks(king) | chess.SquareSet(chess.BB_KNIGHT_ATTACKS[king])


HASTE = ServerLimits(rate=1e6, burst=1e6)


def played(folder: Path, count: int, rules: str, *, has_heat: bool = False) -> list[Sent]:
    with served(folder, limits=HASTE) as server, Client(server.address) as client:
        colors = ("white", "black")
        return [play(client, colors[game % 2], rules, has_heat=has_heat) for game in range(count)]


@pytest.mark.parametrize("rules", ["berkeley", "wild16"])
def test_games_tell_the_browser_nothing_but_the_view(rules: str, tmp_path: Path) -> None:
    games = played(tmp_path, GAMES, rules)
    assert leaks(games) == []
    assert all(enemy_squares(game) == set() for game in games)
    same = [repr(view) for game in games for view in game.views]
    assert len(same) - len(set(same)) > GAMES  # else hardly anything was compared
    hidden = {tuple(turn.move for turn in game.record.turns[:4]) for game in games}
    assert len(hidden) > GAMES // 2  # and the games were not the same


def test_the_heat_map_is_made_from_the_view(tmp_path: Path) -> None:
    games = played(tmp_path, 3, "berkeley", has_heat=True)
    told: dict[str, str] = {}
    compared = 0
    for game in games:
        seen = iter(game.views)
        for message in game.messages:
            if message["is"] == "view":
                view = next(seen)
            if message["is"] == "heat" and message["ply"] == view.ply and view.turn == view.color:
                compared += repr(view) in told
                assert told.setdefault(repr(view), stripped(message)) == stripped(message)
    assert compared


@pytest.mark.parametrize("what", ["the men", "a number", "the time"])
def test_a_planted_leak_is_found(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three kinds: the enemy's men; something in a harmless field; a message that the view does not call for."""
    truth: list[chess.Board] = []
    referees(monkeypatch, truth)
    wait = seats.PersonSeat.wait

    def leaking(view: View, entries: Sequence[Entry], clocks: Clocks) -> SideView:
        board = truth[-1]
        enemy = [chess.square_name(square) for square in chess.SquareSet(board.occupied_co[not view.color])]
        message = side_view(view, entries, clocks)
        if what == "the men":
            message.refused = enemy
        if what == "a number":
            message.enemy_men = board.legal_moves.count()
        return message

    def hasty(hurried: seats.PersonSeat, view: View) -> None:
        hurried.view = None
        wait(hurried, view)

    monkeypatch.setattr(seats, "side_view", leaking)
    if what == "the time":
        monkeypatch.setattr(seats.PersonSeat, "wait", hasty)
    games = played(tmp_path, many(10, 4), "wild16")
    assert leaks(games)
    if what == "the men":
        assert any(enemy_squares(game) for game in games)


def referees(monkeypatch: pytest.MonkeyPatch, truth: list[chess.Board]) -> None:
    """Keep the board of the referee at hand."""
    from referee.referee import Referee

    view = Referee.view

    def seeing(referee: Referee, color: chess.Color) -> View:
        truth.append(referee.board())
        return view(referee, color)

    monkeypatch.setattr(Referee, "view", seeing)
