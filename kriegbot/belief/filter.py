"""Kernels of the particle filter: the boards that may follow from an announcement.

On the opponent's turn the filter lists every legal move of every board and keeps the moves that the referee would
announce as it did. A board passes its weight on to them in the proportions of the opponent model, normalised over all
its `playable` moves (Bayes' rule): the legal ones, or after "Any?" those that the answer leaves. Under the uniform
model a board of weight w with l of them passes on w / l to each.
"""

from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced, Opponent
from kriegbot.parts import BadPart
from kriegbot.threads import mapped, slices

MOVES_PER_BOARD, GROWTH = 32, 2
"""Space reserved at first for the matching moves of a board, and the factor by which it grows when it is full."""
SLICE = 4096  # boards that a thread matches at a time
CAPTURE_SQUARE_BITS = kb.CAPTURED_PAWN_BIT - 1


@kb.kernel
def may_be_announced(other: kb.Word, ep: int, move: int, code: int) -> bool:
    """Return True unless a move's target contradicts the announced capture; `other` are the pieces it can capture."""
    target = move >> 6 & 63
    if kb.bit(target) & other:
        return code & CAPTURE_SQUARE_BITS == target + 1
    return code & CAPTURE_SQUARE_BITS == 0 or (ep != 0 and target == ep)


class AnnouncedMove(NamedTuple):
    """A move of the opponent as the referee announced it, with what it announced before."""

    code: int  # the announcement
    before: kb.TurnHistory  # refusals and "Any?" of its turn
    ours: int  # the announcement of our move before, as in `models.protocol.Announced`
    theirs: int  # that of the opponent's move before ours


class Matches(NamedTuple):
    """Moves on N boards that match an announcement, weighted by the opponent model."""

    moves: kb.MoveArray  # of all boards, one board after the other
    weights: kb.RealArray  # of these moves
    matching_moves: kb.IntArray  # [N] their number
    is_weighted: kb.IntArray  # [N] 0 if the model calls all moves equally likely, each of weight 1
    matching_weight: kb.RealArray  # [N] of the matching moves
    total_weight: kb.RealArray  # [N] of all playable moves, 1 if none matches
    listed: kb.MoveArray  # scratch: two lists of moves
    listed_weights: kb.RealArray  # scratch: weights of one list


@kb.kernel
def keep_pawn_captures(position: kb.Position, moves: kb.Moves, count: int) -> int:
    """Keep the pawn captures among `count` moves, in order; return their number."""
    captures = 0
    for i in range(count):
        origin, target = moves[i] & 63, moves[i] >> 6 & 63
        if kb.bit(origin) & position.pawns and (origin ^ target) & 7:
            moves[captures] = moves[i]
            captures += 1
    return captures


@kb.kernel
def playable(tables: kb.Words, position: kb.Position, turn: kb.TurnHistory, moves: kb.Moves) -> int:
    """List the legal moves that the answer to "Any?" allows; return their number."""
    count = kb.legal_moves(tables, position, moves)
    if turn.answer == kb.NOT_ASKED:
        return count
    captures = keep_pawn_captures(position, moves, count)
    if turn.answer == kb.YES:
        return captures
    if turn.answer == kb.TRIED and captures > 0:
        return kb.legal_moves(tables, position, moves)  # again: keep_pawn_captures overwrote the list
    return count if turn.answer == kb.NO and captures == 0 else 0


@kb.kernel
def has_enough_illegal_tries(
    tables: kb.Words, position: kb.Position, turn: kb.TurnHistory, rules: kb.KernelRules, count: int, moves: kb.Moves
) -> bool:
    """Return True if a position has at least as many illegal tries as the referee refused; `count` are playable."""
    tries = kb.open_tries(tables, position, kb.pawns_to_try(tables, position, rules), moves)
    if turn.answer == kb.NOT_ASKED and rules.tries_announced == 0:
        return turn.refused_before_any <= tries - count
    others = kb.open_tries(tables, position, kb.NONE, moves)
    legal = kb.legal_moves(tables, position, moves)
    legal_captures = keep_pawn_captures(position, moves, legal)
    wrong_captures, wrong_others = tries - others - legal_captures, others - (legal - legal_captures)
    wrong_after_any = wrong_others if turn.answer == kb.NO else wrong_captures
    if turn.answer != kb.NOT_ASKED and turn.refused_after_any > wrong_after_any:
        return False
    return turn.refused_before_any + turn.refused_after_any <= wrong_captures + wrong_others


