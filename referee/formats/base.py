"""What a format is, and the replay of a foreign game: an impossible one is refused, with the ply."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import chess

from referee.announcement import Reason
from referee.errors import RecordError
from referee.pgn import game_of
from referee.record import RESERVED, GameRecord, Replay
from referee.rules import RULE_SETS, RuleSet
from referee.text import one_line, quoted

Lost: TypeAlias = tuple[str, ...]  # what was left out, such as "thinking times"
Written: TypeAlias = tuple[str, Mapping[str, bool]]
"""A text, and for each thing that its format has no place for whether the game had it."""

TIMES = "thinking times"
QUESTIONS = 'questions "Any?"'
RULED_OUT = "tries that the side's own men rule out"
REFUSED = "refused tries"
LEFT = "tries after the last move"
HEADERS = "headers but the names of the game and of its players"
COMMENTS = "comments"
DRAW = "a draw that these rules do not give: the game is told as abandoned"

_OTHER_NAMES = {"wild16": "ICC"}  # names of rule sets in the header Variant, where they are not the titles
_CHESS = ("", "?", "standard", "chess", "normal", "from position", "kriegspiel")
_GIVEN_UP = ("", "?", "normal", Reason.RESIGNATION.value)
FOREIGN = ("Filtered",)  # headers that are others' alone


@dataclass(frozen=True, slots=True)
class Format:
    """A format of games.

    Attributes:
      summary: one line for people.
      fits: whether a text looks like this format.
      games: the texts of a file's games, one after another.
      read: the game in a text, under the rule set asked for, if any; and what was lost.
      write: the text of a game, as one side saw it if a side is given.
      suffix: of files in this format alone.
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

    def finish(self, headers: Mapping[str, str], result: str) -> Lost:
        """Ends the game as the headers and the result say, if no move has ended it; returns what was lost.

        PGN has no word for giving up, so a game won without a mate was given up, unless Termination says more. A
        draw by agreement or repetition is none that a referee of ours gives.
        """
        referee = self.referee
        if referee.end is not None:
            if referee.end.result != result:
                raise RecordError(f"illegal result: {result!r}, but the game has ended: {referee.end.text()}")
            return ()
        termination, detail = headers.get("Termination", ""), headers.get("TerminationDetails", "")
        kind = termination.lower()
        if result == "1/2-1/2":
            if kind == Reason.AGREEMENT.value:
                referee.agree()
                return ()
            referee.abandon("a draw by agreement, repetition or another rule")
            return (DRAW,)
        if result == "*":
            if kind == Reason.ABANDONED.value:
                referee.abandon(detail)
            return ()
        loser = result == "0-1"
        if kind == Reason.CHECKMATE.value:
            raise RecordError(f"illegal header Termination: {quoted(termination)}, but the last move gives no mate")
        if kind in _GIVEN_UP:
            referee.resign(loser)
        else:
            referee.forfeit(loser, detail if kind == Reason.FORFEIT.value else one_line(termination, 200))
        return ()

    def record(self, headers: Mapping[str, str]) -> GameRecord:
        """The game as a record, with those headers that a record does not write itself."""
        kept = {name: value for name, value in headers.items() if name not in RESERVED and name not in FOREIGN}
        return GameRecord.of(self.referee, kept)


def variant_of(rules: RuleSet) -> str:
    """What others call a rule set in the header Variant."""
    return _OTHER_NAMES.get(rules.name, rules.title)


def retelling(headers: Mapping[str, str], rules: RuleSet | None, default: str) -> ForeignGame:
    """The beginning of a game with these headers; raises RecordError if no such game can begin.

    The rules asked for, if any, override the headers; `default` is the name of the rule set if neither says.
    """
    variant = headers.get("Variant", "").lower()
    variants = {variant_of(known): known.name for known in RULE_SETS.values()}
    meant = {known.lower(): name for known, name in variants.items()} | dict.fromkeys(_CHESS, default)
    if variant not in meant:
        takes = ", ".join([*variants, "Standard"])
        raise RecordError(f"illegal header Variant: {quoted(headers['Variant'])}; it takes one of {takes}")
    name = rules.text if rules is not None else headers.get("RuleSet", meant[variant])
    given = {key: value for key, value in headers.items() if key not in ("Variant", "SetUp")} | {"RuleSet": name}
    return ForeignGame(*game_of(given | ({"SetUp": "1"} if "FEN" in headers else {})))
