"""Games with people: against a program, or between two people; and each person's side.

`LiveGame` runs `kriegbot.game.match.play_game` in a thread. It can continue an unfinished game. To take a move back, it
stops the game and continues it from there; the program then restarts from its own view. `PersonGame` makes the messages
for one person's browser, and carries out its requests.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import chess

from kriegbot.game.match import play_game, without_last_turn
from kriegbot.game.seat import Seat
from kriegbot.narration.diary import own_men
from kriegbot.narration.helping import Help
from kriegbot.narration.moments import MAX_NAME, YOU, called
from kriegbot.players.human import BadTry
from kriegbot.players.specs import PlayerSpec
from kriegbot.request import Refused, seed_of
from kriegbot.web import replies, requests
from kriegbot.web.registry import GameThread, LatestRequest, PageGame, Registry
from kriegbot.web.replies import GameEnded, GameInfo, Reply, SideView, letters, refusal
from kriegbot.web.requests import Request
from kriegbot.web.review import AnalystFailed, Beliefs, Review
from kriegbot.web.seats import GameClock, PersonSeat, PooledSeat, TimeControl
from kriegbot.web.watch import SpectatorGame, WatchedGame, game_message, over_message
from referee import GameRecord, Reason, Referee, RuleSet, View
from referee.text import one_line

EVENT = "kriegbot play --web"
log = logging.getLogger("kriegbot.web")


@dataclass(frozen=True, slots=True)
class GameSetup:
    """The terms of a game. It may continue an unfinished game, `begun`, from a `file`.

    A program's moves follow from the seed, so the person learns a fresh seed only after the end.
    """

    rules: RuleSet
    seed: int
    is_seed_given: bool = False
    control: TimeControl | None = None
    begun: GameRecord | None = None
    file: Path | None = None


class LiveGame(GameThread):
    """One game, from its first try to its file, between people, programs, or one of each.

    Attributes:
      people: the sides that people play.
      watched: the game on the page, if no person plays.
      onlookers: the game on the page for others than its two people.
    """

    def __init__(
        self, registry: Registry, setup: GameSetup, programs: Mapping[chess.Color, PlayerSpec], pace: float = 0.0
    ) -> None:
        self.registry, self.setup, self.programs = registry, setup, programs
        self.clock = GameClock(setup.control, setup.begun)
        self.help = Help.of(setup.begun)
        self.people: dict[chess.Color, PersonGame] = {}
        self.watched = WatchedGame(registry, self, pace) if len(programs) == 2 else None
        self.onlookers = None if programs else SpectatorGame(registry)
        self._offer: tuple[chess.Color, int] | None = None
        self._seats: dict[chess.Color, PooledSeat] = {}
        self._seats_lock = threading.Lock()  # other games may get a seat as soon as it is released

    @property
    def is_for_two(self) -> bool:
        """True if two people play."""
        return not self.programs

    @property
    def pages(self) -> list[PersonGame | WatchedGame]:
        """The pages of the live game."""
        return [*self.people.values()] if self.watched is None else [self.watched]

    @property
    def key(self) -> str:
        """Its name in logs and files: the id of its first page."""
        return self.pages[0].id

    def check(self) -> None:
        """Raise Refused if a program from outside cannot play."""
        self.registry.check(self.programs.values(), self.setup.rules)

    def begin(self) -> None:
        """Start the game."""
        if self._thread is not None:
            return
        if self.onlookers is not None:
            self.registry.add(self.onlookers)
        self._seats = {color: self.registry.seats.take(program, color) for color, program in self.programs.items()}
        self._thread = threading.Thread(target=self._play, name=f"game {self.key}", daemon=True)
        self._thread.start()

    def stop(self, why: str) -> None:
        """Abandon the game if it is live."""
        if not self.is_live:
            return
        for side in self.pages:
            side.leave(why)
        with self._seats_lock:
            for seat in self._seats.values():
                seat.leave(why)

    def offer_draw(self, color: chess.Color, view: View | None) -> None:
        """Offer a draw for a side, or accept the opponent's offer, which stands until this side has moved."""
        if not self.is_for_two:
            raise Refused("Programs do not agree to draws. You can resign.")
        ply = 0 if view is None else view.ply
        if self._offer is not None and self._offer[0] != color and ply <= self._offer[1]:
            for side in self.people.values():
                side.seat.agree()
            return
        if view is not None and view.turn == color:
            ply += 1  # its own move comes before the opponent's
        self._offer = color, ply
        for side in self.people.values():
            side.publish(replies.DrawOffer(chess.COLOR_NAMES[color], ply))

    def _seat(self, color: chess.Color) -> Seat:
        if color in self.people:
            return self.people[color].seat
        seat = self._seats[color]
        if self.watched is None:
            seat.clock = self.clock
        else:
            self.watched.watch(seat)
        return seat

    def _play(self) -> None:
        setup, begun = self.setup, self.setup.begun
        white, black = self._seat(chess.WHITE), self._seat(chess.BLACK)
        try:
            try:
                while True:
                    played = play_game(white, black, rules=setup.rules, seed=setup.seed, event=EVENT, begun=begun)
                    if not any(side.seat.takes_back for side in self.people.values()):
                        break
                    self.help.taken_back += 1
                    begun = without_last_turn(played.record)
            finally:
                with self._seats_lock:
                    seats, self._seats = self._seats, {}
                for seat in seats.values():
                    self.registry.seats.release(seat)
            if played.failed is not None:
                programs = " and ".join(map(str, self.programs.values()))
                log.warning("game %s: %s: %s\n%s", self.key, programs, played.failed, played.failed.log)
            record = self._finish(played.record)
            if played.failed is None:
                self._count(record)
        except Exception:
            log.exception("game %s failed", self.key)
            for side in self.pages:
                side.publish(refusal("The game failed. The server's terminal says why."))

    def _count(self, record: GameRecord) -> None:
        """Count a game against a program in the results of whoever runs the server, if they played it."""
        if len(self.people) != 1:
            return
        ((color, side),) = self.people.items()
        if not side.is_mine:
            return
        try:
            text = self.registry.results.count(record, color, is_seed_given=self.setup.is_seed_given)
        except OSError as error:
            log.error("cannot store the result in %s: %s", self.registry.results.path, error.strerror or error)
        else:
            side.publish(self.registry.results_shown(side.id, text))

    def _finish(self, record: GameRecord) -> GameRecord:
        """Publish the last views, save the game, and publish its end; show the true boards if it is over for good."""
        clock = {} if self.setup.control is None else {"TimeControl": str(self.setup.control)}
        people = {chess.COLOR_NAMES[color]: side for color, side in self.people.items()}
        more = {f"{name.title()}Name": side.name for name, side in people.items() if side.name}
        more |= {"Host": name for name, side in people.items() if side.may_invite}  # noqa: B035 - one at most
        record = replace(record, headers={**record.headers, **clock, **more, **self.help.header()})
        review = Review.of(self.key, record)
        for color, side in self.people.items():
            side.seat.wait(review.views[color])
        saved, trouble = None, ""
        try:
            saved = self.registry.library.save(record, self.key)
            if self.setup.file is not None:
                self.setup.file.unlink(missing_ok=True)  # the new file has the whole game
        except OSError as error:
            trouble = f" The game could not be saved: {error.strerror or error}."
            log.error("cannot save to %s: %s", self.registry.library.folder, error.strerror or error)
        is_resumable = record.end is not None and record.end.reason is Reason.ABANDONED and saved is not None
        if self.watched is not None:
            self.watched.finish(record, saved, trouble, review)
        for side in self.people.values():
            side.finish(record, saved, trouble, None if is_resumable else review)
        if self.onlookers is not None:
            self.onlookers.finish(record, None if is_resumable else review)
        return record


