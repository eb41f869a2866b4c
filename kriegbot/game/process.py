"""A seat in a process of its own, for programs: one that hangs is killed, one that dies is noticed.

Lines of text cross the pipe (docs/bots.md): views go to the player, answers come back and are read strictly. The
process of one of our players is kept for later games, since loading takes time. A player from outside gets a fresh one
for each game, in a sandbox where there is one, and a seed of its own from which nothing else follows.
"""

import contextlib
import os
import re
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kriegbot.folders import cache_folder
from kriegbot.game import sandbox
from kriegbot.game.children import SAFE_PATH, CannotStart, OutputLimit, ProcessExited, Talker, TimedOut, lower_priority
from kriegbot.game.protocol import GREETING, Nonsense, game_lines, read_answer, view_lines
from kriegbot.game.seat import Failure, PlayerFailed, Seat
from kriegbot.importing import importable
from kriegbot.parts import NotFound, sha256_of
from kriegbot.players.base import Choice, Leave
from kriegbot.players.making import Progress
from kriegbot.players.specs import PlayerSpec, player_kind
from kriegbot.report import Report
from referee import View
from referee.text import one_line, quoted

PATIENCE = 300.0  # seconds for one answer before a player counts as hung
GRACE = 10.0  # seconds that a player with a time budget may take beyond twice that, before it loses the game
LONGEST = 1e6  # seconds of the longest time budget: a system call cannot wait much longer than twice that
START_PATIENCE, PARTS_PATIENCE, OUTSIDE_PATIENCE = 600.0, 120.0, 60.0
"""The same for sitting down, between two signs that kernels are being compiled: of ours, of ours with a part from
outside, which may hang, and of players from outside."""
DYING_PATIENCE = 5.0  # seconds that a process which no longer listens or speaks has to end, so that we learn how
MOST_INFO = 1000  # lines that a player may say before its answer
WORKER = "kriegbot.game.worker"
FAILURES = {"failed": Failure.RAISED, "nonsense": Failure.NONSENSE, "refused": Failure.REFUSED}
"""What the worker says when its player fails."""


