"""`kriegbot export`: the games of a tournament for other programs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Annotated

import typer


def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A tournament, finished or not.")],
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="pgn: games with all tries; csv or jsonl: one line a game.")
    ] = "pgn",
    out: Annotated[str | None, typer.Option(metavar="OUT", help="Where to.  [default: stdout]")] = None,
) -> None:
    """Write the games of a tournament as PGN, CSV or lines of JSON."""
    from kriegbot.cli import arguments
    from kriegbot.request import Refused
    from referee.text import did_you_mean, quoted
    from tournaments.export import FORMS
    from tournaments.store import Store, StoreError

    if form not in FORMS:
        raise Refused(f"unknown format {quoted(form)}{did_you_mean(form, FORMS)} Known: {', '.join(FORMS)}.")
    path = None if out is None else arguments.path_of(out)
    try:
        with Store.open(file) as store, ExitStack() as stack:
            target = sys.stdout if path is None else stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            FORMS[form](store, target)
    except BrokenPipeError:
        raise
    except (StoreError, OSError) as error:
        raise Refused(f"{error}.") from None
