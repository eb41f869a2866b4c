"""One online game: state -> View -> player -> try -> state, until the site says that it is over.

The state is the only source, so a lost, late or repeated answer does no harm, nor does a restart. A try is sent again
only after the state has shown that it was not made. A player that fails starts again; if it keeps failing, or the state
cannot be read, the bot plays a random try of those that the site allows.

A try gets a twentieth of the clock above a reserve for lost connections, so refused tries never use up the reserve. A
player's time is fixed when it starts (`time=` of its spec). On a low clock it starts again with half of that time, a
quarter, and so on; its belief follows from the view.
"""

import json
import math
import random
import re
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import chess

from kriegbot.children import CannotStart
from kriegbot.game.process import ProcessSeat, budget_of, patience_of
from kriegbot.game.seat import Failure, PlayerFailed
from kriegbot.game.turn import Attempt, ask_player
from kriegbot.online.reading import DOUBLES, Reading, Unreadable, color_of, read_state
from kriegbot.online.site import Json, Site, SiteRefusal, Uncertain
from kriegbot.players.specs import BadSpec, PlayerSpec
from referee import Action, AskAny, Resign, RuleSet, View, action_code
from referee.text import one_line, write_file

FIRST_LOOK, LONGEST_LOOK = 0.25, 3.0  # seconds between two looks at a game; each wait is twice the one before
LOOKS_ANSWERED, LOOKS_UNANSWERED = 8, 2  # looks at states that do not show a try before it counts as not made
MAX_SENT = 5  # times that one try is sent before another is chosen
MAX_STARTS = 3  # times that a player is asked for one try, not counting guesses at a double check
UNKNOWN = 60.0  # seconds on a clock that the site does not show
GONE = 404
NONSENSE = ("IMPOSSIBLE_TO_ASK", "NONSENSE", "INVALID_UCI")

RESERVE, SHARES = 30.0, 20
HURRY = 10.0  # seconds on the clock below which any allowed try is played at once
LEAST = 0.05  # seconds that a try gets, however low the clock
SHORTEST = 0.5  # seconds that a player is always waited for

SCHEMA = 1
_CODE = re.compile("[0-9A-Za-z]{1,40}")


@dataclass(slots=True)
class GameStatus:
    """The state of a game, as the bot's owner sees it.

    left: seconds on our clock and on the opponent's. last: the latest event.
    """

    code: str
    opponent: str
    rules: str
    color: str = "?"
    ply: int = 0
    is_ours: bool = False
    left: tuple[float, float] = (0.0, 0.0)
    last: str = ""