class ProcessSeat(Seat):
    """A seat in a process of its own; its `patience` may change from answer to answer.

    Args:
      spec: who sits here.
      patience: seconds that one answer may take; by default `patience_of` the player.
      report: called with the progress of compiling kernels, if needed.
      gives_way: whether its process has low priority.
      has_own_seed: whether a player from outside gets a random seed, which says nothing of any other.
      begins_late: whether a player of ours may be seated, and its opponent move, before it is ready.
    """

    def __init__(
        self,
        spec: PlayerSpec,
        *,
        patience: float | None = None,
        report: Progress | None = None,
        gives_way: bool = False,
        has_own_seed: bool = True,
        begins_late: bool = False,
    ) -> None:
        self._report, self._gives_way, self._has_own_seed = report, gives_way, has_own_seed
        self._begins_late, self._to_come = begins_late, 0
        self._talker: Talker | None = None
        self._last_log = ""
        self._told: int | None = None
        self._loaded: dict[Path, str] = {}
        self._hashes: dict[Path, str] = {}
        self._spec = spec
        self.invite(spec, patience)

    def invite(self, spec: PlayerSpec, patience: float | None = None, name: str | None = None) -> None:
        """Sets the player of the next game. Built-in players reuse the running process."""
        if spec.is_outside or self._spec.is_outside:
            self.close()
        self.name = str(spec) if name is None else name
        self._spec = spec
        self.patience = patience_of(spec) if patience is None else patience

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return None if self._talker is None else self._talker.pid

    def begin(self, seed: int) -> Leave | None:
        """Seats a player for a new game.

        Raises:
          PlayerFailed: it cannot sit down.
          CannotStart: no process can be started for it, which is not its fault.
        """
        spec = self._spec
        self._hashes = _hashes(spec)
        if spec.is_outside or any(self._loaded.get(path, found) != found for path, found in self._hashes.items()):
            self.close()  # nobody else's process, and no older version of a part
        if spec.is_outside:
            seed = secrets.randbits(63) if self._has_own_seed else seed
        if self._talker is None:
            self._talker = self._started()
        self._loaded |= self._hashes
        self._talker.forget()
        self._told = None
        player = [] if spec.command else [f"player {spec}", *(["early"] if self._begins_late else [])]
        self._send([GREETING, *player, f"seed {seed}", "newgame"], *self._patience_to_begin())
        self._to_come += 1  # of a game that ended at once, the player may still be about to say ready
        version = "" if self._begins_late and not spec.is_outside else self._begun()
        self.about = self._about(version, seed)
        return None

    def ready(self) -> None:
        """Waits until the player has sat down; raises PlayerFailed."""
        if self._to_come:
            self._begun()

    def _begun(self) -> str:
        """Waits until the player has sat down; its version, if it has one."""
        version, how = "", self._patience_to_begin()
        replies = self._replies(*how)
        while self._to_come:
            line = next(replies)
            if self._gives_way and self.pid is not None:  # not before: a busy machine would keep it from starting
                lower_priority(self.pid)
            word, _, rest = line.partition(" ")
            if word == "ready" and not rest:
                self._to_come -= 1
            elif word == "version":
                version = one_line(rest, 40)
            elif word == "preparing" and (progress := re.fullmatch(r"([0-9]{1,3}) ([0-9]{1,3}) (.{1,80})", rest)):
                if self._report is not None:
                    self._report(one_line(progress[3]), int(progress[1]), int(progress[2]))
                if (
                    not self._spec.is_outside
                ):  # nobody forfeits a game while kernels are compiled, however long it takes
                    replies = self._replies(*how)
            else:
                raise self._nonsense(f"{one_line(line.strip(), 80)!r}, where it is to say ready")
        return version

    def _about(self, version: str, seed: int) -> str:
        """What is from outside, as it was when the player sat down."""
        if _hashes(self._spec) != self._hashes:
            why = f"player {quoted(self._spec.name)}: its files changed while it was loaded."
            raise PlayerFailed(Failure.REFUSED, why)
        said = [f"version {version}"] if version else []
        said += [f"{path} sha256 {sha256}" for path, sha256 in self._hashes.items()]
        return ", ".join([*said, f"seed {seed}"] if self._spec.is_outside else said)

    def _patience_to_begin(self) -> tuple[float, PlayerFailed]:
        ours = PARTS_PATIENCE if self._spec.parts else START_PATIENCE
        patience = max(OUTSIDE_PATIENCE, self.patience) if self._spec.is_outside else ours
        return patience, PlayerFailed(Failure.HUNG, f"hung: not ready in {patience:g} seconds")

    def ask(self, view: View) -> Choice:
        """The player's answer; the process of a player that hangs is killed."""
        self._show(view)
        replies = self._replies(self.patience, self._late())
        answer: Choice | Report = Report()
        while isinstance(answer, Report):
            try:
                answer = read_answer(next(replies), answer)
            except Nonsense as error:
                raise self._nonsense(str(error)) from None
        return answer

    def end(self, view: View) -> None:
        """Shows the last view of a game to a player from outside in Python."""
        if self._spec.is_outside and not self._spec.command:
            self._show(view)
            if (line := next(self._replies(self.patience, self._late()))) != "over":
                raise self._nonsense(f"{one_line(line, 80)!r}, where it is to say over")

    def _show(self, view: View) -> None:
        """Sends what is new in a view; whatever the player has said since its last answer is out of turn."""
        lines = game_lines(view, self.patience) if self._told is None else []
        lines += view_lines(view, self._told or 0, has_tries=bool(self._spec.command))
        with self._talking(self._late()) as talker:
            early = talker.early() if self._spec.is_outside else None
        if early is not None:
            self.close()
            raise PlayerFailed(Failure.EARLY, f"answered out of turn: {one_line(early, 80)!r}")
        self._told = len(view.events)
        self._send(lines, self.patience, self._late())

    def log(self) -> str:
        """The end of what the player has printed since the game began."""
        return self._last_log if self._talker is None else self._talker.log()

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def _started(self) -> Talker:
        spec = self._spec
        self._loaded = {}
        command = spec.command or [sys.executable, "-P", "-u", "-m", WORKER]
        cache_folder()  # if it is a temporary one, the log says so here, and the player uses the same
        environment = {name: value for name, value in os.environ.items() if name != SAFE_PATH}
        if not spec.command:
            environment["PYTHONPATH"] = os.pathsep.join(importable(is_same_script=False) + spec.import_folders)
        try:
            if is_walled := spec.is_outside and spec.sandbox and sandbox.is_there():
                command, environment = sandbox.sandboxed(command, environment, spec)
            return Talker(command, environment, is_kept=spec.is_outside and not is_walled)
        except CannotStart as error:
            raise CannotStart(f"cannot start player '{self.name}': {error}") from None

    def _send(self, lines: list[str], patience: float, late: PlayerFailed) -> None:
        """Sends lines; raises PlayerFailed, which is `late` when time is up."""
        with self._talking(late) as talker:
            talker.send(lines, time.monotonic() + patience)

    def _replies(self, patience: float, late: PlayerFailed) -> Iterator[str]:
        """Yields the lines that come back; raises PlayerFailed, which is `late` when time is up."""
        deadline = time.monotonic() + patience
        word = ""
        for _ in range(MOST_INFO):
            with self._talking(late) as talker:
                line = talker.line(deadline)
            word, _, rest = line.partition(" ")
            if word in FAILURES:
                self.close()  # what it says after that is nothing to a later game
                raise PlayerFailed(FAILURES[word], one_line(rest, 500) or word)
            yield line
        raise self._nonsense(f"{one_line(word, 80)!r}, said {MOST_INFO} times")

    @contextlib.contextmanager
    def _talking(self, late: PlayerFailed) -> Iterator[Talker]:
        """The player's process; whatever goes wrong with it within is a failure of the player."""
        if self._talker is None:
            raise PlayerFailed(Failure.DIED, "died: its process has ended")
        try:
            yield self._talker
        except ProcessExited:
            raise self._died() from None
        except OutputLimit as error:
            self.close()
            raise PlayerFailed(Failure.FLOODED, f"wrote too much: {error}") from None
        except TimedOut:
            self.close()
            raise late from None
        except BaseException:  # Ctrl-C: the answer still to come must not be mistaken for a later one
            self.close()
            raise

    def _late(self) -> PlayerFailed:
        budget, what = budget_of(self._spec), f"no answer in {self.patience:g} seconds"
        if budget is None or self.patience < budget:
            return PlayerFailed(Failure.HUNG, f"hung: {what}")
        return PlayerFailed(Failure.OVERRAN, f"overran its time: {what}, of which it may take {budget:g}")

    def _nonsense(self, what: str) -> PlayerFailed:
        self.close()
        return PlayerFailed(Failure.NONSENSE, f"answered nonsense: {what}")

    def _died(self) -> PlayerFailed:
        if self._talker is not None:
            self._talker.ends_within(DYING_PATIENCE)
        exitcode = self._end()
        how = "its process ended"
        if exitcode is not None:
            how += f" (exit code {exitcode})" if exitcode >= 0 else f" ({_signal_name(-exitcode)})"
        from_outside = exitcode in (-signal.SIGTERM, -signal.SIGKILL) and not self._spec.is_outside
        return PlayerFailed(Failure.KILLED if from_outside else Failure.DIED, f"died: {how}")

    def _end(self) -> int | None:
        """Ends the process and all that it has started; its exit code if it had ended by itself."""
        talker, self._talker = self._talker, None
        if talker is None:
            return None
        exitcode = talker.end()
        self._last_log = talker.log()
        return exitcode


def patience_of(spec: PlayerSpec) -> float:
    """Seconds that an answer of a player may take, unless somebody says otherwise."""
    budget = budget_of(spec)
    return PATIENCE if budget is None else 2 * budget + GRACE


def budget_of(spec: PlayerSpec) -> float | None:
    """Seconds that a spec gives a player for its longest answer, up to LONGEST; None if it has no time budget."""
    kind = None if spec.is_outside else player_kind(spec.name)
    instead = [one for one in kind.options if one.name in kind.either and one.name != "time"] if kind else []
    if spec.get("samples") is not None or any(spec.get(one.name) != one.default for one in instead):
        return None  # by samples, or as a level that is not the best does
    times = []
    for name in ("time", "extra"):
        with contextlib.suppress(ValueError):
            times.append(float(spec.get(name) or ""))
    return max((min(time, LONGEST) for time in times if time > 0), default=None)


def _hashes(spec: PlayerSpec) -> dict[Path, str]:
    """The files from outside, each with its hash."""
    try:
        return {path: sha256_of(path) for path in spec.files}
    except NotFound as error:  # it went away, or became another, after its spec was read
        raise PlayerFailed(Failure.REFUSED, f"player {quoted(spec.name)}: {error}") from None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
