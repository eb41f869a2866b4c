"""Check parts from outside before they play: backup rules on a few values, the others on three boards.

Kernels take bare pointers, so a faulty part can end the process. It does so in the process that tries a player before
the first game (`kriegbot.game.process`).
"""

import math
from functools import cache
from typing import Any

import chess
import numpy as np

from evaluators import EVALUATORS
from evaluators.protocol import MAX_CENTIPAWNS, Evaluator
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
GUARD_LENGTH, GUARD = 64, -7.5e77
"""Number of words behind arrays that a backup rule must leave alone, and the value of those that it may write."""
VALUES, WEIGHT = (-10_000.0, -3_000.0, -900.0, -120.0, -7.0, 30.0, 250.0, 1_100.0, 10_000.0), 3.0
"""Values that backup rules are tried with, and their total weight."""


@cache
def check_part(part: Any, what: str) -> None:
    """Raise BadPart unless a backup rule, opponent model or evaluator behaves as one (`what`) must. Others pass."""
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
    rows = np.repeat(np.array(VALUES)[:, None], len(part.start), axis=1)
    shares = np.linspace(0.5, 1.5, len(rows)) * WEIGHT / len(rows)
    some = shares[::2].sum()
    totals, value, passed_up = _backed_up(part, (rows, shares))
    again, *_ = _backed_up(part, (rows[1::2], shares[1::2]), (rows[::-2], shares[::-2]))
    if not np.allclose(again, totals):
        raise BadPart(f"keeps {_text(again)} in place of {_text(totals)} if the same values come in another order")
    behind, *_ = _backed_up(part, (rows[::2], shares[::2] / some))  # as of the replies to one move
    again, *_ = _backed_up(part, (behind[None], np.array([some])), (rows[1::2], shares[1::2]))
    if not np.allclose(again, totals):
        why = "a row of its totals has to mean what the values behind it mean"
        raise BadPart(f"keeps {_text(again)} in place of {_text(totals)} at depth 2: {why}")
    _, higher, _ = _backed_up(part, (passed_up[None], np.ones(1)))
    if not math.isclose(higher, value, rel_tol=1e-6):
        raise BadPart(f"gives {higher:g} in place of {value:g} at depth 3: `settle` passes up another value")


def _backed_up(part: Backup, *calls: tuple[kb.RealArray, kb.RealArray]) -> tuple[kb.RealArray, float, kb.RealArray]:
    """Return totals, the value and what goes up after calls of `fold`, each with rows [N, width] and weights [N]."""
    width, unused = len(part.start), np.full(GUARD_LENGTH, math.nan)
    totals, passed_up = np.array([*part.start] + [GUARD] * GUARD_LENGTH), np.full(width + GUARD_LENGTH, GUARD)
    parameters, value = np.append(part.parameters, unused), math.nan
    for rows, weights in calls:
        values, each = np.append(rows, unused), np.append(weights, unused)
        value = _back_up(part.fold, part.settle, totals, each, values, len(rows), parameters, passed_up)
    if (totals[width:] != GUARD).any() or (passed_up[width:] != GUARD).any():
        raise BadPart(f"writes more numbers than the {width} of its `start`")
    if not all(map(math.isfinite, (value, *totals[:width], *passed_up[:width]))) or GUARD in passed_up[:width]:
        raise BadPart(f"writes fewer than {width} finite numbers, or reads beyond its arguments")
    return totals[:width], value, passed_up[:width]


def _text(totals: kb.RealArray) -> str:
    return ", ".join(f"{total:g}" for total in totals)


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
    return settle(kb.pointer(totals), WEIGHT, kb.pointer(parameters), kb.pointer(settled))
