"""Kernels of the particle filter: what each board says to an announcement, and what may follow from it.

For a turn of the opponent every legal move of every board is listed, and those kept whose announcement is the one
heard. A board of weight w with l legal moves, c of them matching, passes on w c / l, and w / l to each of the c: that
is Bayes' rule for an opponent who moves uniformly at random.
"""

from typing import Any

from numba import types

from kriegbot.kernels.hearing import CAPTURED_PAWN_BIT, TERMS, Terms, announcement
from kriegbot.kernels.jit import (
    INT,
    INT_ARRAY,
    MOVE_ARRAY,
    MOVES,
    REAL_ARRAY,
    ROW_ARRAY,
    WORD,
    WORD_ARRAY,
    WORDS,
    advance,
    entry,
    kernel,
    pointer,
    word,
)
from kriegbot.kernels.moves import MOST_MOVES, legal_moves, make_move, open_tries
from kriegbot.kernels.position import (
    NONE,
    ONE,
    POSITION,
    Position,
    bit,
    en_passant_square,
    load,
    men_of,
    side_to_move,
    store,
)
from kriegbot.kernels.random import GAMMA, mixed, uniform

MASK_WORDS = MOST_MOVES // 64
"""Words of a bit mask over a list of moves."""
SQUARE = CAPTURED_PAWN_BIT - 1


@kernel(types.boolean(POSITION, INT, INT))
def may_sound_like(position: Position, move: int, heard: int) -> bool:
    """Whether a move captures where the announcement says, as far as that is seen without making it."""
    target = move >> 6 & 63
    _, other = men_of(position, side_to_move(position))
    if bit(target) & other:
        return heard & SQUARE == target + 1
    passant = en_passant_square(position)
    if passant and target == passant and bit(move & 63) & position.pawns and (move & 63 ^ target) & 7:
        return heard & SQUARE != 0
    return heard & SQUARE == 0


@kernel(types.boolean(WORDS, POSITION, INT, MOVES))
def is_legal(tables: Any, position: Position, move: int, moves: list[int]) -> bool:
    """Whether a move is among the legal ones; `moves` is room to list them."""
    count = legal_moves(tables, position, moves)
    for i in range(count):  # noqa: SIM110 - numba compiles the loop, not any()
        if moves[i] == move:
            return True
    return False


@entry(types.void(WORD_ARRAY, ROW_ARRAY, INT, INT, TERMS, ROW_ARRAY, INT_ARRAY, INT_ARRAY, MOVE_ARRAY))
def match_moves(
    tables: Any,
    rows: Any,
    heard: int,
    refused: int,
    terms: Terms,
    masks: Any,
    matching: Any,
    legal: Any,
    moves: Any,
) -> None:
    """Find the legal moves of each of N boards that would be announced as `heard`.

    Args:
      tables: the tables.
      rows: [N, 8], the opponent to move.
      heard: the announcement.
      refused: tries of the opponent heard to be illegal before; boards without so many illegal tries match nothing.
      terms: rule set and limits.
      masks: [N, MASK_WORDS] written: bit i of the i-th legal move.
      matching: [N] written: how many match.
      legal: [N] written: how many are legal.
      moves: room for 2 * MOST_MOVES moves.
    """
    boards, listed = pointer(rows), pointer(moves)
    scratch = advance(listed, MOST_MOVES)
    marked = pointer(masks)
    for i in range(len(rows)):
        position = load(boards, i)
        for j in range(MASK_WORDS):
            marked[MASK_WORDS * i + j] = NONE
        matching[i] = 0
        if refused > 0:
            tries = open_tries(pointer(tables), position, True, listed)
            if tries - legal_moves(pointer(tables), position, listed) < refused:
                legal[i] = 1
                continue
        count = legal_moves(pointer(tables), position, listed)
        legal[i] = count
        for j in range(count):
            if not may_sound_like(position, listed[j], heard):
                continue
            after, captured = make_move(pointer(tables), position, listed[j])
            if announcement(pointer(tables), position, after, captured, terms, scratch) == heard:
                marked[MASK_WORDS * i + (j >> 6)] |= bit(j & 63)
                matching[i] += 1


