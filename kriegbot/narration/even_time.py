"""Turns delayed, so that their times reveal little."""

import time

import referee

QUANTUM = 0.5  # seconds; see `EvenTime`


class EvenTime:
    """Delays a side's turns so that their times do not reveal how many tries of the opponent were refused.

    Where only the mover learns of refusals, each turn waits for the next full `QUANTUM` since the side's own move. This
    hides the refusals of a quick opponent, but not of one that thinks a second for each try.
    """

    def __init__(self) -> None:
        self._waits_since: float | None = None

    def begin(self, view: referee.View) -> None:
        """Start timing if the opponent is to move. Idempotent while it thinks."""
        if self._waits_since is None and view.turn != view.color and view.end is None:
            self._waits_since = time.monotonic()

    def hold(self, view: referee.View) -> None:
        """Wait for the next full quantum since `begin`, where needed; call this at the side's turn, or at the end."""
        if self._waits_since is None:
            return
        waited, self._waits_since = time.monotonic() - self._waits_since, None
        if view.rules.illegal_to is not referee.Audience.BOTH:
            time.sleep(-waited % QUANTUM)
