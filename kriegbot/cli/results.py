"""`kriegbot results`: how a person has done against each level."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from kriegbot.narration.results import Results, results_text, rows, training_text


def results() -> None:
    """Show your results against each level, your rating, and your runs of wins.

    Games on the page and at a terminal count, once they have ended. Games with help (hints, moves taken back, a chosen
    seed) are listed and not rated; neither are games against other programs.
    """
    kept = Results()
    games = kept.all()
    if not games:
        print("You have no results yet: play a game to its end with `kriegbot play`.")
        return
    table = Table("opponent", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("rating", "won", "drawn", "lost", "with help"):
        table.add_column(heading, justify="right")
    for row in rows(games):
        counts = (row["won"], row["drawn"], row["lost"], row["helped"])
        table.add_row(row["opponent"], str(row["rating"] or "-"), *map(str, counts))
    Console(highlight=False).print(table)
    lines = [results_text(games), training_text(kept.to_train()), f"They are kept in {kept.path}."]
    print("\n".join(filter(None, lines)))
