"""Reads the panels of a review against each other, and against the boards drawn from a side's belief.

It makes the numbers of the page anew from the messages that the page gets: what a person reads on the boards, below
them, in the table of tries, on the curves, and in the turning points, at the terminal, too.
"""

from __future__ import annotations

import math
import re
from functools import reduce
from operator import and_, or_

import chess

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.cli.games import _turning_points
from kriegbot.narration.helping import TryValued, hint
from kriegbot.web.notices import Analysis, BeliefShown, Frame
from kriegbot.web.review import Beliefs, Believed, Review
from referee import GameRecord
from tests.review_reader import FEWEST, Reader, chance, chess_board, mates, pushed

BETTER = [
    r"(?:with|After) ([^\s,]+) (?:it would|\w+ could)",
    r"(?:knew|ahead), ([^\s,]+) (?:was better|comes)",
    r"(\S+) would have (?:mated|won|recaptured)",
]
"""The names of better tries in the words of a turning point."""
PIECES = {letter: kind for kind, letter in enumerate("pnbrqk", 1)}


def percent(share: float) -> int:
    """Return a chance as the page writes it; 0 or 100 only if it is certain."""
    return 0 if share <= 0 else 100 if share > 0.9995 else min(99, max(1, math.floor(100 * share + 0.5)))


