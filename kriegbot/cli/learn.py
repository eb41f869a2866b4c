"""`kriegbot learn`: the guided first game at a terminal, or line by line."""

from __future__ import annotations

import contextlib
import shutil
import textwrap

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kriegbot.cli.board import Picture, board, fitting, size_of
from kriegbot.cli.plain import heat_table
from kriegbot.cli.screen import drawing_console, is_terminal
from kriegbot.narration.known import marks, own_men, plain_board
from kriegbot.narration.lesson import Lesson, Stand, Step, first_game, stand

COLUMNS_BESIDE, ROWS_BESIDE = 36, 5
"""Room for the text beside a board, and for the lines above and below."""
MOST_HEARD = 3
"""Lines of the game that stand beside a board."""
LEAVING = ("quit", "exit")
HELPING = ("", "help", "?")


def learn() -> None:
    """Learn Kriegspiel in a guided first game of five minutes.

    Write a try as e4, Nf3, exd5 or e2e4; quit leaves. In a browser: `kriegbot play --web`, then "Learn".
    """
    console, lesson = drawing_console(), first_game()
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing
    print(lesson.words["wait"], flush=True)
    with contextlib.suppress(EOFError):
        for number in range(len(lesson.steps)):
            _teach(console, lesson, number)
        print(f"\n{lesson.words['end']}")


def _teach(console: Console | None, lesson: Lesson, number: int) -> None:
    """One step, until its task is done.

    Raises:
      EOFError: the learner leaves, or the input ends.
    """
    step, words = lesson.steps[number], lesson.words
    title = f"{words['step']} {number + 1} {words['of']} {len(lesson.steps)}: {step.title}"
    help_ = f"{words['shading']} {words['terminal']}"
    now, about = stand(step), "" if number else help_
    while True:
        if console is None:
            _print(title, step, now, about)
        else:
            _draw(console, title, step, now, about)
        if now.is_done:
            break
        text = _asked(f"{words['task']}: ")
        if text.lower() in HELPING:
            now, about = stand(step, now.refused), help_
        else:
            now = stand(step, now.refused, text)
    if number + 1 < len(lesson.steps) and is_terminal():
        _asked(f"{words['enter']} ")


def _asked(prompt: str) -> str:
    """The line that answers a prompt; EOFError if that is to leave."""
    answer = input(prompt if is_terminal() else f"{prompt.strip()}\n").strip()
    if answer.lower() in LEAVING:
        raise EOFError
    return answer


def _print(title: str, step: Step, now: Stand, about: str) -> None:
    """A step in plain text: first all of it; after a try its answer, and the map again if that may have changed it."""
    width = min(100, shutil.get_terminal_size().columns)
    is_first = not now.said
    lines = ["", title, *textwrap.wrap(step.text, width), *now.heard] if is_first else [now.answer] * bool(now.answer)
    print("\n".join([*lines, *textwrap.wrap(now.said, width)]))
    if is_first or now.answer:
        men = plain_board(own_men(now.view), now.view.color)
        told = textwrap.wrap(about * is_first, width)
        print("\n".join([*men, *told, *heat_table(now.shading(), now.view.color)]))


def _draw(console: Console, title: str, step: Step, now: Stand, about: str) -> None:
    """A step beside its board: the task or, once it is done, what it has shown; what was heard; what was said."""
    scale = fitting(console.width - COLUMNS_BESIDE, console.height - ROWS_BESIDE)
    has_tints = console.color_system in ("256", "truecolor")
    view = now.view
    picture = Picture(own_men(view), view.color, marks(view), now.shading(), has_tints=has_tints)
    beside = Text("" if now.is_done else f"{step.text}\n\n")
    if now.said:
        beside.append(f"{now.answer}\n" if now.answer else "", "bold")
        beside.append(now.said, "green" if now.is_done else "yellow")
    else:
        beside.append("\n".join([*now.heard[-MOST_HEARD:], "", about]), "dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(width=min(70, max(20, console.width - size_of(scale)[0] - 3)))
    grid.add_row(board(picture, scale), beside)
    console.clear()
    console.print(Text(f" {title}", "bold"))
    console.print(grid)
    console.print()
