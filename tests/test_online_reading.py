"""Views rebuilt from the state and log of kriegspiel.org are those of the referee."""

from __future__ import annotations

import copy
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import chess
import pytest

from kriegbot.online.reading import DOUBLES, Unreadable, read_state
from kriegbot.online.site import SITE_RULES
from referee import (
    Answer,
    AskAny,
    Check,
    Limits,
    OpponentMoved,
    OwnTry,
    PawnTryCount,
    PawnTryExists,
    PawnTrySquares,
    Referee,
    View,
)
from tests.effort import many
from tests.fake_game import Game, theirs
from tests.fake_site import FakeSite
from tests.fake_words import answered


def game_of(rules: str, ours: chess.Color, start: str = chess.STARTING_FEN) -> Game:
    """Return a game at the fake site."""
    game = FakeSite().add(rules, created_by="boris", state="active", ours=ours)
    game.referee = Referee(theirs(rules), Limits(quiet_plies=2000), start)
    return game


def state_of(game: Game) -> dict[str, Any]:
    """Return what the site says of it to the bot."""
    return game.shown()


def answers_of(game: Game) -> dict[int, dict[str, Any]]:
    """Return what the site has answered to moves of the bot, by ply."""
    made = [event for event in game.game.log if isinstance(event, OwnTry) and event.announcement is not None]
    return {ply: answered(event.announcement) for ply, event in enumerate(made) if event.announcement is not None}


def comparable(view: View) -> View:
    """Return a view as values that compare, under the rules that a player gets."""
    rules = SITE_RULES[view.rules.name]
    return replace(view, rules=rules, men=dict(view.men), events=tuple(view.events), refused=tuple(view.refused))


def play(game: Game, rng: random.Random, plies: int) -> list[View]:
    """Plays at random; the views of the bot's side, compared with the rebuilt ones, whenever something was done."""
    views = []
    while game.game.end is None and game.game.ply < plies:
        view = game.game.view(game.game.turn)
        tries = view.tries()
        legal = [move for move in game.game.board().legal_moves if move in tries]
        move = rng.choice(tries if rng.random() < 0.4 else legal or tries)
        game.act(AskAny() if view.may_ask and rng.random() < 0.3 else move)
        if game.game.end is None:
            ours = game.game.view(game.ours)
            rebuilt = read_state(state_of(game), SITE_RULES[game.rules], answers_of(game)).view
            views.append(comparable(ours))
            for name in View.__slots__:
                if not (name == "events" and any(is_double(event) for event in ours.events)):
                    assert getattr(comparable(rebuilt), name) == getattr(views[-1], name), name
    return views


def is_double(event: object) -> bool:
    """Return True if the opponent gave a double check, whose directions the site does not name."""
    return isinstance(event, OpponentMoved) and event.announcement.checks.bit_count() > 1


@pytest.mark.slow
@pytest.mark.parametrize("rules", SITE_RULES)
def test_a_view_is_rebuilt_from_state_and_log_alone(rules: str) -> None:
    heard: Counter[str] = Counter()
    for seed in range(many(6, 2)):
        views = play(game_of(rules, seed % 2 == 0), random.Random(seed), 80)
        for event in views[-1].events:
            heard[type(event).__name__] += 1
            if isinstance(event, OwnTry | OpponentMoved) and event.announcement is not None:
                heard["capture"] += event.announcement.capture is not None
                heard["check"] += bool(event.announcement.checks)
    assert heard["capture"] > many(20, 8)
    assert heard["check"] > many(3, 0)
    assert (heard["OpponentRefused"] > many(6, 3)) == (rules != "wild16")


@pytest.mark.parametrize("ours", chess.COLORS)
def test_castling_rights_follow_from_our_moves_and_from_rooks_that_fell(ours: chess.Color) -> None:
    lines = {"g1f3 g8f6 e2e3 e7e6 f1e2 f8e7 e1g1 e8g8", "a2a4 b7b5 a4b5 a7a5 a1a5 a8a5 h2h4 h7h5 h1h3 h8h6 h3h1 h6h8"}
    rights = set()
    for line in lines:
        game = game_of("berkeley", ours)
        for uci in line.split():
            assert game.act(chess.Move.from_uci(uci)) is Answer.ACCEPTED
            rebuilt = read_state(state_of(game), SITE_RULES["berkeley"], {}).view
            rights.add((rebuilt.kingside, rebuilt.queenside))
            assert comparable(rebuilt) == comparable(game.game.view(ours))
    assert rights == {(True, True), (True, False), (False, False)}


