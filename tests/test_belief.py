"""The sampled belief against the exact one, against the truth, and when it runs dry."""

import random
from collections import Counter
from dataclasses import replace

import chess
import numpy as np
import pytest

from kriegbot.belief.belief import Belief
from kriegbot.belief.errors import EmptyBelief
from kriegbot.belief.exact import ExactBelief, position_key
from kriegbot.belief.heard import terms_of
from kriegbot.belief.particles import Particles, systematic
from kriegbot.belief.rescue import blind
from kriegbot.kernels.position import from_board, to_board
from referee import (
    BERKELEY,
    NO_LIMITS,
    PAPER_LIMITS,
    RULE_SETS,
    WILD16,
    Answer,
    Check,
    OwnTry,
    Referee,
    RuleSet,
)
from tests.plain_cases import CASES, Case
from tests.tracer import Tracer

KNOWN_ENDING = "8/8/3k4/8/8/8/4K2R/8 w - - 0 1"


def posterior(particles: Particles) -> dict[object, float]:
    """Probability of each position, keyed as the exact belief does."""
    boards = (to_board(row) for row in particles.rows)
    return {position_key(board): float(w) for board, w in zip(boards, particles.weights, strict=True)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_a_belief_that_holds_all_boards_is_the_exact_posterior(case: Case) -> None:
    belief = Belief(case.view, most=1000)
    assert belief.particles.is_exact
    exact = {position_key(board): weight for board, weight in case.positions}
    assert posterior(belief.particles) == pytest.approx(exact)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_random_openings_are_believed_exactly(rules: RuleSet) -> None:
    for seed in range(6):
        rng = random.Random(seed)
        referee = Referee(rules, PAPER_LIMITS)
        while referee.ply < 4:
            referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        view = referee.view(referee.turn)
        belief, exact = Belief(view, most=50_000), ExactBelief(view)
        assert belief.particles.is_exact
        assert posterior(belief.particles) == pytest.approx({position_key(b): w for b, w in exact.positions})


def test_the_sampled_distribution_matches_the_exact_posterior() -> None:
    """400 boards held of 6,000 and more: over many seeds the mean weight of each group of boards is the exact one."""
    rng = random.Random(11)
    referee = Referee(BERKELEY, NO_LIMITS)
    while referee.ply < 6:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
    view = referee.view(chess.WHITE)
    exact = Belief(view, most=10**6)
    assert exact.particles.is_exact
    assert len(exact.particles) > 4000

    def features(particles: Particles) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Probability that a black man stands on each square, that a knight does, that a pawn does."""
        black = particles.rows[:, 6]
        sets = (black, black & particles.rows[:, 1], black & particles.rows[:, 0])
        bits = [(men >> np.uint64(square)) & np.uint64(1) for men in sets for square in range(64)]
        return np.array([float(particles.weights @ bit) for bit in bits])

    seeds = 300
    samples = np.array([features(Belief(view, most=400, seed=seed).particles) for seed in range(seeds)])
    error = samples.std(axis=0, ddof=1) / np.sqrt(seeds)
    off = np.abs(samples.mean(axis=0) - features(exact.particles))
    deviations = off[error > 0] / error[error > 0]
    # 192 features, not independent: with no bias none should lie 4.5 standard errors off, and few beyond 2.
    assert deviations.max() < 4.5
    assert (deviations > 2).mean() < 0.12
    assert off[error == 0].max(initial=0.0) < 1e-9


def test_the_truth_is_never_dropped_in_random_games() -> None:
    for seed in range(12):
        rng = random.Random(seed)
        referee = Referee((BERKELEY, WILD16)[seed % 2], PAPER_LIMITS)
        tracers = [Tracer(referee, color) for color in chess.COLORS]
        while referee.end is None:
            view = referee.view(referee.turn)
            legal = list(referee.board().legal_moves)
            captures = [move for move in legal if referee.board().is_capture(move)]
            referee.try_move(rng.choice(rng.choice((view.tries(), legal, captures or legal))))
            for tracer in tracers:
                tracer.follow(referee)
        assert [tracer.dropped for tracer in tracers] == [[], []]


def test_the_tracer_would_catch_a_belief_that_drops_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Particles.after_opponent

    def forgetful(self: Particles, heard: int, *rest: object) -> Particles:
        after = keep(self, heard, *rest)  # type: ignore[arg-type]  # passed on as it came
        return Particles(after.rows[::2], after.weights[::2], is_exact=False)

    monkeypatch.setattr(Particles, "after_opponent", forgetful)
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
    stepwise = Belief(referee.view(chess.BLACK), most=300, seed=9)
    while referee.ply < 30 and referee.end is None:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        stepwise.update(referee.view(chess.BLACK))
    at_once = Belief(referee.view(chess.BLACK), most=300, seed=9)
    assert np.array_equal(stepwise.particles.rows, at_once.particles.rows)
    assert np.array_equal(stepwise.particles.weights, at_once.particles.weights)


def test_a_starved_belief_is_rescued_and_says_how() -> None:
    rescues = set()
    for seed in range(6):
        rng = random.Random(seed)
        referee = Referee((BERKELEY, WILD16)[seed % 2], PAPER_LIMITS)
        belief = Belief(referee.view(chess.WHITE), most=20, seed=seed)
        while referee.end is None:
            view = referee.view(referee.turn)
            if referee.turn == chess.WHITE:
                before = belief.rescues.copy()
                belief.update(view)
                assert bool(belief.last_rescue) == (belief.rescues != before)
                if belief.last_rescue:
                    assert_fits_own_men(belief, view.men, chess.WHITE)
            referee.try_move(rng.choice(view.tries()))
        rescues |= set(belief.rescues)
    assert rescues >= {"replay", "last observation"}


def assert_fits_own_men(belief: Belief, men: object, color: chess.Color) -> None:
    """Every board is a legal one with the view's own men."""
    assert len(belief.particles) > 0
    assert belief.particles.weights.sum() == pytest.approx(1.0)
    for row in belief.particles.rows:
        board = to_board(row)
        assert {s: p.piece_type for s, p in board.piece_map().items() if p.color == color} == men
        assert not board.was_into_check()


def situation_of(board: chess.Board) -> Check:
    """Directions of the check that the side to move is in, for a check from a line or a diagonal of e1."""
    (square,) = board.checkers()
    if chess.square_file(square) == 4:
        return Check.FILE
    if chess.square_rank(square) == 0:
        return Check.RANK
    return Check.SHORT_DIAGONAL if chess.square_file(square) < 4 else Check.LONG_DIAGONAL


def test_a_rescue_that_leaves_the_information_set_is_remembered_until_a_replay() -> None:
    astray = 0
    for seed in range(8):
        rng = random.Random(seed)
        referee = Referee((BERKELEY, WILD16)[seed % 2], PAPER_LIMITS)
        belief = Belief(referee.view(chess.WHITE), most=20, seed=seed)
        fitted = True
        while referee.end is None:
            view = referee.view(referee.turn)
            if referee.turn == chess.WHITE:
                replays = belief.rescues["replay"]
                belief.update(view)
                if belief.rescues["replay"] > replays and belief.last_rescue != "replay":
                    fitted = belief.particles.fits_all  # one event needed a replay, another more, in whatever order
                elif belief.last_rescue in ("last observation", "blind"):
                    fitted = False
                elif belief.last_rescue == "replay":
                    fitted = True
                assert belief.particles.fits_all == fitted
                astray += not fitted
            referee.try_move(rng.choice(view.tries()))
    assert astray > 0


def test_blind_boards_have_the_known_numbers_and_fit_the_last_announcement() -> None:
    referee = Referee(BERKELEY, NO_LIMITS, "3qk2r/8/8/8/8/8/4P3/R3K3 b Qk - 0 1")
    for uci in ("h8h5", "e2e3", "h5e5", "e3e4", "d8a5"):
        assert referee.try_move(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    view = referee.view(chess.WHITE)
    particles = blind(view, seed=1)
    assert len(particles) > 20
    for row in particles.rows:
        board = to_board(row)
        assert board.is_valid()
        assert chess.popcount(board.occupied_co[chess.BLACK]) == view.opponent_men == 3
        assert board.has_queenside_castling_rights(chess.WHITE)
        assert situation_of(board) == Check.SHORT_DIAGONAL


def test_on_blind_boards_no_refused_try_is_legal_nor_a_pawn_capture_that_was_denied() -> None:
    rng = random.Random(8)
    seen = Counter[str]()
    for seed in range(40):
        referee = Referee((BERKELEY, WILD16)[seed % 2], PAPER_LIMITS)
        while referee.end is None and referee.ply < 60:
            view = referee.view(referee.turn)
            if len(view.refused) > 2 and rng.random() < 0.05:
                tries = set(view.tries())
                for row in blind(view, seed).rows:
                    assert set(to_board(row).legal_moves) <= tries
                    seen["boards"] += 1
                seen["no pawn tries"] += view.pawn_tries == 0
            referee.try_move(rng.choice(view.tries()))
    assert seen["boards"] > 100
    assert seen["no pawn tries"] > 0


def test_a_contradictory_view_raises_empty_belief() -> None:
    referee = Referee(BERKELEY, NO_LIMITS, KNOWN_ENDING)
    referee.try_move(chess.Move.from_uci("h2h6"))
    view = referee.view(chess.WHITE)
    event = view.events[0]
    assert isinstance(event, OwnTry)
    assert event.announcement is not None
    assert event.announcement.checks == Check.RANK
    quiet = replace(event, move=chess.Move.from_uci("h2h5"))  # it would not have given the check that was heard
    with pytest.raises(EmptyBelief, match="nothing fits"):
        Belief(replace(view, events=(quiet,)))


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
    rows, counts = belief.draw(100_000, seed=5)
    assert counts.sum() == 100_000
    drawn = {row.tobytes(): count / 100_000 for row, count in zip(rows, counts, strict=True)}
    for row, weight in zip(belief.particles.rows, belief.particles.weights, strict=True):
        assert drawn.get(row.tobytes(), 0.0) == pytest.approx(weight, abs=0.01)
    assert terms_of(view.rules, view.limits) == belief.terms


def test_a_belief_about_the_start_is_the_start() -> None:
    belief = Belief(Referee().view(chess.WHITE))
    assert np.array_equal(belief.particles.rows[0], from_board(chess.Board()))
    assert belief.particles.effective == 1.0
