"""HS, the player of Parker, Nau and Subrahmanian (IJCAI 2005); how it plays is in `players.boards`."""

from __future__ import annotations

from typing import Any

from evaluators import EVALUATORS
from kriegbot.options import Option
from kriegbot.players.base import Player, PlayerKind


def _make(seed: int, time: float, **settings: Any) -> Player:
    from kriegbot.players.boards import HSPlayer

    return HSPlayer(seconds=time, seed=seed, **settings)


hs = PlayerKind(
    "searches boards as if both sides saw them (HS, IJCAI 2005)",
    _make,
    (
        Option("depth", int, "plies to look ahead, before quiescence", 2, 1, 4),
        Option("time", float, "budget for each try", 1.0, 0.01, 3600, unit="seconds"),
        Option("samples", int, "boards searched per try, instead", None, 1, 1_000_000, default_text="by time"),
        Option("pool", int, "most boards kept that fit everything", 1_000, 1, 1_000_000),
        Option("sampling", str, "where boards come from", "hs", choices=("hs", "los", "aos", "aosp")),
        Option("evaluator", str, "what values a leaf", "ks", parts=EVALUATORS),
    ),
    either=("time", "samples"),
    words="Looks ahead as if both of you saw the whole board",
    rank=3,
    has_kernels=True,
)
