"""A person's side of a game against a program or another person: messages for its browser, and its requests."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import chess

from kriegbot.narration.diary import own_men
from kriegbot.narration.moments import YOU, called
from kriegbot.players.human import BadTry
from kriegbot.players.specs import PlayerSpec
from kriegbot.request import Refused, seed_of
from kriegbot.web import replies, requests
from kriegbot.web.live import GameSetup, LiveGame, Side
from kriegbot.web.registry import LatestRequest, Registry
from kriegbot.web.replies import SideView, letters, refusal
from kriegbot.web.requests import Request
from kriegbot.web.review import AnalystFailed, Beliefs
from kriegbot.web.watch import game_message
from referee import Referee, View

log = logging.getLogger("kriegbot.web")


class PersonGame(Side):
    """A person's side of a game, which carries out its requests."""

    def __init__(self, game: LiveGame, color: chess.Color, *, may_invite: bool = False) -> None:
        super().__init__(game, color, may_invite=may_invite)
        self._has_heat = False
        self._heats, self._hints = LatestRequest(self._heat), LatestRequest(self._hint)
        self._follows = LatestRequest(self._follow)

    def take(self, request: Request) -> None:
        """Carry out a request of the person."""
        match request:
            case requests.Rematch():
                self._play_again()
            case requests.Rename(name) if self.game.is_for_two:
                self.rename(name)
            case requests.PrivacyScreen():
                for side in self.game.people.values():
                    side.seat.come()
            case _ if self.record is not None or not self.game.is_live:  # its thread may still be about to end
                super().take(request)
            case requests.Try(text):
                try:
                    self.seat.answer(text)
                except BadTry as error:
                    self.publish(refusal(str(error), request))
            case requests.Prepare(text):
                try:
                    self.publish(self.seat.prepare(text))
                except BadTry as error:
                    self.publish(refusal(str(error), request))
            case requests.ResignGame():
                if not self.seat.resign():
                    self.publish(refusal("You will resign as soon as your opponent has moved.", request))
            case requests.LeaveGame():
                self.game.stop("the person left")
            case requests.NewLink() if self.may_invite:
                games = self._another(self.game.setup, swaps=False)
                self.publish(replies.NextGame(games[self.color].id))
                self.game.stop("there is a new link")
            case requests.Draw():
                self.game.offer_draw(self.color, self._view)
            case requests.SetHeat() | requests.GetHint() | requests.TakeBack() if self.game.is_for_two:
                raise Refused("There is no help in a game between people.")
            case requests.SetHeat(is_on):
                self._has_heat = is_on
                self._want_heat()
                if not is_on:
                    self._publish_heat(0, [])
            case requests.GetHint():
                self._hints.want(self.seat.turn_view())
            case requests.TakeBack():
                self.seat.take_back()
            case _:
                raise Refused("That cannot be done in a game in progress.")

    def _show(self, view: View, message: SideView) -> None:
        """Publish a view; in the game's thread."""
        super()._show(view, message)
        if self._has_heat:
            self.registry.call_soon(self._want_heat)
        if self.game.programs and view.turn == view.color and view.end is None:
            self.registry.call_soon(partial(self._follows.want, view))

    def _want_heat(self) -> None:
        if self._has_heat and self._view is not None:
            self._heats.want(self._view)

    async def _follow(self, view: View) -> None:
        """Let the analyst follow this side of the game, so that the review begins at once."""
        with suppress(AnalystFailed):
            await self.registry.analyst.ask(Beliefs.follow, self.game.analysis, view)

    async def _heat(self, view: View) -> None:
        try:
            chances = await self.registry.analyst.ask(Beliefs.heat, self.game.analysis, view)
        except AnalystFailed as error:
            log.warning("no heat map: %s", error)
            chances = []
        if self._has_heat:
            self._publish_heat(view.ply, chances)

    def _publish_heat(self, ply: int, chances: list[list[float]]) -> None:
        self.publish(replies.HeatMap(self._has_heat, ply, chances))

    async def _hint(self, view: View) -> None:
        try:
            hint = await self.registry.analyst.ask(Beliefs.hint, self.game.analysis, view)
        except AnalystFailed as error:
            log.warning("no hint: %s", error)
            self.publish(refusal(f"No hint: {error}.", requests.GetHint))
            return
        if self.game.is_live:
            self.game.help.hints += 1
            self.publish(replies.HintMessage(view.ply, **hint))

    def _play_again(self) -> None:
        if self.record is None:
            raise Refused("This game is not over yet.")
        if replies.NextGame not in self._last:
            games = self._another(self.game.setup, swaps=True)
            for color, side in self.game.people.items():
                side.publish(replies.NextGame(games[not color].id))
        else:
            self.publish(self._last[replies.NextGame])

    def _another(self, old: GameSetup, *, swaps: bool) -> dict[chess.Color, PersonGame]:
        """Add a new game on the same terms: a rematch of both people, or a game of this one with anybody."""
        sides = {color ^ swaps: side for color, side in self.game.people.items()}
        programs = {color ^ swaps: program for color, program in self.game.programs.items()}
        may_invite = {color: side.may_invite for color, side in sides.items()}
        setup = GameSetup(old.rules, seed_of(None), control=old.control)
        games = seat_people(self.registry, setup, programs, may_invite)
        for color, game in games.items():
            if swaps or sides[color] is self:
                game.browser, game.name = sides[color].browser, sides[color].name
            if game.name:
                game.rename(game.name)
        for game in games.values():
            self.registry.add(game)
        return games


def seat_people(
    registry: Registry, setup: GameSetup, programs: Mapping[chess.Color, PlayerSpec], people: dict[chess.Color, bool]
) -> dict[chess.Color, PersonGame]:
    """Return the sides of people in a new game; `people` says of each if it may pass on the other's link."""
    game = LiveGame(registry, setup, programs)
    sides = {color: PersonGame(game, color, may_invite=may_invite) for color, may_invite in people.items()}
    referee = Referee(setup.rules)
    if setup.begun is not None:
        *_, step = setup.begun.replay()
        referee = step.referee
    for color, side in sides.items():
        opponent = called(str(programs[not color])) if programs else "Opponent"
        names = (YOU, opponent) if color else (opponent, YOU)
        seed = str(setup.seed) if setup.is_seed_given else None
        message = game_message(side, names, setup.rules, seed, color)
        message.men = letters(own_men(referee.view(color)))
        message.two = game.is_for_two
        message.onlookers = None if game.onlookers is None else f"/{registry.guest_token}/#game={game.onlookers.id}"
        message.clock = None if setup.control is None else str(setup.control)
        if side.may_invite:
            message.invitation = f"/{registry.guest_token}/#game={sides[not color].id}"
        side.publish(message)
    return sides
