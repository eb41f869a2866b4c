"""A searching player of which every part can be chosen: for experiments, and for parts from outside.

With its defaults it plays as `overconfident` does; how it plays is in `players.searching`.
"""

from kriegbot.players.searching import search_kind
from kriegbot.search.settings import OPTIONS, Settings

search = search_kind(
    "searches; backup rule and opponent model are yours to choose",
    "Looks ahead as its options say; for experiments",
    rank=5,
    settings=Settings(),
    offered=OPTIONS,
)
