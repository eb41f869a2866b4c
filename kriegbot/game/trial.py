"""Whatever comes from outside is tried in a process of its own before games begin: players, their parts, rule sets.

What is ours needs no trial, and costs no time here.
"""

from dataclasses import replace
from functools import partial

import chess

from kriegbot.game.process import OUTSIDE_PATIENCE, ProcessSeat
from kriegbot.game.protocol import GREETING
from kriegbot.game.seat import Failure, HereSeat, PlayerFailed, Seat
from kriegbot.parts import NotFound, entry_points, sha256_of
from kriegbot.players.making import RULES, Progress, make_player
from kriegbot.players.specs import BadSpec, PlayerSpec, parse_spec, player_kind, programs
from referee import BERKELEY, Referee, RuleSet, UnknownRuleSet, rule_set
from referee.text import one_line, quoted

START = "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1"  # a small position, of which a player is asked for a try
TRIAL_PATIENCE = 10.0  # seconds that it is waited for; to be slow is no reason to refuse a player


def try_out(spec: PlayerSpec, rules: RuleSet = BERKELEY, report: Progress | None = None) -> None:
    """Has a player with anything from outside sit down, and one from outside answer; nothing if it is all ours.

    Raises BadSpec if it, or a part of it, cannot be loaded or compiled, or fails at once; CannotStart if no process can
    be started for it. `report` is told the progress of compiling kernels.
    """
    if not spec.is_outside and not spec.parts:
        return
    with ProcessSeat(spec, report=report) as seat:
        has_begun = False
        try:
            seat.begin(0)
            has_begun = True
            if spec.is_outside:
                seat.patience = min(seat.patience, TRIAL_PATIENCE)
                seat.ask(Referee(rules, start=START).view(chess.WHITE))
        except PlayerFailed as failed:
            if has_begun and failed.failure in (Failure.HUNG, Failure.OVERRAN):
                return
            is_told = failed.failure is Failure.REFUSED
            raise BadSpec(failed.detail if is_told else f"player {quoted(str(spec))} {failed.detail}.") from None


def seat_of(text: str, rules: RuleSet = BERKELEY) -> Seat:
    """A seat for the player of a spec, such as `kriegbot:samples=50`: ours in this process, others in one of their own.

    Raises BadSpec, a ValueError: the text names no player, or one that cannot play under these rules.
    """
    spec = parse_spec(text)
    if not spec.is_outside and player_kind(spec.name).make is None:
        raise BadSpec(f"player {spec.name!r} plays at `kriegbot play` alone; here plays one of {programs()}.")
    try_out(spec, rules)
    return ProcessSeat(spec) if spec.files else HereSeat(str(spec), partial(make_player, spec))


def find_rules(name: str, *, sandbox: bool = True) -> RuleSet:
    """The rule set of a name, also one from outside: its file is run in a process of its own, and told as data.

    Raises BadSpec if there is none, or it cannot be loaded; CannotStart if no process can be started for it.

    Args:
      name: one of ours, one that an installed package offers, FILE.py:NAME or MODULE:NAME.
      sandbox: whether to keep that process away from the rest of the machine, where possible.
    """
    if name in RULES.names():
        return rule_set(name)
    try:
        RULES.check(name)
        path, entry = RULES.file(name), entry_points(RULES.group).get(name)
        with _RulesSeat(PlayerSpec(name if entry is None else entry.value, sandbox=sandbox)) as seat:
            rules = seat.rules(name)
        return replace(rules, source=f"{path} sha256 {sha256_of(path)}") if path is not None else rules
    except (NotFound, UnknownRuleSet) as error:
        raise BadSpec(f"rule set {quoted(name)}: {error}" if ":" in name else str(error)) from None
    except PlayerFailed as failed:
        is_told = failed.failure is Failure.REFUSED
        raise BadSpec(failed.detail if is_told else f"rule set {quoted(name)} {one_line(failed.detail)}.") from None


class _RulesSeat(ProcessSeat):
    """The process of a file with a rule set, instead of a player."""

    def rules(self, name: str) -> RuleSet:
        """What the file defines."""
        self._talker = self._started()
        late = PlayerFailed(Failure.HUNG, f"hung: not told in {OUTSIDE_PATIENCE:g} seconds")
        self._send([GREETING, f"ruleset {name}"], OUTSIDE_PATIENCE, late)
        line = next(self._replies(OUTSIDE_PATIENCE, late))
        return rule_set(line.removeprefix("ruleset "))
