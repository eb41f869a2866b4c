"""The fast twin of chess and referee: positions as bitboards, compiled by numba.

This file is light to import; the modules beside it compile their kernels when they are imported, or read them from the
cache. `prepare` does that at a moment of one's choosing, and says how far it is.
"""

from collections.abc import Callable
from importlib import import_module

KERNEL_MODULES = (
    "kriegbot.kernels.position",
    "kriegbot.kernels.attacks",
    "kriegbot.kernels.moves",
    "kriegbot.kernels.hearing",
    "kriegbot.kernels.silence",
    "kriegbot.kernels.random",
    "evaluators.ks",
    "evaluators.material",
    "kriegbot.search.backup",
    "kriegbot.search.tree",
    "kriegbot.search.walk",
    "kriegbot.belief.filter",
    "kriegbot.belief.last_observation",
    "kriegbot.belief.rescue",
    "kriegbot.search.pruned",
    "kriegbot.search.alphabeta",
)
"""Every module with kernels that players use, in the order of their imports: what `prepare` counts."""


def prepare(report: Callable[[str, int, int], None] | None = None) -> None:
    """Import every kernel: under a second when compiled before, some ten when not.

    Args:
      report: called before each module with its name, how many are done, and how many there are, and once all are;
        not called where an earlier `prepare` has compiled them.
    """
    from kriegbot.kernels.jit import CACHE_DIRECTORY

    complete = CACHE_DIRECTORY / "complete"
    is_cold = not complete.exists()
    for done, module in enumerate(KERNEL_MODULES):
        if report is not None and is_cold:
            report(module, done, len(KERNEL_MODULES))
        import_module(module)
    if is_cold:
        complete.touch()
        if report is not None:
            report("ready", len(KERNEL_MODULES), len(KERNEL_MODULES))
