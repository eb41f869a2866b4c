"""Rescues of a belief that has no consistent board left."""

import hashlib
import random
from collections import Counter
from dataclasses import replace

import chess
import numpy as np
import pytest

from kriegbot.belief.belief import FILTERING_SHARE, TIMED_BOARDS, WRITTEN, Belief, Checkpoint, ReplayBudget
from kriegbot.belief.last_observation import blind_particles
from kriegbot.belief.particles import Filter, Particles
from kriegbot.kernels import to_board
from referee import (
    BERKELEY,
    NO_LIMITS,
    PAPER_LIMITS,
    RULE_SETS,
    WILD16,
    Answer,
    Check,
    OpponentMoved,
    PawnTryCount,
    Referee,
    View,
)


@pytest.mark.slow
def test_a_starved_belief_is_rescued_and_says_how() -> None:
    rescues = set()
    for seed in range(6):
        rng = random.Random(seed)
        referee = Referee(list(RULE_SETS.values())[seed % len(RULE_SETS)], PAPER_LIMITS)
        belief = Belief(referee.view(chess.WHITE), max_particles=20, seed=seed)
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
    assert rescues >= {"replay", "perturbed"}


@pytest.mark.parametrize(
    ("seed", "rescues", "digest"),
    [
        (0, {"replay": 5, "perturbed": 1, "blind": 1}, "530c433772d71a30"),
        (1, {"replay": 3, "perturbed": 11, "blind": 3}, "972d4ef7004290d3"),
        pytest.param(5, {"replay": 2, "perturbed": 12, "blind": 5}, "c33e92a916b366a7", marks=pytest.mark.slow),
    ],
)
def test_a_seed_is_a_belief_whatever_rescues_it_needs(seed: int, rescues: dict[str, int], digest: str) -> None:
    rng = random.Random(seed)
    referee = Referee((BERKELEY, WILD16)[seed % 2], PAPER_LIMITS)
    belief = Belief(referee.view(chess.WHITE), 20, seed)
    boards = hashlib.sha256()
    while referee.end is None:
        view = referee.view(referee.turn)
        if view.color == chess.WHITE:
            belief.update(view)
            boards.update(belief.particles.rows.tobytes())
        referee.try_move(rng.choice(view.tries()))
    assert belief.rescues == rescues
    assert boards.hexdigest()[:16] == digest


def assert_fits_own_men(belief: Belief, men: object, color: chess.Color) -> None:
    """Check that every board is legal and has the view's own pieces."""
    assert len(belief.particles) > 0
    assert belief.particles.weights.sum() == pytest.approx(1.0)
    for row in belief.particles.rows:
        board = to_board(row)
        assert {s: p.piece_type for s, p in board.piece_map().items() if p.color == color} == men
        assert not board.was_into_check()


def situation_of(board: chess.Board) -> Check:
    """Return the directions of a check to the side to move, from a line or a diagonal of e1."""
    (square,) = board.checkers()
    if chess.square_file(square) == 4:
        return Check.FILE
    if chess.square_rank(square) == 0:
        return Check.RANK
    return Check.SHORT_DIAGONAL if chess.square_file(square) < 4 else Check.LONG_DIAGONAL


@pytest.mark.slow
def test_a_rescue_that_leaves_the_information_set_is_remembered_until_a_replay() -> None:
    inconsistent = 0
    for seed in range(8):
        rng = random.Random(seed)
        referee = Referee(list(RULE_SETS.values())[seed % len(RULE_SETS)], PAPER_LIMITS)
        belief = Belief(referee.view(chess.WHITE), max_particles=20, seed=seed)
        fitted = True
        while referee.end is None:
            view = referee.view(referee.turn)
            if referee.turn == chess.WHITE:
                replays = belief.rescues["replay"]
                belief.update(view)
                if belief.rescues["replay"] > replays and belief.last_rescue != "replay":
                    fitted = (
                        belief.particles.is_consistent
                    )  # one event needed a replay, another more, in whatever order
                elif belief.last_rescue in ("perturbed", "blind"):
                    fitted = False
                elif belief.last_rescue == "replay":
                    fitted = True
                assert belief.particles.is_consistent == fitted
                inconsistent += not fitted
            referee.try_move(rng.choice(view.tries()))
    assert inconsistent > 0


