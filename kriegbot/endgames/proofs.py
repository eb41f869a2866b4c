"""Proofs that a king is mated, wherever it stands in a set of squares and whatever it does.

    probe(view)  # Proof(move=Move.from_uci("d4d7"), moves=17), or None

A file has sets of king squares for placements of our pieces (`placements`), in order of their proof. Each has a try and
a bound: the most accepted moves of ours until mate. For each answer of the referee and each step of the king, the
squares that are then possible lie within a set of the file with a smaller bound; after a refusal, within one that was
proved before. So the first set that contains the possible squares gives a try, and the bound falls with every accepted
move. Retrograde analysis made the file (`benchmarks/endings.py`), and code that shares nothing with it checks it.

The proofs use announcements of captures and of the direction of a check, and none of the king's own tries. A rule set
that announces more leaves fewer squares, and a part of a proved set needs no more moves. One that announces no checks
has no proofs; nor has a view if a limit of the game may come before the mate.
"""

import lzma
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import Pieces, pieces_at
from kriegbot.endgames.king_squares import BareKing, pieces_row, turned, turned_move
from kriegbot.endgames.placements import END, NO_PLACEMENT, decode_try, placed, placement, restored, transformed_set
from referee import Answer, OpponentMoved, OwnTry, View

FILE = Path(__file__).with_name("proofs.xz")


@dataclass(frozen=True, slots=True)
class Proof:
    """A mate that is certain, whatever the king does: the next try, and the most accepted moves of ours until mate."""

    move: chess.Move
    moves: int


class Proofs(NamedTuple):
    """The file: sets of king squares with tries and bounds; those of placement i are starts[i] to starts[i + 1] - 1."""

    starts: kb.IntArray
    sets: kb.WordArray
    tries: kb.ShortArray
    bounds: kb.ShortArray

    @classmethod
    def unpack(cls, content: bytes) -> "Proofs":
        """Return the arrays of a file."""
        data = lzma.decompress(content)
        starts = np.zeros(END + 1, np.int64)
        np.cumsum(np.frombuffer(data, "<u2", END), out=starts[1:])
        count, at = int(starts[-1]), 2 * END
        rest = np.frombuffer(data, "u1", 2 * count, at + 8 * count).astype(np.uint16)
        return cls(starts, np.frombuffer(data, "<u8", count, at).astype(np.uint64), rest[:count], rest[count:])


@cache
def load_proofs() -> Proofs:
    """Return the proofs that come with kriegbot, loaded once in a process."""
    return Proofs.unpack(FILE.read_bytes())


@kb.kernel
def proof_of(proofs: Proofs, ours: Pieces, squares: kb.Word) -> int:
    """Return the bound times 65,536, plus the try; 0 if the file proves no mate. `squares` must not be empty."""
    found = placement(ours)
    if found == NO_PLACEMENT:
        return 0
    place, symmetry = found >> 8, found & 127
    here = transformed_set(squares, symmetry)
    mirrored = transformed_set(squares, symmetry ^ 64) if found & 128 else here
    for i in range(proofs.starts[place], proofs.starts[place + 1]):
        outside = ~proofs.sets[i]
        if here & outside == kb.NONE or mirrored & outside == kb.NONE:
            if here & outside:
                symmetry ^= 64
            move = decode_try(placed(place), int(proofs.tries[i]))
            move = restored(move & 63, symmetry) | restored(move >> 6 & 63, symmetry) << 6 | move & 7 << 12
            return int(proofs.bounds[i]) << 16 | move
    return 0


@kb.entry
def _proof_of(proofs: Proofs, ours: kb.WordArray, squares: kb.Word) -> int:
    return proof_of(kb.pointers(proofs), pieces_at(kb.pointer(ours), 0), squares)


def probe(view: View) -> Proof | None:
    """Return the proof that we mate from a view; None if there is none, or it is not our turn against a bare king.

    A proof that takes so long that a limit may end the game first is none.
    """
    king = BareKing.of(view) if view.end is None and view.turn == view.color else None
    proof = None if king is None else probe_king(king)
    return None if proof is None or limit_comes_first(view, 2 * proof.moves - 1) else proof


def limit_comes_first(view: View, plies: int) -> bool:
    """Return True if a limit may end a game against a bare king before a mate after so many plies more."""
    limits = view.limits
    is_last = limits.plies is not None and view.ply + plies > limits.plies
    return is_last or (limits.quiet_plies is not None and quiet_plies(view) + plies > limits.quiet_plies)


def quiet_plies(view: View) -> int:
    """Return the number of plies in a row without a pawn move or a capture, after the capture that bared the king."""
    men, quiet = dict(view.men), 0
    for event in reversed(view.events):
        match event:
            case OpponentMoved(announcement):
                is_quiet = announcement.captured_square is None
            case OwnTry(move, Answer.ACCEPTED, announcement) if announcement is not None:
                piece = men.pop(move.to_square, chess.PAWN)
                men[move.from_square] = piece
                is_quiet = announcement.captured_square is None and piece != chess.PAWN and move.promotion is None
            case _:
                continue
        if not is_quiet:
            return quiet
        quiet += 1
    return quiet + chess.Board(view.start).halfmove_clock


def probe_king(king: BareKing) -> Proof | None:
    """Return the proof that we mate a king with us to move; None if there is none."""
    row, squares = pieces_row(king.color, king.men), turned(king.squares, king.color)
    found = _proof_of(load_proofs(), row, squares) if squares and king.rules.checks_announced else 0
    if found == 0:
        return None
    return Proof(turned_move(kb.decode_move(found & 0xFFFF), king.color), found >> 16)
