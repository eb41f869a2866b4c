"""What came of a person's games against programs: kept in one file, counted, and rated.

The file has a line of JSON for each game, the newest last. It is written whole and under a lock, so a kill loses
nothing, and two games may end at once; a line that cannot be read stays there, and does not count.

The rating is that of Glickman, "Parameter estimation in large dynamic paired comparison experiments" (Applied
Statistics 48, 1999; http://www.glicko.net/glicko/glicko.pdf). As on chess sites each game is a rating period, and help
makes a game unrated. It is worked out anew from all games, so it follows when a level's own rating is measured better.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import chess
from filelock import FileLock

from kriegbot.folders import data_folder
from kriegbot.narration.names import called
from referee import GameRecord, Reason
from referee.files import write_whole
from referee.text import one_line

LEVELS = {
    "newcomer": 825,
    "novice": 1071,
    "beginner": 1253,
    "casual": 1400,
    "club": 1500,
    "strong": 1635,
    "master": 1709,
}
"""Ratings of the levels: their differences as docs/strength.md has them, and 1500 for club."""
RATINGS = {f"kriegbot:level={name}": rating for name, rating in LEVELS.items()}
LOCK_SECONDS = 10.0  # for which another process may hold the file
LONGEST_NAME = 60
CHOSEN = "a chosen seed"  # counts as help: the same game may have been played before
TRAINED_BY = {
    "mate missed": "mate",
    "unsafe capture": "capture",
    "man left to be taken": "capture",
    "retake missed": "",
    "capture missed": "",
    "mate allowed": "",
    "stalemate": "",
    "promotion missed": "",
    "promotion allowed": "",
}
"""Themes of turning points (`narration.turning`), and which kind of puzzles trains each, if any does."""
MOST = 3  # themes that are named


class Rating(NamedTuple):
    """A rating, and its standard deviation."""

    rating: float
    deviation: float

    def text(self) -> str:
        """In words, with the 95 % interval."""
        return f"Your rating: {self.rating:.0f} ± {1.96 * self.deviation:.0f}."


NEW = Rating(1500, 350)  # of a person who has not played
LEAST_DEVIATION = 30.0
"""So that who learns is not held back by old games. The paper's; levels have it, too."""
PER_DAY = (NEW.deviation**2 - 50**2) / (5 * 365)
"""By which the variance grows: a deviation of 50 is that of a new person after five years."""
_Q = math.log(10) / 400


