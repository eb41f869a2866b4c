"""The paranoid player of Parker, Nau and Subrahmanian (AAAI 2006): `search.sampled` with its backup rule."""

from kriegbot.players.overconfident import PAPERS
from kriegbot.players.search import search_kind
from kriegbot.search.settings import Settings

paranoid = search_kind(
    "searches; its opponent sees everything (AAAI 2006, Eq. 3)",
    "Looks ahead and fears that you see all its pieces; careful",
    rank=2,
    settings=Settings(backup="paranoid"),
    offered=PAPERS,
)
