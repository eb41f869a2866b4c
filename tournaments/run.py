"""A tournament run: games from an executor into a store, until none is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from tournaments.executors import Executor
from tournaments.play import MOST_ATTEMPTS, Died, Outcome
from tournaments.schedule import Game
from tournaments.store import Store


def run(
    store: Store,
    games: Sequence[Game],
    executor: Executor,
    watch: Callable[[Outcome], None] = lambda _: None,
    is_decided: Callable[[], bool] = lambda: False,
) -> None:
    """Plays games and stores them, each as soon as it is finished.

    Args:
      store: where to; opened for writing.
      games: which, in the order in which they are to be begun; those that are stored already are left out.
      executor: who plays them.
      watch: told of every outcome after it was stored.
      is_decided: asked after every game whether to stop before all are played.
    """
    done = store.done()
    waiting = [game for game in games if game.id not in done]
    with closing(executor.play(waiting, store.settings)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Died):
                store.add_incident(outcome, quarantined=outcome.attempts == MOST_ATTEMPTS)
            else:
                store.add(outcome)
            watch(outcome)
            if is_decided():
                return
