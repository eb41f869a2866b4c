"""Child processes, how they are started, given low priority and ended: players, tournament workers, the analysis.

A `Talker` exchanges lines over its standard input and output. Nothing that it sends is executed, and neither what it
sends nor what it leaves unread can stall this process: every wait has a deadline, every text a limit.
"""

import contextlib
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import resource_tracker
from pathlib import Path

from kriegbot.game import keeper
from kriegbot.importing import forget_current_folder
from referee.text import harmless

GIVES_WAY = 10  # how much a low-priority process raises its nice value, up to 19
MOST_LINE = 4096  # bytes of one line of a child
FLOOD = 1_000_000  # bytes that a child may write between two messages to it, on either stream
LOG_BYTES = 20_000  # bytes kept of what a child has written to stderr, from its end
CHUNK = 65536
KEEPER_PATIENCE = 2.0  # seconds that a keeper has to end all that its program has started
SAFE_PATH = "PYTHONSAFEPATH"  # in the environment: whether Python leaves out the folder that it would import from first


class CannotStart(Exception):
    """A process cannot be started, for lack of memory or open files; the message is one line."""


class ProcessExited(Exception):
    """The child has ended; `end` says how."""


class TimedOut(Exception):
    """The child's time is up."""


class OutputLimit(Exception):
    """The child has written more than it may; the message says what."""


class Talker:
    """A process that exchanges lines, in a session and so a process group of its own; raises CannotStart.

    Args:
      command: the program and its arguments.
      environment: its environment; None for this process's.
      is_kept: whether daemons that it starts end with it (`kriegbot.game.keeper`); on Linux alone.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, *, is_kept: bool = False
    ) -> None:
        pipe = subprocess.PIPE
        self._is_kept = is_kept and sys.platform == "linux"
        if self._is_kept:
            command = [sys.executable, "-I", "-S", keeper.__file__, *command]
        try:
            self._process = subprocess.Popen(
                command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
            )
        except OSError as error:
            raise CannotStart(error.strerror or str(error)) from None
        streams = [stream for stream in (self._process.stdin, self._process.stdout, self._process.stderr) if stream]
        self._stdin, (self._in, self._out, self._err) = streams[0], [stream.fileno() for stream in streams]
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._poll = select.poll()
        for stream in (self._out, self._err):
            self._poll.register(stream, select.POLLIN)
        self._read, self._log, self._is_silent = b"", b"", False
        self._written = {self._out: 0, self._err: 0}

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    def send(self, lines: Sequence[str], deadline: float) -> None:
        """Sends lines; `deadline` is of `time.monotonic`. Raises Ended, Late or Flooded."""
        left = "".join(f"{line}\n" for line in lines).encode()
        self._written = dict.fromkeys(self._written, 0)
        while left:
            try:
                left = left[os.write(self._in, left) :]
            except BlockingIOError:
                self._poll.register(self._in, select.POLLOUT)
                try:
                    self._wait(deadline)
                finally:
                    self._poll.unregister(self._in)
            except OSError:
                raise ProcessExited from None

    def line(self, deadline: float) -> str:
        """The next line of the child, without its end. Raises Ended, Late or Flooded."""
        while b"\n" not in self._read[: MOST_LINE + 1]:
            if len(self._read) > MOST_LINE:
                raise OutputLimit(f"a line of more than {MOST_LINE} bytes")
            self._wait(deadline)
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="backslashreplace").rstrip("\r")

    def early(self) -> str | None:
        """The first line of what the child has said and nobody has read; None if there is nothing. Raises Flooded."""
        self._take(self._out)
        return self._read.partition(b"\n")[0].decode(errors="backslashreplace") if self._read else None

    def log(self) -> str:
        """The end of what the child has written to stderr since `forget`, without control characters."""
        if self._err >= 0:
            with contextlib.suppress(OutputLimit):
                self._take(self._err)
        return harmless(self._log.decode(errors="replace"))

    def forget(self) -> None:
        """Forgets what was written so far."""
        self.log()
        self._log = b""

    def kill(self) -> None:
        """Kills the child and all that it has started; in any thread."""
        if self._process.returncode is None:  # not yet waited for, so the id is still its own
            with contextlib.suppress(OSError):
                if self._is_kept:
                    os.kill(self.pid, signal.SIGTERM)
                else:
                    os.killpg(self.pid, signal.SIGKILL)

    def end(self, patience: float = 0.2) -> int | None:
        """Waits `patience` seconds for the child to end, then kills it; its exit code, or None if it was killed."""
        if self._process.returncode is not None:
            return None
        self._stdin.close()
        has_ended = self.ends_within(patience)
        self.kill()
        if self._is_kept:
            self.ends_within(KEEPER_PATIENCE)
            self._is_kept = False
            self.kill()
        code = self._process.wait()
        self.log()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._err = -1
        return code if has_ended else None

    def ends_within(self, patience: float) -> bool:
        """Waits up to `patience` seconds for the child to end by itself; whether it has."""
        deadline = time.monotonic() + patience
        while not (has_ended := self._has_ended()) and time.monotonic() < deadline:
            time.sleep(0.001)
        return has_ended

    def _has_ended(self) -> bool:
        """Whether the child has ended; where the system can tell, it must still be waited for."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13: what the child has started may outlive it
            return self._process.poll() is not None
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _wait(self, deadline: float) -> None:
        """Waits until there is something to read or room to write, and reads; raises Ended if nothing can come."""
        if self._is_silent:
            raise ProcessExited
        left = deadline - time.monotonic()
        ready = self._poll.poll(max(0.0, left) * 1000 + 1)
        if not ready:
            raise TimedOut
        for stream, _ in ready:
            if stream == self._in:
                continue
            if not self._take(stream):
                self._poll.unregister(stream)
                self._is_silent |= stream == self._out

    def _take(self, stream: int) -> bool:
        """Reads what there is; False at the end of the stream."""
        while True:
            try:
                text = os.read(stream, CHUNK)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not text:
                return False
            self._written[stream] += len(text)
            if stream == self._err:
                self._log = (self._log + text)[-LOG_BYTES:]
            else:
                self._read += text
            if self._written[stream] > FLOOD:
                raise OutputLimit(f"more than {FLOOD} bytes in its {'log' if stream == self._err else 'answer'}")


