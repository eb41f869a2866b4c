"""`kriegbot play` and `resume`: a person against a program, at the terminal or on the page."""

import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import chess
import typer

from kriegbot import request
from kriegbot.belief.timeline import BeliefTimeline
from kriegbot.children import HUNG_UP, signal_handlers
from kriegbot.cli import common
from kriegbot.cli.common import argument, flag, option
from kriegbot.cli.console import PlainConsole, TerminalConsole
from kriegbot.cli.screen import Heat, drawing_console, is_terminal
from kriegbot.game.match import GameResult, play_game, without_last_turn
from kriegbot.game.process import ProcessSeat, find_rules
from kriegbot.game.sandbox import can_read
from kriegbot.game.seat import HereSeat
from kriegbot.kernels import prepare_first
from kriegbot.narration.diary import Diary, meaning
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, Help, hint, percent
from kriegbot.narration.names import YOU, called
from kriegbot.narration.results import Results
from kriegbot.players.base import Leave
from kriegbot.players.human import Answer, HumanPlayer
from kriegbot.players.kriegbot import BEST, LEVELS
from kriegbot.players.specs import PlayerSpec, programs
from kriegbot.request import PERSON, Refused, games_folder, is_played, is_resumable, path_of, playing, saved_games
from referee import GameRecord, Reason, RecordError, Resign, RuleSet, View, load_record
from referee.text import unless_held

Console: TypeAlias = PlainConsole | TerminalConsole

ON_PAGE = ("opponent", "level", "color", "rules", "time", "seed", "show_belief")
"""Options of `play` that --web excludes: the person chooses on the page."""
FOR_PAGE = ("port", "host", "no_browser")  # options of `play` that need --web
DEFAULT_LEVEL = "casual"  # on the page, too
HELP_NOTE = "The saved game will note that you had help."
TAKEN_BACK = "a move was taken back"  # the reason for which a person leaves a game that restarts one turn earlier


def play(
    context: typer.Context,
    opponent: str | None = option("SPEC", "Another opponent; see `kriegbot players`.", autocompletion=programs),
    level: str | None = option(
        "NAME",
        f"Strength of your opponent: {', '.join(LEVELS)} or {BEST}.  [default: {DEFAULT_LEVEL}]",
        **common.one_of("level", (*LEVELS, BEST)),
    ),
    color: str = option(
        "COLOR", "Your side: white, black or random.", autocompletion=lambda: list(request.COLORS), default="white"
    ),
    rules: str = common.RULES,
    time: str | None = option("SECONDS", "The opponent's time, per turn or try; without --opponent, for level best."),
    seed: int | None = common.SEED,
    save: str | None = option("FILE", "Save the game as PGN, even an abandoned one; with --web, the folder of games."),
    show_belief: bool = common.SHOW_BELIEF,
    web: bool = flag("Play in a browser; choose the game there.", "--web"),
    port: int | None = common.PORT,
    host: str = option(
        "ADDRESS", "With --web: where to listen; by default for this machine alone.", default="127.0.0.1"
    ),
    no_browser: bool = common.NO_BROWSER,
    sandbox: bool | None = common.SANDBOX,
) -> None:
    """Play a game of Kriegspiel against a program.

    Type a try as e4, Nf3, exd5, O-O, e8=Q or e2e4. Commands are help, tries, board, hint, back (takes your last
    move back), resign, quit. If you quit at a terminal after a move, a game against an installed program is
    saved; `kriegbot resume` continues it.

    If stdin or stdout is not a terminal, everything is plain text, for scripts: after each line "White to try:" (or
    "Black to try:") write one line, a try or a command. Tries and announcements are lines that begin with the move
    number. The end of input abandons the game.
    """
    for name in ON_PAGE if web else FOR_PAGE:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            reason = "is chosen on the page; leave it out" if web else "goes with --web; add that"
            raise Refused(f"--{name.replace('_', '-')} {reason}.")
    is_sandboxed = common.sandbox_of(sandbox, opponent or "")
    if web:
        open_page(port, save, host, has_browser=not no_browser, sandbox=sandbox)
        return
    if level is not None and opponent is not None:
        raise Refused("--level is a level of the player kriegbot; leave out --opponent or --level.")
    if opponent is None:
        is_best = time is not None and level in (None, BEST)
        opponent = "kriegbot" if is_best else f"kriegbot:level={level or DEFAULT_LEVEL}"
    spec = request.program_of(opponent, sandbox=is_sandboxed)
    if time is not None:
        spec = spec.with_option("time", time)
    number = request.seed_of(seed)
    rule_set = find_rules(rules, sandbox=is_sandboxed)
    game = ConsoleGame(spec, request.color_of(color, number), rule_set, number, is_seed_given=seed is not None)
    game.play(None if save is None else path_of(save), show_belief=show_belief)


