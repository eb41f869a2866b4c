"""Games in progress between people, programs, or one of each, from the first try to the file; and people's sides.

`LiveGame` runs `kriegbot.game.match.play_game` in a thread. It can continue an unfinished game. To take a move back, it
stops the game and continues it from there; the program then restarts from its own view. A person's game is in its file
after each try, but the page opens no file of a game in progress.
"""

import logging
import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import chess
import msgspec

from kriegbot.children import CannotStart, awake_time
from kriegbot.game.match import play_game, without_last_turn
from kriegbot.game.process import try_out
from kriegbot.game.seat import Seat
from kriegbot.narration.helping import Help
from kriegbot.narration.names import MAX_NAME, rules_called
from kriegbot.players.base import AgreeDraw, Forfeiture
from kriegbot.players.specs import BadSpec, PlayerSpec
from kriegbot.request import Refused, refusing
from kriegbot.web import notices
from kriegbot.web.library import Seating, logged
from kriegbot.web.notices import Notice, Refusal, SideView
from kriegbot.web.registry import GameThread, PageGame, Registry
from kriegbot.web.review import Review
from kriegbot.web.seats import GameClock, PersonSeat, PooledSeat, TimeControl
from referee import NO_LIMITS, GameRecord, Limits, Reason, RuleSet, View, save_record
from referee.text import one_line

EVENT = "kriegbot play --web"
ONLOOKERS = "onlookers"  # the page for others, beside those of "white" and "black"
log = logging.getLogger("kriegbot.web")


@dataclass(frozen=True, slots=True)
class GameSetup:
    """The terms of a game."""

    rules: RuleSet
    seed: int  # shown before the end only if the person chose it: a program's moves follow from it
    is_seed_given: bool = False
    control: TimeControl | None = None
    limits: Limits = NO_LIMITS
    begun: GameRecord | None = None  # an unfinished game that it continues
    file: Path | None = None  # of that game
    seating: Seating | None = None  # of that game

    def id_of(self, page: str) -> str | None:
        """Return the former id of a side's page in a continued game."""
        return None if self.seating is None else self.seating.ids.get(page)


class Side(PageGame):
    """A person's side of a game. Between two people, one may pass on the other's link."""

    kind = "play"
    color: chess.Color

    def __init__(self, game: "LiveGame", color: chess.Color, *, may_invite: bool) -> None:
        side, seating = chess.COLOR_NAMES[color], game.setup.seating
        super().__init__(game.registry, game, game.setup.id_of(side))
        self.game, self.color, self.may_invite = game, color, may_invite
        self.is_for_guests = game.is_for_two
        self.name = ""
        self.browser = None if seating is None else seating.browsers.get(side)
        self.is_mine = seating is None or seating.is_mine
        begun = game.setup.begun  # if it goes on, then at once, but clocks wait for people
        goes_on = begun is not None and seating is not None and len(seating.browsers) == 2
        is_here = not game.is_for_two or (goes_on and game.setup.control is None)
        self.seat = PersonSeat(self._show, game.clock, is_here=is_here)
        game.people[color] = self
        self._has_company = not goes_on  # nothing announces that the other person has not come yet
        if goes_on:
            self.publish(notices.Presence(False))

    def _show(self, message: SideView) -> None:
        self.publish(message)

    def invitation(self) -> Notice | None:
        """Return the terms of the game if its seat is free."""
        if not self.game.is_for_two or self.browser is not None:
            return None
        setup, other = self.game.setup, self.game.people[not self.color]
        clock = None if setup.control is None else str(setup.control)
        rules = rules_called(setup.rules, setup.limits)
        return notices.Invited(self.id, chess.COLOR_NAMES[self.color], rules, clock, other.name)

    def sit_down(self, browser: str, name: str, *, is_host: bool) -> None:
        """Seat a browser; between two people only the first one, or another one of the host. Raise Refused for others.

        Whoever runs the server may come by another name of this machine, which has another cookie.
        """
        before, sides = self.browser, self.game.people.values()
        is_own = is_host and any(side.may_invite and side.browser == before for side in sides)
        if self.game.is_for_two and before not in (None, browser) and not is_own:
            why = "Somebody has already joined with this link. Open it in the browser in which you joined first"
            raise Refused(f"{why}, or ask your host to free the seat.")
        for side in sides:
            if side is self or (before is not None and side.browser == before):  # two people may share a screen
                side.browser = browser
        if name and self.game.is_for_two:
            self.rename(name)
        self.game.keep()

    def free(self) -> None:
        """Let another browser take the seat. Raise Refused while its person is here."""
        if self._listeners:
            raise Refused("The other person is here. A seat can be freed when nobody sits in it.")
        self.browser = None
        self.game.keep()

    def claim(self, *, is_draw: bool) -> None:
        """End a game that the other person has left: a draw, or this one wins. Raise Refused if it is too early."""
        other = self.game.people[not self.color]
        if other._listeners or other.browser == self.browser or (self.seat.view or self.game.setup.begun) is None:
            raise Refused("The other person has not left the game.")
        left = self.registry.limits.claim_after + other.unattended_since - awake_time()
        if left > 0:
            raise Refused(f"They have just left. You can claim the game in {math.ceil(left)} seconds.")
        for side in (self, other):
            side.seat.act(AgreeDraw() if is_draw else Forfeiture(other.color, "left the game"))
            side.seat.here.set()

    def rename(self, name: str) -> None:
        """Name this person, and send both people the names."""
        self.name = one_line(name, MAX_NAME)
        names = {color: side.name for color, side in self.game.people.items()}
        for color, side in self.game.people.items():
            side.called = names.get(not color) or side.called
            side.publish(notices.Names(names[chess.WHITE], names[chess.BLACK]))
        self.game.keep()

    @property
    def is_unattended(self) -> bool:
        """True if no browser shows the game from any side."""
        return not any(side._listeners for side in self.game.people.values())

    def leave(self, why: str) -> None:
        """Make the person leave."""
        self.seat.leave(why)

    def snapshot(self) -> list[Notice]:
        """Note that the person is here; return the messages for a new listener."""
        self.seat.here.set()
        messages = super().snapshot()
        if self.record is not None:
            return messages
        now = self.seat.clocks()
        return [msgspec.structs.replace(one, clocks=now) if isinstance(one, SideView) else one for one in messages]

    def join(self, listener: Callable[[Notice], None]) -> None:
        """Add a listener; if this person was away, tell the other one."""
        super().join(listener)
        self._tell_other(is_here=True)

    def remove_listener(self, listener: Callable[[Notice], None]) -> None:
        """Remove a listener, and tell the other person if it was the last."""
        super().remove_listener(listener)
        if not self._listeners:
            self._tell_other(is_here=False)

    def _tell_other(self, *, is_here: bool) -> None:
        other = self.game.people.get(not self.color)
        if other is not None and other._has_company is not is_here:
            other._has_company = is_here
            other.publish(notices.Presence(is_here))

    def finish(self, record: GameRecord, review: Review | None, saved: str | None = None, trouble: str = "") -> None:
        """Publish the end; to a guest without the path of the file."""
        hosts = [side.browser for side in self.game.people.values() if side.may_invite]
        is_host = not self.game.is_for_two or (self.browser is not None and self.browser in hosts)
        super().finish(record, review, saved if is_host else None, trouble)


