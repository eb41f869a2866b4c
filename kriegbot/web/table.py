"""A game in progress: `kriegbot.game.match.play_game` in a thread, between people, or a person and a program.

It may be a game that was broken off, played on; and a move taken back stops the game and plays it on from there. In
both cases a program sits down anew, and learns what has happened from its side's view, as it would in any game.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import chess

from kriegbot.game.match import play_game
from kriegbot.players.specs import PlayerSpec
from kriegbot.web.clock import Clock, Control
from kriegbot.web.help_taken import Help
from kriegbot.web.registry import House
from kriegbot.web.replies import Told, refusal
from kriegbot.web.requests import BadMessage
from kriegbot.web.review import Review
from kriegbot.web.seat import ClockedSeat, WebSeat, rewound
from kriegbot.web.seats import HouseSeat
from referee import GameRecord, Reason, RuleSet

EVENT = "kriegbot play --web"
log = logging.getLogger("kriegbot.web")


@dataclass(frozen=True, slots=True)
class Setting:
    """What is agreed on before a game.

    Attributes:
      rules: the rule set.
      seed: of the programs.
      is_seed_given: whether the person knows the seed. A program's moves follow from its seed, so a fresh seed is told
        only after the end.
      control: of the clock; None for none.
      begun: a game that was broken off, to be played on.
      file: where that was saved.
    """

    rules: RuleSet
    seed: int
    is_seed_given: bool = False
    control: Control | None = None
    begun: GameRecord | None = None
    file: Path | None = None


class Side(Protocol):
    """What a game asks of a person's side, which is `kriegbot.web.person.PersonGame`."""

    id: str
    seat: WebSeat
    may_invite: bool

    @property
    def has_listeners(self) -> bool:
        """Whether anybody is told of it."""
        ...

    def publish(self, message: Told) -> None:
        """Sends a message to all listeners, in any thread."""
        ...

    def finish(self, record: GameRecord, saved: Path | None, trouble: str, review: Review | None) -> None:
        """The end; without a review, as long as the game may be played on."""
        ...


class Table:
    """One game, from its first try to its file.

    Args:
      house: where it is played.
      setting: what was agreed on.
      program: who plays against the person; None between two people.
    """

    def __init__(self, house: House, setting: Setting, program: PlayerSpec | None) -> None:
        self.house, self.setting, self.program = house, setting, program
        self.clock = Clock(setting.control, setting.begun)
        self.help = Help.of(setting.begun)
        self.people: dict[chess.Color, Side] = {}
        self._offer: tuple[chess.Color, int] | None = None
        self._seat: HouseSeat | None = None
        self._held = threading.Lock()  # for the program's seat, which another game may have as soon as it is released
        self._thread: threading.Thread | None = None

    @property
    def is_live(self) -> bool:
        """Whether the game is in progress."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_for_two(self) -> bool:
        """Whether two people play."""
        return self.program is None

    def begin(self) -> None:
        """Starts the game, once the house has taken it in. Idempotent."""
        if self._thread is not None:
            return
        if self.program is not None:
            (color,) = self.people
            self._seat = self.house.seats.take(self.program, not color)
        self._thread = threading.Thread(target=self._play, name=f"game {self.key}", daemon=True)
        self._thread.start()

    @property
    def key(self) -> str:
        """Its name in logs and files: that of its first side."""
        return next(iter(self.people.values())).id

    def stop(self, why: str) -> None:
        """Abandons the game if it is live; in any thread, returns at once. Idempotent."""
        if not self.is_live:
            return
        for side in self.people.values():
            side.seat.leave(why)
        with self._held:
            if self._seat is not None:
                self._seat.leave(why)

    def wait(self, seconds: float) -> None:
        """Waits for the end of the game's thread, up to a timeout in seconds."""
        if self._thread is not None:
            self._thread.join(seconds)

    def take_back(self, color: chess.Color) -> None:
        """Takes a side's last move back, and the reply.

        Raises:
          BadMessage: it cannot be done.
        """
        if self.is_for_two:
            raise BadMessage("Between people, what is played is played.")
        self.people[color].seat.take_back()

    def offer_draw(self, color: chess.Color, ply: int) -> None:
        """A side offers a draw, or accepts the other's offer, which stands until it has moved itself.

        Raises:
          BadMessage: the opponent is a program.
        """
        if not self.is_for_two:
            raise BadMessage("A program plays on to the end; you can resign.")
        if self._offer is not None and self._offer[0] != color and ply <= self._offer[1] + 1:
            for side in self.people.values():
                side.seat.agree()
            return
        self._offer = color, ply
        for side in self.people.values():
            side.publish({"is": "offer", "by": chess.COLOR_NAMES[color], "ply": ply})

    def _seats(self) -> Mapping[chess.Color, WebSeat | ClockedSeat]:
        seats: dict[chess.Color, WebSeat | ClockedSeat] = {color: side.seat for color, side in self.people.items()}
        for color in chess.COLORS:
            if color not in seats and self._seat is not None:
                seats[color] = ClockedSeat(self._seat, self.clock)
        return seats

    def _play(self) -> None:
        setting, seats = self.setting, self._seats()
        begun = setting.begun
        try:
            try:
                while True:
                    played = play_game(
                        seats[chess.WHITE],
                        seats[chess.BLACK],
                        rules=setting.rules,
                        seed=setting.seed,
                        event=EVENT,
                        begun=begun,
                    )
                    if not any(side.seat.takes_back for side in self.people.values()):
                        break
                    self.help.taken_back += 1
                    begun = rewound(played.record)
            finally:
                with self._held:
                    seat, self._seat = self._seat, None
                if seat is not None:
                    self.house.seats.release(seat)
            if played.failed is not None:
                log.warning("game %s: %s: %s\n%s", self.key, self.program, played.failed, played.failed.log)
            self._finish(played.record)
        except Exception:
            log.exception("game %s broke down", self.key)
            for side in self.people.values():
                side.publish(refusal("The game broke down; the server's terminal says how."))

    def _finish(self, record: GameRecord) -> None:
        """The end: the last views, the result, the file, and then the truth, unless the game may be played on."""
        clock = {} if self.setting.control is None else {"TimeControl": str(self.setting.control)}
        hosts = [chess.COLOR_NAMES[color] for color, side in self.people.items() if side.may_invite]
        host = {"Host": hosts[0]} if hosts else {}
        record = replace(record, headers={**record.headers, **clock, **host, **self.help.header()})
        review = Review.of(self.key, record)
        for color, side in self.people.items():
            side.seat.wait(review.views[color])
        saved, trouble = None, ""
        try:
            saved = self.house.library.save(record, self.key)
            if self.setting.file is not None:
                self.setting.file.unlink(missing_ok=True)  # it has been played on
        except OSError as error:
            trouble = f" The game could not be saved: {error.strerror or error}."
            log.error("cannot save to %s: %s", self.house.library.folder, error.strerror or error)
        is_resumable = record.end is not None and record.end.reason is Reason.ABANDONED and saved is not None
        for side in self.people.values():
            side.finish(record, saved, trouble, None if is_resumable else review)