@entry(
    INT(
        WORD_ARRAY,
        ROW_ARRAY,
        ROW_ARRAY,
        INT_ARRAY,
        INT_ARRAY,
        REAL_ARRAY,
        WORD,
        ROW_ARRAY,
        REAL_ARRAY,
        MOVE_ARRAY,
    )
)
def follow(
    tables: Any,
    rows: Any,
    masks: Any,
    matching: Any,
    draws: Any,
    shares: Any,
    seed: int,
    after_rows: Any,
    after_weights: Any,
    moves: Any,
) -> int:
    """Write the boards that follow from the matching moves; return how many.

    From board i come min(draws[i], matching[i]) different ones, chosen uniformly, each of weight shares[i].
    """
    boards, target, listed, marked = pointer(rows), pointer(after_rows), pointer(moves), pointer(masks)
    state = mixed(seed)
    written = 0
    for i in range(len(rows)):
        wanted, left = min(draws[i], matching[i]), matching[i]
        if wanted == 0:
            continue
        position = load(boards, i)
        count = legal_moves(pointer(tables), position, listed)
        for j in range(count):
            if not marked[MASK_WORDS * i + (j >> 6)] & bit(j & 63):
                continue
            # Selection sampling (Knuth, TAOCP 2, algorithm S): take each of the rest with probability wanted / left.
            state += GAMMA
            if uniform(state) * left < wanted:
                after, _ = make_move(pointer(tables), position, listed[j])
                store(target, written, after)
                after_weights[written] = shares[i]
                written += 1
                wanted -= 1
                if wanted == 0:
                    break
            left -= 1
    return written


@entry(INT(WORD_ARRAY, ROW_ARRAY, REAL_ARRAY, INT, INT, TERMS, MOVE_ARRAY))
def keep_accepted(tables: Any, rows: Any, weights: Any, move: int, heard: int, terms: Terms, moves: Any) -> int:
    """Make our accepted try on every board where it is legal and announced as heard; drop the others.

    Rows and weights are packed in place; returns how many are left.
    """
    boards, listed = pointer(rows), pointer(moves)
    scratch = advance(listed, MOST_MOVES)
    kept = 0
    for i in range(len(rows)):
        position = load(boards, i)
        if not may_sound_like(position, move, heard) or not is_legal(pointer(tables), position, move, listed):
            continue
        after, captured = make_move(pointer(tables), position, move)
        if announcement(pointer(tables), position, after, captured, terms, scratch) == heard:
            store(boards, kept, after)
            weights[kept] = weights[i]
            kept += 1
    return kept


@entry(INT(WORD_ARRAY, ROW_ARRAY, REAL_ARRAY, INT, MOVE_ARRAY))
def keep_refused(tables: Any, rows: Any, weights: Any, move: int, moves: Any) -> int:
    """Drop every board on which our refused try would have been legal; packed in place, returns how many are left."""
    boards, listed = pointer(rows), pointer(moves)
    kept = 0
    for i in range(len(rows)):
        position = load(boards, i)
        if not is_legal(pointer(tables), position, move, listed):
            store(boards, kept, position)
            weights[kept] = weights[i]
            kept += 1
    return kept


@entry(INT(ROW_ARRAY, REAL_ARRAY, INT_ARRAY))
def merge_equal(rows: Any, weights: Any, table: Any) -> int:
    """Make one board of equal ones, adding their weights; packed in place, returns how many are left.

    `table` is a hash table's room, a power of two above twice the number of rows, filled with -1.
    """
    boards = pointer(rows)
    mask = word(len(table) - 1)
    kept = 0
    for i in range(len(rows)):
        key = NONE
        for j in range(8):
            key = mixed(key + boards[8 * i + j] + ONE)
        place = key & mask
        while table[place] >= 0:
            same = True
            for j in range(8):
                same = same and boards[8 * table[place] + j] == boards[8 * i + j]
            if same:
                break
            place = (place + ONE) & mask
        if table[place] >= 0:
            weights[table[place]] += weights[i]
        else:
            table[place] = kept
            store(boards, kept, load(boards, i))
            weights[kept] = weights[i]
            kept += 1
    return kept
