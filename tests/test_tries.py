"""The tries open to a side that sees its own pieces alone."""

from __future__ import annotations

import itertools
import random

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee import BERKELEY, RULE_SETS, AskAny, PawnTryCount, PawnTryInfo, Referee, RuleSet, open_tries
from tests.random_games import act, played, random_action, steps

WHITE_HOME = {square: piece.piece_type for square, piece in chess.Board().piece_map().items() if piece.color}


def tries(men: dict[str, chess.PieceType], **how: bool | PawnTryInfo | None) -> set[str]:
    """White's open tries as text."""
    placed = {chess.parse_square(square): piece_type for square, piece_type in men.items()}
    pawn_tries = how.get("pawn_tries")
    assert not isinstance(pawn_tries, bool)
    sides = bool(how.get("kingside", False)), bool(how.get("queenside", False))
    moves = open_tries(chess.WHITE, placed, *sides, pawn_tries)
    return {move.uci() for move in moves}


def test_the_first_turn_has_thirty_four_tries() -> None:
    # 16 pawn moves, 4 knight moves and 14 pawn captures: two a pawn but for the a- and h-pawn
    assert len(open_tries(chess.WHITE, WHITE_HOME, True, True, None)) == 34


def test_no_pawn_tries_announced_closes_every_diagonal() -> None:
    assert len(open_tries(chess.WHITE, WHITE_HOME, True, True, PawnTryCount(0))) == 20


@pytest.mark.parametrize("pawn_tries", [None, PawnTryCount(1), PawnTryCount(5)])
def test_any_other_number_of_pawn_tries_leaves_all_diagonals_open(pawn_tries: PawnTryInfo | None) -> None:
    assert tries({"e4": chess.PAWN}, pawn_tries=pawn_tries) == {"e4e5", "e4d5", "e4f5"}


def test_own_men_block_a_line_and_cannot_be_captured() -> None:
    assert tries({"a1": chess.ROOK, "a3": chess.PAWN, "c1": chess.BISHOP}, pawn_tries=PawnTryCount(0)) == {
        *("a1a2", "a1b1", "a3a4"),
        *("c1b2", "c1d2", "c1e3", "c1f4", "c1g5", "c1h6"),
    }


def test_an_own_man_in_front_of_a_pawn_stops_both_its_steps() -> None:
    assert tries({"e2": chess.PAWN, "e3": chess.KNIGHT}, pawn_tries=PawnTryCount(0)) & {"e2e3", "e2e4"} == set()
    assert tries({"e2": chess.PAWN, "e4": chess.KNIGHT}, pawn_tries=PawnTryCount(0)) & {"e2e3", "e2e4"} == {"e2e3"}


def test_a_pawn_does_not_try_to_capture_its_own_side() -> None:
    assert tries({"e4": chess.PAWN, "d5": chess.PAWN}) == {"e4e5", "e4f5", "d5d6", "d5c6", "d5e6"}


def test_each_promotion_is_a_try_of_its_own() -> None:
    assert tries({"a7": chess.PAWN}) == {f"a7{target}{piece}" for target in ("a8", "b8") for piece in "nbrq"}


@pytest.mark.parametrize(
    ("blocked", "castles"),
    [
        (None, {"e1g1", "e1c1"}),
        ("f1", {"e1c1"}),
        ("g1", {"e1c1"}),
        ("b1", {"e1g1"}),
        ("c1", {"e1g1"}),
        ("d1", {"e1g1"}),
    ],
)
def test_castling_needs_the_right_and_no_own_man_between(blocked: str | None, castles: set[str]) -> None:
    men = {"e1": chess.KING, "a1": chess.ROOK, "h1": chess.ROOK}
    if blocked:
        men[blocked] = chess.KNIGHT
    assert tries(men, kingside=True, queenside=True) & {"e1g1", "e1c1"} == castles
    assert tries(men) & {"e1g1", "e1c1"} == set()


def test_castling_remains_a_try_in_check_because_the_view_does_not_know_better() -> None:
    referee = Referee(BERKELEY, start="4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1")
    assert chess.Move.from_uci("e1g1") in referee.view(chess.WHITE).tries()


