"""A searching player of which every part can be chosen: for experiments, and for parts from outside.

With its defaults it plays as `overconfident` does; how it plays stands in `players.searching`.
"""

from __future__ import annotations

from typing import Any

from kriegbot.models import OPPONENTS
from kriegbot.players.base import Player
from kriegbot.players.options import Option, PlayerKind
from kriegbot.players.overconfident import SEARCH_OPTIONS
from kriegbot.search.rules import BACKUPS


def _make(seed: int, time: float, backup: str, **settings: Any) -> Player:
    from kriegbot.players.searching import sampling_player
    from kriegbot.search.rules import load_backup

    return sampling_player(load_backup(backup), seconds=time, seed=seed, **settings)


search = PlayerKind(
    "searches; backup rule and opponent model are yours to choose",
    _make,
    (
        *SEARCH_OPTIONS,
        Option("backup", str, "how values are combined, such as mixed:worst=0.3", "overconfident", parts=BACKUPS),
        Option("opponent", str, "what replies the search expects", "uniform", parts=OPPONENTS),
        Option("filtering", str, "what moves the belief expects", "uniform", parts=OPPONENTS),
        Option("free", int, "0: a refused try costs a ply; else none does, and so many in a row are followed", 0, 0, 3),
        Option("insight", float, "probability that the opponent's last reply is the worst for you", 0.0, 0, 1),
        Option("scale", float, "centipawns that count as a game nearly won; 0: values have no limit", 0.0, 0, 100_000),
        Option("repeated", float, "centipawns a try costs for each earlier turn with your men so placed", 0.0, 0, 1000),
        Option("impatience", float, "centipawns that each quiet turn adds to a pawn's move", 0.0, 0, 1000),
        Option("exchange", float, "share of exchanges after a capture that a leaf counts", 0.0, 0, 1),
        Option("ties", str, "which of the best tries is chosen", "random", choices=("random", "first", "last")),
        Option("boards", str, "what drawn histories fit: all heard, or the last of it", "all", choices=("all", "last")),
    ),
    either=("time", "samples"),
    words="Looks ahead as its options say; for experiments",
    rank=5,
    has_kernels=True,
)