class OnlineGame:
    """One game of the bot, which plays for one side; `report` takes lines about events."""

    def __init__(
        self,
        site: Site,
        spec: PlayerSpec,
        rules: RuleSet,
        record: "OnlineRecord",
        status: GameStatus,
        report: Callable[[str], None],
    ) -> None:
        self._site, self._rules, self._record, self.status = site, rules, record, status
        self._report, self._player = report, ClockPlayer(spec)
        self._answers: dict[int, Json] = {}
        self._guess = self._sent = self._looks = 0
        self._mark, self._is_answered = (-1, -1), False
        self._action: Action | None = None
        self._nonsense: set[chess.Move] = set()

    def play(self) -> Json:
        """Play to the end and return the site's result.

        Raise SiteRefusal if the site gives no state (status `GONE` if it no longer knows the game), or Stopped.
        """
        try:
            wait = FIRST_LOOK
            while (state := self._site.ask(f"/game/{self.status.code}/state")).get("state") != "completed":
                if self._turn(state):
                    wait = FIRST_LOOK
                else:
                    self._site.pause(wait)
                    wait = min(2 * wait, LONGEST_LOOK)
            self._record.end(state, self._player.seed)
            result = state.get("result")
            return result if isinstance(result, dict) else {}
        except SiteRefusal as refusal:
            if refusal.status == GONE:
                self._record.end({"result": {"winner": None, "reason": refusal.code}}, self._player.seed)
            raise
        finally:
            self._player.close()

    def _turn(self, state: Json) -> bool:
        """Act on a state. Return False if we can only wait."""
        begun = time.monotonic()
        left = self._update_status(state)
        if state.get("state") != "active" or state.get("turn") != state.get("your_color"):
            return False
        reading = self._read(state)
        if reading is not None and not self._is_news(reading.view):
            return False
        if self._action is None or self._sent >= MAX_SENT or reading is None:
            self._action, self._sent = self._choose(state, reading, begun + left), 0
        if self._action is None:
            return False
        self._sent += 1
        self._send(self._action)
        if reading is None:
            self._site.pause(FIRST_LOOK)
        return True

    def _is_news(self, view: View) -> bool:
        """Return True if a state with us to move is newer than our last try."""
        mark = (view.ply, len(view.events))
        if mark[1] > self._mark[1]:
            if view.ply != self._mark[0]:
                self._nonsense.clear()
            self._mark, self._action, self._sent = mark, None, 0
        elif self._looks > 0:
            self._looks -= 1
            return False
        elif self._is_answered and isinstance(self._action, chess.Move):  # but the log does not have it
            self._nonsense.add(self._action)
            self._action = None
        self._is_answered, self._looks = False, 0
        return True

    def _update_status(self, state: Json) -> float:
        """Update the status from a state, and return the seconds on our clock."""
        clock = state.get("clock")
        names = ("white_remaining", "black_remaining")
        try:
            white, black = (max(float(clock[name]), 0.0) for name in names)  # type: ignore[index]  # see TypeError
        except (KeyError, OverflowError, TypeError, ValueError):
            white = black = UNKNOWN
        if not math.isfinite(white + black):
            white = black = UNKNOWN
        ours = color_of(state.get("your_color"))
        status = self.status
        status.left = (white, black) if ours else (black, white)
        status.color = chess.COLOR_NAMES[bool(ours)]
        status.is_ours = state.get("turn") == state.get("your_color")
        return status.left[0]

    def _read(self, state: Json) -> Reading | None:
        try:
            reading = read_state(state, self._rules, self._answers, self._guess)
        except Unreadable as error:
            self._log(f"a state that cannot be read ({error}); playing at random")
            return None
        self.status.ply = reading.view.ply
        return reading

    def _choose(self, state: Json, reading: Reading | None, flag: float) -> Action | None:
        """Return our next action; None if the site allows none. Our flag falls at `flag`, by `time.monotonic`."""
        allowed = self._allowed_moves(state)
        actions = state.get("possible_actions")
        can_ask = isinstance(actions, list) and "ask_any" in actions
        attempts = MAX_STARTS + len(DOUBLES) * (reading is not None and reading.is_guessed)
        for _ in range(attempts):
            left = flag - time.monotonic()
            if reading is None or left <= HURRY or not allowed:
                break
            try:
                closed = sorted(set(reading.view.tries()).difference(allowed), key=chess.Move.uci)
                view = replace(reading.view, refused=(*reading.view.refused, *closed))
                return self._ask(view, left, can_ask=can_ask)
            except (PlayerFailed, CannotStart) as error:
                self._log(f"the player failed: {error}")
                self._player.restart()
                self._guess += reading.is_guessed
                reading = self._read(state)
        return random.choice(allowed) if allowed else None

    def _ask(self, view: View, left: float, *, can_ask: bool) -> Action:
        """Return the player's answer. Raise PlayerFailed if it cannot be sent."""
        attempt = self._player.ask(view, left)
        action = attempt.choice.action
        assert isinstance(action, Action)  # for mypy: a program cannot leave
        if attempt.is_nonsense or (isinstance(action, AskAny) and not can_ask):
            raise PlayerFailed(Failure.STUBBORN, f"answered {action_code(action)}, which is not open to it")
        self._record.add(attempt)
        return action

    def _allowed_moves(self, state: Json) -> list[chess.Move]:
        """Return the tries that the site allows, without those that it has called nonsense."""
        names = state.get("allowed_moves")
        moves = []
        for uci in names if isinstance(names, list) else []:
            try:
                move = chess.Move.from_uci(uci)
            except (KeyError, TypeError, ValueError):
                continue
            if move and move.drop is None and move not in self._nonsense:
                moves.append(move)
        return moves

    def _send(self, action: Action) -> None:
        path, body = f"/game/{self.status.code}", None
        match action:
            case Resign():
                path += "/resign"
            case AskAny():
                path += "/ask-any"
            case move:
                path, body = f"{path}/move", {"uci": move.uci()}
        self.status.last = f"{action_code(action)}?"
        try:
            answer = self._site.command("POST", path, body)
        except (SiteRefusal, Uncertain) as error:
            self._log(f"{action_code(action)}: {error}; checking whether it was made")
            self._looks = LOOKS_UNANSWERED
            return
        self.status.last = f"{action_code(action)}: {one_line(str(answer.get('announcement', 'done')), 80)}"
        if answer.get("announcement") in NONSENSE and isinstance(action, chess.Move):
            self._nonsense.add(action)
            self._action = None
            return
        self._is_answered, self._looks = True, LOOKS_ANSWERED
        if answer.get("move_done"):
            self._answers[self._mark[0]] = answer
            try:
                self._record.save()
            except OSError as error:
                self._log(f"cannot save the record: {error.strerror or error}")

    def _log(self, line: str) -> None:
        self.status.last = line
        self._report(f"{self.status.code}: {line}")