def test_black_pawns_go_down_the_board() -> None:
    moves = open_tries(chess.BLACK, {chess.E7: chess.PAWN, chess.B2: chess.PAWN}, False, False, None)
    assert {move.uci() for move in moves} == {
        *("e7e6", "e7e5", "e7d6", "e7f6"),
        *(f"b2{target}{piece}" for target in ("a1", "b1", "c1") for piece in "nbrq"),
    }


def brute_force(board: chess.Board) -> set[chess.Move]:
    """Return moves without the other side's pieces, and the pawns' captures as if they stood on every free square."""
    alone = board.copy(stack=False)
    alone.ep_square = None
    for square in chess.SquareSet(board.occupied_co[not board.turn]):
        alone.remove_piece_at(square)
    moves = set(alone.pseudo_legal_moves)
    crowded = alone.copy(stack=False)
    for square in chess.SQUARES:
        if not crowded.piece_at(square):
            crowded.set_piece_at(square, chess.Piece(chess.KNIGHT, not board.turn))
    pawns = board.pawns & board.occupied_co[board.turn]
    return moves | set(crowded.generate_pseudo_legal_moves(from_mask=pawns))


@given(st.integers(0, 10**9), st.integers(0, 60))
def test_open_tries_are_what_python_chess_gives_on_a_board_with_the_own_men_alone(seed: int, plies: int) -> None:
    referee = played(seed, plies=plies)
    board, view = referee.board(), referee.view(referee.turn)
    found = open_tries(view.color, view.men, view.kingside, view.queenside, None)
    assert set(found) == brute_force(board)
    assert len(found) == len(set(found))


@pytest.mark.slow
@given(st.integers(0, 10**9), st.integers(0, 60), st.none() | st.just(PawnTryCount(0)))
def test_one_try_is_open_if_and_only_if_it_is_among_the_open_tries(
    seed: int, plies: int, pawn_tries: PawnTryInfo | None
) -> None:
    referee = played(seed, plies=plies)
    view = referee.view(referee.turn)
    known = (view.color, view.men, view.kingside, view.queenside, pawn_tries)
    moves = set(open_tries(*known))
    promotions = (None, *chess.PIECE_TYPES)
    candidates = {chess.Move(*fields) for fields in itertools.product(view.men, chess.SQUARES, promotions)}
    assert moves == {move for move in candidates if move in open_tries(*known, move.from_square)}


@pytest.mark.slow
@given(st.integers(0, 10**9), st.integers(0, 60), st.sampled_from(list(RULE_SETS.values())))
def test_a_view_says_of_one_try_what_it_says_of_all(seed: int, plies: int, rules: RuleSet) -> None:
    referee, rng = Referee(rules), random.Random(seed)
    for _ in steps(referee, rng, plies):
        pass
    for _ in range(rng.randrange(6) if referee.end is None else 0):  # refused tries and answered questions of one turn
        action = random_action(referee, rng)
        if isinstance(action, AskAny) or not referee.board().is_legal(action):
            act(referee, action)
    for color in chess.COLORS:
        view = referee.view(color)
        candidates = (chess.Move(*squares) for squares in itertools.product(chess.SQUARES, repeat=2))
        expected = {move for move in view.tries() if move.promotion is None}
        assert {move for move in candidates if view.is_open(move)} == expected
        assert all(view.is_open(move) for move in view.tries())
        assert not any(view.is_open(move) for move in view.refused)


@given(st.integers(0, 10**9), st.integers(0, 60), st.sampled_from(list(RULE_SETS.values())))
def test_every_legal_move_is_an_open_try(seed: int, plies: int, rules: RuleSet) -> None:
    referee = played(seed, rules, plies=plies)
    assume(referee.end is None)
    assert set(referee.board().legal_moves) <= set(referee.view(referee.turn).tries())


@given(st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_the_men(rng: random.Random) -> None:
    shuffled = list(WHITE_HOME.items())
    rng.shuffle(shuffled)
    moves = open_tries(chess.WHITE, dict(shuffled), True, True, None)
    assert moves == open_tries(chess.WHITE, WHITE_HOME, True, True, None)
    assert moves == sorted(moves, key=lambda move: (move.from_square, move.to_square, move.promotion or 0))
