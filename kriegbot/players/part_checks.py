"""Check parts from outside before they play: each is called on three boards.

Kernels take bare pointers, so a faulty part can end the process. It does so in the process that tries a player before
the first game (`kriegbot.game.process`).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import chess
import numpy as np

from evaluators import EVALUATORS
from evaluators.protocol import Evaluator
from kriegbot import kernels as kb
from kriegbot.models import OPPONENTS
from kriegbot.models.protocol import Announced, Opponent, prior_of, weights_of
from kriegbot.parts import BadPart
from kriegbot.search.backup import BACKUPS, Backup, Fold, Settle
from referee import Announcement
from referee.text import one_line

BOARDS = (
    chess.STARTING_FEN,
    "r3k2r/1ppq1ppp/2n5/3pP3/1b1P4/2N5/PP1Q2PP/R3K2R w KQkq d6 0 1",  # castling and en passant
    "4k3/2P5/8/8/8/8/1p6/4K3 b - - 0 1",  # promotion
)
MAX_CENTIPAWNS = 10_000
GUARD_LENGTH, GUARD = 64, -7.5e77
"""Number of words behind each array that a part must leave alone, and their value."""


@cache
def check_part(part: Any, what: str) -> None:
    """Raise BadPart unless a part behaves as its kind (`Parts.what`) must. Checks each part once."""
    checks = {BACKUPS.what: _check_backup, OPPONENTS.what: _check_opponent, EVALUATORS.what: _check_evaluator}
    if what in checks:
        checks[what](part)


def _compile(part: Any, kind: Any, decorator: str) -> None:
    try:
        if not getattr(part, "by_pointer", False):
            raise TypeError
        kb.part_of(kind, part.function)
    except TypeError:
        raise BadPart(f"is a {type(part).__name__}; it takes a function decorated with `{decorator}`") from None
    try:
        part.compile()
    except Exception as error:  # noqa: BLE001 - numba raises anything
        frame = ("Failed in", "During:", "- ", "There are")  # numba's own lines around the message
        lines = [line for each in str(error).splitlines() if (line := each.strip()) and not line.startswith(frame)]
        why = one_line(f"{type(error).__name__}: {' '.join(lines)}", 200)
        raise BadPart(f"cannot be compiled: {why}") from None


def _check_evaluator(part: Any) -> None:
    _compile(part, Evaluator, "evaluator")
    values = np.zeros(2 * len(BOARDS), np.int64)
    _evaluate(kb.TABLES, _rows(), part, values)
    extreme = max(values.tolist(), key=abs)
    if abs(extreme) > MAX_CENTIPAWNS:
        raise BadPart(f"returns {extreme} centipawns; it takes -{MAX_CENTIPAWNS} to {MAX_CENTIPAWNS}")


def _check_opponent(part: Any) -> None:
    _compile(part, Opponent, "opponent")
    code = kb.encode_announcement(Announcement(chess.D5))
    rows = np.concatenate([kb.with_type_ids(row, len(prior_of(part))) for row in _rows()])
    for count, _, weights in zip(*weights_of(rows, Announced(code, code), part), strict=True):
        wrong = next((weight for weight in weights[:count].tolist() if not 0 < weight < math.inf), None)
        if wrong is not None:
            text = "none" if math.isnan(wrong) else f"{wrong:g}"
            raise BadPart(f"gives a reply the weight {text}; it takes finite ones above 0, or returns False")
        if not np.isnan(weights[kb.MAX_MOVES :]).all():
            raise BadPart("writes more weights than there is room for")


def _check_backup(part: Any) -> None:
    if not isinstance(part, Backup):
        raise BadPart(f"is a {type(part).__name__}; it takes a `Backup`")
    if not isinstance(part.start, tuple) or not part.start or not all(isinstance(one, float) for one in part.start):
        raise BadPart(f"starts with {one_line(repr(part.start), 80)}; it takes a tuple of one number (float) or more")
    _compile(part.fold, Fold, "fold")
    _compile(part.settle, Settle, "settle")
    width, unused = len(part.start), [math.nan] * GUARD_LENGTH
    totals = np.array([*part.start] + [GUARD] * GUARD_LENGTH)
    settled = np.full(width + GUARD_LENGTH, GUARD)
    values = np.array([value for value in (-120.0, 30.0, 250.0) for _ in range(width)] + unused)
    weights, parameters = np.array([0.5, 1.0, 1.5, *unused]), np.array([*part.parameters, *unused])
    value = _back_up(part.fold, part.settle, totals, weights, values, 3, parameters, settled)
    if (totals[width:] != GUARD).any() or (settled[width:] != GUARD).any():
        raise BadPart(f"writes more numbers than the {width} of its `start`")
    if not all(map(math.isfinite, (value, *totals[:width], *settled[:width]))) or GUARD in settled[:width]:
        raise BadPart(f"writes fewer than {width} finite numbers for three values, or reads beyond its arguments")


def _rows() -> kb.Rows:
    return np.stack([kb.from_board(chess.Board(board)) for board in BOARDS])


@kb.entry
def _evaluate(tables: kb.WordArray, rows: kb.Rows, evaluator: Evaluator, values: kb.IntArray) -> None:
    """Write an evaluator's value of each board for either side: values [2 * len(rows)]."""
    boards = kb.pointer(rows)
    for i in range(len(rows)):
        for side in range(2):
            values[2 * i + side] = evaluator(kb.pointer(tables), kb.load(boards, i), side)


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
    """Fold values into the totals and settle them."""
    fold(kb.pointer(totals), kb.pointer(weights), kb.pointer(values), count)
    return settle(kb.pointer(totals), 3.0, kb.pointer(parameters), kb.pointer(settled))
