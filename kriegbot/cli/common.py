"""Options, refusals, saved games and progress on stderr, for all commands."""

import errno
import os
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from kriegbot.children import CannotStart
from kriegbot.game import sandbox as bubblewrap
from kriegbot.game.match import PlayerStatistics
from kriegbot.game.process import try_out
from kriegbot.players import specs
from kriegbot.request import Refused, check_sandbox, seed_of, whole_of
from referee import RULE_SETS, GameRecord, RecordError, RuleSet, record_to_pgn
from referee.text import PRIVATE, atomic_file, did_you_mean, one_line, quoted, unknown, unless_held

T = TypeVar("T")

SHORT = (errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.EIO)
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # of a bad command line; it has no public name


def option(metavar: str, help_: str, *names: str, default: Any = None, **rest: Any) -> Any:
    """Declare an option; `...` makes it required. A `parser` raises Refused, and also accepts the default."""
    return typer.Option(default, *names, metavar=metavar, help=help_, **rest)


def argument(metavar: str, help_: str, default: Any = ..., **rest: Any) -> Any:
    """Declare an argument, as `option` declares an option."""
    return typer.Argument(default, metavar=metavar, help=help_, **rest)


def flag(help_: str, *names: str) -> Any:
    """Declare an option without a value."""
    return typer.Option(False, *names, help=help_)


def whole_number(what: str, low: int, high: int) -> Callable[[Any], int]:
    """Return a parser of whole numbers within bounds; refusals call the number `what`."""
    return lambda text: whole_of(text, what, low, high)


def seconds(what: str, low: float, high: float, *words: str) -> Callable[[Any], float | None]:
    """Return a parser of seconds within bounds, or of a word for none; refusals call them `what`."""

    def parse(text: str | float) -> float | None:
        with suppress(ValueError):
            if text in words or low <= float(text) <= high:
                return None if text in words else float(text)
        allowed = ", or ".join([*words, f"{low:g}..{high:.0f}"])
        raise Refused(f"illegal {what} {quoted(str(text))}: it takes {allowed} seconds")

    return parse


def one_of(what: str, names: Collection[str]) -> dict[str, Any]:
    """Return parser and completion of an option that takes one of some names; refusals call it `what`."""

    def parse(name: str) -> str:
        if name not in names:
            raise Refused(unknown(what, name, names))
        return name

    return {"parser": parse, "autocompletion": lambda: list(names)}


def group(help_: str) -> typer.Typer:
    """Declare a command that has commands of its own."""
    names = {"help_option_names": ["-h", "--help"]}
    return typer.Typer(add_completion=False, help=help_, context_settings=names, rich_markup_mode=None)


RULES = option(
    "NAME", "A name in `kriegbot rules`, or FILE.py:NAME.", default="berkeley", autocompletion=lambda: list(RULE_SETS)
)
DRAW_LIMITS = option("LIMITS", "Draw limits: paper, none, or plies such as plies=160,quiet=50.", default="paper")
SEED = option("N", "Seed of the programs' random choices.  [default: a fresh one]", parser=seed_of)
JOBS = option("N", "Games at the same time.  [default: one per core]", parser=whole_number("number of jobs", 1, 1024))
PATIENCE = option(
    "SECONDS",
    "Time limit for one answer.  [default: 300; for a player with a time budget, twice that plus 10]",
    parser=seconds("patience", 0.001, 1e6),
)
JSON = flag("Print one JSON object.", "--json")
SANDBOX = typer.Option(
    None,
    "--sandbox/--no-sandbox",
    help="No network, few files for players that are not built in.  [default: if bubblewrap is installed]",
    show_default=False,
)
SHOW_BELIEF = flag("Show how likely the opponent has a piece on each square, by what you know.", "--show-belief")
PORT = option("N", "With --web: the port.  [default: the last, or any free one]", parser=whole_number("port", 1, 65535))
NO_BROWSER = flag("With --web: print the address, open no browser.", "--no-browser")


def sandbox_of(wanted: bool | None, *players: str) -> bool:
    """Return False if outside players shall run without a sandbox. Raise Refused if one is `wanted` in vain."""
    if wanted:
        check_sandbox(*players)
        if why := bubblewrap.why_unavailable():
            raise Refused(f"--sandbox is not available: {why}.")
    return wanted is not False


def check_players(players: Iterable[specs.PlayerSpec], rules: RuleSet) -> None:
    """Raise BadSpec if something from outside in a player does not work, as `try_out` does."""
    with preparing() as report:
        for spec in dict.fromkeys(players):
            try_out(spec, rules, report)


