"""The paranoid player of Parker, Nau and Subrahmanian (AAAI 2006); how it plays stands in `players.searching`."""

from kriegbot.players.overconfident import searching

paranoid = searching(
    "paranoid",
    "searches; its opponent sees everything (AAAI 2006, Eq. 3)",
    "Looks ahead and fears that you see all its men; careful",
    rank=2,
)
