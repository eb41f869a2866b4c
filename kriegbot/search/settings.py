"""What a search is given: an information set, and the method by which to value its tries."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import numpy as np
import numpy.typing as npt

from evaluators.protocol import Evaluator
from kriegbot.kernels import MAX_MOVES, TABLES, Rows, Terms, encode_move, moves_heard, terms_of, words
from kriegbot.models.protocol import Opponent
from kriegbot.models.uniform import uniform
from kriegbot.search.backup import Backup
from kriegbot.search.recursion import list_tries
from referee import View
from referee.men import may_capture

Reals = npt.NDArray[np.float64]
Moves = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class InformationSet:
    """Histories that one side cannot tell apart, it to move, and what it may try.

    Attributes:
      rows: [N, 8] positions, N >= 1.
      weights: [N] positive; they need not sum to 1.
      tries: [M] open tries, M >= 1, as `tries_of` orders them.
      terms: rule set and limits.
      heard: what was announced of the opponent's last move, as `kernels.hearing` writes it.
    """

    rows: Rows
    weights: Reals
    tries: Moves
    terms: Terms
    heard: int = 0

    @classmethod
    def of(cls, view: View, rows: Rows, weights: Reals) -> "InformationSet":
        """The set of a view in which its side is to move, from positions that fit it."""
        tries = tries_of(rows[0], may_capture(view.pawn_tries), [encode_move(move) for move in view.refused])
        _, theirs = moves_heard(view, len(view.events))
        return cls(rows, weights, tries, terms_of(view.rules, view.limits), theirs)

    def first(self, boards: int) -> "InformationSet":
        """The first histories alone."""
        return InformationSet(self.rows[:boards], self.weights[:boards], self.tries, self.terms, self.heard)


@dataclass(frozen=True, slots=True)
class Method:
    """How tries are valued.

    Attributes:
      depth: plies below the root, >= 1; 1 is our try alone.
      backup: how values are combined.
      evaluator: E of the equations, from `evaluators.load_evaluator`.
      opponent: how likely each reply is, from `models.load_opponent`; the paper's replies are all equally likely.
      free: 0 if a refused try costs a ply, as in the paper: then a try that is surely illegal is valued as if the
        opponent had one reply fewer. Otherwise refusals cost nothing; so many in a row are followed one by one, and
        after one more a random legal move is made.
      exchange: share of an exchange on the square of the last capture, which both sides know, that is added to the
        value of a leaf; 0 in the paper, 1 for all that `kernels.exchange` finds.
      insight: probability with which the opponent, at its last reply, finds the one that is worst for us on that board;
        0 in the paper.
      scale: how many centipawns count as a game nearly won. Values x of leaves and of ends become
        x / sqrt(1 + (x / scale)^2), between -scale and scale, as chances of winning are: whoever is ahead takes fewer
        risks, whoever is behind more, and a draw costs the side that is ahead. 0 for x itself, as in the paper.
    """

    depth: int
    backup: Backup
    evaluator: Evaluator
    opponent: Opponent = uniform
    free: int = 0
    exchange: float = 0.0
    insight: float = 0.0
    scale: float = 0.0


def tries_of(row: Rows, capturing: chess.Bitboard = chess.BB_ALL, refused: Sequence[int] = ()) -> Moves:
    """Tries [M] open to the side to move in a position uint64[8], in the order that search needs.

    Args:
      row: any position of the information set; only its own men matter.
      capturing: squares from which pawns may try to capture, by what was told of pawn tries.
      refused: tries refused this turn, which are left out.
    """
    moves = np.empty(MAX_MOVES, np.int32)
    count = list_tries(TABLES, row, words(capturing)[0], moves)
    return np.array([move for move in moves[:count].tolist() if move not in refused], np.int32)


def are_open(view: View, tries: Moves) -> npt.NDArray[np.bool_]:
    """Which [M] of the tries that were searched are open: all, unless "Any?" was answered yes.

    Searches take every legal move into account and know nothing of that obligation; what may follow a refused pawn
    capture is valued as if it were over.
    """
    if not view.obliged:
        return np.ones(len(tries), np.bool_)
    return np.isin(tries, [encode_move(move) for move in view.tries()])
