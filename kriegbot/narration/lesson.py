"""The guided first game, for terminal and page alike: texts and positions from a file, answers from the referee."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import chess

from kriegbot.belief.timeline import BeliefTimeline
from kriegbot.narration.diary import Diary
from kriegbot.players.notation import BadTry, read_try
from referee import Answer, Referee, View, parse_action

FIRST_GAME = Path(__file__).parent / "first_game.toml"


@dataclass(frozen=True, slots=True)
class Step:
    """One task; `first_game.toml` says what its fields are."""

    title: str
    text: str
    solutions: Mapping[str, str]
    success: str
    hint: str
    hints: Mapping[str, str] = field(default_factory=dict)
    rules: str = "berkeley"
    start: str = chess.STARTING_FEN
    played: str = ""
    heard: str = ""
    claims: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def referee(self) -> Referee:
        """A referee that has heard what was played."""
        referee = Referee(self.rules, start=self.start)
        for code in self.played.split():
            referee.try_move(chess.Move.from_uci(code))
        return referee


@dataclass(frozen=True, slots=True)
class Lesson:
    """Words of the frame, by name, and the steps in order."""

    words: Mapping[str, str]
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Stand:
    """How a step stands after a try.

    Attributes:
      view: what the learner knows. A legal try that does not end the step is taken back.
      refused: the learner's refused tries in UCI notation, which stay.
      answer: what the referee said to the try; empty before one, or if the text was none.
      said: what the lesson says of it.
      is_done: whether the try ends the step.
    """

    view: View
    refused: Sequence[str]
    answer: str = ""
    said: str = ""
    is_done: bool = False

    @property
    def heard(self) -> list[str]:
        """Everything tried and heard in the step's game, line by line."""
        return [entry.line() for entry in Diary().take(self.view)]

    def shading(self) -> list[float]:
        """[64] for each square from a1 to h8 the chance that an enemy man stands there; compiles kernels."""
        held = BeliefTimeline().at(self.view)
        assert held is not None  # for mypy: it was given all the time
        return [float(chance) for chance in held.chances.sum(axis=0)]


@cache
def first_game() -> Lesson:
    """The lesson in `FIRST_GAME`."""
    data = tomllib.loads(FIRST_GAME.read_text(encoding="utf-8"))
    steps = [Step(**step) for step in data["steps"]]
    return Lesson(data["words"], [replace(step, text=_line(step.text), success=_line(step.success)) for step in steps])


def stand(step: Step, refused: Sequence[str] = (), text: str = "") -> Stand:
    """How a step stands after refused tries, in UCI notation, and one more as people write it; empty for none.

    Raises ValueError if one of `refused` is not refused.
    """
    referee = step.referee()
    for code in refused:
        move = parse_action(code)
        if not isinstance(move, chess.Move) or referee.try_move(move) is not Answer.ILLEGAL:
            raise ValueError(f"{code!r} is not refused here; it takes refused tries such as 'e4e5', each once")
    before = referee.view(referee.turn)
    if not text:
        return Stand(before, refused)
    try:
        move = read_try(text, before)
    except BadTry as error:
        return Stand(before, refused, said=f"{error}.")
    answer, code = referee.try_move(move), move.uci()
    after = referee.view(before.color)
    told = Diary().take(after)[-1].text
    if code in step.solutions:
        return Stand(after, refused, told, step.success, is_done=True)
    said = step.hints.get(code, step.hint)
    if answer is Answer.ACCEPTED:
        return Stand(before, refused, told, said)
    return Stand(after, [*refused, code], told, said)


def _line(text: str) -> str:
    """A text without the line ends of its file."""
    return " ".join(text.split())
