"""The information set: the boards consistent with one side's view of a game."""
