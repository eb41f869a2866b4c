"""Pages of games: sides of people, programs to watch, saved games, games of others; and how browsers ask for them."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import chess
import msgspec

from kriegbot.narration.glance import own_men
from kriegbot.narration.moments import Narrator
from kriegbot.narration.names import YOU, both_called, both_named, called, rules_called
from kriegbot.players.human import BadTry
from kriegbot.players.specs import PlayerSpec
from kriegbot.request import (
    PERSON,
    Refused,
    check_sandbox,
    color_of,
    is_resumable,
    limits_of,
    program_in,
    program_of,
    rules_of,
    seed_of,
)
from kriegbot.web import notices
from kriegbot.web.library import Seating
from kriegbot.web.live import ONLOOKERS, GameSetup, LiveGame, Side
from kriegbot.web.notices import HeatMap, NextGame, NotYet, Refusal, SideView, letters
from kriegbot.web.registry import PageGame, Registry
from kriegbot.web.requests import Act, Invite, New, Rename, Request, SetPace, Switch, Watch, WithTry
from kriegbot.web.review import AnalystFailed, Beliefs, Review
from kriegbot.web.seats import TimeControl
from referee import GameRecord, Referee, View


class PersonGame(Side):
    """A person's side of a game, which carries out its requests."""

    _has_heat = False

    def take(self, request: Request) -> None:
        """Carry out a request of the person."""
        match request:
            case Act("rematch"):
                self._play_again()
            case Rename(name) if self.game.is_for_two:
                self.rename(name)
            case Act("privacyscreen"):
                for side in self.game.people.values():
                    side.seat.here.set()
            case _ if self.record is not None or not self.game.is_alive():  # its thread may still be about to end
                super().take(request)
            case WithTry(do, text):
                try:
                    if do == "try":
                        self.seat.answer(text)
                    else:
                        self.publish(self.seat.prepare(text))
                except BadTry as error:
                    self.publish(Refusal(str(error), do))
            case Act("resign"):
                if not self.seat.resign():
                    self.publish(Refusal("You will resign as soon as your opponent has moved.", request.do))
            case Act("leave"):
                self.game.stop("the person left")
            case Act("newlink") if self.may_invite:
                games = self._another(self.game.setup, swaps=False)
                self.publish(NextGame(games[self.color].id))
                self.game.stop("there is a new link")
            case Act("freeseat") if self.may_invite:
                self.game.people[not self.color].free()
            case Act("claimwin" | "claimdraw" as do) if self.game.is_for_two:
                self.claim(is_draw=do == "claimdraw")
            case Act("draw"):
                self.game.offer_draw(self.color, self.seat.view)
            case Switch("heat") | Act("hint") | Act("takeback") if self.game.is_for_two:
                raise Refused("There is no help in a game between people.")
            case Switch("heat", is_on):
                self._has_heat = is_on
                self._want_heat()
                if not is_on:
                    self.publish(HeatMap(False, 0, []))
            case Act("hint"):
                self.work("hint", "hint", self._hint, self.seat.turn_view())
            case Act("takeback"):
                self.seat.take_back()
            case _:
                raise Refused("That cannot be done in a game in progress.")

    def _show(self, message: SideView) -> None:
        super()._show(message)
        if message.ended:  # a game that is broken off may go on, from the view before this one
            return
        if self._has_heat:
            self.registry.call_soon(self._want_heat)
        if self.game.programs and message.yours:
            self.registry.call_soon(partial(self.work, "follow", "", self._follow, self.seat.view))
        if message.check:
            self.registry.call_soon(partial(self.work, "checkers", "", self._find_checkers, self.seat.view))

    def _want_heat(self) -> None:
        if self._has_heat and self.seat.view is not None and self.seat.view.end is None:
            self.work("heat", "map of enemy pieces", self._heat, self.seat.view)

    async def _follow(self, view: View) -> None:
        # so that the review begins at once
        with suppress(AnalystFailed):
            await self.registry.analyst.ask(Beliefs.value_ahead, self.game.analysis, view)

    async def _heat(self, view: View) -> None:
        try:
            chances, basis, _ = await self.registry.analyst.ask(Beliefs.belief, self.game.analysis, view)
        except AnalystFailed:
            self._has_heat = False
            self.publish(HeatMap(False, 0, []))
            raise
        if self._has_heat:
            self.publish(HeatMap(True, view.ply, chances, basis))

    async def _find_checkers(self, view: View) -> None:
        with suppress(AnalystFailed):
            belief = await self.registry.analyst.ask(Beliefs.belief, self.game.analysis, view)
            self.publish(notices.CheckersFound(view.ply, belief.checkers))

    async def _hint(self, view: View) -> None:
        hint = await self.registry.analyst.ask(Beliefs.hint, self.game.analysis, view)
        if self.game.is_alive():
            self.game.help.hints += 1
            self.publish(notices.HintMessage(view.ply, **hint))

    def _play_again(self) -> None:
        if self.record is None:
            raise Refused("This game is not over yet.")
        if NextGame not in self._last:
            games = self._another(self.game.setup, swaps=True)
            for color, side in self.game.people.items():
                side.publish(NextGame(games[not color].id))
        else:
            self.publish(self._last[NextGame])

    def _another(self, old: GameSetup, *, swaps: bool) -> "dict[chess.Color, PersonGame]":
        """Add a new game on the same terms: a rematch, or a game of this person with anybody."""
        sides = {color ^ swaps: side for color, side in self.game.people.items()}
        programs = {color ^ swaps: program for color, program in self.game.programs.items()}
        may_invite = {color: side.may_invite for color, side in sides.items()}
        known = {color: side for color, side in sides.items() if swaps or side is self}
        browsers = {
            str(chess.COLOR_NAMES[color]): side.browser for color, side in known.items() if side.browser is not None
        }
        seating = Seating({}, browsers, all(side.is_mine for side in sides.values()))
        setup = GameSetup(old.rules, seed_of(None), control=old.control, limits=old.limits, seating=seating)
        games = seat_people(self.registry, setup, programs, may_invite)
        for color, side in known.items():
            if side.name:
                games[color].rename(side.name)
        for game in games.values():
            self.registry.add(game)
        return games


