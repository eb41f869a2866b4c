"""What the page offers: players, and rule sets, each explained in two lines."""

from __future__ import annotations

from kriegbot.players.specs import players
from kriegbot.web.replies import Hello, PlayerOffered
from referee import RULE_SETS, Asking, IllegalHeard, PawnTries, RuleSet

_PAWN_TRIES = {
    PawnTries.NOTHING: "Nothing is told of pawn captures.",
    PawnTries.COUNT: "Both hear how many pawn captures the side to move has.",
    PawnTries.COUNT_EACH: "Both hear how many pawn captures the side to move has, each promotion counted apart.",
    PawnTries.YES_NO: "Both hear whether the side to move has any pawn capture.",
    PawnTries.SQUARES: "Both hear which pawns of the side to move can capture.",
}
_ASKING = {
    Asking.OBLIGES: 'You may ask "Any?" pawn captures; if yes, you must make one.',
    Asking.OBLIGES_ONCE: 'You may ask "Any?" pawn captures; if yes, you must try one.',
}


def hello(choices: str, *, is_guest: bool) -> Hello:
    """What the page offers; nothing to a guest."""
    rules = () if is_guest else RULE_SETS.values()
    return {
        "is": "hello",
        "players": [] if is_guest else _players(),
        "rules": [{"name": one.name, "title": one.title, "about": about(one)} for one in rules],
        "guest": is_guest,
        "choices": "" if is_guest else choices,
    }


def about(rules: RuleSet) -> list[str]:
    """A rule set in two lines: what both hear, and what else is special."""
    heard = "Both sides hear" if rules.illegal_heard is IllegalHeard.BOTH else "Only you hear"
    fallen = ", and whether a pawn or a piece fell" if rules.captured_kind else ""
    first = f"{heard} that a try of yours was illegal. Captures are told by square{fallen}."
    second = [_ASKING.get(rules.asking, _PAWN_TRIES[rules.pawn_tries])]
    if not rules.checks_told:
        second.append("Checks are not told.")
    if rules.stalemate_loses:
        second.append("Stalemate loses.")
    if rules.promotion_told:
        second.append("Promotions are told.")
    if rules.en_passant_told:
        second.append("A capture en passant is told as such.")
    return [first, " ".join(second)]


def _players() -> list[PlayerOffered]:
    known = sorted(players().items(), key=lambda named: named[1].rank)
    return [
        {
            "name": name,
            "summary": kind.words or kind.summary,
            "options": [
                {"name": option.name, "takes": option.takes, "default": option.usual, "help": option.help}
                for option in kind.options
            ],
        }
        for name, kind in known
        if kind.make is not None
    ]
