"""The fewest lines of a puzzle's log that force its answer.

What lines force is counted on all positions that fit them. A position fits some lines if legal moves lead to it, ours
the moves of the game, that the referee announces as these lines say, whatever it announces on other lines. A chain
forces the answer, and without any one of its lines it does not. It is the shortest that needs at most MOST positions at
any moment. For *tells* the answer is the try with the most information on these positions.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import chess
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks is no package

from puzzles import outcomes

from kriegbot import kernels as kb
from kriegbot.belief.filter import has_enough_illegal_tries, may_be_announced
from kriegbot.belief.particles import Particles, merged, normalized
from kriegbot.narration.learning import Puzzle, leads_to_mate
from referee import Answer, OpponentMoved, OpponentRefused, OwnTry, View

LONGEST, MOST, MOST_TOLD, MOST_KINGS, MOST_DRAWN = 5, 60_000, 3_000, 64, 400_000
"""Maximum number of lines in a chain, of positions at any moment, and at the end for *tells* and *mate*, and
of positions drawn to find one that a chain without a line does not exclude."""
CHUNK, MOST_KNOWN, MOST_WORK = 2_000, 120, 6_000_000
"""Boards whose successors are written at once, sets of positions that are remembered, and boards for one puzzle."""
CLOCK = np.uint64(0xFFFF << 16)
UNASKED = kb.TurnHistory(0, kb.NOT_ASKED, 0)


@kb.entry
def _follow(
    tables: kb.WordArray,
    rows: kb.Rows,
    weights: kb.RealArray,
    event: tuple[int, int, bool, bool],
    turn: kb.TurnHistory,
    rules: kb.KernelRules,
    after: tuple[kb.Rows, kb.RealArray],
    moves: kb.MoveArray,
) -> int:
    """Write the boards after a move; return their number.

    `event` is the move, -1 for any; its announcement, -1 for any that ends nothing; True if the weight is divided; and
    True if it is the last one. Other positions without a move vanish at the next event.
    """
    move, code, is_theirs, is_last = event
    after_rows, after_weights = after
    listed, count = kb.pointer(moves), 0
    scratch = kb.advance(listed, kb.MAX_MOVES)
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        legal = kb.legal_moves(kb.pointer(tables), position, listed)
        _, other = kb.pieces_of(position, kb.side_to_move(position))
        if turn.refused_before_any > 0 and not has_enough_illegal_tries(
            kb.pointer(tables), position, turn, rules, legal, scratch
        ):
            continue
        for j in range(legal):
            if move >= 0 and listed[j] != move:
                continue
            if code >= 0 and not may_be_announced(other, kb.ep_square(position), listed[j], code):
                continue
            following, captured = kb.make_move(kb.pointer(tables), position, listed[j])
            if code >= 0 or is_last:
                announced = kb.announcement(kb.pointer(tables), position, following, captured, rules, scratch)
                if announced != code and (code >= 0 or kb.announced_end(announced) != 0):
                    continue
            elif kb.is_dead(following, rules):
                continue
            kb.store(kb.pointer(after_rows), count, following)
            after_weights[count] = weights[i] / legal if is_theirs else weights[i]
            count += 1
    return count


@kb.entry
def _refusing(tables: kb.WordArray, rows: kb.Rows, move: int, refuses: kb.IntArray, moves: kb.MoveArray) -> None:
    """Write 1 for each board on which a move is illegal."""
    listed = kb.pointer(moves)
    for i in range(len(rows)):
        refuses[i] = 1
        for j in range(kb.legal_moves(kb.pointer(tables), kb.load(kb.pointer(rows), i), listed)):
            if listed[j] == move:
                refuses[i] = 0


@kb.entry
def _origins(tables: kb.WordArray, rows: kb.Rows, square: int, origins: kb.WordArray, moves: kb.MoveArray) -> None:
    """Write for each board the squares from which the side to move can go to a square."""
    listed = kb.pointer(moves)
    for i in range(len(rows)):
        origins[i] = kb.NONE
        for j in range(kb.legal_moves(kb.pointer(tables), kb.load(kb.pointer(rows), i), listed)):
            if listed[j] >> 6 & 63 == square:
                origins[i] |= kb.bit(listed[j] & 63)


Claim = Callable[[Particles], bool]
Lines = frozenset[int]


class Relaxed:
    """The positions of one side of a game that fit some lines of its log.

    Args:
      view: of that side.
      lines: number of the line of each event.
      most: maximum number of positions; MOST, if it is 0.
      is_drawn: True if positions are drawn at random from more than these.
    """

    def __init__(self, view: View, lines: list[int], *, most: int = 0, is_drawn: bool = False) -> None:
        self.view, self.lines, self._most, self._is_drawn = view, lines, most or MOST, is_drawn
        self._rules = kb.kernel_rules(view.rules, view.limits)

        start = kb.from_board(chess.Board(view.start)).reshape(1, 8)
        self._start = Particles(start, np.ones(1), is_exact=True)
        self.work = 0  # boards whose successors were written
        self._known: dict[tuple[int, Lines], Particles | None] = {}

    def at(self, i: int, used: Lines) -> Particles | None:
        """Return the positions before event `i` that fit these lines; None if there are more than `most`."""
        if i == 0:
            return self._start
        key = i, used & frozenset(self.lines[:i])
        if key not in self._known:
            held = self.at(i - 1, key[1])
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = None if held is None else self._after(held, i - 1, used)
        return self._known[key]

    def end(self, used: Lines) -> Particles | None:
        """Return the positions at the end that fit these lines; None if there are more than `most`."""
        return self.at(len(self.lines), used)

    def _after(self, held: Particles, i: int, used: Lines) -> Particles | None:
        event, is_used = self.view.events[i], self.lines[i] in used
        if isinstance(event, OpponentMoved):
            code = kb.encode_announcement(event.announcement) if is_used else -1
            has_refused = i > 0 and isinstance(self.view.events[i - 1], OpponentRefused) and self.lines[i - 1] in used
            return self._moved(held, i, (-1, code, kb.turn_history(self.view, i) if has_refused else UNASKED))
        if not isinstance(event, OwnTry) or not (is_used or event.answer is Answer.ACCEPTED):
            return held
        move = kb.encode_move(event.move)
        if event.answer is Answer.ACCEPTED:
            code = kb.encode_announcement(event.announcement) if is_used and event.announcement else -1
            return self._moved(held, i, (move, code, UNASKED))
        ours = held.rows[:, 5 + kb.side_of(self.view.color)] & np.uint64(1 << event.move.from_square)
        refuses = refusing(held, event.move)
        return kept(held, (refuses == 1) & (ours != 0))

    def _moved(self, held: Particles, i: int, event: tuple[int, int, kb.TurnHistory]) -> Particles | None:
        move, code, turn = event
        self.work += len(held)
        what = move, code, move < 0, i == len(self.lines) - 1
        moves, merged_, size = np.empty(2 * kb.MAX_MOVES, np.int32), _none(), 0
        after = np.empty((CHUNK * kb.MAX_MOVES, 8), np.uint64), np.empty(CHUNK * kb.MAX_MOVES)
        for at in range(0, len(held), CHUNK):
            rows, weights = held.rows[at : at + CHUNK], held.weights[at : at + CHUNK]
            count = _follow(kb.TABLES, rows, weights, what, turn, self._rules, after, moves)
            after[0][:count, 7] &= ~CLOCK
            rows = np.concatenate([merged_.rows, after[0][:count]])
            weights = np.concatenate([merged_.weights * size, after[1][:count]])
            size, merged_ = weights.sum(), merged(rows, weights, is_exact=True)
            if len(merged_) > self._most:
                if not self._is_drawn:
                    return None
                merged_ = kept(merged_, np.random.default_rng(at).permutation(len(merged_))[: self._most])
        return merged_


def _none() -> Particles:
    return Particles(np.empty((0, 8), np.uint64), np.empty(0), is_exact=True)


def kept(held: Particles, which: np.ndarray) -> Particles:
    """Return some of the positions; their weights sum to 1 again."""
    return normalized(held.rows[which], held.weights[which], True, True)


def refusing(held: Particles, move: chess.Move) -> kb.IntArray:
    """Return for each position [N] 1 if a move is illegal, else 0."""
    refuses = np.empty(len(held), np.int64)
    _refusing(kb.TABLES, held.rows, kb.encode_move(move), refuses, np.empty(kb.MAX_MOVES, np.int32))
    return refuses


def origins(held: Particles, square: chess.Square) -> kb.WordArray:
    """Return for each position the squares from which the side to move can go to a square."""
    found = np.empty(len(held), np.uint64)
    _origins(kb.TABLES, held.rows, square, found, np.empty(kb.MAX_MOVES, np.int32))
    return found


def smallest(relaxed: Relaxed, claim: Claim) -> Lines | None:
    """Return the fewest lines that force a claim; None if no LONGEST lines are found to, within MOST_WORK."""
    for length in range(LONGEST + 1):
        found = _search(relaxed, claim, 0, frozenset(), length)
        if found is not None:
            return found
    return None


def _search(relaxed: Relaxed, claim: Claim, i: int, used: Lines, left: int) -> Lines | None:
    """Return the lines `used` and at most `left` more, from event `i` on, that force a claim."""
    if relaxed.work > MOST_WORK:
        return None
    end = relaxed.end(used | frozenset(relaxed.lines[i:] if left else ()))
    if end is None or not claim(end):
        return None
    if not left or i == len(relaxed.lines):
        return used
    line, event = relaxed.lines[i], relaxed.view.events[i]
    after = i + relaxed.lines.count(line)
    found = _search(relaxed, claim, after, used, left)
    without, with_ = relaxed.at(after, used), relaxed.at(after, used | {line})
    is_idle = without is not None and with_ is not None and len(with_) == len(without)
    if found is not None or with_ is None or (is_idle and not isinstance(event, OpponentRefused)):
        return found
    return _search(relaxed, claim, after, used | {line}, left - 1)


def claim_of(puzzle: Puzzle, view: View, most_told: int = 0) -> Claim:
    """Return what a puzzle claims of the positions that are left."""
    answers = puzzle.answers
    if puzzle.kind == "king":
        return lambda held: squares_of(king_squares(view, held)) == [chess.parse_square(answers[0])]
    if puzzle.kind == "capture":
        square = target_of(view)
        if answers[0] == "yes":
            return lambda held: len(held) > 0 and not origins(held, square).any()
        return lambda held: len(held) > 0 and bool(origins(held, square).all())
    moves = [chess.Move.from_uci(code) for code in answers]
    if puzzle.kind == "tells":
        return lambda held: 0 < len(held) <= most_told and best_of(view, held) == moves[0]

    def mates(held: Particles) -> bool:
        boards = [kb.to_board(row) for row in held.rows[: MOST_KINGS + 1]]
        is_few = 0 < len(boards) <= MOST_KINGS
        return is_few and all(leads_to_mate(boards, move, int(puzzle.facts[0]), view.rules) for move in moves)

    return mates


def best_of(view: View, held: Particles) -> chess.Move | None:
    """Return the try with the most information; None if two have it."""
    bits = dict[chess.Move, float]()
    for move in view.tries():
        _, group = np.unique(answers_of(view, held, move), return_inverse=True)
        shares = np.bincount(group, held.weights)
        bits[move] = float(-(shares * np.log2(shares)).sum())
    best, second = sorted(bits, key=lambda move: -bits[move])[:2]
    return best if bits[best] > bits[second] + 1e-9 else None


def answers_of(view: View, held: Particles, move: chess.Move) -> kb.IntArray:
    """Return the code of the referee's answer to a try [N]; -1 for a refusal."""
    has = refusing(held, move) == 0
    codes = np.full(len(held), -1, np.int64)
    codes[has] = outcomes(view, kept(held, has), np.array([kb.encode_move(move)], np.int32))[0]
    return codes


