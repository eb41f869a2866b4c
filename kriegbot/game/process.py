"""Players in processes of their own: a seat kills a program that hangs, and notices one that dies.

Lines of text cross the pipe (docs/bots.md): views go to the player, and the seat parses its answers strictly. It keeps
the process of a built-in player for later games. A player from outside gets a fresh process for each game, in a sandbox
if wanted and there, and an unpredictable seed. `try_out` and `find_rules` try what comes from outside before a game.
"""

import contextlib
import os
import re
import secrets
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import chess

from kriegbot.children import CannotStart, LineProcess, OutputLimit, awake_time, lower_priority, usable_cores
from kriegbot.folders import cache_folder
from kriegbot.game import sandbox
from kriegbot.game.protocol import GREETING, BadLine, game_lines, read_answer, view_lines
from kriegbot.game.seat import Failure, PlayerFailed, Seat
from kriegbot.importing import SAFE_PATH, importable
from kriegbot.parts import NotFound, entry_points, sha256_of
from kriegbot.players.base import Choice, Leave
from kriegbot.players.making import RULES
from kriegbot.players.specs import BadSpec, PlayerSpec, player_kind
from kriegbot.report import Report
from kriegbot.threads import MOST_THREADS
from referee import BERKELEY, Referee, RuleSet, UnknownRuleSet, View, rule_set
from referee.text import one_line, quoted

if TYPE_CHECKING:
    from kriegbot.kernels.preparing import Progress

PATIENCE = 300.0  # seconds for one answer of a player without a time budget
GRACE = 10.0  # seconds that a player with a time budget may take beyond twice its budget
MAX_BUDGET = 1e6  # seconds; a system call cannot wait much longer than twice that
START_PATIENCE, PARTS_PATIENCE, OUTSIDE_PATIENCE = 600.0, 120.0, 300.0
"""Seconds to start: built in, built in with a part from outside (both anew after each line of progress), from outside.
They are the same before the first game, when a player is tried, and in each game."""
PROBE, PROBE_PATIENCE = "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1", 10.0
"""A small position in which a player from outside makes one try, and its seconds for that; a slow player passes."""
LATE = 0.05  # seconds without output after which the log of a player from outside is complete
DYING_PATIENCE = 5.0  # seconds to wait for the exit code of a process that has closed its output
MAX_LINES = 1000  # lines of an answer
WORKER = "kriegbot.game.worker"
FAILURES = {
    "failed": (Failure.RAISED, "raised "),
    "broken": (Failure.OURS, "raised "),
    "invalid": (Failure.INVALID, "gave an invalid answer: "),
}
"""First words of the lines with which a worker reports the failure of its player, and how their rest begins."""


class Wait(NamedTuple):
    """Seconds to wait for a player, and its failure once they are over."""

    seconds: float
    failure: PlayerFailed