@contextlib.contextmanager
def no_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C, which is meant for this process, from any process started within."""
    resource_tracker.ensure_running()  # now, since whoever starts it has its SIGINT unblocked afterwards
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def handling(handlers: Mapping[signal.Signals, Callable[[int, object], object]]) -> Iterator[None]:
    """Within, signals are handled in these ways."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def no_current_folder() -> Iterator[None]:
    """Keeps processes of `multiprocessing` that are started within from importing what lies in the current folder."""
    path, before = sys.path[:], {name: os.environ.get(name) for name in (SAFE_PATH, "PYTHONPATH")}
    forget_current_folder()
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        sys.path[:] = path
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({} if value is None else {name: value})


def lower_priority(process: int = 0) -> None:
    """Gives a process, by default this one, low priority; it must have a session of its own.

    Where Linux shares time among sessions ("autogroup"), a process's own priority counts only within its session.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, process, GIVES_WAY)
    with contextlib.suppress(OSError):
        Path(f"/proc/{process or 'self'}/autogroup").write_text(str(GIVES_WAY))


def leave_with_parent() -> None:
    """Ends this process, one of `multiprocessing`, as soon as its parent has ended in any way."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        _exit_after(parent.join)


def leave_with_stdin() -> None:
    """The same for the process of a `Talker`, whose input is closed when the parent has ended or is done with it."""
    poll = select.poll()
    poll.register(0, 0)  # POLLHUP is always told
    _exit_after(poll.poll)


def _exit_after(wait: Callable[[], object]) -> None:
    def leave() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def own_session() -> None:
    """Puts this process and what it starts into a session of their own, out of the terminal's reach."""
    with contextlib.suppress(OSError):
        os.setsid()