@kb.entry
def match_moves(
    tables: kb.WordArray,
    rows: kb.Rows,
    done: int,
    event: AnnouncedMove,
    rules: kb.KernelRules,
    opponent: Opponent,
    matches: Matches,
) -> int:
    """Write the opponent's moves on boards [N, 8] that match an announcement, until `matches` is full.

    `done` is the number of boards matched by earlier calls; returns the number matched so far.
    """
    boards, listed, weights = kb.pointer(rows), kb.pointer(matches.listed), kb.pointer(matches.listed_weights)
    scratch, turn = kb.advance(listed, kb.MAX_MOVES), event.before
    refused = turn.refused_before_any + turn.refused_after_any
    matching, matched, total, end = matches.matching_moves, matches.matching_weight, matches.total_weight, 0
    for i in range(done):
        end += matching[i]
    for i in range(done, len(rows)):
        if end + kb.MAX_MOVES > len(matches.moves):
            return i
        position = kb.load(boards, i)
        matching[i], matches.is_weighted[i], matched[i], total[i] = 0, 0, 0.0, 1.0
        count = playable(kb.pointer(tables), position, turn, listed)
        quiet = kb.quiet_info(kb.pointer(tables), position, rules)
        _, other = kb.pieces_of(position, kb.side_to_move(position))
        ep, begin = kb.ep_square(position), end
        for j in range(count):
            if not may_be_announced(other, ep, listed[j], event.code):
                continue
            code = kb.quiet_announcement(quiet, position, listed[j], rules)
            if code < 0:
                after, captured = kb.make_move(kb.pointer(tables), position, listed[j])
                code = kb.announcement(kb.pointer(tables), position, after, captured, rules, scratch)
            if code == event.code:
                matches.moves[end] = j  # an index into `listed`, until the model has weighted the list
                end += 1
        if end == begin:
            continue
        if refused > 0 and not has_enough_illegal_tries(kb.pointer(tables), position, turn, rules, count, scratch):
            end = begin
            continue
        matching[i], total[i] = end - begin, float(count)
        is_weighted = opponent(
            kb.pointer(tables), position, Announced(event.ours, event.theirs), listed, count, weights
        )
        if is_weighted:
            matches.is_weighted[i], total[i] = 1, 0.0
            for j in range(count):
                total[i] += weights[j] if weights[j] >= 0.0 else np.nan
        for k in range(begin, end):
            j = matches.moves[k]
            matches.moves[k], matches.weights[k] = listed[j], weights[j] if is_weighted else 1.0
            matched[i] += matches.weights[k]
    return len(rows)


def matches_of(
    rows: kb.Rows, event: AnnouncedMove, rules: kb.KernelRules, opponent: Opponent, threads: int = 1
) -> Matches:
    """Return the matches of boards [N, 8]; arguments as for `match_moves`. Raise BadPart for illegal weights."""
    parts = slices(max(1, len(rows)), SLICE)
    matches = mapped(lambda part: _match(rows[part], event, rules, opponent), parts, threads)
    return Matches(*map(np.concatenate, zip(*matches, strict=True)))


