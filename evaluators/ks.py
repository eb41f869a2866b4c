"""KS, the leaf evaluator of Parker, Nau and Subrahmanian (AAAI 2006, "Experiments").

Material with Kriegspiel's piece values (a bishop is worth more than a knight, whose forks and outposts need sight),
plus own pieces that are protected, own pawns that are advanced, opponent's pieces that are threatened, less a mild
penalty for giving check without mate. The paper does not publish the weights: those of `ks` are ours, chosen so that a
term never outweighs its piece. `with_weights` makes evaluators with others.
"""

import re
from functools import cache
from typing import NamedTuple

from evaluators.protocol import Evaluator, evaluator
from kriegbot import kernels as kb


class Weights(NamedTuple):
    """Weights of the terms of KS, by default those of `ks`."""

    protected: int = 4  # centipawns for an own piece that is protected
    shield: int = 0  # percent of that piece's value, besides
    attacked_only: int = 0  # 1 if protection counts only for pieces that the opponent attacks, 0 if for all
    threat: int = 2  # percent of the value of an opponent's piece that we attack
    advance: int = 100  # percent of the bonus for an advanced pawn: 2, 5, 12, 30 centipawns on ranks 4 to 7
    check: int = 15  # centipawns off for check without mate
    mate: int = 10_000
    """Value of mate beside these weights, 500 to 10,000 centipawns. To the search mate is always `WIN`, so the whole
    evaluation is multiplied by `WIN` / mate, and cut off at `WIN`."""


PAWN, KNIGHT, BISHOP, ROOK, QUEEN = kb.VALUES[:5]
RANK_4, RANK_5, RANK_6, RANK_7 = 2, 5, 12, 30  # centipawns for an advanced pawn, at an `advance` of 100
MATE = Weights().mate  # value of mate to the search: `evaluators.WIN`

THIRD, FOURTH, FIFTH, SIXTH = kb.words(0xFF << 16, 0xFF << 24, 0xFF << 32, 0xFF << 40)
SECOND, SEVENTH = kb.words(0xFF << 8, 0xFF << 48)


@kb.inlined
def share_of_value(position: kb.Position, pieces: kb.Word, percent: int) -> int:
    """Return so many percent of the value of pieces other than kings, rounded down for each."""
    queens = position.diagonals & position.orthogonals
    bishops, rooks = position.diagonals ^ queens, position.orthogonals ^ queens
    score = PAWN * percent // 100 * kb.popcount(pieces & position.pawns)
    score += KNIGHT * percent // 100 * kb.popcount(pieces & position.knights)
    score += BISHOP * percent // 100 * kb.popcount(pieces & bishops)
    score += ROOK * percent // 100 * kb.popcount(pieces & rooks)
    return score + QUEEN * percent // 100 * kb.popcount(pieces & queens)


@kb.kernel
def value_of(position: kb.Position, pieces: kb.Word) -> int:
    """Return the value of pieces other than kings, in centipawns."""
    return share_of_value(position, pieces, 100)


@kb.kernel
def material(position: kb.Position, own: kb.Word, other: kb.Word) -> int:
    """Return the value of our pieces minus that of the opponent's, in centipawns."""
    return value_of(position, own) - value_of(position, other)


@kb.inlined
def valued(position: kb.Position, side: int, attacks: kb.Word, covered: kb.Word, weights: Weights) -> int:
    """Return KS, from the squares that `side` attacks and its protected pieces that count."""
    own, other = kb.pieces_of(position, side)
    score = material(position, own, other) + weights.protected * kb.popcount(covered)
    if weights.shield:
        score += share_of_value(position, covered, weights.shield)

    advanced, advance = position.pawns & own, weights.advance
    rank_4, rank_5 = RANK_4 * advance // 100, RANK_5 * advance // 100
    rank_6, rank_7 = RANK_6 * advance // 100, RANK_7 * advance // 100
    if side == kb.WHITE:
        score += rank_4 * kb.popcount(advanced & FOURTH) + rank_5 * kb.popcount(advanced & FIFTH)
        score += rank_6 * kb.popcount(advanced & SIXTH) + rank_7 * kb.popcount(advanced & SEVENTH)
    else:
        score += rank_4 * kb.popcount(advanced & FIFTH) + rank_5 * kb.popcount(advanced & FOURTH)
        score += rank_6 * kb.popcount(advanced & THIRD) + rank_7 * kb.popcount(advanced & SECOND)

    threatened = attacks & other
    score += share_of_value(position, threatened, weights.threat)
    if threatened & position.kings:
        score -= weights.check
    return min(max(score * MATE // weights.mate, -MATE), MATE)


@cache
def with_weights(weights: Weights) -> Evaluator:
    """Return KS with other weights. They are constants to the compiler, so terms without weight cost nothing.

    >>> with_weights(Weights(shield=15)) is with_weights(Weights(shield=15))
    True
    """

    @evaluator
    def ks(tables: kb.Words, position: kb.Position, side: int) -> int:
        """Return centipawns for `side`, whoever is to move; the game is not over."""
        own, other = kb.pieces_of(position, side)
        attacks = kb.attacked_by(tables, position, side, own | other)
        covered = attacks & own & ~position.kings
        if weights.attacked_only:
            covered &= kb.attacked_by(tables, position, 1 - side, own | other)
        return valued(position, side, attacks, covered, weights)

    return ks


ks = with_weights(Weights())


def __getattr__(name: str) -> Evaluator:
    """Make KS with the weights of a name such as `threat_20_advance_300` (docs/reproduction/choices.md)."""
    weights = dict(re.findall(r"([a-z_]+?)_(-?[0-9]+)(?:_|$)", name))
    is_known = weights.keys() <= set(Weights._fields) and 500 <= int(weights.get("mate", MATE)) <= MATE
    if not weights or not is_known:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return with_weights(Weights(**{field: int(value) for field, value in weights.items()}))
