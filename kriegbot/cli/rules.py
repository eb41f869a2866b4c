"""`kriegbot rules`: the rule sets, and what is announced under each."""

from __future__ import annotations

import sys


def rules() -> None:
    """List the rule sets and what is announced under each."""
    from referee import RULE_SETS

    if sys.stdout.isatty():
        _table()
        return
    for rule_set in RULE_SETS.values():
        print(f"{rule_set.name}: {rule_set.title}")
        for what, how in rule_set.facts().items():
            print(f"  {what}: {how}")


def _table() -> None:
    from rich.console import Console
    from rich.table import Table

    from referee import RULE_SETS

    sets = list(RULE_SETS.values())
    table = Table("heard", *(rule_set.name for rule_set in sets), box=None, padding=(0, 2), header_style="bold")
    table.add_row("", *(f"[dim]{rule_set.title}[/dim]" for rule_set in sets))
    for what in sets[0].facts():
        table.add_row(what, *(rule_set.facts()[what] for rule_set in sets))
    Console(highlight=False).print(table)