class PlayerProcess(LineProcess):
    """The process of a player. When anything goes wrong, it ends and raises PlayerFailed, or at first CannotStart."""

    def __init__(self, spec: PlayerSpec, name: str) -> None:
        self.hashes: dict[Path, str] = {}  # SHA-256 of each file that the process has loaded
        self.pending_ready = 0  # `ready` lines still to come; above 1 if a game ended before its player was ready
        self.title = f"player {quoted(spec.name)}"
        self._is_outside = spec.is_outside
        command = spec.command or [sys.executable, "-P", "-u", "-m", WORKER]
        cache_folder()  # if it falls back to a temporary folder, it logs that here, and the player uses the same one
        environment = {name: value for name, value in os.environ.items() if name != SAFE_PATH}
        if not spec.command:
            environment["PYTHONPATH"] = os.pathsep.join(importable(is_same_script=False) + spec.import_folders)
        try:
            self._in_sandbox = spec.is_outside and spec.sandbox and sandbox.is_installed()
            if self._in_sandbox:
                command, environment = sandbox.sandboxed(command, environment, spec)
            super().__init__(command, environment, is_supervised=spec.is_outside and not self._in_sandbox)
        except CannotStart as error:
            raise CannotStart(f"cannot start player '{name}': {error}") from None

    def post(self, lines: list[str], wait: Wait) -> None:
        """Send lines. A player from outside must have sent nothing since its last answer."""
        with self._failing(wait):
            early = self.unread_output() if self._is_outside and not self.pending_ready else None
            if early is not None:
                raise PlayerFailed(Failure.EARLY, f"answered out of turn: {one_line(early, 80)!r}")
            self.send(lines, awake_time() + wait.seconds)

    def received(self, wait: Wait) -> Iterator[str]:
        """Yield the lines that the player sends within one wait for all of them."""
        deadline = awake_time() + wait.seconds
        word = ""
        for _ in range(MAX_LINES):
            with self._failing(wait):
                line = self.line(deadline)
                word, _, rest = line.partition(" ")
                if word in FAILURES or (word == "refused" and self.pending_ready):
                    raise self._reported(word, one_line(rest, 500))  # a later game must not read its next lines
            yield line
        raise self.invalid(f"{one_line(word, 80)!r}, said {MAX_LINES} times")

    def _reported(self, word: str, text: str) -> PlayerFailed:
        """Return a failure that the process reports. One from outside may report anything, so its refusal is quoted."""
        if word == "refused":
            own = text.removeprefix(self.title).lstrip(": ").removesuffix(".")
            return PlayerFailed(Failure.REFUSED, f"{self.title}: {own!r}." if self._is_outside else text)
        failure, beginning = FAILURES[word]
        if self._is_outside and failure is Failure.OURS:
            failure = Failure.RAISED  # its memory and files are its own affair
        return PlayerFailed(failure, text if text.startswith(beginning) else f"{beginning}{text!r}")

    def invalid(self, what: str) -> PlayerFailed:
        """End the process and return the failure to raise."""
        self.end()
        return PlayerFailed(Failure.INVALID, f"gave an invalid answer: {what}")

    @contextlib.contextmanager
    def _failing(self, wait: Wait) -> Iterator[None]:
        if not self.is_running:
            raise PlayerFailed(Failure.DIED, "died: its process has ended")
        try:
            yield
        except EOFError:
            raise self._died() from None
        except OutputLimit as error:
            self.end()
            raise PlayerFailed(Failure.FLOODED, f"wrote too much: {error}") from None
        except TimeoutError:
            self.end()
            raise wait.failure from None
        except BaseException:  # Ctrl-C: a later game must not read the pending answer
            self.end()
            raise

    def _died(self) -> PlayerFailed:
        self.ends_within(DYING_PATIENCE)
        code = self.end()
        cause = {-one: one.name for one in signal.Signals}.get(code or 0, f"exit code {code}")
        how = "its process ended" if code is None else f"its process ended ({cause})"
        is_killed = cause in ("SIGTERM", "SIGKILL") and not self._is_outside
        has_no_sandbox = self._in_sandbox and self.pending_ready > 0 and self.log().startswith("bwrap: ")
        return PlayerFailed(Failure.OURS if is_killed or has_no_sandbox else Failure.DIED, f"died: {how}")


