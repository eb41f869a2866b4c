"""The fast twin of chess and referee: positions as bitboards, compiled by numba.

This file is light to import; the modules beside it compile their kernels when they are imported, or read them from the
cache. `prepare` does that at a chosen moment, and reports its progress.
"""

from collections.abc import Callable
from importlib import import_module

KERNEL_PACKAGES = (
    "kriegbot.kernels",
    "evaluators",
    "kriegbot.models",
    "kriegbot.search",
    "kriegbot.search.rules",
    "kriegbot.belief",
    "kriegbot.endgames",
)
"""The packages with the kernels that players use."""


def kernel_modules() -> tuple[str, ...]:
    """Every module of these packages; they are not imported."""
    from kriegbot.parts import files_of

    return tuple(f"{package}.{path.stem}" for package in KERNEL_PACKAGES for path in files_of(package))


def prepare(report: Callable[[str, int, int], None] | None = None) -> None:
    """Compile every kernel, in a minute or two; does nothing if an earlier `prepare` has.

    A kernel compiled before is loaded when its module is imported, so no process loads more than it needs.

    What a module keeps beside its kernels, such as tables of endings, its function `build` makes.

    Args:
      report: called before each module and at the end, with a name, how many are done and how many there are.
    """
    from kriegbot.kernels.jit import CACHE_DIRECTORY

    complete = CACHE_DIRECTORY / "complete"
    if complete.exists():
        return
    modules = kernel_modules()
    for done, module in enumerate(modules):
        if report is not None:
            report(module, done, len(modules))
        loaded = import_module(module)
        if hasattr(loaded, "build"):
            loaded.build()
    complete.touch()
    if report is not None:
        report("ready", len(modules), len(modules))
