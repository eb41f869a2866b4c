"""Endings against a bare king: how to mate a king that we do not see.

    proof = probe(view)  # None, or a try and the most moves until mate, whatever the king does
    king, mating = BareKing.of(view), Mating(seed)  # None while the opponent has other pieces; one Mating per game
    if king is not None:
        move = mating.best_try(king).move

`king_squares` has the set of possible squares, `king_sets` its kernels. `proofs` has the sets from which mate is
certain, by `placements` of our pieces. `mating` searches for the best try, with them or towards them.
"""

from kriegbot.endgames.hostile import hostile_step
from kriegbot.endgames.king_squares import BareKing
from kriegbot.endgames.mating import Mating, MatingTry, keeps_mate
from kriegbot.endgames.proofs import Proof, probe, probe_king

__all__ = ["BareKing", "Mating", "MatingTry", "Proof", "hostile_step", "keeps_mate", "probe", "probe_king"]