class WatchedGame(PageGame):
    """Two programs at play. The page sees everything, try by try; `pace` is the least time between tries in seconds."""

    kind = "watch"

    def __init__(self, game: LiveGame, pace: float) -> None:
        super().__init__(game.registry, game)
        game.watched, game.on_ask, game.on_wait = self, self._see, self._wait
        self._narrator = Narrator()
        self._waiting: View | None = None
        self._shown, self._why = 0.0, ""
        self._changed = threading.Condition()
        self.review = Review(self.id)
        self.review.is_live = True
        self._set_pace(pace, is_paused=False)

    def leave(self, why: str) -> None:
        """End the game, which no longer waits for the page."""
        with self._changed:
            self._why = why
            self._changed.notify_all()

    def take(self, request: Request) -> None:
        """Carry out a request of a browser; on the event loop."""
        match request:
            case Switch("pause", is_paused):
                self._set_pace(self._pace, is_paused=is_paused)
            case SetPace(seconds):
                self._set_pace(seconds, is_paused=self._is_paused)
            case Act("leave"):
                self.play.stop("broken off")
            case _:
                super().take(request)

    def _set_pace(self, seconds: float, *, is_paused: bool) -> None:
        with self._changed:
            self._pace, self._is_paused = seconds, is_paused
            self._changed.notify_all()
        self.publish(notices.PaceSet(seconds, is_paused))

    def _see(self, view: View) -> None:
        """Add a frame before a program's try. The waiting program has just received its view, too."""
        if self.review is None or self._waiting is None:
            return
        views = {view.color: view, self._waiting.color: self._waiting}
        index = len(self.review.frames)
        self.review.add(self._narrator.tell(views), views)
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


class ReplayedGame(PageGame):
    """A saved game and the path of its file; raises RecordError if it cannot be replayed.

    With the id of a page of the game, it is for people who had this page, and shows no path.
    """

    kind = "replay"

    def __init__(self, registry: Registry, record: GameRecord, path: str | None, id_: str | None = None) -> None:
        super().__init__(registry, id_=id_)
        if id_ is not None:
            self.is_for_guests = record.headers["White"] == record.headers["Black"] == PERSON
        names, rules = both_named(record.headers), rules_called(record.rules, record.limits)
        review = Review.of(self.id, record, registry.reviews)
        you = None if review.you is None else chess.COLOR_NAMES[review.you]
        self.introduce(names, rules, record.headers.get("Seed"), you=you)
        self.finish(record, review, path)


class SpectatorGame(PageGame):
    """A game between two people, for others who have a link. Before its end it has no access to any view."""

    kind = "replay"

    def __init__(self, game: LiveGame) -> None:
        super().__init__(game.registry, id_=game.setup.id_of(ONLOOKERS))
        game.onlookers = self
        self.is_for_guests = True
        self.publish(NotYet("The game is still on. You can see it here as soon as it has ended."))

    def finish(self, record: GameRecord, review: Review | None, saved: str | None = None, trouble: str = "") -> None:  # noqa: ARG002 - for other pages
        """Publish the end; as long as the game may be continued, only that it was broken off."""
        if review is None:
            self.publish(NotYet("The game was broken off, and may be continued. You can see it when it has ended."))
            return
        with self._lock:
            del self._last[NotYet]
            self.introduce(both_named(record.headers), rules_called(record.rules, record.limits), None)
            super().finish(record, review)


