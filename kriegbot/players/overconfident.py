"""The overconfident player of Parker, Nau and Subrahmanian (AAAI 2006); how it plays is in `players.searching`."""

from __future__ import annotations

from typing import Any

from evaluators import EVALUATORS
from kriegbot.players.base import Player
from kriegbot.players.options import Option, PlayerKind

SEARCH_OPTIONS = (
    Option("depth", int, "plies to look ahead", 2, 1, 4),
    Option("time", float, "budget for a turn's first try", 1.0, 0.01, 3600, unit="seconds"),
    Option("samples", int, "histories drawn per try, instead", None, 1, 1_000_000, default_text="by time"),
    Option(
        "extra",
        float,
        "budget for each further try",
        None,
        0.01,
        3600,
        unit="seconds",
        default_text="as time",
    ),
    Option(
        "further",
        int,
        "histories added to those that survive a refusal, instead",
        None,
        1,
        1_000_000,
        default_text="all redrawn",
    ),
    Option(
        "particles",
        int,
        "most boards held in the belief",
        None,
        100,
        1_000_000,
        default_text="50000, fewer below half a second",
    ),
    Option("evaluator", str, "what values a leaf", "ks", parts=EVALUATORS),
)


def searching(backup: str, summary: str, words: str, rank: int) -> PlayerKind:
    """A player of the paper, by the name of its backup rule and what it says of itself."""

    def make(seed: int, time: float, **settings: Any) -> Player:
        from kriegbot.players.searching import sampling_player
        from kriegbot.search.rules import load_backup

        return sampling_player(load_backup(backup), seconds=time, seed=seed, **settings)

    return PlayerKind(summary, make, SEARCH_OPTIONS, ("time", "samples"), words, rank, has_kernels=True)


overconfident = searching(
    "overconfident",
    "searches; its opponent moves at random (AAAI 2006, Eq. 2)",
    "Looks ahead and expects you to move at random; bold",
    rank=1,
)
