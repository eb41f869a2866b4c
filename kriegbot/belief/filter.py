"""Kernels of the particle filter: what each board says to an announcement, and what may follow from it.

For a turn of the opponent every legal move of every board is listed, and those kept whose announcement is the one
heard. A board passes its weight on to these, to each in the proportion that the opponent model gives it among all
legal moves: that is Bayes' rule. For an opponent who moves uniformly at random, a board of weight w with l legal moves
passes on w / l to each.
"""

from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced, Opponent

ROOM_A_BOARD, GROWTH = 32, 2
"""Initial room for matching moves, for each board, and the factor by which it grows when that is not enough."""
SQUARE = kb.CAPTURED_PAWN_BIT - 1


@kb.kernel
def may_sound_like(other: kb.Word, ep: int, move: int, heard: int) -> bool:
    """Whether a move captures where the announcement says, judging by its target.

    Args:
      other: men of the side that is not to move.
      ep: square to capture on en passant, 0 for none; whatever goes there may do so.
      move: a legal move, or one that may be.
      heard: the announcement.
    """
    target = move >> 6 & 63
    if kb.bit(target) & other:
        return heard & SQUARE == target + 1
    return heard & SQUARE == 0 or (ep != 0 and target == ep)


@kb.kernel
def is_open(tables: kb.Words, position: kb.Position, move: int, moves: kb.Moves) -> bool:
    """Whether a move is among the tries of the side to move; `moves` is room to list them."""
    count = kb.open_tries(tables, position, kb.EVERYWHERE, moves)
    for i in range(count):  # noqa: SIM110 - numba compiles the loop, not any()
        if moves[i] == move:
            return True
    return False


class Event(NamedTuple):
    """An announced move of the opponent, and the two announcements before it.

    heard: the announcement. turn: refusals and answers of its turn. ours, theirs: the announcements of our move before,
    and of its own before that, as in `models.protocol.Announced`.
    """

    heard: int
    turn: kb.TurnHistory
    ours: int
    theirs: int


class Matches(NamedTuple):
    """The playable moves of N boards that would be announced as heard, as the opponent model weighs them.

    moves, weights: of all boards, one after the other. matching: [N] how many match. is_weighed: [N] 1 if the model
    weighs the moves of a board, 0 if all are equally likely, each of weight 1. matched, total: [N] the weight of the
    matching moves, and of all playable ones; total is above 0.
    """

    moves: kb.MoveArray
    weights: kb.RealArray
    matching: kb.IntArray
    is_weighed: kb.IntArray
    matched: kb.RealArray
    total: kb.RealArray

    @classmethod
    def empty(cls, boards: int) -> "Matches":
        """Room for a number of boards, and for some moves."""
        moves, matching = np.empty(boards * ROOM_A_BOARD + kb.MAX_MOVES, np.int32), np.zeros((2, boards), np.int64)
        return cls(moves, np.empty(len(moves)), *matching, *np.empty((2, boards)))

    def grown(self) -> "Matches":
        """The same with room for more moves."""
        size = GROWTH * len(self.moves)
        return self._replace(moves=np.resize(self.moves, size), weights=np.resize(self.weights, size))


class Room(NamedTuple):
    """Room to work in: for two lists of moves, and for the weights of one."""

    moves: kb.MoveArray
    weights: kb.RealArray

    @classmethod
    def empty(cls) -> "Room":
        """Room for any position."""
        return cls(np.empty(2 * kb.MAX_MOVES, np.int32), np.empty(kb.MAX_MOVES))


@kb.kernel
def captures_first(position: kb.Position, moves: kb.Moves, count: int) -> int:
    """Keep the pawn captures among `count` moves, in order; return how many there are."""
    found = 0
    for i in range(count):
        origin, target = moves[i] & 63, moves[i] >> 6 & 63
        if kb.bit(origin) & position.pawns and (origin ^ target) & 7:
            moves[found] = moves[i]
            found += 1
    return found


@kb.kernel
def playable(tables: kb.Words, position: kb.Position, turn: kb.TurnHistory, moves: kb.Moves) -> int:
    """List the legal moves that fit the answer to "Any?"; return how many they are."""
    count = kb.legal_moves(tables, position, moves)
    if turn.answer == kb.NOT_ASKED:
        return count
    captures = captures_first(position, moves, count)
    if turn.answer == kb.YES:
        return captures
    if turn.answer == kb.TRIED and captures > 0:
        return kb.legal_moves(tables, position, moves)  # again: of the list only the captures are left
    return count if turn.answer == kb.NO and captures == 0 else 0