class GameFile:
    """The file of a game; unless it `is_ours`, an older file of that name that holds anything is renamed."""

    def __init__(self, path: Path, *, is_ours: bool = False) -> None:
        self.path, self._is_ours, self._note = path, is_ours, ""

    def keep(self, record: GameRecord) -> None:
        """Save a game in progress; `save` reports trouble at its end."""
        with suppress(OSError):
            self._write(record)

    def save(self, record: GameRecord) -> str:
        """Save a game and return a line about it; if that fails, print the game and raise Refused."""
        try:
            self._write(record)
        except OSError as error:
            print(record_to_pgn(record))
            raise Refused(f"cannot save to '{self.path}': {error.strerror or error}; the game is printed") from None
        return f"Saved to {self.path}{self._note}."

    def _write(self, record: GameRecord) -> None:
        path = Path(os.path.realpath(self.path))
        with atomic_file(path, PRIVATE) as file:
            file.write(record_to_pgn(record).encode())
            file.flush()
            os.fsync(file.fileno())  # before the older file moves: the disk may be full
            if not self._is_ours and path.exists() and path.stat().st_size:
                older = path.with_name(path.name + "~")
                unless_held(lambda: path.replace(older))
                self._note = f" (the older file is now {older})"
        self._is_ours = True


def show_log(player: PlayerStatistics) -> None:
    """Print what a player wrote, indented so that it cannot pose as ours, on stderr."""
    if player.log:
        print(f"--- {player.player} wrote:", textwrap.indent(player.log.rstrip(), "  | "), sep="\n", file=sys.stderr)


def free_name(folder: Path = Path()) -> Path:
    """Return an unused file name in a folder, by default the current one."""
    stem = f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}"
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(path for name in names if not (path := folder / f"{name}.pgn").exists())


def refusal(error: Exception) -> str | None:
    """Return the line that refuses a command; None if the error is no refusal."""
    if isinstance(error, Refused | specs.BadSpec | RecordError):
        return one_line(str(Refused(str(error))))
    if isinstance(error, CannotStart):
        return one_line(f"{error}.")
    if isinstance(error, MemoryError):
        return f"out of memory. {one_line(str(error))}".strip()
    if isinstance(error, OSError):  # a full disk under standard output, for example
        where = "" if error.filename is None else f" {quoted(str(error.filename))}"
        return f"cannot read or write{where}: {error.strerror or one_line(str(error))}."
    return _usage(error) if isinstance(error, UsageError) else None


def is_of_machine(error: Exception) -> bool:
    """Return True if an error, or what it was raised for, is a shortage of memory, disk, open files or processes."""
    errors = (error, error.__context__)
    return any(isinstance(each, CannotStart | MemoryError) or getattr(each, "errno", None) in SHORT for each in errors)


def _usage(error: Exception) -> str:
    message = one_line(getattr(error, "format_message", error.__str__)(), 200).rstrip(".")
    near = getattr(error, "possibilities", None)
    context = getattr(error, "ctx", None)
    unknown_name = re.match("No such command '(.*?)(?:'|$)", message)
    if near:
        message = f"no such option: {error.option_name}; did you mean {' or '.join(near)}?"  # type: ignore[attr-defined]
    elif unknown_name is not None:
        known = list(context.command.commands) if context is not None else []
        hint = did_you_mean(unknown_name[1], known)
        return f"unknown command {quoted(unknown_name[1])}{hint} Known: {', '.join(known)}."
    command = context.command_path if context is not None else "kriegbot"
    ending = "" if message.endswith("?") else "."
    return f"{message[:1].lower()}{message[1:]}{ending} See {command} --help."


@contextmanager
def preparing() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that reports compilation on stderr; on a terminal clear its line at the end."""
    console, is_announced = Console(stderr=True, highlight=False), False
    status = console.status("")

    def report(what: str, done: int, total: int) -> None:
        nonlocal is_announced
        if console.is_terminal:
            status.update(progress_text(what, done, total))
            (status.start if done < total else status.stop)()
        elif not is_announced:
            print("Preparing, once ...", file=sys.stderr, flush=True)
            is_announced = True

    try:
        yield report
    finally:
        status.stop()


def compile_kernels(*, is_first: bool = False) -> None:
    """Compile all kernels, or what the first belief needs, and show progress."""
    from kriegbot.kernels import prepare, prepare_first  # a match between simple players needs none

    with preparing() as report:
        (prepare_first if is_first else prepare)(report)


def progress_text(what: str, done: int, total: int) -> str:
    """Return the progress of compilation as a line."""
    return f"Preparing, once: {100 * done // max(total, 1)}% ({what})"


def patiently(what: str, items: Iterable[T], total: int | None = None) -> list[T]:
    """Return all items as a list, and show progress meanwhile."""
    console = Console(stderr=True, highlight=False)
    return list(track(items, what, total, console=console, transient=True, disable=not console.is_terminal))
