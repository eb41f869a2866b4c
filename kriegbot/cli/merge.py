"""`kriegbot merge`: the parts of a tournament in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def merge(
    out: Annotated[str, typer.Argument(metavar="OUT", help="Where the games go; games already in it stay.")],
    parts: Annotated[list[str], typer.Argument(metavar="FILE ...", help="Parts of one tournament, such as shards.")],
) -> None:
    """Put the games of several files of one tournament into one file."""
    from kriegbot.request import Refused
    from tournaments.store import Store, StoreError

    try:
        with Store.open(parts[0]) as first:
            settings, games = first.settings, first.games
        with Store.writing(Path(out), settings, games) as store:
            for part in parts:
                print(f"{part}: {store.take_from(Path(part))} games")
            print(f"{out}: {len(store.done())} games, {len(store.missing())} missing")
    except StoreError as error:
        raise Refused(f"{error}.") from None
