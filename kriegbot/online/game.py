"""One online game: state -> View -> player -> try -> state, until the site says that it is over.

The state is the source: of what the site answers to a try, nothing is used but that it was answered, and what the log
leaves out (`reading`). So it does not matter whether an answer is lost, comes late or twice, or whether this process
has just been started. A try is sent again only after the state has shown that it was not made; and then the same one,
without asking the player.

A game must go on whatever happens. A player that fails is seated again; if it fails again, or the state cannot be read,
a random one of the tries that the site allows is played, and the log says so.
"""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import chess

from kriegbot.game.children import CannotStart
from kriegbot.game.seat import Failure, PlayerFailed
from kriegbot.online.player import HURRY, ClockPlayer
from kriegbot.online.reading import DOUBLES, Reading, Unreadable, color_of, read_state
from kriegbot.online.records import OnlineRecord
from kriegbot.online.site import Json, Refusal, Site, Uncertain
from kriegbot.players.specs import PlayerSpec
from referee import Action, AskAny, Resign, RuleSet, View, action_code
from referee.text import one_line

FIRST_LOOK, LONGEST_LOOK = 0.25, 3.0
"""Seconds between two looks at a game in which nothing has happened; each wait is twice the one before."""
MOST_LOOKS, FEW_LOOKS = 8, 2
"""Looks at states that do not show a try before it counts as not made: if it was answered, and if it was not."""
MOST_SENT = 5  # times that one try is sent, before another is chosen
GONE = 404
SEATINGS = 3
"""Times that a player is asked for one try; it sits down again after each failure, to another guess if there is one."""
UNKNOWN = 60.0  # seconds on a clock that the site does not show
NONSENSE = ("IMPOSSIBLE_TO_ASK", "NONSENSE", "INVALID_UCI")


