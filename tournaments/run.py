"""Play a tournament: an executor plays games, a store keeps them, until none is missing.

An executor is either this machine (`LocalExecutor`) or a Dask cluster (`tournaments.dask_executor`).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol

from kriegbot.game.children import leave_with_parent, no_current_folder
from kriegbot.game.trial import try_out
from kriegbot.players.specs import BadSpec, parse_spec, versions_of
from referee import BERKELEY, PAPER_LIMITS, Limits, RuleSet, rule_set
from tournaments.play import MOST_ATTEMPTS, Died, Outcome, SpecOf, WarmSeats, send_to
from tournaments.report import TournamentReport, report_of
from tournaments.schedule import ScheduledGame, TournamentSettings, round_robin
from tournaments.store import Store


class ExecutorError(Exception):
    """An executor cannot play games; the message is one line."""


class Executor(Protocol):
    """Plays games in any order.

    Attributes:
      queue: takes log records of workers that are not forked; None if there are none.
    """

    queue: Any

    def play(self, games: Iterable[ScheduledGame], settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Play games, each to its end or until MOST_ATTEMPTS workers have died over it. Closing the generator stops.

        Raises:
          ExecutorError: no more games can be played, or none of some player.
        """
        ...


class LocalExecutor:
    """Worker processes on this machine, each with seats of its own.

    The main process deals the games one by one, so it knows whose game a dead worker was playing. It replaces the
    worker and deals the game again.

    Args:
      jobs: number of workers.
      patience, spec_of: as for `WarmSeats`.
      context: of multiprocessing; by default the platform's.
    """

    def __init__(
        self, jobs: int, patience: float | None = None, spec_of: SpecOf = parse_spec, context: Any = None
    ) -> None:
        self._jobs, self._patience, self._spec_of = jobs, patience, spec_of
        self._context = context or multiprocessing.get_context()
        with no_current_folder():
            self.queue = None if self._context.get_start_method() == "fork" else self._context.Queue()

    def play(self, games: Iterable[ScheduledGame], settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Play games. Closing the generator ends the workers."""
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
        self.game: ScheduledGame | None = None
        self._attempt = 0
        self._process = context.Process(target=_serve, args=(theirs, seats, queue), name="kriegbot tournament")
        with no_current_folder():
            self._process.start()
        theirs.close()

    def deal(self, game: ScheduledGame, attempt: int) -> None:
        """Send a game to play."""
        self.game, self._attempt = game, attempt
        with contextlib.suppress(OSError):  # it died between two games, which `result` reports
            self.connection.send((game, attempt))

    def result(self) -> Outcome:
        """Return the outcome of the game, once the connection is readable.

        Raises:
          ExecutorError: a player can no longer be loaded.
        """
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
        """End the process, by force if it is playing. Its players' processes end with it."""
        if self.game is None:
            with contextlib.suppress(OSError):
                self.connection.send(None)
                self._process.join(2.0)
        self._process.kill()
        self.connection.close()
        self._process.join()
        self._process.close()


def _serve(connection: Connection[Any, Any], make_seats: Callable[[], WarmSeats], queue: Any) -> None:
    """Play the games that arrive and send their outcomes, until None arrives or the main process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    leave_with_parent()
    if queue is not None:
        send_to(queue)
    seats = make_seats()
    with contextlib.suppress(EOFError, OSError):
        while (dealt := connection.recv()) is not None:
            try:
                outcome: Outcome | BadSpec = seats.play(*dealt)
            except BadSpec as error:
                outcome = error
            connection.send(outcome)
    seats.close()
    os._exit(0)  # skips clean-up of what was inherited: the store's connection, the terminal's display


def run(
    store: Store,
    games: Sequence[ScheduledGame],
    executor: Executor,
    watch: Callable[[Outcome], None] = lambda _: None,
    is_decided: Callable[[], bool] = lambda: False,
) -> None:
    """Play those of the games that are not stored, in this order, and store each as soon as it is finished.

    Args:
      store: keeps the games.
      games: of the store's schedule.
      executor: plays them.
      watch: called with each outcome after it is stored.
      is_decided: called after that; True stops early.
    """
    done = store.done()
    waiting = [game for game in games if game.id not in done]
    with contextlib.closing(executor.play(waiting, store.settings)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Died):
                store.add_incident(outcome, quarantined=outcome.attempts == MOST_ATTEMPTS)
            else:
                store.add(outcome)
            watch(outcome)
            if is_decided():
                return


def run_tournament(
    path: Path,
    players: Sequence[str],
    games: int,
    seed: int,
    rules: RuleSet | str = BERKELEY,
    limits: Limits = PAPER_LIMITS,
    jobs: int = 1,
) -> TournamentReport:
    """Play everybody against everybody on this machine. The same call resumes a tournament that was interrupted.

    Args:
      path: SQLite file for the games; `kriegbot report` and `kriegbot replay` read it.
      players: specs of two players or more.
      games: of each pairing, even: half with each colour.
      seed: of the tournament. Players that think by samples play the same tournament for the same seed.
      rules: the rule set, or its name.
      limits: when a game is drawn; the paper's by default.
      jobs: games at once, each in a process. Main modules need the usual `if __name__ == "__main__":`.

    Raises:
      BadSpec: a spec names no player, or one that cannot play.
      UnknownRuleSet: no rule set has that name.
      StoreError: the file cannot be used, or holds another tournament.
      ExecutorError: a player can no longer be loaded; the games that are stored stay.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     report = run_tournament(Path(folder) / "games.sqlite", ["rand", "grabber"], games=2, seed=1)
    >>> report.done, [player.player for player in report.players]
    (2, ['rand', 'grabber'])
    """
    specs, rules = [parse_spec(player) for player in players], rule_set(rules)
    for spec in specs:
        try_out(spec, rules)
    settings = TournamentSettings(round_robin(list(map(str, specs))), rules, limits, seed, versions_of(specs))
    with Store.writing(path, settings, games) as store:
        run(store, store.missing(), LocalExecutor(jobs))
        return report_of(store)
