"""`kriegbot players`: who can sit down, and what they take."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kriegbot.players.base import PlayerKind


def players() -> None:
    """List the players and their options."""
    from kriegbot.players import specs

    if sys.stdout.isatty():
        _table(specs.players())
        return
    for name, kind in specs.players().items():
        print(f"{name}: {kind.summary}")
        for option in kind.options:
            print(f"  {option.name}={option.takes} ({option.usual}): {option.help}")


def _table(known: Mapping[str, PlayerKind]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for name, kind in known.items():
        console.print(f"[bold]{name}[/bold]  {kind.summary}")
        if kind.options:
            table = Table("option", "takes", "default", "", box=None, padding=(0, 0, 0, 2), header_style="dim")
            for option in kind.options:
                table.add_row(option.name, option.takes, option.usual, option.help)
            console.print(table)
    console.print("\n[dim]Written as [/dim]overconfident:depth=2,time=1[dim], for instance.[/dim]")
