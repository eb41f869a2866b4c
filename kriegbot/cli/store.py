"""`kriegbot report`, `export` and `merge`: a tournament in its file, to be read, passed on or put together."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from json import dumps
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from kriegbot.cli.common import argument, option
from kriegbot.request import Refused, path_of, refusing, save_whole
from referee.files import whole
from referee.text import quoted, unknown
from tournaments.report import report_of
from tournaments.report_page import MISSING, are_missing, page_of
from tournaments.report_tables import show_report
from tournaments.sprt import Sprt
from tournaments.store import FORMS, Store, StoreError

File: TypeAlias = Annotated[str, argument("FILE", "A tournament, finished or not.")]


def report(
    file: File,
    html: Annotated[str | None, option("OUT", "Write a self-contained page with plots.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    sprt: Annotated[str | None, option("ELO0,ELO1", "Test between these, in normalized Elo.")] = None,
) -> None:
    """Report on a tournament: results with intervals, how games ended, how long players took."""
    test = sprt_of(sprt)
    page = None if html is None else path_of(html)
    with refusing(StoreError, ending="."), Store.open(file) as store:
        figures = report_of(store, test)
    if page is not None:
        save_whole(page, page_of(figures).encode())
        print(f"Written to {page}.")
        if are_missing():
            print(f"It has no plots: {MISSING}.")
    elif json:
        print(dumps(figures.as_json(), indent=2, allow_nan=False))
    else:
        show_report(figures)


def sprt_of(text: str | None) -> Sprt | None:
    """A sequential test between two differences of normalized Elo, such as 0,5."""
    if text is None:
        return None
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        return Sprt(elo0, elo1)
    except ValueError:
        raise Refused(f"illegal sprt {quoted(text)}: it takes two numbers, such as 0,5, the smaller first.") from None


def export(
    file: File,
    form: Annotated[
        str, option("FORM", "pgn: games with all tries; csv or jsonl: one line a game.", "--format")
    ] = "pgn",
    out: Annotated[str | None, option("OUT", "Where to.  [default: stdout]")] = None,
) -> None:
    """Write the games of a tournament as PGN, CSV or lines of JSON."""
    if form not in FORMS:
        raise Refused(unknown("format", form, FORMS))
    path = None if out is None else path_of(out)
    with refusing(StoreError, ending="."), Store.open(file) as store:
        if path is None:
            FORMS[form](store, sys.stdout)
            return
        with whole(path) as handle:
            target = TextIOWrapper(handle, encoding="utf-8", newline="")
            FORMS[form](store, target)
            target.detach()


def merge(
    out: Annotated[str, argument("OUT", "Where the games go; games already in it stay.")],
    parts: Annotated[list[str], argument("FILE ...", "Parts of one tournament, such as shards.")],
) -> None:
    """Put the games of several files of one tournament into one file."""
    with refusing(StoreError, ending="."):
        with Store.open(parts[0]) as first:
            settings, games = first.settings, first.games
        for part in parts:
            with Store.open(part) as one:
                one.check()  # before there is an empty file
        with Store.writing(Path(out), settings, games) as store:
            for part in parts:
                print(f"{part}: {store.take_from(Path(part))} games")
            print(f"{out}: {len(store.done())} games, {len(store.missing())} missing")
