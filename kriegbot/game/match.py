"""One game between two seats. Each turn: view -> player -> try -> referee -> views, until the turn ends.

Commands, tournaments and the page play turns with `play_turn`, `SingleEnv` those of its opponent. Online play shares
`ask_player`, since its referee is a server. A player from outside that raises, dies, gives an invalid answer or tries
for ever loses by forfeit, as does any that hangs in an answer; the record says why. In a `HereSeat` one that hangs or
exits takes the game with it. A person who leaves, an interrupt, or another failure of ours abandons it, with a record.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from statistics import fmean
from typing import Any

import chess

from kriegbot.children import awake_time
from kriegbot.game.process import ProcessSeat, try_out
from kriegbot.game.seat import Failure, HereSeat, PlayerFailed, Seat
from kriegbot.players.base import AgreeDraw, Choice, Forfeiture, Leave, SeatAction
from kriegbot.players.making import make_player
from kriegbot.players.specs import BadSpec, check_is_program, parse_spec, player_kind
from kriegbot.report import WRITTEN, Report
from referee import BERKELEY, NO_LIMITS, Answer, AskAny, GameRecord, Limits, Reason, Referee, Resign, RuleSet, View

PACKAGES = ("kriegbot", "chess", "numpy", "numba")  # their versions stand in records
MAX_NONSENSE = 20  # nonsense tries and questions in one turn: they cost nothing, so a player could go on for ever


@dataclass(frozen=True, slots=True)
class Attempt:
    """One action of a player."""

    view: View  # when it chose
    choice: Choice
    seconds: float  # as the game measured them
    answer: Answer | None = None  # the referee's, once there is one

    @property
    def is_nonsense(self) -> bool:
        """True if the view shows that the try or question is impossible or repeated."""
        action = self.choice.action
        if isinstance(action, chess.Move):
            return self.answer is not Answer.ACCEPTED and not self.view.is_open(action)
        return isinstance(action, AskAny) and not self.view.may_ask


def ask_player(seat: Seat, view: View) -> Attempt:
    """Ask the player of a seat for its next action; raise PlayerFailed if it gives none."""
    seat.ready()
    start = awake_time()
    choice = seat.ask(view)
    return Attempt(view, choice, awake_time() - start)


def apply_action(referee: Referee, action: SeatAction) -> Answer | None:
    """Apply an action of the side to move; return the referee's answer to a try or question, else None."""
    match action:
        case AskAny():
            return referee.ask_any()
        case Resign():
            referee.resign(referee.turn)
        case AgreeDraw():
            referee.agree()
        case Forfeiture(loser, why):
            referee.forfeit(loser, why)
        case Leave(why):
            referee.abandon(why)
        case move:
            return referee.try_move(move)
    return None


