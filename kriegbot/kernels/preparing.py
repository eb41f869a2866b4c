"""Compiling kernels at a chosen moment, on all cores, with reports of progress. Others are compiled when called."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from graphlib import TopologicalSorter
from importlib import import_module
from threading import Thread
from types import ModuleType

from filelock import FileLock, Timeout

from kriegbot.children import WorkerDied, WorkerPool, lower_priority, usable_cores
from kriegbot.kernels.jit import Kernel, load_compiler
from kriegbot.kernels.stored import is_complete, write_marker
from kriegbot.kernels.types import KERNEL_PACKAGES
from kriegbot.parts import files_of

LATER = (
    *("kriegbot.search.pruned", "kriegbot.belief.last_observation", "kriegbot.belief.perturbation"),
    *("kriegbot.endgames.", "evaluators.conservative"),
)
"""Beginnings of module names that the flagship begins without: rescues and endings come late, the rest is not its."""
MOVING = 1.0  # seconds after which progress is reported again
FIRST, ALL = "prepared-first", "prepared"  # files that mark the folder of kernels

Progress = Callable[[str, int, int], None]
"""(current job, jobs done, jobs in all) -> None."""
_complete = set[str]()  # the markers that this process has checked


def kernel_modules() -> tuple[str, ...]:
    """Return the names of the packages and modules with the kernels that players use."""
    modules = (f"{package}.{path.stem}" for package in KERNEL_PACKAGES for path in files_of(package))
    return (*KERNEL_PACKAGES, *modules)


def prepare(report: Progress | None = None) -> None:
    """Compile every kernel that players use, unless that was done. It takes about half a minute."""
    _prepare(ALL, report)


def prepare_first(report: Progress | None = None) -> None:
    """Compile what the flagship needs to begin; the rest follows in the background, while this process lives."""
    _prepare(FIRST, report)
    Thread(target=_prepare, args=(ALL, None, True), daemon=True).start()


def _prepare(marker: str, report: Progress | None, is_low: bool = False) -> None:
    """Compile what is missing, or wait until another process has; do nothing if the folder is read-only.

    The file `marker` says that it is done. The lock stands beside the folder, out of reach from the sandbox.
    """
    folder = load_compiler().kernel_folder()
    with suppress(OSError):  # in the sandbox: the rest is compiled when it is called
        while _complete.isdisjoint((marker, ALL)):
            try:
                if not any(is_complete(folder / name) for name in (ALL, marker)):
                    with FileLock(folder.with_name("preparing.lock"), timeout=MOVING):
                        if not is_complete(folder / marker):
                            if not _compile_in_workers(marker, report, is_low):
                                break
                            write_marker(folder / marker)
                _complete.add(marker)
            except Timeout:
                if report is not None:
                    total = len(_jobs(marker))
                    report("in another process", min(len(list(folder.glob("*.nbc"))), total), total)


def _compile_in_workers(marker: str, report: Progress | None, is_low: bool) -> bool:
    """Compile the kernels of a marker on all cores, and return True if that was everything."""
    running: dict[Future[None], str] = {}
    cores = usable_cores()
    with WorkerPool(cores, lower_priority if is_low else None) as pool:
        try:
            listing = pool.submit(_jobs, marker)
            for _ in range(cores - 1):
                pool.submit(_start)
            jobs = listing.result()
            order, done, total = TopologicalSorter(jobs), 0, len(jobs)
            chains, ready = _chains(jobs), list[str]()
            order.prepare()
            while order.is_active():
                ready = sorted([*ready, *order.get_ready()], key=chains.__getitem__)
                while ready and len(running) < cores:
                    name = ready.pop()
                    running[pool.submit(_do, name)] = name
                finished, _ = wait(running, MOVING, FIRST_COMPLETED)
                for future in finished:
                    future.result()
                    order.done(running.pop(future))
                done += len(finished)
                if report is not None:
                    report(next(iter(running.values()), "ready"), done, total)
        except WorkerDied as error:
            print(f"Kernels that are not compiled yet are compiled when they are called: {error}.", file=sys.stderr)
            return False
    return True


def _start() -> None:
    """Import numba, while another worker lists the jobs."""
    load_compiler()


def _chains(jobs: dict[str, set[str]]) -> dict[str, int]:
    """Return how many kernels of the longest chain wait for each: these cannot be compiled side by side."""
    chains = dict.fromkeys(jobs, 0)
    for name in reversed([*TopologicalSorter(jobs).static_order()]):
        for needed in jobs[name]:
            chains[needed] = max(chains[needed], chains[name] + 1)
    return chains


def _do(name: str) -> None:
    """Compile the kernel `module:name`."""
    module, _, attribute = name.partition(":")
    getattr(import_module(module), attribute).compile()


def _jobs(marker: str) -> dict[str, set[str]]:
    """Return the kernels, each with those that it needs."""
    modules = [import_module(name) for name in kernel_modules() if marker == ALL or not name.startswith(LATER)]
    names = {
        kernel: f"{module.__name__}:{name}"
        for module in modules
        for name, kernel in vars(module).items()
        if isinstance(kernel, Kernel)
    }
    return {name: {names[one] for one in _callees(kernel) if one in names} - {name} for kernel, name in names.items()}


def _callees(kernel: Kernel) -> Iterator[Kernel]:
    """Yield the kernels that a kernel names in its code, perhaps itself. No two kernels may name each other."""
    scope, code = kernel.function.__globals__, kernel.function.__code__
    scopes = [scope, *(vars(value) for value in scope.values() if isinstance(value, ModuleType))]
    cells = [cell.cell_contents for cell in kernel.function.__closure__ or ()]
    for value in [*cells, *(names[name] for names in scopes for name in code.co_names if name in names)]:
        if isinstance(value, Kernel):
            yield value
