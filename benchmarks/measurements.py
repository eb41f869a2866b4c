"""The table of measurements, benchmarks/log/measurements.csv, from which scripts/pages.py writes figures.

A row is a figure: `key` names the subject, which is a row of a page, and `what` the figure, which is a column of it.
The last row of each counts. Rows without a key are of scripts that are gone, and stand on no page.
"""

import csv
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import chess

from referee import GameRecord
from tournaments.statistics import elo, mean_and_variance, score_interval
from tournaments.store import Store

TOP = Path(__file__).resolve().parents[1]
TABLE = TOP / "benchmarks/log/measurements.csv"
PLAYER = ("referee", "evaluators", "kriegbot")
"""Folders whose changes may change play."""
RESULT = "result"
PAWNS = dict(zip(chess.PIECE_TYPES, (1, 3, 3, 5, 9, 0), strict=True))
FINE = 200
"""Games from which points have a decimal."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A figure, as text; what is unknown or makes no sense is empty.

    value, low, high: the figure in `unit`, and its 95% interval; a result has games won, drawn and lost instead.
    version, commit, date: of the player, and the day of the measurement. trial: the row of trials.csv that has it.
    """

    key: str = ""
    what: str = RESULT
    value: str = ""
    low: str = ""
    high: str = ""
    unit: str = ""
    games: str = ""
    won: str = ""
    drawn: str = ""
    lost: str = ""
    player: str = ""
    opponent: str = ""
    setting: str = ""
    command: str = ""
    seed: str = ""
    version: str = ""
    commit: str = ""
    date: str = ""
    trial: str = ""
    note: str = ""

    @property
    def record(self) -> str:
        """Games won, drawn and lost: "74 - 6 - 20"; empty if it is no result."""
        return " - ".join(map(_grouped, (self.won, self.drawn, self.lost))) if self.won else ""

    @property
    def counts(self) -> tuple[int, int, int]:
        """Games lost, drawn and won."""
        return int(self.lost), int(self.drawn), int(self.won)

    @property
    def points(self) -> str:
        """Share of the points with its interval: "77% (68 to 84)"; empty if it is no result."""
        if not self.won:
            return ""
        places = int(sum(self.counts) >= FINE)
        shares = mean_and_variance(self.counts)[0], *score_interval(self.counts)
        share, low, high = (f"{100 * one:.{places}f}" for one in shares)
        return f"{share}% ({low} to {high})"

    @property
    def elo(self) -> str:
        """Elo difference: "+228 ± 58"; empty if there is none."""
        if self.unit == "Elo":
            return f"{self.value} ± {(float(self.high) - float(self.low)) / 2:.0f}"
        if not self.won:
            return ""
        difference = elo(self.counts)
        return f"{difference.difference:+.0f} ± {difference.error:.0f}"

    @property
    def text(self) -> str:
        """The figure with unit and interval: "87.5% (82.2 to 91.4)", "4.0 times"."""
        if self.won:
            return self.points
        unit = self.unit if self.unit.startswith("%") else f" {self.unit}".rstrip()
        return f"{_grouped(self.value)}{unit}" + (f" ({self.low} to {self.high})" if self.low else "")


def _grouped(number: str) -> str:
    """Return a number with commas between thousands."""
    return f"{int(number):,}" if number.isdigit() else number


def read(path: Path = TABLE) -> list[Measurement]:
    """Return the rows of the table."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Measurement(**row) for row in csv.DictReader(file)]


@cache
def table() -> dict[str, dict[str, Measurement]]:
    """Return the last row of each figure, by key and name of the figure."""
    rows: dict[str, dict[str, Measurement]] = {}
    for row in read():
        if row.key:
            rows.setdefault(row.key, {})[row.what] = row
    return rows


def add(rows: Iterable[Measurement], path: Path = TABLE) -> None:
    """Add rows at the end of the table, in place of those of the same key, figure and version.

    Version, commit and date are filled in if they are empty.
    """
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    new = [
        replace(row, version=row.version or version(), commit=row.commit or commit(), date=row.date or today)
        for row in rows
    ]
    taken = {(row.key, row.what, row.version) for row in new}
    kept = [row for row in read(path) if not row.key or (row.key, row.what, row.version) not in taken]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Measurement)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, (*kept, *new)))


@cache
def version() -> str:
    """Return the version of the checkout."""
    (line,) = (line for line in (TOP / "pyproject.toml").read_text("utf-8").splitlines() if line.startswith("version"))
    return line.split('"')[1]


@cache
def commit() -> str:
    """Return the commit of the checkout, with a + if the code of the players has changed since."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *PLAYER)
    return _git("rev-parse", "--short", "HEAD") + "+" * bool(changed)


def _git(*arguments: str) -> str:
    """Return what git prints."""
    return subprocess.run(
        ["git", *arguments], cwd=TOP, capture_output=True, encoding="utf-8", check=True
    ).stdout.strip()


def results(file: Path, key: str, command: str = "") -> list[Measurement]:
    """Return the result of a tournament for the first player of its pairings, pooled.

    If it has several opponents, also that against each, and that against the worst again, of the key KEY-worst.
    """
    with Store.open(file) as store:
        settings = store.settings
        rows = []
        for number, pairing in enumerate(settings.pairings):
            lost, drawn, won = map(sum, zip(*store.results_by_color(number), strict=True))
            rows.append(
                Measurement(
                    key=key,
                    what=f"{RESULT} against {pairing.second}",
                    games=str(lost + drawn + won),
                    won=str(won),
                    drawn=str(drawn),
                    lost=str(lost),
                    player=pairing.first,
                    opponent=pairing.second,
                    setting=f"{settings.rules.name}; {settings.limits}",
                    command=command,
                    seed=str(settings.seed),
                )
            )
    sums = {name: str(sum(int(getattr(row, name)) for row in rows)) for name in ("games", "won", "drawn", "lost")}
    opponents = "; ".join(row.opponent for row in rows)
    pooled = replace(rows[0], what=RESULT, opponent=opponents, **sums)
    if len(rows) == 1:
        return [pooled]
    worst = min(rows, key=lambda row: mean_and_variance(row.counts)[0])
    return [pooled, *rows, replace(worst, key=f"{key}-worst", what=RESULT)]


def drawn_after_lead(file: Path, pawns: int) -> str:
    """Return the number of games that the first player of a tournament drew after such a lead: "18 of 100"."""
    with Store.open(file) as store:
        (pairing,), games = store.settings.pairings, list(store.game_rows())
        drawn = [game for game in games if game.result == "1/2-1/2"]
        leads = [largest_lead(store.record(game.id), game.white == pairing.first) for game in drawn]
    return f"{sum(lead >= pawns for lead in leads)} of {len(games)}"


def largest_lead(record: GameRecord, color: chess.Color) -> int:
    """Return a side's largest lead in material after a move of the game, in pawns; 0 if it never led."""
    board, lead = chess.Board(record.start), 0
    for turn in record.turns:
        board.push(turn.move)
        pieces = board.piece_map().values()
        lead = max(lead, sum(PAWNS[one.piece_type] * (1 if one.color == color else -1) for one in pieces))
    return lead
