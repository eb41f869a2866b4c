"""No leak: a view holds what its side did and heard, and nothing of the opponent's men."""

from __future__ import annotations

import copy
import pickle
import random

import chess
from hypothesis import assume, given
from hypothesis import strategies as st

from referee import BERKELEY, WILD16, Answer, OpponentMoved, OwnTry, Referee, RuleSet, View, announce
from tests.random_games import played, random_try, steps

SEEDS = st.integers(0, 10**9)
RULES = st.sampled_from([BERKELEY, WILD16])


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
        answer = game.try_move(random_try(game, rng))
        silent = answer in (Answer.IMPOSSIBLE, Answer.REPEATED) or (answer is Answer.ILLEGAL and rules is WILD16)
        assert (game.view(waiting) == before) == silent


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
        before.try_move(event.move)
    listener = not before.turn
    views = []
    for move in before.board().legal_moves:
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
        assert rebuilt(game.view(color)) == game.view(color)


def rebuilt(view: View) -> View:
    """The view again, from what both sides knew at the start and what this side tried and heard."""
    board = chess.Board(view.start)
    opponent_men = chess.popcount(board.occupied_co[not view.color])
    for square in chess.SquareSet(board.occupied_co[not view.color]):
        board.remove_piece_at(square)
    turn, ply, refused, end = board.turn, 0, [], None
    pawn_tries = Referee(view.rules, view.limits, view.start).view(turn).pawn_tries
    for event in view.events:
        if isinstance(event, OwnTry) and event.announcement is None:
            if event.move not in refused:
                refused.append(event.move)
            continue
        if not isinstance(event, OwnTry | OpponentMoved):
            continue
        assert event.announcement is not None
        if isinstance(event, OwnTry):
            board.turn = view.color
            board.ep_square = None
            board.push(event.move)
            opponent_men -= event.announcement.capture is not None
        elif event.announcement.capture is not None:
            board.remove_piece_at(event.announcement.capture)
        turn, ply, refused, end = not turn, ply + 1, [], event.announcement.end
        pawn_tries = event.announcement.pawn_tries
    own_turn = turn == view.color and end is None
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
        end=end,
    )


@given(SEEDS, RULES)
def test_the_tries_of_a_view_are_the_open_ones_without_the_refused(seed: int, rules: RuleSet) -> None:
    game = Referee(rules)
    for move, answer in steps(game, random.Random(seed), 20):
        if answer is not Answer.ACCEPTED:
            view = game.view(game.turn)
            assert move in view.refused
            assert move not in view.tries()
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
