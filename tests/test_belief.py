"""The sampled belief against the exact one, and against the truth."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.belief.belief import Belief, EmptyBelief
from kriegbot.belief.filter import MOVES_PER_BOARD, AnnouncedMove, matches_of
from kriegbot.belief.particles import Filter, Particles, systematic
from kriegbot.belief.pool import Pool
from kriegbot.kernels import MAX_MOVES, NOT_ASKED, TurnHistory, encode_move, from_board, kernel_rules, to_board
from kriegbot.kernels.position import type_ids
from kriegbot.models import load_opponent
from referee import (
    BERKELEY,
    NO_LIMITS,
    PAPER_LIMITS,
    RULE_SETS,
    WILD16,
    Check,
    OwnTry,
    Referee,
    RuleSet,
    View,
)
from tests import plain_opponents
from tests.effort import many, some
from tests.exact_belief import ExactBelief, position_key
from tests.odd_parts import KINDS, odd, plain_odd, two_kinds
from tests.plain_cases import CASES, Case
from tests.tracer import Tracer

MODELS = {
    "uniform": (load_opponent("uniform"), plain_opponents.equally_likely),
    "recapturing": (load_opponent("recapturing"), plain_opponents.recapturing),
    "odd": (odd, plain_odd),
}
EXCHANGES = ("d2d4 e7e5 d4e5 d7d6 e5d6 f8d6", "e2e4 e7e5 g1f3 b8c6 f3e5 c6e5")
"""Captures and recaptures, whose announcements the side to move has received."""
KNOWN_ENDING = "8/8/3k4/8/8/8/4K2R/8 w - - 0 1"


def posterior(particles: Particles) -> dict[object, float]:
    """Return the probability of each position, keyed as in the exact belief."""
    boards = (to_board(row) for row in particles.rows)
    return {position_key(board): float(w) for board, w in zip(boards, particles.weights, strict=True)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_a_belief_that_holds_all_boards_is_the_exact_posterior(case: Case) -> None:
    belief = Belief(case.view, max_particles=1000)
    assert belief.particles.is_exact
    exact = {position_key(board): weight for board, weight in case.positions}
    assert posterior(belief.particles) == pytest.approx(exact)


def act_openly(referee: Referee, rng: random.Random) -> None:
    """Make an open try, or ask "Any?" half of the time if the rules allow it."""
    view = referee.view(referee.turn)
    if view.may_ask and rng.random() < 0.5:
        referee.ask_any()
    else:
        referee.try_move(rng.choice(view.tries()))


@pytest.mark.parametrize("model", ["recapturing", "odd"])
def test_under_other_opponent_models_too_it_is_the_exact_posterior(model: str) -> None:
    opponent, replies = MODELS[model]
    for line in EXCHANGES:
        referee = Referee(BERKELEY, NO_LIMITS)
        for uci in line.split():
            referee.try_move(chess.Move.from_uci(uci))
        view = referee.view(referee.turn)
        belief, exact = Belief(view, 50_000, model=opponent), ExactBelief(view, replies=replies)
        assert belief.particles.is_exact
        assert len(exact) > 1
        expected = {position_key(board): weight for board, weight in exact.positions}
        assert posterior(belief.particles) == pytest.approx(expected)
        assert posterior(Belief(view, 50_000).particles) != pytest.approx(expected)


@pytest.mark.parametrize("line", EXCHANGES)
def test_under_several_kinds_of_opponent_it_is_the_exact_posterior_of_board_and_kind(line: str) -> None:
    referee = Referee(BERKELEY, NO_LIMITS)
    for uci in line.split():
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(referee.turn)
    found, expected, evidence = Belief(view, 50_000, model=two_kinds).particles, {}, []
    assert found.is_exact
    for kind, (share, replies) in enumerate(zip(KINDS, (plain_opponents.equally_likely, plain_odd), strict=True)):
        exact = ExactBelief(view, replies=replies)
        evidence.append(share * exact.evidence)
        for board, weight in exact.positions:
            expected[position_key(board), kind] = evidence[-1] * weight
    keys = [position_key(to_board(row)) for row in found.rows]
    of = dict(zip(zip(keys, type_ids(found.rows).tolist(), strict=True), found.weights.tolist(), strict=True))
    assert of == pytest.approx({key: weight / sum(evidence) for key, weight in expected.items()})
    assert found.board_count == len(set(keys)) < len(found)
    assert abs(evidence[1] / sum(evidence) - KINDS[1]) > 0.1  # the announcements are evidence about the type


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_random_openings_are_believed_exactly(rules: RuleSet) -> None:
    for seed in range(many(6, 2)):
        rng = random.Random(seed)
        referee = Referee(rules, PAPER_LIMITS)
        while referee.ply < 4:
            act_openly(referee, rng)
        view = referee.view(referee.turn)
        belief, exact = Belief(view, max_particles=50_000), ExactBelief(view)
        assert belief.particles.is_exact
        assert posterior(belief.particles) == pytest.approx({position_key(b): w for b, w in exact.positions})


@pytest.mark.parametrize("model", ["uniform", "odd"])
def test_boards_with_more_moves_than_there_is_room_for_at_first_lose_none(model: str) -> None:
    board = chess.Board("k7/8/3qq3/8/1r3r2/8/3q3P/7K b - - 0 1")
    silent = [move for move in board.legal_moves if not board.gives_check(move) and not board.is_capture(move)]
    copies = 50
    assert len(silent) * copies > MOVES_PER_BOARD * copies + MAX_MOVES
    rows = np.tile(from_board(board), (copies, 1))
    event, rules = AnnouncedMove(0, TurnHistory(0, NOT_ASKED, 0), 0, 0), kernel_rules(BERKELEY, NO_LIMITS)
    alone, found = (matches_of(rows[:n], event, rules, MODELS[model][0]) for n in (1, copies))
    assert sorted(alone.moves[: len(silent)]) == sorted(map(encode_move, silent))
    assert alone.matching_moves[0] == len(silent)
    for name in ("moves", "weights"):
        each, every = getattr(alone, name)[: len(silent)], getattr(found, name)[: len(silent) * copies]
        assert np.array_equal(every, np.tile(each, copies))
    for name in ("matching_moves", "is_weighted", "matching_weight", "total_weight"):
        assert (getattr(found, name) == getattr(alone, name)).all()


@pytest.mark.parametrize("count", range(4))
def test_as_many_refusals_as_were_heard_before_a_move_need_as_many_illegal_tries(count: int) -> None:
    # With pawns on g5 and h5, f6, g6 and h6 are forbidden from g7; g6 and h6 from h7; from g8 nothing.
    referee = Referee(BERKELEY, NO_LIMITS, "7k/8/8/6PP/8/8/8/K7 b - - 0 1")
    for uci in ("h8g7", "a1a2", *("g7f6", "g7g6", "g7h6")[:count], "g7f8"):
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(chess.WHITE)
    exact = ExactBelief(view).positions
    assert posterior(Belief(view).particles) == pytest.approx({position_key(board): mass for board, mass in exact})


def features(particles: Particles) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the probability of a black piece, of a black knight and of a black pawn on each square."""
    black = particles.rows[:, 6]
    sets = (black, black & particles.rows[:, 1], black & particles.rows[:, 0])
    bits = [(men >> np.uint64(square)) & np.uint64(1) for men in sets for square in range(64)]
    return np.array([float(particles.weights @ bit) for bit in bits])


