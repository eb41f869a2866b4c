"""`kriegbot learn`: the guided first game and the puzzles, at a terminal or line by line."""

from __future__ import annotations

import contextlib
import shutil
import textwrap
from collections.abc import Sequence
from typing import Annotated

import chess
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kriegbot.cli.common import argument, one_of, option
from kriegbot.cli.console import heat_table
from kriegbot.cli.screen import BoardPicture, board, drawing_console, fitting, has_tints, is_terminal, size_of
from kriegbot.narration.diary import marks, own_men, plain_board
from kriegbot.narration.learning import (
    PUZZLE_KINDS,
    BadAnswer,
    Lesson,
    LessonStep,
    Puzzle,
    StepState,
    Verdict,
    first_game,
    grades,
    puzzles,
    step_state,
)
from kriegbot.request import Refused
from referee import View
from referee.text import quoted, unknown

COLUMNS_BESIDE, ROWS_BESIDE = 36, 5  # room for the text beside a board, and for the lines above and below
MAX_LESSON_LINES, MAX_PUZZLE_LINES = 3, 12  # announcements beside a board, in the first game and in a puzzle
PUZZLES = "puzzles"
COMMANDS = "Type help for all announcements of the game, quit to leave."
LEAVE = ("quit", "exit")
HELP = ("", "help", "?")


def _topic_of(text: str) -> str:
    if text not in ("", PUZZLES):
        raise Refused(f"cannot learn {quoted(text)}: choose {PUZZLES}, or nothing for the first game.")
    return text


def learn(
    what: Annotated[
        str, argument("[puzzles]", "Puzzles instead of the first game.", parser=_topic_of, complete=lambda: [PUZZLES])
    ] = "",
    kind: Annotated[
        str | None,
        option("KIND", f"Puzzles of one kind: {', '.join(PUZZLE_KINDS)}.", **one_of("kind of puzzles", PUZZLE_KINDS)),
    ] = None,
    level: Annotated[
        str | None, option("LEVEL", "Puzzles that a player of this level just solves, such as beginner.")
    ] = None,
) -> None:
    """Learn Kriegspiel in a guided first game of five minutes, or by puzzles from games.

    Write a try as e4, Nf3, exd5 or e2e4; quit leaves. In a browser: `kriegbot play --web`, then "Learn".
    """
    if not what and (kind is not None or level is not None):
        raise Refused(f"--kind and --level select puzzles: kriegbot learn {PUZZLES}.")
    console, lesson = drawing_console(), first_game()
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing
    if what:
        with contextlib.suppress(EOFError):
            _pose(console, _selected(kind, level))
        return
    print(lesson.words["wait"], flush=True)
    with contextlib.suppress(EOFError):
        for number in range(len(lesson.steps)):
            _teach(console, lesson, number)
        print("", *textwrap.wrap(lesson.words["end"], shutil.get_terminal_size().columns), sep="\n")


def _teach(console: Console | None, lesson: Lesson, number: int) -> None:
    """Teach one step until its task is done."""
    step, words = lesson.steps[number], lesson.words
    title = f"{words['step']} {number + 1} {words['of']} {len(lesson.steps)}: {step.title}"
    explanation = f"{words['shading']} {words['terminal']}"
    now, about = step_state(step), "" if number else explanation
    while True:
        if console is None:
            _print(title, step, now, about)
        else:
            _draw(console, title, step, now, about)
        if now.is_done:
            break
        text = _prompt(f"{words['task']}: ")
        if text.lower() in HELP:
            now, about = step_state(step, now.refused), explanation
        else:
            now = step_state(step, now.refused, text)
    if number + 1 < len(lesson.steps) and is_terminal():
        _prompt(f"{words['enter']} ")


def _prompt(prompt: str) -> str:
    """Return the answer to a prompt. Raise EOFError if the learner leaves."""
    answer = input(prompt if is_terminal() else f"{prompt.strip()}\n").strip()
    if answer.lower() in LEAVE:
        raise EOFError
    return answer


