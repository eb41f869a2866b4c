"""The guided first game and the puzzles, for terminal and page alike. The referee answers every try.

`first_game.toml` has the texts and positions of the first game. `puzzles.jsonl.gz` has the puzzles, one a line, from
easy to hard; `benchmarks/puzzles.py` made it, and says what makes each answer certain.
"""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import chess

from kriegbot.belief.belief import BeliefTimeline
from kriegbot.narration.diary import Diary, gathered
from kriegbot.players.human import BadTry, read_try, try_name
from referee import Answer, Referee, View, parse_action
from referee.text import quoted

FIRST_GAME = Path(__file__).parent / "first_game.toml"
PUZZLES = Path(__file__).parent / "puzzles.jsonl.gz"
PUZZLE_KINDS = {
    "king": "Where is the king?",
    "tells": "Which try will tell you most?",
    "mate": "Mate, wherever the king is",
    "capture": "Was that capture safe?",
}
ANSWER_FORMS = {
    "king": "a square such as g8",
    "tells": "a try such as e4, Nf3, exd5 or e2e4",
    "mate": "a try such as e4, Nf3, exd5 or e2e4",
    "capture": "yes or no",
}


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One task of the first game. `first_game.toml` explains the fields."""

    title: str
    text: str
    solutions: Mapping[str, str]
    success: str
    hint: str
    hints: Mapping[str, str] = field(default_factory=dict)
    rules: str = "berkeley"
    start: str = chess.STARTING_FEN
    played: str = ""
    announcement: str = ""
    claims: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def referee(self) -> Referee:
        """Return a new referee after the tries played so far."""
        return _referee(self.rules, self.played, self.start)


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps in order, and the words around them by name."""

    words: Mapping[str, str]
    steps: Sequence[LessonStep]


@dataclass(frozen=True, slots=True)
class StepState:
    """A step after the learner's tries. A legal try that does not end the step is taken back."""

    view: View
    refused: Sequence[str]  # tries in UCI notation
    answer: str = ""  # the referee's to the last try; empty before the first, and if the text was no try
    comment: str = ""  # the lesson's on the try
    is_done: bool = False  # True if the try ends the step

    @property
    def log(self) -> list[str]:
        """The tries and announcements of the step's game, one a line."""
        return [entry.line() for entry in Diary().take(self.view)]

    def shading(self) -> list[float]:
        """Return for each of the 64 squares the chance of an enemy piece there. Compiles kernels at first."""
        belief = BeliefTimeline().at(self.view)
        assert belief is not None  # for mypy: there was no limit of time
        return [float(chance) for chance in belief.chances.sum(axis=0)]


@cache
def first_game() -> Lesson:
    """Return the lesson in `FIRST_GAME`."""
    data = tomllib.loads(FIRST_GAME.read_text(encoding="utf-8"))
    steps = [LessonStep(**step) for step in data["steps"]]
    unwrapped = [replace(one, text=" ".join(one.text.split()), success=" ".join(one.success.split())) for one in steps]
    return Lesson(data["words"], unwrapped)


def step_state(step: LessonStep, refused: Sequence[str] = (), text: str = "") -> StepState:
    """Return a step after refused tries in UCI notation and one more try as people write it (empty: none).

    Raises ValueError if the referee does not refuse one of `refused`.
    """
    referee = step.referee()
    for code in refused:
        move = parse_action(code)
        if not isinstance(move, chess.Move) or referee.try_move(move) is not Answer.ILLEGAL:
            raise ValueError(f"{code!r} is not refused here; give refused tries such as 'e4e5', each once")
    before = referee.view(referee.turn)
    if not text:
        return StepState(before, refused)
    try:
        move = read_try(text, before)
    except BadTry as error:
        return StepState(before, refused, comment=str(error))
    answer, code = referee.try_move(move), move.uci()
    after = referee.view(before.color)
    answer_text = Diary().take(after)[-1].text
    if code in step.solutions:
        return StepState(after, refused, answer_text, step.success, is_done=True)
    hint = step.hints.get(code, step.hint)
    if answer is Answer.ACCEPTED:
        return StepState(before, refused, answer_text, hint)
    return StepState(after, [*refused, code], answer_text, hint)


class BadAnswer(ValueError):
    """A text is not an answer to a puzzle. The message is a sentence that says what would be."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of an answer, with an explanation and the squares to look at."""

    is_right: bool
    explanation: str
    squares: Sequence[str]


