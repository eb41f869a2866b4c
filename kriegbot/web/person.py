"""A person's side of a game on the page: what its browser is told, and what it may ask for."""

from __future__ import annotations

import logging
from pathlib import Path

import chess

from kriegbot.players.notation import BadTry
from kriegbot.players.specs import PlayerSpec
from kriegbot.web.registry import Hosted, House, Newest
from kriegbot.web.replies import Known, Told, refusal
from kriegbot.web.requests import Asked, BadMessage, Curtain, Draw, Heat, Hint, Leave, Rematch, Resign, TakeBack, Try
from kriegbot.web.review import Review
from kriegbot.web.seat import WebSeat
from kriegbot.web.table import Setting, Table
from kriegbot.web.watch import game_message, over_message
from referee import GameRecord, View

log = logging.getLogger("kriegbot.web")


class PersonGame(Hosted):
    """A person's side of a game.

    Args:
      table: the game.
      color: the person's side.
      may_invite: whether the person passes the other side's link on.
    """

    kind = "play"
    kept = ("game", "view", "heat", "offer", "over", "next")

    def __init__(self, table: Table, color: chess.Color, *, may_invite: bool = False) -> None:
        super().__init__(table.house)
        self.table, self.color, self.may_invite = table, color, may_invite
        self.is_for_guests = table.is_for_two
        self.seat = WebSeat(self._show, table.clock, is_here=not table.is_for_two)
        table.people[color] = self
        self._has_heat = False
        self._view: View | None = None
        self._heats, self._hints = Newest(self._heat), Newest(self._hint)

    @property
    def is_live(self) -> bool:
        """Whether the game is in progress."""
        return self.table.is_live

    @property
    def is_lonely(self) -> bool:
        """Whether nobody looks at the game from any side."""
        return not any(side.has_listeners for side in self.table.people.values())

    def begin(self) -> None:
        """Starts the game."""
        self.table.begin()

    def stop(self, why: str) -> None:
        """Abandons the game if it is live."""
        self.table.stop(why)

    def wait(self, seconds: float) -> None:
        """Waits for the end of the game, up to a timeout in seconds."""
        self.table.wait(seconds)

    def snapshot(self) -> list[Told]:
        """Everything that a new listener is told."""
        self.seat.come()
        return super().snapshot()

    def take(self, asked: Asked) -> None:
        """Does what the person asks for.

        Raises:
          BadMessage: it cannot be done.
        """
        if isinstance(asked, Rematch):
            self._play_again()
        elif isinstance(asked, Curtain):
            for side in self.table.people.values():
                side.seat.come()
        elif self.record is not None or not self.is_live:  # its thread may still be about to end
            super().take(asked)
        elif isinstance(asked, Heat | Hint | TakeBack):
            self._help(asked)
        else:
            self._act(asked)

    def _act(self, asked: Asked) -> None:
        match asked:
            case Try(text):
                try:
                    self.seat.answer(text)
                except BadTry as error:
                    sentence = str(error).removesuffix(", or say help")  # which is for a terminal
                    self.publish(refusal(f"{sentence}.", asked.do))
            case Resign():
                if not self.seat.resign():
                    self.publish(refusal("You resign as soon as your opponent has moved.", asked.do))
            case Leave():
                self.stop("the person left")
            case Draw():
                self.table.offer_draw(self.color, 0 if self._view is None else self._view.ply)
            case _:
                raise BadMessage("That cannot be done in a game in progress.")

    def _help(self, asked: Asked) -> None:
        if self.table.is_for_two:
            raise BadMessage("Between people there is no help.")
        match asked:
            case Heat(is_on):
                self._has_heat = is_on
                if is_on:
                    self._want_heat()
                else:
                    self._publish_heat(0, [])
            case Hint():
                self._hints.want(self.seat.asked())
            case TakeBack():
                self.table.take_back(self.color)

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
            chances = await self.house.analyst.heat(f"{self.id} {self.table.help.taken_back}", view)
        except AnalystFailed as error:
            log.warning("no heat map: %s", error)
            chances = []
        if self._has_heat:
            self._publish_heat(view.ply, chances)

    def _publish_heat(self, ply: int, chances: list[list[float]]) -> None:
        self.publish({"is": "heat", "on": self._has_heat, "ply": ply, "chances": chances})

    async def _hint(self, view: View) -> None:
        from kriegbot.web.analyst import AnalystFailed

        try:
            found = await self.house.analyst.hint(f"{self.id} {self.table.help.taken_back}", view)
        except AnalystFailed as error:
            log.warning("no hint: %s", error)
            self.publish(refusal(f"No hint: {error}.", Hint.do))
            return
        if self.is_live:
            self.table.help.hints += 1
            self.publish({"is": "hint", "ply": view.ply, **found})

    def finish(self, record: GameRecord, saved: Path | None, trouble: str, review: Review | None) -> None:
        """The end; without a review, as long as the game may be played on."""
        self.record = record
        over = over_message(record, None if saved is None else str(saved), self.color)
        over["text"] += trouble
        if review is None:
            over["resumable"], over["seed"] = True, None
        self.publish(over)
        if review is not None:
            self.review = review
            self.publish(review.message())

    def _play_again(self) -> None:
        if self.record is None:
            raise BadMessage("This game has not ended.")
        if "next" not in self._last:
            old = self.table.setting
            setting = Setting(old.rules, self.house.seed(), control=old.control)
            sides = {not color: side.may_invite for color, side in self.table.people.items()}
            games = seated(self.house, setting, self.table.program, sides)
            for game in games.values():
                self.house.add(game)
            for color, side in self.table.people.items():
                side.publish({"is": "next", "game": games[not color].id})
        else:
            self.publish(self._last["next"])


def seated(
    house: House, setting: Setting, program: PlayerSpec | None, people: dict[chess.Color, bool]
) -> dict[chess.Color, PersonGame]:
    """The sides of a new game.

    Args:
      house: where it is played.
      setting: what is agreed on.
      program: who plays against one person; None for two people.
      people: their sides, and whether each passes the other's link on.
    """
    table = Table(house, setting, program)
    sides = {color: PersonGame(table, color, may_invite=may_invite) for color, may_invite in people.items()}
    for color, side in sides.items():
        opponent = "opponent" if program is None else str(program)
        names = ("you", opponent) if color else (opponent, "you")
        seed = str(setting.seed) if setting.is_seed_given else None
        message = game_message(side, names, setting.rules, seed, color)
        message["two"] = table.is_for_two
        message["clock"] = None if setting.control is None else str(setting.control)
        if side.may_invite:
            message["invitation"] = f"/{house.guest_token}/#game={sides[not color].id}"
        side.publish(message)
    return sides
