"""Add to each puzzle its chain: the fewest lines of its log that force the answer, and what each of them leaves.

    nice python benchmarks/chains.py kriegbot/narration/puzzles.jsonl.gz

What lines force is counted on all positions that fit them. A position fits some lines if legal moves lead to it, ours
the moves of the game, that the referee announces as these lines say, whatever it announces on other lines. A chain
forces the answer, and without any one of its lines it does not. It is the shortest that needs at most MOST positions at
any moment. For *tells* the answer is the try with the most information on these positions. Where no chain of at most
LONGEST lines is found, the puzzle becomes hard, and a sentence says what most positions have in common. Puzzles that
have a chain keep it.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks is no package

from puzzles import line_of, outcomes

from kriegbot import kernels as kb
from kriegbot.belief.filter import has_enough_illegal_tries, may_be_announced
from kriegbot.belief.particles import Particles, merged, normalized
from kriegbot.narration.diary import side_name
from kriegbot.narration.learning import Puzzle, leads_to_mate
from kriegbot.players.human import try_name
from referee import Answer, CapturedKind, Check, Event, OpponentMoved, OpponentRefused, OwnTry, View
from referee.text import counted, listed
from referee.view import views_until

LONGEST, MOST, MOST_TOLD, MOST_KINGS, MOST_DRAWN = 5, 60_000, 3_000, 64, 400_000
"""Maximum number of lines in a chain, of positions at any moment, and at the end for *tells* and *mate*, and
of positions drawn to find one that a chain without a line does not exclude."""
MOST_NAMED, MOST_TYPES = 4, 4
"""Maximum number of squares that a sentence names, and least number of types of pieces that it does not."""
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


# Claims


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


# Sentences


def king_squares(view: View, held: Particles) -> kb.WordArray:
    """Return the square of the enemy king in each position, as a bit [N]."""
    return held.rows[:, 4] & held.rows[:, 5 + kb.side_of(not view.color)]


def squares_of(bits: kb.WordArray) -> list[chess.Square]:
    """Return all squares of some sets [N], the lowest first."""
    return list(chess.SquareSet(int(np.bitwise_or.reduce(bits)))) if len(bits) else []


def named(squares: list[chess.Square], word: str = "or") -> str:
    """Return squares as a list: "a5, b5 or c5"."""
    return listed([chess.square_name(square) for square in squares], word)


def types_on(held: Particles, square: chess.Square, color: chess.Color) -> list[chess.PieceType]:
    """Return the types of a side's pieces on a square in any position, in the order of their numbers."""
    bit = np.uint64(1 << square)
    _, first = np.unique(held.rows[:, :7] & bit, axis=0, return_index=True)
    found = [kb.to_board(row).piece_at(square) for row in held.rows[first]]
    return sorted({piece.piece_type for piece in found if piece and piece.color == color})


def pieces(types: list[chess.PieceType]) -> str:
    """Return types as alternatives: "a pawn or the king"."""
    return listed([f"{'the' if one == chess.KING else 'a'} {chess.piece_name(one)}" for one in types], "or")


def why_refused(view: View, held: Particles, move: chess.Move) -> str:
    """Return why a try is illegal in each of some positions, as a clause; `view` is that before the try."""
    theirs, piece = held.rows[:, 5 + kb.side_of(not view.color)], view.men[move.from_square]
    path, is_push = chess.SquareSet(chess.between(move.from_square, move.to_square)), False
    if piece == chess.PAWN:
        is_push = chess.square_file(move.from_square) == chess.square_file(move.to_square)
        path |= chess.SquareSet.from_square(move.to_square)
    blocked = theirs & np.uint64(int(path))
    reasons = []
    if piece == chess.PAWN and not is_push:
        is_stopped = blocked == 0
        if is_stopped.any():
            reasons.append(f"there is nothing to take on {chess.square_name(move.to_square)}")
    else:
        is_stopped = blocked != 0
        if is_stopped.any():
            reasons.append(f"something stands on {named(squares_of(blocked))}")
    if not is_stopped.all():
        where = f" on {chess.square_name(move.to_square)}" if piece == chess.KING else ""
        reasons.append(f"your king would be in check{where}")
    return ", or ".join(reasons)


