"""The fast twin of chess and referee: positions as bitboards, compiled by numba.

This file is light to import; the modules beside it compile their kernels when they are imported, or read them from the
cache. `prepare` does that at a moment of one's choosing, and says how far it is.
"""

from collections.abc import Callable
from importlib import import_module

KERNEL_MODULES = (
    "kriegbot.kernels.attacks",
    "kriegbot.kernels.moves",
    "kriegbot.kernels.hearing",
    "evaluators.ks",
    "kriegbot.search.tree",
    "kriegbot.search.walk",
    "kriegbot.belief.filter",
    "kriegbot.belief.belief",
)
"""Every module of kernels, in the order of their imports: what `prepare` counts."""


def prepare(report: Callable[[str, int, int], None] | None = None) -> None:
    """Import every kernel: under a second when compiled before, some ten when not.

    Args:
      report: called before each module with its name, how many are done, and how many there are; called only when
        kernels have to be compiled.
    """
    from kriegbot.kernels.jit import CACHE_DIRECTORY

    is_cold = not any(CACHE_DIRECTORY.rglob("*.nbi"))
    for done, module in enumerate(KERNEL_MODULES):
        if report is not None and is_cold:
            report(module, done, len(KERNEL_MODULES))
        import_module(module)
    if report is not None and is_cold:
        report("ready", len(KERNEL_MODULES), len(KERNEL_MODULES))
