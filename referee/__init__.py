"""The rules of Kriegspiel and what each side hears.

    referee = Referee(BERKELEY)
    answer = referee.try_move(chess.Move.from_uci("e2e4"))
    view = referee.view(chess.BLACK)   # all that Black may know

Built on python-chess; knows nothing of players.
"""

from referee.announcement import Announcement, Check, End, Man, Reason, announce
from referee.errors import (
    BadAction,
    BadAnnouncement,
    BadStart,
    GameIsOver,
    KriegspielError,
    RecordError,
    UnknownRuleSet,
)
from referee.men import open_tries
from referee.pgn import load_record, record_from_pgn, record_to_pgn, save_record
from referee.record import GameRecord, Step, Turn
from referee.referee import Referee
from referee.rules import (
    BERKELEY,
    BERKELEY_ANY,
    CINCINNATI,
    ENGLISH,
    NO_LIMITS,
    OPENSPIEL,
    PAPER_LIMITS,
    RAND,
    RULE_SETS,
    WILD16,
    Asking,
    IllegalHeard,
    Limits,
    PawnTries,
    RuleSet,
    rule_set,
)
from referee.view import (
    Action,
    Answer,
    AskAny,
    Event,
    GameOver,
    OpponentAsked,
    OpponentMoved,
    OpponentRefused,
    OwnQuestion,
    OwnTry,
    Resign,
    View,
    action_code,
    parse_action,
)

__all__ = [
    "BERKELEY",
    "BERKELEY_ANY",
    "CINCINNATI",
    "ENGLISH",
    "NO_LIMITS",
    "OPENSPIEL",
    "PAPER_LIMITS",
    "RAND",
    "RULE_SETS",
    "WILD16",
    "Action",
    "Announcement",
    "Answer",
    "AskAny",
    "Asking",
    "BadAction",
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
    "OpponentAsked",
    "OpponentMoved",
    "OpponentRefused",
    "OwnQuestion",
    "OwnTry",
    "PawnTries",
    "Reason",
    "RecordError",
    "Referee",
    "Resign",
    "RuleSet",
    "Step",
    "Turn",
    "UnknownRuleSet",
    "View",
    "action_code",
    "announce",
    "load_record",
    "open_tries",
    "parse_action",
    "record_from_pgn",
    "record_to_pgn",
    "rule_set",
    "save_record",
]
