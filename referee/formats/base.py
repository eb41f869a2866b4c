"""The interface of a format, and the replay of another program's game, which refuses an impossible one with its ply."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import chess

from referee.announcement import Reason
from referee.pgn import game_of
from referee.record import RESERVED, GameRecord, RecordError, Replay
from referee.rules import RULE_SETS, RuleSet
from referee.text import one_line, quoted

Lost: TypeAlias = tuple[str, ...]  # what was left out, such as "thinking times"
Written: TypeAlias = tuple[str, Mapping[str, bool]]
"""A text, and for each thing for which its format has no place True if the game had it."""

TIMES = "thinking times"
QUESTIONS = 'questions "Any?"'
RULED_OUT = "tries that the side's own pieces rule out"
REFUSED = "refused tries"
LEFT = "tries after the last move"
HEADERS = "headers but the names of the game and of its players"
COMMENTS = "comments"
DRAW = "a draw that these rules do not give: the game is recorded as abandoned"

_WILD_16 = re.compile("ICC (?:wild ?16|w16)\\b", re.IGNORECASE)  # ICC's Event of a game of Kriegspiel
_OTHER_NAMES = {"wild16": "ICC"}  # names of rule sets in the header Variant, where they are not the titles
_CHESS = ("", "?", "standard", "chess", "normal", "from position", "kriegspiel")
_GIVEN_UP = ("", "?", "normal", Reason.RESIGNATION.value)
FOREIGN = ("Filtered",)  # headers of other programs alone


@dataclass(frozen=True, slots=True)
class Format:
    """A format of games: functions that recognise a text, split a file, read one game and write one.

    `read` takes a rule set, if the user gives one, and returns what was lost beside the game. `write` writes what one
    side saw, if a side is given. `suffix` is that of files in this format alone.
    """

    name: str
    summary: str
    fits: Callable[[str], bool]
    games: Callable[[str], list[str]]
    read: Callable[[str, RuleSet | None], tuple[GameRecord, Lost]]
    write: Callable[[GameRecord, chess.Color | None], Written]
    suffix: str | None = None


class ForeignGame(Replay):
    """A game of another program, replayed as far as it was read."""

    @classmethod
    def begin(cls, headers: Mapping[str, str], rules: RuleSet | None, default: str) -> ForeignGame:
        """Return the beginning of a game with these headers. Raises RecordError if no such game can begin.

        A rule set that is given overrides the headers. `default` is the name of the rule set if neither says.
        """
        variant = headers.get("Variant", "").lower()
        variants = {variant_of(known): known.name for known in RULE_SETS.values()}
        names = {known.lower(): name for known, name in variants.items()} | dict.fromkeys(_CHESS, default)
        if variant not in names:
            takes = ", ".join([*variants, "Standard"])
            raise RecordError(f"illegal header Variant: {quoted(headers['Variant'])}; it takes one of {takes}")
        if not variant and _WILD_16.match(headers.get("Event", "")):
            names[variant] = "wild16"
        name = rules.text if rules is not None else headers.get("RuleSet", names[variant])
        ours = {key: value for key, value in headers.items() if key not in ("Variant", "SetUp")} | {"RuleSet": name}
        return cls(*game_of(ours | ({"SetUp": "1"} if "FEN" in headers else {})))

    def finish(self, headers: Mapping[str, str], result: str) -> Lost:
        """End the game by its headers and result, if no move has ended it, and return what was lost.

        PGN has no word for giving up, so the loser of a game without a mate gave it up, unless Termination or, in
        files of ICC, ICCResult says more: "Black forfeits on time", "anna won by resignation".
        Our referee gives no draw by repetition or another rule.
        """
        referee = self.referee
        if referee.end is not None:
            if referee.end.result != result:
                raise RecordError(f"illegal result: {result!r}, but the game has ended: {referee.end.text()}")
            return ()
        termination, detail = (
            headers.get("Termination", headers.get("ICCResult", "")),
            headers.get("TerminationDetails", ""),
        )
        reason, loser = termination.lower(), result == "0-1"
        if result == "1/2-1/2" and Reason.AGREEMENT.value not in reason:
            referee.abandon("a draw by agreement, repetition or another rule")
            return (DRAW,)
        if result == "1/2-1/2":
            referee.agree()
        elif result == "*":
            if reason == Reason.ABANDONED.value:
                referee.abandon(detail)
        elif Reason.CHECKMATE.value in reason:
            raise RecordError(f"illegal header Termination: {quoted(termination)}, but the last move gives no mate")
        elif reason in _GIVEN_UP or re.search(r"\bresign", reason):
            referee.resign(loser)
        else:
            referee.forfeit(loser, detail if reason == Reason.FORFEIT.value else one_line(termination, 200))
        return ()

    def record(self, headers: Mapping[str, str]) -> GameRecord:
        """Return the game as a record, with those headers that a record does not write itself."""
        free = {name: value for name, value in headers.items() if name not in RESERVED and name not in FOREIGN}
        return GameRecord.of(self.referee, free)


def variant_of(rules: RuleSet) -> str:
    """Return other programs' name of a rule set in the header Variant."""
    return _OTHER_NAMES.get(rules.name, rules.title)