@kb.kernel
def could_be_refused(
    tables: kb.Words, position: kb.Position, turn: kb.TurnHistory, terms: kb.KernelRules, count: int, moves: kb.Moves
) -> bool:
    """Whether at least as many tries are illegal here as were heard to be.

    `count` moves are playable; `moves` is room to list tries. Pawn captures from squares that were not announced are
    nonsense, which only the mover hears.
    """
    tries = kb.open_tries(tables, position, kb.pawns_to_try(tables, position, terms), moves)
    if turn.answer == kb.NOT_ASKED and terms.tries_announced == 0:
        return turn.refused <= tries - count
    others = kb.open_tries(tables, position, kb.NONE, moves)
    legal = kb.legal_moves(tables, position, moves)
    legal_captures = captures_first(position, moves, legal)
    wrong_captures, wrong_others = tries - others - legal_captures, others - (legal - legal_captures)
    if turn.answer != kb.NOT_ASKED and turn.since > (wrong_others if turn.answer == kb.NO else wrong_captures):
        return False
    return turn.refused + turn.since <= wrong_captures + wrong_others


@kb.entry
def match_moves(
    tables: kb.WordArray,
    rows: kb.Rows,
    done: int,
    event: Event,
    terms: kb.KernelRules,
    opponent: Opponent,
    matches: Matches,
    room: Room,
) -> int:
    """Find the moves open to the opponent on each of N boards that would be announced as heard, while there is room.

    Returns how many boards are done.

    Args:
      tables: the tables.
      rows: [N, 8], the opponent to move.
      done: how many boards were done before.
      event: what was heard; boards that do not fit what was heard before the move match nothing.
      terms: rule set and limits.
      opponent: the opponent model.
      matches: written.
      room: to work in.
    """
    boards, listed, weights = kb.pointer(rows), kb.pointer(room.moves), kb.pointer(room.weights)
    scratch = kb.advance(listed, kb.MAX_MOVES)
    matching, matched, total, end = matches.matching, matches.matched, matches.total, 0
    for i in range(done):
        end += matching[i]
    for i in range(done, len(rows)):
        if end + kb.MAX_MOVES > len(matches.moves):
            return i
        position = kb.load(boards, i)
        matching[i], matches.is_weighed[i], matched[i], total[i] = 0, 0, 0.0, 1.0
        turn = event.turn
        count = playable(kb.pointer(tables), position, turn, listed)
        silence = kb.quiet_info(kb.pointer(tables), position, terms)
        _, other = kb.pieces_of(position, kb.side_to_move(position))
        ep, begin = kb.ep_square(position), end
        for j in range(count):
            if not may_sound_like(other, ep, listed[j], event.heard):
                continue
            said = kb.quiet_announcement(silence, position, listed[j], terms)
            if said < 0:
                after, captured = kb.make_move(kb.pointer(tables), position, listed[j])
                said = kb.announcement(kb.pointer(tables), position, after, captured, terms, scratch)
            if said == event.heard:
                matches.moves[end] = j  # its place in the list, until the list is weighed
                end += 1
        if end == begin:
            continue
        if turn.refused + turn.since > 0 and not could_be_refused(
            kb.pointer(tables), position, turn, terms, count, scratch
        ):
            end = begin
            continue
        matching[i], total[i] = end - begin, float(count)
        is_weighed = opponent(kb.pointer(tables), position, Announced(event.ours, event.theirs), listed, count, weights)
        if is_weighed:
            matches.is_weighed[i], total[i] = 1, 0.0
            for j in range(count):
                total[i] += weights[j]
        for k in range(begin, end):
            j = matches.moves[k]
            matches.moves[k], matches.weights[k] = listed[j], weights[j] if is_weighed else 1.0
            matched[i] += matches.weights[k]
    return len(rows)


def matches_of(rows: kb.Rows, event: Event, terms: kb.KernelRules, opponent: Opponent) -> Matches:
    """The matches of boards [N, 8]; arguments as for `match_moves`."""
    matches, room = Matches.empty(len(rows)), Room.empty()
    done = match_moves(kb.TABLES, rows, 0, event, terms, opponent, matches, room)
    while done < len(rows):
        matches = matches.grown()
        done = match_moves(kb.TABLES, rows, done, event, terms, opponent, matches, room)
    return matches


