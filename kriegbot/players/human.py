"""A person: asked through a console, which may be a terminal, a pipe, or a test.

A line is a try or a command. What cannot be a try on the person's own board is explained and asked again, so a slip of
the pen never reaches the referee.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeAlias

from kriegbot.players.base import Choice, Leave, PlayerKind, SeatAction
from kriegbot.players.notation import BadTry, read_action, try_name
from kriegbot.report import Report
from referee import Resign, View

COMMANDS = {
    "help": "this text",
    "?": "explain what was said last",
    "tries": "list your open tries",
    "board": "show the board again",
    "hint": "the best tries",
    "back": "take your last move back",
    "resign": "give up the game",
    "quit": "leave without a result",
}
HELP = ("?", "hint", "back")
"""Those of them that are given where there is somebody to give help."""
ASKING = {"any": "ask whether any of your pawn captures is legal"}
"""An extra command, where the question may be asked."""
ALIASES = {"?": "help", "takeback": "back", "take back": "back", "undo": "back", "exit": "quit"}

Answer: TypeAlias = Callable[[View], Sequence[str] | Leave]
"""Answers a command with lines, or ends the game."""
NOTHING: Mapping[str, Answer] = MappingProxyType({})


class Console(Protocol):
    """How a person sees the game and answers."""

    def show(self, view: View) -> None:
        """Shows the position and what is new in it."""
        ...

    def read(self, view: View) -> str:
        """Asks for a line; raises EOFError at the end of input."""
        ...

    def say(self, lines: Sequence[str]) -> None:
        """Shows an answer to a line."""
        ...


class HumanPlayer:
    """A person at a console.

    Args:
      console: it.
      more: commands that are answered by whoever seats the person, such as those of `COMMANDS` that give help.
    """

    def __init__(self, console: Console, more: Mapping[str, Answer] = NOTHING) -> None:
        self._console, self._more = console, more

    def choose(self, view: View) -> Choice:
        """Read lines until the person has named a try, asked "Any?", resigned or left.

        A person leaves by `quit`, the end of input, Ctrl-C, or a command of `more`.
        """
        begun = time.perf_counter()
        self._console.show(view)
        action: SeatAction | None = None
        while action is None:
            action = self._next(view)
        return Choice(action, Report(seconds=time.perf_counter() - begun))

    def _next(self, view: View) -> SeatAction | None:
        """Read a line and answer it; None unless it is an action."""
        try:
            line = self._console.read(view).strip()
        except EOFError:
            return Leave("end of input")
        except KeyboardInterrupt:
            return Leave("interrupted")
        command = line.lower()
        match command if command in self._more else ALIASES.get(command, command):
            case "":
                lines: Sequence[str] = ()
            case "help":
                commands = {name: what for name, what in COMMANDS.items() if name not in HELP or name in self._more}
                lines = _help(commands | ASKING if view.may_ask else commands)
            case name if name in self._more:
                answer = self._more[name](view)
                if isinstance(answer, Leave):
                    return answer
                lines = answer
            case "tries":
                lines = _columns([try_name(move, view) for move in view.tries()])
            case "board":
                self._console.show(view)
                lines = ()
            case "resign":
                return Resign()
            case "quit":
                return Leave("the person left")
            case _:
                try:
                    return read_action(line, view)
                except BadTry as error:
                    lines = [str(error)]
        if lines:
            self._console.say(lines)
        return None


def _help(commands: Mapping[str, str]) -> list[str]:
    return [
        "A try is e4, Nf3, exd5, O-O, e2e4.",
        "e8 makes a queen, e8=N a knight.",
        "After a refusal try again.",
        *(f"{command:<7} {meaning}" for command, meaning in commands.items()),
    ]


human = PlayerKind("a person, at `kriegbot play`", make=None)


def _columns(names: Sequence[str], width: int = 30) -> list[str]:
    """Names in rows no wider than this."""
    wide = max(len(name) for name in names) + 1
    in_a_row = max(1, width // wide)
    rows = [names[first : first + in_a_row] for first in range(0, len(names), in_a_row)]
    return ["".join(name.ljust(wide) for name in row).rstrip() for row in rows]
