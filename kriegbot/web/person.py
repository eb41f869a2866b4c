"""A person's game on the page: the seat that shows views and waits for tries, and the game around it.

The game is `tournaments.match.play_game`, in a thread. What the browser is sent before the end is made by the seat,
which knows its side's views alone. Even the timing tells nothing more: when a view brings nothing new, nothing is sent.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

import chess

import referee
from kriegbot.players.base import Choice, PlayerLeft, Report
from kriegbot.players.notation import BadTry, read_action
from kriegbot.players.specs import PlayerSpec
from kriegbot.telling.diary import Diary
from kriegbot.telling.evenly import EvenTime
from kriegbot.web.hosting import Hosted, House, Newest
from kriegbot.web.messages import Asked, BadMessage, Heat, Known, Leave, Resign, Try, refusal
from kriegbot.web.messages import Clocks as ClocksShown
from kriegbot.web.review import Review
from kriegbot.web.seats import HouseSeat
from kriegbot.web.show import shown
from kriegbot.web.watch import game_message, over_message
from referee import Action, GameRecord, RuleSet, View
from tournaments.match import play_game

log = logging.getLogger("kriegbot.web")


class Clocks:
    """The time that both sides have used, as the person sees it: from view to view."""

    def __init__(self) -> None:
        self._used = dict.fromkeys(chess.COLORS, 0.0)
        self._running: chess.Color | None = None
        self._since = time.monotonic()

    def run(self, color: chess.Color | None) -> None:
        """Starts this side's clock, or none, and stops the other."""
        now = time.monotonic()
        if self._running is not None:
            self._used[self._running] += now - self._since
        self._running, self._since = color, now

    def shown(self) -> ClocksShown:
        """Seconds used by each side at the last `run`, and whose clock runs since."""
        white, black = (round(self._used[color], 1) for color in chess.COLORS)
        running = None if self._running is None else chess.COLOR_NAMES[self._running]
        return {"white": white, "black": black, "running": running}


class WebSeat:
    """Where the person sits.

    Args:
      publish: called with each view that brings something new, and its message for the browser; in the game's thread.
    """

    name, about = "human", ""

    def __init__(self, publish: Callable[[View, Known], None]) -> None:
        self._publish = publish
        self._diary, self._clocks, self._even = Diary(), Clocks(), EvenTime()
        self._shown: View | None = None
        self._asked: View | None = None
        self._has_resigned = False
        self._answers: SimpleQueue[Action | PlayerLeft] = SimpleQueue()
        self._lock = threading.Lock()

    def begin(self, seed: int) -> None:
        """Does nothing: the person is there."""

    def ask(self, view: View) -> Choice:
        """The person's try; raises PlayerLeft."""
        self._even.hold(view)
        begun = time.perf_counter()
        with self._lock:
            self._asked = view
        self.wait(view)
        answer = self._answers.get()
        if isinstance(answer, PlayerLeft):
            raise answer
        return Choice(answer, Report(seconds=time.perf_counter() - begun))

    def wait(self, view: View) -> None:
        """Shows a view, if it brings anything new."""
        self._even.begin(view)
        if view == self._shown:
            return
        self._shown = view
        self._clocks.run(None if view.end is not None else view.turn)
        self._diary.take(view)
        self._publish(view, shown(view, self._diary.entries, self._clocks.shown()))

    def log(self) -> str:
        """Nothing."""
        return ""

    def close(self) -> None:
        """Does nothing: the person may stay."""

    def answer(self, text: str) -> None:
        """The person tries something, or asks "Any?".

        Raises:
          BadTry: it is no open try.
          BadMessage: it is not the person's turn.
        """
        with self._lock:
            if self._has_resigned:
                raise BadMessage("You have resigned.")
            if self._asked is None:
                raise BadMessage("It is not your turn.")
            self._answers.put(read_action(text, self._asked))
            self._asked = None

    def resign(self) -> bool:
        """The person gives up; returns whether that takes effect at once, or after the opponent's move."""
        with self._lock:
            is_asked = self._asked is not None
            if not self._has_resigned:
                self._has_resigned, self._asked = True, None
                self._answers.put(referee.Resign())
            return is_asked

    def leave(self, why: str) -> None:
        """The person leaves, or has to. Idempotent."""
        with self._lock:
            self._asked = None
            self._answers.put(PlayerLeft(why))


