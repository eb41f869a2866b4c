"""Perfect-information values: alpha-beta on sampled boards as if both sides saw everything, averaged per try.

HS (Parker, Nau and Subrahmanian, IJCAI 2005) chooses by such values alone. An opponent that sees everything finds the
best reply on each board, and every exchange after our answer to it. A search of two plies against the expected replies
misses these. But our opponent does not see everything, so these values count only beside the others
(`Settings.perfect_info_weight`). Unlike HS it weighs boards by their probability and bounds values; on the boards that
refuse a try, the best next try counts; and the value is mostly the mean over all boards, partly over the worst fifth.

The paper does not describe its search of a board. `value_boards` is the textbook's: fail-soft negamax, captures first
(most valuable victim, least valuable attacker), then the killer move (Akl and Newborn 1977). Quiescence searches
captures and promotions to a queen; a side may stand pat unless it is in check, where it has all evasions. The last ply
of quiescence is valued in check, too.
"""

import time
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from evaluators import WIN
from evaluators.protocol import Evaluator, evaluate
from kriegbot import kernels as kb
from kriegbot.belief.filter import list_refusing
from kriegbot.search.information_set import InformationSet, Tries
from kriegbot.search.search import stop_after
from kriegbot.search.settings import Method
from kriegbot.threads import mapped, slices

BOARDS, MOST_BOARDS, DEPTH = 40, 200, 3
"""Boards valued at each call, the most by time, and plies before quiescence: one fewer if there is no time for
all BOARDS."""
VALUED = 2  # boards that a thread values at a time
WORST, WORST_SHARE = 0.3, 0.2  # weight of the worst boards beside the mean, and the share of the boards that they are
MATE = int(WIN)  # value of a mate; each ply to it takes off 1, so that the search prefers the sooner of two
INFINITE = 1 << 30  # beyond all values
QUIESCENCE = 4  # most plies of quiescence: sampled boards are full of hanging pieces, and exchanges cost much time

MOVE_MASK = (1 << 15) - 1  # bits of the move in a number written by `tactical_first`
RANK_2, RANK_7 = kb.words(0xFF00, 0xFF000000000000)


class BoardWorkspace(NamedTuple):
    """Memory of the search of a board."""

    moves: kb.MoveArray  # a list for each ply
    killers: kb.MoveArray  # for each ply the move, not tactical, that last refuted a position, 0 for none
    stop: kb.IntArray  # [1] the flag of `stop_after`
    leaves: kb.IntArray  # [1] positions evaluated


class Board(NamedTuple):
    """Constants of the search of one board."""

    tables: kb.Words
    rules: kb.KernelRules
    side: int
    evaluator: Evaluator
    work: BoardWorkspace


@kb.kernel
def value_rank(position: kb.Position, square: int) -> int:
    """Return the rank by value of the piece on a square, 1 (pawn) to 6 (king); 0 for none."""
    mask = kb.bit(square)
    return 1 + kb.type_of(position, mask) if mask & (position.white | position.black) else 0


@kb.kernel
def priority_of(position: kb.Position, move: int) -> int:
    """Return the search priority of a promotion to a queen or a capture without promotion, 0 for other moves."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    victim = value_rank(position, target)
    if promotion:
        return 8 * (victim + 5) if promotion == kb.QUEEN else 0
    if victim:
        return 8 * victim - value_rank(position, origin)
    passant = kb.ep_square(position)
    return 7 if passant and target == passant and kb.bit(origin) & position.pawns and (origin ^ target) & 7 else 0


@kb.kernel
def tactical_first(position: kb.Position, moves: kb.Moves, count: int) -> int:
    """Move all moves with a priority to the front of a list, in its order; return their number.

    The bits above each move keep its priority; `make_move` ignores them.
    """
    tactical = 0
    for i in range(count):
        priority = priority_of(position, moves[i])
        if priority == 0:
            continue
        move = priority << 15 | moves[i]
        moves[i] = moves[tactical]
        k = tactical
        while k > 0 and moves[k - 1] < move:
            moves[k] = moves[k - 1]
            k -= 1
        moves[k] = move
        tactical += 1
    return tactical


@kb.kernel
def tactical_targets(position: kb.Position) -> kb.Word:
    """Return the target squares of tactical moves, and of a few others."""
    side = kb.side_to_move(position)
    own, other = kb.pieces_of(position, side)
    passant = kb.ep_square(position)
    targets = other | kb.bit(passant) if passant else other
    if position.pawns & own & (RANK_7 if side == kb.WHITE else RANK_2):
        targets |= kb.LAST_RANKS
    return targets


@kb.kernel
def evaluation(board: Board, position: kb.Position) -> int:
    """Return E for the side to move. E is computed for our side: the opponent's need not be its negative."""
    board.work.leaves[0] += 1
    value = evaluate(board.evaluator, board.tables, position, board.side, board.work.stop)
    return value if kb.side_to_move(position) == board.side else -value


