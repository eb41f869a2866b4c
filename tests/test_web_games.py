"""Games of the page without a server: continued ones, their ends, help, and what fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pytest

from kriegbot.players.specs import parse_spec
from kriegbot.request import PERSON, Refused
from kriegbot.web import pages
from kriegbot.web.library import Seating
from kriegbot.web.live import GameSetup, LiveGame
from kriegbot.web.notices import GameEnded, GameInfo, HintMessage, Names, Notice, Refusal
from kriegbot.web.pages import PersonGame, ReplayedGame, WatchedGame
from kriegbot.web.registry import LIMITS, GameThread, PageGame, Registry
from kriegbot.web.requests import Act, Look, New
from kriegbot.web.review import AnalystFailed, Beliefs, Review
from kriegbot.web.seats import TimeControl
from referee import BERKELEY, GameRecord, Referee, View, save_record

TWO = {"White": PERSON, "Black": PERSON}


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path)


def record_of(*moves: str, resigns: chess.Color | None = None, **headers: str) -> GameRecord:
    """Return the record of a game with these moves, by default between two people."""
    referee = Referee()
    for uci in moves:
        referee.try_move(chess.Move.from_uci(uci))
    if resigns is not None:
        referee.resign(resigns)
    return GameRecord.of(referee, TWO | headers)


def saved(registry: Registry, record: GameRecord) -> str:
    """Save a game; return the name of its file."""
    path = registry.library.new_path("some id")
    save_record(record, path)
    return path.name


def heard(game: PageGame) -> list[Notice]:
    """Return a list that gets all messages of a game from now on."""
    messages: list[Notice] = []
    game._listeners.add(messages.append)
    return messages


# Continued games


def test_a_game_against_a_program_goes_on_with_its_person_program_clock_and_seed(registry: Registry) -> None:
    record = record_of(
        "e2e4", Black="rand", TimeControl="300+5", Seed="42", WhiteName="Ann"
    )  # no game of ours has that name
    (side,) = pages.resumed(registry, saved(registry, record))
    setup = side.game.setup
    assert (side.color, side.name, side.may_invite) == (chess.WHITE, "", False)
    assert {color: str(spec) for color, spec in side.game.programs.items()} == {chess.BLACK: "rand"}
    assert (setup.control, setup.seed, setup.begun and len(setup.begun.turns)) == (TimeControl(300, 5), 42, 1)


@pytest.mark.parametrize(("host", "first"), [(None, chess.WHITE), ("white", chess.WHITE), ("black", chess.BLACK)])
def test_of_a_continued_game_between_two_the_side_of_the_host_comes_first(
    host: str | None, first: chess.Color, registry: Registry
) -> None:
    named = record_of("e2e4", BlackName="Bob") if host is None else record_of("e2e4", BlackName="Bob", Host=host)
    sides = pages.resumed(registry, saved(registry, named))
    assert [side.color for side in sides] == [first, not first]
    assert [side.may_invite for side in sides] == [True, False]
    assert {side.color: side.name for side in sides} == {chess.WHITE: "", chess.BLACK: "Bob"}
    assert sides[0]._last[Names] == Names("", "Bob")
    assert sides[0].game is sides[1].game
    assert sides[0].game.is_for_two


def test_only_an_unfinished_game_of_a_person_goes_on(registry: Registry) -> None:
    for record in (record_of(resigns=chess.WHITE), record_of(White="rand", Black="rand")):
        with pytest.raises(Refused, match="only an unfinished game of a person"):
            pages.resumed(registry, saved(registry, record))


def test_two_who_shared_a_screen_choose_anew_how_they_play_unless_a_server_restores_their_game(
    registry: Registry,
) -> None:
    file = saved(registry, record_of("e2e4"))
    for browsers, is_restored, kept in (
        ({"white": "x", "black": "x"}, False, [None, None]),
        ({"white": "x", "black": "x"}, True, ["x", "x"]),
        ({"white": "x", "black": "y"}, False, ["x", "y"]),
    ):
        registry.library.seatings[file] = Seating({"white": "w" * 16, "black": "b" * 16}, browsers, True)
        sides = pages.resumed(registry, file, is_restored=is_restored)
        assert [side.browser for side in sides] == kept
        assert [side.id for side in sides] == ["w" * 16, "b" * 16]


def test_an_id_of_an_earlier_server_leads_to_its_game_live_or_to_review(registry: Registry) -> None:
    for record, kinds in (
        (record_of("e2e4"), [PersonGame, PersonGame]),
        (record_of("e2e4", resigns=chess.WHITE), [ReplayedGame]),
    ):
        file = saved(registry, record)
        registry.library.seatings[file] = Seating({"white": "w" * 16, "black": "b" * 16}, {}, True)
        found = pages.restored(registry, "w" * 16)
        assert [type(page) for page in found] == kinds
        assert found[0].id == "w" * 16
        assert found[0].is_for_guests
        del registry.library.seatings[file]
    assert pages.restored(registry, "w" * 16) == []


# The end


@pytest.mark.parametrize(
    ("color", "resigns", "won"),
    [
        (chess.WHITE, chess.BLACK, True),
        (chess.BLACK, chess.BLACK, False),
        (None, chess.BLACK, None),
        (chess.WHITE, None, None),
    ],
)
def test_the_end_says_whether_the_person_won(
    color: chess.Color | None, resigns: chess.Color | None, won: bool | None, registry: Registry
) -> None:
    game, record = PageGame(registry), record_of(resigns=resigns, Seed="7")
    game.color, messages = color, heard(game)
    game.finish(record, None if resigns is None else Review.of("", record), "a file", " No space.")
    over = messages[0]
    assert isinstance(over, GameEnded)
    assert (over.won, over.saved, over.result) == (won, "a file", record.result)
    assert (over.resumable, over.seed) == ((True, None) if resigns is None else (False, "7"))
    assert over.text == f"{'The game is unfinished' if resigns is None else 'Resignation, White wins'}. No space."
    assert (len(messages) == 2) is (resigns is not None)
    assert game.record is record


def test_a_new_listener_gets_the_latest_messages(registry: Registry) -> None:
    game, messages = PageGame(registry), list[Notice]()
    game.kind = "play"  # type: ignore[misc]
    for rules in ("Berkeley", "Wild 16"):
        game.introduce(["Ann", "Bob"], rules, 3)
    game.publish(Refusal("no"))
    game.join(messages.append)
    (info,) = messages
    assert isinstance(info, GameInfo)
    assert (info.white, info.black, info.rules, info.seed) == ("Ann", "Bob", "Wild 16", "3")
    assert not game.is_unattended
    game.remove_listener(messages.append)
    assert game.is_unattended


class Thread(GameThread):
    """A game's thread that seems to run until it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.stops: list[str] = []

    def is_alive(self) -> bool:
        """Return True until the stop."""
        return not self.stops

    def stop(self, why: str) -> None:
        """Note it."""
        self.stops.append(why)