def assert_unbiased(sampled: list[Particles], exact: Particles) -> None:
    """Compare the mean weight of each group of boards over many seeds with the exact one."""
    assert exact.is_exact
    assert len(exact) > 4000
    often = features(exact) > 0.01  # others are seen too seldom for a standard error to mean anything
    samples = np.array([features(particles)[often] for particles in sampled])
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(sampled))
    off = np.abs(samples.mean(axis=0) - features(exact)[often])
    varies = error > 1e-9  # some pieces stand on the same squares on every board
    deviations = off[varies] / error[varies]
    # Some hundred features, not independent: with no bias none should lie 4.5 standard errors off, and few beyond 2.
    assert len(deviations) > 50
    assert deviations.max() < 4.5
    assert (deviations > 2).mean() < 0.12
    assert off[~varies].max(initial=0.0) < 1e-9


@pytest.mark.slow
def test_the_sampled_distribution_matches_the_exact_posterior() -> None:
    """The belief holds 400 of more than 6,000 boards."""
    rng = random.Random(11)
    referee = Referee(BERKELEY, NO_LIMITS)
    while referee.ply < 6:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
    view = referee.view(chess.WHITE)
    sampled = [Belief(view, max_particles=400, seed=seed).particles for seed in range(300)]
    assert_unbiased(sampled, Belief(view, max_particles=10**6).particles)