def play_turn(referee: Referee, seat: Seat, opponent: Seat | None = None) -> Iterator[Attempt]:
    """Play one turn of the side to move; yield each of its actions after the referee's answer.

    Call `on_wait` of the opponent's seat, if it has one, before every action. Raise PlayerFailed if the player fails or
    has made `MAX_NONSENSE` nonsense tries and questions.
    """
    color, nonsense = referee.turn, 0
    while referee.turn == color and referee.end is None:
        view = referee.view(color)
        if opponent is not None and opponent.on_wait is not None:
            opponent.on_wait(referee.view(not color))
        attempt = ask_player(seat, view)
        attempt = replace(attempt, answer=apply_action(referee, attempt.choice.action))
        yield attempt
        nonsense += attempt.is_nonsense
        if nonsense == MAX_NONSENSE:
            detail = f"tried for ever: {nonsense} impossible or repeated tries in one turn"
            raise PlayerFailed(Failure.STUBBORN, detail)


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """Statistics of one player in one game. Samples, overruns, rescues and inconsistency are as it reports."""

    player: str  # the name of its seat: for programs their spec
    turns: int = 0  # moves made
    tries: int = 0  # accepted ones and pointless questions included
    illegal: int = 0  # tries that the referee refused although they were open to the player
    nonsense: int = 0  # tries and questions with `Attempt.is_nonsense`
    mean_seconds: float = 0.0  # of an answer, as the game measured it
    max_seconds: float = 0.0
    mean_samples: float = 0.0  # histories in the answers that drew any
    overruns: int = 0  # answers that exceeded their time budget
    rescues: dict[str, int] = field(default_factory=dict)  # number of answers by their gravest rescue
    belief_inconsistent: int = 0  # answers from a belief that may contradict an announcement
    failure: str = ""  # how the player failed, which ended the game or came at the last view
    log: str = ""  # the end of the player's output, and the traceback of the failure

    def as_json(self) -> dict[str, Any]:
        """Return plain values, numbers to six decimals, under the names that files use (`report.WRITTEN`)."""
        values = {WRITTEN.get(name, name): value for name, value in asdict(self).items()}
        return {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class AnswerStats:
    """One answer of a player: its side, the plies played before, its time as the game measured it, its report."""

    color: chess.Color
    ply: int
    seconds: float
    report: Report


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that has ended in any way: its record, which has an end, and every answer of both sides, in order."""

    record: GameRecord
    white: PlayerStatistics
    black: PlayerStatistics
    answers: tuple[AnswerStats, ...] = ()
    failed: PlayerFailed | None = None
    interrupted: bool = False  # by Ctrl-C

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """Return the statistics of a side."""
        return self.white if color == chess.WHITE else self.black

    def check_begun(self) -> None:
        """Raise BadSpec if no game began because a player refused its spec or its files changed (`Failure.REFUSED`)."""
        if self.failed is not None and self.failed.failure is Failure.REFUSED:
            raise BadSpec(self.failed.detail)


def play_game(
    white: Seat | str,
    black: Seat | str,
    *,
    rules: RuleSet | str = BERKELEY,
    limits: Limits = NO_LIMITS,
    start: str = chess.STARTING_FEN,
    seed: int = 0,
    event: str = "?",
    begun: GameRecord | None = None,
    keep: Callable[[GameRecord], None] | None = None,
) -> GameResult:
    """Play one game to its end. A `HereSeat` cannot stop a player that hangs or exits.

    >>> result = play_game("rand", "rand", limits=Limits(plies=40), seed=1)
    >>> result.record.result, len(result.record.turns), result.white.turns
    ('1/2-1/2', 40, 20)

    A side is a seat, which stays open for the next game, or a spec such as `kriegbot:samples=50`. Built-in players that
    are reproducible play the same game from the same seed; specs of players from outside get random seeds, which the
    record states. A game `begun`, which no move ended, continues under its own rules and limits: the players take their
    seats again and learn its course from their views. `keep` is called with the game so far at the start and after each
    action that does not end it.

    Raises:
      BadStart, UnknownRuleSet, RecordError: no game can begin so, or `begun` cannot be continued.
      BadSpec, TypeError: a side is no player that can play, or neither a seat nor a text.
      kriegbot.children.CannotStart: no process can be started for a player.
    """
    referee = Referee(rules, limits, start) if begun is None else replace(begun, end=None).referee()
    with ExitStack() as own_seats:
        seats = {
            color: side if isinstance(side, Seat) else own_seats.enter_context(seat_of(side, referee.rules))
            for color, side in ((chess.WHITE, white), (chess.BLACK, black))
        }
        game = _Game(referee, seats, event, seed, keep, [turn.seconds for turn in begun.turns] if begun else [])
        is_interrupted = False
        try:
            game.play()
        except KeyboardInterrupt:
            is_interrupted = True
            if referee.end is None:
                referee.abandon("interrupted")
        answers = (AnswerStats(one.view.color, one.view.ply, one.seconds, one.choice.report) for one in game.attempts)
        sides = game.statistics(chess.WHITE), game.statistics(chess.BLACK)
        return GameResult(game.record(), *sides, tuple(answers), game.failed, is_interrupted)


def seat_of(text: str, rules: RuleSet = BERKELEY) -> Seat:
    """Return a seat for the player of a spec: here if all of it is built in. Raise BadSpec, CannotStart, TypeError."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text).__name__} is no seat; it takes a Seat such as HereSeat, or a spec such as 'rand'")
    spec = parse_spec(text)
    if not spec.is_outside:
        check_is_program(spec.name, player_kind(spec.name))
    try_out(spec, rules)
    seat = ProcessSeat(spec) if spec.files else HereSeat(str(spec), partial(make_player, spec))
    seat.is_ours = not spec.files
    return seat


def without_last_turn(record: GameRecord) -> GameRecord:
    """Return the game before its last two plies. The tries refused before the first of these stay refused."""
    turns = record.turns[:-2]
    return replace(record, turns=turns, left=record.turns[len(turns)].tries, end=None)


