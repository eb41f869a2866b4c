"""A report on a terminal, or as plain text elsewhere."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from referee.text import one_line
from tournaments.figures import Report
from tournaments.report_tables import Table, settings_of, tables_of

MOST_ROWS = 50
"""Rows shown of each table; the page and the JSON have all."""


def show_report(report: Report, console: Console | None = None) -> None:
    """Writes a report to a console, by default on stdout."""
    console = console or Console(highlight=False)
    settings = Grid.grid(padding=(0, 2))
    for name, value in settings_of(report):
        settings.add_row(Text(name, "bold"), Text(one_line(value)))
    console.print(settings)
    for table in tables_of(report):
        console.print()
        show_table(table, console)


def show_table(table: Table, console: Console) -> None:
    """Writes a table with its title to a console."""
    console.print(Text(table.title, "bold"))
    console.print(_grid(table, console.is_terminal))
    if len(table.rows) > MOST_ROWS:
        console.print(f"  and {len(table.rows) - MOST_ROWS} more")


def _grid(table: Table, is_ruled: bool) -> Grid:
    """A table for rich; its text comes from players, and is shown without markup."""
    grid = Grid(box=box.SIMPLE_HEAD if is_ruled else None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    last = len(table.headings) - 1
    for place, heading in enumerate(table.headings):
        is_text = place == 0 or (table.prose and place == last)
        grid.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in table.rows[:MOST_ROWS]:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    return grid
