"""The exact belief in any game: it has the truth, and its posterior is that of all histories replayed."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable
from typing import TypeAlias

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    RULE_SETS,
    AskAny,
    Limits,
    OpponentAsked,
    OpponentMoved,
    OwnQuestion,
    OwnTry,
    Referee,
    RuleSet,
    View,
)
from referee.pieces import is_pawn_capture
from tests.effort import many
from tests.exact_belief import ExactBelief, TooManyPositions, position_key
from tests.plain_cases import CASES, Case
from tests.random_games import act, action_of

SMALL_STARTS = (
    "7k/8/8/8/8/8/P7/K7 b - - 0 1",
    "7k/8/8/7P/8/8/8/K7 b - - 0 1",
    "4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1",
    "4k3/8/8/8/6n1/8/8/4K2R b K - 0 1",
    "1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1",
    "6k1/8/6K1/8/8/8/8/R7 b - - 0 1",
    "4k3/2p1p3/8/1P1P4/8/8/8/4K3 b - - 3 9",
)
NONSENSE = chess.Move(chess.A1, chess.A1)
History: TypeAlias = tuple[tuple[chess.Move | AskAny, ...], float]


def by_key(positions: Iterable[tuple[chess.Board, float]]) -> dict[object, float]:
    found: dict[object, float] = {}
    for board, probability in positions:
        found[position_key(board)] = found.get(position_key(board), 0.0) + probability
    return found


def by_replaying_every_history(view: View) -> dict[object, float]:
    """Return the posterior from every sequence of moves for which a referee gives this view's events.

    It merges nothing and uses only the referee: each history is a game of its own.
    """
    histories: list[History] = [((), 1.0)]
    for heard, event in enumerate(view.events, start=1):
        longer = []
        for tries, weight in histories:
            referee = replayed(view, tries)
            legal = list(referee.board().legal_moves)
            theirs = referee.view(not view.color)
            candidates: list[tuple[chess.Move | AskAny, float]]
            if isinstance(event, OwnTry | OwnQuestion):
                candidates = [(action_of(event), weight)]
            elif isinstance(event, OpponentAsked):
                candidates = [(AskAny(), weight)]
            elif isinstance(event, OpponentMoved):
                allowed = [move for move in theirs.tries() if move in legal]
                candidates = [(move, weight / len(allowed)) for move in allowed]
            else:  # refused: some illegal try; it matters only whether it was a pawn's to the side
                illegal = [move for move in theirs.tries() if move not in legal]
                aside = [move for move in illegal if is_pawn_capture(move, theirs.men)]
                straight = [move for move in illegal if move not in aside]
                nonsense = [] if view.rules.nonsense else [NONSENSE]  # it may sound like an illegal try
                candidates = [(move, weight) for move in (*aside[:1], *straight[:1], *nonsense)]
            for move, new_weight in candidates:
                if replayed(view, (*tries, move)).view(view.color).events == view.events[:heard]:
                    longer.append(((*tries, move), new_weight))
        histories = each_once(view, longer) if isinstance(event, OpponentMoved) else longer
    histories = each_once(view, histories)
    total = sum(weight for _, weight in histories)
    return by_key((replayed(view, tries).board(), weight / total) for tries, weight in histories)


def each_once(view: View, histories: list[History]) -> list[History]:
    """Keep one of the histories that differ only in refused tries."""
    return list(
        {tuple(replayed(view, tries).board().move_stack): (tries, weight) for tries, weight in histories}.values()
    )


def replayed(view: View, tries: Iterable[chess.Move | AskAny]) -> Referee:
    referee = Referee(view.rules, view.limits, view.start)
    for action in tries:
        act(referee, action)
    return referee


def random_action(referee: Referee, rng: random.Random) -> chess.Move | AskAny:
    """Return mostly an open try, now and then a refused one, nonsense, or "Any?"."""
    view = referee.view(referee.turn)
    if view.may_ask and rng.random() < 0.3:
        return AskAny()
    if rng.random() < 0.1:
        return chess.Move(rng.randrange(64), rng.randrange(64))
    if view.refused and rng.random() < 0.1:
        return rng.choice(view.refused)
    return rng.choice(view.tries())


games = given(
    start=st.sampled_from(SMALL_STARTS),
    rules=st.sampled_from(list(RULE_SETS.values())),
    limits=st.sampled_from((Limits(), Limits(plies=4), Limits(quiet_plies=5))),
    seed=st.integers(0, 2**32 - 1),
)
few = settings(max_examples=many(40, 10), deadline=None)


@pytest.mark.slow
@games
@few
@example(start=chess.STARTING_FEN, rules=BERKELEY, limits=Limits(), seed=1)
def test_the_truth_is_always_possible(start: str, rules: RuleSet, limits: Limits, seed: int) -> None:
    rng = random.Random(seed)
    referee = Referee(rules, limits, start)
    beliefs = {color: ExactBelief(referee.view(color), max_positions=600) for color in chess.COLORS}
    checked = 0
    with contextlib.suppress(TooManyPositions):  # once it has grown out of what is small
        for _ in range(16):
            if referee.end is not None:
                break
            act(referee, random_action(referee, rng))
            for color, belief in beliefs.items():
                view = referee.view(color)
                belief.update(view)
                assert belief.probability(referee.board()) > 0.0
                assert sum(probability for _, probability in belief.positions) == pytest.approx(1.0)
                assert all(own_side(board, color) == own_side_of(view) for board, _ in belief.positions)
                checked += 1
    assert checked >= 2


def own_side(board: chess.Board, color: chess.Color) -> tuple[object, ...]:
    return (
        {square: piece.piece_type for square, piece in board.piece_map().items() if piece.color == color},
        board.has_kingside_castling_rights(color),
        board.has_queenside_castling_rights(color),
        chess.popcount(board.occupied_co[not color]),
        board.turn,
    )


def own_side_of(view: View) -> tuple[object, ...]:
    return (dict(view.men), view.kingside, view.queenside, view.opponent_men, view.turn)


@pytest.mark.slow
@games
@few
def test_it_is_what_replaying_every_history_gives(start: str, rules: RuleSet, limits: Limits, seed: int) -> None:
    rng = random.Random(seed)
    referee = Referee(rules, limits, start)
    while referee.end is None and referee.ply < 4:
        act(referee, random_action(referee, rng))
    for color in chess.COLORS:
        view = referee.view(color)
        assert by_key(ExactBelief(view).positions) == pytest.approx(by_replaying_every_history(view))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_belief_kept_from_the_start_equals_one_made_at_the_end(case: Case) -> None:
    referee = Referee(case.rules, case.limits, case.start)
    color = case.view.color
    belief = ExactBelief(referee.view(color))
    for word in case.script.split():
        referee.try_move(chess.Move.from_uci(word.removesuffix("?")))
        belief.update(referee.view(color))
    assert by_key(belief.positions) == pytest.approx(by_key(case.positions))
    assert position_key(case.referee.board()) in by_key(case.positions)