class PersonGame(Hosted):
    """A person against a program.

    Args:
      house: where it is played.
      opponent: who plays the other side.
      color: the person's side.
      rules: the rule set.
      seed: of the opponent.
      is_seed_given: whether the person knows the seed. A program's moves follow from its seed, so a fresh seed is
        told only after the end.
    """

    kind = "play"

    def __init__(
        self, house: House, opponent: PlayerSpec, color: chess.Color, rules: RuleSet, seed: int, *, is_seed_given: bool
    ) -> None:
        super().__init__(house)
        self._opponent, self._color, self._rules, self._seed = opponent, color, rules, seed
        self._person = WebSeat(self._show)
        self._program: HouseSeat | None = None
        self._has_heat = False
        self._view: View | None = None
        self._heats = Newest(self._heat)
        names = {color: "you", (not color): str(opponent)}
        players = [names[chess.WHITE], names[chess.BLACK]]
        self.publish(game_message(self, players, rules, str(seed) if is_seed_given else None, color))

    def begin(self) -> None:
        """Starts the game."""
        self._program = program = self.house.seats.take(self._opponent, not self._color)
        self.run_in_thread(lambda: self._play(program))

    def stop(self, why: str) -> None:
        """Abandons the game if it is live."""
        if self.is_live and self._program is not None:
            self._person.leave(why)
            self._program.leave(why)

    def take(self, asked: Asked) -> None:
        """Does what the person asks for.

        Raises:
          BadMessage: it cannot be done.
        """
        if self.review is not None or not self.is_live:  # its thread may still be about to end
            super().take(asked)
            return
        match asked:
            case Try(text):
                try:
                    self._person.answer(text)
                except BadTry as error:
                    sentence = str(error).removesuffix(", or say help")  # which is for a terminal
                    self.publish(refusal(f"{sentence}."))
            case Resign():
                if not self._person.resign():
                    self.publish(refusal("You resign as soon as your opponent has moved."))
            case Leave():
                self.stop("the person left")
            case Heat(is_on):
                self._has_heat = is_on
                if is_on:
                    self._want_heat()
                else:
                    self._publish_heat(0, [])
            case _:
                raise BadMessage("That cannot be done in a game in progress.")

    def _show(self, view: View, message: Known) -> None:
        """In the game's thread."""
        self._view = view
        self.publish(message)
        if self._has_heat:
            self.house.call_soon(self._want_heat)

    def _want_heat(self) -> None:
        if self._has_heat and self._view is not None:
            self._heats.want(self._view)

    async def _heat(self, view: View) -> None:
        from kriegbot.web.analyst import AnalystFailed

        try:
            chances = await self.house.analyst.heat(self.id, view)
        except AnalystFailed as error:
            log.warning("no heat map: %s", error)
            chances = []
        if self._has_heat:
            self._publish_heat(view.ply, chances)

    def _publish_heat(self, ply: int, chances: list[list[float]]) -> None:
        self.publish({"is": "heat", "on": self._has_heat, "ply": ply, "chances": chances})

    def _play(self, program: HouseSeat) -> None:
        white, black = (self._person, program) if self._color else (program, self._person)
        try:
            try:
                played = play_game(white, black, rules=self._rules, seed=self._seed, event="kriegbot play --web")
            finally:
                self.house.seats.release(program)
            if played.failed is not None:
                log.warning("game %s: %s: %s\n%s", self.id, self._opponent, played.failed, played.failed.log)
            self._finish(played.record)
        except Exception:
            log.exception("game %s broke down", self.id)
            self.publish(refusal("The game broke down; the server's terminal says how."))

    def _finish(self, record: GameRecord) -> None:
        """The end: the last view, the result, the file, and then the truth."""
        review = Review.of(self.id, record)
        self._person.wait(review.views[self._color])
        self.record = record
        saved, trouble = None, ""
        try:
            saved = str(self.house.save(record, self.id))
        except OSError as error:
            trouble = f" The game could not be saved: {error.strerror or error}."
            log.error("cannot save to %s: %s", self.house.folder, error.strerror or error)
        over = over_message(record, saved, self._color)
        over["text"] += trouble
        self.publish(over)
        self.review = review
        self.publish(review.message())
