"""Mutation check: change one place of the code at a time and see whether a fast test fails.

    python benchmarks/mutants.py mutants.jsonl --count 600 --seed 1      # run it again to resume

Mutants are drawn from all production code (`mutations`). A first run, of at most `CASES` cases of each fast test,
records which tests reach which line, and which kernels they call. A mutant gets all cases of the tests that reach it,
until one fails or `MOST_SECONDS` of processor time have passed. Most mutants are made in functions already imported, in
a fork of a process that has collected all tests; the others as their module is imported. A kernel is compiled again if
it, or one that it calls, has changed. No file changes. POSIX only.

Changed code may do anything, so run it where it can harm nothing: in a copy of the repository, with folders of its own
(XDG_CACHE_HOME, XDG_DATA_HOME, TMPDIR), and under `unshare -pf --mount-proc --kill-child`.
"""

import argparse
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from coverage import Coverage
from hypothesis import Phase, settings
from mutations import PACKAGES, ROOT, Fingerprints, Mutant, changed_tree, draw, patch

OPTIONS = [
    *("-n0", "-q", "--tb=line", "-pno:cacheprovider", "--hypothesis-profile=mutants"),
    *("-mnot slow and not browser", "-Wignore::pytest.PytestAssertRewriteWarning"),
]
CASES = 2
MOST_SECONDS, MOST_MEMORY = 20, 12 << 30
"""Limits for the tests of one mutant: seconds of processor time, after which no further test begins, and memory."""
HUNG_SECONDS = 400
"""Seconds by the clock after which a mutant hangs, and of processor time beyond `MOST_SECONDS`."""
LIVED, KILLED, HUNG, AGAIN, BROKEN = "lived", "killed", "hung", "again", "broken"
"""Outcomes; `again` means that the mutant has to be made as its module is imported, `broken` that our check failed."""


def function_of(test: str) -> str:
    """Return the name of a test without the case."""
    return test.partition("[")[0]


def all_kernels() -> list[Any]:
    """Return all kernels that were imported."""
    from kriegbot.kernels.types import KernelFunction

    # not isinstance, which asks a weak reference's object, perhaps gone
    return [thing for thing in gc.get_objects() if issubclass(type(thing), KernelFunction)]


class Recorder:
    """Plugin that records which lines and kernels a test reaches, and how long it takes."""

    def __init__(self, out: Path) -> None:
        self._out, self._test = out, ""
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._called: dict[str, set[str]] = defaultdict(set)
        self._lines = Coverage(data_file=None, source=[str(ROOT / name) for name in PACKAGES])
        self._lines.start()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave `CASES` of each test."""
        count = Counter[str]()
        for item in items[:]:
            count[function_of(item.nodeid)] += 1
            if count[function_of(item.nodeid)] > CASES:
                items.remove(item)

    def pytest_collection_finish(self) -> None:
        """Follow the kernels that Python calls, and those among their arguments."""
        from kriegbot.kernels.jit import Kernel

        call, prints = Kernel.__call__, Fingerprints(Kernel)

        def recorded(kernel: Any, *arguments: Any) -> Any:
            stack = [kernel, *arguments]
            while stack:
                thing = stack.pop()
                if isinstance(thing, Kernel):
                    self._called[self._test] |= prints.called(thing)
                elif isinstance(thing, tuple):
                    stack.extend(thing)
            return call(kernel, *arguments)

        Kernel.__call__ = recorded  # type: ignore[assignment, method-assign]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Name the test that runs."""
        self._test = item.nodeid
        self._lines.switch_context(item.nodeid)
        result = yield
        self._lines.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up a test's time."""
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded of the tests that passed."""
        from kriegbot.kernels.jit import Kernel

        self._lines.stop()
        data, prints = self._lines.get_data(), Fingerprints(Kernel)
        failed = {function_of(test) for test in self._failed}
        seconds, kernels = dict[str, float](), defaultdict[str, set[str]](set)
        for test, taken in self._seconds.items():
            if function_of(test) not in failed:
                seconds.setdefault(function_of(test), taken)
                kernels[function_of(test)] |= self._called[test]
        recorded = {
            "seconds": seconds,
            "lines": {
                file: {
                    line: sorted(set(map(function_of, tests))) for line, tests in data.contexts_by_lineno(file).items()
                }
                for file in sorted(data.measured_files())
            },
            "kernels": {test: sorted(called) for test, called in kernels.items()},
            "digests": {prints.name(kernel): prints.of(kernel) for kernel in all_kernels()},
        }
        self._out.write_text(json.dumps(recorded), encoding="utf-8")


class Map:
    """Tests that reach a mutant, from the files that `Recorder` wrote."""

    def __init__(self, path: Path) -> None:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        self._seconds: dict[str, float] = recorded["seconds"]
        self._lines: dict[str, dict[str, list[str]]] = recorded["lines"]
        self.digests: dict[str, str] = recorded["digests"]
        self._of_kernel: dict[str, set[str]] = defaultdict(set)
        for test, called in recorded["kernels"].items():
            for name in called:
                self._of_kernel[name].add(test)

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach a mutant, the shortest first; all of its file if its line runs at import only."""
        by_line = self._lines.get(mutant.file, {})
        module = str(Path(mutant.file).relative_to(ROOT).with_suffix("")).replace("/", ".")
        found = set(by_line.get(str(mutant.place.line), ()))
        if mutant.place.is_kernel:
            found |= self._of_kernels(module, mutant.place.scope)
        elif not found - {""}:
            found = {test for tests in by_line.values() for test in tests} | self._of_kernels(module, "")
        return sorted(found & self._seconds.keys(), key=self._seconds.__getitem__)

    def _of_kernels(self, module: str, scope: str) -> set[str]:
        found = set[str]()
        for name, tests in self._of_kernel.items():
            where, qualname, _ = name.split(":", 2)
            if where == module and scope in qualname.replace(".<locals>", ""):
                found |= tests
        return found


