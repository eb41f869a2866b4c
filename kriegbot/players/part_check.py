"""A part from outside is tried before it plays: on a few boards, in the process that has loaded it.

Kernels take bare pointers, so a part that writes where it should not can end the process. That is noticed, too: before
the first game it is tried in a process of its own (`kriegbot.game.trial`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import chess
import numpy as np

from evaluators.protocol import Evaluator
from kriegbot import kernels as kb
from kriegbot.models import OPPONENTS
from kriegbot.models.protocol import Announced, Opponent, prior_of
from kriegbot.parts import BadPart
from kriegbot.players.engine import ENGINES, started
from kriegbot.search.backup import Backup, Fold, Settle
from kriegbot.search.rules import BACKUPS
from referee import Announcement
from referee.text import one_line

BOARDS = (
    chess.STARTING_FEN,
    "r3k2r/1ppq1ppp/2n5/3pP3/1b1P4/2N5/PP1Q2PP/R3K2R w KQkq d6 0 1",
    "4k3/2P5/8/8/8/8/1p6/4K3 b - - 0 1",
)
"""The first position; castling and en passant; promotion."""
MOST_CENTIPAWNS = 10_000
GUARDED = 64
"""Places behind an array that a part must leave as they are."""
GUARD = -7.5e77


@cache
def check_part(part: Any, what: str) -> None:
    """Nothing, if a part does what its kind must do; each is looked at once.

    Args:
      part: what was loaded.
      what: the word for its kind, as `kriegbot.parts.Parts` has it.

    Raises:
      BadPart: it does not.
    """
    checks: dict[str, Callable[[Any], object]] = {
        BACKUPS.what: _check_backup,
        OPPONENTS.what: _check_opponent,
        ENGINES.what: started,
    }
    checks.get(what, _check_evaluator)(part)


def _check_kernel(part: Any, kind: Any, by: str) -> None:
    try:
        if not getattr(part, "by_pointer", False):
            raise TypeError
        kb.part_of(kind, part.function)
    except TypeError:
        raise BadPart(f"is a {type(part).__name__}; it takes a function decorated with `{by}`") from None
    try:
        _ = part.compiled
    except Exception as error:  # noqa: BLE001 - numba raises anything
        raise BadPart(f"cannot be compiled: {_why(error)}") from None


def _why(error: Exception) -> str:
    """What numba says, without its own story around it."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Failed in", "During:", "- ", "There are"))]
    return one_line(f"{type(error).__name__}: {' '.join(told)}", 200)


def _check_evaluator(part: Any) -> None:
    _check_kernel(part, Evaluator, "evaluator")
    found = np.zeros(2 * len(BOARDS), np.int64)
    _evaluate(kb.TABLES, _rows(), part, found)
    worst = max(found.tolist(), key=abs)
    if abs(worst) > MOST_CENTIPAWNS:
        raise BadPart(f"says {worst} centipawns; it takes -{MOST_CENTIPAWNS} to {MOST_CENTIPAWNS}")


def _check_opponent(part: Any) -> None:
    _check_kernel(part, Opponent, "opponent")
    rows = np.concatenate([kb.with_type_ids(row, len(prior_of(part))) for row in _rows()])
    moves = np.zeros(kb.MAX_MOVES, np.int32)
    for capture in (-1, chess.D5):
        heard = 0 if capture < 0 else kb.encode_announcement(Announcement(capture))
        for row in rows:
            weights = np.full(kb.MAX_MOVES + GUARDED, GUARD)
            count = _weigh(kb.TABLES, row, heard, part, moves, weights)
            if count < 0:
                continue
            wrong = next((weight for weight in weights[:count].tolist() if not 0 < weight < math.inf), None)
            if wrong is not None:
                given = "none" if wrong == GUARD else f"{wrong:g}"
                raise BadPart(f"gives a reply the weight {given}; it takes finite ones above 0, or returns False")
            if (weights[kb.MAX_MOVES :] != GUARD).any():
                raise BadPart("writes more weights than there is room for")


def _check_backup(part: Any) -> None:
    if not isinstance(part, Backup):
        raise BadPart(f"is a {type(part).__name__}; it takes a `Backup`, or a function of numbers that makes one")
    if not isinstance(part.start, tuple) or not part.start or not all(isinstance(one, float) for one in part.start):
        raise BadPart(f"starts with {one_line(repr(part.start), 80)}; it takes a tuple of one number (float) or more")
    _check_kernel(part.fold, Fold, "fold")
    _check_kernel(part.settle, Settle, "settle")
    width, count = len(part.start), 3
    totals, settled = (np.full(width + GUARDED, GUARD) for _ in range(2))
    values = np.full(count * width + GUARDED, math.nan)
    totals[:width] = part.start
    values[: count * width] = np.repeat([-120.0, 30.0, 250.0], width)
    weights = np.array([0.5, 1.0, 1.5] + [math.nan] * GUARDED)
    parameters = np.array([*part.parameters] + [math.nan] * GUARDED)
    value = _back_up(part.fold, part.settle, totals, weights, values, count, parameters, settled)
    if (totals[width:] != GUARD).any() or (settled[width:] != GUARD).any():
        raise BadPart(f"writes more than the {width} numbers that it keeps, by the length of its `start`")
    if not all(map(math.isfinite, (value, *totals[:width], *settled[:width]))) or GUARD in settled[:width]:
        wrong = f"makes no finite numbers of three values, or not all {width} that it keeps"
        raise BadPart(f"{wrong}, or reads more than it is given")


def _rows() -> kb.Rows:
    return np.stack([kb.from_board(chess.Board(board)) for board in BOARDS])


@kb.entry
def _evaluate(tables: kb.WordArray, rows: kb.Rows, evaluator: Evaluator, found: kb.IntArray) -> None:
    """Write what an evaluator says of each board, for either side."""
    at = kb.pointer(rows)
    for i in range(len(rows)):
        for side in range(2):
            found[2 * i + side] = evaluator(kb.pointer(tables), kb.load(at, i), side)


@kb.entry
def _weigh(
    tables: kb.WordArray, row: kb.WordArray, heard: int, model: Opponent, moves: kb.MoveArray, weights: kb.RealArray
) -> int:
    """Write a model's weights of the legal moves; return how many there are, -1 if it writes none."""
    position = kb.load(kb.pointer(row), 0)
    count = kb.legal_moves(kb.pointer(tables), position, kb.pointer(moves))
    said = Announced(heard, heard)
    return count if model(kb.pointer(tables), position, said, kb.pointer(moves), count, kb.pointer(weights)) else -1


@kb.entry
def _back_up(
    fold: Fold,
    settle: Settle,
    totals: kb.RealArray,
    weights: kb.RealArray,
    values: kb.RealArray,
    count: int,
    parameters: kb.RealArray,
    settled: kb.RealArray,
) -> float:
    """Fold values in, and settle the totals."""
    fold(kb.pointer(totals), kb.pointer(weights), kb.pointer(values), count)
    return settle(kb.pointer(totals), 3.0, kb.pointer(parameters), kb.pointer(settled))
