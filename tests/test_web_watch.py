"""Two programs watched on the page, without the page: what it is sent, and how it slows, pauses and stops the game."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from kriegbot.cli.main import main
from kriegbot.request import Refused
from kriegbot.web.notices import Notice
from kriegbot.web.pages import ReplayedGame, WatchedGame, watched
from kriegbot.web.registry import Registry
from kriegbot.web.requests import Watch, read_request
from referee import load_record
from tests.page import frames_of, until

Message: TypeAlias = dict[str, Any]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]

SHORT: Message = {"do": "watch", "white": "rand", "black": "rand", "rules": "berkeley", "seed": "63", "pace": 0}


def watch(registry: Registry, message: Message) -> WatchedGame:
    """Return the game that a message requests."""
    asked = read_request(json.dumps(message))
    assert isinstance(asked, Watch)
    return watched(registry, asked)


class Looker:
    """Looks at a game, and keeps all that it is told."""

    def __init__(self, game: WatchedGame | ReplayedGame) -> None:
        self.told: list[Message] = []
        self._changed = threading.Condition()
        game.join(self._hear)

    def _hear(self, message: Notice) -> None:
        with self._changed:
            self.told.append(msgspec.to_builtins(message))
            self._changed.notify_all()

    def of(self, kind: str) -> list[Message]:
        """All messages of a kind."""
        return [message for message in self.told if message["is"] == kind]

    def until(self, kind: str, times: int = 1) -> Message:
        """Return the last message of a kind, once so many have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.of(kind)) >= times, 60)
            return self.of(kind)[-1]


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    registry = Registry(tmp_path)
    yield registry
    registry.stop("the test is over")


def test_whoever_watches_sees_every_try_as_it_is_made_and_the_game_is_saved(registry: Registry) -> None:
    game = watch(registry, SHORT)
    looker = Looker(game)
    registry.add(game)
    over = looker.until("over")
    until(lambda: not game.play.is_alive(), "its end")
    assert (over["result"], over["text"], over["seed"]) == ("0-1", "Checkmate, Black wins.", "63")
    frames = frames_of(load_record(over["saved"]))
    *live, whole = looker.of("frames")[1:]
    assert whole == {"is": "frames", "start": 0, "frames": frames, "live": False}
    assert [message["start"] for message in live] == list(range(len(frames) - 1))  # the last try ended it
    untimed = [{**frame, "title": frame["title"].split(" (")[0], "seconds": None} for frame in frames]
    assert [frame for message in live for frame in message["frames"]] == untimed[:-1]
    assert all(message["live"] for message in live)
    late = Looker(game)
    assert [message["is"] for message in late.told] == ["game", "pace", "over", "frames"]
    assert late.until("frames") == whole


def test_a_paused_game_goes_on_when_it_is_told_to(registry: Registry) -> None:
    game = watch(registry, SHORT | {"pace": 10})
    looker = Looker(game)
    registry.add(game)
    looker.until("frames", 2)  # what there was, which is nothing; and the first position
    game.take(read_request(json.dumps({"do": "pause", "on": True})))
    game.take(read_request(json.dumps({"do": "pace", "seconds": 0})))
    assert looker.until("pace", 3) == {"is": "pace", "seconds": 0, "paused": True}
    assert game.play.is_alive()
    assert len(looker.of("frames")) == 2
    game.take(read_request(json.dumps({"do": "pause", "on": False})))
    assert looker.until("over")["result"] == "0-1"


@pytest.mark.parametrize("player", ["rand", "overconfident:time=60,depth=2"])
def test_a_game_that_is_stopped_is_saved_whether_it_waits_or_searches(registry: Registry, player: str) -> None:
    game = watch(registry, SHORT | {"white": player, "pace": 10 if player == "rand" else 0})
    looker = Looker(game)
    registry.add(game)
    looker.until("frames", 2)
    game.take(read_request(json.dumps({"do": "leave"})))
    over = looker.until("over")
    assert (over["result"], over["text"]) == ("*", "Abandoned, no result (broken off).")
    assert load_record(over["saved"]) == game.record
    until(lambda: not game.play.is_alive(), "its end")
    assert not game.play.is_alive()
    game.play.stop("again")


def test_programs_that_have_gone_on_to_the_next_game_do_not_leave_with_the_last_one(registry: Registry) -> None:
    class AtLeisure(threading.Condition):
        """Whoever stops the game goes on once it has ended, and its programs' seats are free."""

        def __exit__(self, *error: Any) -> None:
            super().__exit__(*error)
            if threading.current_thread() is threading.main_thread():
                until(lambda: not game.play.is_alive(), "its end")

    game = watch(registry, SHORT | {"pace": 10})
    game._changed = AtLeisure()
    looker = Looker(game)
    registry.add(game)
    looker.until("frames", 2)
    game.play.stop("broken off")
    after = watch(registry, SHORT)
    registry.add(after)
    assert Looker(after).until("over")["text"] == "Checkmate, Black wins."


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"white": "nobody"}, "unknown player 'nobody'"),
        ({"black": "human"}, "player 'human' is a person"),
        ({"rules": "chess"}, "unknown rule set 'chess'"),
        ({"seed": "-1"}, "illegal seed"),
        ({"seed": 63}, "Choose two players, rules, a seed"),
        ({"pace": 11}, "from 0 to 10 seconds per try"),
        ({"pace": float("nan")}, "cannot be read"),
        ({"pace": None}, "from 0 to 10 seconds per try"),
    ],
)
def test_a_game_that_there_cannot_be_is_refused(registry: Registry, change: Message, why: str) -> None:
    with pytest.raises(Refused, match=why):
        watch(registry, SHORT | change)


@pytest.mark.parametrize(
    "message",
    [
        {"do": "pace", "seconds": 11},
        {"do": "pace", "seconds": "1"},
        {"do": "pause", "on": 1},
        {"do": "try", "text": "e4"},
        {"do": "look", "indexes": "0"},
        {},
    ],
)
def test_what_cannot_be_done_while_watching_is_refused(registry: Registry, message: Message) -> None:
    with pytest.raises(Refused):
        watch(registry, SHORT).take(read_request(json.dumps(message)))


def test_a_saved_game_is_shown_whole(registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    assert main(["match", "rand", "rand", "--seed", "63", "--quiet", "--save", str(path)]) == 0
    capsys.readouterr()
    game = ReplayedGame(registry, load_record(path), str(path))
    told = Looker(game).told
    assert [message["is"] for message in told] == ["game", "over", "frames"]
    assert (told[0]["kind"], told[0]["you"], told[0]["white"]) == ("replay", None, "rand")
    assert told[0]["rules"] == "Berkeley, 25-move rule"
    assert (told[1]["result"], told[1]["saved"]) == ("0-1", str(path))
    assert told[2] == {"is": "frames", "start": 0, "frames": frames_of(load_record(path)), "live": False}
    assert not game.play.is_alive()
