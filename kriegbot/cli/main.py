"""All commands. Bad input is refused in one line on stderr with exit code 2, never with a traceback.

The module of a command is imported when the command runs, so that `kriegbot --help` answers at once.
"""

import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

import typer
import typer.main
from typer.completion import completion_init  # type: ignore[attr-defined] # documented by its options alone
from typer.core import TyperGroup

COMMANDS = {
    "learn": ("learn", "Learn Kriegspiel in a guided first game, by puzzles, or by mating a hidden king."),
    "play": ("play", "Play a game of Kriegspiel against a program."),
    "resume": ("play", "Continue a saved game that you left."),
    "results": ("programs", "Show your results against each level, your rating and your winning streaks."),
    "match": ("programs", "Play one game between two programs and show what each side saw."),
    "replay": ("games", "Show a saved game: with arrow keys on a terminal, else as text; with --web in a browser."),
    "render": ("games", "Make an animated picture of a saved game as its sides saw it: gif, webp or svg."),
    "convert": ("games", "Convert games to another format, and list on standard error what it cannot hold."),
    "tournament": ("tournament", "Play many games between programs and report on them."),
    "report": ("tournament", "Report on a tournament: results with intervals, how games ended, how long players took."),
    "export": ("tournament", "Write the games of a tournament as PGN, CSV or lines of JSON."),
    "merge": ("tournament", "Put the games of several files of one tournament into one file."),
    "reproduce": ("reproduce", "Reproduce the paper's experiment and print our results beside the paper's."),
    "players": ("programs", "List players and their options, evaluators, opponent models, backup rules and rule sets."),
    "check-player": ("programs", "Check that a player plays under every rule set, from unusual positions and in time."),
    "rules": ("programs", "List the rule sets, and the announcements that the referee makes under each."),
    "completion": ("programs", "Print a script that completes commands, options, players and rule sets in a shell."),
    "trees": ("trees", "Solve explicit game trees and measure pruning on random ones."),
    "online": ("online", "Play on kriegspiel.org as a bot."),
}
"""For each command its module, which has a function or group of that name, and the first sentence of its help."""

COMPLETE = "_KRIEGBOT_COMPLETE"  # set by a shell that completes a command

FIRST = """\
Kriegspiel: chess with the opponent's pieces hidden.

  kriegbot learn                learn it in five minutes
  kriegbot play                 against a program
  kriegbot play --level best    against the strongest
  kriegbot play --web           in a browser
  kriegbot replay FILE          a saved game, step by step
  kriegbot --help               all commands"""
"""The answer to `kriegbot` alone."""


class Commands(TyperGroup):
    """A group that imports a command's module when the command runs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find a command as click does, and import it."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else _loaded(name), rest


def _loaded(name: str) -> Any:
    module, _ = COMMANDS[name]
    command = getattr(import_module(f"kriegbot.cli.{module}"), name.replace("-", "_"))
    if isinstance(command, typer.Typer):
        return typer.main.get_command(command)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name)(command)
    return typer.main.get_command(single)


app = typer.Typer(
    cls=Commands,
    help="Kriegspiel: chess in which neither side sees the other's pieces.",
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"kriegbot {version('kriegbot')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    _version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    """Kriegspiel: chess in which neither side sees the other's pieces."""
    if context.invoked_subcommand is None:
        print(FIRST)


for _name, (_, _sentence) in COMMANDS.items():
    app.command(_name, help=_sentence)(lambda: None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # file names need not be UTF-8
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")  # nor what is typed
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else the first process of a container would ignore it
    if COMPLETE in os.environ:
        completion_init()
    try:
        code = app(arguments, standalone_mode=False, prog_name="kriegbot")
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        print("kriegbot: interrupted", file=sys.stderr)
        return 130
    except (BrokenPipeError, SystemExit) as error:  # the reader has seen enough: kriegbot match rand rand | head
        if not isinstance(error.__context__ or error, BrokenPipeError):  # click and rich exit with code 1 for it
            raise
        _drop_output()
        return 0
    except Exception as error:
        from kriegbot.cli.common import is_of_machine, refusal  # only now: `--help` must not wait for it

        line = refusal(error)
        if line is None:
            raise
        print(f"kriegbot: {line}", file=sys.stderr)
        if isinstance(error, OSError):
            _drop_output()
        return 1 if is_of_machine(error) else 2
    return code if isinstance(code, int) else 0


def _drop_output() -> None:
    """Discard buffered output if standard output cannot be written, so that Python does not fail at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