class Story:
    """The sentences about the lines of a chain."""

    def __init__(self, puzzle: Puzzle, relaxed: Relaxed, used: Lines) -> None:
        self.puzzle, self.relaxed, self.used, self.view = puzzle, relaxed, used, relaxed.view
        self.enemy = side_name(not self.view.color)
        self.views = list(views_until(self.view))

    def links(self) -> list[tuple[int, str]]:
        """Return each line with its sentences."""
        return [(line, self._link(line)) for line in sorted(self.used)]

    def _link(self, line: int) -> str:
        first, times = self.relaxed.lines.index(line), self.relaxed.lines.count(line)
        event = self.view.events[first]
        end = first + times + isinstance(event, OpponentRefused)
        after, free = self.relaxed.at(end, self.used), self.relaxed.at(end, self.used - {line})
        assert after is not None
        if isinstance(event, OpponentRefused):
            clauses = [f"{self.enemy} has at least {counted(times, 'illegal try', 'illegal tries')}"]
        elif isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL:
            clauses = [why_refused(self.views[first], after, event.move)]
        elif isinstance(event, OwnTry):
            clauses = self._own(event, first)
        else:
            assert isinstance(event, OpponentMoved)
            clauses = self._theirs(event, self.views[first + 1], after)
        sentences = [*clauses, *self._leaves(line, after, free, event)]
        return " ".join(f"{one[0].upper()}{one[1:]}." for one in sentences)

    def _own(self, event: OwnTry, at: int) -> list[str]:
        announcement, target, clauses = event.announcement, event.move.to_square, list[str]()
        before = self.relaxed.at(at, self.used)
        assert announcement is not None
        assert before is not None
        if announcement.capture == target and (announcement.captured or not announcement.checks):
            types = types_on(before, target, not self.view.color)
            if announcement.captured:
                is_pawn = announcement.captured is CapturedKind.PAWN
                types = [one for one in types if (one == chess.PAWN) == is_pawn]
            is_news = types != [chess.PAWN] or not announcement.captured
            clauses += [f"what you took was {pieces(types)}"] * (is_news and len(types) < MOST_TYPES)
        if announcement.pawn_tries is not None and self.puzzle.kind in ("capture", "tells"):
            is_any = announcement.pawn_tries.at_least > 0
            can = "a pawn of {} can take something" if is_any else "no pawn of {} can take anything"
            clauses.append(can.format(self.enemy))
        if announcement.capture is not None and not announcement.checks and not clauses:
            clauses.append(f"you took something on {chess.square_name(announcement.capture)}")
        is_quiet = self.puzzle.kind in ("king", "mate") and not announcement.checks and announcement.capture is None
        return clauses + ["it gave no check"] * is_quiet

    def _theirs(self, event: OpponentMoved, now: View, after: Particles) -> list[str]:
        announcement, clauses, them = event.announcement, list[str](), not self.view.color
        if announcement.captured_square is not None and announcement.capture is not None:
            types = types_on(after, announcement.capture, them)
            if 0 < len(types) < MOST_TYPES:
                is_other = self.puzzle.kind in ("king", "mate") and chess.KING not in types
                stayed = ", so the king stayed where it was" if is_other else ""
                clauses.append(f"{pieces(types)} took on {chess.square_name(announcement.capture)}{stayed}")
            else:
                clauses.append(f"{self.enemy} spent this move on {chess.square_name(announcement.capture)}")
        if announcement.checks:
            boards = [kb.to_board(row) for row in after.rows]
            found = {(board.piece_type_at(square) or 0, square) for board in boards for square in board.checkers()}
            squares = sorted({square for _, square in found})
            where = f" on {named(squares)}" if len(squares) <= MOST_NAMED else ""
            clauses.append(f"the check comes from {pieces(sorted({one for one, _ in found}))}{where}")
        elif announcement.pawn_tries is not None:
            pawns = [square for square, piece in now.men.items() if piece == chess.PAWN]
            targets = {one for pawn in pawns for one in chess.SquareSet(chess.BB_PAWN_ATTACKS[self.view.color][pawn])}
            taken = set(squares_of(after.rows[:, 5 + kb.side_of(them)])) & targets
            if announcement.pawn_tries.at_least:
                where = f"something that your pawns can take stands on {named(sorted(taken))}"
                clauses.append(where if len(taken) <= MOST_NAMED else "one of your pawns can take something")
            elif not clauses:
                empty = sorted(targets - taken - set(now.men))
                few = f"nothing stands on {named(empty)}" if 0 < len(empty) <= MOST_NAMED else ""
                clauses.append(few or "nothing stands where your pawns could take it")
        return clauses or ["nothing was taken, and there is no check"] * (announcement.pawn_tries is None)

    def _leaves(self, line: int, after: Particles, free: Particles | None, event: Event) -> list[str]:
        kind, squares = self.puzzle.kind, squares_of(king_squares(self.view, after))
        before = None if free is None else squares_of(king_squares(self.view, free))
        checks = getattr(getattr(event, "announcement", None), "checks", 0) if isinstance(event, OwnTry) else 0
        texts = []
        if kind in ("king", "mate") or checks:
            if len(squares) <= MOST_NAMED and (squares != before or kind == "king"):
                is_over = line == self.relaxed.lines[-1]
                texts.append(f"so the king {'is' if is_over else 'was then'} on {named(squares)}")
            elif before is None or len(squares) < len(before):
                texts.append(f"that leaves the king {len(squares)} squares")
        if kind == "capture":
            without = self.relaxed.end(self.used - {line})
            if without is None:
                without = Relaxed(self.view, self.relaxed.lines, most=MOST_DRAWN, is_drawn=True).end(self.used - {line})
            assert without is not None
            from_ = origins(without, target_of(self.view))
            if self.puzzle.answers[0] == "no":
                texts.append(f"without this line {chess.square_name(target_of(self.view))} might be safe")
            else:
                found = squares_of(from_)
                where = f"from {named(found)}" if len(found) <= MOST_NAMED else ""
                texts.append(f"without this line {self.enemy} might take back {where}".rstrip())
        if kind == "tells" and free is not None and len(after) < len(free):
            texts.append(f"that leaves {len(after):,} of {len(free):,} positions")
        return texts

    def end(self, links: list[tuple[int, str]]) -> str:
        """Return what the chain proves, after what its lines say."""
        held, kind, view = self.relaxed.end(self.used), self.puzzle.kind, self.view
        assert held is not None
        start = "So " if self.used else "No announcement is needed. By your own moves alone, "
        if kind == "tells":
            start = "By these lines alone, " if self.used else start
            return f"{start}no other try has an answer that is so hard to predict."
        squares = squares_of(king_squares(view, held))
        if kind != "capture":
            if links and " is on " in links[-1][1]:
                return ""
            where = named(squares) if len(squares) <= MOST_NAMED else f"one of {len(squares)} squares"
            if links and f" was then on {where}." in links[-1][1]:
                return "It must still be there."
            return f"Since then it can only have come to {where}." if self.used else f"{start}the king is on {where}."
        square = target_of(view)
        on, from_ = chess.square_name(square), origins(held, square)
        if self.puzzle.answers[0] == "yes":
            before = self.relaxed.at(len(self.relaxed.lines) - 1, self.used)
            assert before is not None
            types = types_on(before, square, not view.color)
            took = f"you took {pieces(types)}, and " if len(types) < MOST_TYPES - 1 else ""
            return f"{start}{took}nothing can take back on {on}."
        always = list(chess.SquareSet(int(np.bitwise_and.reduce(from_))))
        if always:
            return f"{start}{pieces(types_on(held, always[0], not view.color))} on {named(always[:1])} can take back."
        is_few = len(squares_of(from_)) <= MOST_NAMED
        where = f"from {named(squares_of(from_))}" if is_few else "though not always from the same square"
        return f"{start}something can always take back, {where}."