@dataclass(frozen=True)
class Puzzle:
    """A moment of a game, and a question to one side."""

    game: int  # number in `benchmarks/puzzles.py`
    kind: str  # one of `PUZZLE_KINDS`
    rules: str  # name of the rule set
    played: str  # tries of both sides so far, refused ones too, in UCI notation
    answers: Sequence[str]  # all right ones: a square, tries in UCI notation, "yes" or "no"
    facts: Sequence[float]
    """For "king" the chance that the king is there, for "capture" the chance of a recapture, for "tells" the bits of
    the best try and of the next: first if the opponent moves at random, then if it moves as programs do. For "mate"
    the number of moves, and of boards on which the first try is legal."""
    boards: int  # number of boards searched
    exact: bool  # True if these are all possible boards
    heat: Sequence[int]  # [64] chances in percent of an enemy piece (for "king": of the king) from a1 to h8
    shares: Mapping[str, float]  # how often each level finds an answer
    grade: str  # the weakest level that nearly always does

    @cached_property
    def referee(self) -> Referee:
        """The referee at this moment. Callers must not change it."""
        return _referee(self.rules, self.played)

    @cached_property
    def view(self) -> View:
        """The view of the side that answers."""
        turn = self.referee.turn
        return self.referee.view(not turn if self.kind == "capture" else turn)

    @property
    def log(self) -> list[str]:
        """The tries of that side and the announcements, one a line."""
        return [line for _, line in gathered(Diary().take(self.view))]

    @property
    def opponent(self) -> str:
        """Name of the other side: White or Black."""
        return chess.COLOR_NAMES[not self.view.color].capitalize()

    @property
    def task(self) -> str:
        """The question."""
        if self.kind == "king":
            return f"On which square is {self.opponent}'s king?"
        if self.kind == "tells":
            return "Find the try whose answer you can predict least. How good a move it is does not matter."
        if self.kind == "capture":
            return f"You have just captured on {self._square}. Is your piece safe from recapture?"
        which = "mates at once" if self.facts[0] == 1 else "begins a mate in two"
        return (
            f"{self.opponent} has only the king. Find the try that {which}, wherever the king may be. A refused try "
            "costs nothing."
        )

    @property
    def numbers(self) -> str:
        """The meaning of the numbers on the board."""
        color = self.opponent.lower()
        if self.kind == "mate":
            return f"Numbers: percent of the possible positions with a {color} piece there."
        return f"Numbers: chance in percent that {'the king' if self.kind == 'king' else f'a {color} piece'} is there."

    @property
    def _square(self) -> str:
        """The square of the capture."""
        return self.played[-2:] if self.played[-1].isdigit() else self.played[-3:-1]

    def judge(self, text: str) -> Verdict:
        """Return the verdict on an answer; raise BadAnswer if the text is none."""
        answer = text.strip().lower().rstrip(".")
        if self.kind == "king" and answer[-2:] in chess.SQUARE_NAMES and answer[:-2] in ("", "k"):
            return self._verdict(answer[-2:])
        if self.kind == "capture" and answer in ("yes", "no", "y", "n"):
            return self._verdict({"y": "yes", "n": "no"}[answer[0]])
        if self.kind in ("tells", "mate"):
            try:
                return self._verdict(read_try(text, self.view).uci())
            except BadTry as error:
                raise BadAnswer(str(error)) from None
        raise BadAnswer(f"{quoted(text)} is not an answer. Give {ANSWER_FORMS[self.kind]}.")

    def _verdict(self, answer: str) -> Verdict:
        is_right = answer in self.answers
        squares = [code[i : i + 2] for code in self.answers for i in (0, 2)]
        if self.kind == "king":
            squares, explanation = list(self.answers), self._explain_king()
        elif self.kind == "capture":
            squares, explanation = [self._square], self._explain_capture()
        else:
            explanation = self._explain_mate() if self.kind == "mate" else self._explain_information()
        return Verdict(is_right, f"{'Right' if is_right else 'Wrong'}. {explanation}", squares)

    def _explain_king(self) -> str:
        king = self.referee.board().king(not self.view.color)
        real = chess.square_name(king) if king is not None else ""
        place = "there" if real in self.answers else f"on {real}"
        chances = self._by_opponent([f"{fact:.0%}" for fact in self.facts])
        return f"The king is on {self.answers[0]}: {chances}. {self._counted} In the game, the king was {place}."

    def _explain_capture(self) -> str:
        board, square = self.referee.board(), chess.parse_square(self._square)
        could = "could" if any(board.generate_legal_moves(to_mask=chess.BB_SQUARES[square])) else "could not"
        chances = self._by_opponent([f"{fact:.0%}" for fact in self.facts])
        return (
            f"{'Safe' if self.answers[0] == 'yes' else 'Not safe'}: the chance that {self.opponent} can recapture is "
            f"{chances}. {self._counted} In the game, {self.opponent} {could} recapture."
        )

    def _explain_information(self) -> str:
        bits = [f"{self.facts[i]:.2f} bits ({self.facts[i + 1]:.2f} for the next best)" for i in (0, 2)]
        names = self._try_names
        return (
            f"{_listed(names)} {'tells' if len(names) == 1 else 'tell'} you most: {self._by_opponent(bits)}. "
            f"{self._counted} One bit is the answer to a question whose yes and no are equally likely."
        )

    def _explain_mate(self) -> str:
        moves, legal = self.facts
        names = self._try_names
        one, many = ("mates", "mate") if moves == 1 else ("begins a mate in two", "begin a mate in two")
        verb = one if len(names) == 1 else f"{'both' if len(names) == 2 else 'all'} {many}"
        refused = " If the try is refused, another one mates." if legal < self.boards else ""
        return f"{_listed(names)} {verb}.{refused} Checked on all {self.boards} positions still possible."

    @property
    def _try_names(self) -> list[str]:
        return [try_name(chess.Move.from_uci(code), self.view) for code in self.answers]

    def _by_opponent(self, each: Sequence[str]) -> str:
        return f"{each[0]} if {self.opponent} moves at random, {each[1]} if {self.opponent} moves as programs do"

    @property
    def _counted(self) -> str:
        if self.exact:
            return f"Counted on all {self.boards:,} possible positions."
        return f"Counted on {self.boards:,} possible positions; there may be more."


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """Return all puzzles."""
    with gzip.open(PUZZLES, "rt", encoding="utf-8") as lines:
        return tuple(Puzzle(**json.loads(line)) for line in lines)


@cache
def grades() -> tuple[str, ...]:
    """Return the grades of the puzzles, the easiest first."""
    return tuple(dict.fromkeys(puzzle.grade for puzzle in puzzles()))


def _referee(rules: str, played: str, start: str = chess.STARTING_FEN) -> Referee:
    referee = Referee(rules, start=start)
    for code in played.split():
        referee.try_move(chess.Move.from_uci(code))
    return referee


def _listed(names: Sequence[str]) -> str:
    """Return "a", "a and b", or "a, b and c"."""
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + list(names[-1:]))
