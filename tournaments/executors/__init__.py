"""Who plays a tournament's games: processes of this machine, or workers of a cluster, behind one seam."""

from collections.abc import Generator, Iterable
from typing import Any, Protocol

from tournaments.play import Outcome
from tournaments.schedule import Game, Settings


class ExecutorError(Exception):
    """Games cannot be played there; the message is one line."""


class Executor(Protocol):
    """Plays games in any order.

    Attributes:
      queue: what its workers log, for `logs.logged_to`; None if they are forked, or log elsewhere.
    """

    queue: Any

    def play(self, games: Iterable[Game], settings: Settings) -> Generator[Outcome, None, None]:
        """Plays games, each to its end or until it has killed MOST_ATTEMPTS workers; closing the generator stops it."""
        ...
