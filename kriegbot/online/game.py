"""One online game: state -> View -> player -> try -> state, until the site says that it is over.

The state is the source, so a lost, late or repeated answer does no harm. A try is sent again only after the state
has shown that it was not made. A player that fails starts again; if it keeps failing, time is short, or the state
cannot be read, the bot plays a random try of those that the site allows.

The player gets a twentieth of the clock above a reserve for lost connections as the rest of its turn's budget.
"""

import json
import math
import random
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import chess

from kriegbot.children import CannotStart
from kriegbot.game.match import ask_player
from kriegbot.game.process import ProcessSeat, patience_of
from kriegbot.game.seat import Failure, PlayerFailed
from kriegbot.online.reading import COLORS, DOUBLES, Reading, Unreadable, color_of, read_state
from kriegbot.online.site import SITE_RULES, Json, Site, SiteRefusal, Uncertain
from kriegbot.players.specs import PlayerSpec, parse_spec
from referee import Action, AskAny, Resign, View, action_code
from referee.text import one_line, write_file

FIRST_LOOK, LONGEST_LOOK = 0.25, 3.0  # seconds between two looks at a game; a wait is at most twice the one before
LOOKS_ANSWERED, LOOKS_UNANSWERED = 8, 2  # looks at states that do not show a try before it counts as not made
MAX_SENT = 5  # times that one try is sent before another is chosen
MAX_STARTS = 3  # times that a player is asked for one try, not counting guesses at a double check
UNKNOWN = 60.0  # seconds on a clock that the site does not show
GONE = 404
NONSENSE = ("IMPOSSIBLE_TO_ASK", "NONSENSE", "INVALID_UCI")

RESERVE, SHARES = 30.0, 20
HURRY = 10.0  # seconds on the clock below which any allowed try is played at once
LEAST = 0.05  # seconds that the rest of a turn gets, however low the clock
SHORTEST = 0.5  # seconds for which a player is waited for at least

SCHEMA, FACTS = 1, ("site", "bot", "code", "rules", "color", "opponent")


@dataclass(slots=True)
class GameStatus:
    """The state of a game, as the bot's owner sees it: seconds `left` on our clock and theirs, the `last` event."""

    code: str
    opponent: str
    rules: str
    color: str = "?"
    ply: int = 0
    is_ours: bool = False
    left: tuple[float, float] = (0.0, 0.0)
    last: str = ""


