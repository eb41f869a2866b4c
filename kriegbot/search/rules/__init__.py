"""Backup rules, one to a file; `kriegbot.search.backup` says what a rule is.

A file NAME.py defines NAME: a `Backup`, or a function that makes one from numbers with defaults (`mixed:worst=0.3`);
then `BACKUPS` says what they may be.
"""

from __future__ import annotations

import inspect
from typing import Any

from kriegbot.parts import NotFound, PartsWithNumbers
from referee.text import quoted


class Rules(PartsWithNumbers):
    """Backup rules; some are functions of numbers."""

    def load(self, name: str) -> Any:
        """See `Parts.load`; a `Backup`."""
        self.check(name)
        rule, numbers = self.split(name)
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


BACKUPS = Rules("backup rule", "kriegbot.search.rules", "kriegbot.backups", {"mixed": {"worst": (0.0, 1.0)}})
"""Ours, and those from outside."""


def load_backup(name: str) -> Any:
    """Return the backup rule of a name such as `paranoid`, `mixed:worst=0.3` or FILE.py:NAME.

    Raises:
      kriegbot.parts.NotFound: a ValueError; there is none.
    """
    return BACKUPS.load(name)
