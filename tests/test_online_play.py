"""The online bot at play, against a fake site that makes trouble."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import chess
import pytest
from rich.console import Console

from kriegbot import online
from kriegbot.cli.online import Screen
from kriegbot.online import Bot, BotSettings, read_settings
from kriegbot.online.game import GameStatus
from kriegbot.online.site import Site
from kriegbot.request import Refused
from referee import Answer
from tests import misbehaving
from tests.effort import some
from tests.fake_http import serving
from tests.fake_site import TOKEN, FakeSite
from tests.online_games import play_out
from tests.test_online_reading import DOUBLE


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot look at the lobby more often, since the site is on this machine."""
    monkeypatch.setattr(online, "LOOK", 0.5)
    monkeypatch.setattr(online, "SOON", 0.2)


class Running:
    """A bot in this process, and what it says."""

    def __init__(self, fake: FakeSite, folder: Path, settings: BotSettings) -> None:
        self.fake, self.folder = fake, folder
        self.lines: list[str] = []
        self.stop = threading.Event()
        self.site = Site(fake.address, TOKEN, self.stop, self.lines.append)
        self.bot = Bot(self.site, settings, folder, self.lines.append)

    def until(self, is_done: Callable[[], bool], seconds: float = 90) -> None:
        """Wait until something is so."""
        deadline = time.monotonic() + seconds
        while not is_done():
            assert time.monotonic() < deadline, "\n".join(self.lines[-30:])
            time.sleep(0.05)

    def has_said(self, text: str) -> bool:
        """Return True if a line contains a text."""
        return any(text in line for line in self.lines)

    def record(self, code: str) -> dict[str, Any]:
        """Return what is written down of a game."""
        data: dict[str, Any] = json.loads((self.folder / f"{code}.json").read_text(encoding="utf-8"))
        return data


@contextmanager
def running(fake: FakeSite, folder: Path, **given: Any) -> Iterator[Running]:
    """Run a bot with these settings."""
    one = Running(fake, folder, read_settings({"player": "rand", "create": False} | given, "the test"))
    thread = threading.Thread(target=one.bot.run)
    thread.start()
    try:
        yield one
    finally:
        one.stop.set()
        thread.join()
        one.bot.leave()
        one.site.close()


def is_over(fake: FakeSite) -> bool:
    """Return True if every game of the bot is over."""
    return all(game.state == "completed" for game in fake.games.values())


@pytest.mark.slow
def test_games_end_properly_though_requests_are_lost_and_the_bot_is_killed(tmp_path: Path) -> None:
    site = FakeSite(seed=3, faults=0.1, challenges=0.5, late=0.2, most=3, long=40)
    outcome = play_out(site, tmp_path, kill_every=100, patience=300, player="rand", games=4, join=True)
    assert outcome.faults() == []
    assert outcome.flags() == 0
    assert outcome.trouble() == 0
    assert outcome.kills > 0
    assert len(outcome.records) == site.begun() >= 3
    assert sum(outcome.ends().values()) == site.begun()
    assert sum(site.counts.values()) - site.counts["requests"] > 5  # of some 180, one in ten; how many depends on time


@pytest.mark.slow
def test_a_game_that_was_going_on_is_taken_up_and_one_that_ended_meanwhile_gets_its_end(tmp_path: Path) -> None:
    fake = FakeSite(delay=0.3)
    codes = [fake.add("berkeley", created_by="boris", state="active", ours=chess.WHITE).code for _ in range(2)]
    with serving(fake):
        with running(fake, tmp_path) as one:
            one.until(lambda: all(fake.games[code].game.ply > 6 for code in codes))
        assert [one.record(code)["result"] for code in codes] == [None, None]
        assert one.record(codes[0])["seed"] is None
        plies = [fake.games[code].game.ply for code in codes]
        fake.games[codes[1]].game.resign(chess.BLACK)
        fake.games[codes[1]].close()
        with running(fake, tmp_path) as one:
            one.until(lambda: fake.games[codes[0]].game.ply > plies[0] + 4)
            one.until(lambda: one.record(codes[1])["result"] == {"winner": "white", "reason": "resignation"})
    record = one.record(codes[1])
    assert record["seed"].isdigit()
    assert {thought["ply"] for thought in record["thoughts"]} >= {0, 2}
    assert fake.wrong == []


