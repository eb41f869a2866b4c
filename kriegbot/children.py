"""Child processes, in one way on all systems: players, and workers that call our own functions.

A `LineProcess` exchanges lines with its child and executes nothing that the child sends. Threads read and write the
pipes, so waits have deadlines, and queues and texts have limits. A `WorkerPool` calls functions in children; its lines
are pickles. A child in Python ends when its input closes. On Linux every child ends with us.
"""

import base64
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from queue import Empty, SimpleQueue
from typing import IO, Any, ParamSpec, TextIO, TypeVar

import psutil

from kriegbot.importing import importable
from referee.text import harmless

if sys.platform == "linux":
    from kriegbot import posix

NICENESS = 10  # nice value of a low-priority process; the lowest priority is 19
MAX_LINE = 4096  # bytes in a line from a player
MAX_OUTPUT = 1_000_000  # bytes that a player may write between two messages to it, on either stream
LOG_BYTES = 20_000  # bytes kept from the end of a child's stderr
CHUNK = 65536
QUEUED = 16  # chunks in a queue beyond which its writer waits
TICK = 0.2  # seconds of one wait: Windows delivers Ctrl-C between waits (docs.python.org/3/library/threading.html)
STANDSTILL = 0.5  # seconds without a heartbeat, one every TICK, in which this process stood still
ARRIVING = 0.05  # seconds until what a child has written is in our queue
MOST_PATIENCE = 1.0  # seconds in which a log is read at most, however often more comes
ANSWER, LOG = "answer", "log"  # the streams that a child writes
HUNG_UP = [getattr(signal, name) for name in ("SIGHUP", "SIGBREAK") if hasattr(signal, name)]
"""Signals of a terminal that is closed: POSIX's, and that of Windows, where this is undocumented."""
in_worker = False  # True in a worker

P = ParamSpec("P")
T = TypeVar("T")


class CannotStart(Exception):
    """A process cannot be started, such as for lack of memory, open files or a sandbox. The message is one line."""


class OutputLimit(Exception):
    """The child has written more than it may. The message names the limit."""