class Running(NamedTuple):
    """A mutant whose tests run in a fork, which writes the outcome and the test that failed to a pipe."""

    mutant: Mutant
    pid: int
    pipe: int
    until: float


def start(mutant: Mutant, run: Callable[[Mutant], tuple[str, str]]) -> Running:
    """Begin to run a mutant's tests in a fork."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        outcome, test = BROKEN, ""
        try:
            os.close(reading)
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS + HUNG_SECONDS, MOST_SECONDS + HUNG_SECONDS))
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            outcome, test = run(mutant)
        except BaseException:  # noqa: BLE001 - the parent reports it
            test = traceback.format_exc()
        finally:
            os.write(writing, f"{outcome} {test}".encode()[-4000:])
            os._exit(0)
    os.close(writing)
    return Running(mutant, pid, reading, time.monotonic() + HUNG_SECONDS)


def test_all(
    mutants: Iterable[Mutant],
    run: Callable[[Mutant], tuple[str, str]],
    write: Callable[[Mutant, str, str], None],
    jobs: int,
) -> None:
    """Test mutants, several at a time."""
    waiting, running = iter(mutants), list[Running]()
    while True:
        while len(running) < jobs and (mutant := next(waiting, None)) is not None:
            running.append(start(mutant, run))
        if not running:
            return
        time.sleep(0.02)
        for one in running[:]:
            has_ended, _ = os.waitpid(one.pid, os.WNOHANG)
            if not has_ended and time.monotonic() < one.until:
                continue
            with suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)  # what the tests started, too
            if not has_ended:
                os.waitpid(one.pid, 0)
            with os.fdopen(one.pipe, "rb") as pipe:
                outcome, _, test = pipe.read().decode().partition(" ")
            write(one.mutant, outcome or HUNG, test)
            running.remove(one)


def forget_changed(digests: dict[str, str]) -> None:
    """Make this process compile the kernels whose digest has changed, and no others."""
    from kriegbot.kernels.jit import Kernel, load_compiler

    compiler, prints = load_compiler(), Fingerprints(Kernel)
    from numba.core.caching import NullCache

    def is_changed(kernel: Any) -> bool:
        return prints.of(kernel) != digests.get(prints.name(kernel))

    for kernel in all_kernels():
        if kernel.dispatcher is not None and is_changed(kernel):
            kernel.dispatcher = kernel.unfinished = None
    cache = compiler.KernelCache

    def cache_of(function: Any) -> Any:
        kernel = next(one for one in all_kernels() if one.function is function)
        return NullCache() if is_changed(kernel) else cache(function)

    compiler.KernelCache = cache_of


class Warm:
    """Plugin that tests mutants in forks of a process that has collected all tests, instead of running these."""

    def __init__(self, known: Map, mutants: list[Mutant], write: Callable[[Mutant, str, str], None], jobs: int) -> None:
        self._known, self._mutants, self._write, self._jobs = known, mutants, write, jobs

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Test the mutants that need no import."""
        from kriegbot.kernels.preparing import kernel_modules

        for name in kernel_modules():
            importlib.import_module(name)
        for kernel in all_kernels():
            if kernel.function.__module__ in kernel_modules() and (kernel.from_python or kernel.by_pointer):
                kernel.compile()
        cases: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            cases[function_of(item.nodeid)].append(item)

        def run(mutant: Mutant) -> tuple[str, str]:
            if not patch(mutant):
                return AGAIN, ""
            forget_changed(self._known.digests)
            tests = [cases[name] for name in self._known.tests(mutant)]
            most = max(map(len, tests), default=0)  # one case of each test, then another
            items = [items[number] for number in range(most) for items in tests if number < len(items)]
            for item, following in zip(items, [*items[1:], None], strict=False):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    return KILLED, item.nodeid
                if time.process_time() > MOST_SECONDS:
                    break
            return LIVED, ""

        test_all(self._mutants, run, self._write, self._jobs)
        return True


