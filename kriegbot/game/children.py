"""Child processes: start them, give them low priority and end them. For players, tournament workers and the analysis.

A `LineProcess` exchanges lines with its child. It executes nothing that the child sends, and the child cannot stall it:
every wait has a deadline, every text a limit.
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

from kriegbot.game import supervisor
from kriegbot.importing import forget_current_folder
from referee.text import harmless

NICENESS = 10  # nice value of a low-priority process; the lowest priority is 19
MAX_LINE = 4096  # bytes in a line from a child
MAX_OUTPUT = 1_000_000  # bytes that a child may write between two messages to it, on either stream
LOG_BYTES = 20_000  # bytes kept from the end of a child's stderr
CHUNK = 65536
SUPERVISOR_PATIENCE = 2.0  # seconds that a supervisor has to end everything that its program has started
SAFE_PATH = "PYTHONSAFEPATH"  # environment variable that keeps the current folder off sys.path


class CannotStart(Exception):
    """A process cannot be started, for lack of memory or open files. The message is one line."""


class ProcessExited(Exception):
    """The child has ended. `LineProcess.end` returns its exit code."""


class TimedOut(Exception):
    """The deadline has passed."""


class OutputLimit(Exception):
    """The child has written more than it may. The message names the limit."""


class LineProcess:
    """A child process that exchanges lines, in a session and process group of its own.

    Args:
      command: the program and its arguments.
      environment: its environment; None for that of this process.
      is_supervised: True to end the daemons that it starts together with it (`kriegbot.game.supervisor`). Linux only.

    Raises:
      CannotStart: the system refuses to start it.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, *, is_supervised: bool = False
    ) -> None:
        pipe = subprocess.PIPE
        self._is_supervised = is_supervised and sys.platform == "linux"
        if self._is_supervised:
            command = [sys.executable, "-I", "-S", supervisor.__file__, *command]
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
        self._unread, self._log, self._has_closed_output = b"", b"", False
        self._written = {self._out: 0, self._err: 0}

    @property
    def pid(self) -> int:
        """The process ID, which is also the ID of the process group."""
        return self._process.pid

    def send(self, lines: Sequence[str], deadline: float) -> None:
        """Send lines before the deadline (of `time.monotonic`); raise ProcessExited, TimedOut or OutputLimit."""
        unsent = "".join(f"{line}\n" for line in lines).encode()
        self._written = dict.fromkeys(self._written, 0)
        while unsent:
            try:
                unsent = unsent[os.write(self._in, unsent) :]
            except BlockingIOError:
                self._poll.register(self._in, select.POLLOUT)
                try:
                    self._wait(deadline)
                finally:
                    self._poll.unregister(self._in)
            except OSError:
                raise ProcessExited from None

    def line(self, deadline: float) -> str:
        """Return the child's next line without its end; raise like `send`."""
        while b"\n" not in self._unread[: MAX_LINE + 1]:
            if len(self._unread) > MAX_LINE:
                raise OutputLimit(f"a line of more than {MAX_LINE} bytes")
            self._wait(deadline)
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(errors="backslashreplace").rstrip("\r")

    def unread_output(self) -> str | None:
        """Return the first line that the child has written and `line` has not returned, if any; raise OutputLimit."""
        self._read(self._out)
        return self._unread.partition(b"\n")[0].decode(errors="backslashreplace") if self._unread else None

    def log(self) -> str:
        """Return the end of the child's stderr since `clear_log`, without control characters."""
        if self._err >= 0:
            with contextlib.suppress(OutputLimit):
                self._read(self._err)
        return harmless(self._log.decode(errors="replace"))

    def clear_log(self) -> None:
        """Discard the log so far."""
        self.log()
        self._log = b""

    def kill(self) -> None:
        """Kill the child and everything that it has started. Any thread may call this."""
        if self._process.returncode is None:  # not yet waited for, so no other process has its ID
            with contextlib.suppress(OSError):
                if self._is_supervised:
                    os.kill(self.pid, signal.SIGTERM)
                else:
                    os.killpg(self.pid, signal.SIGKILL)

    def end(self, patience: float = 0.2) -> int | None:
        """Wait `patience` seconds for the child to end, then kill it. Return its exit code, None if it was killed."""
        if self._process.returncode is not None:
            return None
        self._stdin.close()
        has_ended = self.ends_within(patience)
        self.kill()
        if self._is_supervised:
            self.ends_within(SUPERVISOR_PATIENCE)
            self._is_supervised = False
            self.kill()
        code = self._process.wait()
        self.log()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._err = -1
        return code if has_ended else None

    def ends_within(self, patience: float) -> bool:
        """Wait up to `patience` seconds for the child to end by itself; True if it has."""
        deadline = time.monotonic() + patience
        while not (has_ended := self._has_ended()) and time.monotonic() < deadline:
            time.sleep(0.001)
        return has_ended

    def _has_ended(self) -> bool:
        """Return True if the child has ended. Where the system allows it, leave the child to be waited for."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13: the child's own children may outlive it
            return self._process.poll() is not None
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _wait(self, deadline: float) -> None:
        """Wait until a stream is ready, and read. Raise ProcessExited if the child has closed its output."""
        if self._has_closed_output:
            raise ProcessExited
        ready = self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000 + 1)
        if not ready:
            raise TimedOut
        for stream, _ in ready:
            if stream != self._in and not self._read(stream):
                self._poll.unregister(stream)
                self._has_closed_output |= stream == self._out

    def _read(self, stream: int) -> bool:
        """Read everything available; False at the end of the stream."""
        while True:
            try:
                data = os.read(stream, CHUNK)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self._written[stream] += len(data)
            if stream == self._err:
                self._log = (self._log + data)[-LOG_BYTES:]
            else:
                self._unread += data
            if self._written[stream] > MAX_OUTPUT:
                raise OutputLimit(f"more than {MAX_OUTPUT} bytes in its {'log' if stream == self._err else 'answer'}")


@contextlib.contextmanager
def no_interrupts() -> Iterator[None]:
    """Shield processes started within from Ctrl-C, which only this process handles."""
    resource_tracker.ensure_running()  # starting it later would unblock SIGINT
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def signal_handlers(handlers: Mapping[signal.Signals, Callable[[int, object], object]]) -> Iterator[None]:
    """Install signal handlers, and restore the previous ones at the end."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def no_current_folder() -> Iterator[None]:
    """Keep processes of `multiprocessing` started within from importing modules of the current folder."""
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
    """Lower the priority of a process that leads its session; by default this process.

    Where Linux shares time among sessions ("autogroup"), the nice value counts only within a session.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, process, NICENESS)
    with contextlib.suppress(OSError):
        Path(f"/proc/{process or 'self'}/autogroup").write_text(str(NICENESS))


def leave_with_parent() -> None:
    """End this process of `multiprocessing` as soon as its parent has ended in any way."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        _exit_after(parent.join)


def leave_with_stdin() -> None:
    """End this child of a `LineProcess` as soon as its input closes: the parent has ended or needs it no longer."""
    poll = select.poll()
    poll.register(0, 0)  # poll always reports POLLHUP
    _exit_after(poll.poll)


def _exit_after(wait: Callable[[], object]) -> None:
    def leave() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def own_session() -> None:
    """Move this process and its future children into a new session, out of the terminal's reach."""
    with contextlib.suppress(OSError):
        os.setsid()
