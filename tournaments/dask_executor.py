"""Games played by the workers of a Dask cluster: one on this machine, or one whose scheduler has an address.

A game is one task, and the cluster holds no more tasks than it has threads (or `jobs`, if that is more), so a long
tournament does not flood the scheduler. Every thread of a worker keeps seats of its own. Dask notices a worker that
dies; the game is then resubmitted, until it has killed MOST_ATTEMPTS workers. What a worker logs comes back with the
game. See docs/clusters.md.
"""

import logging
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from logging.handlers import QueueHandler
from queue import SimpleQueue
from typing import Any

from kriegbot.game.children import SAFE_PATH, no_current_folder, no_interrupts
from kriegbot.players.specs import parse_spec
from tournaments.play import LOGGER, MOST_ATTEMPTS, Died, Outcome, SpecOf, WarmSeats, log_to
from tournaments.run import ExecutorError
from tournaments.schedule import ScheduledGame, TournamentSettings

try:  # Dask is an optional extra
    import dask
    from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, Security, as_completed
    from distributed.comm.addressing import get_address_host_port, parse_address

    import_module("cryptography")  # with which Dask makes certificates
except ImportError:
    raise ExecutorError("--executor dask needs Dask; install it: pip install 'kriegbot[cluster]'") from None

NOISY = "distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio"
"""Loggers to which Dask gives a handler or level of their own, and others that it makes log."""
OWN_CLUSTER = {
    "distributed.worker.daemon": False,  # a daemonic process could not start players
    f"distributed.nanny.pre-spawn-environ.{SAFE_PATH}": 1,  # for workers that replace dead ones
    "distributed.scheduler.allowed-failures": 0,  # a game whose worker died comes back here at once
    "distributed.scheduler.worker-saturation": 1.0,  # so that no game waits at a worker, and is blamed when it dies
    "distributed.scheduler.http.routes": [],  # pages that anybody on the machine could read
    "distributed.worker.http.routes": [],
}


class DaskExecutor:
    """Plays games on a cluster; raises ExecutorError if no scheduler answers.

    Args:
      jobs: how many workers to start; for a running cluster, the least number of games to submit, since one that grows
        on demand looks at its queue.
      scheduler: address of a running one; None for a cluster on this machine, which ends with the games.
      patience, spec_of: as for `WarmSeats`.
    """

    queue = None

    def __init__(
        self, jobs: int, scheduler: str | None = None, patience: float | None = None, spec_of: SpecOf = parse_spec
    ) -> None:
        self._jobs, self._scheduler, self._patience, self._spec_of = jobs, scheduler, patience, spec_of
        for name in NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        if scheduler is not None:
            with _connected(scheduler):  # so that a missing scheduler is noticed before anything starts
                pass

    def play(self, games: Iterable[ScheduledGame], settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Plays games; the iterator must be closed, which withdraws those submitted and ends a cluster of our own.

        Raises ExecutorError: a worker cannot play, or the scheduler is gone.
        """
        waiting = deque((game, 1) for game in games)
        submitted: dict[Any, tuple[ScheduledGame, int]] = {}
        with _own(self._jobs) if self._scheduler is None else _connected(self._scheduler) as client:
            done = as_completed(loop=client.loop)
            while waiting or submitted:
                window = max(self._jobs, sum(client.nthreads().values()))
                while waiting and len(submitted) < window:
                    game, attempt = waiting.popleft()
                    future = client.submit(_play, game, attempt, settings, self._patience, self._spec_of, pure=False)
                    submitted[future.key] = game, attempt
                    done.add(future)
                future = next(done)
                outcome, records = _result(future, *submitted.pop(future.key))
                for record in records:
                    LOGGER.handle(record)
                if isinstance(outcome, Died) and outcome.attempts < MOST_ATTEMPTS:
                    waiting.appendleft((outcome.game, outcome.attempts + 1))
                yield outcome


def _result(future: Future[Any], game: ScheduledGame, attempt: int) -> tuple[Outcome, list[logging.LogRecord]]:
    """The outcome of a game, and what was logged meanwhile."""
    try:
        result: tuple[Outcome, list[logging.LogRecord]] = future.result()
    except KilledWorker:
        return Died(game, "the worker died", attempt), []
    except CancelledError:  # not by us: `_connected` says why
        raise
    except Exception as error:  # noqa: BLE001 - whatever a worker raises, such as that it has no kriegbot
        raise ExecutorError(f"a worker cannot play game {game.id} ({type(error).__name__}: {error})") from None
    return result


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    """A client of a running scheduler; closing it withdraws everything it has submitted."""
    try:
        get_address_host_port(scheduler)  # a client made with a bad address would not end quietly
        certified = Security().get_connection_args("client")["ssl_context"] is not None
        if parse_address(scheduler)[0] == "tls" and not certified:  # nor would one without a certificate
            raise ValueError("it talks TLS, and there is no certificate: see docs/clusters.md")
        client = Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"no Dask scheduler answers at {scheduler!r} ({error})") from None
    with client:
        try:
            yield client
        except (OSError, CancelledError):
            raise ExecutorError(f"the Dask scheduler at {scheduler!r} is gone") from None


@contextmanager
def _own(jobs: int) -> Iterator[Client]:
    """A client of a cluster on this machine, whose workers Ctrl-C does not reach.

    Whoever can talk to a scheduler can have it run anything. So all that belongs to this cluster talks TLS, and shows a
    certificate that is made for this run and never written to a file.
    """
    with dask.config.set(OWN_CLUSTER), _same_environment():
        with no_current_folder(), no_interrupts():
            cluster = LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                security=True,
                memory_limit=None,  # a share of the memory, by default: too little on a machine of many cores
                dashboard_address="127.0.0.1:0",  # there is no way to have none; any free port
                silence_logs=logging.CRITICAL + 1,
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


@contextmanager
def _same_environment() -> Iterator[None]:
    """Puts this process's environment back: Dask writes into it what that of its workers is to have."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)


_of_this_thread = threading.local()


def _play(
    game: ScheduledGame, attempt: int, settings: TournamentSettings, patience: float | None, spec_of: SpecOf
) -> tuple[Outcome, list[logging.LogRecord]]:
    """The task: a game, played by a worker."""
    if multiprocessing.current_process().daemon:
        raise RuntimeError("to start players it must be started with DASK_DISTRIBUTED__WORKER__DAEMON=False")
    kept, made_from = _of_this_thread.__dict__, (settings, patience, spec_of)
    if kept.get("made_from") != made_from:
        if "seats" in kept:
            kept["seats"].close()
        kept.update(made_from=made_from, seats=WarmSeats(*made_from))
    with _records() as records:
        outcome = kept["seats"].play(game, attempt)
    return outcome, records


@contextmanager
def _records() -> Iterator[list[logging.LogRecord]]:
    """What this thread logs within, once it is left."""
    queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
    here, records = threading.get_ident(), list[logging.LogRecord]()
    handler = QueueHandler(queue)
    handler.addFilter(lambda record: record.thread == here)
    log_to(handler)
    try:
        yield records
    finally:
        LOGGER.removeHandler(handler)
        while not queue.empty():
            records.append(queue.get())
