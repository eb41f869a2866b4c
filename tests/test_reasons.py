"""The reasons for turning points, on positions made by hand: counts, and which fact is named of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import chess
import numpy as np
import pytest

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.kernels import from_board
from kriegbot.narration.helping import TryValued
from kriegbot.narration.reasons import COUNTED, Outlook, PlayedMove, Positions, Reasons, Sum
from referee import BERKELEY, Referee
from referee.announcement import announce


def belief_of(boards: Sequence[chess.Board], *, is_exact: bool = True) -> BeliefSnapshot:
    """Return White's belief that these are the possible positions."""
    view, empty, rows = Referee().view(chess.WHITE), chess.SquareSet(), np.array([from_board(one) for one in boards])
    places, counts = (empty, empty, empty), np.ones(len(boards))
    return BeliefSnapshot(view, np.zeros((6, 64)), len(boards), len(boards), is_exact, True, *places, rows, counts)


def reasons(made: str, better: str, fens: Sequence[str]) -> Reasons:
    """Return the reasons for a move of White's; the first position is the true one."""
    boards = [chess.Board(f"{fen} w - - 0 1") for fen in fens]
    move = chess.Move.from_uci(made)
    best = TryValued(name=better, uci=better, value=0.0, shown="", legal=1.0, question=False)
    played = PlayedMove(0, boards[0], move, None, announce(boards[0], move, BERKELEY), None, 0)
    return Reasons(played, belief_of(boards), best, None)


def theme(made: str, better: str, *fens: str) -> str:
    """Return the theme of the reason for a move of White's."""
    found = reasons(made, better, fens).find(1.0)
    assert found is not None
    return found[0]