def seat_people(
    registry: Registry, setup: GameSetup, programs: Mapping[chess.Color, PlayerSpec], people: dict[chess.Color, bool]
) -> dict[chess.Color, PersonGame]:
    """Return the sides of people in a new game; `people` says of each if it may pass on the other's link."""
    game = LiveGame(registry, setup, programs)
    if not programs:
        SpectatorGame(game)
    sides = {color: PersonGame(game, color, may_invite=may_invite) for color, may_invite in people.items()}
    referee = Referee(setup.rules) if setup.begun is None else setup.begun.referee()
    for color, side in sides.items():
        opponent = called(str(programs[not color])) if programs else "Opponent"
        names = (YOU, opponent) if color else (opponent, YOU)
        link = f"/{registry.guest_token}/#game="
        side.introduce(
            names,
            rules_called(setup.rules, setup.limits),
            setup.seed if setup.is_seed_given else None,
            you=chess.COLOR_NAMES[color],
            men=letters(own_men(referee.view(color))),
            two=game.is_for_two,
            joined=game.is_for_two and sides[not color].browser is not None,
            onlookers=None if game.onlookers is None else link + game.onlookers.id,
            clock=None if setup.control is None else str(setup.control),
            invitation=link + sides[not color].id if side.may_invite else None,
        )
    return sides


def new_game(registry: Registry, request: New) -> PersonGame:
    """Return a new game against a program."""
    seed, control = seed_of(request.seed), TimeControl.of(request.clock)
    color, rules = color_of(request.color, seed), rules_of(request.rules)
    program = _program(registry, request.opponent)
    limits = limits_of(request.limits)
    setup = GameSetup(rules, seed, is_seed_given=request.seed is not None, control=control, limits=limits)
    return seat_people(registry, setup, {not color: program}, {color: False})[color]


def invited(registry: Registry, request: Invite) -> list[PersonGame]:
    """Return both sides of a new game between two people; that of whoever asks comes first."""
    seed = seed_of(None)
    color, rules, control = color_of(request.color, seed), rules_of(request.rules), TimeControl.of(request.clock)
    setup = GameSetup(rules, seed, control=control, limits=limits_of(request.limits))
    sides = seat_people(registry, setup, {}, {color: True, not color: False})
    if request.name:
        sides[color].rename(request.name)
    return [sides[color], sides[not color]]


def watched(registry: Registry, request: Watch) -> WatchedGame:
    """Return a new game between two programs."""
    white, black = (_program(registry, text) for text in (request.white, request.black))
    rules, seed = rules_of(request.rules), seed_of(request.seed)
    programs = {chess.WHITE: white, chess.BLACK: black}
    game = WatchedGame(LiveGame(registry, GameSetup(rules, seed), programs), request.pace)
    names, men = both_called([str(white), str(black)]), letters(chess.Board().piece_map())
    game.introduce(names, rules.title, None if request.seed is None else seed, men=men)
    return game


def resumed(registry: Registry, file: str, *, is_restored: bool = False) -> list[PersonGame]:
    """Return the sides of people in a continued game; between two people, the host's comes first.

    Two people who shared a screen choose again how they play, unless the server restores a game that they have open.
    """
    record = registry.library.load(file)
    if not is_resumable(record):
        raise Refused("You can continue only an unfinished game of a person.")
    headers = record.headers
    if registry.sandbox:
        check_sandbox(headers["White"], headers["Black"])
    program, people = program_in(record, sandbox=registry.sandbox is not False)
    seed = seed_of(headers.get("Seed") if headers.get("Seed", "").isdigit() else None)
    clock = TimeControl.of(headers.get("TimeControl"))
    path, seating = registry.library.path(file), registry.library.seatings.get(file)
    if seating is not None and not is_restored and len(set(seating.browsers.values())) < len(seating.browsers):
        seating = msgspec.structs.replace(seating, browsers={})
    setup = GameSetup(record.rules, seed, control=clock, limits=record.limits, begun=record, file=path, seating=seating)
    host = people[0] if len(people) == 1 else headers.get("Host") != "black"
    programs = {} if program is None else {not people[0]: program}
    sides = seat_people(registry, setup, programs, {color: len(people) == 2 and color == host for color in people})
    for color, side in sides.items():
        if side.game.is_for_two and (name := headers.get(f"{chess.COLOR_NAMES[color].title()}Name")):
            side.rename(name)
    return [sides[color] for color in sorted(people, key=lambda color: color != host)]


def restored(registry: Registry, id_: str) -> list[PageGame]:
    """Return the pages of a saved game to which an id of an earlier server leads: live again, or to review."""
    file = registry.library.seatings.file(id_)
    if file is None:
        return []
    record = registry.library.load(file)
    if is_resumable(record):
        return [*resumed(registry, file, is_restored=True)]
    return [ReplayedGame(registry, record, None, id_)]


def opened(registry: Registry, file: str) -> ReplayedGame:
    """Return a saved game to review."""
    record, path = registry.library.open(file)
    return ReplayedGame(registry, record, str(path))


def _program(registry: Registry, text: str) -> PlayerSpec:
    if registry.sandbox:
        check_sandbox(text)
    return program_of(text, sandbox=registry.sandbox is not False, is_remote=True)
