"""Games to look at: two programs that play while the page looks on, and games that were saved."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import chess

from kriegbot.cli.arguments import player_of, rules_of, seed_of
from kriegbot.cli.errors import Refused
from kriegbot.cli.moments import Narrator
from kriegbot.players.base import Choice, PlayerLeft
from kriegbot.players.seat import Seat
from kriegbot.players.specs import PlayerSpec
from kriegbot.web.hosting import BadMessage, Hosted, House, Message
from kriegbot.web.review import Review
from kriegbot.web.seats import HouseSeat
from referee import GameRecord, RuleSet, View
from tournaments.match import play_game

MOST_PACE = 10.0
"""Seconds between two tries at most."""

log = logging.getLogger("kriegbot.web")


class Onlooked:
    """A seat whose player is looked at.

    Args:
      seat: where it sits.
      see: shown each view that the player is asked about, before it is.
      wait: shown each view in which the player waits; the game goes on when it returns.
    """

    def __init__(self, seat: Seat, see: Callable[[View], None], wait: Callable[[View], None]) -> None:
        self.name = seat.name
        self._seat, self._see, self._wait = seat, see, wait

    def begin(self, seed: int) -> None:
        """Seats a player for a new game."""
        self._seat.begin(seed)

    def ask(self, view: View) -> Choice:
        """The player's answer."""
        self._see(view)
        return self._seat.ask(view)

    def wait(self, view: View) -> None:
        """Waits as long as the page wants."""
        self._wait(view)

    def log(self) -> str:
        """What the player has written."""
        return self._seat.log()

    def close(self) -> None:
        """Leaves the seat as it is: it is kept for other games."""


class Watched(Hosted):
    """Two programs at play; the page sees everything, try by try.

    Args:
      house: where.
      players: White's spec and Black's.
      rules: the rule set.
      seed: of the match.
      pace: seconds from one try to the next at least.
    """

    kind = "watch"
    kept = ("game", "pace", "over")

    def __init__(
        self, house: House, players: tuple[PlayerSpec, PlayerSpec], rules: RuleSet, seed: int, pace: float
    ) -> None:
        super().__init__(house)
        self._players, self._rules, self._seed, self._pace = players, rules, seed, pace
        self._seats: list[HouseSeat] = []
        self._narrator = Narrator()
        self._waiting: View | None = None
        self._shown = 0.0
        self._is_paused, self._why = False, ""
        self._changed = threading.Condition()
        names = [str(spec) for spec in players]
        self.review = Review(self.id, dict(zip(chess.COLORS, names, strict=True)))
        self.review.is_live = True
        self.publish(game_message(self, names, rules, str(seed)))
        self._publish_pace()

    def begin(self) -> None:
        """Starts the game."""
        self._seats = [self.house.seats.take(spec) for spec in self._players]
        self.run_in_thread(self._play)

    def stop(self, why: str) -> None:
        """Breaks the game off if it is live."""
        if not self.is_live:
            return
        with self._changed:
            self._why = why
            self._changed.notify_all()
        for seat in self._seats:
            seat.leave(why)

    def take(self, message: Message) -> None:
        """Pauses and goes on, and plays faster or slower.

        Raises:
          BadMessage: it cannot be done.
        """
        match message:
            case {"do": "pause", "on": bool(is_paused)}:
                with self._changed:
                    self._is_paused = is_paused
            case {"do": "pace", "seconds": int(pace) | float(pace)} if 0 <= pace <= MOST_PACE:
                with self._changed:
                    self._pace = pace
            case {"do": "pace"}:
                raise BadMessage(f"A pace takes from 0 to {MOST_PACE:g} seconds.")
            case {"do": "leave"}:
                self.stop("broken off")
                return
            case _:
                super().take(message)
                return
        with self._changed:
            self._changed.notify_all()
        self._publish_pace()

    def _play(self) -> None:
        white, black = (Onlooked(seat, self._see, self._wait) for seat in self._seats)
        try:
            played = play_game(white, black, rules=self._rules, seed=self._seed, event="kriegbot play --web")
            if played.failed is not None:
                log.warning("game %s: %s\n%s", self.id, played.failed, played.failed.log)
            self._finish(played.record)
        except Exception:
            log.exception("game %s broke down", self.id)
            self.publish({"is": "refusal", "text": "The game broke down; the server's terminal says how."})
        finally:
            for seat in self._seats:
                self.house.seats.release(seat)

    def _see(self, view: View) -> None:
        """The player to move is asked: the one that waits has just been shown its view, too."""
        if self.review is None or self._waiting is None:
            return
        views = {view.color: view, self._waiting.color: self._waiting}
        index = len(self.review.frames)
        self.review.add(self._narrator.take(views))
        self.publish(self.review.message(index))
        self._shown = time.monotonic()

    def _wait(self, view: View) -> None:
        self._waiting = view
        with self._changed:
            while not self._why:
                left = self._shown + self._pace - time.monotonic()
                if not self._is_paused and left <= 0:
                    return
                self._changed.wait(None if self._is_paused else left)
        raise PlayerLeft(self._why)

    def _finish(self, record: GameRecord) -> None:
        self.record = record
        self.review = Review.of(self.id, record)
        saved = None
        try:
            saved = str(self.house.save(record, self.id))
        except OSError as error:
            log.error("cannot save to %s: %s", self.house.folder, error.strerror or error)
        self.publish(self.review.message())
        self.publish(over_message(record, saved))

    def _publish_pace(self) -> None:
        self.publish({"is": "pace", "seconds": self._pace, "paused": self._is_paused})


class Shown(Hosted):
    """A saved game.

    Args:
      house: where.
      record: the game.
      path: where it was saved.

    Raises:
      RecordError: the record is not that of a game.
    """

    kind = "replay"
    kept = ("game", "over")

    def __init__(self, house: House, record: GameRecord, path: str) -> None:
        super().__init__(house)
        self.record = record
        self.review = Review.of(self.id, record)
        players = [record.headers["White"], record.headers["Black"]]
        self.publish(game_message(self, players, record.rules, record.headers.get("Seed")))
        self.publish(over_message(record, path))


def watched(house: House, message: Message) -> Watched:
    """The game that somebody wants to watch.

    Raises:
      BadMessage: there can be no such game; the message says why.
    """
    match message:
        case {
            "white": str(white),
            "black": str(black),
            "rules": str(rules),
            "seed": None | int() as seed,
            "pace": int() | float() as pace,
        } if 0 <= pace <= MOST_PACE:
            pass
        case _:
            raise BadMessage(f"To watch takes two players, rules, a seed and a pace from 0 to {MOST_PACE:g} seconds.")
    try:
        number = seed_of(None if seed is None else str(seed))
        return Watched(house, (player_of(white), player_of(black)), rules_of(rules), number, pace)
    except Refused as error:
        raise BadMessage(str(error)) from None


def game_message(hosted: Hosted, players: Sequence[str], rules: RuleSet, seed: str | None) -> dict[str, Any]:
    """What game this is, for the page."""
    who = {"id": hosted.id, "kind": hosted.kind, "you": None, "white": players[0], "black": players[1]}
    return {"is": "game", **who, "rules": rules.title, "seed": seed}


def over_message(record: GameRecord, saved: str | None) -> dict[str, Any]:
    """How the game ended, for the page."""
    text = record.end.text() if record.end is not None else "the game was not finished"
    sentence = f"{text[0].upper()}{text[1:]}."
    return {"is": "over", "result": record.result, "text": sentence, "saved": saved, "seed": record.headers.get("Seed")}
