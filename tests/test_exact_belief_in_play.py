"""The exact belief in any game: the truth is possible, and the posterior is that of all histories replayed."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kriegbot.belief.exact import ExactBelief, TooManyPositions, position_key
from referee import BERKELEY, WILD16, Limits, OpponentMoved, OwnTry, Referee, RuleSet, View
from tests.plain_cases import CASES, Case

SMALL_STARTS = (
    "7k/8/8/8/8/8/P7/K7 b - - 0 1",
    "7k/8/8/7P/8/8/8/K7 b - - 0 1",
    "4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1",
    "4k3/8/8/8/6n1/8/8/4K2R b K - 0 1",
    "1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1",
    "6k1/8/6K1/8/8/8/8/R7 b - - 0 1",
    "4k3/2p1p3/8/1P1P4/8/8/8/4K3 b - - 3 9",
)


def by_key(positions: Iterable[tuple[chess.Board, float]]) -> dict[object, float]:
    found: dict[object, float] = {}
    for board, probability in positions:
        found[position_key(board)] = found.get(position_key(board), 0.0) + probability
    return found


def by_replaying_every_history(view: View) -> dict[object, float]:
    """The posterior, from every sequence of moves that makes a referee tell this view's events.

    Nothing is merged and nothing but the referee is asked: each history is a game of its own.
    """
    histories: list[tuple[tuple[chess.Move, ...], float]] = [((), 1.0)]
    for heard, event in enumerate(view.events, start=1):
        longer = []
        for tries, weight in histories:
            referee = replayed(view, tries)
            legal = list(referee.board().legal_moves)
            if isinstance(event, OwnTry):
                candidates = [(event.move, weight)]
            elif isinstance(event, OpponentMoved):
                candidates = [(move, weight / len(legal)) for move in legal]
            else:  # refused: some illegal try, it does not matter which
                illegal = [move for move in referee.view(not view.color).tries() if move not in legal]
                candidates = [(move, weight) for move in illegal[:1]]
            for move, new_weight in candidates:
                if replayed(view, (*tries, move)).view(view.color).events == view.events[:heard]:
                    longer.append(((*tries, move), new_weight))
        histories = longer
    total = sum(weight for _, weight in histories)
    return by_key((replayed(view, tries).board(), weight / total) for tries, weight in histories)


def replayed(view: View, tries: Iterable[chess.Move]) -> Referee:
    referee = Referee(view.rules, view.limits, view.start)
    for move in tries:
        referee.try_move(move)
    return referee


def random_try(referee: Referee, rng: random.Random) -> chess.Move:
    """An open try for the most part, now and then one already refused or sheer nonsense."""
    view = referee.view(referee.turn)
    if rng.random() < 0.1:
        return chess.Move(rng.randrange(64), rng.randrange(64))
    if view.refused and rng.random() < 0.1:
        return rng.choice(view.refused)
    return rng.choice(view.tries())


games = given(
    start=st.sampled_from(SMALL_STARTS),
    rules=st.sampled_from((BERKELEY, WILD16)),
    limits=st.sampled_from((Limits(), Limits(plies=4), Limits(quiet_plies=5))),
    seed=st.integers(0, 2**32 - 1),
)
few = settings(max_examples=40, deadline=None)


@games
@few
@example(start=chess.STARTING_FEN, rules=BERKELEY, limits=Limits(), seed=1)
def test_the_truth_is_always_possible(start: str, rules: RuleSet, limits: Limits, seed: int) -> None:
    rng = random.Random(seed)
    referee = Referee(rules, limits, start)
    beliefs = {color: ExactBelief(referee.view(color), max_positions=600) for color in chess.COLORS}
    with contextlib.suppress(TooManyPositions):  # once it has grown out of what is small
        for _ in range(16):
            if referee.end is not None:
                break
            referee.try_move(random_try(referee, rng))
            for color, belief in beliefs.items():
                view = referee.view(color)
                belief.update(view)
                assert belief.probability(referee.board()) > 0.0
                assert sum(probability for _, probability in belief.positions) == pytest.approx(1.0)
                assert all(own_side(board, color) == own_side_of(view) for board, _ in belief.positions)


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


@games
@settings(max_examples=40, deadline=None)
def test_it_is_what_replaying_every_history_gives(start: str, rules: RuleSet, limits: Limits, seed: int) -> None:
    rng = random.Random(seed)
    referee = Referee(rules, limits, start)
    while referee.end is None and referee.ply < 4:
        referee.try_move(random_try(referee, rng))
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