@kb.kernel
def negamax(board: Board, position: kb.Position, was_quiet: bool, depth: int, ply: int, alpha: int, beta: int) -> int:
    """Return the value for the side to move, exact between alpha and beta; quiescence from depth 0 down.

    was_quiet: True if the last move surely gave no check and ended nothing. A value after the stop has no meaning.
    """
    if board.work.stop[0] != 0:
        return 0
    moves = kb.advance(board.work.moves, kb.MAX_MOVES * ply)
    checkers = kb.NONE
    if not was_quiet:
        checkers, pinned = kb.check_info(board.tables, position)
        end = kb.game_end(board.tables, position, checkers, pinned, board.rules, moves)
        if end != 0:
            return ply - MATE if kb.is_won(end) else 0
    best = -INFINITE
    may_stand_pat = depth <= 0 and checkers == kb.NONE
    if may_stand_pat or depth == -QUIESCENCE:
        best = evaluation(board, position)
        if best >= beta or depth == -QUIESCENCE:
            return best
    count = kb.moves_to(board.tables, position, tactical_targets(position) if may_stand_pat else kb.EVERYWHERE, moves)
    tactical = tactical_first(position, moves, count)
    if may_stand_pat:
        count = tactical
    if count == 0:
        return best
    for i in range(tactical, count):
        if moves[i] == board.work.killers[ply]:
            moves[i], moves[tactical] = moves[tactical], moves[i]
    quiet = kb.quiet_info(board.tables, position, board.rules)
    for i in range(count):
        after, _ = kb.make_move(board.tables, position, moves[i])
        is_quiet = kb.is_quiet(quiet, position, moves[i] & MOVE_MASK)
        best = max(best, -negamax(board, after, is_quiet, depth - 1, ply + 1, -beta, -max(alpha, best)))
        if best >= beta:
            if i >= tactical:
                board.work.killers[ply] = moves[i]
            break
    return best


@kb.entry
def _value_boards(
    tables: kb.WordArray,
    rows: kb.Rows,
    tries: kb.MoveArray,
    method: tuple[int, kb.KernelRules, Evaluator],
    arrays: BoardWorkspace,
    values: kb.IntArray,
) -> int:
    """Write the value [N * M] of every try; return the number of boards done, -1 if one is over or has another try."""
    depth, rules, evaluator = method
    work = kb.pointers(arrays)
    listed = work.moves
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        board = Board(kb.pointer(tables), rules, kb.side_to_move(position), evaluator, work)
        count = kb.legal_moves(board.tables, position, listed)
        quiet, standing = kb.quiet_info(board.tables, position, rules), evaluation(board, position)
        legal = 0  # legal moves are in the same order as the tries, of which they are a part
        for j in range(len(tries)):
            value = standing
            if legal < count and tries[j] == listed[legal]:
                after, _ = kb.make_move(board.tables, position, listed[legal])
                is_quiet = kb.is_quiet(quiet, position, listed[legal])
                value = -negamax(board, after, is_quiet, depth - 1, 1, -INFINITE, INFINITE)
                legal += 1
            values[len(tries) * i + j] = value
        if work.stop[0] != 0:
            return i
        if legal < count or count == 0:
            return -1
    return len(rows)


