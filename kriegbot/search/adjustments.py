"""Adjustments of searched values: one idea each, none of them in Parker, Nau and Subrahmanian (AAAI 2006).

`ADJUSTMENTS` lists them in the order in which they apply, each by the setting that weighs it. To add an idea, write a
function (values, context) -> values, a field of `Settings`, and a line there.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from evaluators import WIN
from kriegbot import kernels as kb
from kriegbot.endgames import BareKing, keeps_mate
from kriegbot.endgames.king_squares import unattacked
from kriegbot.models.protocol import Announced, Opponent, chances_of, prior_of, types_with_model
from kriegbot.search.information_set import InformationSet
from kriegbot.search.perfect_information import BoardValues, open_values
from kriegbot.search.settings import Method, Settings
from referee import View
from referee.pieces import moved

PREDICTED_BOARDS = 20  # boards on which a model of us predicts our tries
FEW_VISITS, MOST_DOUBLED = 4, 8
"""Visits beyond which the second price of the side ahead exceeds 1, and its most doublings."""
PERFECT_INFORMATION, PREDICTABILITY = 1, 2  # steps in `subseed` from the seed of drawing a try's histories


class Placements:
    """Placements of our pieces at the beginning of our turns, counted through one game."""

    def __init__(self) -> None:
        self._counts: Counter[frozenset[tuple[chess.Square, chess.PieceType]]] = Counter()
        self._ply = -1

    def note(self, view: View) -> None:
        """Count the placement of a view in which it is our turn, once a turn."""
        if view.ply != self._ply:
            self._ply = view.ply
            self._counts[frozenset(view.men.items())] += 1

    def visits(self, view: View, tries: list[chess.Move]) -> npt.NDArray[np.float64]:
        """Count the turns [M] that began with the placement after each try; castling always leads to a new one."""
        return np.array([float(self._counts[frozenset(moved(view.men, move).items())]) for move in tries])


@dataclass(frozen=True, slots=True)
class Context:
    """Arguments of adjustments besides the values."""

    settings: Settings
    method: Method
    view: View
    histories: InformationSet
    tries: list[chess.Move]  # those of `histories` [M] as moves
    is_open: npt.NDArray[np.bool_]  # [M] as `information_set.are_open` says
    legal: kb.RealArray  # [M] the probability that each is legal
    placements: Placements
    board_values: BoardValues
    seed: int
    deadline: float | None  # a time of `time.perf_counter`, None without a limit


Adjustment: TypeAlias = Callable[[kb.RealArray, Context], kb.RealArray]
"""(values [M], context) -> adjusted values [M], in centipawns."""


def perfect_information(values: kb.RealArray, context: Context) -> kb.RealArray:
    """Blend in the values of a search that sees the boards; see `search.perfect_information`."""
    left = None if context.deadline is None else context.deadline - time.perf_counter()
    seed = kb.subseed(context.seed, PERFECT_INFORMATION)
    perfect = open_values(context.histories, context.method, left, seed, context.board_values)
    share = context.settings.perfect_info_weight
    return values if perfect is None else (1.0 - share) * values + share * perfect


def predictability(values: kb.RealArray, context: Context) -> kb.RealArray:
    """Charge for tries that a model of us predicts: they tell an opponent with such a model where our pieces are.

    The price falls as announcements make it less likely that the opponent has a model.
    """
    model, seed = context.method.opponent, kb.subseed(context.seed, PREDICTABILITY)
    ours, _ = kb.last_announcements(context.view, len(context.view.events))
    price = context.settings.predictability * posterior_over_prior(context.histories, model)
    return values - price * predicted_nats(context.histories, model, ours, seed)


def repetition(values: kb.RealArray, context: Context) -> kb.RealArray:
    """Charge for v earlier turns that began with the placement to which a try leads.

    A shallow search that sees no progress moves back and forth. The price is v times the setting. The side ahead pays
    v + 2^(v - 4) times, the power at most 2^8: a linear price stops no check that seems to win a pawn each time.
    """
    visits = context.placements.visits(context.view, context.tries)
    if values[context.is_open].max() > 0.0:  # the side behind may be glad of a draw
        visits += np.exp2(np.minimum(visits - FEW_VISITS, MOST_DOUBLED))
    return values - context.settings.repetition_price * visits


def recapturing(values: kb.RealArray, context: Context) -> kb.RealArray:
    """Favour tries that recapture, by the probability that they are legal."""
    if context.view.last_announcement is None:
        return values
    recaptures = np.array([move.to_square == context.view.last_announcement.capture for move in context.tries])
    return values + context.settings.recapture_bonus * recaptures * context.legal


def last_capture(values: kb.RealArray, context: Context) -> kb.RealArray:
    """Value a piece's capture of the last enemy one as a mate, by its probability, where mate is proved after it."""
    view, rows, weights = context.view, context.histories.rows, context.histories.weights
    if view.opponent_men != 2:
        return values
    scale, values = context.method.value_scale, values.copy()
    mate = WIN / sqrt(1.0 + (WIN / scale) ** 2) if scale else WIN
    pieces = rows[:, 5 + kb.side_of(not view.color)] & ~rows[:, 4]
    for i, move in enumerate(context.tries):
        share = weights @ (pieces & np.uint64(chess.BB_SQUARES[move.to_square]) != 0) / weights.sum()
        if share and view.men[move.from_square] != chess.PAWN:
            squares = unattacked(view.color, view.men, move.to_square)
            if keeps_mate(BareKing(view.color, view.men, squares, view.rules), move):
                values[i] += min(share, context.legal[i]) * (mate - values[i])
    return values


