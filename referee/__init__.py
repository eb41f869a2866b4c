"""The referee of Kriegspiel: rules, announcements, views and records, built on python-chess.

referee = Referee(BERKELEY)
answer = referee.try_move(chess.Move.from_uci("e2e4"))
view = referee.view(chess.BLACK)   # all that Black may know
"""

import inspect

from referee.announcement import Announcement as Announcement
from referee.announcement import CapturedKind as CapturedKind
from referee.announcement import Check as Check
from referee.announcement import End as End
from referee.announcement import PawnTryCount as PawnTryCount
from referee.announcement import PawnTryExists as PawnTryExists
from referee.announcement import PawnTryInfo as PawnTryInfo
from referee.announcement import PawnTrySquares as PawnTrySquares
from referee.announcement import Reason as Reason
from referee.announcement import announce as announce
from referee.errors import BadAction as BadAction
from referee.errors import BadAnnouncement as BadAnnouncement
from referee.errors import BadStart as BadStart
from referee.errors import GameIsOver as GameIsOver
from referee.errors import KriegspielError as KriegspielError
from referee.errors import RecordError as RecordError
from referee.errors import UnknownRuleSet as UnknownRuleSet
from referee.pgn import load_record as load_record
from referee.pgn import record_from_pgn as record_from_pgn
from referee.pgn import record_to_pgn as record_to_pgn
from referee.pgn import save_record as save_record
from referee.pieces import open_tries as open_tries
from referee.record import GameRecord as GameRecord
from referee.record import Step as Step
from referee.record import Turn as Turn
from referee.referee import Referee as Referee
from referee.rules import BERKELEY as BERKELEY
from referee.rules import BERKELEY_ANY as BERKELEY_ANY
from referee.rules import CINCINNATI as CINCINNATI
from referee.rules import ENGLISH as ENGLISH
from referee.rules import NO_LIMITS as NO_LIMITS
from referee.rules import OPENSPIEL as OPENSPIEL
from referee.rules import PAPER_LIMITS as PAPER_LIMITS
from referee.rules import RAND as RAND
from referee.rules import RULE_SETS as RULE_SETS
from referee.rules import WILD16 as WILD16
from referee.rules import Asking as Asking
from referee.rules import Audience as Audience
from referee.rules import Limits as Limits
from referee.rules import PawnTries as PawnTries
from referee.rules import RuleSet as RuleSet
from referee.rules import rule_set as rule_set
from referee.view import Action as Action
from referee.view import Answer as Answer
from referee.view import AskAny as AskAny
from referee.view import Event as Event
from referee.view import GameOver as GameOver
from referee.view import OpponentAsked as OpponentAsked
from referee.view import OpponentMoved as OpponentMoved
from referee.view import OpponentRefused as OpponentRefused
from referee.view import OwnQuestion as OwnQuestion
from referee.view import OwnTry as OwnTry
from referee.view import Resign as Resign
from referee.view import View as View
from referee.view import action_code as action_code
from referee.view import parse_action as parse_action

__all__ = [name for name, value in vars().items() if not (name.startswith("_") or inspect.ismodule(value))]
