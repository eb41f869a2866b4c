"""`kriegbot report`: the results of a tournament, as text, as a page or as JSON."""

from __future__ import annotations

from typing import Annotated

import typer


def report(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A tournament, finished or not.")],
    html: Annotated[str | None, typer.Option(metavar="OUT", help="Write a self-contained page with plots.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    sprt: Annotated[
        str | None, typer.Option(metavar="ELO0,ELO1", help="Test between these, in normalized Elo.")
    ] = None,
) -> None:
    """Report on a tournament: results with intervals, how games ended, how long players took."""
    from kriegbot.cli import arguments
    from kriegbot.request import Refused
    from referee.text import quoted
    from tournaments.report import report_of
    from tournaments.store import Store, StoreError

    test = arguments.sprt_of(sprt)
    page = None if html is None else arguments.path_of(html)
    try:
        with Store.open(file) as store:
            figures = report_of(store, test)
    except StoreError as error:
        raise Refused(f"{error}.") from None
    if page is not None:
        from tournaments.report_html import page_of
        from tournaments.report_plots import MISSING, are_missing

        try:
            page.write_text(page_of(figures), encoding="utf-8")
        except OSError as error:
            raise Refused(f"cannot write to {quoted(str(page))}: {error.strerror}.") from None
        print(f"Written to {page}.")
        if are_missing():
            print(f"It has no plots: {MISSING}.")
    elif json:
        from json import dumps

        print(dumps(figures.as_json(), indent=2, allow_nan=False))
    else:
        from tournaments.report_tables import show_report

        show_report(figures)
