"""No leak: a view holds what its side did and heard, and nothing of the opponent's men."""

from __future__ import annotations

import copy
import pickle
import random
import sys
from dataclasses import replace

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    RULE_SETS,
    WILD16,
    Answer,
    AskAny,
    Asking,
    Audience,
    OpponentMoved,
    OwnQuestion,
    OwnTry,
    PawnTries,
    PawnTryExists,
    Referee,
    RuleSet,
    View,
    announce,
)
from referee.view import Prefix
from tests.random_games import act, action_of, played, random_action, steps

SEEDS = st.integers(0, 10**9)
RULES = st.sampled_from(list(RULE_SETS.values()))


@given(SEEDS, RULES)
def test_a_view_shows_exactly_the_own_men_and_rights(seed: int, rules: RuleSet) -> None:
    game = played(seed, rules, plies=40)
    board = game.board()
    for color in chess.COLORS:
        view = game.view(color)
        own = {square: piece.piece_type for square, piece in board.piece_map().items() if piece.color == color}
        assert view.men == own
        assert view.kingside == board.has_kingside_castling_rights(color)
        assert view.queenside == board.has_queenside_castling_rights(color)
        assert view.opponent_men == chess.popcount(board.occupied_co[not color])
        assert (view.turn, view.ply, view.end) == (game.turn, game.ply, game.end)
        assert (view.color, view.rules, view.limits, view.start) == (color, rules, game.limits, game.start)


@given(SEEDS, RULES)
def test_a_view_does_not_change_by_the_opponents_nonsense(seed: int, rules: RuleSet) -> None:
    rng = random.Random(seed)
    game = Referee(rules)
    while game.end is None and game.ply < 30:
        waiting = not game.turn
        before = game.view(waiting)
        answer = act(game, random_action(game, rng))
        unheard = {Answer.IMPOSSIBLE, Answer.REPEATED}
        unheard |= {Answer.ILLEGAL} if rules.illegal_to is Audience.MOVER else set()
        silent = answer in unheard
        assert (game.view(waiting) == before) == silent


@pytest.mark.slow
@given(SEEDS, RULES)
def test_a_view_is_the_same_whichever_of_the_moves_that_sound_alike_was_made(seed: int, rules: RuleSet) -> None:
    """The strong form of "no leak": the opponent's hidden move, replaced by any other that sounds alike."""
    game = played(seed, rules, plies=random.Random(seed).randrange(1, 40))
    assume(game.end is None and game.ply > 0)
    for _ in steps(game, random.Random(seed), game.ply + 1):
        pass
    *earlier, last = game.log
    before = Referee(rules, game.limits, game.start)
    for event in earlier:
        act(before, action_of(event))
    listener = not before.turn
    views = []
    assert isinstance(last, OwnTry)
    for move in before.view(before.turn).tries():
        if move not in list(before.board().legal_moves):
            continue
        if announce(before.board(), move, rules, ply=before.ply) == last.announcement:
            other = copy.deepcopy(before)
            assert other.try_move(move) is Answer.ACCEPTED
            views.append(other.view(listener))
    assert views
    assert all(view == views[0] == game.view(listener) for view in views)
    assert len({pickle.dumps(view) for view in views}) == 1


@given(SEEDS, RULES)
def test_a_view_follows_from_its_start_and_its_events_alone(seed: int, rules: RuleSet) -> None:
    game = played(seed, rules, plies=40)
    for color in chess.COLORS:
        view = game.view(color)
        assert rebuilt(view) == view
        *_, last = [-1, *(i for i, event in enumerate(view.events) if isinstance(event, OpponentMoved))]
        tries = [event for event in view.events[last + 1 :] if isinstance(event, OwnTry)]
        assert view.illegal[::-1] == [event.move for event in tries if event.answer is Answer.ILLEGAL]


