"""The rules of Kriegspiel and what each side hears.

    referee = Referee(BERKELEY)
    answer = referee.try_move(chess.Move.from_uci("e2e4"))
    view = referee.view(chess.BLACK)   # all that Black may know

Built on python-chess; knows nothing of players.
"""

from referee.announcement import Announcement, Check, End, Man, Reason, announce
from referee.errors import (
    BadAnnouncement,
    BadStart,
    GameIsOver,
    KriegspielError,
    RecordError,
    UnknownRuleSet,
)
from referee.pgn import load_record, record_from_pgn, record_to_pgn, save_record
from referee.record import GameRecord, Step, Turn
from referee.referee import Referee
from referee.rules import (
    BERKELEY,
    NO_LIMITS,
    PAPER_LIMITS,
    RULE_SETS,
    WILD16,
    IllegalHeard,
    Limits,
    PawnTries,
    RuleSet,
    rule_set,
)
from referee.tries import open_tries
from referee.view import Answer, Event, GameOver, OpponentMoved, OpponentRefused, OwnTry, View

__all__ = [
    "BERKELEY",
    "NO_LIMITS",
    "PAPER_LIMITS",
    "RULE_SETS",
    "WILD16",
    "Announcement",
    "Answer",
    "BadAnnouncement",
    "BadStart",
    "Check",
    "End",
    "Event",
    "GameIsOver",
    "GameOver",
    "GameRecord",
    "IllegalHeard",
    "KriegspielError",
    "Limits",
    "Man",
    "OpponentMoved",
    "OpponentRefused",
    "OwnTry",
    "PawnTries",
    "Reason",
    "RecordError",
    "Referee",
    "RuleSet",
    "Step",
    "Turn",
    "UnknownRuleSet",
    "View",
    "announce",
    "load_record",
    "open_tries",
    "record_from_pgn",
    "record_to_pgn",
    "rule_set",
    "save_record",
]
