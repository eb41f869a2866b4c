"""Check the proofs of endings, with python-chess and the referee alone.

Of the code that made the file and of that which plays by it nothing is used. A set of king squares is true if each of
them is legal and leaves us a move, the referee accepts its try on one at least, and

- where it accepts the try, the king is mated, or each of its steps leads to a square in a set with a smaller bound,
  which holds all squares after the same announcement; a capture leads to such a set of the pieces left;
- the squares on which it refuses the try are in a set of the same placement that stands before.

By induction over bound and order, then, mate is certain within the bound.
"""

import lzma
import random
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import chess

from referee import BERKELEY, NO_LIMITS, Answer, Reason, Referee

ENDS = {"Q": 640, "R": 1280, "P": 3328, "BB": 44288, "BN": 85248, "RR": 126208}
"""Pieces beside our king, and the placement after the last of each."""
TRIANGLE = [chess.square(file, rank) for file in range(4) for rank in range(file + 1)]
HALF = [chess.square(file, rank) for rank in range(8) for file in range(4)]
Men = frozenset[tuple[chess.Square, chess.PieceType]]
FLIPS: list[Callable[[int], int]] = [chess.flip_diagonal, chess.flip_vertical, chess.flip_horizontal]
TURNS = [[flip for flip, used in zip(FLIPS, which, strict=True) if used] for which in product((False, True), repeat=3)]
"""The eight images of a board, as flips to be made one after the other; those of a board with pawns come first."""


class Entry(NamedTuple):
    """A set of the file: our pieces, its place among their sets, the king's squares, a try and a bound."""

    men: Men
    place: int
    squares: chess.Bitboard
    move: chess.Move
    bound: int


def men_at(number: int) -> tuple[str, Men]:
    """Return the letters and squares of the pieces of a placement."""
    letters = next(letters for letters, end in ENDS.items() if number < end)
    begin = max(end for end in (0, *ENDS.values()) if end <= number)
    kings, places = HALF if letters == "P" else TRIANGLE, 64 ** len(letters)
    king, rest = divmod(number - begin, places)
    squares = [rest] if len(letters) == 1 else list(divmod(rest, 64))
    pieces = [(square, chess.Piece.from_symbol(one).piece_type) for square, one in zip(squares, letters, strict=True)]
    return letters, frozenset([(kings[king], chess.KING), *pieces])


def decode(men: Men, code: int) -> chess.Move:
    """Return a try: its target, plus 64 for the first piece beside our king, 128 for the second."""
    origins = sorted((kind != chess.KING, square) for square, kind in men)
    (_, origin), target = origins[code >> 6], code & 63
    promotes = (origin, chess.PAWN) in men and target >= chess.A8
    return chess.Move(origin, target, chess.QUEEN if promotes else None)


@dataclass
class File:
    """The sets of a file by their pieces, and the letters of each placement."""

    sets: dict[Men, list[Entry]]
    letters: dict[Men, str]

    @classmethod
    def read(cls, path: Path) -> "File":
        """Read the file: numbers of sets of the placements, then their squares, tries and bounds."""
        data, places = lzma.decompress(path.read_bytes()), ENDS["RR"]
        counts = struct.unpack_from(f"<{places}H", data)
        total = sum(counts)
        squares = struct.unpack_from(f"<{total}Q", data, 2 * places)
        codes, bounds = data[2 * places + 8 * total :][:total], data[2 * places + 9 * total :]
        file, at = cls({}, {}), 0
        for number, count in enumerate(counts):
            if count:
                letters, men = men_at(number)
                file.letters[men] = letters
                file.sets[men] = [
                    Entry(men, i, squares[at + i], decode(men, codes[at + i]), bounds[at + i]) for i in range(count)
                ]
                at += count
        return file

    def first(self, men: Iterable[tuple[chess.Square, chess.PieceType]], squares: chess.Bitboard) -> Entry | None:
        """Return the first set that holds some squares, over all images of a placement."""
        found, pieces = [], list(men)
        for turn in TURNS[: 2 if any(kind == chess.PAWN for _, kind in pieces) else None]:
            image = frozenset((chess.lsb(turned(chess.BB_SQUARES[square], turn)), kind) for square, kind in pieces)
            there = turned(squares, turn)
            found += [one for one in self.sets.get(image, ()) if not there & ~one.squares][:1]
        return min(found, key=lambda one: one.place, default=None)

    def holds(self, men: Iterable[tuple[chess.Square, chess.PieceType]], squares: chess.Bitboard, bound: int) -> bool:
        """Return True if a set with less than a bound holds some squares."""
        found = self.first(men, squares)
        return found is not None and found.bound < bound

    def is_true(self, entry: Entry) -> bool:
        """Return True if each answer of the referee and step of the king leads to a set that is nearer to mate."""
        refused, following, accepted = chess.BB_EMPTY, dict[object, tuple[Men, chess.Bitboard]](), False
        for square in chess.scan_forward(entry.squares):
            board = board_of(entry.men, square)
            if board is None or not any(board.legal_moves):  # without a move of ours it is stalemate
                return False
            referee = Referee(BERKELEY, NO_LIMITS, board.fen())
            answer = referee.try_move(entry.move)
            if answer is not Answer.ACCEPTED:
                if answer is not Answer.ILLEGAL:
                    return False
                refused |= chess.BB_SQUARES[square]
                continue
            accepted = True
            if referee.end is not None:
                if referee.end.reason is not Reason.CHECKMATE:
                    return False
                continue
            board, announcement = referee.board(), referee.view(chess.WHITE).events[-1]
            men = frozenset((s, board.piece_type_at(s) or 0) for s in chess.scan_forward(board.occupied_co[True]))
            for step in board.legal_moves:
                there = chess.BB_SQUARES[step.to_square]
                if board.is_capture(step):
                    if not self.holds([one for one in men if one[0] != step.to_square], there, entry.bound):
                        return False
                else:
                    known = following.get(announcement, (men, chess.BB_EMPTY))
                    following[announcement] = men, known[1] | there
        before = self.first(entry.men, refused) if refused else None
        if refused and (before is None or before.men != entry.men or before.place >= entry.place):
            return False
        return accepted and all(self.holds(men, squares, entry.bound) for men, squares in following.values())


def turned(squares: chess.Bitboard, flips: list[Callable[[int], int]]) -> chess.Bitboard:
    """Return squares after some flips of the board."""
    for flip in flips:
        squares = flip(squares)
    return squares


def board_of(men: Men, king: chess.Square) -> chess.Board | None:
    """Return the board with us to move; None if it is not legal."""
    board = chess.Board(None)
    for square, kind in men:
        board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
    if board.piece_at(king):
        return None
    board.set_piece_at(king, chess.Piece(chess.KING, chess.BLACK))
    return board if board.is_valid() else None


def spoiled(entry: Entry, rng: random.Random) -> list[Entry]:
    """Return a set with a square more and with another try, if there is one, and with a bound less by one."""
    free = [s for s in chess.SQUARES if not entry.squares & chess.BB_SQUARES[s] and board_of(entry.men, s)]
    board = board_of(entry.men, chess.lsb(entry.squares)) or chess.Board(None)
    tries = [move for move in board.legal_moves if move != entry.move]
    wider = [
        entry._replace(squares=entry.squares | chess.BB_SQUARES[one]) for one in rng.sample(free, min(1, len(free)))
    ]
    other = [entry._replace(move=move) for move in rng.sample(tries, min(1, len(tries)))]
    return [*wider, *other, entry._replace(bound=entry.bound - 1)]