def rebuilt(view: View) -> View:
    """Return the view again, from the start, which both sides know, and this side's events."""
    board = chess.Board(view.start)
    opponent_men = chess.popcount(board.occupied_co[not view.color])
    for square in chess.SquareSet(board.occupied_co[not view.color]):
        board.remove_piece_at(square)
    turn, ply, refused, end, obliged = board.turn, 0, [], None, False
    pawn_tries = Referee(view.rules, view.limits, view.start).view(turn).pawn_tries
    for event in view.events:
        if isinstance(event, OwnTry) and event.announcement is None:
            is_postponed = obliged and event.answer is Answer.IMPOSSIBLE
            if event.move not in refused and not is_postponed:
                refused.append(event.move)
            obliged = obliged and event.answer is not Answer.ILLEGAL
            continue
        if isinstance(event, OwnQuestion) and event.answer in (Answer.YES, Answer.NO):
            pawn_tries = PawnTryExists(event.answer is Answer.YES)
            obliged = pawn_tries.exists and view.rules.asking is Asking.OBLIGES_ONCE
        if not isinstance(event, OwnTry | OpponentMoved):
            continue
        assert event.announcement is not None
        if isinstance(event, OwnTry):
            board.turn = view.color
            board.ep_square = None
            board.push(event.move)
            opponent_men -= event.announcement.capture is not None
        elif event.announcement.captured_square is not None:
            board.remove_piece_at(event.announcement.captured_square)
        turn, ply, refused, end, obliged = not turn, ply + 1, [], event.announcement.end, False
        pawn_tries = event.announcement.pawn_tries
    own_turn = turn == view.color and end is None
    is_obliged = pawn_tries == PawnTryExists(True) and (obliged or view.rules.asking is Asking.OBLIGES)
    return View(
        color=view.color,
        rules=view.rules,
        limits=view.limits,
        start=view.start,
        men={square: piece.piece_type for square, piece in board.piece_map().items()},
        kingside=board.has_kingside_castling_rights(view.color),
        queenside=board.has_queenside_castling_rights(view.color),
        turn=turn,
        ply=ply,
        opponent_men=opponent_men,
        events=view.events,
        refused=tuple(refused) if own_turn else (),
        pawn_tries=pawn_tries if own_turn else None,
        obliged=own_turn and is_obliged,
        end=end,
    )


def test_only_a_yes_to_any_obliges_to_capture_with_a_pawn() -> None:
    rules = replace(RULE_SETS["berkeley_any"], name="both", pawn_tries=PawnTries.YES_NO)
    game = Referee(rules, start="4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    assert game.view(chess.WHITE).pawn_tries == PawnTryExists(True)
    assert not game.view(chess.WHITE).obliged
    assert game.try_move(chess.Move.from_uci("e1e2")) is Answer.ACCEPTED


@given(SEEDS, RULES)
def test_the_tries_of_a_view_are_the_open_ones_without_the_refused(seed: int, rules: RuleSet) -> None:
    game = Referee(rules)
    for action, answer in steps(game, random.Random(seed), 20):
        view = game.view(game.turn)
        if isinstance(action, AskAny):
            assert not view.may_ask
        elif answer is not Answer.ACCEPTED:
            is_postponed = rules.asking is Asking.OBLIGES_ONCE and answer is Answer.IMPOSSIBLE
            assert action in view.refused or is_postponed
            assert action not in view.tries()
            assert len(set(view.refused)) == len(view.refused)
        assert game.view(not game.turn).tries() == []
        assert game.view(not game.turn).refused == ()


@given(SEEDS, RULES)
def test_a_view_survives_pickling_and_equals_its_copy(seed: int, rules: RuleSet) -> None:
    game = played(seed, rules, plies=20)
    for color in chess.COLORS:
        view = game.view(color)
        assert pickle.loads(pickle.dumps(view)) == view
        assert game.view(color) == view
    assert game.view(chess.WHITE) != game.view(chess.BLACK)


def test_changing_the_men_of_a_view_does_not_change_the_game() -> None:
    game = Referee(BERKELEY)
    men = game.view(chess.WHITE).men
    assert isinstance(men, dict)
    men.clear()
    assert len(game.view(chess.WHITE).men) == 16
    assert game.try_move(chess.Move.from_uci("e2e4")) is Answer.ACCEPTED


def test_a_view_holds_what_was_announced_when_it_was_made() -> None:
    game = Referee()
    before = game.view(chess.WHITE)
    game.try_move(chess.Move.from_uci("e2d3"))
    between = game.view(chess.WHITE)
    game.try_move(chess.Move.from_uci("e2f3"))
    after = game.view(chess.WHITE)
    assert [len(view.events) for view in (before, between, after)] == [0, 1, 2]
    assert [len(view.refused) for view in (before, between, after)] == [0, 1, 2]
    assert between.events == after.events[:1]
    assert between.events != after.events
    assert between.events[-1] is after.events[0] is after.events[-2]
    with pytest.raises(IndexError):
        between.events[1]
    assert str(after) == str(pickle.loads(pickle.dumps(after)))


def test_a_view_copies_no_event_and_no_refused_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record may hold 80,000 tries refused in one turn, and a view is made for each."""
    monkeypatch.setattr(Prefix, "__iter__", lambda _: pytest.fail("the events are read"))
    game, views = Referee(WILD16), []
    for target in 2 * chess.SQUARES[16:]:
        assert game.try_move(chess.Move(chess.A1, target)) is Answer.ILLEGAL
        views.append(game.view(chess.WHITE))
    sizes = {sum(map(sys.getsizeof, (view.events, view.refused))) for view in views}
    assert len(sizes) == 1
    assert [len(view.refused) for view in views] == [*range(1, 49), *[48] * 48]
