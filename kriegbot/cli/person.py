"""A person's game against a program, from the greeting to the file: `kriegbot play` and `kriegbot resume`."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import chess
import typer

from kriegbot.belief.timeline import BeliefTimeline
from kriegbot.cli.common import check_begun, check_players, free_name, save_game
from kriegbot.cli.plain import PlainConsole
from kriegbot.cli.progress import preparing
from kriegbot.cli.screen import Heat, drawing_console, is_terminal
from kriegbot.cli.terminal import TerminalConsole
from kriegbot.game.children import handling
from kriegbot.game.match import GameResult, play_game, without_last_turn
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat
from kriegbot.kernels import prepare
from kriegbot.narration.diary import Diary, meaning
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, Help, hint
from kriegbot.narration.names import YOU, called
from kriegbot.narration.results import Results
from kriegbot.players.base import PlayerLeft
from kriegbot.players.human import Answer, HumanPlayer
from kriegbot.players.specs import PlayerSpec
from kriegbot.request import PERSON, Refused, games_folder, is_resumable, path_of
from referee import GameRecord, Reason, RuleSet, View

RECORDED = "The game's record says that you had help."
TAKEN_BACK = "a move was taken back"  # why a person leaves a game that is played on from an earlier turn


@dataclass(frozen=True, slots=True)
class PersonGame:
    """What is agreed on before a game, which may be one that was broken off (`begun`).

    The person may know the seed. A program's moves follow from its seed, so a fresh one is told only after the end.
    """

    opponent: PlayerSpec
    side: chess.Color
    rules: RuleSet
    seed: int
    is_seed_given: bool = False
    begun: GameRecord | None = None

    def play(self, path: Path | None, *, show_belief: bool) -> None:
        """Plays the game, and saves it; what a game to be played on was read from is overwritten.

        Without a path it is saved where the person says, or, if it is broken off at a terminal, among the saved games.
        Raises Refused if it cannot begin or not be saved, and typer.Exit if it was interrupted.
        """
        with _one_interrupt():
            check_players([self.opponent], self.rules)
            names = {self.side: YOU, (not self.side): called(str(self.opponent))}
            console = _console(names, show_belief=show_belief)
            played = self._played(console)
            check_begun(played)
            self._finish(console, played, path)

    def _played(self, console: PlainConsole | TerminalConsole) -> GameResult:
        had, begun = Help.of(self.begun), self.begun
        person = HereSeat(PERSON, lambda _seed: HumanPlayer(console, _commands(console, had)), on_wait=console.wait)
        program = ProcessSeat(self.opponent, report=console.preparing, begins_late=True)
        seats = (person, program) if self.side else (program, person)
        try:
            console.greet(self.rules, self.seed if self.is_seed_given else None)
            while True:
                played = play_game(*seats, rules=self.rules, seed=self.seed, event="kriegbot play", begun=begun)
                if played.record.end is None or played.record.end.detail != TAKEN_BACK:
                    break
                begun = without_last_turn(played.record)
                had.taken_back += 1
                console.begin_again()
        finally:
            program.close()
            console.close()
        return replace(played, record=replace(played.record, headers={**played.record.headers, **had.header()}))

    def _finish(self, console: PlainConsole | TerminalConsole, played: GameResult, path: Path | None) -> None:
        """The end. As long as the game may be played on, it shows nothing that the person did not know."""
        record, end = played.record, played.record.end
        is_broken_off = played.interrupted or (end is not None and end.reason is Reason.ABANDONED)
        is_kept = path is not None or (is_terminal() and bool(record.turns))
        may_go_on = is_broken_off and is_kept and is_resumable(record)
        *_, last = record.replay()
        console.finish(record, last.referee.view(self.side), None if may_go_on else last.referee.board())
        if is_terminal() and played.failed is None:
            try:
                told = Results().count(record, self.side, is_seed_given=self.is_seed_given)
                print(told, end="\n" * bool(told), flush=True)
            except OSError as error:
                print(f"The result cannot be kept: {error.strerror or error}.", file=sys.stderr)
        failed = played.statistics(not self.side)
        if failed.failure:
            print(failed.log.rstrip(), file=sys.stderr)
        resume = "kriegbot resume" if path is None else f"kriegbot resume {shlex.quote(str(path))}"
        if path is None and may_go_on:
            path = free_name(games_folder())
        elif path is None and is_terminal() and (record.turns or not is_broken_off):
            path = _asked(free_name())
        if path is not None:
            print(save_game(record, path, is_same=self.begun is not None), flush=True)
        elif is_broken_off:
            print("Not saved; --save FILE keeps an abandoned game.", flush=True)
        if may_go_on:
            print(f"Play on: {resume}", flush=True)
        if played.interrupted or (end is not None and end.detail == "interrupted"):
            raise typer.Exit(130)


def _commands(console: PlainConsole | TerminalConsole, had: Help) -> Mapping[str, Answer]:
    """What a person may ask for besides what every console answers; `had` counts it."""
    followed = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES)

    def hinted(view: View) -> Sequence[str]:
        console.busy("Looking for good tries ...")
        prepare(console.preparing)
        held = followed.at(view)
        assert held is not None  # for mypy: it has all the time it needs
        found = hint(held)
        had.hints += 1
        tries = [
            f"{one['name']}  {one['value'] / 100:+.2f}"
            + f", legal with {100 * one['legal']:.0f} %" * (one["legal"] < 0.995)
            for one in found["tries"]
        ]
        nothing = "Nothing fits what was heard; there is nothing to search."
        return [f"The best tries by the search, in pawns ({found['by']}):", *(tries or [nothing]), RECORDED]

    def back(view: View) -> Sequence[str]:
        if view.ply < 2:
            return ["You have no move to take back."]
        raise PlayerLeft(TAKEN_BACK)

    def draw(_view: View) -> Sequence[str]:
        return ["A program plays on to the end; you can resign."]

    return {"?": _meant, "hint": hinted, "back": back, "draw": draw}


def _meant(view: View) -> Sequence[str]:
    """What the last announcements mean."""
    diary = Diary(for_person=True)
    diary.take(view)
    lines = [line for entry in diary.verdicts() for line in (entry.text, *(f"  {one}" for one in meaning(entry.means)))]
    return lines or ["Nothing was said yet."]


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Within, the first Ctrl-C, or the end of the terminal, is an interrupt; later ones do not prevent saving."""
    is_interrupted = False

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal is_interrupted
        if not is_interrupted:
            is_interrupted = True
            raise KeyboardInterrupt

    with handling(dict.fromkeys((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), interrupt)):
        yield


def _console(names: dict[chess.Color, str], *, show_belief: bool) -> PlainConsole | TerminalConsole:
    heat = _heat() if show_belief else None
    terminal = drawing_console()
    if terminal is not None:
        return TerminalConsole(terminal, names, heat)
    return PlainConsole(names, heat, has_boards=is_terminal())


def _heat() -> Heat:
    """Where the opponent's men may be, by a belief that knows a person's own views alone."""
    with preparing() as report:
        prepare(report)
    belief = BeliefTimeline()

    def chances(view: View) -> list[float]:
        held = belief.at(view)
        return held.chances.sum(axis=0).tolist() if held is not None and held.boards else []

    return chances


def _asked(name: Path) -> Path | None:
    """Asks where to save a game played without --save: Enter accepts the name, n declines."""
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