def open_page(
    port: int | None,
    folder: str | None = None,
    host: str = "127.0.0.1",
    *,
    has_browser: bool,
    saved: tuple[GameRecord, str] | None = None,
    sandbox: bool | None = None,
) -> None:
    """Serve the page until Ctrl-C; begin with a saved game and its file, if given."""
    from kriegbot.web.server import serve  # only now: a game at the terminal needs no server

    serve(games_folder(folder), host or "127.0.0.1", port or 0, has_browser=has_browser, saved=saved, sandbox=sandbox)


def resume(
    file: Path | None = argument("[FILE]", "The saved game.  [default: the latest unfinished one]", default=None),
    show_belief: bool = common.SHOW_BELIEF,
    sandbox: bool | None = common.SANDBOX,
) -> None:
    """Continue a saved game that you left.

    The program rebuilds its belief from its own view, and you see only what you knew. The game is saved in the same
    file.
    """
    path = file or _last()
    record = load_record(path)
    if obstacle := _obstacle(record):
        raise Refused(f"'{path}' cannot be continued here: {obstacle}.")
    path_of(str(path))
    is_sandboxed = common.sandbox_of(sandbox, record.headers["White"], record.headers["Black"])
    program, (side,) = request.program_in(record, sandbox=is_sandboxed)
    assert program is not None  # for mypy: `_obstacle` made sure that there is one person
    seed = record.headers.get("Seed", "")
    number = request.seed_of(seed if seed.isdigit() else None)
    ConsoleGame(program, side, record.rules, number, begun=record).play(path, show_belief=show_belief)


def _obstacle(record: GameRecord) -> str:
    """Return why a person at a terminal cannot continue a game; empty if it is possible."""
    if not is_resumable(record):
        return "it takes an unfinished game between a person and an installed program"
    if all(record.headers[color] == PERSON for color in ("White", "Black")):
        return "two people played it; continue it with `kriegbot play --web`"
    if "TimeControl" in record.headers:
        return "it has a clock; continue it with `kriegbot play --web`"
    return ""


def _last() -> Path:
    folder = games_folder()
    games, passed_over = saved_games(folder)
    for line in passed_over:
        print(f"Passed over: {line}", file=sys.stderr)
    for _, path, tags in games:
        is_unfinished = any(f'[Termination "{value}"]' in tags for value in request.BROKEN_OFF)
        try:
            if is_unfinished and not is_played(path) and not _obstacle(load_record(path)):
                return path
        except (OSError, RecordError) as error:
            print(f"Passed over: {error}.", file=sys.stderr)
    raise Refused(f"there is no unfinished game in '{folder}'; give the file of one.")


@dataclass(frozen=True, slots=True)
class ConsoleGame:
    """A person's game against a program at a terminal or a pipe."""

    opponent: PlayerSpec
    side: chess.Color
    rules: RuleSet
    seed: int
    is_seed_given: bool = False  # the program's moves follow from the seed, so a fresh one is printed after the game
    begun: GameRecord | None = None  # the game to be continued

    def play(self, path: Path | None, *, show_belief: bool) -> None:
        """Play the game, and save it; a continued game replaces the beginning in its file.

        Without a path, ask the person for one; an unfinished game at a terminal goes to the saved games. Raise Refused
        if the game cannot begin or be saved, and typer.Exit after an interrupt or a failure of the program.
        """
        with _one_interrupt():
            common.check_players([self.opponent], self.rules)
            names = {self.side: YOU, (not self.side): called(str(self.opponent))}
            heat, terminal = _heat() if show_belief else None, drawing_console()
            console = PlainConsole(names, heat) if terminal is None else TerminalConsole(names, heat, terminal)
            file = common.GameFile(path, is_ours=self.begun is not None) if path is not None else _draft()
            with nullcontext() if file is None else playing(file.path):
                result = self._play(console, file)
                result.check_begun()
                self._finish(console, result, file, is_draft=path is None)

    def _play(self, console: Console, file: common.GameFile | None) -> GameResult:
        help_, begun = Help.of(self.begun), self.begun
        help_.has_chosen_seed |= self.is_seed_given
        # a game in progress has both sides' moves, which its program must not read
        is_readable = file is not None and self.opponent.is_outside and can_read(self.opponent, file.path)

        def headed(record: GameRecord) -> GameRecord:
            return replace(record, headers={**record.headers, **help_.header()})

        def keep(record: GameRecord) -> None:
            if file is not None and not is_readable and record.turns and not record.left:  # after a move
                file.keep(headed(record))

        person = HereSeat(PERSON, lambda _seed: HumanPlayer(console, _commands(console, help_)), on_wait=console.wait)
        program = ProcessSeat(self.opponent, report=console.preparing, begins_late=True, for_person=True)
        seats = (person, program) if self.side else (program, person)
        try:
            console.greet(self.rules, self.seed if self.is_seed_given else None)
            while True:
                event = "kriegbot play"
                result = play_game(*seats, rules=self.rules, seed=self.seed, event=event, begun=begun, keep=keep)
                if result.record.end is None or result.record.end.detail != TAKEN_BACK:
                    break
                begun = without_last_turn(result.record)
                help_.taken_back += 1
                console.begin_again()
        finally:
            program.close()
            console.close()
        return replace(result, record=headed(result.record))

    def _finish(self, console: Console, result: GameResult, file: common.GameFile | None, *, is_draft: bool) -> None:
        """Show the end, and save the game. If the person can continue it, show nothing that it did not know."""
        record, end = result.record, result.record.end
        is_broken_off = result.interrupted or (end is not None and end.reason is Reason.ABANDONED)
        is_saved = file is not None and (not is_draft or bool(record.turns))
        can_continue = is_broken_off and is_saved and is_resumable(record)
        referee = record.referee()
        console.finish(record, referee.view(self.side), None if can_continue else referee.board())
        if is_terminal() and result.failed is None:
            try:
                if standing := Results().count(record, self.side):
                    print(standing, flush=True)
            except OSError as error:
                print(f"The result cannot be saved: {error.strerror or error}.", file=sys.stderr)
        program = result.statistics(not self.side)
        if program.failure:
            common.show_log(program)
        if is_draft and file is not None and not can_continue:
            with suppress(OSError):
                unless_held(file.path.unlink)
            chosen = _ask_path(common.free_name()) if record.turns or not is_broken_off else None
            file = None if chosen is None else common.GameFile(chosen)
        if file is not None:
            print(file.save(record), flush=True)
        elif is_broken_off:
            print("Not saved; --save FILE also saves an abandoned game.", flush=True)
        if can_continue and file is not None:
            name = "" if is_draft else f" {shlex.quote(str(file.path))}"
            print(f"To continue: kriegbot resume{name}", flush=True)
        if result.interrupted or (end is not None and end.detail == "interrupted"):
            raise typer.Exit(130)
        if result.failed is not None:
            raise typer.Exit(1)