EN_PASSANT = "e2e4 h7h5 e4e5 d7d5 e5d6"


@pytest.mark.parametrize("rules", SITE_RULES)
@pytest.mark.parametrize("ours", chess.COLORS)
def test_en_passant_takes_the_pawn_beside(rules: str, ours: chess.Color) -> None:
    game = game_of(rules, ours)
    for uci in EN_PASSANT.split():
        assert game.act(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    rebuilt = read_state(state_of(game), SITE_RULES[rules], answers_of(game)).view
    assert comparable(rebuilt) == comparable(game.game.view(ours))
    assert (chess.D5 in rebuilt.men) is False


DOUBLE = "e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4 g8f6 d1d3 e7e5 d4e5 d8a5 c1d2 a5e5 e1c1 f6e4 d3d8 e8d8 d2g5"


def test_the_directions_of_a_double_check_are_remembered_or_guessed_one_pair_after_another() -> None:
    checks = {}
    for ours in chess.COLORS:
        game = game_of("berkeley", ours)
        for uci in DOUBLE.split():
            assert game.act(chess.Move.from_uci(uci)) is Answer.ACCEPTED
        state, rules = state_of(game), SITE_RULES["berkeley"]
        known = read_state(state, rules, answers_of(game))
        assert not known.is_guessed
        assert comparable(known.view) == comparable(game.game.view(ours))
        guesses = [read_state(state, rules, {}, guess) for guess in range(len(DOUBLES))]
        assert all(one.is_guessed for one in guesses)
        last = [one.view.events[-1] for one in guesses]
        moves = [one.announcement for one in last if isinstance(one, OwnTry | OpponentMoved)]
        checks[ours] = [announcement.checks for announcement in moves if announcement is not None]
        assert Check.FILE | Check.SHORT_DIAGONAL in checks[ours]
    assert checks[chess.WHITE] == checks[chess.BLACK] == list(DOUBLES)
    assert len(set(DOUBLES)) == 10


def test_a_site_that_does_not_say_no_pawn_captures_means_none() -> None:
    for rules, none in (
        ("wild16", PawnTryCount(0)),
        ("cincinnati", PawnTryExists(False)),
        ("rand", PawnTrySquares(())),
    ):
        game = game_of(rules, chess.WHITE)
        for uci in ("e2e4", "h7h6"):
            game.act(chess.Move.from_uci(uci))
        state = state_of(game)
        for turn in state["referee_turns"]:
            for side in ("white", "black"):
                turn[side] = [line for line in turn[side] if line["kind"] != "status"]
        rebuilt = read_state(state, SITE_RULES[rules], {}).view
        assert rebuilt.pawn_tries == none
        assert comparable(rebuilt) == comparable(game.game.view(chess.WHITE))


def started() -> dict[str, Any]:
    """Return a state after two moves."""
    game = game_of("wild16", chess.WHITE)
    for uci in ("e2e4", "h7h6"):
        game.act(chess.Move.from_uci(uci))
    return state_of(game)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("referee_turns", 0, "white", 0, "move_uci"), None, "a try of ours without its move"),
        (("your_color",), "green", "illegal colours"),
        (("turn",), None, "illegal colours"),
        (("turn",), "black", "by the log white is to move"),
        (("your_fen",), "8/8", "illegal your_fen"),
        (("your_fen",), "8/8/8/8/8/8/8/K7 w - - 0 1", "our pieces by the log are not those"),
        (("referee_turns",), 7, "illegal referee_turns"),
        (("referee_turns",), [{"turn": "x"}], "illegal referee_turns"),
        (("referee_turns", 0, "white", 0, "messages"), ["Nothing known"], "unknown message: 'Nothing known'"),
        (("referee_turns", 0, "white", 0, "messages"), [], "illegal referee_turns"),
        (("referee_turns", 0, "white", 0, "move_uci"), "e2e2e2", "illegal referee_turns"),
        (("referee_turns", 0, "white", 0, "move_uci"), "e4e5", "a move that our pieces cannot have made: e4e5"),
        (("referee_turns", 0, "black", 1, "messages"), ["Pawn captured at E5"], "a capture on e5"),
        (("referee_turns", 0, "black", 0, "messages"), ["Some pawn tries"], "unknown message about pawn tries"),
    ],
)
def test_a_state_that_is_not_what_the_site_gives_is_refused(
    place: tuple[Any, ...], value: object, message: str
) -> None:
    state = copy.deepcopy(started())
    part: Any = state
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(Unreadable, match=message):
        read_state(state, SITE_RULES["wild16"], {})