def chain_of(puzzle: Puzzle, relaxed: Relaxed) -> Lines | None:
    """Return the lines of a puzzle's chain; None if there is none within the limits of positions and work."""
    claim = claim_of(puzzle, relaxed.view, MOST_TOLD)
    for most in (MOST, MOST // 3):  # fewer positions leave fewer chains to search
        used = smallest(Relaxed(relaxed.view, relaxed.lines, most=most), claim)
        if used is not None:
            return minimal(puzzle, relaxed, used)
    return None


def minimal(puzzle: Puzzle, relaxed: Relaxed, used: Lines) -> Lines | None:
    """Return those of the lines that no other one makes superfluous; None if that cannot be proved."""
    claim = claim_of(puzzle, relaxed.view, MOST)
    for line in sorted(used):
        end = relaxed.end(used - {line})
        if end is not None and claim(end):
            return minimal(puzzle, relaxed, used - {line})
        if end is None and not refuted(puzzle, relaxed, used - {line}):
            return None
    return used


def refuted(puzzle: Puzzle, relaxed: Relaxed, used: Lines) -> bool:
    """Return True if some of the positions that fit these lines, drawn at random, contradict a puzzle's claim."""
    drawn = Relaxed(relaxed.view, relaxed.lines, most=MOST_DRAWN, is_drawn=True).end(used)
    assert drawn is not None
    return puzzle.kind != "tells" and len(drawn) > 0 and not claim_of(puzzle, relaxed.view)(drawn)


def king_squares(view: View, held: Particles) -> kb.WordArray:
    """Return the square of the enemy king in each position, as a bit [N]."""
    return held.rows[:, 4] & held.rows[:, 5 + kb.side_of(not view.color)]


def squares_of(bits: kb.WordArray) -> list[chess.Square]:
    """Return all squares of some sets [N], the lowest first."""
    return list(chess.SquareSet(int(np.bitwise_or.reduce(bits)))) if len(bits) else []


def target_of(view: View) -> chess.Square:
    """Return the square of the last try."""
    last = view.events[-1]
    assert isinstance(last, OwnTry)
    return last.move.to_square
