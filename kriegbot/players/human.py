"""A person: asked through a console, which may be a terminal, a pipe, or a test.

A line is a try or a command. What cannot be a try on the person's own board is explained and asked again, so a slip of
the pen never reaches the referee.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeAlias

from kriegbot.players.base import Choice, PlayerKind, PlayerLeft
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

Answer: TypeAlias = Callable[[View], Sequence[str]]
"""Answers a command with lines; it may raise PlayerLeft."""
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
        """Asks until the person has named a try, asked "Any?", resigned or left.

        Raises:
          PlayerLeft: by `quit`, by the end of input, by Ctrl-C, or by a command of `more`.
        """
        begun = time.perf_counter()
        self._console.show(view)
        while True:
            try:
                line = self._console.read(view).strip()
            except EOFError:
                raise PlayerLeft("end of input") from None
            except KeyboardInterrupt:
                raise PlayerLeft("interrupted") from None
            command = line.lower()
            match command if command in self._more else ALIASES.get(command, command):
                case "":
                    continue
                case "help":
                    given = {name: what for name, what in COMMANDS.items() if name not in HELP or name in self._more}
                    self._console.say(_help(given | ASKING if view.may_ask else given))
                case asked if asked in self._more:
                    self._console.say(self._more[asked](view))
                case "tries":
                    self._console.say(_columns([try_name(move, view) for move in view.tries()]))
                case "board":
                    self._console.show(view)
                case "resign":
                    return Choice(Resign(), Report(seconds=time.perf_counter() - begun))
                case "quit":
                    raise PlayerLeft("the person left")
                case _:
                    try:
                        action = read_action(line, view)
                    except BadTry as error:
                        self._console.say([str(error)])
                    else:
                        return Choice(action, Report(seconds=time.perf_counter() - begun))


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