class ProcessSeat(Seat):
    """A seat whose player runs in a process of its own. Its `patience` may change from answer to answer.

    Args:
      patience: seconds for one answer; by default `patience_of` the player.
      report: called with the progress of compiling kernels.
      has_own_seed: True to give a player from outside a random seed, so that it cannot derive its opponent's.
      begins_late: True to let `begin` return, and the opponent move, before a built-in player is ready.
      for_person: True if a person waits for the player: then it may use all cores, see `on_all_cores`.
    """

    def __init__(
        self,
        spec: PlayerSpec,
        *,
        patience: float | None = None,
        report: "Progress | None" = None,
        low_priority: bool = False,
        has_own_seed: bool = True,
        begins_late: bool = False,
        for_person: bool = False,
    ) -> None:
        self._report, self._low_priority, self._has_own_seed = report, low_priority, has_own_seed
        self._begins_late, self._for_person = begins_late, for_person
        self._process: PlayerProcess | None = None
        self.spec = spec
        self._events_sent: int | None = None
        self.turn_seconds: float | None = None  # the rest of its turn's budget, if the game has a clock
        self.set_player(spec, patience)

    def set_player(self, spec: PlayerSpec, patience: float | None = None, name: str | None = None) -> None:
        """Set the player of the next game. Built-in players reuse the running process."""
        if spec.is_outside or self.spec.is_outside:
            self.close()
        self.name = str(spec) if name is None else name
        self.spec = spec
        self.patience = patience_of(spec) if patience is None else patience
        self._budget = budget_of(spec)

    @property
    def pid(self) -> int | None:
        """The process ID while the process is running."""
        return self._process.pid if self._process is not None and self._process.is_running else None

    def begin(self, seed: int) -> Leave | None:
        """Seat the player for a new game; raise PlayerFailed, or CannotStart, which is not the player's fault."""
        spec, process, hashes = self.spec, self._process, _hashes(self.spec)
        self.is_ours = not spec.is_outside and not hashes
        is_stale = process is not None and any(process.hashes.get(path, one) != one for path, one in hashes.items())
        if spec.is_outside or is_stale:
            self.close()  # it is of another game, or has loaded an older version of a part
        if process is not None and process.is_running:
            process.clear_log()
        else:
            process = self._process = PlayerProcess(spec, self.name)
        if spec.is_outside and self._has_own_seed:
            seed = secrets.randbits(63)
        process.hashes |= hashes
        self._events_sent = None
        played = on_all_cores(spec) if self._for_person else spec
        player = [] if spec.command else [f"player {played}", *(["early"] if self._begins_late else [])]
        process.pending_ready += 1
        process.post([GREETING, *player, f"seed {seed}", "newgame"], self._wait_to_start())
        version = "" if self._begins_late and not spec.is_outside else self._wait_until_ready(process)
        if _hashes(spec) != hashes:
            why = f"player {quoted(spec.name)}: its files changed while it was loaded."
            raise PlayerFailed(Failure.REFUSED, why)
        about = [f"version {version}"] * bool(version) + [f"{path} sha256 {sha256}" for path, sha256 in hashes.items()]
        self.about = ", ".join([*about, f"seed {seed}"] if spec.is_outside else about)
        return None

    def ready(self) -> None:
        """Wait until the player is ready; raise PlayerFailed."""
        if self._process is not None and self._process.pending_ready:
            self._wait_until_ready(self._process)

    def _wait_until_ready(self, process: PlayerProcess) -> str:
        """Read lines until the player is ready. Return its version, if it sends one."""
        version = ""
        received = process.received(self._wait_to_start())
        while process.pending_ready:
            line = next(received)
            word, _, rest = line.partition(" ")
            if word == "ready" and not rest:
                process.pending_ready -= 1
                if self._low_priority:  # not before: a person waits while it starts and kernels compile
                    lower_priority(process.pid)
            elif word == "version":
                version = one_line(rest, 40)
            elif word == "preparing" and (progress := re.fullmatch(r"([0-9]{1,3}) ([0-9]{1,3}) (.{1,80})", rest)):
                if self._report is not None:
                    self._report(one_line(progress[3]), int(progress[1]), int(progress[2]))
                if not self.spec.is_outside:  # nobody loses a game while kernels compile, however long it takes
                    received = process.received(self._wait_to_start())
            else:
                raise process.invalid(f"{one_line(line.strip(), 80)!r}, where it is to say ready")
        return version

    def _wait_to_start(self) -> Wait:
        ours = START_PATIENCE if self.is_ours else PARTS_PATIENCE
        seconds = OUTSIDE_PATIENCE if self.spec.is_outside else ours
        failure = Failure.OURS if self.is_ours else Failure.HUNG
        return Wait(seconds, PlayerFailed(failure, f"hung: not ready in {seconds:g} seconds"))

    def ask(self, view: View) -> Choice:
        """Return the player's answer. End the process of a player that fails, and raise PlayerFailed."""
        process, received = self._send_view(view)
        answer: Choice | Report = Report()
        while isinstance(answer, Report):
            try:
                answer = read_answer(next(received), answer)
            except BadLine as error:
                raise process.invalid(str(error)) from None
        return answer

    def end(self, view: View) -> None:
        """Send the last view of a game to a player from outside in Python."""
        if self.spec.is_outside and not self.spec.command:
            process, received = self._send_view(view)
            if (line := next(received)) != "over":
                raise process.invalid(f"{one_line(line, 80)!r}, where it is to say over")

    def _send_view(self, view: View) -> tuple[PlayerProcess, Iterator[str]]:
        budget, what, process = self._budget, f"no answer in {self.patience:g} seconds", self._process
        if process is None:
            raise PlayerFailed(Failure.DIED, "died: its process has ended")
        failed = PlayerFailed(Failure.HUNG, f"hung: {what}")
        if budget is not None and self.patience >= budget:
            failed = PlayerFailed(Failure.OVERRAN, f"overran its time: {what}, of which it may take {budget:g}")
        wait = Wait(self.patience, failed)
        lines = game_lines(view, self.patience) if self._events_sent is None else []
        lines += [] if self.turn_seconds is None or view.end else [f"time {self.turn_seconds:.3f}"]
        lines += view_lines(view, self._events_sent or 0, has_tries=bool(self.spec.command))
        self._events_sent = len(view.events)
        process.post(lines, wait)
        return process, process.received(wait)

    def log(self) -> str:
        """Return the end of the player's output in this game."""
        return "" if self._process is None else self._process.log(LATE if self.spec.is_outside else 0.0)

    def kill(self) -> None:
        """Kill the process, so that a waiting `ask` raises PlayerFailed. Any thread may call this."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()


def patience_of(spec: PlayerSpec) -> float:
    """Return the seconds that a player may take for an answer by default."""
    budget = budget_of(spec)
    return PATIENCE if budget is None else 2 * budget + GRACE


def budget_of(spec: PlayerSpec) -> float | None:
    """Return the seconds that a spec grants for the longest answer, at most MAX_BUDGET; None without a time budget."""
    kind = None if spec.is_outside else player_kind(spec.name)
    instead = [one for one in kind.options if one.name in kind.exclusive and one.name != "time"] if kind else []
    if spec.get("samples") is not None or any(spec.get(one.name) != one.default for one in instead):
        return None  # a number of samples, or a level below the best, replaces the time budget
    times = []
    for name in ("time", "retry_time"):
        with contextlib.suppress(ValueError):
            times.append(float(spec.get(name) or ""))
    return max((min(time, MAX_BUDGET) for time in times if time > 0), default=None)


def on_all_cores(spec: PlayerSpec) -> PlayerSpec:
    """Return a player that uses all cores up to MOST_THREADS, if it has that option and its spec does not set it."""
    options = () if spec.is_outside else player_kind(spec.name).options
    if "threads" in spec.options or all(one.name != "threads" for one in options):
        return spec
    return spec.with_option("threads", str(min(usable_cores(), MOST_THREADS)))


def _hashes(spec: PlayerSpec) -> dict[Path, str]:
    try:
        return {path: sha256_of(path) for path in spec.files}
    except NotFound as error:  # it has changed since the spec was parsed
        raise PlayerFailed(Failure.REFUSED, f"player {quoted(spec.name)}: {error}") from None


def try_out(spec: PlayerSpec, rules: RuleSet = BERKELEY, report: "Progress | None" = None) -> None:
    """Start a player that uses anything from outside. One from outside has to answer a view, too, unless it is slow.

    Raise BadSpec if the player or one of its parts does not load or compile, or fails at once; CannotStart.
    """
    if not spec.is_outside and not spec.parts:
        return
    with ProcessSeat(spec, report=report) as seat:
        has_begun = False
        try:
            seat.begin(0)
            has_begun = True
            if spec.is_outside:
                seat.patience = min(seat.patience, PROBE_PATIENCE)
                seat.ask(Referee(rules, start=PROBE).view(chess.WHITE))
        except PlayerFailed as failed:
            if has_begun and failed.failure in (Failure.HUNG, Failure.OVERRAN):
                return
            if failed.failure is Failure.REFUSED:
                raise BadSpec(failed.detail) from None
            last = seat.log().strip().rpartition("\n")[2] if "exit code" in failed.detail else ""
            wrote = f"; it wrote {quoted(last)}" * bool(last)
            raise BadSpec(f"player {quoted(str(spec))} {failed.detail}{wrote}.") from None


def find_rules(name: str, *, sandbox: bool = True) -> RuleSet:
    """Return the rule set of a name: built in, of an installed package, FILE.py:NAME or MODULE:NAME.

    A file from outside runs in a process of its own, in a sandbox if wanted and installed, and comes back as data.
    Raise BadSpec if there is no such rule set or it does not load; CannotStart.
    """
    if name in RULES.names():
        return rule_set(name)
    try:
        RULES.check(name)
        path, entry = RULES.file(name), entry_points(RULES.group).get(name)
        wait = Wait(PARTS_PATIENCE, PlayerFailed(Failure.HUNG, f"hung: not loaded in {PARTS_PATIENCE:g} seconds"))
        process = PlayerProcess(PlayerSpec(name if entry is None else entry.value, sandbox=sandbox), name)
        process.title, process.pending_ready = f"rule set {quoted(name)}", 1  # until it is ready it may refuse
        try:
            process.post([GREETING, f"ruleset {name}"], wait)
            rules = rule_set(next(process.received(wait)).removeprefix("ruleset "))
        finally:
            process.end()
        return replace(rules, source=f"{path} sha256 {sha256_of(path)}") if path is not None else rules
    except (NotFound, UnknownRuleSet) as error:
        raise BadSpec(f"rule set {quoted(name)}: {error}" if ":" in name else str(error)) from None
    except PlayerFailed as failed:
        is_sentence = failed.failure is Failure.REFUSED
        raise BadSpec(failed.detail if is_sentence else f"rule set {quoted(name)} {one_line(failed.detail)}.") from None