@pytest.mark.slow
def test_a_record_has_the_seed_that_a_player_from_outside_got(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from kriegbot import Choice, Report\n\n\n"
        "class Bot:\n"
        "    def __init__(self, seed):\n"
        "        self.report = Report(why=str(seed))\n\n"
        "    def choose(self, view):\n"
        "        return Choice(view.tries()[0], self.report)\n"
    )
    fake = FakeSite()
    game = fake.add("berkeley", created_by="boris", state="active", ours=chess.WHITE)
    with serving(fake), running(fake, tmp_path, player=f"{bot}:Bot") as one:
        one.until(lambda: game.game.ply > 1)
        game.game.resign(chess.BLACK)
        game.close()
        one.until(lambda: one.record(game.code)["result"] is not None)
    record = one.record(game.code)
    assert {thought["why"] for thought in record["thoughts"]} == {record["seed"]}


@pytest.mark.slow
def test_a_flag_does_not_fall_though_the_player_would_think_too_long(tmp_path: Path, kernels: None) -> None:
    del kernels
    fake = FakeSite(base=50, increment=0.5)
    game = fake.add("wild16", created_by="boris", state="active", ours=chess.WHITE)
    with serving(fake), running(fake, tmp_path, player="overconfident:depth=1,time=8") as one:
        one.until(lambda: game.state == "completed" or game.game.ply > 70, 120)
        lowest = game.clock[chess.WHITE]
    assert game.game.end is None or game.game.end.reason.value != "forfeit"
    assert lowest > 10
    seconds = [thought["seconds"] for thought in one.record(game.code)["thoughts"]]
    assert max(seconds) < 7  # it would take 8
    assert fake.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "plies"),
    some(
        (("KillsItself", 4), ("Raises", 4), ("RaisesInTheSeventhTurn", 16), ("Sleeps", 6), ("TriesTheImpossible", 4)), 2
    ),
)
def test_a_game_goes_on_without_a_player_that_fails(player: str, plies: int, tmp_path: Path) -> None:
    fake = FakeSite(base=14, increment=1)
    game = fake.add("berkeley", created_by="boris", state="active", ours=chess.WHITE)
    spec = str(misbehaving.spec(player))
    with serving(fake), running(fake, tmp_path, player=spec) as one:
        one.until(lambda: game.state == "completed" or game.game.ply > plies)
    assert one.has_said("the player failed")
    assert not one.has_said("refused")
    assert game.game.end is None or game.game.end.reason.value != "forfeit"
    assert fake.wrong == []


