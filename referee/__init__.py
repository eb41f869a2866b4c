"""The referee of Kriegspiel: rules, announcements, views and records, built on python-chess.

referee = Referee(BERKELEY)
answer = referee.try_move(chess.Move.from_uci("e2e4"))
view = referee.view(chess.BLACK)   # all that Black may know
"""

import inspect

from referee.announcement import (
    Announcement,
    BadAnnouncement,
    CapturedKind,
    Check,
    End,
    PawnTryCount,
    PawnTryExists,
    PawnTryInfo,
    PawnTrySquares,
    Reason,
    announce,
)
from referee.pgn import load_record, record_from_pgn, record_to_pgn, save_record
from referee.pieces import open_tries
from referee.record import GameRecord, RecordError, Step, Turn
from referee.referee import BadStart, GameIsOver, Referee
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
    Audience,
    KriegspielError,
    Limits,
    PawnTries,
    RuleSet,
    UnknownRuleSet,
    rule_set,
)
from referee.view import (
    Action,
    Answer,
    AskAny,
    BadAction,
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

__all__ = [name for name, value in vars().items() if not (name.startswith("_") or inspect.ismodule(value))]