@pytest.mark.slow
@pytest.mark.parametrize("model", some(("odd", "uniform", "recapturing"), 1))
def test_boards_drawn_after_a_recapture_have_their_exact_probabilities(model: str) -> None:
    """The filter draws 400 of more than 6,000 successors of one move."""
    opponent, _ = MODELS[model]
    referee = Referee(BERKELEY, NO_LIMITS)
    for uci in ("e2e3", "a7a6", "d1e2", "h7h6", "e2d3", "g8f6", "d3d7", "d8d7"):
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(chess.WHITE)
    belief = Belief(view, 10**6, model=opponent)
    before, event = belief.before_opponent_moved.particles, belief.before_opponent_moved.event
    sampled = [
        replace(belief.filter, max_particles=400, seed=seed).after_event(before, view, event) for seed in range(1000)
    ]
    assert_unbiased(sampled, belief.particles)


@pytest.mark.slow
def test_the_truth_is_never_dropped_in_random_games() -> None:
    for seed in range(many(12, len(RULE_SETS))):
        rng = random.Random(seed)
        referee = Referee(list(RULE_SETS.values())[seed % len(RULE_SETS)], PAPER_LIMITS)
        tracers = [Tracer(referee, color) for color in chess.COLORS]
        while referee.end is None:
            view = referee.view(referee.turn)
            legal = list(referee.board().legal_moves)
            captures = [move for move in legal if referee.board().is_capture(move)]
            if view.may_ask and rng.random() < 0.5:
                referee.ask_any()
            else:
                referee.try_move(rng.choice(rng.choice((view.tries(), legal, captures or legal))))
            for tracer in tracers:
                tracer.follow(referee)
        assert [tracer.dropped for tracer in tracers] == [[], []]


def test_the_tracer_would_catch_a_belief_that_drops_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Filter.after_event

    def forgetful(*arguments: Any) -> Particles:
        after = step(*arguments)
        return Particles(after.rows[::2], after.weights[::2], is_exact=False)

    monkeypatch.setattr(Filter, "after_event", forgetful)
    referee = Referee()
    tracer = Tracer(referee, chess.WHITE)
    rng = random.Random(5)
    for _ in range(20):
        referee.try_move(rng.choice(list(referee.board().legal_moves)))
        tracer.follow(referee)
    assert tracer.dropped


def test_an_update_in_steps_is_an_update_at_once() -> None:
    rng = random.Random(3)
    referee = Referee(WILD16, PAPER_LIMITS)
    stepwise = Belief(referee.view(chess.BLACK), max_particles=300, seed=9)
    while referee.ply < 30 and referee.end is None:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        stepwise.update(referee.view(chess.BLACK))
    at_once = Belief(referee.view(chess.BLACK), max_particles=300, seed=9)
    assert np.array_equal(stepwise.particles.rows, at_once.particles.rows)
    assert np.array_equal(stepwise.particles.weights, at_once.particles.weights)


