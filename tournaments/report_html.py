"""A report as one self-contained page: contents, tables, and plots as embedded SVG, where matplotlib is installed.

All text from a store is escaped.
"""

from __future__ import annotations

from html import escape

from tournaments.report import Report
from tournaments.report_plots import MISSING, are_missing, plots_of
from tournaments.report_tables import Table, settings_of, tables_of

STYLE = """
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: #fff; color: #1a1a1a;
       font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid #1a1a1a; } tbody tr { border-bottom: 1px solid #ddd; }
.settings th, .settings td, th:first-child, .prose :is(th, td):last-child { text-align: left; }
.settings td, .prose td:last-child { white-space: normal; overflow-wrap: anywhere; }
.prose td:last-child { min-width: 14rem; }
.settings th { font-weight: 600; vertical-align: top; }
figure { margin: 2rem 0 0; } figcaption { font-size: 1.1rem; font-weight: bold; margin-bottom: 0.5rem; }
nav ul { columns: 18rem; padding-left: 1.2rem; } figure, h2 { scroll-margin-top: 1rem; }
svg { display: block; max-width: 100%; height: auto; }
"""


def page_of(report: Report, title: str = "Kriegspiel tournament") -> str:
    """The page, in HTML."""
    tables = tables_of(report)
    plots, missing = ([], f"<p>No plots: {escape(MISSING)}.</p>\n") if are_missing() else (plots_of(report), "")
    titles = [table.title for table in tables] + [plot.title for plot in plots]
    contents = "".join(f'<li><a href="#part{at}">{escape(title)}</a></li>\n' for at, title in enumerate(titles))
    shown = [_table(table, at) for at, table in enumerate(tables)]
    shown += [
        f'<figure id="part{at}"><figcaption>{escape(plot.title)}</figcaption>\n{plot.svg}</figure>\n'
        for at, plot in enumerate(plots, len(tables))
    ]
    settings = "".join(
        f"<tr><th scope=row>{escape(name)}</th><td>{escape(value)}</td></tr>\n" for name, value in settings_of(report)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n"
        f'<body><h1>{escape(title)}</h1>\n<div class="wide"><table class="settings">\n{settings}</table></div>\n'
        f"<nav><h2>Contents</h2><ul>\n{contents}</ul></nav>\n{missing}{''.join(shown)}</body></html>\n"
    )


def _table(table: Table, at: int) -> str:
    head = "".join(f"<th scope=col>{escape(heading)}</th>" for heading in table.headings)
    rows = "".join(
        f"<tr><th scope=row>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>\n"
        for row in table.rows
    )
    kind = ' class="prose"' if table.prose else ""
    return (
        f'<h2 id="part{at}">{escape(table.title)}</h2>\n<div class="wide"><table{kind}><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></div>\n"
    )
