"""`kriegbot play` and `resume`: a person against a program, at the terminal or on the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from kriegbot import request
from kriegbot.cli import common
from kriegbot.cli.common import argument, option
from kriegbot.cli.person import PersonGame
from kriegbot.players.kriegbot import BEST, LEVELS
from kriegbot.players.specs import BadSpec
from referee import GameRecord, RecordError, load_record

ON_PAGE = ("opponent", "level", "color", "rules", "time", "seed", "show_belief")
"""Options for what is chosen on the page, if there is one."""
FOR_PAGE = ("port", "host", "no_browser")  # options of the page
USUAL = "casual"  # the level of the opponent if none is chosen, as on the page
MOST_TAGS = 8 * 1024  # bytes of a file that are looked at to see whether its game was broken off


def play(
    context: typer.Context,
    opponent: Annotated[
        str | None, option("SPEC", "Your opponent, another program; see `kriegbot players`.", complete=common.programs)
    ] = None,
    level: Annotated[
        str | None,
        option(
            "NAME",
            f"How well it plays: {', '.join(LEVELS)} or {BEST}.  [default: {USUAL}]",
            complete=lambda: [*LEVELS, BEST],
        ),
    ] = None,
    color: Annotated[
        str, option("COLOR", "Your side: white, black or random.", complete=lambda: list(request.COLORS))
    ] = "white",
    rules: common.Rules = "berkeley",
    time: Annotated[
        str | None, option("SECONDS", "The opponent's time to think; without --opponent, the best one's.")
    ] = None,
    seed: Annotated[str | None, option("N", "Seed of the opponent.  [default: a fresh one]")] = None,
    save: Annotated[
        str | None, option("FILE", "Save the game as PGN, even if it is abandoned; with --web, a folder.")
    ] = None,
    show_belief: common.ShowBelief = False,
    web: Annotated[
        bool, typer.Option("--web", help="Play on a local page, in a browser; choose the game there.")
    ] = False,
    port: common.Port = None,
    host: Annotated[
        str | None, option("ADDRESS", "With --web: where to listen.  [default: 127.0.0.1, this machine alone]")
    ] = None,
    no_browser: common.NoBrowser = False,
    sandbox: common.Sandbox = None,
) -> None:
    """Play a game of Kriegspiel against a program.

    Write a try as e4, Nf3, exd5, O-O, e8=Q or e2e4. The commands are help, tries, board, hint, back (takes your last
    move back), resign and quit.

    If stdin or stdout is not a terminal, everything is plain text, for scripts: after each line "White to try:" (or
    "Black to try:") write one line, a try or a command. What was tried and heard comes back as lines that begin with
    the move number. The end of input abandons the game.

    A game that is broken off at a terminal is saved; `kriegbot resume` goes on with it.

    With --web games are played on a local page, and all are saved.
    """
    for name in ON_PAGE if web else FOR_PAGE:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            why = "is chosen on the page; leave it out" if web else "goes with --web; add that"
            raise request.Refused(f"--{name.replace('_', '-')} {why}.")
    is_sandboxed = common.sandbox_of(sandbox)
    if web:
        open_page(port, save, host or "127.0.0.1", has_browser=not no_browser, sandbox=is_sandboxed)
        return
    if level is not None and opponent is not None:
        raise request.Refused("--level is a level of the player kriegbot; leave --opponent out, or --level.")
    if opponent is None:
        opponent = "kriegbot" if level is None and time is not None else f"kriegbot:level={level or USUAL}"
    spec = request.program_of(opponent, sandbox=is_sandboxed)
    if time is not None:
        with request.refusing(BadSpec):
            spec = spec.having("time", time)
    number = request.seed_of(seed)
    side = request.color_of(color, number)
    rule_set = common.rules_from(rules, sandbox=is_sandboxed)
    path = None if save is None else request.path_of(save)
    game = PersonGame(spec, side, rule_set, number, is_seed_given=seed is not None)
    game.play(path, show_belief=show_belief)


def open_page(
    port: str | None,
    folder: str | None = None,
    host: str = "127.0.0.1",
    *,
    has_browser: bool,
    saved: tuple[GameRecord, str] | None = None,
    sandbox: bool = True,
) -> None:
    """Serves the page until Ctrl-C, at first with a saved game and its file, if given; the one way to it from here."""
    number = 0 if port is None else request.whole_of(port, "port", 1, 65535)
    path = request.games_folder(folder)
    from kriegbot.web.server import serve  # only now, since a game at the terminal needs no server

    serve(path, host, number, has_browser=has_browser, saved=saved, sandbox=sandbox)


def resume(
    file: Annotated[str | None, argument("[FILE]", "The saved game.  [default: the last one broken off]")] = None,
    show_belief: common.ShowBelief = False,
    sandbox: common.Sandbox = None,
) -> None:
    """Play on a game that was broken off, at the terminal or on the page.

    The opponent sits down anew, and learns what has happened from its own view. What you do not know stays hidden. The
    game is saved in the same file.
    """
    path = _last() if file is None else Path(file)
    record = _record_of(path)
    why_not = _why_not(record)
    if why_not:
        raise request.Refused(f"'{path}' cannot be played on here: {why_not}.")
    request.path_of(str(path))
    program, (side,) = request.program_in(record, sandbox=common.sandbox_of(sandbox))
    assert program is not None  # for mypy: `_why_not` has seen one person alone
    seed = record.headers.get("Seed", "")
    number = request.seed_of(seed if seed.isdigit() else None)
    PersonGame(program, side, record.rules, number, begun=record).play(path, show_belief=show_belief)


def _record_of(path: Path) -> GameRecord:
    with request.refusing(RecordError):
        return load_record(path)


def _why_not(record: GameRecord) -> str:
    """Why a person at a terminal cannot play a game on; empty if that is possible."""
    if not request.is_resumable(record):
        return "it takes a game of a person's against an installed player that was broken off"
    if all(record.headers[color] == request.PERSON for color in ("White", "Black")):
        return "it is a game between two people; `kriegbot play --web` goes on with it"
    if "TimeControl" in record.headers:
        return "it has a clock; `kriegbot play --web` goes on with it"
    return ""


def _last() -> Path:
    """The last game that was broken off among the saved ones."""
    folder = request.games_folder()
    for path in sorted(folder.glob("*.pgn"), key=os.path.getmtime, reverse=True):
        try:
            with path.open("rb") as handle:
                tags = handle.read(MOST_TAGS).decode(errors="replace")
            if any(f'[Termination "{how}"]' in tags for how in request.BROKEN_OFF) and not _why_not(_record_of(path)):
                return path
        except (OSError, request.Refused):
            continue
    raise request.Refused(f"no game in '{folder}' was broken off; it takes the file of one.")
