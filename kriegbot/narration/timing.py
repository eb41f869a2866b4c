"""Answers shown at even times, where the time alone would tell what the referee does not.

Under some rule sets nobody hears what the opponent tries in vain; but each try takes time, so the time until one's own
turn would tell how many there were. Replies are therefore held back to the next full `QUANTUM` since one's own move.
That hides refusals from whoever plays a quick opponent; one that thinks a second for each try cannot be hidden so.
"""

from __future__ import annotations

import time

from referee import IllegalHeard, View

QUANTUM = 0.5
"""Seconds."""


class EvenTime:
    """The times at which one side is shown its turns."""

    def __init__(self) -> None:
        self._waits_since: float | None = None

    def begin(self, view: View) -> None:
        """The opponent is to move, if a view says so; called again while it thinks, this changes nothing."""
        if self._waits_since is None and view.turn != view.color and view.end is None:
            self._waits_since = time.monotonic()

    def hold(self, view: View) -> None:
        """Called when it is the side's turn, or the end: waits until a full quantum has passed since `begin`."""
        if self._waits_since is None:
            return
        waited, self._waits_since = time.monotonic() - self._waits_since, None
        if view.rules.illegal_heard is not IllegalHeard.BOTH:
            time.sleep(-waited % QUANTUM)
