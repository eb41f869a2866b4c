"""Names of players as people read them."""

from collections.abc import Mapping, Sequence

import chess

from kriegbot.options import value_text
from kriegbot.players.specs import PLAYERS, BadSpec, parse_spec, player_kind
from referee import Limits, RuleSet
from referee.text import one_line

YOU, PERSON = "You", "A person"
MAX_NAME = 30  # characters of a person's name


def called(spec: str) -> str:
    """Return a player's name: "Club bot", "overconfident (depth 2, time 1 s)", "A person"; other specs as they are."""
    if spec.partition(":")[0] not in PLAYERS.names():
        return spec
    try:
        player = parse_spec(spec)
    except BadSpec:
        return spec
    kind = player_kind(player.name)
    if kind.make is None:
        return PERSON
    settings = dict(player.options)
    level = None if "samples" in settings else player.get("level")
    settings.pop("level", None)
    units = {option.name: " s" if option.unit == "seconds" else "" for option in kind.options}
    words = ", ".join(f"{name} {value_text(value)}{units[name]}" for name, value in settings.items())
    name = player.name if level is None else f"{level} bot".capitalize()
    return f"{name} ({words})" if words else name


def both_called(specs: Sequence[str]) -> list[str]:
    """Return White's and Black's names. A person who plays a program is "You", since games are saved locally."""
    names = [called(spec) for spec in specs]
    return [YOU if name == PERSON and names.count(PERSON) == 1 else name for name in names]


def both_named(headers: Mapping[str, str]) -> list[str]:
    """Return White's and Black's names in a record; two people have those that they gave."""
    names = both_called([headers.get("White", "?"), headers.get("Black", "?")])
    given = [one_line(headers.get(tag, ""), MAX_NAME) for tag in ("WhiteName", "BlackName")]
    return [own if name == PERSON and own else name for name, own in zip(names, given, strict=True)]


def rules_called(rules: RuleSet, limits: Limits) -> str:
    """Return the rules of a game for people: "Berkeley", "Berkeley, 50-move rule"."""
    return rules.title + (f", {limits.quiet_plies // 2}-move rule" if limits.quiet_plies else "")


def your_side(specs: Sequence[str]) -> chess.Color | None:
    """Return the side of "You" in a game of these players; None if there is none."""
    names = both_called(specs)
    return names[0] == YOU if YOU in names else None