class LiveGame(GameThread):
    """One game, from its first try to its file, between people, programs, or one of each."""

    def __init__(self, registry: Registry, setup: GameSetup, programs: Mapping[chess.Color, PlayerSpec]) -> None:
        super().__init__(daemon=True)
        self.registry, self.setup, self.programs = registry, setup, programs
        self.clock = GameClock(setup.control, setup.begun)
        self.help = Help.of(setup.begun)
        self.help.has_chosen_seed |= setup.is_seed_given
        self.people: dict[chess.Color, Side] = {}
        self.watched: PageGame | None = None  # if no person plays
        self.on_ask: Callable[[View], None] | None = None  # then called with each view before its program sees it
        self.on_wait: Callable[[View], None] | None = None  # and with each view of the waiting program
        self.onlookers: PageGame | None = None  # for others than the game's two people
        self._offer: tuple[chess.Color, int] | None = None
        self._file = setup.file
        self._latest: GameRecord | None = None  # of the game in progress
        self._is_stale = False  # True if that is not saved yet
        self._seats: dict[chess.Color, PooledSeat] = {}
        self._seats_lock = threading.Lock()  # other games may get a seat as soon as it is released

    @property
    def is_for_two(self) -> bool:
        """True if two people play."""
        return not self.programs

    @property
    def pages(self) -> list[PageGame]:
        """The pages of the live game."""
        return [*self.people.values()] if self.watched is None else [self.watched]

    @property
    def _path(self) -> Path:
        """Its file, which the first to ask names."""
        if self._file is None:
            self._file = self.registry.library.new_path(self.key)
        return self._file

    @property
    def key(self) -> str:
        """Its name in logs and files: the id of its first page."""
        return self.pages[0].id

    @property
    def analysis(self) -> str:
        """Its name for the analyst, another one whenever moves are taken back."""
        return f"{self.key} {self.help.taken_back}"

    def check(self) -> None:
        """Raise Refused if a program from outside cannot play."""
        with refusing(BadSpec, CannotStart):
            for program in self.programs.values():
                try_out(program, self.setup.rules, self.registry.report_progress)

    def begin(self) -> None:
        """Start the game."""
        if self.ident is not None:
            return
        if self.onlookers is not None:
            self.registry.add(self.onlookers)
        if self._file is not None:
            self.registry.library.hold(self._file)
        self._seats = {color: self.registry.seats.take(program, color) for color, program in self.programs.items()}
        self.name = f"game {self.key}"
        self.start()

    def stop(self, why: str) -> None:
        """Abandon the game if it is live."""
        if not self.is_alive():
            return
        self.is_stopping = True
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
                side.seat.act(AgreeDraw())
            return
        if view is not None and view.turn == color:
            ply += 1  # its own move comes before the opponent's
        self._offer = color, ply
        for side in self.people.values():
            side.publish(notices.DrawOffer(chess.COLOR_NAMES[color], ply))

    def _seat(self, color: chess.Color) -> Seat:
        if color in self.people:
            return self.people[color].seat
        seat = self._seats[color]
        if self.watched is None:
            (side,) = self.people.values()
            seat.clock, side.seat.opponent = self.clock, seat
            seat.on_ready = lambda: side.publish(notices.ClocksSet(side.seat.clocks()))
        else:
            seat.on_ask, seat.on_wait = self.on_ask, self.on_wait
        return seat

    def run(self) -> None:
        """Play the game."""
        setup, begun = self.setup, self.setup.begun
        white, black = self._seat(chess.WHITE), self._seat(chess.BLACK)
        play = partial(play_game, white, black, rules=setup.rules, limits=setup.limits, seed=setup.seed, event=EVENT)
        try:
            try:
                while True:
                    played = play(begun=begun, keep=self.keep)
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
            record = self._headed(played.record)
            self._finish(record)
            if played.failed is None:
                self._count(record)
        except Exception:
            log.exception("game %s failed", self.key)
            for side in self.pages:
                side.publish(Refusal("The game failed. The server's terminal says why."))

    def keep(self, record: GameRecord | None = None) -> None:
        """Save the game and its seats: a move before anybody sees it, a refusal soon, so that no time tells of it."""
        before, self._latest = self._latest, record or self._latest
        if self.people:
            self._is_stale = True
            saving = self.registry.saver.submit(self._save_latest)
            if record is not None and before is not None and len(record.turns) > len(before.turns):
                saving.result()

    def _save_latest(self) -> None:
        if self._latest is None or not self._is_stale:
            return
        self._is_stale = False
        self.registry.library.hold(self._path)
        with logged("save to", self.registry.library.folder):
            self._save(self._headed(self._latest))

    def _save(self, record: GameRecord) -> None:
        """Save a game and who sits where; in the saver's thread."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self.registry.reserve.lent():
            save_record(record, self._path)
        if self.people:
            pages = self._people_by_name()
            browsers = {name: side.browser for name, side in pages.items() if side.browser is not None}
            ids = {name: side.id for name, side in pages.items()}
            ids |= {} if self.onlookers is None else {ONLOOKERS: self.onlookers.id}
            seating = Seating(ids, browsers, all(side.is_mine for side in pages.values()))
            self.registry.library.seatings.keep(self._path.name, seating)

    def _people_by_name(self) -> dict[str, Side]:
        return {chess.COLOR_NAMES[color]: side for color, side in self.people.items()}

    def _headed(self, record: GameRecord) -> GameRecord:
        """Return a record with headers on its clock, its people and their help."""
        people = self._people_by_name()
        more = {} if self.setup.control is None else {"TimeControl": str(self.setup.control)}
        more |= {f"{name.title()}Name": side.name for name, side in people.items() if side.name}
        more |= {"Host": name for name, side in people.items() if side.may_invite}  # noqa: B035 - one at most
        return replace(record, headers={**record.headers, **more, **self.help.header()})

    def _count(self, record: GameRecord) -> None:
        """Count a game against a program in the results of whoever runs the server, if they played it."""
        results = self.registry.results
        for color, side in self.people.items():
            if self.programs and side.is_mine:
                with logged("store the result in", results.path), self.registry.reserve.lent():
                    text = results.count(record, color)
                    side.publish(self.registry.results_shown(side.id, text))

    def _finish(self, record: GameRecord) -> None:
        """Publish the last views, save the game, and publish its end; show the true boards if it is over for good."""
        review = Review.of(self.analysis, record, self.registry.reviews)
        is_abandoned = record.end is not None and record.end.reason is Reason.ABANDONED
        goes_on = is_abandoned and self.registry.is_closing  # with the next server, for which people's pages wait
        for color, side in self.people.items():
            if not goes_on:
                side.seat.wait(review.views[color])
        saved, trouble = None, ""
        try:
            self._latest = None
            self.registry.saver.submit(self._save, record).result()
            saved = str(self._path)
        except OSError as error:
            trouble = f" The game could not be saved: {error.strerror or error}."
            log.error("cannot save to %s: %s", self.registry.library.folder, error.strerror or error)
        self.registry.library.release(self._path)
        is_resumable = is_abandoned and saved is not None and bool(self.people)
        if is_resumable and goes_on:
            return
        for page in [*self.pages, *([] if self.onlookers is None else [self.onlookers])]:
            page.finish(record, None if is_resumable else review, saved, trouble)