@pytest.mark.slow
def test_directions_of_a_double_check_are_guessed_until_the_player_can_believe_them(
    tmp_path: Path, kernels: None
) -> None:
    del kernels
    fake = FakeSite(delay=60)
    game = fake.add("berkeley", created_by="boris", state="active", ours=chess.BLACK)
    for uci in DOUBLE.split():
        assert game.act(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    with serving(fake), running(fake, tmp_path, player="overconfident:depth=1,samples=20") as one:
        one.until(lambda: game.game.ply > 19, 240)
    assert one.has_said("EmptyBelief")
    assert "ply" in one.record(game.code)["thoughts"][0]
    assert fake.wrong == []


@pytest.mark.slow
def test_a_game_that_is_not_wanted_is_resigned_with_the_reason_in_the_log(tmp_path: Path) -> None:
    fake = FakeSite()
    game = fake.add("wild16", created_by="boris", state="active", ours=chess.BLACK)
    with serving(fake), running(fake, tmp_path, block=["boris"]) as one:
        one.until(lambda: game.state == "completed")
        one.until(lambda: one.has_said(f"{game.code}: declined, resigning: boris is blocked"))
    assert game.game.ply < 2
    assert fake.wrong == []


@pytest.mark.slow
def test_a_game_is_offered_one_at_a_time_and_withdrawn_at_the_end(tmp_path: Path) -> None:
    fake = FakeSite(most=0)
    with serving(fake):
        with running(fake, tmp_path, create=True, rules=["rand"]) as one:
            one.until(lambda: len(fake.games) == 1)
            one.until(lambda: bool(one.bot._waiting) and fake.counts["requests"] > 8)
            assert [game.rules for game in fake.games.values()] == ["rand"]
        assert fake.games == {}
        with running(fake, tmp_path, create=True, opponents="nobody") as one:
            one.until(lambda: fake.counts["requests"] > 8)
        assert fake.games == {}
    assert fake.wrong == []


@pytest.mark.slow
def test_an_offer_is_withdrawn_once_as_many_games_run_as_may(tmp_path: Path) -> None:
    fake = FakeSite(most=0, delay=60)
    with serving(fake), running(fake, tmp_path, create=True, games=1, rules=["rand"]) as one:
        one.until(lambda: bool(one.bot._waiting))
        offered = one.bot._waiting
        fake.add("rand", created_by="boris", state="active", ours=chess.BLACK)
        one.until(lambda: offered not in fake.games)
        assert len(one.bot.running()) == 1
    assert fake.wrong == []


@pytest.mark.slow
def test_games_of_bots_are_joined_and_those_of_people_and_unknown_rules_are_not(tmp_path: Path) -> None:
    fake = FakeSite()
    person = fake.add("wild16", created_by="anna", state="waiting")
    unknown = fake.add("wild16", created_by="crazybot", state="waiting")
    unknown.rules = "crazykrieg"
    first = fake.add("wild16", created_by="otherbot", state="waiting")
    second = fake.add("wild16", created_by="thirdbot", state="waiting")
    with serving(fake), running(fake, tmp_path, join=True) as one:
        one.until(lambda: first.game.ply > 4 if first.referee else False)
        one.until(lambda: one.has_said(f"{unknown.code}: not joined: rule set 'crazykrieg' is not known"))
        one.until(lambda: one.has_said(f"{person.code}: not joined: FORBIDDEN"))
    assert [game.state for game in (person, unknown, second)] == ["waiting"] * 3
    assert fake.wrong == []


@pytest.mark.slow
def test_a_game_that_the_site_forgets_is_given_up(tmp_path: Path) -> None:
    fake = FakeSite(delay=60)
    game = fake.add("berkeley", created_by="boris", state="active", ours=chess.WHITE)
    with serving(fake), running(fake, tmp_path) as one:
        one.until(lambda: game.game.ply > 0)
        del fake.games[game.code]
        one.until(lambda: one.has_said(f"{game.code}: GAME_NOT_FOUND"))
    assert one.record(game.code)["result"] == {"winner": None, "reason": "GAME_NOT_FOUND"}


def test_a_wrong_token_is_refused(tmp_path: Path) -> None:
    with serving(FakeSite()) as fake:
        site = Site(fake.address, "ksbot_2.x", threading.Event())
        with pytest.raises(Refused, match="refuses the token: UNAUTHORIZED"):
            Bot(site, BotSettings(), tmp_path, print).run()
        site.close()


def test_games_are_shown_with_what_our_side_knows() -> None:
    screen = Screen(None)
    game = GameStatus("ABCDEF", "[red]anna", "wild16", "white", 12, True, (1499.6, 61.2), "e2e4: ILLEGAL_MOVE")
    screen.bot = type("Bot", (), {"running": lambda _: [game]})()
    out = StringIO()
    Console(file=out, width=110).print(screen)
    text = out.getvalue()
    row = next(line for line in text.splitlines() if "ABCDEF" in line)
    assert row.split() == ["ABCDEF", "[red]anna", "wild16", "white", "7", "*", "24:59", "1:01", "e2e4:", "ILLEGAL_MOVE"]