def test_a_contradictory_view_raises_empty_belief() -> None:
    referee = Referee(BERKELEY, NO_LIMITS, KNOWN_ENDING)
    referee.try_move(chess.Move.from_uci("h2h6"))
    view = referee.view(chess.WHITE)
    event = view.events[0]
    assert isinstance(event, OwnTry)
    assert event.announcement is not None
    assert event.announcement.checks == Check.RANK
    quiet = replace(event, move=chess.Move.from_uci("h2h5"))  # it would not have given the announced check
    with pytest.raises(EmptyBelief, match="no board is consistent with event 0"):
        Belief(replace(view, events=(quiet,)))


def test_a_belief_that_ran_empty_stays_empty() -> None:
    view = after("e2e4 e7e5 g1f3 b8c6 f1c4")
    tries = [number for number, event in enumerate(view.events) if isinstance(event, OwnTry)]
    knight = view.events[tries[1]]
    assert isinstance(knight, OwnTry)
    assert knight.announcement is not None
    check = replace(knight, announcement=replace(knight.announcement, checks=Check.RANK))  # which Nf3 cannot give
    events = (*view.events[: tries[1]], check, *view.events[tries[1] + 1 :])
    belief = Belief(replace(view, events=events[: tries[1]]))
    for end in range(tries[1] + 1, len(events) + 1):
        with pytest.raises(EmptyBelief):
            belief.update(replace(view, events=events[:end]))
        assert len(belief.particles) == 0


def after(moves: str, **changed: Any) -> View:
    """Return White's view after some moves, with some fields replaced."""
    referee = Referee(BERKELEY, NO_LIMITS)
    for uci in moves.split():
        referee.try_move(chess.Move.from_uci(uci))
    return replace(referee.view(chess.WHITE), **changed)


@pytest.mark.parametrize(
    ("view", "what"),
    [
        (after("e2e4 e7e5", color=chess.BLACK), "color"),
        (after("e2e4 e7e5", rules=WILD16), "rules"),
        (after("e2e4 e7e5", limits=PAPER_LIMITS), "limits"),
        (after("e2e4 e7e5", start=KNOWN_ENDING), "start"),
        (after("d2d4 e7e5"), "events"),
        (after(""), "events"),
    ],
)
def test_a_view_of_another_side_or_game_is_refused(view: View, what: str) -> None:
    belief = Belief(after("e2e4"))
    with pytest.raises(ValueError, match=f"^illegal view: other {what} than the belief's; it takes later views"):
        belief.update(view)
    belief.update(after("e2e4"))
    belief.update(after("e2e4 e7e5"))
    assert len(belief.particles) == 20


@pytest.mark.parametrize("color", ["white", None, 0, 1])
def test_a_colour_that_is_none_is_refused(color: Any) -> None:
    with pytest.raises(ValueError, match=r"^illegal colour .*: use chess.WHITE or chess.BLACK$"):
        Belief(after("")).occupancy(color)


@pytest.mark.parametrize("draws", [1, 7, 1000])
def test_systematic_sampling_rounds_every_share_up_or_down(draws: int) -> None:
    mass = np.random.default_rng(4).random(50) ** 4
    counts = systematic(mass, draws, seed=draws)
    shares = mass / mass.sum() * draws
    assert counts.sum() == draws
    assert (np.abs(counts - shares) < 1 + 1e-9).all()


def test_draws_add_up_and_follow_the_weights() -> None:
    view = CASES[0].view
    belief = Belief(view)
    rows, counts = belief.particles.draw(100_000, seed=5)
    assert counts.sum() == 100_000
    drawn = {row.tobytes(): count / 100_000 for row, count in zip(rows, counts, strict=True)}
    for row, weight in zip(belief.particles.rows, belief.particles.weights, strict=True):
        assert drawn.get(row.tobytes(), 0.0) == pytest.approx(weight, abs=0.01)


def midgame(seed: int, most: int) -> Belief:
    """Return White's belief fifteen moves into a random game."""
    rng = random.Random(seed)
    referee = Referee(BERKELEY, NO_LIMITS)
    while referee.ply < 30:
        referee.try_move(rng.choice(list(referee.board().legal_moves)))
    return Belief(referee.view(chess.WHITE), most, seed)