class OnlineGame:
    """One game of the bot, which plays for one side; `report` takes lines about events.

    Its record is a JSON file of how our side thought and, at the end, what it knew, with the player's seed.
    Earlier thoughts in the file stay. `facts` are values of `FACTS`. Raises OSError if the record cannot be saved.
    """

    def __init__(self, site: Site, player: str, folder: Path, facts: Json, report: Callable[[str], None]) -> None:
        self._site, self._spec, self._rules = site, parse_spec(player), SITE_RULES[facts["rules"]]
        self.status = GameStatus(facts["code"], str(facts.get("opponent")), facts["rules"])
        self._path = folder / f"{facts['code']}.json"
        thoughts = _load(self._path).get("thoughts")
        self._thoughts = thoughts if isinstance(thoughts, list) else []
        self._record: Json = {"schema": SCHEMA} | {name: facts.get(name) for name in FACTS}
        self._record |= {"player": player, "result": None, "seed": None, "log": [], "thoughts": self._thoughts}
        self._save()
        self._report, self._seed, self._is_seated = report, secrets.randbits(63), False
        self._seat = ProcessSeat(self._spec, has_own_seed=False, for_person=True)
        self._answers: dict[int, Json] = {}
        self._nonsense: set[tuple[int, chess.Move]] = set()
        self._guess, self._flag, self._known = 0, 0.0, -1  # `_known`: events before the last action that was shown

    def play(self) -> Json:
        """Play to the end and return the site's result. Raise SiteRefusal if the site gives no state, or Stopped."""
        try:
            state, wait = self._look(), FIRST_LOOK
            while state.get("state") != "completed":
                after = self._turn(state) if _is_due(state) else None
                wait = min(2 * wait, LONGEST_LOOK) if after is None else FIRST_LOOK
                if after is None:
                    self._site.pause(wait)
                state = after or self._look()
            self._end(state)
            result = state.get("result")
            return result if isinstance(result, dict) else {}
        except SiteRefusal as refusal:
            if refusal.status == GONE:
                self._end({"result": {"winner": None, "reason": refusal.code}})
            raise
        finally:
            self._seat.close()
            self._save()  # a stop may come before the site shows the last try

    def _look(self) -> Json:
        """Return the state of the game, and update the status and the time at which our flag falls."""
        state, now = self._site.ask(f"/game/{self.status.code}/state"), time.monotonic()
        clock, white, black = state.get("clock"), math.nan, math.nan
        with suppress(KeyError, OverflowError, TypeError, ValueError):
            white, black = (max(float(clock[f"{name}_remaining"]), 0.0) for name in COLORS)  # type: ignore[index]
        if not math.isfinite(white + black):
            white = black = UNKNOWN
        ours, status = color_of(state.get("your_color")), self.status
        status.left = (white, black) if ours else (black, white)
        status.color, status.is_ours = chess.COLOR_NAMES[bool(ours)], state.get("turn") == state.get("your_color")
        self._flag = now + status.left[0]
        return state

    def _turn(self, state: Json) -> Json | None:
        """Act on a state with us to move. Return a later state; None if there is nothing to do but wait."""
        reading = self._read(state)
        if reading is not None and len(reading.view.events) <= self._known:
            return None  # it is older than our last action
        action = self._choose(state, reading)
        if action is None:
            return None
        if reading is None:
            self._send(action)
            return None
        for _ in range(MAX_SENT):
            is_answered = self._send(action)
            if (self.status.ply, action) in self._nonsense:
                break
            for _ in range(LOOKS_ANSWERED if is_answered else LOOKS_UNANSWERED):
                state = self._look()
                now = self._read(state) if _is_due(state) else None
                if now is None or len(now.view.events) > len(reading.view.events):
                    self._known = len(reading.view.events)
                    return state
                self._site.pause(FIRST_LOOK)
            if is_answered and isinstance(action, chess.Move):  # but the log does not have it
                self._nonsense.add((self.status.ply, action))
                break
        return state

    def _read(self, state: Json) -> Reading | None:
        try:
            reading = read_state(state, self._rules, self._answers, self._guess)
        except Unreadable as error:
            self._log(f"a state that cannot be read ({error}); playing at random")
            return None
        self.status.ply = reading.view.ply
        return reading

    def _choose(self, state: Json, reading: Reading | None) -> Action | None:
        """Return our next action; None if the site allows none."""
        allowed, actions = self._allowed_moves(state), state.get("possible_actions")
        can_ask = isinstance(actions, list) and "ask_any" in actions
        for _ in range(MAX_STARTS + len(DOUBLES) * (reading is not None and reading.is_guessed)):
            if reading is None or self._flag - time.monotonic() <= HURRY or not allowed:
                break
            try:
                closed = sorted(set(reading.view.tries()).difference(allowed), key=chess.Move.uci)
                view = replace(reading.view, refused=(*reading.view.refused, *closed))
                return self._ask(view, can_ask=can_ask)
            except (PlayerFailed, CannotStart) as error:
                self._log(f"the player failed: {error}")
                self._is_seated = False
                self._guess += reading.is_guessed
                reading = self._read(state)
        return random.choice(allowed) if allowed else None

    def _ask(self, view: View, *, can_ask: bool) -> Action:
        """Return the player's answer, in the time that our clock leaves. Raise PlayerFailed."""
        if not self._is_seated:
            self._seat.begin(self._seed)
            self._is_seated = True
        left = self._flag - time.monotonic()
        self._seat.turn_seconds, self._seat.patience = seconds_for(left), patience_for(self._spec, left)
        attempt = ask_player(self._seat, view)
        action = attempt.choice.action
        assert isinstance(action, Action)  # for mypy: a program cannot leave
        if attempt.is_nonsense or (isinstance(action, AskAny) and not can_ask):
            raise PlayerFailed(Failure.STUBBORN, f"answered {action_code(action)}, which is not open to it")
        thought = {name: value for name, value in attempt.choice.report.written().items() if value}
        thought |= {"ply": view.ply, "action": action_code(action), "seconds": round(attempt.seconds, 3)}
        self._thoughts.append(thought)
        return action

    def _allowed_moves(self, state: Json) -> list[chess.Move]:
        """Return the tries that the site allows, without those that it has called nonsense."""
        names, moves = state.get("allowed_moves"), []
        for uci in names if isinstance(names, list) else []:
            with suppress(KeyError, TypeError, ValueError):
                moves.append(chess.Move.from_uci(uci))
        nonsense, ply = self._nonsense, self.status.ply
        return [move for move in moves if move and move.drop is None and (ply, move) not in nonsense]

    def _send(self, action: Action) -> bool:
        """Send an action. Return True if the site has answered; remember what it calls nonsense."""
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
            return False
        self.status.last = f"{action_code(action)}: {one_line(str(answer.get('announcement', 'done')), 80)}"
        if answer.get("announcement") in NONSENSE and isinstance(action, chess.Move):
            self._nonsense.add((self.status.ply, action))
        elif answer.get("move_done"):
            self._answers[self.status.ply] = answer
            try:
                self._save()
            except OSError as error:
                self._log(f"cannot save the record: {error.strerror or error}")
        return True

    def _end(self, state: Json) -> None:
        self._record |= {"result": state.get("result") or {}, "clock": state.get("clock"), "seed": str(self._seed)}
        self._record["log"] = state.get("referee_turns")
        self._save()

    def _save(self) -> None:
        write_file(self._path, (json.dumps(self._record, indent=1) + "\n").encode())

    def _log(self, line: str) -> None:
        self.status.last = line
        self._report(f"{self.status.code}: {line}")


def _is_due(state: Json) -> bool:
    return state.get("state") == "active" and state.get("turn") == state.get("your_color")


def seconds_for(left: float) -> float:
    """Return the seconds that the rest of a turn gets with `left` seconds on the clock."""
    return max(LEAST, (left - RESERVE) / SHARES)


def patience_for(spec: PlayerSpec, left: float) -> float:
    """Return the seconds after which the bot stops waiting for a player."""
    return min(patience_of(spec), max(SHORTEST, (left - HURRY) / 2))


def is_code(code: object) -> bool:
    """Return True for a possible code of a game, safe in file names and addresses."""
    return isinstance(code, str) and len(code) <= 40 and code.isascii() and code.isalnum()


def unfinished(folder: Path, site: str, bot: str) -> Iterator[Json]:
    """Yield the records of a bot's games that have no result."""
    for path in sorted(folder.glob("*.json")):
        data = _load(path)
        wanted = {"schema": SCHEMA, "site": site, "bot": bot, "code": path.stem, "result": None}
        if {name: data.get(name) for name in wanted} == wanted and str(data.get("rules")) in SITE_RULES:
            yield data


def _load(path: Path) -> Json:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
