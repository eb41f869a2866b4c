"""Kernels of the particle filter: what each board says to an announcement, and what may follow from it.

For a turn of the opponent every legal move of every board is listed, and those kept whose announcement is the one
heard. A board of weight w with l legal moves, c of them matching, passes on w c / l, and w / l to each of the c: that
is Bayes' rule for an opponent who moves uniformly at random.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
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
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES, is_legal_try, legal_moves, make_move, open_tries
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
from kriegbot.kernels.silence import capture_said, is_silent, silence_of
from kriegbot.kernels.tables import TABLES

Counts = npt.NDArray[np.int64]
MASK_WORDS = MOST_MOVES // 64
"""Words of a bit mask over a list of moves."""
SQUARE = CAPTURED_PAWN_BIT - 1


@kernel(types.boolean(WORD, INT, INT, INT))
def may_sound_like(other: int, passant: int, move: int, heard: int) -> bool:
    """Whether a move captures where the announcement says, as far as its target tells.

    Args:
      other: men of the side that is not to move.
      passant: square to capture on en passant, 0 for none; whatever goes there may do so.
      move: a legal move, or one that may be.
      heard: the announcement.
    """
    target = move >> 6 & 63
    if bit(target) & other:
        return heard & SQUARE == target + 1
    return heard & SQUARE == 0 or (passant != 0 and target == passant)


@kernel(types.boolean(WORDS, POSITION, INT, MOVES))
def is_open(tables: Any, position: Position, move: int, moves: list[int]) -> bool:
    """Whether a move is among the tries of the side to move; `moves` is room to list them."""
    count = open_tries(tables, position, True, moves)
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
        count = legal_moves(pointer(tables), position, listed)
        if refused > 0 and open_tries(pointer(tables), position, True, scratch) - count < refused:
            legal[i] = 1
            continue
        legal[i] = count
        silence = silence_of(pointer(tables), position, terms)
        _, other = men_of(position, side_to_move(position))
        passant, found = en_passant_square(position), 0
        for j in range(count):
            if not may_sound_like(other, passant, listed[j], heard):
                continue
            if terms.counts_tries == 0 and is_silent(silence, position, listed[j]):
                said = capture_said(position, listed[j], terms)
            else:
                after, captured = make_move(pointer(tables), position, listed[j])
                said = announcement(pointer(tables), position, after, captured, terms, scratch)
            if said == heard:
                marked[MASK_WORDS * i + (j >> 6)] |= bit(j & 63)
                found += 1
        matching[i] = found


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

    Rows and weights are packed in place; returns how many are left. `moves` is room for MOST_MOVES.
    """
    boards, scratch = pointer(rows), pointer(moves)
    kept = 0
    for i in range(len(rows)):
        position = load(boards, i)
        _, other = men_of(position, side_to_move(position))
        if not may_sound_like(other, en_passant_square(position), move, heard):
            continue
        if not is_legal_try(pointer(tables), position, move):
            continue
        after, captured = make_move(pointer(tables), position, move)
        if announcement(pointer(tables), position, after, captured, terms, scratch) == heard:
            store(boards, kept, after)
            weights[kept] = weights[i]
            kept += 1
    return kept


@entry(INT(WORD_ARRAY, ROW_ARRAY, INT, INT_ARRAY, MOVE_ARRAY))
def _list_refusing(tables: Any, rows: Any, move: int, refusing: Any, moves: Any) -> int:
    boards = pointer(rows)
    may_be_legal = len(rows) > 0 and is_open(pointer(tables), load(boards, 0), move, pointer(moves))
    count = 0
    for i in range(len(rows)):
        if not may_be_legal or not is_legal_try(pointer(tables), load(boards, i), move):
            refusing[count] = i
            count += 1
    return count


def list_refusing(rows: Words, move: int) -> Counts:
    """Numbers, ascending, of the boards [N, 8] on which a try is illegal.

    Those are all if the mover's own men, which must be the same on each, forbid it.
    """
    refusing, moves = np.empty(len(rows), np.int64), np.empty(MOST_MOVES, np.int32)
    return refusing[: _list_refusing(TABLES, rows, move, refusing, moves)]


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
