"""Add to each puzzle its chain: the fewest lines of its log that force the answer, and what each of them leaves.

    nice python benchmarks/chains.py kriegbot/narration/puzzles.jsonl.gz

Chains are found in `forcing.py`; here are their sentences. Where no chain of at most LONGEST lines is found, the puzzle
becomes hard, and a sentence says what most positions have in common. Puzzles that have a chain keep it.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks is no package

from forcing import (
    MOST_DRAWN,
    Lines,
    Relaxed,
    answers_of,
    chain_of,
    kept,
    king_squares,
    origins,
    squares_of,
    target_of,
)
from puzzles import line_of

from kriegbot import kernels as kb
from kriegbot.belief.particles import Particles
from kriegbot.narration.diary import side_name
from kriegbot.narration.learning import Puzzle
from kriegbot.players.human import try_name
from referee import Answer, CapturedKind, Check, Event, OpponentMoved, OpponentRefused, OwnTry, View
from referee.text import counted, listed
from referee.view import views_until

MOST_NAMED, MOST_TYPES = 4, 4
"""Maximum number of squares that a sentence names, and least number of types of pieces that it does not."""


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