def inconsistent_turns(seed: int, *, recovery_attempts: int) -> tuple[int, int]:
    """Return the number of our turns with an inconsistent belief in a game of a starved one, and of its replays."""
    rng, inconsistent = random.Random(seed), 0
    referee = Referee(WILD16, PAPER_LIMITS)
    belief = Belief(referee.view(chess.WHITE), 20, seed, recovery_attempts=recovery_attempts)
    while referee.end is None and referee.ply < 80:
        view = referee.view(referee.turn)
        if view.color == chess.WHITE:
            belief.update(view)
            inconsistent += not belief.particles.is_consistent
        referee.try_move(rng.choice(view.tries()))
    return inconsistent, belief.rescues["replay"]


@pytest.mark.parametrize("seed", [2, 8])
def test_a_recovering_belief_is_inconsistent_less_often(seed: int) -> None:
    (stays, _), (returns, _) = (inconsistent_turns(seed, recovery_attempts=one) for one in (0, 8))
    assert returns < stays / 2


@pytest.mark.parametrize("seed", [5, 8])  # games in which it needs no second rescue
def test_a_belief_gives_up_coming_back_after_so_many_moves(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    in_vain = Particles(np.empty((0, 8), np.uint64), np.empty(0), is_exact=False)

    def replay_in_vain(_: Belief, end: int, *_rest: object) -> Particles:
        tried.append(end)
        return in_vain

    monkeypatch.setattr(Belief, "_replayed_from_checkpoints", replay_in_vain)
    referee, rng = Referee(WILD16, PAPER_LIMITS), random.Random(seed)
    belief = Belief(referee.view(chess.WHITE), 20, seed, recovery_attempts=2)
    while not belief.rescues:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        belief.update(referee.view(chess.WHITE))
    tried.clear()
    belief.filter = replace(belief.filter, max_particles=100_000)
    for _ in range(8):
        ply = referee.ply
        while referee.ply == ply:
            referee.try_move(rng.choice(referee.view(referee.turn).tries()))
        belief.update(referee.view(chess.WHITE))
    assert belief.rescues.total() == 1
    assert len(tried) == 2


def test_a_rescue_replays_no_more_boards_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    assert inconsistent_turns(2, recovery_attempts=0)[1] > 0
    monkeypatch.setattr("kriegbot.belief.belief.MAX_RESCUE_BOARDS", -1)
    assert inconsistent_turns(2, recovery_attempts=0)[1] == 0


@pytest.mark.parametrize(("most", "replayed"), [(50_000, 200_000), (300_000, 800_000), (900_000, 900_000)])
def test_a_replay_has_four_times_as_many_boards_up_to_a_limit(
    most: int, replayed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []

    def replay_in_vain(_: Belief, filter_: Filter, *_rest: object) -> Particles:
        limits.append(filter_.max_particles)
        return Particles(np.zeros((0, 8), np.uint64), np.empty(0), is_exact=False)

    monkeypatch.setattr(Belief, "_replayed", replay_in_vain)
    Belief(Referee().view(chess.WHITE), most)._replayed_from_checkpoints(0, 1, ReplayBudget())
    assert limits == [replayed]


def test_a_replay_ends_before_a_step_for_which_there_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given, now = [], [0.0]
    monkeypatch.setattr("kriegbot.belief.belief.time.perf_counter", lambda: now[0])

    def after(_: Filter, particles: Particles, view: View, index: int, *_rest: object) -> Particles:
        if isinstance(view.events[index], OpponentMoved):
            given.append(len(particles))
            now[0] += 0.001 * len(particles)
        return particles

    monkeypatch.setattr(Filter, "after_event", after)
    referee = Referee(WILD16)
    many = Particles(np.zeros((2_000, 8), np.uint64), np.full(2_000, 1 / 2_000), is_exact=False)
    belief = Belief(referee.view(chess.WHITE))
    belief.particles = many
    for uci in ("e2e4", "e7e5", "g1f3", "b8c6"):
        referee.try_move(chess.Move.from_uci(uci))
        belief.update(referee.view(chess.WHITE))
    given.clear()
    start, view, allowed = Checkpoint(1, many), referee.view(chess.WHITE), []
    for seconds in (1.0, 3.0, 5.0):
        found = belief._replayed(belief.filter, start, len(view.events) - 1, ReplayBudget(now[0] + seconds))
        allowed.append((len(given), len(found)))
    assert allowed == [(0, 0), (1, 0), (3, 2_000)]
    assert len(belief._replayed(belief.filter, start, 2, ReplayBudget(now[0] + 2.5))) == 2_000  # our own try takes none


@pytest.mark.parametrize(("most", "perturbed"), [(100, 5_000), (20_000, 20_000), (400_000, 50_000)])
def test_enough_boards_are_perturbed_and_not_too_many(
    most: int, perturbed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, nothing = list[int](), Particles(np.empty((0, 8), np.uint64), np.empty(0), is_exact=False)

    def perturb(_particles: Particles, _change: object, count: int, _seed: int) -> Particles:
        counts.append(count)
        return nothing

    referee = Referee(WILD16)
    belief = Belief(referee.view(chess.WHITE), most)
    belief.particles = replace(belief.particles, is_exact=False)
    monkeypatch.setattr(Filter, "after_event", lambda *_: nothing)
    monkeypatch.setattr("kriegbot.belief.belief.perturb", perturb)
    for uci in ("e2e4", "e7e5"):
        referee.try_move(chess.Move.from_uci(uci))
    belief.update(referee.view(chess.WHITE))
    assert set(counts) == {perturbed}


def test_a_belief_by_time_keeps_as_many_boards_as_the_next_filtering_has_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    per_board, now, filtered = 1e-4, [0.0], Filter.after_event
    monkeypatch.setattr("kriegbot.belief.belief.time.perf_counter", lambda: now[0])

    def after(of: Filter, particles: Particles, view: View, index: int) -> Particles:
        found = filtered(of, particles, view, index)
        if isinstance(view.events[index], OpponentMoved):
            now[0] += per_board * (len(particles) + WRITTEN * len(found)) / (1 + WRITTEN)
        return found

    monkeypatch.setattr(Filter, "after_event", after)
    referee, rng, kept = Referee(BERKELEY), random.Random(1), []
    belief = Belief(referee.view(chess.WHITE), seconds=1.0)
    while referee.ply < 24:
        view = referee.view(referee.turn)
        if view.color == chess.WHITE:
            belief.update(view, 1.0)
            kept.append(len(belief.particles))
        referee.try_move(rng.choice(view.tries()))
    most = int(FILTERING_SHARE / per_board)
    measured = next(i for i, boards in enumerate(kept) if boards >= TIMED_BOARDS)
    assert max(kept[measured + 2 :]) <= most
    assert sum(boards > 0.8 * most for boards in kept[measured + 2 :]) > 3


def test_blind_boards_have_the_known_numbers_and_fit_the_last_announcement() -> None:
    referee = Referee(BERKELEY, NO_LIMITS, "3qk2r/8/8/8/8/8/4P3/R3K3 b Qk - 0 1")
    for uci in ("h8h5", "e2e3", "h5e5", "e3e4", "d8a5"):
        assert referee.try_move(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    view = referee.view(chess.WHITE)
    particles = blind_particles(view, seed=1)
    assert len(particles) > 20
    for row in particles.rows:
        board = to_board(row)
        assert board.is_valid()
        assert chess.popcount(board.occupied_co[chess.BLACK]) == view.opponent_men == 3
        assert board.has_queenside_castling_rights(chess.WHITE)
        assert situation_of(board) == Check.SHORT_DIAGONAL


@pytest.mark.slow
def test_on_blind_boards_no_refused_try_is_legal_nor_a_pawn_capture_that_was_denied() -> None:
    rng = random.Random(8)
    seen = Counter[str]()
    for seed in range(40):
        referee = Referee(list(RULE_SETS.values())[seed % len(RULE_SETS)], PAPER_LIMITS)
        while referee.end is None and referee.ply < 60:
            view = referee.view(referee.turn)
            if len(view.refused) > 2 and rng.random() < 0.05:
                tries = set(view.tries())
                for row in blind_particles(view, seed).rows:
                    assert set(to_board(row).legal_moves) <= tries
                    seen["boards"] += 1
                seen["no pawn tries"] += view.pawn_tries == PawnTryCount(0)
            referee.try_move(rng.choice(view.tries()))
    assert seen["boards"] > 100
    assert seen["no pawn tries"] > 0