def _print(title: str, step: LessonStep, now: StepState, about: str) -> None:
    """Print a whole step, or after a try its answer and the new chances."""
    width = min(100, shutil.get_terminal_size().columns)
    is_first = not now.comment
    lines = ["", title, *textwrap.wrap(step.text, width), *now.log] if is_first else [now.answer] * bool(now.answer)
    print("\n".join([*lines, *textwrap.wrap(now.comment, width)]))
    if is_first or now.answer:
        men = plain_board(own_men(now.view), now.view.color)
        wrapped = textwrap.wrap(about * is_first, width)
        print("\n".join([*men, *wrapped, *heat_table(now.shading(), now.view.color)]))


def _draw(console: Console, title: str, step: LessonStep, now: StepState, about: str) -> None:
    """Draw a step and its board: the task and the announcements, or the answer to the last try."""
    beside = Text("" if now.is_done else f"{step.text}\n\n")
    if now.comment:
        beside.append(f"{now.answer}\n" if now.answer else "", "bold")
        beside.append(now.comment, "green" if now.is_done else "yellow")
    else:
        beside.append("\n".join([*now.log[-MAX_LESSON_LINES:], "", about]), "dim")
    _draw_beside(console, title, now.view, marks(now.view), now.shading(), beside)


def _draw_beside(
    console: Console, title: str, view: View, marked: frozenset[chess.Square], heat: Sequence[float], beside: Text
) -> None:
    """Draw a text beside a board."""
    scale = fitting(console.width - COLUMNS_BESIDE, console.height - ROWS_BESIDE)
    picture = BoardPicture(own_men(view), view.color, marked, heat, has_tints=has_tints(console))
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(width=min(70, max(20, console.width - size_of(scale)[0] - 3)))
    grid.add_row(board(picture, scale), beside)
    console.clear()
    console.print(Text(f" {title}", "bold"))
    console.print(grid)
    console.print()


def _selected(kind: str | None, level: str | None) -> list[Puzzle]:
    """Return the puzzles of a kind and of a level; None stands for all."""
    if level is not None and level not in grades():
        raise Refused(unknown("level of puzzles", level, grades()))
    selected = [puzzle for puzzle in puzzles() if kind in (None, puzzle.kind) and level in (None, puzzle.grade)]
    if not selected:
        raise Refused(f"there is no puzzle of kind {kind} and level {level}; give only one of the two.")
    return selected


def _pose(console: Console | None, selected: Sequence[Puzzle]) -> None:
    """Pose puzzles until all are solved; unsolved ones come again at the end."""
    left = list(selected)
    while left:
        puzzle = left.pop(0)
        title = f"{PUZZLE_KINDS[puzzle.kind]} ({puzzle.grade}, {puzzle.rules}; {len(left) + 1} to solve)"
        _show(console, title, puzzle, f"{puzzle.task} {COMMANDS}")
        verdict = None
        while verdict is None:
            text = _prompt("Your answer: ")
            if text.lower() in HELP:
                print("\n".join([*puzzle.log, puzzle.task, COMMANDS]))
                continue
            try:
                verdict = puzzle.judge(text)
            except BadAnswer as error:
                print(error)
        _show(console, title, puzzle, verdict.explanation, verdict=verdict)
        left += [] if verdict.is_right else [puzzle]
        if is_terminal():
            _prompt("Press Enter to continue ")
    print("\nYou have solved them all.")


def _show(console: Console | None, title: str, puzzle: Puzzle, text: str, verdict: Verdict | None = None) -> None:
    """Show a puzzle, or its solution if there is a verdict."""
    view, heat = puzzle.view, [percent / 100 for percent in puzzle.heat] if verdict else []
    announcements = [] if verdict else puzzle.log[-MAX_PUZZLE_LINES:]
    if console is None:
        men = [] if verdict else plain_board(own_men(view), view.color)
        wrapped = textwrap.wrap(text, min(100, shutil.get_terminal_size().columns))
        shown = [puzzle.numbers, *heat_table(heat, view.color)[1:]] if verdict else []
        print("\n".join([*["", title] * (not verdict), *announcements, *men, *wrapped, *shown]))
        return
    marked = marks(view) if verdict is None else frozenset(map(chess.parse_square, verdict.squares))
    style = "" if verdict is None else "green" if verdict.is_right else "yellow"
    below = "\n".join(announcements) if verdict is None else puzzle.numbers
    beside = Text.assemble((f"{text}\n\n", style), (below, "dim"))
    _draw_beside(console, title, view, marked, heat, beside)