def value_boards(
    rows: kb.Rows, tries: kb.MoveArray, depth: int, evaluator: Evaluator, rules: kb.KernelRules, stop: kb.IntArray
) -> tuple[kb.IntArray, int]:
    """Value the tries [M] of `tries_of` on boards [N, 8] of one set, until the flag of `stop_after` is set.

    Return centipawns for us [B, M] of the B <= N boards that were done, and the number of positions evaluated. An
    illegal try has the value E of the position with us still to move. `depth` >= 1 counts plies before quiescence.
    Raise ValueError if it is less, or if a board is over or has a legal move that is not among the tries.
    """
    if depth < 1:
        raise ValueError(f"alpha-beta to depth {depth}: it takes at least 1")
    values, leaves = np.empty(len(rows) * len(tries), np.int64), np.zeros(1, np.int64)
    plies = depth + QUIESCENCE + 1
    work = BoardWorkspace(np.empty(kb.MAX_MOVES * plies, np.int32), np.zeros(plies, np.int32), stop, leaves)
    done = _value_boards(kb.TABLES, rows, tries, (depth, rules, evaluator), work, values)
    if done < 0:
        raise ValueError("boards that are over, or that have other tries")
    return values.reshape(len(rows), len(tries))[:done], int(leaves[0])


class BoardValues:
    """Alpha-beta values of one turn's tries, by board without opponent type, kept for what a refusal leaves."""

    def __init__(self, histories: InformationSet, method: Method) -> None:
        """Start without values; `histories` are those of the turn's first try."""
        self._tries, self._rules, self._method = histories.tries, histories.rules, method
        self._values: dict[int, dict[bytes, kb.IntArray]] = {DEPTH - 1: {}, DEPTH: {}}

    def depths(self, rows: kb.Rows) -> kb.IntArray:
        """Return the depth [N] to which each of the boards was searched, 0 if it was not."""
        less, most = self._values.values()
        return np.array([DEPTH if board in most else DEPTH - 1 if board in less else 0 for board in _boards(rows)])

    def values(
        self, rows: kb.Rows, tries: Tries, depth: int, stop: kb.IntArray, deadline: float | None = None
    ) -> kb.IntArray:
        """Return the values of `value_boards`, reusing earlier ones; after the deadline value no more boards."""
        boards, valued = _boards(rows), self._values[depth]
        new = list({board: i for i, board in enumerate(boards) if board not in valued}.items())
        are_open = np.isin(self._tries, tries)

        def value(part: slice) -> kb.IntArray:
            # on a busy machine the flag may be set late
            chosen = [i for _, i in new[part] if deadline is None or time.perf_counter() < deadline]
            if not chosen:
                return np.empty((0, len(tries)), np.int64)
            return value_boards(rows[chosen], tries, depth, self._method.evaluator, self._rules, stop)[0]

        parts = slices(len(new), VALUED)
        for part, values in zip(parts, mapped(value, parts, self._method.threads), strict=True):
            for (board, _), of_board in zip(new[part], values, strict=False):  # fewer if it was stopped
                valued[board] = np.zeros(len(self._tries), np.int64)
                valued[board][are_open] = of_board
        done = list(takewhile(valued.__contains__, boards))
        return np.array([valued[board][are_open] for board in done], np.int64).reshape(len(done), len(tries))


def _boards(rows: kb.Rows) -> list[bytes]:
    """Return boards without opponent types, as keys."""
    every = kb.without_type_ids(rows).tobytes()
    return [every[i : i + 64] for i in range(0, len(every), 64)]


