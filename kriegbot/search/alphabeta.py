"""Ordinary chess search on boards that both sides see: alpha-beta with quiescence, as the player `hs` needs it.

Parker, Nau and Subrahmanian, "Game-Tree Search with Combinatorially Large Belief States" (IJCAI 2005), search
each sampled board in this way. They do not describe the search itself, so it is the textbook's: negamax, fail-soft;
captures first, the most valuable victim by the least valuable attacker, and next the quiet move that last refuted a
position as deep in the tree (the "killer", Akl and Newborn 1977); then quiescence with captures and promotions to a
queen only, where either side may stand pat unless in check, when it has all its evasions.

A try can be illegal on a board, which cannot happen with perfect information and which the paper does not mention: on
that board it is worth what standing still is worth, E of the position with us still to move.
"""

from typing import NamedTuple

import numpy as np

from evaluators import WIN
from evaluators.protocol import Evaluator
from kriegbot import kernels as kb

MATE = int(WIN)
"""Value of a mate; each ply that it is away takes off 1, so that the sooner of two is played."""
INFINITE = 1 << 30
"""Beyond all values."""
QUIESCENCE = 4
"""Plies of quiescence at most; a position that is still not quiet is then evaluated as it is. Sampled boards are full
of hanging men, and exchanges on several squares in turn would otherwise cost more than they are worth."""

MOVE_MASK = (1 << 15) - 1
"""The move in a number written by `loud_first`."""
RANK_2, RANK_7 = kb.words(0xFF00, 0xFF000000000000)


class Board(NamedTuple):
    """What stays the same throughout the search of a board.

    moves: a list of moves for each level; killers: a quiet move for each level that refuted the last position there, 0
    for none; stop [1]: set from outside to end it; leaves [1]: positions evaluated.
    """

    tables: kb.Words
    rules: kb.KernelRules
    side: int
    evaluator: Evaluator
    moves: kb.Moves
    killers: kb.Moves
    stop: kb.Ints
    leaves: kb.Ints


@kb.kernel
def value_rank(position: kb.Position, square: int) -> int:
    """Rank by value of the man on a square: pawn 1, knight, bishop, rook, queen, king 6; 0 for none."""
    there = kb.bit(square)
    return 1 + kb.kind_of(position, there) if there & (position.white | position.black) else 0


@kb.kernel
def loudness(position: kb.Position, move: int) -> int:
    """Above 0 for a capture or a promotion to a queen; the higher, the earlier it is searched."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    victim = value_rank(position, target)
    if promotion:
        return 8 * (victim + 5) if promotion == kb.QUEEN else 0
    if victim:
        return 8 * victim - value_rank(position, origin)
    passant = kb.ep_square(position)
    return 7 if passant and target == passant and kb.bit(origin) & position.pawns and (origin ^ target) & 7 else 0


@kb.kernel
def loud_first(position: kb.Position, moves: kb.Moves, count: int) -> int:
    """Put the loud moves to the front of a list, the loudest first; return how many there are.

    Their loudness stays with them, in the bits above the move, where `make_move` does not look.
    """
    loud = 0
    for i in range(count):
        loudness_of_move = loudness(position, moves[i])
        if loudness_of_move == 0:
            continue
        move = loudness_of_move << 15 | moves[i]
        moves[i] = moves[loud]
        place = loud
        while place > 0 and moves[place - 1] < move:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = move
        loud += 1
    return loud


@kb.kernel
def loud_targets(position: kb.Position) -> kb.Word:
    """Squares where loud moves go, and a few quiet ones."""
    side = kb.side_to_move(position)
    own, other = kb.pieces_of(position, side)
    passant = kb.ep_square(position)
    targets = other | kb.bit(passant) if passant else other
    if position.pawns & own & (RANK_7 if side == kb.WHITE else RANK_2):
        targets |= kb.LAST_RANKS
    return targets


@kb.kernel
def evaluation(board: Board, position: kb.Position) -> int:
    """E for the side to move. E itself is always asked for our side: it need not be the negative of the opponent's."""
    board.leaves[0] += 1
    value = board.evaluator(board.tables, position, board.side)
    return value if kb.side_to_move(position) == board.side else -value