def target_of(view: View) -> chess.Square:
    """Return the square of the last try."""
    last = view.events[-1]
    assert isinstance(last, OwnTry)
    return last.move.to_square


def answer_meanings(view: View, held: Particles, move: chess.Move) -> str:
    """Return what stands where if the referee answers a try in one way or another."""
    codes, name = answers_of(view, held, move), try_name(move, view)
    there = held.rows[:, 5 + kb.side_of(not view.color)] & np.uint64(1 << move.to_square) != 0
    refused, taken = kept(held, codes < 0), kept(held, (codes >= 0) & there)
    checks = codes >> kb.CHECK_SHIFT & sum(Check)
    checking = kept(held, (codes >= 0) & (checks != 0))
    texts = []
    if len(taken):
        takes = pieces(types_on(taken, move.to_square, not view.color))
        texts.append(f"It captures if {takes} stands on {chess.square_name(move.to_square)}.")
    if ((codes >= 0) & ~there & (codes & (kb.CAPTURED_PAWN_BIT - 1) != 0)).any():
        texts.append(f"It also captures a pawn that has just passed {chess.square_name(move.to_square)}.")
    if len(refused):
        texts.append(f"The referee refuses it if {why_refused(view, refused, move)}.")
    if len(checking):
        squares = squares_of(king_squares(view, checking))
        where = named(squares) if len(squares) <= MOST_NAMED else f"one of {len(squares)} squares"
        texts.append(f"It gives check if the king is on {where}.")
    if len(np.unique(codes[codes >= 0] >> kb.TRIES_SHIFT & 31)) > 1:
        texts.append(f"The number of pawn tries tells how many pawn captures {side_name(not view.color)} then has.")
    begin = texts[0].replace("refuses it", f"refuses {name}") if texts[0][0] == "T" else name + texts[0][2:]
    return " ".join([begin, *texts[1:]])