def _commands(console: Console, help_: Help) -> Mapping[str, Answer]:
    """Return the commands that give help or end the game; `help_` counts hints."""
    timeline = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES)
    resigning: View | None = None  # the view at which the person was asked

    def give_hint(view: View) -> Sequence[str]:
        console.busy("Looking for good tries ...")
        prepare_first(console.preparing)
        belief = timeline.at(view)
        assert belief is not None  # for mypy: this timeline has no time limit
        best = hint(belief)
        help_.hints += 1
        tries = [
            f"{one['name']}  {one['shown']}" + f", legal in {percent(one['legal'])}" * (one["legal"] < 1)
            for one in best["tries"]
        ]
        tries += [f"Ask first: {one['name']}, legal in {percent(one['legal'])}" for one in best["ask"]]
        return [best["text"], *tries, HELP_NOTE]

    def back(view: View) -> Sequence[str] | Leave:
        return ["You have no move to take back."] if view.ply < 2 else Leave(TAKEN_BACK)

    def resign(view: View) -> Sequence[str] | Resign:
        nonlocal resigning
        if view == resigning or not is_terminal():
            return Resign()
        resigning = view
        return ["Resign this game?", "Type resign again.", "Any try plays on."]

    no_draw = ["Programs do not agree to draws. You can resign."]
    return {"?": _explain, "hint": give_hint, "back": back, "draw": lambda _view: no_draw, "resign": resign}


def _explain(view: View) -> Sequence[str]:
    diary = Diary(for_person=True)
    diary.take(view)
    lines = [line for entry in diary.latest() for line in (entry.text, *(f"  {one}" for one in meaning(entry.means)))]
    return lines or ["The referee has announced nothing yet."]


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Let only the first Ctrl-C, SIGTERM or closing of the terminal interrupt: later ones do not prevent saving."""
    left = [KeyboardInterrupt()]

    def interrupt(*_: object) -> None:
        if left:
            raise left.pop()

    with signal_handlers(dict.fromkeys((signal.SIGINT, signal.SIGTERM, *HUNG_UP), interrupt)):
        yield


def _heat() -> Heat:
    """Return the chances that a belief gives, which sees the person's own views alone."""
    common.compile_kernels()
    timeline = BeliefTimeline()

    def chances(view: View) -> tuple[list[float], str]:
        belief = timeline.at(view)
        assert belief is not None  # for mypy: this timeline has no time limit
        return belief.chances.sum(axis=0).tolist() if belief.boards else [], belief.basis

    return chances


def _draft() -> common.GameFile | None:
    """Return a file among the saved games for a game at a terminal; None elsewhere, or if none can be written."""
    with suppress(Refused):
        return common.GameFile(common.free_name(games_folder())) if is_terminal() else None
    return None


def _ask_path(name: Path) -> Path | None:
    while True:
        try:
            answer = input(f"Save as {name}? [Y, n, or another name] ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if answer.lower() in ("n", "no"):
            return None
        try:
            return path_of(str(name) if answer.lower() in ("", "y", "yes") else answer)
        except Refused as error:
            print(error)
