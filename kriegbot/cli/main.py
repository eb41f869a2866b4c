"""`kriegbot`: all commands, and how it refuses: one line on stderr, exit code 2, no traceback."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from kriegbot.cli.check_player import check_player
from kriegbot.cli.completion import COMPLETE, complete, completion
from kriegbot.cli.convert import convert
from kriegbot.cli.export import export
from kriegbot.cli.match import match
from kriegbot.cli.merge import merge
from kriegbot.cli.online import online
from kriegbot.cli.play import play
from kriegbot.cli.players import players
from kriegbot.cli.replay import replay
from kriegbot.cli.report import report
from kriegbot.cli.reproduce import reproduce
from kriegbot.cli.resume import resume
from kriegbot.cli.rules import rules
from kriegbot.cli.tournament import tournament
from kriegbot.cli.trees import trees
from kriegbot.request import Refused

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for a bad command line; it has no public name for it."""

FIRST = """\
Kriegspiel: chess where neither side sees the other's men.

  kriegbot play                   against the best, here
  kriegbot play --level beginner  against a weaker one
  kriegbot play --web             in a browser
  kriegbot replay FILE            a saved game, step by step
  kriegbot --help                 all commands"""
"""What is said if no command is given."""

app = typer.Typer(
    help="Kriegspiel: chess in which neither side sees the other's men.",
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"kriegbot {version('kriegbot')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Kriegspiel: chess in which neither side sees the other's men."""
    if context.invoked_subcommand is None:
        print(FIRST)


COMMANDS = (
    play,
    resume,
    match,
    replay,
    convert,
    tournament,
    report,
    export,
    merge,
    reproduce,
    players,
    check_player,
    rules,
    completion,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(trees, name="trees")
app.add_typer(online, name="online")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # file names need not be UTF-8
    if COMPLETE in os.environ:
        complete()
    try:
        code = app(arguments, standalone_mode=False, prog_name="kriegbot")
        sys.stdout.flush()
    except (Refused, UsageError) as error:
        print(f"kriegbot: {_one_line(error)}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        print("kriegbot: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        from kriegbot.game.children import CannotStart

        if isinstance(error, BrokenPipeError):  # the reader has seen enough: kriegbot match rand rand | head
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        if not isinstance(error, CannotStart):
            raise
        print(f"kriegbot: {_one_line(Refused(f'{error}.'))}", file=sys.stderr)
        return 2
    return code if isinstance(code, int) else 0


def _one_line(error: Exception) -> str:
    """The message of a refusal; where the command line itself is at fault, it points to --help."""
    from referee.text import did_you_mean, one_line, quoted

    if isinstance(error, Refused):
        return one_line(str(error))
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