def _match(rows: kb.Rows, event: AnnouncedMove, rules: kb.KernelRules, opponent: Opponent) -> Matches:
    """Return the matches of one slice, without room for more."""
    moves = np.empty(len(rows) * MOVES_PER_BOARD + kb.MAX_MOVES, np.int32)
    (matching, is_weighted), (matched, total) = np.zeros((2, len(rows)), np.int64), np.empty((2, len(rows)))
    listed, listed_weights = np.empty(2 * kb.MAX_MOVES, np.int32), np.empty(kb.MAX_MOVES)
    weights, done = np.empty(len(moves)), 0
    matches = Matches(moves, weights, matching, is_weighted, matched, total, listed, listed_weights)
    while (done := match_moves(kb.TABLES, rows, done, event, rules, opponent, matches)) < len(rows):
        size = GROWTH * len(matches.moves)
        matches = matches._replace(moves=np.resize(matches.moves, size), weights=np.resize(matches.weights, size))
    if not ((total > 0.0) & (total < np.inf)).all():
        raise BadPart("the opponent model gives a weight that is not finite or not above 0")
    end = matching.sum()
    return matches._replace(moves=matches.moves[:end].copy(), weights=matches.weights[:end].copy())


@kb.entry
def write_successors(
    tables: kb.WordArray,
    rows: kb.Rows,
    matches: Matches,
    sampling: tuple[kb.IntArray, kb.RealArray, int],
    after: tuple[kb.Rows, kb.RealArray],
) -> int:
    """Write the boards after the matching moves; return their number.

    `sampling` are the number of moves to draw from each board [N], shares [N], and a seed in [0, 2^63). A board with no
    more matching moves than draws keeps them all, each with weight share * move weight. Any other board must have share
    1, since each draw weighs 1. `after` are rows and weights, written.
    """
    numbers, shares, seed = sampling
    after_rows, after_weights = after
    boards, target, matching = kb.pointer(rows), kb.pointer(after_rows), matches.matching_moves
    state, written, end = kb.mix64(kb.word(seed)), 0, 0
    for i in range(len(rows)):
        begin, end = end, end + matching[i]
        wanted, left = min(numbers[i], matching[i]), matching[i]
        if wanted == 0:
            continue
        position = kb.load(boards, i)
        takes_all, passed = wanted == left, kb.random_number(state + kb.GAMMA)
        for k in range(begin, end):
            state += kb.GAMMA
            weight = shares[i]
            if takes_all:
                weight *= matches.weights[k]
            elif matches.is_weighted[i]:  # systematic sampling: a draw at each whole number that is passed
                until = passed + matches.weights[k] * numbers[i] / matches.matching_weight[i]
                weight = float(int(until) - int(passed))
                passed = until
            elif kb.random_number(state) * left < wanted:  # selection sampling (Knuth, TAOCP 2, algorithm S)
                wanted -= 1
            else:
                weight = 0.0
            left -= 1
            if weight == 0.0:
                continue
            following, _ = kb.make_move(kb.pointer(tables), position, matches.moves[k])
            kb.store(target, written, following)
            after_weights[written] = weight
            written += 1
            if wanted == 0:
                break
    return written


@kb.entry
def keep_accepted(
    tables: kb.WordArray,
    rows: kb.Rows,
    weights: kb.RealArray,
    move: int,
    code: int,
    rules: kb.KernelRules,
    moves: kb.MoveArray,
) -> int:
    """Make our accepted try on every board where it is legal and has this announcement; drop the other boards.

    Packs rows and weights in place and returns their number. `moves` is scratch for MAX_MOVES.
    """
    boards, scratch, count = kb.pointer(rows), kb.pointer(moves), 0
    for i in range(len(rows)):
        position = kb.load(boards, i)
        _, other = kb.pieces_of(position, kb.side_to_move(position))
        may_be = may_be_announced(other, kb.ep_square(position), move, code)
        if not may_be or not kb.is_legal_try(kb.pointer(tables), position, move):
            continue
        after, captured = kb.make_move(kb.pointer(tables), position, move)
        if kb.announcement(kb.pointer(tables), position, after, captured, rules, scratch) == code:
            kb.store(boards, count, after)
            weights[count] = weights[i]
            count += 1
    return count


@kb.entry
def add_pieces(rows: kb.Rows, weights: kb.RealArray, side: int, chances: kb.RealArray) -> None:
    """Add the weight of every board [N, 8] to `chances` [6 * 64] at the type and square of each piece of a side."""
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        pieces, _ = kb.pieces_of(position, side)
        while pieces:
            square = kb.lsb(pieces)
            chances[64 * kb.type_of(position, kb.bit(square)) + square] += weights[i]
            pieces ^= kb.bit(square)


