"""Make players and load rule sets in this process. Kernels are imported only for players that use them."""

from typing import TYPE_CHECKING

from kriegbot.options import value_text
from kriegbot.parts import BadPart, NotFound, Parts, load_object
from kriegbot.players.base import Player, PlayerKind
from kriegbot.players.specs import BadSpec, PlayerSpec, check_is_program, naming, parse_options, player_kind
from referee import RULE_SETS, RuleSet
from referee.text import one_line, quoted

if TYPE_CHECKING:
    from kriegbot.kernels.preparing import Progress

RULES = Parts("rule set", "referee", "kriegbot.rules", listed=tuple(RULE_SETS))


def load_rules(name: str) -> RuleSet:
    """Load a rule set from outside, which runs its file; raise BadSpec, also if another of its name is built in."""
    with naming("rule set", name):
        rules = RULES.load(name)
    if not isinstance(rules, RuleSet):
        raise BadSpec(f"rule set {quoted(name)} is a {type(rules).__name__}; it takes a RuleSet.")
    if RULE_SETS.get(rules.name, rules) != rules:
        raise BadSpec(f"rule set {quoted(name)}: the name {quoted(rules.name)} is taken; it takes another one.")
    return rules


def make_player(spec: PlayerSpec, seed: int, report: "Progress | None" = None, *, is_early: bool = False) -> Player:
    """Make a player for one game. A built-in one with a fixed number of samples plays the same game from the same seed.

    A player from outside is loaded into this process. `report` is called while kernels are being compiled; `is_early`
    returns before all are, if the player can begin with a few.

    Raise BadSpec if the player is a person, an option is refused, or code from outside does not load.
    """
    kind = _load_kind(spec) if spec.is_outside else player_kind(spec.name)
    check_is_program(spec.name, kind)
    assert kind.make is not None  # for mypy
    texts = {name: value_text(value) for name, value in spec.options.items()}
    values = {option.name: option.default for option in kind.options} | parse_options(spec.name, kind, texts)
    if kind.has_kernels:
        from kriegbot import kernels as kb

        (kb.prepare_first if is_early and kind.begins_early else kb.prepare)(report)
        kb.random_numbers(0, 1)  # the first call loads numba's own code, for up to a second, before a clock runs
    for option in kind.options:
        if option.parts is not None:
            _check_part(spec, option.parts, str(values[option.name]))
    with naming("player", spec.name):
        return kind.make(seed, **values)


def _check_part(spec: PlayerSpec, parts: Parts, name: str) -> None:
    try:
        if parts.file(name) is not None:
            from kriegbot.players.part_checks import check_part

            check_part(parts.load(name), parts.what)
    except NotFound as error:
        raise BadSpec(f"player {quoted(spec.name)}: {error}") from None
    except BadPart as error:
        raise BadSpec(f"player {quoted(spec.name)}: {parts.what} {quoted(name)} {error}.") from None
    except Exception as error:  # noqa: BLE001 - a part may raise anything
        why = one_line(f"{type(error).__name__}: {error}", 200)
        raise BadSpec(f"player {quoted(spec.name)}: {parts.what} {quoted(name)} cannot be made: {why}.") from None


def _load_kind(spec: PlayerSpec) -> PlayerKind:
    with naming("player", spec.name):
        player = load_object(spec.reference)
    if isinstance(player, PlayerKind):
        return player
    if not callable(player):
        raise BadSpec(f"player {quoted(spec.name)} is {quoted(player)}; it takes a class, made with a seed.")
    return PlayerKind("", player, tuple(getattr(player, "options", ())))
