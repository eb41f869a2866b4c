"""Games played by the workers of a Dask cluster, here or at the address of a scheduler; see docs/clusters.md.

A game is one task. The executor submits no more games than the cluster has threads (or `jobs`, if that is more), so a
long tournament does not flood the scheduler. Every thread of a worker keeps seats of its own. A game that died
(`schedule.Died`), mostly with its worker, is submitted again, for MOST_ATTEMPTS attempts in all.
"""

import logging
import os
import signal
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from kriegbot.children import CannotStart
from kriegbot.importing import SAFE_PATH, forget_current_folder
from kriegbot.players.specs import parse_spec
from tournaments.run import ExecutorError, SpecOf, play_warm, with_retries
from tournaments.schedule import Died, Outcome, ScheduledGame, TournamentSettings

try:  # Dask is an optional extra
    import dask
    from distributed import (
        CancelledError,
        Client,
        Future,
        KilledWorker,
        LocalCluster,
        Security,
        Worker,
        WorkerPlugin,
        as_completed,
    )
    from distributed.comm.addressing import get_address_host_port, parse_address

    import_module("cryptography")  # with which Dask makes certificates
except ImportError:
    raise ExecutorError(
        "--executor dask needs Dask; run 'pip install dask distributed dask-jobqueue cryptography'"
    ) from None

NOISY = "distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio"
"""Loggers that Dask configures itself, and others that it makes log."""
OWN_CLUSTER = {
    f"distributed.nanny.pre-spawn-environ.{SAFE_PATH}": 1,  # for workers that replace dead ones
    "distributed.scheduler.allowed-failures": 0,  # a game whose worker died comes back here at once
    "distributed.scheduler.worker-saturation": 1.0,  # so that no game waits at a worker, and is blamed when it dies
    "distributed.scheduler.http.routes": [],  # pages that anybody on the machine could read
    "distributed.worker.http.routes": [],
}


class DaskExecutor:
    """Plays games on a cluster; raises ExecutorError if no scheduler answers.

    Without the address of a scheduler it starts a cluster of `jobs` workers on this machine. For a running cluster
    `jobs` is the least number of games to submit: a cluster that grows on demand looks at its queue.
    """

    def __init__(
        self, jobs: int, scheduler: str | None = None, patience: float | None = None, spec_of: SpecOf = parse_spec
    ) -> None:
        self._jobs, self._scheduler, self._patience, self._spec_of = jobs, scheduler, patience, spec_of
        for name in NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        if scheduler is not None:
            with _connected(scheduler):  # reports a missing scheduler before anything starts
                pass

    def play(self, games: Iterable[ScheduledGame], settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Play games. Closing the generator withdraws those submitted and ends a cluster of our own."""
        with _own(self._jobs) if self._scheduler is None else _connected(self._scheduler) as client:
            done = as_completed(loop=client.loop)

            def submit(game: ScheduledGame, attempt: int) -> Future[Any]:
                future = client.submit(play_warm, game, attempt, settings, self._patience, self._spec_of, pure=False)
                done.add(future)
                return future

            yield from with_retries(
                games,
                lambda: max(self._jobs, sum(client.nthreads().values())),
                submit,
                lambda _: [next(done)],
                _outcome,
            )


def _outcome(future: Future[Any], game: ScheduledGame, attempt: int) -> Outcome:
    try:
        return future.result()  # type: ignore[no-any-return]  # of `play_warm`
    except KilledWorker:
        return Died(game, "the worker died", attempt)
    except CannotStart as error:
        return Died(game, str(error), attempt)
    except CancelledError:  # not by us: `_connected` says why
        raise
    except Exception as error:  # noqa: BLE001 - a worker raises anything, for instance if it has no kriegbot
        raise ExecutorError(f"a worker cannot play game {game.id} ({type(error).__name__}: {error})") from None


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    """Yield a client of a running scheduler. Closing it withdraws everything it has submitted."""
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
    """Yield a client of a cluster on this machine, whose workers Ctrl-C does not reach.

    A scheduler runs anything for anyone who can talk to it. So everything in this cluster talks TLS, with a
    certificate made for this run. Dask deletes certificate and key as soon as Python's `ssl` has loaded them.
    """
    with dask.config.set(OWN_CLUSTER), _same_environment():
        cluster = LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            security=True,
            memory_limit=None,  # the default, a share of the memory, is too little on a machine of many cores
            dashboard_address="127.0.0.1:0",  # any free port: Dask cannot do without one
            silence_logs=logging.CRITICAL + 1,
        )
        with cluster, Client(cluster, set_as_default=False) as client:
            client.register_plugin(_Uninterrupted())
            yield client


class _Uninterrupted(WorkerPlugin):
    """Lets a worker ignore Ctrl-C, which is for the main process."""

    def setup(self, worker: Worker) -> None:  # noqa: ARG002 - Dask's signature
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _same_environment() -> Iterator[None]:
    """Keep processes started within from importing modules of the current folder; restore path and environment."""
    path, before = sys.path[:], dict(os.environ)
    forget_current_folder()
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        sys.path[:] = path
        for name in os.environ.keys() - before:
            del os.environ[name]
        os.environ.update(before)
