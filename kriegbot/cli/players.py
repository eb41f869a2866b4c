"""`kriegbot players`: who can sit down, and what they take."""

from __future__ import annotations

import sys


def players() -> None:
    """List the players and their options."""
    from kriegbot.players.specs import PLAYERS

    if sys.stdout.isatty():
        _table()
        return
    for kind in PLAYERS.values():
        print(f"{kind.name}: {kind.summary}")
        for option in kind.options:
            print(f"  {option.name}={option.takes} ({option.usual}): {option.help}")


def _table() -> None:
    from rich.console import Console
    from rich.table import Table

    from kriegbot.players.specs import PLAYERS

    console = Console(highlight=False)
    for kind in PLAYERS.values():
        console.print(f"[bold]{kind.name}[/bold]  {kind.summary}")
        if kind.options:
            table = Table("option", "takes", "default", "", box=None, padding=(0, 0, 0, 2), header_style="dim")
            for option in kind.options:
                table.add_row(option.name, option.takes, option.usual, option.help)
            console.print(table)
    console.print("\n[dim]Written as [/dim]overconfident:depth=2,time=1[dim], for instance.[/dim]")
