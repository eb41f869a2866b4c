"""`kriegbot learn`: the guided first game at a terminal, or line by line; `kriegbot learn puzzles`."""

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

from kriegbot.cli.common import argument, option
from kriegbot.cli.plain import heat_table
from kriegbot.cli.screen import Picture, board, drawing_console, fitting, has_tints, is_terminal, size_of
from kriegbot.narration.known import marks, own_men, plain_board
from kriegbot.narration.lesson import Lesson, Stand, Step, first_game, stand
from kriegbot.narration.puzzles import KINDS, BadAnswer, Puzzle, Verdict, grades, puzzles
from kriegbot.request import Refused
from referee import View
from referee.text import quoted

COLUMNS_BESIDE, ROWS_BESIDE = 36, 5  # room for the text beside a board, and for the lines above and below
MOST_HEARD, MOST_BEFORE = 3, 12  # lines of the game that stand beside a board, of the first game and of a puzzle
PUZZLES = "puzzles"
ANSWERING = "help shows the whole game as you heard it, quit leaves."
LEAVING = ("quit", "exit")
HELPING = ("", "help", "?")


def learn(
    what: Annotated[str, argument("[puzzles]", "Puzzles instead.", complete=lambda: [PUZZLES])] = "",
    kind: Annotated[
        str | None, option("KIND", f"Puzzles of one kind: {', '.join(KINDS)}.", complete=lambda: list(KINDS))
    ] = None,
    level: Annotated[str | None, option("LEVEL", "Puzzles that this level just finds, such as beginner.")] = None,
) -> None:
    """Learn Kriegspiel in a guided first game of five minutes, or by puzzles from games.

    Write a try as e4, Nf3, exd5 or e2e4; quit leaves. In a browser: `kriegbot play --web`, then "Learn".
    """
    if what not in ("", PUZZLES):
        raise Refused(f"there is no {quoted(what)} to learn; it takes {PUZZLES}, or nothing for the first game.")
    if not what and (kind is not None or level is not None):
        raise Refused(f"--kind and --level choose puzzles: kriegbot learn {PUZZLES}.")
    console, lesson = drawing_console(), first_game()
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing
    if what:
        with contextlib.suppress(EOFError):
            _pose(console, _chosen(kind, level))
        return
    print(lesson.words["wait"], flush=True)
    with contextlib.suppress(EOFError):
        for number in range(len(lesson.steps)):
            _teach(console, lesson, number)
        print(f"\n{lesson.words['end']}")


def _teach(console: Console | None, lesson: Lesson, number: int) -> None:
    """One step, until its task is done; raises EOFError if the learner leaves."""
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
    beside = Text("" if now.is_done else f"{step.text}\n\n")
    if now.said:
        beside.append(f"{now.answer}\n" if now.answer else "", "bold")
        beside.append(now.said, "green" if now.is_done else "yellow")
    else:
        beside.append("\n".join([*now.heard[-MOST_HEARD:], "", about]), "dim")
    _draw_beside(console, title, now.view, marks(now.view), now.shading(), beside)


def _draw_beside(
    console: Console, title: str, view: View, marked: frozenset[chess.Square], heat: Sequence[float], beside: Text
) -> None:
    """A text beside a board."""
    scale = fitting(console.width - COLUMNS_BESIDE, console.height - ROWS_BESIDE)
    picture = Picture(own_men(view), view.color, marked, heat, has_tints=has_tints(console))
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(width=min(70, max(20, console.width - size_of(scale)[0] - 3)))
    grid.add_row(board(picture, scale), beside)
    console.clear()
    console.print(Text(f" {title}", "bold"))
    console.print(grid)
    console.print()


def _chosen(kind: str | None, level: str | None) -> list[Puzzle]:
    """The puzzles of a kind and a level, or of all."""
    for name, given, takes in (("kind", kind, tuple(KINDS)), ("level", level, grades())):
        if given is not None and given not in takes:
            raise Refused(f"no puzzle is of {name} {quoted(given)}; it takes {', '.join(takes)}.")
    several = [one for one in puzzles() if kind in (None, one.kind) and level in (None, one.grade)]
    if not several:
        raise Refused(f"no puzzle is of kind {kind} and level {level}; it takes either of them alone.")
    return several


def _pose(console: Console | None, several: Sequence[Puzzle]) -> None:
    """One puzzle after the other, until all are solved; one that was not comes again at the end. EOFError ends them."""
    left = list(several)
    while left:
        puzzle = left.pop(0)
        title = f"{KINDS[puzzle.kind]} ({puzzle.grade}, {puzzle.rules}; {len(left) + 1} to solve)"
        _show(console, title, puzzle, f"{puzzle.task} {ANSWERING}")
        verdict = None
        while verdict is None:
            text = _asked("Your answer: ")
            if text.lower() in HELPING:
                print("\n".join([*puzzle.heard, puzzle.task, ANSWERING]))
                continue
            try:
                verdict = puzzle.judged(text)
            except BadAnswer as error:
                print(error)
        _show(console, title, puzzle, verdict.said, verdict=verdict)
        left += [] if verdict.is_right else [puzzle]
        if is_terminal():
            _asked("Enter goes on ")
    print("\nThat was all of them.")


def _show(console: Console | None, title: str, puzzle: Puzzle, said: str, verdict: Verdict | None = None) -> None:
    """A puzzle beside its board, or after an answer what shows it."""
    view, heat = puzzle.view, [percent / 100 for percent in puzzle.heat] if verdict else []
    heard = [] if verdict else puzzle.heard[-MOST_BEFORE:]
    if console is None:
        men = [] if verdict else plain_board(own_men(view), view.color)
        wrapped = textwrap.wrap(said, min(100, shutil.get_terminal_size().columns))
        shown = [puzzle.numbers, *heat_table(heat, view.color)[1:]] if verdict else []
        print("\n".join([*["", title] * (not verdict), *heard, *men, *wrapped, *shown]))
        return
    marked = marks(view) if verdict is None else frozenset(map(chess.parse_square, verdict.squares))
    style = "" if verdict is None else "green" if verdict.is_right else "yellow"
    below = "\n".join(heard) if verdict is None else puzzle.numbers
    beside = Text.assemble((f"{said}\n\n", style), (below, "dim"))
    _draw_beside(console, title, view, marked, heat, beside)
