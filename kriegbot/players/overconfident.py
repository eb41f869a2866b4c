"""The overconfident player of Parker, Nau and Subrahmanian (AAAI 2006): `search.sampled` with its backup rule."""

from kriegbot.players.search import search_kind
from kriegbot.search.settings import Settings

PAPERS = ("depth", "time", "samples", "retry_time", "resample", "particles", "threads", "evaluator")
"""Options of the paper's players."""

overconfident = search_kind(
    "searches; its opponent moves at random (AAAI 2006, Eq. 2)",
    "Looks ahead and expects you to move at random; bold",
    rank=1,
    settings=Settings(backup="overconfident"),
    offered=PAPERS,
)
