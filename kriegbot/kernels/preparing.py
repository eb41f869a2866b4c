"""Compiling kernels at a chosen moment, on all cores, with reports of progress. Otherwise each is compiled when called.

A worker reads jobs, one a line, and writes each back when it is done: `module:name` compiles a kernel, `module:build`
fills in the tables of a module.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from kriegbot.importing import importable
from kriegbot.kernels.jit import Kernel
from kriegbot.parts import files_of

KERNEL_PACKAGES = (
    "kriegbot.kernels",
    "evaluators",
    "kriegbot.models",
    "kriegbot.search",
    "kriegbot.search.rules",
    "kriegbot.belief",
    "kriegbot.endgames",
)
"""Packages with the kernels that players use."""
LATER = (
    "kriegbot.search.pruned",
    "kriegbot.endgames.",
)
"""Beginnings of module names that the flagship does without until a king is bare: half of the compile time."""
WITH_TABLES = ("kriegbot.endgames.delayed_information",)  # modules whose function `build` fills in tables
BUILD = "build"
MOVING = 1.0  # seconds after which progress is reported again
LOW_PRIORITY = 10

A = TypeVar("A", bound=npt.NDArray[Any])
Progress = Callable[[str, int, int], None]
"""(current job, jobs done, jobs in all) -> None."""


def kernel_modules() -> tuple[str, ...]:
    """Return the names of the modules of these packages."""
    return tuple(f"{package}.{path.stem}" for package in KERNEL_PACKAGES for path in files_of(package))


def prepare(report: Progress | None = None) -> None:
    """Compile every kernel and fill in every table, unless that was done. It takes half a minute.

    A compiled kernel is loaded when it is called, so no process loads more than it needs.
    """
    _prepare(kernel_modules(), report)


def prepare_first(report: Progress | None = None) -> None:
    """Compile what the flagship needs to begin; the rest follows in the background, while this process lives."""
    _prepare([name for name in kernel_modules() if not name.startswith(LATER)], report)
    Thread(target=_prepare, args=(kernel_modules(), None, "low priority"), daemon=True).start()


def _prepare(modules: Sequence[str], report: Progress | None, *arguments: str) -> None:
    """Do the missing jobs, or wait until another process has done them."""
    from kriegbot.kernels.cache import cache_directory

    total = len(_jobs(modules))
    while left := _jobs(modules):
        try:
            with FileLock(cache_directory() / "preparing.lock", timeout=MOVING):
                _do(_jobs(modules), report, *arguments)
            break
        except Timeout:
            if report is not None:
                report("in another process", total - len(left), total)


def load_or_build(name: str, make: Callable[[], A], *dependencies: object) -> A:
    """Return an array that takes long to make, from the file of an earlier process if there is one.

    `dependencies` are the kernels and numbers that the array depends on: their hash is part of the file's name.
    """
    from kriegbot.kernels import cache  # numba is not imported before it is needed

    path = cache.cache_directory() / f"{name}-{cache.key_of(*dependencies)}.npy"
    with suppress(OSError, ValueError):
        return cast(A, np.load(path))
    array = make()
    with suppress(OSError), tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npy", delete=False) as file:
        np.save(file, array)
        os.replace(file.name, path)
    return array


def _jobs(modules: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the missing kernels, each with those that it calls, and then the tables, each with all kernels."""
    from kriegbot.kernels import cache

    imported = [import_module(name) for name in modules]
    names = {
        kernel: f"{module.__name__}:{name}"
        for module in imported
        for name, kernel in vars(module).items()
        if isinstance(kernel, Kernel)
    }
    known = cache.known_keys()
    missing = {kernel for kernel in names if cache.key_of(kernel) not in known}
    jobs = {
        names[kernel]: frozenset(
            names[callee] for callee in cache.callees(kernel) & missing if kernel not in cache.reached(callee)
        )
        for kernel in sorted(missing, key=names.__getitem__)
    }
    builds = [f"{module.__name__}:{BUILD}" for module in imported if module.__name__ in WITH_TABLES and missing]
    return jobs | dict.fromkeys(builds, frozenset(jobs))


def _do(jobs: dict[str, frozenset[str]], report: Progress | None, *arguments: str) -> None:
    """Do jobs on all cores, each after those that it needs. The job of a worker that dies is done when needed."""
    left, running, total = dict(jobs), dict[Future[None], str](), len(jobs)
    done: set[str] = set()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with _workers(min(cores, total), *arguments) as work, ThreadPoolExecutor(cores) as pool:
        while left or running:
            for name in [name for name, needed in left.items() if needed <= done]:
                del left[name]
                running[pool.submit(work, name)] = name
            finished, _ = wait(running, MOVING, FIRST_COMPLETED)
            done |= {running.pop(future) for future in finished}
            if report is not None:
                report(next(iter(running.values()), "ready"), len(done), total)


@contextmanager
def _workers(number: int, *arguments: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that lets one of `number` processes do a job."""
    path = os.pathsep.join(importable(is_same_script=False))
    command = [sys.executable, "-P", "-c", f"from {__name__} import work_on; work_on()", *arguments]
    processes: list[subprocess.Popen[str]] = []
    free: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()

    def start() -> None:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            text=True,
        )
        processes.append(process)
        free.put(process)

    def work(job: str) -> None:
        process = free.get()
        answer = ""
        with suppress(OSError):
            print(job, file=process.stdin, flush=True)
            answer = process.stdout.readline() if process.stdout else ""
        if answer:
            free.put(process)
        else:
            start()

    for _ in range(number):
        start()
    try:
        yield work
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def work_on() -> None:
    """Do jobs, in the process of a worker, until its input ends."""
    if len(sys.argv) > 1:
        os.nice(LOW_PRIORITY)
    for line in sys.stdin:
        module, _, name = line.strip().partition(":")
        job = getattr(import_module(module), name)
        if isinstance(job, Kernel):
            _ = job.compiled
        else:
            job()
        print(line, end="", flush=True)
