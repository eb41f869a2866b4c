"""`kriegbot learn`: the guided first game and the puzzles, at a terminal or line by line."""

import contextlib
import random
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import cycle
from typing import TypeAlias

import chess
from rich.console import Console
from rich.text import Text

from kriegbot.cli import screen
from kriegbot.cli.common import argument, compile_kernels, one_of, option
from kriegbot.cli.console import heat_table
from kriegbot.narration import learning
from kriegbot.narration.glance import marks, own_men, plain_board
from kriegbot.narration.learning import GRADES, PUZZLE_KINDS, Puzzle, puzzles
from kriegbot.narration.practice import ENDINGS, WORDS, Practice
from kriegbot.narration.results import Results
from kriegbot.players.human import BadTry
from kriegbot.request import Refused
from referee import View

COLUMNS_BESIDE, ROWS_BESIDE = 36, 5  # room for the text beside a board, and for the lines above and below
MAX_LESSON_LINES, MAX_PUZZLE_LINES = 3, 30  # announcements beside a board, in the first game and in a puzzle
PUZZLES, TODAY, MATE = "puzzles", "today", "mate"
COMMANDS = "Type show for the solution, help for all announcements, quit to leave."
Step: TypeAlias = learning.LessonStep | Practice
LEAVE = ("quit", "exit")
HELP = ("", "help", "?")
ALL = "all possible positions"  # behind the chances in lessons and puzzles


def learn(
    what: str | None = argument(
        "[puzzles|today|mate]",
        "Puzzles, the puzzle of the day, or endings against a king that you do not see, instead of the first game.",
        **one_of("topic", (PUZZLES, TODAY, MATE)),
        default=None,
    ),
    kind: str | None = option(
        "KIND", f"Only one kind of puzzles: {', '.join(PUZZLE_KINDS)}.", **one_of("kind of puzzles", PUZZLE_KINDS)
    ),
    level: str | None = option("LEVEL", f"Only one level: {', '.join(GRADES)}.", **one_of("level of puzzles", GRADES)),
    ending: str | None = option("NAME", f"With mate, one ending: {', '.join(ENDINGS)}.", **one_of("ending", ENDINGS)),
) -> None:
    """Learn Kriegspiel in a guided first game, by puzzles, or by mating a hidden king.

    Write a try as e4, Nf3, exd5 or e2e4; quit leaves. In a browser: `kriegbot play --web`, then "Learn".
    """
    if what != PUZZLES and (kind is not None or level is not None):
        raise Refused(f"--kind and --level select puzzles: kriegbot learn {PUZZLES}.")
    if what != MATE and ending is not None:
        raise Refused(f"--ending selects an ending: kriegbot learn {MATE}.")
    console, lesson = screen.drawing_console(), learning.first_game()
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing
    if what in (PUZZLES, TODAY):
        with contextlib.suppress(EOFError):
            selected = [one for one in puzzles() if kind in (None, one.kind) and level in (None, one.grade)]
            _pose(console, selected if what == PUZZLES else [puzzles()[learning.puzzle_of(date.today()) - 1]])
        return
    print(lesson.words["wait"], flush=True)
    with contextlib.suppress(EOFError):
        if what == MATE:
            for one in cycle([ending] if ending else ENDINGS):
                practice = Practice(one, random.getrandbits(31))
                _teach(console, practice.title, practice, {**lesson.words, **WORDS})
        for number, step in enumerate(lesson.steps, 1):
            _teach(console, lesson.heading(number), step, lesson.words, is_first=number == 1)
            if number < len(lesson.steps) and screen.is_terminal():
                _prompt(f"{lesson.words['enter']} ")
        print("", *textwrap.wrap(lesson.words["end"], shutil.get_terminal_size().columns), sep="\n")


def _teach(console: Console | None, title: str, step: Step, words: Mapping[str, str], *, is_first: bool = True) -> None:
    explanation = f"{words['shading']} {words['terminal']}"
    now, about = step.state(), explanation if is_first else ""
    if isinstance(step, learning.LessonStep):
        compile_kernels(is_first=True)
    while True:
        if console is None:
            _print(title, step, now, about, words.get("basis", ALL))
        else:
            _draw(console, title, step, now, about)
        if now.is_done:
            break
        text = _prompt(f"{words['task']}: ")
        if text.lower() in HELP:
            now, about = step.state(now.tried), explanation
        else:
            now = step.state(now.tried, text)


def _prompt(prompt: str) -> str:
    """Return the answer to a prompt. Raise EOFError if the learner leaves."""
    answer = input(prompt if screen.is_terminal() else f"{prompt.strip()}\n").strip()
    if answer.lower() in LEAVE:
        raise EOFError
    return answer