@kb.entry
def follow(
    tables: kb.WordArray,
    rows: kb.Rows,
    matches: Matches,
    draws: tuple[kb.IntArray, kb.RealArray, int],
    after: tuple[kb.Rows, kb.RealArray],
) -> int:
    """Write the boards that follow from the matching moves; return how many.

    Args:
      tables: the tables.
      rows: [N, 8], the opponent to move.
      matches: theirs.
      draws: how many [N], shares [N], and a seed in [0, 2^63). Where a board has no more matching moves than draws, all
        of them follow, each of weight share times its own. Elsewhere moves are drawn, each of weight 1 a draw.
      after: rows and weights, written.
    """
    how_many, shares, seed = draws
    after_rows, after_weights = after
    boards, target, matching = kb.pointer(rows), kb.pointer(after_rows), matches.matching
    state = kb.mixed(kb.word(seed))
    written, end = 0, 0
    for i in range(len(rows)):
        begin, end = end, end + matching[i]
        wanted, left = min(how_many[i], matching[i]), matching[i]
        if wanted == 0:
            continue
        position = kb.load(boards, i)
        takes_all, mark = wanted == left, kb.uniform(state + kb.GAMMA)
        for k in range(begin, end):
            state += kb.GAMMA
            weight = shares[i]
            if takes_all:
                weight *= matches.weights[k]
            elif matches.is_weighed[i]:  # systematic sampling: one draw at each whole number that is passed
                until = mark + matches.weights[k] * how_many[i] / matches.matched[i]
                weight = float(int(until) - int(mark))
                mark = until
            elif kb.uniform(state) * left < wanted:  # selection sampling (Knuth, TAOCP 2, algorithm S)
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
    heard: int,
    terms: kb.KernelRules,
    moves: kb.MoveArray,
) -> int:
    """Make our accepted try on every board where it is legal and announced as heard; drop the others.

    Rows and weights are packed in place; returns how many are left. `moves` is room for MAX_MOVES.
    """
    boards, scratch = kb.pointer(rows), kb.pointer(moves)
    kept = 0
    for i in range(len(rows)):
        position = kb.load(boards, i)
        _, other = kb.pieces_of(position, kb.side_to_move(position))
        if not may_sound_like(other, kb.ep_square(position), move, heard):
            continue
        if not kb.is_legal_try(kb.pointer(tables), position, move):
            continue
        after, captured = kb.make_move(kb.pointer(tables), position, move)
        if kb.announcement(kb.pointer(tables), position, after, captured, terms, scratch) == heard:
            kb.store(boards, kept, after)
            weights[kept] = weights[i]
            kept += 1
    return kept


@kb.entry
def _list_refusing(tables: kb.WordArray, rows: kb.Rows, move: int, refusing: kb.IntArray, moves: kb.MoveArray) -> int:
    boards = kb.pointer(rows)
    may_be_legal = len(rows) > 0 and is_open(kb.pointer(tables), kb.load(boards, 0), move, kb.pointer(moves))
    count = 0
    for i in range(len(rows)):
        if not may_be_legal or not kb.is_legal_try(kb.pointer(tables), kb.load(boards, i), move):
            refusing[count] = i
            count += 1
    return count


def list_refusing(rows: kb.Rows, move: int) -> kb.IntArray:
    """Numbers, ascending, of the boards [N, 8] on which a try is illegal.

    Those are all if the mover's own men, which must be the same on each, forbid it.
    """
    refusing, moves = np.empty(len(rows), np.int64), np.empty(kb.MAX_MOVES, np.int32)
    return refusing[: _list_refusing(kb.TABLES, rows, move, refusing, moves)]


@kb.entry
def _list_answering(tables: kb.WordArray, rows: kb.Rows, has_any: bool, answering: kb.IntArray) -> int:
    boards, count = kb.pointer(rows), 0
    for i in range(len(rows)):
        position = kb.load(boards, i)
        checkers, pinned = kb.check_info(kb.pointer(tables), position)
        count_of_captures, _, _ = kb.pawn_tries(kb.pointer(tables), position, checkers, pinned)
        if (count_of_captures > 0) == has_any:
            answering[count] = i
            count += 1
    return count


def list_answering(rows: kb.Rows, has_any: bool) -> kb.IntArray:
    """Numbers, ascending, of the boards [N, 8] on which the side to move has a legal pawn capture, or has none."""
    answering = np.empty(len(rows), np.int64)
    return answering[: _list_answering(kb.TABLES, rows, has_any, answering)]


@kb.entry
def merge_equal(rows: kb.Rows, weights: kb.RealArray, table: kb.IntArray) -> int:
    """Merge equal boards, adding their weights; packed in place, returns how many are left.

    `table` is a hash table's room, a power of two above twice the number of rows, filled with -1.
    """
    boards = kb.pointer(rows)
    mask = kb.word(len(table) - 1)
    kept = 0
    for i in range(len(rows)):
        key = kb.NONE
        for j in range(8):
            key = kb.mixed(key + boards[8 * i + j] + kb.ONE)
        place = key & mask
        while table[place] >= 0:
            same = True
            for j in range(8):
                same = same and boards[8 * table[place] + j] == boards[8 * i + j]
            if same:
                break
            place = (place + kb.ONE) & mask
        if table[place] >= 0:
            weights[table[place]] += weights[i]
        else:
            table[place] = kept
            kb.store(boards, kept, kb.load(boards, i))
            weights[kept] = weights[i]
            kept += 1
    return kept