class PersonGame(PageGame):
    """A person's side of a game. Between two people, one may pass on the other's link."""

    kind = "play"
    replayed = (
        GameInfo,
        SideView,
        replies.HeatMap,
        replies.DrawOffer,
        replies.Presence,
        replies.Names,
        GameEnded,
        replies.ResultsTable,
        replies.NextGame,
    )

    def __init__(self, game: LiveGame, color: chess.Color, *, may_invite: bool = False) -> None:
        super().__init__(game.registry, game)
        self.game, self.color, self.may_invite = game, color, may_invite
        self.is_for_guests = game.is_for_two
        self.seat = PersonSeat(self._show, game.clock, is_here=not game.is_for_two)
        game.people[color] = self
        self.name = ""
        self._browser: str | None = None
        self._has_heat = False
        self._has_company = True  # so that nothing announces that the other person has not come yet
        self._view: View | None = None
        self._heats, self._hints = LatestRequest(self._heat), LatestRequest(self._hint)

    def invitation(self) -> Reply | None:
        """Return the terms of the game if its seat is free."""
        if not self.game.is_for_two or self._browser is not None:
            return None
        setup, other = self.game.setup, self.game.people[not self.color]
        clock = None if setup.control is None else str(setup.control)
        return replies.Invited(self.id, chess.COLOR_NAMES[self.color], setup.rules.title, clock, other.name)

    def sit_down(self, browser: str, name: str) -> None:
        """Seat a browser; between two people only the first one. Raise Refused for others."""
        if self.game.is_for_two and self._browser not in (None, browser):
            why = "Somebody has already joined with this link. Open it in the browser in which you joined first."
            raise Refused(why)
        self._browser = browser
        if name:
            self.rename(name)

    def rename(self, name: str) -> None:
        """Tell both people the name of this one."""
        self.name = one_line(name, MAX_NAME)
        names = {color: side.name for color, side in self.game.people.items()}
        for side in self.game.people.values():
            side.publish(replies.Names(names[chess.WHITE], names[chess.BLACK]))

    @property
    def is_unattended(self) -> bool:
        """True if no browser shows the game from any side."""
        return not any(side.has_listeners for side in self.game.people.values())

    def leave(self, why: str) -> None:
        """Make the person leave."""
        self.seat.leave(why)

    def snapshot(self) -> list[Reply]:
        """Return the messages for a new listener."""
        self.seat.come()
        return super().snapshot()

    def join(self, listener: Callable[[Reply], None]) -> None:
        """Add a listener, and tell the other person if it is the first."""
        super().join(listener)
        self._tell_other(is_here=True)

    def part(self, listener: Callable[[Reply], None]) -> None:
        """Remove a listener, and tell the other person if it was the last."""
        super().part(listener)
        if not self.has_listeners:
            self._tell_other(is_here=False)

    def _tell_other(self, *, is_here: bool) -> None:
        other = self.game.people.get(not self.color)
        if other is not None and other._has_company is not is_here:
            other._has_company = is_here
            other.publish(replies.Presence(is_here))

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
        self._view = view
        self.publish(message)
        if self._has_heat:
            self.registry.call_soon(self._want_heat)

    def _want_heat(self) -> None:
        if self._has_heat and self._view is not None:
            self._heats.want(self._view)

    async def _heat(self, view: View) -> None:
        try:
            chances = await self.registry.analyst.ask(Beliefs.heat, f"{self.id} {self.game.help.taken_back}", view)
        except AnalystFailed as error:
            log.warning("no heat map: %s", error)
            chances = []
        if self._has_heat:
            self._publish_heat(view.ply, chances)

    def _publish_heat(self, ply: int, chances: list[list[float]]) -> None:
        self.publish(replies.HeatMap(self._has_heat, ply, chances))

    async def _hint(self, view: View) -> None:
        try:
            hint = await self.registry.analyst.ask(Beliefs.hint, f"{self.id} {self.game.help.taken_back}", view)
        except AnalystFailed as error:
            log.warning("no hint: %s", error)
            self.publish(refusal(f"No hint: {error}.", requests.GetHint))
            return
        if self.game.is_live:
            self.game.help.hints += 1
            self.publish(replies.HintMessage(view.ply, **hint))

    def finish(self, record: GameRecord, saved: Path | None, trouble: str, review: Review | None) -> None:
        """Publish the end; without a review as long as the game may be continued."""
        self.record = record
        hosts = [side._browser for side in self.game.people.values() if side.may_invite]
        is_host = not self.game.is_for_two or (self._browser is not None and self._browser in hosts)
        over = over_message(record, str(saved) if saved is not None and is_host else None, self.color)
        over.text += trouble
        if review is None:
            over.resumable, over.seed = True, None
        self.publish(over)
        if review is not None:
            self.review = review
            self.publish(review.message())

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
                game._browser, game.name = sides[color]._browser, sides[color].name
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
