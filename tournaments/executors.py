"""Who plays a tournament's games: local processes or a Dask cluster (`dask_executor`), behind one interface.

Here: processes of this machine, each with seats of its own. This process deals out games one by one, so that when a
worker dies its game is known. The worker is replaced and the game dealt again, until it has killed MOST_ATTEMPTS.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from kriegbot.game.children import leave_with_parent, no_current_folder
from kriegbot.players.specs import BadSpec, parse_spec
from tournaments.play import MOST_ATTEMPTS, Died, Outcome, SpecOf, WarmSeats, send_to
from tournaments.schedule import Game, Settings


class ExecutorError(Exception):
    """Games cannot be played there; the message is one line."""


class Executor(Protocol):
    """Plays games in any order.

    queue: what its workers log, for `logged_to`; None if they are forked, or log elsewhere.
    """

    queue: Any

    def play(self, games: Iterable[Game], settings: Settings) -> Generator[Outcome, None, None]:
        """Plays games, each to its end or until it has killed MOST_ATTEMPTS workers; closing the generator stops it.

        Raises ExecutorError: no more games can be played, or none of this player.
        """
        ...


class LocalExecutor:
    """Plays games on this machine, `jobs` at once; patience and spec_of are as for `WarmSeats`."""

    def __init__(
        self, jobs: int, patience: float | None = None, spec_of: SpecOf = parse_spec, context: Any = None
    ) -> None:
        self._jobs, self._patience, self._spec_of = jobs, patience, spec_of
        self._context = context or multiprocessing.get_context()
        with no_current_folder():
            self.queue = None if self._context.get_start_method() == "fork" else self._context.Queue()

    def play(self, games: Iterable[Game], settings: Settings) -> Generator[Outcome, None, None]:
        """Plays games; the iterator must be closed, which ends the workers."""
        seats = partial(WarmSeats, settings, self._patience, self._spec_of)
        waiting = deque((game, 1) for game in games)
        workers: list[_Worker] = []
        try:
            while waiting or any(worker.game is not None for worker in workers):
                while waiting and len(workers) < self._jobs:
                    workers.append(_Worker(self._context, seats, self.queue))
                for worker in workers:
                    if waiting and worker.game is None:
                        worker.deal(*waiting.popleft())
                busy = {worker.connection: worker for worker in workers if worker.game is not None}
                for connection in wait(list(busy)):
                    worker = busy[connection]
                    outcome = worker.result()
                    if isinstance(outcome, Died):
                        worker.end()
                        workers.remove(worker)
                        if outcome.attempts < MOST_ATTEMPTS:
                            waiting.appendleft((outcome.game, outcome.attempts + 1))
                    yield outcome
        finally:
            for worker in workers:
                worker.end()


class _Worker:
    """A process that plays one game after another."""

    def __init__(self, context: Any, seats: Callable[[], WarmSeats], queue: Any) -> None:
        self.connection, theirs = context.Pipe()
        self.game: Game | None = None
        self._attempt = 0
        self._process = context.Process(target=_serve, args=(theirs, seats, queue), name="kriegbot tournament")
        with no_current_folder():
            self._process.start()
        theirs.close()

    def deal(self, game: Game, attempt: int) -> None:
        """Sends a game to be played."""
        self.game, self._attempt = game, attempt
        with contextlib.suppress(OSError):  # it died between two games; `result` will say so
            self.connection.send((game, attempt))

    def result(self) -> Outcome:
        """The outcome of the game, once the connection is readable; raises ExecutorError if a player refuses."""
        game, self.game = self.game, None
        assert game is not None
        try:
            outcome: Outcome | BadSpec = self.connection.recv()
        except Exception:  # noqa: BLE001 - half a message from a dying process can raise anything
            self._process.join(5.0)
            code = self._process.exitcode
            how = "" if code is None else f" (exit code {code})" if code >= 0 else f" (signal {-code})"
            return Died(game, f"the worker died{how}", self._attempt)
        if isinstance(outcome, BadSpec):
            raise ExecutorError(f"game {game.id} cannot be played: {str(outcome).removesuffix('.')}")
        return outcome

    def end(self) -> None:
        """Ends the process, by force if it is playing; its players' processes end with it."""
        if self.game is None:
            with contextlib.suppress(OSError):
                self.connection.send(None)
                self._process.join(2.0)
        self._process.kill()
        self.connection.close()
        self._process.join()
        self._process.close()


def _serve(connection: Connection[Any, Any], make_seats: Callable[[], WarmSeats], queue: Any) -> None:
    """A worker's life: games in, outcomes out, until told to stop or the main process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    leave_with_parent()
    if queue is not None:
        send_to(queue)
    seats = make_seats()
    with contextlib.suppress(EOFError, OSError):
        while (dealt := connection.recv()) is not None:
            try:
                outcome: Outcome | BadSpec = seats.play(*dealt)
            except BadSpec as refused:
                outcome = refused
            connection.send(outcome)
    seats.close()
    os._exit(0)  # without what was inherited: the store's connection, the terminal's display
