"""What commands share: options and how they are read, how a game is saved, how a command refuses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from kriegbot.cli.progress import preparing
from kriegbot.game import sandbox as bubblewrap
from kriegbot.game.children import CannotStart
from kriegbot.game.match import GameResult
from kriegbot.game.seat import Failure
from kriegbot.game.trial import find_rules, try_out
from kriegbot.players.specs import BadSpec, PlayerSpec, players
from kriegbot.request import Refused, refusing, seconds_of
from referee import RULE_SETS, GameRecord, RuleSet, record_to_pgn
from referee.files import whole
from referee.text import did_you_mean, one_line, quoted

Complete: TypeAlias = Callable[[], list[str]]  # names that complete what was begun
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for a bad command line; it has no public name for it."""


def option(metavar: str, help_: str, *names: str, complete: Complete | None = None) -> Any:
    """An option that takes a text; by default its name is the parameter's."""
    return typer.Option(*names, metavar=metavar, help=help_, autocompletion=complete)


def group(help_: str) -> typer.Typer:
    """A command that has commands of its own."""
    names = {"help_option_names": ["-h", "--help"]}
    return typer.Typer(add_completion=False, help=help_, context_settings=names, rich_markup_mode=None)


def argument(metavar: str, help_: str, complete: Complete | None = None) -> Any:
    """An argument of a command."""
    return typer.Argument(metavar=metavar, help=help_, autocompletion=complete)


Rules: TypeAlias = Annotated[
    str, option("NAME", "Rule set; see `kriegbot rules`; or FILE.py:NAME.", complete=lambda: list(RULE_SETS))
]
DrawnBy: TypeAlias = Annotated[
    str, option("LIMITS", "When to call a draw: paper, none, or such as plies=160,quiet=50.")
]
Patience: TypeAlias = Annotated[
    str | None,
    option("SECONDS", "How long one answer may take.  [default: 300; with a time budget, twice that and 10]"),
]
Sandbox: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--sandbox/--no-sandbox",
        help="Keep players from outside from network, files and processes.  [default: where bubblewrap works]",
        show_default=False,
    ),
]
ShowBelief: TypeAlias = Annotated[
    bool, typer.Option("--show-belief", help="Show where the opponent's men may be, from what you know yourself.")
]
Port: TypeAlias = Annotated[str | None, option("N", "With --web: the port.  [default: any free one]")]
NoBrowser: TypeAlias = Annotated[bool, typer.Option("--no-browser", help="With --web: only print the address.")]


def programs() -> list[str]:
    """The players that are programs, to complete a name."""
    return [name for name, kind in players().items() if kind.make is not None]


def patience_of(text: str | None) -> float | None:
    """How long one answer may take; None for what is usual for the player."""
    return None if text is None else seconds_of(text, "patience")


def sandbox_of(wanted: bool | None) -> bool:
    """Whether players from outside are kept in a sandbox where there is one."""
    if wanted and bubblewrap.why_unavailable():
        raise Refused(f"--sandbox cannot be had: {bubblewrap.why_unavailable()}.")
    return wanted is not False


def rules_from(text: str, *, sandbox: bool = True) -> RuleSet:
    """A rule set by its name, also one from outside."""
    with refusing(BadSpec):
        return find_rules(text, sandbox=sandbox)


def check_players(specs: Iterable[PlayerSpec], rules: RuleSet) -> None:
    """Raises Refused if a player cannot play for what it has from outside; what is ours takes no time."""
    with refusing(BadSpec), preparing() as report:
        for spec in dict.fromkeys(specs):
            try_out(spec, rules, report)


def check_begun(played: GameResult) -> None:
    """Raises Refused if a player from outside would not take its spec."""
    if played.failed is not None and played.failed.failure is Failure.REFUSED:
        raise Refused(played.failed.detail)


def save_game(record: GameRecord, path: Path, *, is_same: bool = False) -> str:
    """Saves a game; a file that was there is kept under another name. Returns a line that says so.

    A file that holds the same game up to an earlier move (`is_same`) need not be kept. If the file can no longer be
    written, the game is printed, so that it is not lost, and Refused is raised.
    """
    kept = ""
    try:
        with whole(path) as file:
            file.write(record_to_pgn(record).encode())
            file.flush()
            os.fsync(file.fileno())  # so that nothing is moved away for a game that has no room
            if not is_same and path.exists() and path.stat().st_size:
                older = path.with_name(path.name + "~")
                path.replace(older)
                kept = f" (what was there is now {older})"
    except OSError as error:
        print(record_to_pgn(record))
        raise Refused(f"cannot save to '{path}': {error.strerror or error}; the game is printed.") from None
    return f"Saved to {path}{kept}."


def free_name(folder: Path = Path()) -> Path:
    """An unused file name in a folder, by default the current one."""
    stem = f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}"
    path, number = folder / f"{stem}.pgn", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.pgn"
    return path


def refusal(error: Exception) -> str | None:
    """The line that refuses a command; None if the error is no refusal."""
    if isinstance(error, Refused):
        return one_line(str(error))
    if isinstance(error, CannotStart):
        return one_line(f"{error}.")
    if isinstance(error, OSError):  # standard output on a full disk, say
        where = "" if error.filename is None else f" {quoted(str(error.filename))}"
        return f"cannot read or write{where}: {error.strerror or one_line(str(error))}."
    return _misuse(error) if isinstance(error, UsageError) else None


def _misuse(error: Exception) -> str:
    """What is wrong with a command line; it points to --help."""
    message = one_line(getattr(error, "format_message", error.__str__)(), 200).rstrip(".")
    near = getattr(error, "possibilities", None)
    context = getattr(error, "ctx", None)
    unknown = re.match("No such command '(.*?)(?:'|$)", message)
    if near:
        message = f"no such option: {error.option_name}; did you mean {' or '.join(near)}?"  # type: ignore[attr-defined]
    elif unknown is not None:
        known = list(context.command.commands) if context is not None else []
        hint = did_you_mean(unknown[1], known)
        return f"unknown command {quoted(unknown[1])}{hint} Known: {', '.join(known)}."
    command = context.command_path if context is not None else "kriegbot"
    ending = "" if message.endswith("?") else "."
    return f"{message[:1].lower()}{message[1:]}{ending} See {command} --help."