def run_anew(known: Map) -> Callable[[Mutant], tuple[str, str]]:
    """Return a function that runs tests in a process which imports the mutant."""
    get_code = SourceFileLoader.get_code

    class First:
        failed = ""

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                self.failed = self.failed or report.nodeid

        def pytest_runtest_logfinish(self) -> None:
            if time.process_time() > MOST_SECONDS:
                pytest.exit("enough", 0)

    def run(mutant: Mutant) -> tuple[str, str]:
        def changed(loader: SourceFileLoader, name: str) -> Any:
            if loader.path != mutant.file:
                return get_code(loader, name)
            return compile(changed_tree(mutant), mutant.file, "exec")

        SourceFileLoader.get_code = changed  # type: ignore[assignment, method-assign]
        importlib.import_module("kriegbot.kernels")
        forget_changed(known.digests)
        tests, first = known.tests(mutant), First()
        if not tests:
            return LIVED, ""
        code = pytest.main([*OPTIONS, "-x", *tests], plugins=[first])
        return (KILLED, first.failed or f"exit code {int(code)}") if code or first.failed else (LIVED, "")

    return run


def in_fork(function: Callable[[], Any]) -> None:
    """Call a function in a fork, and wait for it."""
    pid = os.fork()
    if pid == 0:
        try:
            function()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(pid, 0)


def main() -> None:
    """Draw mutants, test each, write a line of JSON for each, and count those noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="file of JSON lines")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at a time")
    options = parser.parse_args()
    out, recorded = options.out.resolve(), options.out.resolve().with_suffix(".map")
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    for name in ("numba", "chess.pgn", "starlette.applications", "httpx", "typer", "rich.console"):
        importlib.import_module(name)  # most mutants need them
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", deadline=None, max_examples=25, derandomize=True, database=None, phases=phases)
    if not recorded.exists():
        in_fork(lambda: pytest.main([*OPTIONS], plugins=[Recorder(recorded)]))
    known, mutants = Map(recorded), draw(options.seed, options.count)

    def outcomes() -> dict[str, str]:
        rows = map(json.loads, out.open(encoding="utf-8") if out.exists() else ())
        return {row["key"]: row["outcome"] for row in rows}

    def write(mutant: Mutant, outcome: str, test: str) -> None:
        row = {"key": mutant.key, "outcome": outcome, "name": mutant.name, "line": mutant.place.line, "test": test}
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    done = outcomes()
    left = [mutant for mutant in mutants if mutant.key not in done]
    if left:
        in_fork(lambda: pytest.main([*OPTIONS], plugins=[Warm(known, left, write, options.jobs)]))
    done = outcomes()
    test_all([one for one in mutants if done.get(one.key, AGAIN) == AGAIN], run_anew(known), write, options.jobs)
    done = outcomes()
    noticed, drawn = Counter[str](), Counter(mutant.package for mutant in mutants)
    for mutant in mutants:
        noticed[mutant.package] += done[mutant.key] not in (LIVED, BROKEN)
    for package in sorted(drawn):
        print(f"{package}: {noticed[package]} of {drawn[package]} mutants noticed")


if __name__ == "__main__":
    main()