@pytest.mark.parametrize("color", chess.COLORS)
def test_occupancy_is_the_weight_of_the_boards_that_have_the_man_there(color: chess.Color) -> None:
    belief = midgame(1, most=300)
    expected = np.zeros((6, 64))
    for row, weight in zip(belief.particles.rows, belief.particles.weights, strict=True):
        for square, piece in to_board(row).piece_map().items():
            expected[piece.piece_type - 1, square] += weight * (piece.color == color)
    np.testing.assert_allclose(belief.occupancy(color), expected, atol=1e-12)


def test_shuffled_boards_are_all_boards_once_each_with_its_weight_in_an_order_of_the_seed() -> None:
    belief = midgame(1, most=300)
    held = list(zip(map(bytes, belief.particles.rows), belief.particles.weights, strict=True))
    orders = [list(zip(map(bytes, rows), weights, strict=True)) for rows, weights in map(belief.shuffled, (1, 2))]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(held)
    assert held != orders[0] != orders[1] != held


def test_the_effective_sample_size_is_one_over_the_sum_of_squared_weights() -> None:
    rows = np.arange(24, dtype=np.uint64).reshape(3, 8)
    assert Particles(rows, np.array([0.5, 0.25, 0.25]), is_exact=True).effective == pytest.approx(1 / 0.375)
    assert Particles(rows, np.full(3, 1 / 3), is_exact=True).effective == pytest.approx(3)
    assert Particles(rows[:0], np.empty(0), is_exact=True).effective == 0


def test_a_pool_is_a_belief_up_to_its_first_rescue_and_then_empty() -> None:
    rng = random.Random(2)
    referee = Referee(WILD16, PAPER_LIMITS)
    start = referee.view(chess.WHITE)
    belief, pool = Belief(start, 20, seed=5), Pool(start, 20, seed=5)
    filled = empty = 0
    while referee.end is None:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        for one in (belief, pool):
            one.update(referee.view(chess.WHITE))
        if belief.rescues:
            assert len(pool.particles) == 0
            empty += 1
        else:
            assert np.array_equal(pool.particles.rows, belief.particles.rows)
            assert np.array_equal(pool.particles.weights, belief.particles.weights)
            filled += 1
    assert min(filled, empty) > 20


def test_a_renewed_pool_keeps_what_fits_and_takes_boards_of_the_last_observation_for_the_rest() -> None:
    rng = random.Random(2)
    referee = Referee(WILD16, PAPER_LIMITS)
    pool, exact = (
        Pool(referee.view(chess.WHITE), 20, seed=5, is_renewed=True),
        Pool(referee.view(chess.WHITE), 20, seed=5),
    )
    renewed = Counter[str]()
    while referee.end is None:
        before, was_exact, events = pool.particles, pool.particles.is_exact, len(referee.view(chess.WHITE).events)
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        view = referee.view(chess.WHITE)
        for one in (pool, exact):
            one.update(view)
        if pool.particles.is_exact:
            assert np.array_equal(pool.particles.rows, exact.particles.rows)
            continue
        rows = {bytes(row) for row in pool.particles.rows}
        assert 0 < len(rows) == len(pool.particles) <= 20
        if not was_exact and len(view.events) == events + 1:
            stayed = pool.filter.after_event(before, view, events).rows
            assert {bytes(row) for row in stayed} <= rows
            assert len(stayed) <= len(before)
            renewed["fewer" if len(stayed) < len(before) else "all"] += 1
        for row in pool.particles.rows:
            board = to_board(row)
            assert {s: p.piece_type for s, p in board.piece_map().items() if p.color == chess.WHITE} == dict(view.men)
            assert board.occupied_co[chess.BLACK].bit_count() == view.opponent_men
            assert not set(view.illegal) & set(board.legal_moves)
    assert renewed["fewer"] > 20


def test_a_belief_about_the_start_is_the_start() -> None:
    belief = Belief(Referee().view(chess.WHITE))
    assert np.array_equal(belief.particles.rows[0], from_board(chess.Board()))
    assert belief.particles.effective == 1.0