def test_a_game_that_is_stopped_leaves_its_people_and_programs(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = LiveGame(registry, GameSetup(BERKELEY, 1), {chess.BLACK: parse_spec("rand")})
    side = PersonGame(game, chess.WHITE, may_invite=False)
    seat = registry.seats.take(parse_spec("rand"), chess.BLACK)
    game._seats = {chess.BLACK: seat}
    game.stop("too early")
    assert (game.is_stopping, seat.why, side.seat._actions.empty()) == (False, "", True)
    monkeypatch.setattr(game, "is_alive", lambda: True)
    game.stop("enough")
    assert (game.is_stopping, seat.why) == (True, "enough")
    assert side.seat._actions.get_nowait().why == "enough"  # type: ignore[union-attr]


# Limits


def live(registry: Registry, *, away: float | None = None) -> PageGame:
    """Return a game that runs, shown by no browser for `away` seconds, or by one."""
    game = PageGame(registry, Thread())
    registry.add(game)
    if away is None:
        game._listeners.add(lambda _: None)
    else:
        game.unattended_since -= away
    return game


def stops(*games: PageGame) -> list[list[str]]:
    return [game.play.stops for game in games if isinstance(game.play, Thread)]


def test_games_that_no_browser_shows_are_stopped_if_they_are_many_or_old(tmp_path: Path) -> None:
    limits, registry = LIMITS, Registry(tmp_path)
    shown, fresh, old = live(registry), live(registry, away=limits.grace - 9), live(registry, away=4000)
    waiting = [live(registry, away=limits.grace + 9 + number) for number in range(limits.unattended_games + 2)]
    registry.tend()
    assert stops(shown, fresh, old) == [[], [], ["nobody came back"]]
    assert stops(*waiting) == [[]] * limits.unattended_games + [["nobody came back"]] * 2


# What fails, and help


def asked(game: PageGame, answer: Callable[..., Any]) -> None:
    """Let an analyst answer so."""
    game.registry.analyst = SimpleNamespace(ask=answer)  # type: ignore[assignment]


@pytest.mark.parametrize("is_closing", [False, True])
def test_an_analysis_that_fails_is_refused_and_logged_unless_the_server_ends(
    is_closing: bool, registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise AnalystFailed("it ended")

    async def looked() -> None:
        game.take(Look([0]))
        await asyncio.gather(*game._tasks.values())

    record = record_of("e2e4", resigns=chess.BLACK)
    game = PageGame(registry)
    game.finish(record, Review.of("", record))
    asked(game, fail)
    messages, registry.is_closing = heard(game), is_closing
    asyncio.run(looked())
    assert messages == [Refusal("No analysis: it ended.", "look")]
    assert caplog.messages == ["no analysis: it ended"] * (not is_closing)


def test_before_the_end_nothing_is_analysed(registry: Registry) -> None:
    for request in (Look([0]), Act("turning")):
        with pytest.raises(Refused, match="cannot be done in this game"):
            PageGame(registry).take(request)


@pytest.mark.parametrize("is_live", [True, False])
def test_a_hint_is_shown_and_counted_while_the_game_is_on(
    is_live: bool, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hint(job: object, key: str, seen: View) -> dict[str, Any]:
        assert (job, key, seen) == (Beliefs.hint, game.game.analysis, view)
        return {"text": "Try e4.", "ask": [], "tries": []}

    game = pages.new_game(registry, New("rand", "white", "berkeley", "3", None))
    asked(game, hint)
    monkeypatch.setattr(game.game, "is_alive", lambda: is_live)
    view, messages = Referee().view(chess.WHITE), heard(game)
    asyncio.run(game._hint(view))
    assert [type(message) for message in messages] == [HintMessage] * is_live
    assert game.game.help.hints == is_live


# Watching


def test_a_watched_game_keeps_its_pace_and_a_pause_lasts(registry: Registry) -> None:
    setup, rand = GameSetup(BERKELEY, 1), parse_spec("rand")
    game = WatchedGame(LiveGame(registry, setup, dict.fromkeys(chess.COLORS, rand)), pace=0.05)
    views = {color: Referee().view(color) for color in chess.COLORS}
    game._wait(views[chess.BLACK])
    game._see(views[chess.WHITE])
    begun = time.monotonic()
    game._wait(views[chess.BLACK])
    assert time.monotonic() - begun >= 0.045
    assert game.review is not None
    assert len(game.review.frames) == 1
    game._set_pace(0, is_paused=True)
    game.leave("enough")
    game._wait(views[chess.BLACK])  # ends, since the page has left