@dataclass(slots=True)
class Shown:
    """Display data of a game.

    left: seconds on our clock and on theirs. last: what was done or heard last.
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
    """One game of the bot: who plays it, where it is written down and shown; `report` is told what happens."""

    def __init__(
        self,
        site: Site,
        spec: PlayerSpec,
        rules: RuleSet,
        record: OnlineRecord,
        shown: Shown,
        report: Callable[[str], None],
    ) -> None:
        self._site, self._rules, self._record, self.shown = site, rules, record, shown
        self._report, self._player = report, ClockPlayer(spec)
        self._answers: dict[int, Json] = {}
        self._guess = 0
        self._mark = (-1, -1)
        self._action: Action | None = None
        self._sent = 0
        self._nonsense: set[chess.Move] = set()
        self._is_answered = False
        self._looks = 0

    def play(self) -> Json:
        """Plays to the end, and returns the result as the site gives it.

        Raises Refusal if the site does not tell the state, with status `GONE` if it does not know the game any more;
        Stopped if this program is to end, but the game goes on.
        """
        try:
            wait = FIRST_LOOK
            while (state := self._site.ask(f"/game/{self.shown.code}/state")).get("state") != "completed":
                if self._turn(state):
                    wait = FIRST_LOOK
                else:
                    self._site.pause(wait)
                    wait = min(2 * wait, LONGEST_LOOK)
            self._record.end(state, self._player.seed)
            result = state.get("result")
            return result if isinstance(result, dict) else {}
        except Refusal as refusal:
            if refusal.status == GONE:
                self._record.end({"result": {"winner": None, "reason": refusal.code}}, self._player.seed)
            raise
        finally:
            self._player.close()

    def _turn(self, state: Json) -> bool:
        """Does what there is to do; False if there is nothing but to wait."""
        begun = time.monotonic()
        left = self._show(state)
        if state.get("state") != "active" or state.get("turn") != state.get("your_color"):
            return False
        reading = self._read(state)
        if reading is not None and not self._is_news(reading.view):
            return False
        if self._action is None or self._sent >= MOST_SENT or reading is None:
            self._action, self._sent = self._chosen(state, reading, begun + left), 0
        if self._action is None:
            return False
        self._sent += 1
        self._send(self._action)
        if reading is None:
            self._site.pause(FIRST_LOOK)
        return True

    def _is_news(self, view: View) -> bool:
        """Return True if a state, in which we are to move, is newer than our last try."""
        mark = (view.ply, len(view.events))
        if mark[1] > self._mark[1]:
            if view.ply != self._mark[0]:
                self._nonsense.clear()
            self._mark, self._action, self._sent = mark, None, 0
        elif self._looks > 0:
            self._looks -= 1
            return False
        elif self._is_answered and isinstance(self._action, chess.Move):  # and yet in no log
            self._nonsense.add(self._action)
            self._action = None
        self._is_answered, self._looks = False, 0
        return True

    def _show(self, state: Json) -> float:
        """Shows what people may see; returns the seconds on our clock."""
        clock = state.get("clock")
        names = ("white_remaining", "black_remaining")
        try:
            white, black = (max(float(clock[name]), 0.0) for name in names)  # type: ignore[index]  # see TypeError
        except (KeyError, OverflowError, TypeError, ValueError):
            white = black = UNKNOWN
        if not math.isfinite(white + black):
            white = black = UNKNOWN
        ours = color_of(state.get("your_color"))
        shown = self.shown
        shown.left = (white, black) if ours else (black, white)
        shown.color = chess.COLOR_NAMES[bool(ours)]
        shown.is_ours = state.get("turn") == state.get("your_color")
        return shown.left[0]

    def _read(self, state: Json) -> Reading | None:
        try:
            reading = read_state(state, self._rules, self._answers, self._guess)
        except Unreadable as error:
            self._say(f"a state that cannot be read ({error}); playing at random")
            return None
        self.shown.ply = reading.view.ply
        return reading

    def _chosen(self, state: Json, reading: Reading | None, flag: float) -> Action | None:
        """Return our next action; None if the site allows none. `flag`: `time.monotonic` when ours falls."""
        allowed = self._allowed(state)
        actions = state.get("possible_actions")
        can_ask = isinstance(actions, list) and "ask_any" in actions
        most = SEATINGS + len(DOUBLES) * (reading is not None and reading.is_guessed)
        for _ in range(most):
            left = flag - time.monotonic()
            if reading is None or left <= HURRY or not allowed:
                break
            try:
                return self._asked(_open(reading.view, allowed), left, can_ask=can_ask)
            except (PlayerFailed, CannotStart) as error:
                self._say(f"the player failed: {error}")
                self._player.stand_up()
                self._guess += reading.is_guessed
                reading = self._read(state)
        return random.choice(allowed) if allowed else None

    def _asked(self, view: View, left: float, *, can_ask: bool) -> Action:
        """The player's answer, if it is one that can be sent; raises PlayerFailed."""
        tried = self._player.ask(view, left)
        action = tried.choice.action
        assert isinstance(action, Action)  # for mypy: a program cannot leave
        if tried.is_nonsense or (isinstance(action, AskAny) and not can_ask):
            raise PlayerFailed(Failure.STUBBORN, f"answered {action_code(action)}, which is not open to it")
        self._record.add(tried)
        return action

    def _allowed(self, state: Json) -> list[chess.Move]:
        """The tries that the site allows, less those that it has called nonsense."""
        given = state.get("allowed_moves")
        found = []
        for uci in given if isinstance(given, list) else []:
            try:
                move = chess.Move.from_uci(uci)
            except (KeyError, TypeError, ValueError):
                continue
            if move and move.drop is None and move not in self._nonsense:
                found.append(move)
        return found

    def _send(self, action: Action) -> None:
        path, body = f"/game/{self.shown.code}", None
        match action:
            case Resign():
                path += "/resign"
            case AskAny():
                path += "/ask-any"
            case move:
                path, body = f"{path}/move", {"uci": move.uci()}
        self.shown.last = f"{action_code(action)}?"
        try:
            answer = self._site.command("POST", path, body)
        except (Refusal, Uncertain) as error:
            self._say(f"{action_code(action)}: {error}; looking whether it was done")
            self._looks = FEW_LOOKS
            return
        self.shown.last = f"{action_code(action)}: {one_line(str(answer.get('announcement', 'done')), 80)}"
        if answer.get("announcement") in NONSENSE and isinstance(action, chess.Move):
            self._nonsense.add(action)
            self._action = None
            return
        self._is_answered, self._looks = True, MOST_LOOKS
        if answer.get("move_done"):
            self._answers[self._mark[0]] = answer
            try:
                self._record.save()
            except OSError as error:
                self._say(f"cannot save the record: {error.strerror or error}")

    def _say(self, line: str) -> None:
        self.shown.last = line
        self._report(f"{self.shown.code}: {line}")


def _open(view: View, allowed: list[chess.Move]) -> View:
    """The view with no other tries open than the site allows."""
    closed = (move for move in set(view.tries()).difference(allowed))
    return replace(view, refused=(*view.refused, *sorted(closed, key=chess.Move.uci)))