def knights(count: int) -> list[chess.Board]:
    """Return different positions with a black knight and a black pawn."""
    boards = []
    for at in range(count):
        board = chess.Board("7k/8/8/8/8/8/8/K7 w - - 0 1")
        board.set_piece_at(chess.B7 if at % 2 else chess.C7, chess.Piece(chess.PAWN, chess.BLACK))
        board.set_piece_at(chess.A2 + at // 2 % 40, chess.Piece(chess.KNIGHT, chess.BLACK))
        board.set_piece_at(chess.D8 if at < 80 else chess.E8, chess.Piece(chess.BISHOP, chess.BLACK))
        boards.append(board)
    return boards


@pytest.mark.parametrize(
    ("count", "is_exact", "total", "noun", "is_chance"),
    [
        (20, True, 20, "possible position", False),
        (COUNTED, True, COUNTED, "possible position", False),
        (COUNTED + 20, True, COUNTED, "sampled position", True),
        (COUNTED, False, COUNTED, "sampled position", True),
        (20, False, 20, "sample", True),
    ],
)
def test_only_a_count_of_all_possible_positions_has_no_error(
    count: int, is_exact: bool, total: int, noun: str, is_chance: bool
) -> None:
    positions = Positions(belief_of(knights(count), is_exact=is_exact))
    assert (positions.total, len({board.fen() for board in positions.boards})) == (total, total)
    assert (positions.one, positions.many) == (noun, f"{noun}s")
    assert positions.error(0.25) == pytest.approx(0.98 * is_chance)


def test_positions_that_differ_in_their_clocks_alone_count_once() -> None:
    boards = [board for one in knights(4) for board in (one, one.copy())]
    for board in boards[1::2]:
        board.halfmove_clock = 7
    assert Positions(belief_of(boards)).total == 4


@pytest.mark.parametrize(
    ("count", "legal", "text"),
    [
        (8, 8, "in every possible position"),
        (3, 8, "in 3 of 8 possible positions"),
        (0, 8, "in none of 8 possible positions"),
        (2, 5, "in 2 of the 5 possible positions that allow it"),
        (5, 5, "in 5 of the 5 possible positions that allow it"),
        (1, 1, "in the only possible position that allows it"),
        (0, 1, "in no possible position that allows it"),
    ],
)
def test_a_count_says_of_which_positions_it_is(count: int, legal: int, text: str) -> None:
    assert Positions(belief_of(knights(8))).text(count, legal) == text


def test_the_mean_of_positions_that_agree_is_not_certain() -> None:
    same, other = Sum(), Sum()
    assert (same.mean(0), same.variance(0)) == (0.0, 1.0)
    for number in (3, 0, 0):
        other.add(number)
    assert same.mean(3) == 0.0
    assert same.variance(3) == pytest.approx(1 / 4 / 3)  # as if a fourth had one more
    assert other.mean(3) == 1.0
    assert other.variance(3) == pytest.approx((3 - 1 + 1 / 4) / 3)


def test_a_share_exceeds_another_if_it_is_far_above_it_and_not_by_chance() -> None:
    exact, drawn = (Positions(belief_of(knights(COUNTED), is_exact=is_exact)) for is_exact in (True, False))
    for positions, least in ((exact, 55), (drawn, 69)):
        one, other = (Outlook(positions, legal=100) for _ in range(2))
        assert next(count for count in range(101) if one.exceeds(count, other, 40)) == least
    few = Outlook(exact, legal=10)
    assert few.exceeds(6, Outlook(exact, legal=100), 40)
    assert not few.exceeds(6, Outlook(exact, legal=100), 40, of_all=True)  # 6 of 100


CAPTURE = "4k3/{}/{}/{}/8/8/8/3Q2K1"


@pytest.mark.parametrize(
    ("captures", "hanging", "is_lucky"), [(2, 0, True), (3, 0, False), (3, 2, False), (3, 3, True), (5, 0, False)]
)
def test_a_capture_is_lucky_if_it_seldom_wins_something_or_mostly_loses_it_again(
    captures: int, hanging: int, is_lucky: bool
) -> None:
    fens = [
        CAPTURE.format(pawns, "5n2" if at < hanging else "8", "3p4" if at < captures else "8")
        for at, pawns in enumerate(("p7", "1p6", "2p5", "6p1", "7p"))
    ]
    assert (theme("d1d5", "g1h1", *fens) == "lucky") == is_lucky


HANGING = "6k1/5p2/6p1/7Q/8/8/PP6/6K1"
BACK_RANK = "3r2k1/5pp1/7p/8/8/8/PP4PP/7K"


@pytest.mark.parametrize(
    ("fen", "better", "found"),
    [
        (HANGING, "h5d1", "piece left hanging"),
        (HANGING, "b2b3", "position"),
        (BACK_RANK, "h2h3", "mate allowed"),
        (BACK_RANK, "b2b3", "position"),
        ("7k/8/5QK1/8/8/8/P7/8", "f6f8", "mate missed"),
        ("4k3/P7/8/8/8/8/P6r/1K6", "a7a8q", "promotion missed"),
        ("4k3/8/8/8/8/8/P1p5/R3K3", "a1c1", "promotion allowed"),
    ],
)
def test_what_the_better_try_would_not_have_changed_is_no_reason(fen: str, better: str, found: str) -> None:
    assert theme("a2a3", better, fen) == found


def test_a_stalemate_is_counted_apart_from_a_mate() -> None:
    boards = [chess.Board(f"{fen} w - - 0 1") for fen in ("7k/8/8/8/8/8/5Q2/6K1", "7k/7p/8/8/8/8/5Q2/6K1")]
    outlook = Outlook.of(Positions(belief_of(boards)), chess.Move.from_uci("f2f7"))
    assert (outlook.legal, outlook.stalemates, outlook.mates) == (2, 1, 0)
    boards = [chess.Board(f"{fen} w - - 0 1") for fen in ("7k/5Q2/6K1/8/8/8/8/8", "7k/5Q2/6K1/8/8/8/8/7n")]
    outlook = Outlook.of(Positions(belief_of(boards)), chess.Move.from_uci("f7g7"))
    assert (outlook.legal, outlook.stalemates, outlook.mates) == (2, 0, 2)


@pytest.mark.parametrize(
    ("made", "fens", "text"),
    [
        ("e1g1", ["4k3/8/8/8/8/8/8/4K2R"], "White castled."),
        ("h1h7", ["4k3/8/8/8/8/8/8/4K2R"], "White's rook went to h7."),
        ("h1h7", ["4k3/7p/8/8/8/8/8/4K2R"], "White's rook captured a pawn on h7."),
        (
            "h1h7",
            ["4k3/7p/8/8/8/8/8/4K2R", "4k3/p7/8/8/8/8/8/4K2R", "4k3/1p6/8/8/8/8/8/4K2R"],
            "White's rook captured a pawn on h7; there was something to capture in 1 of 3 possible positions.",
        ),
    ],
)
def test_the_move_made_is_told_in_a_sentence(made: str, fens: list[str], text: str) -> None:
    of = reasons(made, "e1d1", fens)
    if made == "e1g1":
        board = chess.Board(f"{fens[0]} w K - 0 1")
        of._played = replace(of._played, board=board)
    assert of.move_text() == text