class ClockPlayer:
    """A player that starts when it is first asked, and again when its clock or a failure demands it."""

    def __init__(self, spec: PlayerSpec) -> None:
        self.seed = secrets.randbits(63)
        self._spec = spec
        self._seat: ProcessSeat | None = None
        self._started: PlayerSpec | None = None

    def ask(self, view: View, left: float) -> Attempt:
        """Return the player's action with `left` seconds on its clock. Raise PlayerFailed or CannotStart."""
        spec = spec_for(self._spec, left)
        if self._seat is None:
            self._seat = ProcessSeat(spec)
        if spec != self._started:
            self._seat.set_player(spec)
            self._seat.begin(self.seed)
            self._started = spec
        self._seat.patience = patience_for(spec, left)
        return ask_player(self._seat, view)

    def restart(self) -> None:
        """Start the player anew when it is next asked."""
        self._started = None

    def close(self) -> None:
        """End the player's process."""
        if self._seat is not None:
            self._seat.close()


def seconds_for(left: float) -> float:
    """Return the seconds for a try with `left` seconds on the clock."""
    return max(LEAST, (left - RESERVE) / SHARES)


def spec_for(spec: PlayerSpec, left: float) -> PlayerSpec:
    """Return the player with a time budget that fits its clock; a player without one stays as it is."""
    budget = budget_of(spec)
    if budget is None:
        return spec
    halved = budget
    while halved > seconds_for(left):
        halved /= 2
    if halved == budget:
        return spec
    for name in ("retry_time", "time"):
        try:
            spec = spec.with_option(name, f"{max(0.01, halved):.3f}") if name == "time" or spec.get(name) else spec
        except BadSpec:  # its time cannot be set: a level, a program
            continue
    return spec


def patience_for(spec: PlayerSpec, left: float) -> float:
    """Return the seconds after which the bot stops waiting for a player."""
    return min(patience_of(spec), max(SHORTEST, (left - HURRY) / 2))


class OnlineRecord:
    """The record of one game: a JSON file of what our side knew and how it thought.

    It is written at the beginning, after every turn and at the end, which adds the player's seed. Earlier thoughts in
    the file stay. `facts` are site, bot, code, rules, color, opponent, player.
    """

    def __init__(self, folder: Path, facts: Json) -> None:
        self.path = folder / f"{facts['code']}.json"
        thoughts = _load(self.path).get("thoughts")
        self.data: Json = {"schema": SCHEMA, **facts, "result": None, "seed": None}
        self.data |= {"log": [], "thoughts": thoughts if isinstance(thoughts, list) else []}
        self.save()

    def add(self, attempt: Attempt) -> None:
        """Add the report on a try."""
        report = {name: value for name, value in attempt.choice.report.written().items() if value}
        action, seconds = attempt.choice.action, round(attempt.seconds, 3)
        assert isinstance(action, Action)  # for mypy: a program cannot leave
        self.data["thoughts"].append(
            report | {"ply": attempt.view.ply, "action": action_code(action), "seconds": seconds}
        )

    def end(self, state: Json, seed: int | None) -> None:
        """Add the end of the game and save."""
        self.data |= {"result": state.get("result") or {}, "clock": state.get("clock"), "seed": seed and str(seed)}
        self.data["log"] = state.get("referee_turns")
        self.save()

    def save(self) -> None:
        """Write the file, whole or not at all."""
        write_file(self.path, (json.dumps(self.data, indent=1) + "\n").encode())


def is_code(code: object) -> bool:
    """Return True for a possible code of a game, safe in file names and addresses."""
    return isinstance(code, str) and _CODE.fullmatch(code) is not None


def unfinished(folder: Path, site: str, bot: str) -> Iterator[Json]:
    """Yield the records of a bot's games that have no result."""
    for path in sorted(folder.glob("*.json")):
        data = _load(path)
        wanted = {"schema": SCHEMA, "site": site, "bot": bot, "code": path.stem, "result": None}
        if {name: data.get(name) for name in wanted} == wanted:
            yield data


def _load(path: Path) -> Json:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
