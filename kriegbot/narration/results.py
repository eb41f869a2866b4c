"""A person's results against programs: a file of games, the counts, and a rating.

The file has one JSON object a line, the newest last. `Results` writes it whole and under a lock, so a kill loses
nothing, and two games may end at once. A line that cannot be read stays there, and does not count.

The rating is that of Glickman, "Parameter estimation in large dynamic paired comparison experiments" (Applied
Statistics 48, 1999; http://www.glicko.net/glicko/glicko.pdf). As on chess sites, each game is a rating period. All
games are rated again each time, so the rating follows when those of levels are measured better.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self, TypedDict, TypeVar

import chess
import msgspec
from filelock import FileLock

from kriegbot.folders import data_folder
from kriegbot.narration.diary import side_name
from kriegbot.narration.names import called
from referee import GameRecord, Reason
from referee.text import counted, one_line, write_file

LEVEL_RATINGS = {
    "newcomer": 810,
    "novice": 1040,
    "beginner": 1233,
    "casual": 1417,
    "club": 1500,
    "strong": 1639,
    "master": 1684,
}
"""Ratings of the levels: their differences as docs/strength.md has them, and 1500 for club."""
RATINGS = {f"kriegbot:level={name}": rating for name, rating in LEVEL_RATINGS.items()}
PUZZLE_RATINGS = {"easy": 1200, "medium": 1500, "hard": 1800}
"""Ratings of the grades of puzzles. They follow the order of difficulty, and are not measured on people."""
LOCK_SECONDS = 10.0  # longest wait for another process that writes the file
MAX_NAME_LETTERS = 60
T = TypeVar("T")

THEMES = {
    "mate missed": ("finding mates", "mate"),
    "unsafe capture": ("checking that a capture is safe", "capture"),
    "piece left hanging": ("protecting your pieces", "capture"),
    "recapture missed": ("recapturing", ""),
    "capture missed": ("spotting captures", ""),
    "mate allowed": ("guarding against mate", ""),
    "stalemate": ("avoiding stalemate", ""),
    "promotion missed": ("promoting pawns", ""),
    "promotion allowed": ("stopping pawns", ""),
}
"""The skill behind a theme of turning points (`narration.turning`), and the kind of puzzles for it, if any."""
OLD_THEMES = {"man left to be taken": "piece left hanging", "retake missed": "recapture missed"}  # until 0.2.0
MAX_THEMES = 3  # shown to the person


class Rating(NamedTuple):
    """A rating, and its standard deviation."""

    rating: float
    deviation: float

    def text(self, name: str = "rating") -> str:
        """Return the rating with its 95% interval, as a sentence."""
        return f"Your {name}: {self.rating:.0f} ± {1.96 * self.deviation:.0f}."


NEW = Rating(1500, 350)  # of a person who has not played
MIN_DEVIATION = 30.0  # as in the paper, so that old games do not hold back a person who improves; of levels, too
VARIANCE_PER_DAY = (NEW.deviation**2 - 50**2) / (5 * 365)
"""Growth of the variance: in five years a deviation of 50 becomes that of a new person."""
_Q = math.log(10) / 400


def rate(before: Rating, games: Sequence[tuple[Rating, float]]) -> Rating:
    """Return the rating after one period of games, each given by the opponent's rating and the points scored."""
    gained = information = 0.0
    for opponent, points in games:
        weight = 1 / math.sqrt(1 + 3 * (_Q * opponent.deviation / math.pi) ** 2)
        expected = 1 / (1 + 10 ** (-weight * (before.rating - opponent.rating) / 400))
        gained += weight * (points - expected)
        information += (_Q * weight) ** 2 * expected * (1 - expected)
    precision = 1 / before.deviation**2 + information
    return Rating(before.rating + _Q / precision * gained, max(MIN_DEVIATION, precision**-0.5))


class PersonResult(msgspec.Struct, frozen=True):
    """The result of one game for the person."""

    day: date
    opponent: str  # spec of the program
    points: Annotated[float, msgspec.Meta(ge=0, le=1, multiple_of=0.5)]
    help: str  # the help that the person had; empty for none

    @classmethod
    def of(cls, record: GameRecord, person: chess.Color) -> Self | None:
        """Return the result of a game; None if it is unfinished, broken off, or ended before both sides had moved."""
        end = record.end
        if end is None or end.reason is Reason.ABANDONED or len(record.turns) < 2:
            return None
        points = 0.5 if end.winner is None else float(end.winner == person)
        opponent = record.headers[side_name(not person)]
        return cls(date.today(), opponent, points, record.headers.get("Help", ""))


class ReviewedGame(msgspec.Struct):
    """The themes of the turning points in a reviewed game."""

    game: str
    themes: list[str]


class PuzzleAnswer(msgspec.Struct):
    """The first answer to a puzzle."""

    puzzle: str  # its key
    grade: Literal["easy", "medium", "hard"]
    right: bool


class ResultsRow(TypedDict):
    """Numbers of games against one opponent."""

    opponent: str
    rating: int | None
    won: int
    drawn: int
    lost: int
    helped: int


class ToPractise(TypedDict):
    """A skill to practise, how many turning points were about it, and the kind of puzzles for it; empty for none."""

    skill: str
    times: int
    puzzles: str


