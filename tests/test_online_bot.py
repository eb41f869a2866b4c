"""What the online bot does at each look at the site and in each turn, with the fake site in this process."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import chess
import pytest

from kriegbot import online
from kriegbot.game.seat import Failure, PlayerFailed
from kriegbot.online import Bot, read_settings
from kriegbot.online.game import HURRY, MAX_SENT, MAX_STARTS, UNKNOWN, GameStatus, OnlineGame, seconds_for
from kriegbot.online.site import Site, SiteRefusal, Stopped, Uncertain
from kriegbot.players.base import Choice
from kriegbot.report import Report
from referee import Action, AskAny, Referee, Resign, View
from tests.fake_game import Game
from tests.fake_site import TOKEN, FakeSite

E4, IMPOSSIBLE = chess.Move.from_uci("e2e4"), chess.Move.from_uci("e2d3")


class Near(Site):
    """The fake site without a network. `lost` are faults of the next commands: "before" or "after" they took effect."""

    def __init__(self, fake: FakeSite, pauses: int = 1000) -> None:
        self.address, self.stop, self.fake = "https://near", threading.Event(), fake
        self.sent: list[str] = []
        self.lost: list[str] = []
        self.pauses = pauses

    def command(self, method: str, path: str, body: Any = None, headers: Any = None) -> dict[str, Any]:
        """Let the fake site answer at once."""
        del headers
        self.pause(0)
        fault = ""
        if method != "GET":
            self.sent.append(f"{method} {path} {body['uci']}" if body and "uci" in body else f"{method} {path}")
            self.fake.received(path, body or {})
            fault = self.lost.pop(0) if self.lost else ""
        if fault == "before":
            raise Uncertain("lost")
        status, answer = self.fake.serve(method, path, {"Authorization": f"Bearer {TOKEN}"}, body or {})
        if fault == "after":
            raise Uncertain("lost")
        if status >= 300:
            raise SiteRefusal(status, answer["error"]["code"], answer["error"]["message"])
        return answer

    def pause(self, seconds: float) -> None:
        """Count the pauses, and end after the last one."""
        self.pauses -= seconds > 0
        if self.pauses < 0 or self.stop.is_set():
            raise Stopped


class Looking(NamedTuple):
    """A bot that starts no thread, its site, the games that it would start, and its lines."""

    bot: Bot
    site: Near
    started: list[dict[str, Any]]
    lines: list[str]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def start(_: Bot, facts: dict[str, Any]) -> bool:
        found.append(facts)
        return True

    monkeypatch.setattr(Bot, "_start", start)
    return found


def looking(fake: FakeSite, folder: Path, started: list[dict[str, Any]], **given: Any) -> Looking:
    site, lines = Near(fake), list[str]()
    bot = Bot(site, read_settings({"player": "rand", "create": False} | given, "the test"), folder, lines.append)
    bot.name = "kriegbot"
    return Looking(bot, site, started, lines)


# The lobby


@pytest.mark.parametrize(
    ("rules", "settings", "why"),
    [
        ("crazykrieg", {}, "rule set 'crazykrieg' is not known; known: berkeley,"),
        ("english", {"rules": ["wild16"]}, "rule set 'english' is not among the settings' rules"),
        ("wild16", {"block": ["boris"]}, "boris is blocked"),
        ("wild16", {"opponents": "bots"}, "opponents are bots, not humans"),
    ],
)
def test_a_game_that_the_settings_do_not_want_is_resigned(
    rules: str, settings: dict[str, Any], why: str, tmp_path: Path, started: list[dict[str, Any]]
) -> None:
    one = looking(FakeSite(), tmp_path, started, **settings)
    game = one.site.fake.add("wild16", created_by="boris", state="active", ours=chess.BLACK)
    game.rules = rules
    assert one.bot._look()
    assert (game.state, one.site.fake.wrong, started) == ("completed", [], [])
    assert any(line.startswith(f"{game.code}: declined, resigning: {why}") for line in one.lines)


@pytest.mark.parametrize(
    ("plies", "has_record", "is_played"), [(0, False, False), (1, False, False), (2, False, True), (0, True, True)]
)
def test_a_game_that_has_begun_is_played_on_whatever_the_settings_want_now(
    plies: int, has_record: bool, is_played: bool, tmp_path: Path, started: list[dict[str, Any]]
) -> None:
    one = looking(FakeSite(delay=60), tmp_path, started, block=["boris"])
    game = one.site.fake.add("wild16", created_by="boris", state="active", ours=chess.BLACK)
    game.reply_at = float("inf")
    for uci in ("e2e4", "e7e5")[:plies]:
        game.act(chess.Move.from_uci(uci))
    if has_record:
        (tmp_path / f"{game.code}.json").touch()
    assert one.bot._look()
    assert game.state == ("active" if is_played else "completed")
    facts = {"site": "https://near", "bot": "kriegbot", "code": game.code, "rules": "wild16", "color": "black"}
    assert started == [facts | {"opponent": "boris"}] * is_played


def test_the_first_wanted_game_of_a_bot_in_the_lobby_is_joined(tmp_path: Path, started: list[dict[str, Any]]) -> None:
    fake = FakeSite()
    unknown, blocked, person, first, second = (
        fake.add("wild16", created_by=name, state="waiting", ours=chess.WHITE)
        for name in ("crazybot", "badbot", "anna", "firstbot", "secondbot")
    )
    unknown.rules = "crazykrieg"
    one = looking(fake, tmp_path, started, join=True, block=["badbot"])
    assert not one.bot._look()  # a person's game refuses bots
    assert one.bot._look()
    assert one.site.sent == [f"POST /game/join/{game.code}" for game in (person, first)]
    assert f"{unknown.code}: not joined: rule set 'crazykrieg' is not known; known: " in "\n".join(one.lines)
    assert f"{blocked.code}: not joined: badbot is blocked" in one.lines
    assert f"{person.code}: not joined: FORBIDDEN: forbidden" in one.lines
    assert one.bot._look()  # begins the game, and waits before it joins another
    assert [facts["code"] for facts in started] == [first.code]
    assert len(one.site.sent) == 2
    for _ in range(2):  # the site wants it to wait longer, so the game stays worth joining
        one.bot._joined = -online.JOIN_EVERY
        assert one.bot._look()
    assert one.site.sent[2:] == [f"POST /game/join/{second.code}"] * 2
    assert second.state == "waiting"


def test_a_game_whose_thread_has_ended_begins_again_and_counts_only_while_it_runs(
    tmp_path: Path, started: list[dict[str, Any]]
) -> None:
    one = looking(FakeSite(delay=60, most=0), tmp_path, started, create=True, games=1)
    game = one.site.fake.add("wild16", created_by="boris", state="active", ours=chess.WHITE)
    alive = [True]
    thread: Any = SimpleNamespace(is_alive=lambda: alive[0], join=lambda _: None)
    one.bot._games[game.code] = thread, GameStatus(game.code, "boris", "wild16")
    assert not one.bot._look()
    assert (len(one.bot.running()), one.bot.leave(), one.site.sent, started) == (1, 1, [], [])
    one.bot._site, alive[0] = one.site, False
    assert one.bot._look()
    assert ([facts["code"] for facts in started], one.site.sent) == ([game.code], ["POST /game/create"])
    one.bot._over.add(game.code)
    assert not one.bot._look()
    assert len(started) == 1
    assert one.bot.leave() == 0


def test_lists_that_the_site_refuses_or_garbles_are_reported(
    tmp_path: Path, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> dict[str, Any]:
        raise SiteRefusal(403, "FORBIDDEN", "")

    one = looking(FakeSite(), tmp_path, started, create=True)
    monkeypatch.setattr(one.site, "ask", refuse)
    assert one.bot._look() is False
    monkeypatch.setattr(one.site, "ask", lambda _: {"games": 7})
    assert one.bot._look() is False
    assert one.lines == ["our games: FORBIDDEN", "our games: 7 is not a list of games"]
    monkeypatch.setattr(one.site, "ask", lambda _: {"games": [{}, {"game_code": "../x"}, "ABC", {"game_code": "ABC"}]})
    assert one.bot._games_at("/game/open", "the lobby") == [{"game_code": "ABC"}]
    assert (one.site.sent, started) == ([], [])


def test_one_game_is_offered_at_a_time_each_of_the_next_rule_set(tmp_path: Path, started: list[dict[str, Any]]) -> None:
    fake = FakeSite(most=0)
    one = looking(fake, tmp_path, started, create=True, rules=["rand", "english"])
    assert one.bot._look()
    assert not one.bot._look()
    (first,) = fake.games.values()
    assert (first.rules, one.bot._waiting) == ("rand", first.code)
    one.site.stop.set()
    assert one.bot.leave() == 0
    assert (fake.games, one.bot._waiting) == ({}, "")
    assert one.site.stop.is_set()  # for the threads of games
    one.site.stop.clear()
    one.bot._site = one.site
    assert one.bot._look()
    assert [game.rules for game in fake.games.values()] == ["english"]


@pytest.mark.parametrize("given", [{"opponents": "nobody"}, {"hours": "08:00-09:00"}])
def test_no_game_is_offered_when_none_may_begin(
    given: dict[str, Any], tmp_path: Path, started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Noon(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Noon:
            return cls(2026, 1, 1, 12, tzinfo=tz)

    monkeypatch.setattr(online, "datetime", Noon)
    one = looking(FakeSite(), tmp_path, started, create=True, join=True, **given)
    left = one.site.fake.add("wild16", created_by="kriegbot", state="waiting")
    one.site.fake.most = 0
    assert not one.bot._look()
    assert one.site.sent == [f"DELETE /game/{left.code}"]


def test_games_without_a_result_are_taken_up_at_the_start(tmp_path: Path, started: list[dict[str, Any]]) -> None:
    one = looking(FakeSite(), tmp_path, started)
    facts = {"schema": 1, "site": "https://near", "bot": "kriegbot", "rules": "wild16", "result": None}
    changes: dict[str, dict[str, Any]] = {"A": {}, "B": {"result": {}}, "C": {"bot": "other"}, "D": {"rules": "chess"}}
    for code, change in changes.items():
        (tmp_path / f"{code}.json").write_text(json.dumps(facts | {"code": code} | change), encoding="utf-8")
    one.site.pauses = 0
    one.bot.run()
    assert [facts["code"] for facts in started] == ["A"]
    assert one.lines[0] == "playing as kriegbot at https://near"
    assert one.site.sent == ["POST /bots/profile"]


# A game


def game_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *actions: Action, rules: str = "wild16"
) -> tuple[OnlineGame, Game, Near]:
    """Return a game with White, its state at the site, and the site. The player answers with these actions."""
    site, answers = Near(FakeSite(delay=60)), iter(actions)
    game = site.fake.add(rules, created_by="boris", state="active", ours=chess.WHITE)
    monkeypatch.setattr(OnlineGame, "_ask", lambda *_, **__: next(answers))
    facts = {"code": game.code, "opponent": "boris", "rules": rules}
    return OnlineGame(site, "rand", folder, facts, lambda _: None), game, site


def test_a_turn_ends_when_the_state_shows_the_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    online_game, game, site = game_at(tmp_path, monkeypatch, IMPOSSIBLE, E4, rules="berkeley")
    state = online_game._turn(online_game._look())
    assert state is not None
    assert (state["turn"], game.game.ply, len(game.game.log)) == ("white", 0, 1)
    state = online_game._turn(state)
    assert state is not None
    assert (state["turn"], game.game.ply, len(game.game.log)) == ("black", 1, 2)
    assert site.sent == [f"POST /game/{game.code}/move {move}" for move in (IMPOSSIBLE, E4)]
    assert site.pauses == 1000  # it sees each at the first look


@pytest.mark.parametrize(("lost", "times"), [(["before"], 2), (["before"] * 2, 3), (["after"], 1)])
def test_a_try_without_an_answer_is_sent_again_only_if_it_was_not_made(
    lost: list[str], times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    online_game, game, site = game_at(tmp_path, monkeypatch, E4)
    site.lost = lost.copy()
    state = online_game._turn(online_game._look())
    assert state is not None
    assert (state["turn"], game.game.ply, site.fake.wrong) == ("black", 1, [])
    assert site.sent == [f"POST /game/{game.code}/move e2e4"] * times


def test_a_try_that_never_gets_through_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    online_game, game, site = game_at(tmp_path, monkeypatch, E4, E4)
    site.lost = ["before"] * MAX_SENT
    state = online_game._turn(online_game._look())
    assert state is not None
    assert (len(site.sent), game.game.ply) == (MAX_SENT, 0)
    assert E4 in online_game._allowed_moves(state)
    online_game._turn(state)
    assert game.game.ply == 1


def test_a_try_that_the_site_answers_and_does_not_log_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    online_game, game, site = game_at(tmp_path, monkeypatch, E4)
    monkeypatch.setattr(game, "act", lambda _: None)
    monkeypatch.setattr(site.fake, "move", lambda *_: {"move_done": False, "announcement": "REGULAR_MOVE"})
    state = online_game._turn(online_game._look())
    assert state is not None
    assert site.sent == [f"POST /game/{game.code}/move e2e4"]
    assert E4 in chess.Board().legal_moves
    assert "e2e4" in state["allowed_moves"]
    assert E4 not in online_game._allowed_moves(state)


def test_each_action_has_a_call_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    online_game, game, site = game_at(tmp_path, monkeypatch, AskAny(), E4, Resign(), rules="berkeley_any")
    state = online_game._look()
    for last in ("ask-any", "move e2e4", "resign"):
        after = online_game._turn(state)
        assert site.sent[-1] == f"POST /game/{game.code}/{last}"
        assert after is not None
        if last == "move e2e4":
            game.act(chess.Move.from_uci("e7e5"))
            after = online_game._look()
        state = after
    assert game.result() == {"winner": "black", "reason": "resignation"}
    assert len(site.sent) == 3


@pytest.mark.parametrize("ours", chess.COLORS)
def test_the_status_has_our_clock_and_theirs(
    ours: chess.Color, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    online_game, game, _ = game_at(tmp_path, monkeypatch)
    game.ours, game.clock, game.reply_at = ours, {ours: 90.5, not ours: 80.0}, float("inf")
    online_game._look()
    status = online_game.status
    assert (status.color, status.is_ours, status.left) == (chess.COLOR_NAMES[ours], ours, (90.5, 80.0))
    game.clock = {ours: -2.0, not ours: 0.0}
    online_game._look()
    assert status.left == (0.0, 0.0)
    for clocks in ({}, {"white_remaining": 5, "black_remaining": "inf"}):
        monkeypatch.setattr(game, "clocks", lambda clocks=clocks: clocks)
        online_game._look()
        assert status.left == (UNKNOWN, UNKNOWN)


@pytest.mark.parametrize(("left", "starts"), [(HURRY + 90, MAX_STARTS), (HURRY - 1, 0)])
def test_a_random_try_replaces_that_of_a_player_that_fails_or_has_no_time(
    left: float, starts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Action:
        seated.append(online_game._is_seated)
        online_game._is_seated = True
        raise PlayerFailed(Failure.RAISED, "broken")

    online_game, game, _ = game_at(tmp_path, monkeypatch)
    seated, lines = list[bool](), list[str]()
    monkeypatch.setattr(OnlineGame, "_ask", fail)
    monkeypatch.setattr(online_game, "_report", lines.append)
    game.clock[chess.WHITE] = left
    state = online_game._look()
    assert online_game._choose(state, online_game._read(state)) in Referee().view(chess.WHITE).tries()
    assert (seated, lines) == ([False] * starts, [f"{game.code}: the player failed: broken"] * starts)
    assert online_game._choose({**state, "allowed_moves": []}, None) is None
    assert online_game._choose({**state, "allowed_moves": ["e2e4", "x", None, "0000"]}, None) == E4


def test_an_answer_of_the_player_is_noted_unless_it_is_not_open_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(seat: object, _: View) -> Any:
        assert seat is online_game._seat
        return SimpleNamespace(choice=Choice(action, Report(why="so")), is_nonsense=is_nonsense, seconds=0.25)

    ask, begun = OnlineGame._ask, list[int]()
    online_game, *_ = game_at(tmp_path, monkeypatch)
    monkeypatch.setattr(OnlineGame, "_ask", ask)
    monkeypatch.setattr("kriegbot.online.game.ask_player", answer)
    monkeypatch.setattr(online_game._seat, "begin", begun.append)
    online_game._look()
    view, is_nonsense = Referee().view(chess.WHITE), False
    action: Action = E4
    assert [online_game._ask(view, can_ask=False) for _ in range(2)] == [E4, E4]
    assert begun == [online_game._seed]
    assert online_game._seat.turn_seconds == pytest.approx(seconds_for(1500), abs=1)
    for action, is_nonsense in ((E4, True), (AskAny(), False)):  # noqa: B007 - `answer` reads both
        with pytest.raises(PlayerFailed, match="which is not open to it"):
            online_game._ask(view, can_ask=False)
    assert isinstance(online_game._ask(view, can_ask=True), AskAny)
    made = [(thought["ply"], thought["action"], thought["seconds"]) for thought in online_game._thoughts]
    assert made == [(0, "e2e4", 0.25), (0, "e2e4", 0.25), (0, "any", 0.25)]
    assert {thought["why"] for thought in online_game._thoughts} == {"so"}


def test_the_record_of_a_game_that_is_over_has_its_result_and_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.randbits", lambda bits: 2**bits - 1)
    online_game, game, _ = game_at(tmp_path, monkeypatch)
    game.game.resign(chess.BLACK)
    game.close()
    result = {"winner": "white", "reason": "resignation"}
    assert online_game.play() == result
    record = json.loads((tmp_path / f"{game.code}.json").read_text(encoding="utf-8"))
    assert (record["result"], record["code"], record["opponent"]) == (result, game.code, "boris")
    assert int(record["seed"]) == 2**63 - 1  # the greatest that players get in any game
