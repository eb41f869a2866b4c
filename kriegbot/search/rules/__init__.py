"""Backup rules, one to a file; `kriegbot.search.backup` says what a rule is.

A file NAME.py defines NAME: a `Backup`, or a function that makes one from numbers with defaults (`mixed:worst=0.3`).
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from kriegbot.finding import NotFound, Parts
from referee.text import quoted

_WITH_NUMBERS = re.compile(r"(?P<name>.+?)(?P<numbers>(?::[a-z_]+=[0-9.]+)+)")


class Rules(Parts):
    """Parts whose names may carry numbers."""

    def check(self, name: str) -> None:
        """See `Parts.check`."""
        super().check(_split(name)[0])

    def load(self, name: str) -> Any:
        """See `Parts.load`; a `Backup`."""
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
        raise NotFound(f"illegal number in backup rule {quoted(name)}.") from None
