"""The public API: `kriegbot` reads here from which module it loads a name when somebody first uses it."""

from evaluators import load_evaluator
from evaluators.ks import material
from evaluators.protocol import Evaluator, evaluator
from kriegbot.belief.belief import Belief, EmptyBelief
from kriegbot.belief.particles import Particles
from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat, Seat
from kriegbot.kernels import (
    NONE,
    Moves,
    Position,
    RealArray,
    Reals,
    Rows,
    Word,
    Words,
    attacked_by,
    bit,
    captured_on,
    decode_move,
    encode_move,
    from_board,
    kernel,
    lsb,
    pieces_of,
    popcount,
    side_to_move,
    to_board,
    type_id,
    words,
)
from kriegbot.models import load_opponent
from kriegbot.models.protocol import Announced, Opponent, opponent, opponents
from kriegbot.options import Option
from kriegbot.players.base import Choice, Player, PlayerKind
from kriegbot.players.making import make_player
from kriegbot.players.search import SearchPlayer, search_player
from kriegbot.players.specs import PlayerSpec, parse_spec
from kriegbot.report import Report
from kriegbot.search.backup import Backup, Fold, Settle, fold, load_backup, settle
from kriegbot.search.information_set import InformationSet
from kriegbot.search.policy import Policy, Search
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method, Settings
from tournaments.run import run_tournament