@kb.kernel
def negamax(board: Board, position: kb.Position, was_silent: bool, depth: int, ply: int, alpha: int, beta: int) -> int:
    """Value for the side to move, exact if between alpha and beta; quiescence from depth 0 down.

    `was_silent`: whether the last move is known to have given no check and not to have ended the game. What is
    returned after the stop flag is set is meaningless.
    """
    if board.stop[0] != 0:
        return 0
    moves = kb.advance(board.moves, kb.MAX_MOVES * ply)
    checkers = kb.NONE
    if not was_silent:
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
    count = kb.moves_to(board.tables, position, loud_targets(position) if may_stand_pat else kb.EVERYWHERE, moves)
    loud = loud_first(position, moves, count)
    if may_stand_pat:
        count = loud
    if count == 0:
        return best
    for i in range(loud, count):
        if moves[i] == board.killers[ply]:
            moves[i], moves[loud] = moves[loud], moves[i]
    silence = kb.quiet_info(board.tables, position, board.rules)
    for i in range(count):
        after, _ = kb.make_move(board.tables, position, moves[i])
        still = kb.is_quiet(silence, position, moves[i] & MOVE_MASK)
        best = max(best, -negamax(board, after, still, depth - 1, ply + 1, -beta, -max(alpha, best)))
        if best >= beta:
            if i >= loud:
                board.killers[ply] = moves[i]
            break
    return best


@kb.entry
def _value_boards(
    tables: kb.WordArray,
    rows: kb.Rows,
    tries: kb.MoveArray,
    method: tuple[int, kb.KernelRules, Evaluator],
    stop: kb.IntArray,
    leaves: kb.IntArray,
    values: kb.IntArray,
    moves: kb.MoveArray,
    killers: kb.MoveArray,
) -> int:
    """Value every try on one board after the other, to `values` [N * M]; return how many boards were done.

    -1 if a board has no legal move, or one that is not among the tries.
    """
    depth, rules, evaluator = method
    listed = kb.pointer(moves)
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        board = Board(
            kb.pointer(tables),
            rules,
            kb.side_to_move(position),
            evaluator,
            listed,
            kb.pointer(killers),
            kb.pointer(stop),
            kb.pointer(leaves),
        )
        count = kb.legal_moves(kb.pointer(tables), position, listed)
        silence, standing = kb.quiet_info(kb.pointer(tables), position, rules), evaluation(board, position)
        legal = 0  # legal moves are in the same order as the tries, of which they are a part
        for j in range(len(tries)):
            value = standing
            if legal < count and tries[j] == listed[legal]:
                after, _ = kb.make_move(kb.pointer(tables), position, listed[legal])
                still = kb.is_quiet(silence, position, listed[legal])
                value = -negamax(board, after, still, depth - 1, 1, -INFINITE, INFINITE)
                legal += 1
            values[len(tries) * i + j] = value
        if stop[0] != 0:
            return i
        if legal < count or count == 0:
            return -1
    return len(rows)


def value_boards(
    rows: kb.Rows, tries: kb.MoveArray, depth: int, evaluator: Evaluator, rules: kb.KernelRules, stop: kb.IntArray
) -> tuple[kb.IntArray, int]:
    """Value every try on every board, until the stop flag is set.

    Args:
      rows: [N, 8] boards with the same men of ours, we to move.
      tries: [M] from `search.tries_of`.
      depth: plies before quiescence, our try among them, >= 1.
      evaluator: E, from `evaluators.load_evaluator`.
      rules: rule set and limits; when a game is drawn both sides know.
      stop: flag [1] as `search.stop_after` sets it.

    Returns:
      Centipawns for us [B, M] of the first B <= N boards, those that were done, and how many positions were evaluated.

    Raises:
      ValueError: depth < 1, or boards that are over or do not have these tries.
    """
    if depth < 1:
        raise ValueError(f"alpha-beta to depth {depth}: it takes at least 1")
    values, leaves = np.empty(len(rows) * len(tries), np.int64), np.zeros(1, np.int64)
    levels = depth + QUIESCENCE + 1
    moves, killers = np.empty(kb.MAX_MOVES * levels, np.int32), np.zeros(levels, np.int32)
    done = _value_boards(kb.TABLES, rows, tries, (depth, rules, evaluator), stop, leaves, values, moves, killers)
    if done < 0:
        raise ValueError("boards that are over, or that have other tries")
    return values.reshape(len(rows), len(tries))[:done], int(leaves[0])
