"""A side's belief at each event: where it puts the enemy, from where it hears a check, and which boards it draws."""

from dataclasses import replace

import chess
import pytest

from kriegbot.belief import timeline
from kriegbot.belief.belief import EmptyBelief
from kriegbot.belief.timeline import BeliefTimeline
from referee import BERKELEY, NO_LIMITS, Referee

TWO_ROOKS = "r3k2r/8/8/8/8/8/3P4/4K3 b - - 0 1"


def after(start: str, move: str, color: chess.Color) -> Referee:
    """Return a game after one move of Black, or of White if all is mirrored for Black to look at."""
    board = chess.Board(start)
    mirrored = board if color == chess.WHITE else board.mirror()
    one = chess.Move.from_uci(move)
    if color == chess.BLACK:
        one = chess.Move(chess.square_mirror(one.from_square), chess.square_mirror(one.to_square))
    referee = Referee(BERKELEY, NO_LIMITS, mirrored.fen())
    referee.try_move(one)
    return referee


def seen(squares: str, color: chess.Color) -> chess.SquareSet:
    """Return the squares, mirrored for Black."""
    found = chess.SquareSet(map(chess.parse_square, squares.split()))
    return found if color == chess.WHITE else found.mirror()


@pytest.mark.parametrize("color", chess.COLORS)
@pytest.mark.parametrize(
    ("start", "move", "checkers"),
    [
        (TWO_ROOKS, "a8a1", "a1 h1"),
        ("4k3/8/8/8/1n6/8/7P/4K3 b - - 0 1", "b4c2", "c2 d3"),
        ("4k3/8/8/8/8/3p1p2/8/4K3 b - - 0 1", "d3d2", "d2"),
        ("4k3/8/8/2b5/8/8/7P/4K3 b - - 0 1", "c5b4", "b4"),
        ("4k3/8/8/2b5/8/8/7P/4K3 b - - 0 1", "c5d6", ""),
    ],
)
def test_a_check_comes_from_where_a_piece_gives_it_on_some_board(
    start: str, move: str, checkers: str, color: chess.Color
) -> None:
    snapshot = BeliefTimeline().at(after(start, move, color).view(color))
    assert snapshot is not None
    assert snapshot.checkers == seen(checkers, color)


@pytest.mark.parametrize("color", chess.COLORS)
@pytest.mark.parametrize(("samples", "boards"), [(0, 0), (10, 2)])
def test_a_snapshot_shows_the_enemy_on_every_board_and_draws_boards_if_asked(
    samples: int, boards: int, color: chess.Color
) -> None:
    snapshot = BeliefTimeline(samples=samples).at(after(TWO_ROOKS, "a8a1", color).view(color))
    assert snapshot is not None
    assert (snapshot.basis, snapshot.is_exact) == ("all 2 possible positions", True)
    assert snapshot.chances.sum() == pytest.approx(3)
    assert {square for square in chess.SQUARES if snapshot.chances[chess.KING - 1, square] == 1} == set(
        seen("e8", color)
    )
    assert (snapshot.always, snapshot.ever) == (seen("e8", color), seen("e8 a1 h1 a8 h8", color))
    assert snapshot.rows.shape == (boards, 8)
    assert snapshot.counts.shape == (boards,)
    assert snapshot.counts.sum() == pytest.approx(samples)


@pytest.mark.parametrize(
    ("boards", "ancestors", "is_exact", "is_consistent", "basis", "is_reliable"),
    [
        (43, 43, True, True, "all 43 possible positions", True),
        (1, 1, True, True, "the only possible position", True),
        (2000, 2000, False, False, "2,000 positions that may contradict an announcement", False),
        (1, 1, False, True, "only 1 sample left", False),
        (2000, 29, False, True, "2,000 sampled positions, all from 29", False),
        (2000, 30, False, True, "2,000 sampled positions", True),
    ],
)
def test_a_snapshot_says_on_which_boards_it_is_based(
    boards: int, ancestors: int, is_exact: bool, is_consistent: bool, basis: str, is_reliable: bool
) -> None:
    snapshot = BeliefTimeline().at(Referee().view(chess.WHITE))
    assert snapshot is not None
    changed = replace(snapshot, boards=boards, ancestors=ancestors, is_exact=is_exact, is_consistent=is_consistent)
    assert (changed.basis, changed.is_reliable) == (basis, is_reliable)


def test_a_snapshot_of_no_board_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(*_arguments: object, **_options: object) -> None:
        raise EmptyBelief

    monkeypatch.setattr(timeline, "Belief", empty)
    snapshot = BeliefTimeline(samples=10).at(Referee().view(chess.WHITE))
    assert snapshot is not None
    assert (snapshot.boards, snapshot.ancestors, len(snapshot.rows), len(snapshot.counts)) == (0, 0, 0, 0)
    assert not snapshot.chances.any()
    assert (snapshot.is_exact, snapshot.is_reliable) == (False, False)
    assert [*snapshot.always, *snapshot.ever, *snapshot.checkers] == []
