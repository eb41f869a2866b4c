"""Puzzles from games, for terminal and page alike: what is asked, whether an answer is right, and what shows it.

`puzzles.jsonl.gz` has them, one a line, from easy to hard; `benchmarks/puzzles.py` made it, and says what makes each
answer sure.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import chess

from kriegbot.narration.diary import Diary, gathered
from kriegbot.players.notation import BadTry, read_try, try_name
from referee import Referee, View
from referee.text import quoted

FILE = Path(__file__).parent / "puzzles.jsonl.gz"
KINDS = {
    "king": "Where is the king?",
    "tells": "Which try tells most?",
    "mate": "Mate wherever he is",
    "capture": "Was that capture safe?",
}
TAKES = {
    "king": "a square such as g8",
    "tells": "a try such as e4, Nf3, exd5 or e2e4",
    "mate": "a try such as e4, Nf3, exd5 or e2e4",
    "capture": "yes or no",
}


class BadAnswer(ValueError):
    """A text that is no answer to a puzzle; the message is one line and says what would be."""


@dataclass(frozen=True)
class Puzzle:
    """A moment of a game, and a question to one side.

    Attributes:
      game: its number in `benchmarks/puzzles.py`.
      kind: one of `KINDS`.
      rules: the rule set.
      played: tries of both sides up to there, refused ones too, in UCI notation.
      answers: all that are right: a square, tries in UCI notation, "yes" or "no".
      facts: of a king its chance of being there, of a capture that of a retake, each if the opponent moves at random
        and if he moves as programs do; of a try that tells most its bits and those of the next best, twice; of a mate
        in how many moves, and on how many boards the first try is legal.
      boards: how many were looked at.
      exact: whether these are all that fit.
      heat: [64] chances in per cent that an enemy man, or his king, stands on each square from a1 to h8.
      shares: how often each level finds an answer.
      grade: the weakest level that nearly always does.
    """

    game: int
    kind: str
    rules: str
    played: str
    answers: Sequence[str]
    facts: Sequence[float]
    boards: int
    exact: bool
    heat: Sequence[int]
    shares: Mapping[str, float]
    grade: str

    @cached_property
    def referee(self) -> Referee:
        """A referee who has heard what was played; it is not to hear more."""
        referee = Referee(self.rules)
        for code in self.played.split():
            referee.try_move(chess.Move.from_uci(code))
        return referee

    @cached_property
    def view(self) -> View:
        """What the side that is asked knows."""
        turn = self.referee.turn
        return self.referee.view(not turn if self.kind == "capture" else turn)

    @property
    def heard(self) -> list[str]:
        """Everything that side has tried and heard, line by line."""
        return [line for _, line in gathered(Diary().take(self.view))]

    @property
    def him(self) -> str:
        """The opponent: White or Black."""
        return chess.COLOR_NAMES[not self.view.color].capitalize()

    @property
    def task(self) -> str:
        """What to do."""
        if self.kind == "king":
            return f"On which square does {self.him}'s king stand?"
        if self.kind == "tells":
            return (
                "After which try will you know most, whatever it costs? Find the one whose answer, a refusal or what "
                "the referee announces, is hardest to foresee."
            )
        if self.kind == "capture":
            return f"You have just taken on {self._square}. Is your man safe there, so that {self.him} cannot retake?"
        when = "at once" if self.facts[0] == 1 else "in two moves"
        return (
            f"{self.him} has his king alone. Begin a mate {when}, wherever he stands. A refusal costs nothing: then "
            "you may try again."
        )

    @property
    def numbers(self) -> str:
        """What the numbers on the board are."""
        if self.kind == "mate":
            return f"On how many per cent of the boards a man of {self.him}'s stands there:"
        who = "the king" if self.kind == "king" else f"a man of {self.him}'s"
        return f"Chance in per cent that {who} stands there:"

    @property
    def _square(self) -> str:
        """Where the capture was."""
        return self.played[-2:] if self.played[-1].isdigit() else self.played[-3:-1]

    def judged(self, text: str) -> Verdict:
        """What is said of an answer; raises BadAnswer."""
        given = text.strip().lower().rstrip(".")
        if self.kind == "king" and given[-2:] in chess.SQUARE_NAMES and given[:-2] in ("", "k"):
            return self._verdict(given[-2:])
        if self.kind == "capture" and given in ("yes", "no", "y", "n"):
            return self._verdict({"y": "yes", "n": "no"}[given[0]])
        if self.kind in ("tells", "mate"):
            try:
                return self._verdict(read_try(text, self.view).uci())
            except BadTry as error:
                raise BadAnswer(f"{error}.") from None
        raise BadAnswer(f"{quoted(text)} is no answer; it takes {TAKES[self.kind]}.")

    def _verdict(self, given: str) -> Verdict:
        is_right = given in self.answers
        if self.kind == "king":
            squares, said = list(self.answers), self._of_king()
        elif self.kind == "capture":
            squares, said = [self._square], self._of_capture()
        else:
            squares = [code[i : i + 2] for code in self.answers for i in (0, 2)]
            said = self._of_mate() if self.kind == "mate" else self._of_telling()
        return Verdict(is_right, f"{'Right' if is_right else 'No'}. {said}", squares)

    def _of_king(self) -> str:
        king = self.referee.board().king(not self.view.color)
        really = chess.square_name(king) if king is not None else ""
        where = "there" if really in self.answers else f"on {really}"
        chances = self._either([f"{fact:.0%}" for fact in self.facts])
        return f"The king is on {self.answers[0]}: {chances}. {self._counted} In this game he stood {where}."

    def _of_capture(self) -> str:
        board, square = self.referee.board(), chess.parse_square(self._square)
        could = any(board.generate_legal_moves(to_mask=chess.BB_SQUARES[square]))
        chances = self._either([f"{fact:.0%}" for fact in self.facts])
        verdict = "Safe" if self.answers[0] == "yes" else "Not safe"
        really = "he could" if could else "he could not"
        return (
            f"{verdict}: the chance that a man of {self.him}'s can retake is {chances}. {self._counted} In this game "
            f"{really}."
        )

    def _of_telling(self) -> str:
        chances = self._either([f"{self.facts[i]:.2f} bits ({self.facts[i + 1]:.2f} the next best)" for i in (0, 2)])
        return (
            f"{self._tries} tells most: {chances}. {self._counted} A bit is what an answer tells if yes and no are "
            "equally likely."
        )

    def _of_mate(self) -> str:
        moves, legal = self.facts
        refused = " Where it is refused, try on: another mates." if legal < self.boards else ""
        mates = "mates" if moves == 1 else "begins a mate in two moves"
        return (
            f"{self._tries} {mates}.{refused} Proved on each of the {self.boards} boards that fit what you have heard "
            "since his last man fell."
        )

    @property
    def _tries(self) -> str:
        names = [try_name(chess.Move.from_uci(code), self.view) for code in self.answers]
        return " or ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])

    def _either(self, each: Sequence[str]) -> str:
        return f"{each[0]} if {self.him} moves at random, {each[1]} if he moves as programs do"

    @property
    def _counted(self) -> str:
        if self.exact:
            return f"Counted on all {self.boards:,} boards that fit."
        return f"Counted on {self.boards:,} boards that fit; there may be more."


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is right, why, and the squares to look at."""

    is_right: bool
    said: str
    squares: Sequence[str]


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """All of them."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return tuple(Puzzle(**json.loads(line)) for line in lines)


@cache
def grades() -> tuple[str, ...]:
    """Their grades, the easiest first."""
    return tuple(dict.fromkeys(puzzle.grade for puzzle in puzzles()))
