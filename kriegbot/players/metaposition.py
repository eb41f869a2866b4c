"""A player that rates its tries on a metaposition, like Darkboard; how it plays is in `players.foresight`."""

from __future__ import annotations

from kriegbot.players.base import Player, PlayerKind


def _make(seed: int) -> Player:
    from kriegbot.players.foresight import MetapositionPlayer

    return MetapositionPlayer(seed)


metaposition = PlayerKind(
    "rates tries on one board that merges all (after Darkboard, IJCAI 2007)",
    _make,
    words="Careful: keeps its men safe from what it cannot see",
    rank=4,
)
