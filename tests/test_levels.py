"""The levels: how they are ordered, and the silly acts that they do not commit."""

from dataclasses import replace

import chess
import numpy as np
import pytest

from kriegbot.belief.particles import Particles
from kriegbot.kernels import from_board, to_board
from kriegbot.players.kriegbot import BEST, LEVELS, WORDS
from kriegbot.players.kriegbot import kriegbot as kind
from kriegbot.search.policy import Policy
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import Settings
from referee import Referee

RETAKING = ("casual", "club", "strong", "master")
"""The levels that never leave a retake that costs nothing."""


def policy_of(settings: Settings, start: str, moves: str, seed: int = 1) -> Policy:
    """Return the policy after these moves from a start that both sides know."""
    referee = Referee(start=start)
    for move in moves.split():
        referee.try_move(chess.Move.from_uci(move))
    search, view = SampledSearch(settings, seed), referee.view(referee.turn)
    search.update(view)
    return search.policy(view, None)


def share(policy: Policy, *names: str) -> float:
    """Return the probability that one of these tries is chosen."""
    weights = zip(policy.tries, policy.weights, strict=True)
    return float(sum(weight for move, weight in weights if move.uci() in names) / policy.weights.sum())


def test_each_level_looks_further_or_sees_or_remembers_more_or_errs_less_than_the_one_below() -> None:
    strengths = [(one.depth, one.exchange, one.particles, -one.temperature[1]) for one in LEVELS.values()]
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == len(LEVELS)
    assert all(one.samples for one in LEVELS.values())


def test_every_level_that_can_be_chosen_is_said_in_words() -> None:
    (option,) = [option for option in kind.options if option.name == "level"]
    assert option.choices == tuple(WORDS) == (*LEVELS, BEST)
    assert len(option.words) == len(option.choices)
    for level in WORDS:
        assert option.read(level) == level


@pytest.mark.parametrize("level", RETAKING)
def test_a_free_retake_is_taken_though_the_game_is_nearly_won(level: str) -> None:
    # a pawn has taken on a3; if chances of winning are all that counts, a move of the bishop looks better
    start = "r5k1/p1p1Q1n1/8/7p/bp5P/P4N2/1PP2K2/1RB2B1R b - - 0 1"
    policy = policy_of(LEVELS[level], start, "b4a3")
    assert share(policy, "b2a3") > 0.9


def test_a_retake_gains_as_much_as_is_set_times_its_chance_of_being_legal() -> None:
    start = "4k3/8/5n2/3p4/4P3/8/8/R3K2Q b - - 0 1"
    settings = replace(LEVELS["club"], recapture_bonus=0.0)
    without, given = (
        policy_of(settings, start, "d5e4"),
        policy_of(replace(settings, recapture_bonus=80.0), start, "d5e4"),
    )
    assert without.legal is not None
    are_back = np.array([move.to_square == chess.E4 for move in without.tries])
    assert are_back.sum() == 1
    assert given.values - without.values == pytest.approx(80.0 * are_back * without.legal)


@pytest.mark.parametrize("level", LEVELS)
def test_no_level_risks_a_stalemate_when_far_ahead(level: str) -> None:
    # the king is on one of five squares; on f8 Qg6 stalemates him: levels that saw few boards played it, one in 7
    start = "8/5k2/3K3p/7P/8/8/8/1Q6 b - - 0 1"
    shares = [share(policy_of(LEVELS[level], start, "f7g7", seed), "b1g6") for seed in range(10)]
    assert np.mean(shares) < 0.02


@pytest.mark.parametrize("level", LEVELS)
def test_a_try_that_is_as_good_as_hopeless_is_made_only_if_there_is_no_other(level: str) -> None:
    moves, seen = "e2e4 d7d5 d2d4 g8f6", 0
    for count in range(1, 5):
        policy = policy_of(LEVELS[level], chess.STARTING_FEN, " ".join(moves.split()[:count]))
        assert policy.legal is not None
        hopeless = policy.legal <= LEVELS[level].hopeless
        seen += int((hopeless & (policy.legal > 0)).sum())
        assert not policy.weights[hopeless].any()
        assert policy.weights.any()
    assert seen > 0
    # after a check, no try is as likely as that
    alone = replace(LEVELS[level], hopeless=0.99)
    assert policy_of(alone, "7k/8/8/8/8/8/5q2/7K b - - 0 1", "f2f1").weights.any()


@pytest.mark.parametrize("level", LEVELS)
def test_first_moves_vary_and_none_is_bad(level: str) -> None:
    policy = policy_of(LEVELS[level], chess.STARTING_FEN, "e2e4")
    chances = policy.weights / policy.weights.sum()
    assert chances.max() < 0.35
    assert share(policy, "g7g5", "f7f6") < 0.1


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_whose_few_boards_may_be_wrong_thinks_of_a_king_elsewhere(level: str) -> None:
    # all of its three boards have the king far from f8, where Qg6 stalemates him
    referee = Referee(start="8/5k2/3K3p/7P/8/8/8/1Q6 b - - 0 1")
    referee.try_move(chess.Move.from_uci("f7g7"))
    boards = [chess.Board(f"{king}/3K3p/7P/8/8/8/1Q6 w - - 1 2") for king in ("6k1/8", "8/6k1", "4k3/8")]
    search, view = SampledSearch(LEVELS[level], 1), referee.view(chess.WHITE)
    search.update(view)
    assert search.belief is not None
    rows = np.array([from_board(board) for board in boards])
    search.belief.particles = Particles(rows, np.full(3, 1 / 3), is_exact=False, is_consistent=False)
    sample, weights = search._draw(search.belief, view, 1)
    kings = [board.king(chess.BLACK) for board in map(to_board, sample)]
    assert chess.F8 in kings
    known = np.array([king in (chess.G8, chess.G7, chess.E8) for king in kings])
    assert weights[~known].sum() / weights.sum() == pytest.approx(LEVELS[level].king_uncertainty)
    assert share(search.policy(view, None), "b1g6") < 0.05