def dominating(puzzle: Puzzle, view: View, held: Particles) -> str:
    """Return what most positions have in common, but not all, where the answer hangs on it."""
    found, them = Counter[str](), not view.color
    if puzzle.kind == "tells":
        target = chess.Move.from_uci(puzzle.answers[0]).to_square
        there = int(np.count_nonzero(held.rows[:, 5 + kb.side_of(them)] & np.uint64(1 << target)))
        found[f"nothing stands on {chess.square_name(target)}"] = len(held) - there
        found[f"something stands on {chess.square_name(target)}"] = there
    for row in held.rows if puzzle.kind != "tells" else ():
        board = kb.to_board(row)
        squares = set(chess.SquareSet(board.occupied_co[them]))
        if puzzle.kind == "capture":
            squares = {one.from_square for one in board.legal_moves if one.to_square == target_of(view)}
        for square in squares:
            piece, on = pieces([board.piece_type_at(square) or 0]), chess.square_name(square)
            found[f"{piece} on {on} can take back" if puzzle.kind == "capture" else f"{piece} stands on {on}"] += 1
    part = [(text, count) for text, count in found.most_common(9) if len(held) / 2 < count < len(held)]
    common = [f"In {count:,} of {len(held):,} positions {text}." for text, count in part]
    return " ".join(["No short chain was found: it takes many lines together.", *common[:1]])


def explained(row: dict[str, Any]) -> dict[str, Any]:
    """Return a puzzle with its chain."""
    puzzle = Puzzle(**row)
    relaxed = Relaxed(view := puzzle.view(), line_of(view))
    used, held = chain_of(puzzle, relaxed), relaxed.end(frozenset(relaxed.lines))
    assert held is not None
    if used is None:
        found: dict[str, Any] = {"chain": [], "why": dominating(puzzle, view, held), "grade": "hard"}
    else:
        story = Story(puzzle, relaxed, used)
        found = {"chain": (links := story.links()), "why": story.end(links)}
    if puzzle.kind == "tells":
        found["meaning"] = answer_meanings(view, held, chess.Move.from_uci(puzzle.answers[0]))
    return row | found


def main() -> None:
    """Add the chains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", type=Path, help="file of puzzles")
    path = parser.parse_args().puzzles
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    rows = [row if "chain" in row else explained(row) for row in track(rows, description="puzzles")]
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