def open_values(
    histories: InformationSet, method: Method, seconds: float | None, seed: int, board_values: BoardValues
) -> kb.RealArray | None:
    """Return the value [M] of each try over some of the boards, bounded by `Settings.value_scale`; None without any.

    Boards that were valued at an earlier try of the turn come first, and count even if no time is left. `board_values`
    holds them, and gets those valued now.
    """
    depths = board_values.depths(histories.rows)
    chosen = np.lexsort((kb.random_numbers(seed, len(histories.rows)), -depths))[:MOST_BOARDS]
    rows, weights = histories.rows[chosen], histories.weights[chosen]
    best = np.empty((0, len(histories.tries)), np.int64)
    passes = [(BOARDS, DEPTH)] if seconds is None else [(BOARDS, DEPTH - 1), (MOST_BOARDS, DEPTH)]
    if (depths[chosen[:BOARDS]] == DEPTH).all():
        passes = passes[-1:]
    deadline = None if seconds is None else time.perf_counter() + seconds
    with stop_after(seconds) as stop:
        for boards, depth in passes:
            deeper = board_values.values(rows[:boards], histories.tries, depth, stop, deadline)
            best = deeper if len(deeper) >= len(best) else best
    if len(best) == 0:
        return None
    values, scale = best.astype(np.float64), method.value_scale
    values = values / np.sqrt(1.0 + (values / scale) ** 2) if scale else values
    for i, move in enumerate(histories.tries):
        values[list_refusing(rows[: len(best)], int(move)), i] = np.nan
    return values_of_tries(values, weights[: len(best)])[0]


def values_of_tries(values: kb.RealArray, weights: kb.RealArray) -> tuple[kb.RealArray, kb.RealArray]:
    """Return the value [tries] of each try, and the probability [tries] that it is legal.

    `values` V [boards, tries] are nan where a try is illegal; `weights` w [boards] are positive. Try i has V[b, i] on
    boards b that allow it, and V[b, f] on those that refuse it (the board's median where f is refused, too), `blended`;
    f is the other try for which that is highest. A try that no board allows has the value of the best of the others.
    Boards that allow no try do not count; all tries have 0 if none is left.
    """
    allows = ~np.isnan(values).all(axis=1)
    values, weights = values[allows], weights[allows]
    legal, count = ~np.isnan(values), values.shape[1]
    if len(values) == 0:
        return np.zeros(count), np.zeros(count)
    share = weights @ legal / weights.sum()
    filled = np.where(legal, values, np.nanmedian(values, axis=1, keepdims=True))
    # bounds[i, f] is no less than what i is worth if f follows: of all weightings `blended` takes the least favourable
    worth, bounds, left = np.full(count, -np.inf), np.full((count, count), np.inf), np.arange(count)
    bounds[left, left] = -np.inf if count > 1 else np.inf
    emphasis = np.broadcast_to(weights[:, None] / weights.sum(), values.shape)
    while len(left):
        allowed = (emphasis * np.where(legal[:, left], values[:, left], 0.0)).sum(axis=0)
        bounds[left] = np.minimum(bounds[left], allowed[:, None] + (emphasis * ~legal[:, left]).T @ filled)
        left = left[bounds[left].max(axis=1) > worth[left] + 1e-9]  # sums of the same numbers may differ by as much
        following = bounds[left].argmax(axis=1)
        columns = np.where(legal[:, left], values[:, left], filled[:, following])
        emphasis = emphasized(columns, weights)
        worth[left] = np.maximum(worth[left], blended(columns, weights))
        bounds[left, following] = -np.inf
    return np.where(share > 0, worth, worth[share > 0].max()), share


def blended(values: kb.RealArray, weights: kb.RealArray) -> kb.RealArray:
    """Blend the mean of each column with the mean of its worst `WORST_SHARE`."""
    return (emphasized(values, weights) * values).sum(axis=0)


def emphasized(values: kb.RealArray, weights: kb.RealArray) -> kb.RealArray:
    """Return the weight [boards, tries] of each value in `blended`."""
    order = np.argsort(values, axis=0, kind="stable")
    parts = weights[order] / weights.sum()
    worst = np.clip(WORST_SHARE - (np.cumsum(parts, axis=0) - parts), 0.0, parts)
    emphasis = np.empty_like(values)
    np.put_along_axis(emphasis, order, (1.0 - WORST) * parts + WORST / WORST_SHARE * worst, axis=0)
    return emphasis