def rated(before: Rating, games: Sequence[tuple[Rating, float]]) -> Rating:
    """A rating after games of one period: opponents, and points against each."""
    gained = information = 0.0
    for opponent, points in games:
        weight = 1 / math.sqrt(1 + 3 * (_Q * opponent.deviation / math.pi) ** 2)
        expected = 1 / (1 + 10 ** (-weight * (before.rating - opponent.rating) / 400))
        gained += weight * (points - expected)
        information += (_Q * weight) ** 2 * expected * (1 - expected)
    precision = 1 / before.deviation**2 + information
    return Rating(before.rating + _Q / precision * gained, max(LEAST_DEVIATION, precision**-0.5))


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended for the person.

    Attributes:
      day: when, as in "2026-11-24".
      opponent: its spec.
      points: 1, 0.5 or 0.
      help: what help there was; empty for none.
    """

    day: str
    opponent: str
    points: float
    help: str = ""

    @classmethod
    def of(cls, record: GameRecord, person: chess.Color, *, is_seed_given: bool = False) -> Result | None:
        """Of a game; None if that does not count: it is not over, or was given up before both had moved."""
        end = record.end
        if end is None or end.reason is Reason.ABANDONED or len(record.turns) < 2:
            return None
        points = 0.5 if end.winner is None else float(end.winner == person)
        opponent = record.headers[chess.COLOR_NAMES[not person].capitalize()]
        help_ = record.headers.get("Help", CHOSEN if is_seed_given else "")
        return cls(date.today().isoformat(), opponent, points, help_)

    @classmethod
    def read(cls, line: Mapping[str, Any]) -> Result | None:
        """As a line of the file tells of it; None if it does not."""
        try:
            day = date.fromisoformat(line["day"]).isoformat()
            texts = [one_line(line[name]) for name in ("opponent", "help")]
            points = line["points"]
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        return cls(day, texts[0], float(points), texts[1]) if points in (0, 0.5, 1) else None


class Row(TypedDict):
    """Games against one opponent: its name, its rating, how many were won, drawn and lost, and how many had help."""

    opponent: str
    rating: int | None
    won: int
    drawn: int
    lost: int
    helped: int


class ToTrain(TypedDict):
    """A theme of turning points, how often it came up, and the kind of puzzles that trains it; empty for none."""

    theme: str
    times: int
    puzzles: str


class Results:
    """A person's results, in a file, by default one in the user's data."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = data_folder() / "results.jsonl" if path is None else path

    def all(self) -> list[Result]:
        """All of them, the oldest first; none if there is no file that can be read."""
        return [result for line in self._lines() if (result := Result.read(line)) is not None]

    def to_train(self) -> list[ToTrain]:
        """What the turning points of games looked back at were about, the commonest first."""
        themes = [theme for found in self._looked_at().values() if isinstance(found, list) for theme in found]
        counts = Counter(theme for theme in themes if isinstance(theme, str) and theme in TRAINED_BY)
        return [{"theme": one, "times": times, "puzzles": TRAINED_BY[one]} for one, times in counts.most_common(MOST)]

    def look_back(self, game: str, themes: Sequence[str]) -> None:
        """Keeps what the turning points of a game were about, unless it was looked back at before; raises OSError."""
        if game not in self._looked_at():
            self._add({"game": game, "themes": list(themes)})

    def _looked_at(self) -> dict[str, Any]:
        return {str(line["game"]): line["themes"] for line in self._lines() if "game" in line and "themes" in line}

    def count(self, record: GameRecord, person: chess.Color, *, is_seed_given: bool = False) -> str:
        """Counts a game; returns what it means for the person, or nothing if it does not count. Raises OSError."""
        result = Result.of(record, person, is_seed_given=is_seed_given)
        if result is None:
            return ""
        self._add(asdict(result))
        return said(self.all(), result)

    def _lines(self) -> list[dict[str, Any]]:
        try:
            lines = self.path.read_bytes().splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            with suppress(ValueError, RecursionError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict)]

    def _add(self, line: Mapping[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS):
            kept = self.path.read_bytes() if self.path.exists() else b""
            ending = b"\n" if kept and not kept.endswith(b"\n") else b""
            write_whole(self.path, kept + ending + json.dumps(line).encode() + b"\n")


def rating_of(results: Sequence[Result]) -> Rating | None:
    """The person's rating; None before the first game that is rated."""
    now, last = NEW, ""
    for one in results:
        if one.opponent in RATINGS and not one.help:
            days = max(0, (date.fromisoformat(one.day) - date.fromisoformat(last or one.day)).days)
            aged = min(NEW.deviation, math.sqrt(now.deviation**2 + PER_DAY * days))
            level = Rating(RATINGS[one.opponent], LEAST_DEVIATION)
            now, last = rated(Rating(now.rating, aged), [(level, one.points)]), one.day
    return now if last else None


def rows(results: Sequence[Result]) -> list[Row]:
    """All results by opponent, the strongest first."""
    found: list[Row] = []
    for spec in dict.fromkeys(one.opponent for one in results):
        games = [one for one in results if one.opponent == spec]
        points = [one.points for one in games if not one.help]
        row: Row = {
            "opponent": one_line(called(spec), LONGEST_NAME),
            "rating": RATINGS.get(spec),
            "won": points.count(1),
            "drawn": points.count(0.5),
            "lost": points.count(0),
            "helped": len(games) - len(points),
        }
        found.append(row)
    return sorted(found, key=lambda row: -(row["rating"] or 0))


def runs(results: Sequence[Result]) -> tuple[int, int]:
    """Games won in a row without help: the present run, and the longest."""
    wins = [len(list(run)) * is_won for is_won, run in groupby(one.points == 1 for one in results if not one.help)]
    return (wins[-1], max(wins)) if wins else (0, 0)


def results_text(results: Sequence[Result]) -> str:
    """The rating, and wins in a row."""
    rating, (run, longest) = rating_of(results), runs(results)
    now = rating.text() if rating else "You have no rating yet: play a level without help."
    return f"{now} Wins in a row: {run}; the most so far: {longest}."


def training_text(found: Sequence[ToTrain]) -> str:
    """What to train, in a line; empty if nothing is known."""
    themes = ", ".join(f"{one['theme']} ({one['times']})" for one in found)
    return f"What to train, by your turning points: {themes}." if found else ""


def said(results: Sequence[Result], last: Result) -> str:
    """What the last game means: "You have now won 3 of 7 against Club bot. Your rating: 1240 ± 90."."""
    points = [one.points for one in results if one.opponent == last.opponent and not one.help]
    drawn = f" and drawn {points.count(0.5)}" if 0.5 in points else ""
    count = f"won {points.count(1)}{drawn} of {len(points)} against {one_line(called(last.opponent), LONGEST_NAME)}."
    if last.help:
        return f"This game does not count ({last.help})." + f" You have {count}" * bool(points)
    run, now = runs(results)[0], rating_of(results) if last.opponent in RATINGS else None
    return f"You have now {count}" + f" That is {run} wins in a row." * (run > 1) + (f" {now.text()}" if now else "")