class Results:
    """A person's results, in a file; by default in the user's data folder."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = data_folder() / "results.jsonl" if path is None else path

    def all(self) -> list[PersonResult]:
        """Return the results of all games, the oldest first; none if the file cannot be read."""
        return self._read(PersonResult)

    def to_practise(self) -> list[ToPractise]:
        """Return the skills behind the commonest themes of turning points in reviewed games."""
        names = [OLD_THEMES.get(name, name) for review in self._read(ReviewedGame) for name in review.themes]
        counts = Counter(THEMES[name] for name in names if name in THEMES)
        return [{"skill": skill, "times": n, "puzzles": kind} for (skill, kind), n in counts.most_common(MAX_THEMES)]

    def add_review(self, game: str, themes: Sequence[str]) -> None:
        """Store the themes of a game's turning points, unless one of its seed was reviewed before; raise OSError."""
        if all(review.game != game for review in self._read(ReviewedGame)):
            self._add(ReviewedGame(game, list(themes)))

    def count_puzzle(self, key: str, grade: str, *, is_right: bool) -> str:
        """Store the first answer to a puzzle; others do not count. Return rating and streak. Raise OSError."""
        if all(answer.puzzle != key for answer in self._read(PuzzleAnswer)):
            self._add(msgspec.convert({"puzzle": key, "grade": grade, "right": is_right}, PuzzleAnswer))
        return self.puzzles_text()

    def puzzles_text(self) -> str:
        """Return the rating by puzzles and the right answers in a row, as a sentence; empty before the first."""
        rating, answers = NEW, self._read(PuzzleAnswer)
        for one in answers:
            rating = rate(rating, [(Rating(PUZZLE_RATINGS[one.grade], MIN_DEVIATION), float(one.right))])
        current, best = _in_a_row(one.right for one in answers)
        streak = f" In a row: {current} (best: {best})." if best else ""
        return f"{rating.text('puzzle rating')}{streak}" if answers else ""

    def count(self, record: GameRecord, person: chess.Color) -> str:
        """Store a game's result. Return what it means for the person; empty if it has none. Raise OSError."""
        result = PersonResult.of(record, person)
        if result is None:
            return ""
        self._add(result)
        return game_text(self.all(), result)

    def _read(self, kind: type[T]) -> list[T]:
        found, lines = [], list[bytes]()
        with suppress(OSError):
            lines = self.path.read_bytes().splitlines()
        for line in lines:
            with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                found.append(msgspec.json.decode(line, type=kind))
        return found

    def _add(self, line: msgspec.Struct) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS):
            old = self.path.read_bytes() if self.path.exists() else b""
            ending = b"\n" if old and not old.endswith(b"\n") else b""
            write_file(self.path, old + ending + msgspec.json.encode(line) + b"\n")


def rating_of(results: Sequence[PersonResult]) -> Rating | None:
    """Return the person's rating; None before the first rated game."""
    rated = [one for one in results if one.opponent in RATINGS and not one.help]
    now = NEW
    for before, one in zip(rated[:1] + rated, rated, strict=False):
        days = max(0, (one.day - before.day).days)
        deviation = min(NEW.deviation, math.sqrt(now.deviation**2 + VARIANCE_PER_DAY * days))
        level = Rating(RATINGS[one.opponent], MIN_DEVIATION)
        now = rate(Rating(now.rating, deviation), [(level, one.points)])
    return now if rated else None


def results_rows(results: Sequence[PersonResult]) -> list[ResultsRow]:
    """Return a row for each opponent, the highest rating first."""
    rows: list[ResultsRow] = []
    for spec in dict.fromkeys(one.opponent for one in results):
        games = [one for one in results if one.opponent == spec]
        points = Counter(one.points for one in games if not one.help)
        rows.append(
            {
                "opponent": one_line(called(spec), MAX_NAME_LETTERS),
                "rating": RATINGS.get(spec),
                "won": points[1],
                "drawn": points[0.5],
                "lost": points[0],
                "helped": len(games) - points.total(),
            }
        )
    return sorted(rows, key=lambda row: -(row["rating"] or 0))


def wins_in_a_row(results: Sequence[PersonResult]) -> tuple[int, int]:
    """Return the current and the longest number of wins in a row without help."""
    return _in_a_row(one.points == 1 for one in results if not one.help)


def _in_a_row(successes: Iterable[bool]) -> tuple[int, int]:
    runs = [len(list(run)) * is_good for is_good, run in groupby(successes)]
    return (runs[-1], max(runs)) if runs else (0, 0)


def results_text(results: Sequence[PersonResult]) -> str:
    """Return the rating and the wins in a row, as sentences."""
    rating, (current, longest) = rating_of(results), wins_in_a_row(results)
    text = rating.text() if rating else "You have no rating yet. Play a level below best without help to get one."
    return f"{text} Wins in a row: {current} (best: {longest})." if longest else text


def practice_text(skills: Sequence[ToPractise]) -> str:
    """Return a sentence on what to practise; empty if nothing is known."""
    parts = [f"{one['skill']} ({one['times']})" for one in skills]
    if skills:
        parts[0] = f"{skills[0]['skill']} ({counted(skills[0]['times'], 'turning point')})"
    return f"Worth practising: {', '.join(parts)}." if parts else ""


def game_text(results: Sequence[PersonResult], last: PersonResult) -> str:
    """Return what the last game means: "Your record against Club bot: 3 wins in 7 games. Your rating: 1240 ± 90."."""
    points = [one.points for one in results if one.opponent == last.opponent and not one.help]
    draws = f" and {counted(points.count(0.5), 'draw')}" if 0.5 in points else ""
    counts = f"{counted(points.count(1), 'win')}{draws} in {counted(len(points), 'game')}"
    text = f"Your record against {one_line(called(last.opponent), MAX_NAME_LETTERS)}: {counts}."
    if last.help:
        return f"This game does not count ({last.help})." + f" {text}" * bool(points)
    current, rating = wins_in_a_row(results)[0], rating_of(results) if last.opponent in RATINGS else None
    return text + f" That makes {current} wins in a row." * (current > 1) + (f" {rating.text()}" if rating else "")