class Panels:
    """A game's review. `faults` says what is false on it, or said in two ways."""

    def __init__(self, record: GameRecord, you: chess.Color | None = None) -> None:
        self.record, self.faults = record, list[str]()
        self.drawn: dict[tuple[bool, int], list[chess.Board]] = {}
        self.review, beliefs = Review.of("", record), Beliefs()
        self.counts = self.review._event_counts
        views = self.review.views
        self.points = []
        for color in chess.COLORS:
            while (points := beliefs.turning("", views, color, you)) is None:
                pass
            self.points += points
        self.readers = {color: Reader(record, color, you) for color in chess.COLORS}
        self.looks = list[Analysis]()
        for at in range(len(self.review.frames)):
            while (look := beliefs.look("", views, self.counts[at])) is None:
                pass
            self.looks.append(look)
            self.read(at)
        self.read_points()

    def claim(self, is_true: object, at: int, what: str) -> None:
        """Note what is false."""
        if not is_true:
            self.faults.append(f"{at} {self.review.frames[at].title}: {what}")

    def read(self, at: int) -> None:
        """Read one moment."""
        frame, look = self.review.frames[at], self.looks[at]
        for color, side in zip(chess.COLORS, (look.white, look.black), strict=True):
            snapshot = self.readers[color].belief(self.counts[at][color])
            self.read_board(at, frame, side, snapshot)
            self.read_checkers(at, snapshot)
        if look.mover is not None:
            color = look.mover == "white"
            self.read_table(at, look, self.readers[color].belief(self.counts[at][color]))

    def read_board(self, at: int, frame: Frame, side: BeliefShown, snapshot: BeliefSnapshot) -> None:
        """Read a side's board: percentages, signs, and the line below it."""
        mine = chess.COLOR_NAMES[snapshot.view.color]
        enemies = {
            chess.parse_square(square): PIECES[letter.lower()]
            for square, letter in (frame.black if snapshot.view.color else frame.white).items()
        }
        self.claim(side.men == len(enemies), at, f"{mine}: {side.men} pieces, not {len(enemies)}")
        self.read_basis(at, side.basis, snapshot)
        if not side.chances:
            self.claim(not snapshot.boards and not (side.right or side.wrong or side.missed), at, f"{mine}: no numbers")
            return
        signs = {
            name: {chess.parse_square(one) for one in getattr(side, name)} for name in ("right", "wrong", "missed")
        }
        for square in chess.SQUARES:
            total = sum(of_kind[square] for of_kind in side.chances)
            here = f"{mine} on {chess.square_name(square)}"
            is_sure, is_there = square in signs["right"] | signs["wrong"], square in enemies
            self.claim(not is_sure or percent(total) == 100, at, f"{here}: sure, and {percent(total)}%")
            self.claim(not is_sure or (square in signs["right"]) == is_there, at, f"{here}: the sign is false")
            self.claim(square not in signs["missed"] or (is_there and total == 0), at, f"{here}: missed, and {total}")
            if snapshot.is_reliable:
                self.claim(percent(total) != 100 or is_sure, at, f"{here}: 100%, and not sure")
                self.claim(total > 0 or not is_there or square in signs["missed"], at, f"{here}: 0%, and no sign")
        self.read_drawn(at, side, snapshot)
        self.claim(
            abs(sum(map(sum, side.chances)) - side.men) < 0.2, at, f"{mine}: {sum(map(sum, side.chances))} pieces"
        )
        placed = sum(side.chances[kind - 1][square] for square, kind in enemies.items())
        self.claim(abs(side.placed - placed) < 0.08, at, f"{mine}: {side.placed} placed correctly, not {placed:.2f}")

    def read_drawn(self, at: int, side: BeliefShown, snapshot: BeliefSnapshot) -> None:
        """Read the percentages against the drawn boards: 0 and 100 are what all of them have."""
        boards = self.boards(snapshot)
        for kind in chess.PIECE_TYPES if boards else ():
            masks = [int(board.pieces(kind, not snapshot.view.color)) for board in boards]
            always, ever = reduce(and_, masks), reduce(or_, masks)
            for square in chess.SQUARES:
                here = f"{chess.piece_name(kind)} on {chess.square_name(square)}"
                shown = percent(side.chances[kind - 1][square])
                self.claim(shown < 100 or always >> square & 1, at, f"{here}: 100%, and a drawn board has none")
                self.claim(shown > 0 or not ever >> square & 1, at, f"{here}: 0%, and a drawn board has one")

    def boards(self, snapshot: BeliefSnapshot) -> list[chess.Board]:
        """Return the drawn boards."""
        key = snapshot.view.color, len(snapshot.view.events)
        if key not in self.drawn:
            self.drawn[key] = [chess_board([int(field) for field in row]) for row in snapshot.rows]
        return self.drawn[key]

    def read_basis(self, at: int, basis: str, snapshot: BeliefSnapshot) -> None:
        """Read how many boards there are, and whether they are all."""
        number = re.search(r"\d[\d,]*", basis)
        boards = int(number[0].replace(",", "")) if number else 1
        self.claim(boards == snapshot.boards or not snapshot.boards, at, f"{basis}: {snapshot.boards} boards")
        self.claim(("possible" in basis) == snapshot.is_exact, at, f"{basis}: exact is {snapshot.is_exact}")
        self.claim("contradict" in basis or snapshot.is_consistent, at, f"{basis}: boards that do not fit")
        if found := re.search(r"all from ([\d,]+)", basis):
            ancestors = int(found[1].replace(",", ""))
            self.claim(ancestors < min(FEWEST, boards), at, f"{basis}: says nothing")

    def read_checkers(self, at: int, snapshot: BeliefSnapshot) -> None:
        """Read the hatched squares: where a checking piece stands on a board, and nowhere else."""
        last, view = snapshot.view.last_announcement, snapshot.view
        if last is None or not last.checks or view.turn != view.color or not len(snapshot.rows):
            return
        hatched = set(Believed.of(snapshot).checkers) if snapshot.is_reliable else set()
        real = {chess.square_name(square) for board in self.boards(snapshot) for square in board.checkers()}
        self.claim(real <= hatched or not snapshot.is_reliable, at, f"not hatched: {real - hatched}")
        self.claim(not snapshot.has_all_rows or hatched <= real, at, f"hatched for nothing: {hatched - real}")

    def read_table(self, at: int, look: Analysis, snapshot: BeliefSnapshot) -> None:
        """Read the table of tries, the hint of this turn, and what stands above the table."""
        boards = self.boards(snapshot)
        weighted = list(zip(boards, snapshot.counts.tolist(), strict=True))
        self.claim(bool(look.tries) == bool(boards), at, "tries without boards, or boards without tries")
        if not look.tries:
            return
        self.claim(snapshot.basis in look.by, at, f"{look.by}: not {snapshot.basis}")
        drawn = re.match(r"from ([\d,]+) of ", look.by)
        told = int(drawn[1].replace(",", "")) if drawn else snapshot.boards
        self.claim(told == len(boards), at, f"{look.by}: {len(boards)} boards")
        for one in look.tries:
            self.read_try(at, one, weighted)
        values = [one["value"] for one in look.tries]
        self.claim(values == sorted(values, reverse=True), at, "the table is not sorted")
        moves = [one for one in look.tries if not one["question"]]
        self.claim(moves, at, "only questions")
        given = hint(snapshot)
        if "mate" not in given["text"].lower() and moves:
            self.claim(given["tries"][0] == moves[0], at, f"hint {given['tries'][0]}, table {moves[0]}")
            better = [one for one in look.tries if one["question"] and one["value"] > moves[0]["value"]]
            self.claim(given["ask"] == better[:1], at, f"hint asks {given['ask']}, the page {better[:1]}")

    def read_try(self, at: int, one: TryValued, weighted: list[tuple[chess.Board, float]]) -> None:
        """Read a row of the table."""
        move = chess.Move.from_uci(one["uci"])
        legal = [(board, count) for board, count in weighted if board.is_legal(move)]
        share = sum(count for _, count in legal) / sum(count for _, count in weighted)
        self.claim(abs(share - one["legal"]) < 0.006, at, f"{one['name']} is legal in {share:.3f}, not {one['legal']}")
        self.claim(one["legal"] > 0, at, f"{one['name']} is legal nowhere")
        self.claim(one["legal"] < 1 or len(legal) == len(weighted), at, f"{one['name']} is not legal in all")
        mated = sum(count for board, count in legal if pushed(board, move).is_checkmate())
        all_ = sum(count for _, count in legal)
        if one["shown"] == "mate":
            self.claim(math.isclose(mated, all_), at, f"{one['name']} is mate in {mated} of {all_}")
        elif found := re.fullmatch(r"mate in (<1|>99|\d+)%", one["shown"]):
            told = {"<1": 0.5, ">99": 99.5}.get(found[1]) or float(found[1])
            self.claim(abs(100 * mated / all_ - told) <= 0.51, at, f"{one['name']}: {one['shown']}, {mated / all_}")
        elif "mate" in one["shown"]:
            refusing = [board for board, _ in weighted if not board.is_legal(move)]
            replied = [
                pushed(after, reply)
                for board, _ in legal
                for after in [pushed(board, move)]
                for reply in after.legal_moves
            ]
            self.claim(not mated and any(map(mates, refusing + replied)), at, f"{one['name']}: {one['shown']}")
        elif "loses" in one["shown"] or "lose" in one["shown"]:
            losing = sum(count for board, count in legal if mates(pushed(board, move)))
            self.claim(losing, at, f"{one['name']} {one['shown']}: no board has a mate")
        else:
            self.claim(re.fullmatch(r"[+-]\d\d?\.\d\d", one["shown"]), at, f"{one['name']}: {one['shown']}")
            self.claim(abs(float(one["shown"]) - one["value"] / 100) < 0.0051, at, f"{one['shown']}: {one['value']}")

    def read_points(self) -> None:
        """Read turning points against table and curve of their moment, and against the terminal."""
        indexes = {
            (frame.turn, counts[frame.turn == "white"]): at
            for at, (frame, counts) in enumerate(zip(self.review.frames, self.counts, strict=True))
        }
        for point in self.points:
            at = indexes[point["side"], point["events"]]
            look, following = self.looks[at], self.review.frames[at + 1]
            self.claim(look.mover == point["side"], at, "a turning point of the other side")
            self.claim(following.name == point["made"], at, f"{point['made']} in words, {following.name} on the sheet")
            if point["theme"] == "mate certain" or not look.tries:
                continue
            best = next(one for one in look.tries if not one["question"])
            better = [name for form in BETTER for name in re.findall(form, point["text"])]
            self.claim(set(better) <= {best["name"]}, at, f"{better} in words, {best['name']} in the table")
            if point["theme"] != "surprise":
                curve = round(100 * chance(best))
                self.claim(abs(curve - point["before"]) <= 1, at, f"{curve}% on the curve, {point['before']}% in words")
            self.claim(
                f"{best['name']} was illegal" not in point["text"] or not self.was_legal(at, best), at, "illegal"
            )
        lines = [line.strip() for line in _turning_points(self.record)]
        text = " ".join(" ".join(lines).split())
        for point in self.points if self.is_same_address() else []:
            self.claim(" ".join(point["text"].split()) in text, 0, f"not at the terminal: {point['text']}")
            chances = "" if point["theme"] == "lucky" else f", winning chances {point['before']}% -> {point['after']}%"
            line = f"{point['place']} {point['made']}: {point['theme']}{chances}"
            self.claim(line in lines, 0, f"not at the terminal: {line}")

    def is_same_address(self) -> bool:
        """Return True if the texts address nobody, as those of games between programs do."""
        return not any(re.search(r"\b[Yy]ou", point["text"]) for point in self.points)

    def was_legal(self, at: int, one: TryValued) -> bool:
        """Return True if a try was legal on the true board."""
        plies = sum(frame.answer == "accepted" and frame.move is not None for frame in self.review.frames[1 : at + 1])
        board = chess.Board(self.record.start)
        for turn in self.record.turns[:plies]:
            board.push(turn.move)
        return board.is_legal(chess.Move.from_uci(one["uci"]))
