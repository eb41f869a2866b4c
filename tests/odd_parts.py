"""An opponent model and a backup rule for tests: odd on purpose, so that nothing is right by chance."""

from collections.abc import Sequence

import chess

from kriegbot.kernels import Moves, Position, Reals, Words, captured_on, type_id
from kriegbot.models.protocol import Announced, opponent, opponents
from kriegbot.search.backup import Backup, fold
from referee import Announcement
from tests import plain_search


@opponent
def odd(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:  # noqa: ARG001 - the protocol's signature
    """High targets are likely, and those where a capture was announced; all alike where none was."""
    if captured_on(heard.ours) < 0 and captured_on(heard.theirs) < 0:
        return False
    for i in range(count):
        target = moves[i] >> 6 & 63
        weights[i] = 0.5 + target
        if target == captured_on(heard.ours):
            weights[i] += 100.0
        if target == captured_on(heard.theirs):
            weights[i] += 30.0
    return True


def plain_odd(
    board: chess.Board,  # noqa: ARG001 - a Replies
    moves: Sequence[chess.Move],
    ours: Announcement | None,
    theirs: Announcement | None,
) -> list[float]:
    """Return the value of the rule on python-chess."""
    mine, his = (None if heard is None else heard.capture for heard in (ours, theirs))
    if mine is None and his is None:
        return [1.0] * len(moves)
    squares = (move.to_square for move in moves)
    return [0.5 + square + 100.0 * (square == mine) + 30.0 * (square == his) for square in squares]


KINDS = (0.3, 0.7)


@opponents(KINDS)
def two_kinds(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    """Either moves at random or is odd."""
    return type_id(position) == 1 and odd(tables, position, heard, moves, count, weights)


@fold
def take_best(totals: Reals, weights: Reals, values: Reals, count: int) -> None:  # noqa: ARG001 - a rule's signature
    """Return the maximum, however unlikely."""
    for i in range(count):
        totals[0] = max(totals[0], values[i])


BEST = Backup("best", (float("-inf"),), take_best)


def plain_best(totals: plain_search.Totals) -> float:
    """Return the value of what a plain search keeps."""
    return totals.best


def plain_mixed(totals: plain_search.Totals) -> float:
    """Return the rule `mixed`."""
    return 0.7 * totals.mean + 0.3 * totals.worst
