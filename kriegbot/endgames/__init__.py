"""Endings against a bare king: how to mate a king that we do not see.

    king, mating = BareKing.of(view), Mating(seed)  # None while the opponent has other pieces; one Mating per game
    if king is not None:
        move = mating.best_try(king, seconds=0.2).move

`king_squares` has the set of possible squares, `king_sets` its kernels. `proofs` has sets from which mate is certain,
by `placements` of our pieces. `delayed_information` has tables for a king seen one move late, `leaf` estimates sets
with them, and `mating` searches.
"""

from kriegbot.endgames.king_squares import BareKing
from kriegbot.endgames.mating import Mating, MatingTry
from kriegbot.endgames.proofs import Proof, probe, probe_king

__all__ = ["BareKing", "Mating", "MatingTry", "Proof", "probe", "probe_king"]