def _print(title: str, step: Step, now: learning.StepState, about: str, basis: str) -> None:
    """Print a whole step, or after a try its answer and the new chances."""
    is_first = not now.comment
    lines = ["", title, *_wrapped(step.text), *now.log] if is_first else [now.answer] * bool(now.answer)
    print(*lines, *_wrapped(now.comment), sep="\n")
    if is_first or now.answer:
        men = plain_board(own_men(now.view), now.view.color)
        print(*men, *_wrapped(about * is_first), *heat_table(now.shading(), basis, now.view.color), sep="\n")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, min(100, shutil.get_terminal_size().columns))


def _draw(console: Console, title: str, step: Step, now: learning.StepState, about: str) -> None:
    beside = Text("" if now.is_done else step.text)
    if now.comment:
        answer = f"{now.answer}\n" if now.answer else ""
        beside.append("" if now.is_done else "\n\n").append(answer, "bold")
        beside.append(now.comment, "green" if now.is_done else "yellow")
    below = [] if now.comment else [*now.log[-MAX_LESSON_LINES:], "", about]
    _draw_beside(console, title, now.view, marks(now.view), now.shading(), beside, below)


def _draw_beside(
    console: Console,
    title: str,
    view: View,
    marked: frozenset[chess.Square],
    heat: Sequence[float],
    beside: Text,
    below: Sequence[str],
) -> None:
    """Draw a board; beside it a text, and below that the last lines for which there is room."""
    scale = screen.fitting(console.width - COLUMNS_BESIDE, console.height - ROWS_BESIDE)
    picture = screen.BoardPicture(own_men(view), view.color, marked, heat, has_tints=screen.has_tints(console))
    width = min(70, max(20, console.width - screen.size_of(scale)[0] - 3))
    lines, rest = beside.wrap(console, width), Text("\n".join(below), "dim").wrap(console, width)
    room = max(1, console.height - ROWS_BESIDE - 1 - len(lines))
    side = Text("\n").join([*lines, Text(), *rest[-room:]])
    screen.draw_beside(console, Text(f" {title}", "bold"), screen.board(picture, scale), side)


def _pose(console: Console | None, selected: Sequence[Puzzle]) -> None:
    """Pose puzzles until each was solved at the first answer; others come again at the end."""
    left, results = list(selected), Results()
    while left:
        puzzle = left.pop(0)
        title = f"{PUZZLE_KINDS[puzzle.kind]} ({puzzle.grade}; {len(left) + 1} to solve)"
        _show(console, title, puzzle, f"{puzzle.about} {puzzle.task} {COMMANDS}", ())
        refused, judged = _answers(puzzle)
        is_solved = judged[:1] == [True]
        _show(console, title, puzzle, "Right. " * any(judged) + puzzle.solution, refused, is_over=True)
        with contextlib.suppress(OSError):
            print(results.count_puzzle(puzzle.key, puzzle.grade, is_right=is_solved))
        left += [] if is_solved else [puzzle]
        if screen.is_terminal():
            _prompt("Press Enter to continue ")
    print("\nYou have solved them all.")


def _answers(puzzle: Puzzle) -> tuple[Sequence[str], list[bool]]:
    """Ask until an answer is right or the solution wanted, once for captures; return refused tries and all verdicts."""
    refused: Sequence[str] = ()
    judged: list[bool] = []
    while True:
        text = _prompt("Your answer: ")
        if text.lower() == "show":
            return refused, judged
        if text.lower() in HELP:
            print(*puzzle.log(refused), puzzle.about, puzzle.task, COMMANDS, sep="\n")
            continue
        try:
            verdict = puzzle.judge(text, refused)
        except BadTry as error:
            print(error)
            continue
        refused, is_right = verdict.refused, verdict.is_right
        judged += [] if is_right is None else [is_right]
        if is_right or (judged and puzzle.kind == "capture"):
            return refused, judged
        print(verdict.text)


def _show(
    console: Console | None, title: str, puzzle: Puzzle, text: str, refused: Sequence[str], *, is_over: bool = False
) -> None:
    view, log = puzzle.view(refused), puzzle.log(refused)
    heat = [percent / 100 for percent in puzzle.heat] if is_over else []
    if console is None:
        if is_over:
            proof = [part for line in puzzle.proof for part in _wrapped(line)]
            lines = [*_wrapped(text), *proof, puzzle.numbers, *heat_table(heat, ALL, view.color)[1:]]
        else:
            board = plain_board(own_men(view), view.color)
            lines = ["", title, *log[-MAX_PUZZLE_LINES:], *board, *_wrapped(text)]
        print(*lines, sep="\n")
        return
    marked = frozenset(map(chess.parse_square, puzzle.squares)) if is_over else marks(view)
    style = "" if not is_over else "green" if text.startswith("Right.") else "yellow"
    beside = Text(text, style).append("".join(f"\n{line}" for line in puzzle.proof * is_over), "default")
    _draw_beside(console, title, view, marked, heat, beside, [puzzle.numbers] if is_over else log[-MAX_PUZZLE_LINES:])