ADJUSTMENTS: Mapping[str, Adjustment] = {
    "perfect_info_weight": perfect_information,
    "predictability": predictability,
    "repetition_price": repetition,
    "recapture_bonus": recapturing,
    "use_endings": last_capture,
}
"""Adjustments in order, each by the setting that weighs it; 0 or False leaves it out."""


def adjusted(values: kb.RealArray, context: Context) -> kb.RealArray:
    """Apply the adjustments that the settings weigh."""
    for name, adjustment in ADJUSTMENTS.items():
        if getattr(context.settings, name):
            values = adjustment(values, context)
    return values


def posterior_over_prior(histories: InformationSet, model: Opponent) -> float:
    """Return the probability that the opponent has a model of us, over that before the game; at most 1."""
    types, prior = list(types_with_model(model)), np.array(prior_of(model))
    now = histories.weights @ np.isin(kb.type_ids(histories.rows), types) / histories.weights.sum()
    return float(min(now / prior[types].sum(), 1.0))


def predicted_nats(histories: InformationSet, model: Opponent, ours: int, seed: int) -> kb.RealArray:
    """Return by how many nats [M] a model of us finds each try likelier than a random one, at least 0.

    This is the mean of log P(try | board) + log M over sampled boards that allow the try; 0 if none does. P is our
    model of the opponent, which here predicts us: we are to move, after its announcement and `ours`. The opponent knows
    its own pieces, for which a few of our boards stand. It does not know our type, so the types count as before a game.
    Rare tries gain nothing, since they mislead nobody for long.
    """
    chosen = np.argsort(kb.random_numbers(seed, len(histories.rows)), kind="stable")[:PREDICTED_BOARDS]
    weights, prior = histories.weights[chosen], prior_of(model)
    boards = [kb.with_type_ids(board, len(prior)) for board in kb.without_type_ids(histories.rows[chosen])]
    of_types = chances_of(histories.tries, np.concatenate(boards), Announced(histories.theirs, ours), model)
    likely = np.array(prior) @ of_types.reshape(len(boards), len(prior), -1)
    allows = likely > 0
    gains = np.log(len(histories.tries) * likely, out=np.zeros_like(likely), where=allows)
    return np.maximum(weights @ gains / np.maximum(weights @ allows, weights.min()), 0.0)
