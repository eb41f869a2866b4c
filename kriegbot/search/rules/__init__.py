"""Backup rules, one to a file; `kriegbot.search.backup` says what a rule is.

A file NAME.py defines NAME: a `Backup`, or a function that makes one from numbers with defaults (`mixed:worst=0.3`);
then `NUMBERS` says what they may be.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from kriegbot.finding import NotFound, Parts
from referee.text import quoted

NUMBERS: Mapping[str, Mapping[str, tuple[float, float]]] = {"mixed": {"worst": (0.0, 1.0)}}
"""The numbers that our rules take, least and greatest; here, so that a spec is checked without loading kernels."""
_WITH_NUMBERS = re.compile(r"(?P<name>.+?)(?P<numbers>(?::[a-z_]+=[^:]*)+)")


class Rules(Parts):
    """Parts whose names may carry numbers."""

    def check(self, name: str) -> None:
        """See `Parts.check`; the numbers of rules from outside are checked by `load`."""
        rule, numbers = _split(name)
        super().check(rule)
        ranges = NUMBERS.get(rule, {})
        if rule in self.names() and not all(
            number in ranges and ranges[number][0] <= value <= ranges[number][1] for number, value in numbers.items()
        ):
            takes = ", ".join(f"{number} ({low:g}..{high:g})" for number, (low, high) in ranges.items())
            raise NotFound(f"illegal backup rule {quoted(name)}: {rule} takes {takes or 'no numbers'}.")

    def load(self, name: str) -> Any:
        """See `Parts.load`; a `Backup`."""
        self.check(name)
        rule, numbers = _split(name)
        found = super().load(rule)
        if not callable(found) or isinstance(found, type):
            if numbers:
                raise NotFound(f"backup rule {quoted(rule)} takes no numbers; {quoted(name)} gives it some.")
            return found
        takes = inspect.signature(found).parameters
        if not set(numbers) <= set(takes):
            raise NotFound(f"backup rule {quoted(rule)} takes {', '.join(takes)}; not {quoted(', '.join(numbers))}.")
        try:
            return found(**numbers)
        except ValueError as error:
            raise NotFound(f"backup rule {quoted(name)}: {error}") from None


BACKUPS = Rules("backup rule", "kriegbot.search.rules", "kriegbot.backups")
"""Ours, and those from outside."""


def load_backup(name: str) -> Any:
    """Return the backup rule of a name such as `paranoid`, `mixed:worst=0.3` or FILE.py:NAME.

    Raises:
      kriegbot.finding.NotFound: a ValueError; there is none.
    """
    return BACKUPS.load(name)


def _split(name: str) -> tuple[str, dict[str, float]]:
    match = _WITH_NUMBERS.fullmatch(name)
    if match is None:
        return name, {}
    pairs = (pair.split("=") for pair in match["numbers"].removeprefix(":").split(":"))
    try:
        return match["name"], {key: float(value) for key, value in pairs}
    except ValueError:
        raise NotFound(f"illegal backup rule {quoted(name)}: it takes numbers, such as mixed:worst=0.3.") from None
