"""A seat in a process of its own, for programs: one that hangs is killed, one that dies is noticed.

The process is started afresh ("spawn"), so it inherits nothing of this one, and is kept for later games, since what it
has compiled or loaded is worth keeping. As always with "spawn", a script that uses seats must have its main part under
`if __name__ == "__main__":`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from typing import Any, BinaryIO

from kriegbot.players.base import Choice
from kriegbot.players.seat import Failure, PlayerFailed, Source
from kriegbot.players.specs import PlayerSpec, Progress
from kriegbot.players.worker import work
from referee import View

PATIENCE = 300.0
"""Seconds that one answer may take before a player counts as hung."""
GRACE = 10.0
"""Seconds that a player with a time budget may take beyond twice that, before it loses the game."""
START_PATIENCE = 600.0
"""The same for sitting down, when kernels may have to be compiled."""
LOG_BYTES = 20_000
"""How much of what a player has written is kept: the end of it."""


class ProcessSeat:
    """A seat in a process of its own.

    Args:
      source: a spec, or a function of a seed that can be pickled.
      name: who sits here; of a spec, the spec.
      patience: seconds that one answer may take; unless given, 300, or of a player with a time budget twice that and
        10 seconds.
      report: told how far the kernels are, if they have to be compiled.
      gives_way: whether everything else on the machine goes before its process.
    """

    def __init__(
        self,
        source: Source,
        name: str | None = None,
        *,
        patience: float | None = None,
        report: Progress | None = None,
        gives_way: bool = False,
    ) -> None:
        self.invite(source, name, patience)
        self._report, self._gives_way = report, gives_way
        self._process: Any = None
        self._connection: Connection[Any, Any] | None = None
        self._output: BinaryIO | None = None
        self._output_path = ""
        self._begun = 0
        self._told = 0

    def invite(self, source: Source, name: str | None = None, patience: float | None = None) -> None:
        """Says who plays the next game here, in the process of the games before."""
        self.name = str(source) if name is None else name
        self._source = source
        self._budget = budget_of(source)
        self._patience = (
            (PATIENCE if self._budget is None else 2 * self._budget + GRACE) if patience is None else patience
        )

    def __enter__(self) -> ProcessSeat:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, seed: int) -> None:
        """Seats a player for a new game, in the process of the game before if there is one."""
        if self._process is None:
            self._start()
        self._begun = self._output_size()
        self._told = 0
        self._send(("game", self._source, seed))
        self._receive("ready", START_PATIENCE)
        self._unname_output()

    def ask(self, view: View) -> Choice:
        """The player's answer; the process of a player that hangs is killed."""
        self._send(("view", replace(view, events=view.events[self._told :]), self._told))
        self._told = len(view.events)
        choice = self._receive("choice", self._patience)[0]
        if not isinstance(choice, Choice):
            raise PlayerFailed(Failure.NONSENSE, "answered nonsense")
        return choice

    def wait(self, view: View) -> None:
        """Nothing: programs wait without being shown anything."""

    def log(self) -> str:
        """The end of what the player has printed since the game began."""
        if self._output is None:
            return ""
        self._output.seek(max(self._begun, self._output_size() - LOG_BYTES))
        return self._output.read().decode(errors="replace")

    def close(self) -> None:
        """Ends the process: a good one by asking, any other by force."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.send(("stop",))
                wait([self._process.sentinel], 1.0)
        self._end()
        if self._output is not None:
            self._output.close()
            self._output = None
        self._unname_output()

    def _start(self) -> None:
        if self._output is not None:
            self._output.close()
            self._unname_output()
        handle, self._output_path = tempfile.mkstemp(prefix="kriegbot-", suffix=".log")
        self._output = os.fdopen(handle, "rb")
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=work,
            args=(theirs, self._output_path),
            kwargs={"gives_way": self._gives_way},
            name=f"kriegbot {self.name}",
            daemon=True,
        )
        try:
            with no_interrupts():
                self._process.start()
        finally:
            theirs.close()

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            if self._connection is None:
                raise OSError("the process has ended")
            self._connection.send(message)
        except OSError:
            raise self._died() from None

    def _receive(self, expected: str, patience: float) -> tuple[Any, ...]:
        connection = self._connection
        if connection is None:
            raise self._died()
        deadline = time.monotonic() + patience
        while True:
            try:
                is_there = wait([connection], max(0.0, deadline - time.monotonic()))
            except BaseException:  # Ctrl-C: the answer that is still to come must not be taken for a later one
                self._end()
                raise
            if not is_there:
                self._end()
                raise self._late(expected, patience)
            try:
                kind, *rest = connection.recv()
            except Exception:  # noqa: BLE001 - half a message from a dying process can raise anything
                raise self._died() from None
            if kind == expected:
                return tuple(rest)
            if kind == "failed":
                raise PlayerFailed(*rest)
            if kind == "progress" and self._report is not None:
                self._report(*rest)

    def _late(self, expected: str, patience: float) -> PlayerFailed:
        if expected != "choice" or self._budget is None or patience < self._budget:
            return PlayerFailed(Failure.HUNG, f"hung: no answer in {patience:g} seconds")
        what = f"overran its time: no answer in {patience:g} seconds, of which it may take {self._budget:g}"
        return PlayerFailed(Failure.OVERRAN, what)

    def _died(self) -> PlayerFailed:
        exitcode = self._end()
        how = "its process ended"
        if exitcode is not None:
            how += f" (exit code {exitcode})" if exitcode >= 0 else f" ({_signal_name(-exitcode)})"
        from_outside = exitcode in (-signal.SIGTERM, -getattr(signal, "SIGKILL", signal.SIGTERM))
        return PlayerFailed(Failure.KILLED if from_outside else Failure.DIED, f"died: {how}")

    def _end(self) -> int | None:
        """Ends the process and all that it has started; its exit code if it had ended by itself."""
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if process is None:
            return None
        by_itself = bool(wait([process.sentinel], 0.2))
        with contextlib.suppress(AttributeError, OSError):
            os.killpg(process.pid, signal.SIGKILL)  # its group, which is its own; before its id is given away
        process.kill()
        process.join()
        exitcode: int | None = process.exitcode if by_itself else None
        process.close()
        return exitcode

    def _unname_output(self) -> None:
        """Takes the file's name away once both ends have it open, so that nothing is left of it whatever happens."""
        path, self._output_path = self._output_path, ""
        with contextlib.suppress(OSError):
            os.unlink(path)

    def _output_size(self) -> int:
        return os.fstat(self._output.fileno()).st_size if self._output is not None else 0


@contextlib.contextmanager
def no_interrupts() -> Iterator[None]:
    """A process started within ignores Ctrl-C from its first moment; the person at the keyboard is not its business."""
    if threading.current_thread() is not threading.main_thread():
        with _blocked():
            yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _blocked() -> Iterator[None]:
    """The same within a thread, which cannot ignore a signal, but can keep it from what it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def budget_of(source: Source) -> float | None:
    """Seconds that a spec gives a player for its longest answer; None if it has no time budget."""
    if not isinstance(source, PlayerSpec) or source.get("samples") is not None:
        return None
    times = [float(value) for name in ("time", "extra") if isinstance(value := source.get(name), int | float)]
    return max(times, default=None)