@kb.entry
def _find_legal(tables: kb.WordArray, rows: kb.Rows, move: int, is_legal: kb.IntArray, moves: kb.MoveArray) -> None:
    may_be_legal = False
    for i in range(kb.open_tries(kb.pointer(tables), kb.load(kb.pointer(rows), 0), kb.EVERYWHERE, kb.pointer(moves))):
        may_be_legal = may_be_legal or moves[i] == move
    for i in range(len(rows)):
        is_legal[i] = may_be_legal and kb.is_legal_try(kb.pointer(tables), kb.load(kb.pointer(rows), i), move)


def list_refusing(rows: kb.Rows, move: int) -> kb.IntArray:
    """Return the indices, ascending, of the boards [N, 8] on which a try is illegal.

    All boards must have the same pieces of the mover. If those rule the try out, the result is all boards.
    """
    is_legal = np.zeros(len(rows), np.int64)
    if len(rows):
        _find_legal(kb.TABLES, rows, move, is_legal, np.empty(kb.MAX_MOVES, np.int32))
    return np.flatnonzero(is_legal == 0)


@kb.entry
def _count_pawn_tries(tables: kb.WordArray, rows: kb.Rows, counts: kb.IntArray) -> None:
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        checkers, pinned = kb.check_info(kb.pointer(tables), position)
        counts[i], _, _ = kb.pawn_tries(kb.pointer(tables), position, checkers, pinned)


def list_answering(rows: kb.Rows, has_any: bool) -> kb.IntArray:
    """Return the indices, ascending, of the boards [N, 8] on which the answer to "Any?" is `has_any`."""
    counts = np.empty(len(rows), np.int64)
    _count_pawn_tries(kb.TABLES, rows, counts)
    return np.flatnonzero((counts > 0) == has_any)


@kb.kernel
def _hash(boards: kb.Words, i: int, compared: kb.Word) -> kb.Word:
    """Return a hash of a board; `compared` are the bits of its last word that count."""
    key = kb.NONE
    for j in range(7):
        key = kb.mix64(key + boards[8 * i + j] + kb.ONE)
    return kb.mix64(key + (boards[8 * i + 7] & compared) + kb.ONE)


@kb.entry
def count_boards(rows: kb.Rows, compared: kb.Word, table: kb.WordArray) -> int:
    """Return the number of distinct boards; of the last word of each only the bits of `compared` count.

    Boards of equal hashes of 64 bits count as equal. `table` is filled with 0, its size as for `merge_equal`.
    """
    boards, mask, count = kb.pointer(rows), kb.word(len(table) - 1), 0
    for i in range(len(rows)):
        key = _hash(boards, i, compared)
        bucket = key & mask
        while table[bucket] != 0 and table[bucket] != key:
            bucket = (bucket + kb.ONE) & mask
        count += table[bucket] == 0
        table[bucket] = key
    return count


@kb.entry
def merge_equal(rows: kb.Rows, weights: kb.RealArray, table: kb.IntArray) -> int:
    """Merge equal boards and add their weights; pack them in place and return their number.

    `table` is an empty hash table: filled with -1, its size a power of two above twice the number of rows.
    """
    boards, mask, count = kb.pointer(rows), kb.word(len(table) - 1), 0
    for i in range(len(rows)):
        bucket = _hash(boards, i, ~kb.NONE) & mask
        while table[bucket] >= 0:
            same = True
            for j in range(8):
                same = same and boards[8 * table[bucket] + j] == boards[8 * i + j]
            if same:
                break
            bucket = (bucket + kb.ONE) & mask
        if table[bucket] >= 0:
            weights[table[bucket]] += weights[i]
        else:
            table[bucket] = count
            kb.store(boards, count, kb.load(boards, i))
            weights[count] = weights[i]
            count += 1
    return count
