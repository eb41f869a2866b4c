"""The player HS: where its boards come from, and that a seed is a game."""

import random
from collections import Counter
from typing import Literal

import chess
import pytest

from kriegbot.belief.last_observation import last_observation
from kriegbot.kernels import to_board
from kriegbot.players.hs import HybridSearch
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from referee import BERKELEY, NO_LIMITS, PAPER_LIMITS, WILD16, Limits, OpponentMoved, Referee, View
from tests.effort import some


def views(seed: int) -> list[View]:
    """Return views of one random game, each of the side to move."""
    rng, referee, seen = random.Random(seed), Referee((BERKELEY, WILD16)[seed % 2], PAPER_LIMITS), []
    while referee.end is None:
        view = referee.view(referee.turn)
        seen.append(view)
        referee.try_move(rng.choice(view.tries()))
    return seen


@pytest.mark.slow
def test_boards_of_the_last_observation_fit_it_and_the_refusals() -> None:
    seen = Counter[str]()
    for seed in range(20):
        for view in random.Random(seed).sample(views(seed), 12):
            tries = set(view.tries())
            heard = [event for event in view.events if isinstance(event, OpponentMoved)]
            for row in last_observation(view, 10, seed):
                board = to_board(row)
                own = {s: p.piece_type for s, p in board.piece_map().items() if p.color == view.color}
                assert own == dict(view.men)
                assert board.occupied_co[not view.color].bit_count() == view.opponent_men
                assert set(board.legal_moves) <= tries
                seen["boards"] += 1
                if heard and heard[-1].announcement.capture is not None:
                    taken = heard[-1].announcement.capture
                    seen["taken"] += 1
                    seen["stands there"] += board.color_at(taken) == (not view.color)
            seen["views"] += 1
    assert seen["boards"] > 5 * seen["views"]
    assert seen["stands there"] > 0.9 * seen["taken"] > 0


def test_a_man_may_stand_where_our_king_was_refused_to_go() -> None:
    """Nobody is put where a pawn was refused a capture, but a king is refused the square of a protected man."""
    referee = Referee(BERKELEY, NO_LIMITS, "2r1kb1r/8/8/8/8/2n5/8/R3K3 b Q - 0 1")
    for uci in ("c3b5", "a1a2", "b5c3", "e1d1"):
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(chess.WHITE)
    assert view.refused == (chess.Move.from_uci("e1d1"),)
    boards = [to_board(row) for row in last_observation(view, 2_000, seed=1)]
    assert any(board.piece_at(chess.D1) for board in boards)
    assert not any(board.is_legal(view.refused[0]) for board in boards)


def test_somebody_stands_where_our_pawn_was_refused_a_step() -> None:
    referee = Referee(BERKELEY, NO_LIMITS, "4kb1r/8/8/8/2n5/8/4P3/6K1 b k - 0 1")
    for uci in ("c4e3", "e2e3"):
        referee.try_move(chess.Move.from_uci(uci))
    boards = [to_board(row) for row in last_observation(referee.view(chess.WHITE), 100, seed=1)]
    assert len(boards) == 100
    assert all(board.color_at(chess.E3) == chess.BLACK for board in boards)


def test_most_boards_of_the_last_observation_sound_as_the_last_announcement_did() -> None:
    fits = Counter[bool]()
    for seed in range(10):
        for view in views(seed)[5::20]:
            if not isinstance(view.events[-1], OpponentMoved):
                continue
            said = view.events[-1].announcement
            for row in last_observation(view, 10, seed):
                board = to_board(row)
                fits[board.is_check() == bool(said.checks)] += 1
    assert fits[True] > 10 * fits[False]


def game(sampling: str, seed: int, plies: int = 40, samples: int = 30) -> tuple[list[str], Counter[str]]:
    """Return tries of a game of HS against random moves, and what its reports say."""
    player = make_player(parse_spec(f"hs:depth=1,samples={samples},pool=50,sampling={sampling}"), seed)
    referee, rng, tries, seen = Referee(BERKELEY, Limits(plies=plies)), random.Random(seed), [], Counter[str]()
    while referee.end is None:
        view = referee.view(referee.turn)
        if view.color == chess.BLACK:
            referee.try_move(rng.choice(view.tries()))
            continue
        choice = player.choose(view)
        assert choice.action in view.tries()
        assert choice.report.samples <= samples
        seen["tries"] += 1
        seen["inconsistent"] += choice.report.belief_inconsistent
        seen["empty"] += choice.report.rescue != ""
        tries.append(str(choice.action))
        referee.try_move(choice.action)
    return tries, seen


@pytest.mark.slow
@pytest.mark.parametrize("sampling", some(("aosp", "hs", "los", "aos"), 2))
def test_a_seed_is_a_game(sampling: str) -> None:
    assert game(sampling, 3) == game(sampling, 3)
    assert game(sampling, 3)[0] != game(sampling, 4)[0]


@pytest.mark.slow
def test_hs_goes_from_boards_that_fit_everything_to_boards_of_the_last_observation() -> None:
    seen = {sampling: game(sampling, 5, plies=100)[1] for sampling in ("hs", "los", "aosp")}
    assert seen["los"]["inconsistent"] == seen["los"]["tries"]
    assert 0 < seen["hs"]["inconsistent"] < seen["los"]["inconsistent"]
    assert seen["aosp"]["inconsistent"] <= seen["aosp"]["empty"]


@pytest.mark.parametrize(
    ("sampling", "samples", "pool", "is_inconsistent"),
    [("hs", 10, 5, True), ("los", 10, 0, True), ("aos", 5, 5, False), ("aosp", 5, 5, False)],
)
def test_boards_come_from_a_pool_of_consistent_ones_and_from_the_last_observation(
    sampling: Literal["hs", "los", "aos", "aosp"], samples: int, pool: int, is_inconsistent: bool
) -> None:
    referee = Referee()
    referee.try_move(chess.Move.from_uci("e2e4"))
    search = HybridSearch(depth=1, wanted=10, pool=5, sampling=sampling)
    search.update(referee.view(chess.BLACK))
    report = search.policy(referee.view(chess.BLACK), None).report
    assert (report.samples, report.particles, report.belief_inconsistent) == (samples, pool, is_inconsistent)
    assert report.leaves >= samples


def test_without_a_board_all_open_tries_are_equal() -> None:
    view = Referee().view(chess.WHITE)
    policy = HybridSearch().policy(view, None)
    assert (list(policy.tries), len({*policy.weights.tolist()})) == (list(view.tries()), 1)
    assert (policy.report.samples, policy.report.depth, policy.report.leaves) == (0, 0, 0)


def test_time_is_kept() -> None:
    player = make_player(parse_spec("hs:time=1"), 1)
    report = player.choose(Referee(BERKELEY, Limits()).view(chess.WHITE)).report
    assert report.leaves > 0
    assert report.seconds < 10.0  # ten times the budget: a hang is caught, a busy machine is not
