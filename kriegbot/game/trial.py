"""Try players, their parts and rule sets from outside before the first game, each in a process of its own.

Built-in ones need no trial, so the functions return at once for them.
"""

from dataclasses import replace
from functools import partial

import chess

from kriegbot.game.process import OUTSIDE_PATIENCE, PlayerProcess, ProcessSeat, Wait
from kriegbot.game.protocol import GREETING
from kriegbot.game.seat import Failure, HereSeat, PlayerFailed, Seat
from kriegbot.kernels.preparing import Progress
from kriegbot.parts import NotFound, entry_points, sha256_of
from kriegbot.players.making import RULES, make_player
from kriegbot.players.specs import BadSpec, PlayerSpec, parse_spec, player_kind, programs
from referee import BERKELEY, Referee, RuleSet, UnknownRuleSet, rule_set
from referee.text import one_line, quoted

START = "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1"  # a small position in which the player makes one try
TRIAL_PATIENCE = 10.0  # seconds for that try; a slow player passes


def try_out(
    spec: PlayerSpec,
    rules: RuleSet = BERKELEY,
    report: Progress | None = None,
    *,
    start_patience: float | None = None,
    patience: float = TRIAL_PATIENCE,
) -> None:
    """Start a player that uses anything from outside. One from outside itself has to answer a view, too.

    It may take `start_patience` seconds to start, by default as for a game, and `patience` seconds to answer.

    Raises:
      BadSpec: the player or one of its parts does not load or compile, or fails at once.
      CannotStart: the system refuses to start its process.
    """
    if not spec.is_outside and not spec.parts:
        return
    with ProcessSeat(spec, report=report, start_patience=start_patience) as seat:
        has_begun = False
        try:
            seat.begin(0)
            has_begun = True
            if spec.is_outside:
                seat.patience = min(seat.patience, patience)
                seat.ask(Referee(rules, start=START).view(chess.WHITE))
        except PlayerFailed as failed:
            if has_begun and failed.failure in (Failure.HUNG, Failure.OVERRAN):
                return
            is_sentence = failed.failure is Failure.REFUSED
            raise BadSpec(failed.detail if is_sentence else f"player {quoted(str(spec))} {failed.detail}.") from None


def seat_of(text: str, rules: RuleSet = BERKELEY) -> Seat:
    """Return a seat for the player of a spec: in this process if all of it is built in. Raise BadSpec, CannotStart."""
    spec = parse_spec(text)
    if not spec.is_outside and player_kind(spec.name).make is None:
        raise BadSpec(f"player {spec.name!r} plays at `kriegbot play` alone; here plays one of {programs()}.")
    try_out(spec, rules)
    return ProcessSeat(spec) if spec.files else HereSeat(str(spec), partial(make_player, spec))


def find_rules(name: str, *, sandbox: bool = True) -> RuleSet:
    """Return the rule set of a name: built in, of an installed package, FILE.py:NAME or MODULE:NAME.

    A file from outside runs in a process of its own, in a sandbox if wanted and possible, and comes back as data.

    Raises:
      BadSpec: there is no such rule set, or it does not load.
      CannotStart: the system refuses to start its process.
    """
    if name in RULES.names():
        return rule_set(name)
    try:
        RULES.check(name)
        path, entry = RULES.file(name), entry_points(RULES.group).get(name)
        wait = Wait(OUTSIDE_PATIENCE, PlayerFailed(Failure.HUNG, f"hung: not loaded in {OUTSIDE_PATIENCE:g} seconds"))
        process = PlayerProcess(PlayerSpec(name if entry is None else entry.value, sandbox=sandbox), name)
        try:
            process.send([GREETING, f"ruleset {name}"], wait)
            rules = rule_set(next(process.replies(wait)).removeprefix("ruleset "))
        finally:
            process.end()
        return replace(rules, source=f"{path} sha256 {sha256_of(path)}") if path is not None else rules
    except (NotFound, UnknownRuleSet) as error:
        raise BadSpec(f"rule set {quoted(name)}: {error}" if ":" in name else str(error)) from None
    except PlayerFailed as failed:
        is_sentence = failed.failure is Failure.REFUSED
        raise BadSpec(failed.detail if is_sentence else f"rule set {quoted(name)} {one_line(failed.detail)}.") from None