def player_seed(seed: int, color: chess.Color) -> int:
    """Return the seed of a player from the seed of the game: below 2**63, and unlike its opponent's."""
    digest = hashlib.sha256(f"{seed} {chess.COLOR_NAMES[color]}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


@cache
def versions() -> str:
    """Return the versions of Python and of `PACKAGES`, for records."""
    items = [f"python {python_version()}"]
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            items.append(f"{package} {version(package)}")
    return ", ".join(items)


@dataclass
class _Game:
    referee: Referee
    seats: dict[chess.Color, Seat]
    event: str
    seed: int
    keep: Callable[[GameRecord], None] | None
    seconds: list[float | None]  # of each move
    attempts: list[Attempt] = field(default_factory=list)
    failed: PlayerFailed | None = None
    acting: chess.Color = chess.WHITE  # the side whose player it is that fails now

    def play(self) -> None:
        """Play to the end; a player that fails forfeits the game, and a failure of ours abandons it."""
        self._keep_record()
        try:
            for self.acting in chess.COLORS:
                leave = self.seats[self.acting].begin(player_seed(self.seed, self.acting))
                if leave is not None:
                    self.referee.abandon(leave.why)
                    return
            while self.referee.end is None:
                self.acting, seconds = self.referee.turn, 0.0
                for attempt in play_turn(self.referee, self.seats[self.acting], self.seats[not self.acting]):
                    self.attempts.append(attempt)
                    seconds += attempt.seconds
                    if attempt.answer is Answer.ACCEPTED:
                        self.seconds.append(seconds)
                    self._keep_record()
        except PlayerFailed as failed:
            self.failed = failed
            if self.seats[self.acting].is_ours and failed.failure not in (Failure.HUNG, Failure.OVERRAN):
                failed.failure = Failure.OURS
            if failed.failure is Failure.OURS:
                self.referee.abandon(f"kriegbot failed, {chess.COLOR_NAMES[self.acting]} {failed.detail}")
            else:
                self.referee.forfeit(self.acting, failed.detail)
        self._show_end()

    def _keep_record(self) -> None:
        if self.keep is not None and self.referee.end is None:
            self.keep(self.record())

    def _show_end(self) -> None:
        """Show players the last view, except one that forfeited the game. A failure now does not change the result."""
        end = self.referee.end
        if end is None or end.reason is Reason.ABANDONED or not self.attempts:
            return  # an abandoned game may go on later; without a try the players have seen nothing
        for color in [bool(end.winner)] if end.reason is Reason.FORFEIT else chess.COLORS:
            try:
                self.seats[color].end(self.referee.view(color))
            except PlayerFailed as failed:
                if self.failed is None:
                    self.failed, self.acting = failed, color

    def record(self) -> GameRecord:
        """Return the game so far."""
        white, black = (self.seats[color] for color in chess.COLORS)
        headers = {
            "Event": self.event,
            "Date": f"{date.today():%Y.%m.%d}",
            "White": white.name,
            "Black": black.name,
            "Seed": str(self.seed),
            "Versions": versions(),
        }
        extra = {"RuleSetFile": self.referee.rules.source, "WhiteProgram": white.about, "BlackProgram": black.about}
        headers |= {name: text for name, text in extra.items() if text}
        return GameRecord.of(self.referee, headers, self.seconds)

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """Return the statistics of a side so far."""
        attempts = [one for one in self.attempts if one.view.color == color]
        answers = Counter(one.answer for one in attempts)
        tries = sum(answers.values()) - answers[None] - answers[Answer.YES] - answers[Answer.NO]
        nonsense = sum(one.is_nonsense for one in attempts)
        reports = [one.choice.report for one in attempts]
        seat, failed = self.seats[color], self.failed if color == self.acting else None
        return PlayerStatistics(
            player=seat.name,
            turns=answers[Answer.ACCEPTED],
            tries=tries,
            illegal=tries - answers[Answer.ACCEPTED] - nonsense,
            nonsense=nonsense,
            mean_seconds=fmean([one.seconds for one in attempts] or [0.0]),
            max_seconds=max((one.seconds for one in attempts), default=0.0),
            mean_samples=fmean([report.samples for report in reports if report.samples] or [0.0]),
            overruns=sum(report.overrun for report in reports),
            rescues=dict(sorted(Counter(report.rescue for report in reports if report.rescue).items())),
            belief_inconsistent=sum(report.belief_inconsistent for report in reports),
            failure=failed.detail if failed else "",
            log=seat.log() + (failed.log if failed else ""),
        )