class _AwakeClock(threading.Thread):
    """The clock `awake_time`. A thread reads it every TICK; a gap of more than STANDSTILL does not count."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._lock, self._last, self._lost = threading.Lock(), time.monotonic(), 0.0
        self.start()

    def read(self) -> float:
        """Return the time."""
        with self._lock:
            now = time.monotonic()
            self._lost += now - self._last if now - self._last > STANDSTILL else 0.0
            self._last = now
            return now - self._lost

    def run(self) -> None:
        """Read the clock for ever."""
        while True:
            time.sleep(TICK)
            self.read()


_awake_clock = cache(_AwakeClock)


def awake_time() -> float:
    """Return seconds by a clock that stops while this process stands still (STANDSTILL), alone or with the machine."""
    return _awake_clock().read()


class LineProcess:
    """A child process that exchanges lines, out of the reach of the terminal's Ctrl-C. Raises CannotStart.

    If `is_supervised`, the daemons that it starts end with it (`kriegbot.posix`), on Linux. Deadlines are those of
    `awake_time`; TimeoutError says that one has passed.
    """

    max_line, max_output = MAX_LINE, MAX_OUTPUT
    has_log = True  # False lets it write to this process's stderr

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, *, is_supervised: bool = False
    ) -> None:
        pipe = subprocess.PIPE
        self._is_supervised = is_supervised and sys.platform == "linux"
        if self._is_supervised:
            command = [sys.executable, "-I", "-S", posix.__file__, *command]
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe if self.has_log else None,
                env=environment,
                start_new_session=os.name == "posix",
                # docs.python.org/3/library/subprocess.html: Windows then sends it no Ctrl-C
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise CannotStart(error.strerror or str(error)) from None
        streams = {ANSWER: self._process.stdout, LOG: self._process.stderr}
        self._open = {name for name, stream in streams.items() if stream is not None}
        self._unread, self._log, self.is_running = b"", b"", True
        self._written = dict.fromkeys(streams, 0)
        self._unsent: SimpleQueue[bytes] = SimpleQueue()
        self._arrived: SimpleQueue[tuple[str, bytes | Exception]] = SimpleQueue()
        try:
            threading.Thread(target=self._write, args=(self._process.stdin,), daemon=True).start()
            for name in self._open:
                threading.Thread(target=self._read, args=(name, streams[name]), daemon=True).start()
        except RuntimeError as error:  # no more threads
            self.kill()
            raise CannotStart(str(error)) from None

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._process.pid

    def send(self, lines: Sequence[str], deadline: float) -> None:
        """Send lines, whether or not the child reads them; raise TimeoutError if too many earlier ones are unread."""
        self._written = dict.fromkeys(self._written, 0)
        while self._unsent.qsize() > QUEUED:
            if awake_time() > deadline:
                raise TimeoutError
            time.sleep(0.01)
        self._unsent.put("".join(f"{line}\n" for line in lines).encode())

    def line(self, deadline: float) -> str:
        """Return the child's next line without its end; raise TimeoutError, OutputLimit, or EOFError after its last."""
        while (end := self._unread.find(b"\n")) < 0 or end > self.max_line:
            if len(self._unread) > self.max_line:
                raise OutputLimit(f"a line of more than {self.max_line} bytes")
            if ANSWER not in self._open:
                raise EOFError
            self._take_next(deadline)
        line, self._unread = self._unread[:end], self._unread[end + 1 :]
        return line.decode(errors="backslashreplace").rstrip("\r")

    def unread_output(self) -> str | None:
        """Return what has arrived of the child's next line, None for nothing; raise OutputLimit."""
        with contextlib.suppress(TimeoutError):
            while True:
                self._take_next(None)
        return self._unread.partition(b"\n")[0].decode(errors="backslashreplace") if self._unread else None

    def log(self, patience: float = 0.0) -> str:
        """Return the end of the child's stderr since `clear_log`, without control characters but line ends and tabs.

        Wait until nothing comes for `patience` seconds, hardly beyond MOST_PATIENCE: what was written may be read late.
        """
        last = awake_time() + MOST_PATIENCE
        with contextlib.suppress(OutputLimit, TimeoutError):
            while awake_time() < last:
                self._take_next(awake_time() + patience if patience and LOG in self._open else None)
        return harmless(self._log.decode(errors="replace"))

    def clear_log(self) -> None:
        """Discard the log so far."""
        self.log()
        self._log = b""

    def kill(self) -> None:
        """Kill the child, unless it has ended, and its descendants. Any thread may call this."""
        if self._process.poll() is None:  # not yet waited for, so no other process has its ID
            _kill_tree(self.pid)

    def end(self, patience: float = 0.2) -> int | None:
        """Close its input, wait `patience` seconds, kill it. Return its exit code; None if killed, or called again."""
        if not self.is_running:
            return None
        self._unsent.put(b"")
        has_ended = self.ends_within(patience)
        self.kill()
        if self._is_supervised and sys.platform == "linux":
            posix.kill_group(self.pid)  # its program may have killed the supervisor
        code = self._process.wait()
        self.is_running = False  # a thread that reads for a daemon ends at the next chunk
        while self._open:
            try:
                self._take_next(awake_time() + patience)
            except TimeoutError:
                break
            except Exception:  # noqa: BLE001 - of a stream that nobody needs any more
                continue
        return code if has_ended else None

    def ends_within(self, patience: float) -> bool:
        """Wait up to `patience` seconds for the child to end by itself; True if it has."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        return self._process.poll() is not None

    def _take_next(self, deadline: float | None) -> None:
        """Take a chunk of a stream, the empty one at its end; raise TimeoutError or OutputLimit.

        Without a deadline take only what has arrived. Raise what has ended the thread that reads or writes.
        """
        left, arrived = 0.0, None
        while arrived is None:
            left = 0.0 if deadline is None else deadline - awake_time()
            with contextlib.suppress(Empty):  # what arrived in time counts, even if it is read late
                arrived = self._arrived.get(timeout=0 if deadline is None else max(ARRIVING, min(left, TICK)))
            if arrived is None and left <= 0:
                raise TimeoutError
        name, data = arrived
        if isinstance(data, Exception):
            raise data
        if not data:
            self._open.discard(name)
        elif name == LOG:
            self._log = (self._log + data)[-LOG_BYTES:]
        else:
            self._unread += data
        self._written[name] += len(data)
        if self._written[name] > self.max_output:
            raise OutputLimit(f"more than {self.max_output} bytes in its {name}")

    def _read(self, name: str, stream: IO[bytes]) -> None:
        with self._reporting(name), stream:
            while self.is_running and (data := stream.read(CHUNK)):
                self._arrived.put((name, data))
                while self._arrived.qsize() > QUEUED and self.is_running:
                    time.sleep(0.01)
        self._arrived.put((name, b""))

    def _write(self, stream: IO[bytes]) -> None:
        with self._reporting(ANSWER), contextlib.suppress(OSError), stream:  # it reads no more
            while unsent := self._unsent.get():
                while unsent:
                    unsent = unsent[stream.write(unsent) :]

    @contextlib.contextmanager
    def _reporting(self, name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whoever waits for the child gets it
            self._arrived.put((name, error))


class WorkerPool(contextlib.AbstractContextManager["WorkerPool"]):
    """Worker processes that call functions, first `initialize`. Each starts when needed; one that ends is replaced."""

    def __init__(self, count: int, initialize: Callable[[], object] | None = None) -> None:
        self._initialize = initialize
        self._threads = ThreadPoolExecutor(count)
        self._of_thread = threading.local()
        self._workers: set[_Worker] = set()
        self._is_closed = False

    def submit(self, function: Callable[P, T], *arguments: P.args, **_: P.kwargs) -> Future[T]:
        """Call a function of a module in a worker. Functions, arguments and results are pickled.

        The future raises what the function raises, with the traceback as a note (RuntimeError if it is not to be
        pickled); WorkerDied, as this method does after `close`; or CannotStart.
        """
        self._require_open()
        return self._threads.submit(self._call, function, arguments)

    def close(self) -> None:
        """Kill the workers and their descendants. Calls that wait raise WorkerDied."""
        self._is_closed = True
        for worker in list(self._workers):
            worker.kill()
        self._threads.shutdown()
        while self._workers:
            self._workers.pop().end()

    def _call(self, function: Callable[..., T], arguments: Sequence[object]) -> T:
        self._require_open()
        worker = getattr(self._of_thread, "worker", None)
        if worker is None:
            worker = self._of_thread.worker = _Worker()
            self._workers.add(worker)
            if self._initialize is not None:
                try:
                    self._ask(worker, self._initialize, ())
                except BaseException:  # the next call gets one that is initialized
                    if worker in self._workers:
                        self._end(worker)
                    raise
        return self._ask(worker, function, arguments)

    def _require_open(self) -> None:
        if self._is_closed:
            raise WorkerDied("the workers have ended")

    def _ask(self, worker: "_Worker", function: Callable[..., T], arguments: Sequence[object]) -> T:
        if self._is_closed:  # `close` may have come before the worker
            worker.kill()
        worker.send([_to_line((function, arguments))], threading.TIMEOUT_MAX)
        try:
            is_good, result = _from_line(worker.line(threading.TIMEOUT_MAX))
        except EOFError:
            worker.ends_within(1.0)
            code = self._end(worker)
            how = "" if code is None else f" (exit code {code})" if code >= 0 else f" (signal {-code})"
            raise WorkerDied(f"the worker died{how}") from None
        if not is_good:
            if isinstance(result, MemoryError | CannotStart):  # another may have what this one lacks
                self._end(worker)
            raise result
        return result  # type: ignore[no-any-return]  # what `function` returned

    def _end(self, worker: "_Worker") -> int | None:
        self._workers.discard(worker)
        del self._of_thread.worker
        return worker.end()

    def __exit__(self, *_: object) -> None:
        self.close()


class WorkerDied(Exception):
    """A worker has ended before it answered, or the pool is closed. The message is one line."""


class _Worker(LineProcess):
    max_line = max_output = sys.maxsize
    has_log = False

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(importable(is_same_script=False))}
        super().__init__([sys.executable, "-P", "-c", f"import {__name__}; {__name__}.serve()"], environment)


def serve() -> None:
    """Call the functions that a `WorkerPool` sends to this process."""
    global in_worker
    in_worker = True
    lines, out = own_streams()
    for line in lines:
        function, arguments = _from_line(line)
        try:
            answer = _to_line((True, function(*arguments)))
        except Exception as error:  # noqa: BLE001 - the caller gets it
            error.add_note(traceback.format_exc())
            try:
                answer = _to_line((False, error))
                _from_line(answer)
            except Exception:  # noqa: BLE001 - not every exception comes back from its pickle
                answer = _to_line((False, RuntimeError(traceback.format_exc())))
        out.write(f"{answer}\n")
        out.flush()


def _to_line(value: object) -> str:
    return base64.b64encode(pickle.dumps(value)).decode()


def _from_line(line: str) -> Any:
    return pickle.loads(base64.b64decode(line))


def own_streams() -> tuple[Iterator[str], TextIO]:
    """Return the lines of this child's stdin, and its stdout. All other code then reads nothing and prints to stderr.

    When stdin closes, this process ends, whatever it is doing: nobody needs it any more.
    """
    source = os.dup(0)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    with open(os.devnull, "rb") as null:
        os.dup2(null.fileno(), 0)
    os.dup2(2, 1)  # printing, in Python or in C, then goes to the log
    sys.stdout = sys.stderr
    chunks: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        while chunk := os.read(source, CHUNK):
            chunks.put(chunk)
        os._exit(1)

    def lines() -> Iterator[str]:
        unread = b""
        while True:
            *whole, unread = (unread + chunks.get()).split(b"\n")
            for line in whole:
                yield line.decode()

    threading.Thread(target=read, daemon=True).start()
    return lines(), out


def _kill_tree(pid: int) -> None:
    """Kill a process and its descendants, found by passes over all processes. A suspended one starts no others."""
    tree, size = dict[int, psutil.Process](), -1
    while len(tree) > size:
        size = len(tree)
        for process in psutil.process_iter(["ppid"]):
            # a supervisor has adopted the daemons of its program
            if process.pid not in tree and (process.pid == pid or process.info["ppid"] in tree):
                tree[process.pid] = process
                with contextlib.suppress(psutil.Error):
                    process.suspend()
    for process in tree.values():
        with contextlib.suppress(psutil.Error):
            process.kill()


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    process = psutil.Process()
    return len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else os.cpu_count() or 1  # none on macOS


def lower_priority(pid: int | None = None) -> None:
    """Lower the priority of a child and its descendants; by default of this process, which is a child itself."""
    with contextlib.suppress(psutil.Error):
        child = psutil.Process(pid)
        for process in (child, *child.children(recursive=True)):
            # docs.python.org/3/library/subprocess.html: Windows has classes of priorities instead of nice values
            process.nice(getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", NICENESS))
        if sys.platform == "linux":
            posix.lower_session(child.pid, NICENESS)


@contextlib.contextmanager
def signal_handlers(handlers: Mapping[signal.Signals, Any]) -> Iterator[None]:
    """Install signal handlers, and restore the previous ones at the end."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
