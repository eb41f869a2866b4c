"""Endings against a bare king: how to mate a king who is not seen.

    king, mating = BareKing.of(view), Mating(seed)   # None while the opponent has other men; one Mating a game
    if king is not None:
        try_this = mating.best_try(king, seconds=0.2).move

`king_squares` keeps the set of squares on which he may stand; `king_sets` are its kernels; `full_view` is the table of
kings in full view, `seen_late` of kings seen one move late; `leaf` estimates sets with it; `mating` searches; `chooser`
chooses.
"""

from kriegbot.endgames.chooser import Chosen, Mating
from kriegbot.endgames.king_squares import BareKing

__all__ = ["BareKing", "Chosen", "Mating"]
