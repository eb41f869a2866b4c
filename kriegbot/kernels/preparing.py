"""Compiles every kernel at a chosen moment, and reports its progress; otherwise each is compiled when first called."""

from collections.abc import Callable
from importlib import import_module

from kriegbot.kernels.jit import Kernel, cache_directory
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
"""The packages with the kernels that players use."""


def kernel_modules() -> tuple[str, ...]:
    """Every module of these packages."""
    return tuple(f"{package}.{path.stem}" for package in KERNEL_PACKAGES for path in files_of(package))


def prepare(report: Callable[[str, int, int], None] | None = None) -> None:
    """Compile every kernel, in a minute or two; does nothing if an earlier `prepare` has.

    A kernel compiled before is loaded when it is called, so no process loads more than it needs.

    What a module keeps beside its kernels, such as tables of endings, its function `build` makes.

    Args:
      report: called before each module and at the end, with a name, how many are done and how many there are.
    """
    complete = cache_directory() / "complete"
    if complete.exists():
        return
    modules = kernel_modules()
    for done, name in enumerate(modules):
        if report is not None:
            report(name, done, len(modules))
        module = import_module(name)
        for found in list(vars(module).values()):
            if isinstance(found, Kernel) and (found.from_python or found.by_pointer):
                _ = found.compiled
        if hasattr(module, "build"):
            module.build()
    complete.touch()
    if report is not None:
        report("ready", len(modules), len(modules))
