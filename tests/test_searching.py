"""The searching players: same seed, same game; what they report; and mates that they find."""

import random
import subprocess
import sys
from dataclasses import MISSING, fields, replace
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from kriegbot.belief.filter import list_refusing
from kriegbot.belief.particles import Particles
from kriegbot.kernels import encode_move, to_board
from kriegbot.kernels.position import type_ids
from kriegbot.players.base import Player
from kriegbot.players.hs import HybridSearch
from kriegbot.players.kriegbot import particles_beside
from kriegbot.players.making import make_player
from kriegbot.players.search import SearchPlayer, search_player
from kriegbot.players.specs import parse_spec
from kriegbot.report import Report
from kriegbot.search import sampled
from kriegbot.search.backup import Backup, load_backup
from kriegbot.search.finishing import Finishing
from kriegbot.search.information_set import InformationSet
from kriegbot.search.policy import Policy
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method, Settings
from kriegbot.search.tree import Lists
from referee import (
    BERKELEY,
    BERKELEY_ANY,
    ENGLISH,
    NO_LIMITS,
    RAND,
    WILD16,
    Asking,
    Limits,
    PawnTryExists,
    Reason,
    Referee,
    RuleSet,
    View,
)
from referee.announcement import count_pawn_tries
from tests.effort import many, some
from tests.random_games import STARTS, act, random_action

OVERCONFIDENT, PARANOID = load_backup("overconfident"), load_backup("paranoid")

SHORT = Limits(plies=24, quiet_plies=50)
GOLDEN = (
    "d2d4 e7d6 h7g6 c7d6 b7c6 b7a6 d7c6 g7f6 g7h6 c7b6 a7b6 f7e6 e7f6 f7g6 d7e6 f7f6 d4c5 d4e5 a2b3 h2g3 "
    "g2h3 b2a3 c2b3 f2e3 e2f3 g2f3 c2d3 b2c3 f2g3 e2d3 d4d5 a7b6 b7c6 g7h6 f6g5 d7c6 h7g6 f6e5 b7a6 d7e6 "
    "c7b6 e7d6 c7d6 e7e6 d5c6 d5e6 e8f7 h7g6 d7c6 c7b6 g7h6 f6g5 a7b6 b7c6 c7d6 f6e5 b7a6 g8e7 b2a3 f2e3 "
    "e6f7 f2g3 c2b3 h2g3 a2b3 c2d3 e2d3 g2h3 g2f3 b2c3 e2f3 d1d8 e6d7 b7b6 a7a5 e7d5 h7h6 a7a6 c8e6 b8c6 "
    "c8h3 d8d1 b7b5 e7g8 d8d5 h8g8 b8a6 e7g6 b7a6 f6f5 e7f5 f6g5 h7g6 g7g6 c8g4 f6e5 d8d6 h7h5 a7b6 e7c6 "
    "c7d6 d8d3 c7c5 g7g5 g7h6 d8d2 c8f5 c7c6 b7c6 c7b6 d8d4 e8d7 b8d7 a2b3 c2d3 c2b3 g2f3 e2d3 g2h3 d1d8 "
    "f2g3 h2g3 f2e3 b2c3 e2f3 b2a3 e1d2 a7b6 b7a6 h7g6 c7b6 b7c6 f6g5 f6e5 g7h6 c7d6 e7g6 b2a3 d2e1 f6e5 "
    "b7c6 c7b6 a7b6 f6g5 g7h6 b7a6 c7d6 g6e7 d1d8 b2a3 g2f3 e2d3 c2d3 f2e3 c2b3 h2g3 b2c3 f2g3 e2f3 a2b3 "
    "g2h3 c1h6 f6g5 b7a6 h7g6 b7c6 a7b6 c7d6 g7h6 g2f3 c2b3 e2d3 f2e3 a2b3 f2g3 g2h3 c2d3 b2c3 e2f3 d1d8 "
    "h2g3 b2a3 e1d2 b7a6 h6g5 c7b6 c7d6 b7c6 f6e5 h7g6 f6g5 a7b6 e7g6 a2b3 f2g3 b2a3 g2h3 e2f3 c2d3 c2b3 "
    "h2g3 f2e3 e2d3 g2f3 d2e1 c7d6 b7c6 f6e5 b7a6 f6g5 h6g5 a7b6 c7b6 f8g7 h2g3 d1d8 g2h3 f2e3 b2a3 e2f3 "
    "b2c3 c2b3 c2d3 a2b3 e2d3 g2f3 f2g3 f2f4 c7b6 a7b6 h6g5 f6g5 b7c6 b7a6 c7d6 f6e5 e8g8 f4g5 f4e5 d1d8 "
    "b2a3 c2b3 g2f3 h2g3 g2h3 a2b3 c2d3 e2d3 b2c3 e2f3 f4f5 h6g5 a7b6 c7b6 c7d6 b7a6 f6e5 f6g5 b7c6 g6e7 "
    "e1d2 f6e5 h6g5 f6g5 h7g6 c7d6 e7g6"
)
"""Every try of a game: with these seeds it is the same on every machine and under every version of the libraries."""


def game(seed: int, rules: RuleSet, depth: int, limits: Limits = SHORT) -> tuple[list[str], list[Report]]:
    """Every try of a game between overconfident and paranoid, with small samples, and what the players said of them."""
    referee = Referee(rules, limits)
    players = {
        chess.WHITE: search_player(Settings(backup=OVERCONFIDENT, depth=depth, samples=60, particles=1000), seed),
        chess.BLACK: search_player(Settings(backup=PARANOID, depth=depth, samples=60, particles=1000), seed + 1),
    }
    tries, reports = [], []
    while referee.end is None:
        choice = players[referee.turn].choose(referee.view(referee.turn))
        assert isinstance(choice.action, chess.Move)
        tries.append(choice.action.uci())
        reports.append(choice.report)
        referee.try_move(choice.action)
    return tries, reports


@pytest.mark.slow
@pytest.mark.parametrize("rules", some((ENGLISH, BERKELEY, WILD16, RAND), 1), ids=lambda rules: rules.name)
def test_the_same_seed_plays_the_same_game(rules: RuleSet) -> None:
    tries, _ = game(7, rules, depth=2)
    assert game(7, rules, depth=2)[0] == tries
    assert game(8, rules, depth=2)[0] != tries


@pytest.mark.slow
def test_the_same_seed_plays_the_same_game_in_another_process() -> None:
    program = "from tests.test_searching import *; print(*game(7, BERKELEY, depth=2)[0])"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert answer.stdout.split() == game(7, BERKELEY, depth=2)[0]


@pytest.mark.slow
def test_a_report_says_what_was_done() -> None:
    _, reports = game(3, BERKELEY, depth=3, limits=Limits(plies=8))
    assert len(reports) >= 8
    for report in reports:
        assert (report.samples, report.depth, report.rescue, report.overrun) == (60, 3, "", False)
        assert 1 <= report.effective <= report.particles + 1e-6 <= 1_001
        assert report.leaves > 60
        assert report.seconds > 0


def test_a_search_by_samples_draws_so_many_however_few_boards_there_are() -> None:
    referee = Referee()
    for uci in ("e2e4", "a7a6"):
        referee.try_move(chess.Move.from_uci(uci))
    search = SampledSearch(Settings(depth=1, samples=60))
    search.update(referee.view(chess.WHITE))
    report = search.policy(referee.view(chess.WHITE), None).report
    assert (report.samples, report.particles) == (60, 20)


@pytest.mark.parametrize("backup", [OVERCONFIDENT, PARANOID], ids=lambda backup: backup.name)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_mate_in_one_against_a_king_that_cannot_have_moved_is_played(backup: Backup, depth: int) -> None:
    referee = Referee(BERKELEY, NO_LIMITS, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    player = search_player(Settings(backup=backup, depth=depth, samples=10), 1)
    choice = player.choose(referee.view(chess.WHITE))
    assert choice.action == chess.Move.from_uci("a1a8")
    referee.try_move(choice.action)
    assert referee.end is not None
    assert referee.end.reason is Reason.CHECKMATE


@pytest.mark.slow
def test_a_game_of_searching_players_is_the_one_that_is_written_down() -> None:
    assert " ".join(game(7, BERKELEY, depth=2)[0]) == GOLDEN


@pytest.mark.slow
def test_a_player_by_time_loads_its_kernels_before_its_first_turn() -> None:
    program = """
import gc, chess
from kriegbot.kernels.jit import Kernel
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from referee import Referee

def loaded(): return {repr(one) for one in gc.get_objects() if isinstance(one, Kernel) and one.dispatcher}
player, referee, before = make_player(parse_spec("kriegbot:time=0.1"), 1), Referee(), loaded()
player.choose(referee.view(chess.WHITE))
for move in ("e2e4", "e7e5"): referee.try_move(chess.Move.from_uci(move))
player.choose(referee.view(chess.WHITE))
print(*sorted(loaded() - before))
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert answer.stdout.split("\n")[0] == ""


@pytest.mark.slow
def test_hs_too_has_numbas_own_code_loaded_once_it_is_made() -> None:
    program = """
import sys
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
make_player(parse_spec("hs:time=1"), 1)
print("numba.np.arraymath" in sys.modules)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert answer.stdout.strip() == "True"


@pytest.mark.parametrize("spec", ["kriegbot:samples=20", "paranoid:depth=2,samples=20", "hs:time=0.1"])
def test_a_search_chooses_none_of_the_tries_that_a_server_does_not_allow(spec: str) -> None:
    view = Referee().view(chess.WHITE)
    allowed = [chess.Move.from_uci(move) for move in ("a2a3", "g1h3")]
    closed = replace(view, refused=tuple(move for move in view.tries() if move not in allowed))
    for seed in range(5):
        assert make_player(parse_spec(spec), seed).choose(closed).action in allowed


def test_a_missed_budget_is_reported() -> None:
    player = search_player(Settings(backup=OVERCONFIDENT, depth=2, time=1e-06), 1)
    assert player.choose(Referee().view(chess.WHITE)).report.overrun


def test_without_any_board_to_search_some_open_try_is_played() -> None:
    view = Referee().view(chess.WHITE)
    player = search_player(Settings(backup=OVERCONFIDENT, depth=2, samples=10), 1)
    player.choose(view)
    assert isinstance(player.search, SampledSearch)
    assert player.search.belief is not None
    nothing = np.empty((0, 8), np.uint64), np.empty(0)
    player.search.belief.particles = Particles(*nothing, is_exact=False, is_consistent=False)
    choice = player.choose(view)
    assert choice.action in view.tries()
    assert (choice.report.particles, choice.report.samples, choice.report.belief_inconsistent) == (0, 0, True)


@pytest.mark.parametrize(
    ("seconds", "extra", "particles"), [(1.0, None, 50_000), (0.2, None, 20_000), (1.0, 0.1, 10_000)]
)
def test_a_short_budget_holds_fewer_boards(seconds: float, extra: float | None, particles: int) -> None:
    search = search_player(Settings(backup=PARANOID, depth=1, retry_time=extra, time=seconds), 0).search
    assert isinstance(search, SampledSearch)
    assert search.settings.most_particles == particles


def test_more_samples_go_with_more_boards_up_to_a_limit() -> None:
    assert [particles_beside(samples) for samples in (1, 200, 100_000)] == [2_100, 22_000, 50_000]


@pytest.mark.slow
def test_a_time_budget_bounds_the_search() -> None:
    referee = Referee(BERKELEY, NO_LIMITS)
    player = search_player(Settings(backup=OVERCONFIDENT, depth=4, particles=2000, time=0.3), 1)
    for _ in range(3):
        report = player.choose(referee.view(chess.WHITE)).report
        assert report.depth in (1, 4)
        assert report.seconds < 3.0  # ten times the budget: a hang is caught, a busy machine is not
        referee.try_move(next(iter(referee.board().legal_moves)))
        referee.try_move(next(iter(referee.board().legal_moves)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backup", "depth"),
    [(OVERCONFIDENT, 1), (OVERCONFIDENT, 2), (OVERCONFIDENT, 3), (PARANOID, 1)],  # deeper, PARANOID needs no lists
    ids=lambda value: getattr(value, "name", value),
)
def test_a_search_after_a_refusal_answers_as_one_that_lists_all_histories_anew(
    backup: Backup, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []

    def both(
        histories: InformationSet, method: Method, seconds: float | None, lists: Lists, may_prune: bool
    ) -> TryValues:
        found = search_tries(histories, method, seconds, lists, may_prune)
        anew = search_tries(histories, method, seconds, may_prune=may_prune)
        np.testing.assert_array_equal(found.values, anew.values)
        np.testing.assert_array_equal(found.legal, anew.legal)
        assert lists.places.shape == (len(histories.rows),)
        sizes.append(int(histories.weights.sum()))
        return found

    monkeypatch.setattr(sampled, "search_tries", both)
    referee = Referee(BERKELEY, Limits(plies=30))
    players = {
        color: search_player(Settings(backup=backup, depth=depth, samples=40, resample=3, particles=1000), color)
        for color in chess.COLORS
    }
    most_refused = 0
    while referee.end is None:
        view, player = referee.view(referee.turn), players[referee.turn]
        choice = player.choose(view)
        assert isinstance(choice.action, chess.Move)
        assert choice.report.samples == sizes[-1]
        sample = getattr(player.search, "_sample")  # noqa: B009 - private
        for move in view.refused:
            assert len(list_refusing(sample.rows, encode_move(move))) == len(sample.rows)
        most_refused = max(most_refused, len(view.refused))
        referee.try_move(choice.action)
    assert most_refused > 1
    assert 40 in sizes
    assert min(sizes) < 40  # fewer survive a refusal, and three are added
    assert (max(sizes) > 43) == ((backup, depth) != (OVERCONFIDENT, 1))  # two refusals in a turn, and more left than 40


def kept_by(player: Player) -> list[chess.Board]:
    """Return the boards that a player's search has kept for the later tries of a turn."""
    search = player.search if isinstance(player, SearchPlayer) else None
    search = search.search if isinstance(search, Finishing) else search
    if isinstance(search, SampledSearch):
        assert search._sample is not None
        return [to_board(row) for row in search._sample.rows]
    return [to_board(row) for row in search._boards] if isinstance(search, HybridSearch) else []


@pytest.mark.parametrize(
    "spec",
    [
        "search:depth=1,samples=30,resample=5,particles=500",
        "search:depth=2,samples=9,resample=2,particles=500,boards=last",
        "search:depth=2,samples=9,resample=2,particles=500,boards=pool",
        *(pytest.param(spec, marks=pytest.mark.slow) for spec in ("kriegbot:samples=5", "hs:depth=1,samples=9")),
        "benchmarks/partners/mcts.py:MctsPlayer:simulations=5",
    ],
)
@trying(max_examples=many(100, 10))
@given(st.integers(0, 10**9), st.sampled_from([BERKELEY_ANY, ENGLISH, WILD16]))
def test_a_player_follows_its_view_whatever_others_try_and_ask_for_it(spec: str, seed: int, rules: RuleSet) -> None:
    rng = random.Random(seed)
    player, referee = make_player(parse_spec(spec), seed), Referee(rules, NO_LIMITS, rng.choice(STARTS))
    while referee.end is None and referee.ply < 6:
        view = referee.view(referee.turn)
        if view.color == chess.WHITE and rng.random() < 0.7:
            assert player.choose(view).action in view.tries()
            for board in kept_by(player):
                assert not set(view.illegal) & set(board.legal_moves)
                if view.rules.asking is not Asking.NONSENSE and view.pawn_tries is not None:
                    assert PawnTryExists(count_pawn_tries(board) > 0) == view.pawn_tries
        act(referee, random_action(referee, rng))


def test_a_search_that_time_may_end_takes_boards_of_every_kind_of_opponent_from_the_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = []

    def watched(histories: InformationSet, *rest: Any, **named: Any) -> TryValues:
        taken.append(type_ids(histories.rows))
        return search_tries(histories, *rest, **named)

    monkeypatch.setattr(sampled, "search_tries", watched)
    player, referee = make_player(parse_spec("kriegbot:time=0.2"), 1), Referee(WILD16)
    for uci in ("e2e4", "d7d5", "g1f3", "d5e4", "f3e5", "g8f6", "d2d4", "e4d3", "f1d3", "b8c6"):
        if referee.turn == chess.WHITE:
            player.choose(referee.view(chess.WHITE))
        referee.try_move(chess.Move.from_uci(uci))
    player.choose(referee.view(chess.WHITE))
    kinds, half = taken[-1], len(taken[-1]) // 2
    common = {int(kind) for kind, count in enumerate(np.bincount(kinds)) if count >= 20}
    assert len(common) > 1
    assert not common <= set(np.sort(kinds)[half:])  # as the belief keeps them
    assert common <= set(kinds[:half]) & set(kinds[half:])


class Asked:
    """A search that remembers how many seconds it is given, and answers at once."""

    def __init__(self) -> None:
        self.given: list[float | None] = []
        self.for_rescues: list[float | None] = []

    def update(self, view: View, seconds: float | None = None) -> None:  # noqa: ARG002 - a Search's signature
        """Ignore the view."""
        self.for_rescues.append(seconds)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Return the first open try."""
        self.given.append(seconds)
        return Policy(view.tries()[:1], np.ones(1), np.full(1, np.nan))


def test_the_tries_of_a_turn_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kriegbot.players.search.time.perf_counter", lambda: 0.0)
    search = Asked()
    player, referee = SearchPlayer(search, 10.0, is_for_turn=True), Referee()
    SearchPlayer(Asked()).choose(referee.view(chess.WHITE))  # a first draw may compile a kernel
    for uci in ("e2d3", "e2f3", "e2e4"):
        player.choose(referee.view(chess.WHITE))
        referee.try_move(chess.Move.from_uci(uci))
    referee.try_move(chess.Move.from_uci("e7e5"))
    player.choose(referee.view(chess.WHITE))
    assert search.given == pytest.approx([0.98 * 3.5, 0.98 * 1.8, 0.98 * 1.8, 0.98 * 3.5])  # a tenth is kept
    assert search.for_rescues == [5.0] * 4


@pytest.mark.parametrize(
    ("seconds", "retry_time", "given"), [(10.0, None, [9.8, 9.8]), (10.0, 2.0, [9.8, 1.96]), (None, 2.0, [None, None])]
)
def test_later_tries_of_a_turn_have_a_budget_of_their_own_if_the_first_has_one(
    seconds: float | None, retry_time: float | None, given: list[float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kriegbot.players.search.time.perf_counter", lambda: 0.0)
    search, referee = Asked(), Referee()
    player = SearchPlayer(search, seconds, retry_time)
    for uci in ("e2d3", "e2f3"):
        player.choose(referee.view(chess.WHITE))
        referee.try_move(chess.Move.from_uci(uci))
    assert search.given == pytest.approx(given)


def search_of(spec: str) -> tuple[SampledSearch, float | None]:
    """Return the search of a player of the flagship's kind, and its seconds a turn."""
    player = make_player(parse_spec(spec), 1)
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.search, Finishing)
    assert isinstance(player.search.search, SampledSearch)
    return player.search.search, player.seconds


def test_the_flagship_does_all_that_can_be_added_to_the_papers_method() -> None:
    for spec in ("kriegbot", "kriegbot:level=master"):
        search, _ = search_of(spec)
        for added in fields(Method):
            if added.name == "threads" or (added.name == "value_scale" and spec != "kriegbot"):
                continue  # threads change nothing; levels give hints and reviews, which show pawns
            assert added.default is MISSING or getattr(search.method, added.name) != added.default, added.name
        assert 0.0 not in (search.settings.temperature[0], search.settings.repetition_price)
    assert search_of("kriegbot:level=best")[1] == 1.0


def test_without_time_for_a_search_the_last_values_choose_a_later_try() -> None:
    referee, search = Referee(), SampledSearch(Settings(depth=1, time=1.0), 1)
    view = referee.view(chess.WHITE)
    search.update(view)
    first = search.policy(view, 1.0)
    referee.try_move(chess.Move.from_uci("e2d3"))
    view = referee.view(chess.WHITE)
    search.update(view)
    later = search.policy(view, 0.0)
    assert later.tries == [move for move in first.tries if move != chess.Move.from_uci("e2d3")]
    assert set(later.tries) == set(view.tries())
    assert set(later.values) <= set(first.values)
    assert (later.report.samples, later.report.leaves) == (0, 0)


@pytest.mark.parametrize("read", [{"temperature": (10.0, 10.0)}, {"recapture_bonus": 5.0}, {}])
def test_settings_that_read_the_values_of_all_tries_get_exact_ones(read: dict[str, Any]) -> None:
    start = "r3k2r/1ppq1ppp/2n5/3pP3/1b1P4/2N5/PP1Q2PP/R3K2R w KQkq - 0 1"
    search = SampledSearch(Settings(backup="paranoid", samples=9, particles=100, **read), 1)
    view = Referee(start=start).view(chess.WHITE)
    search.update(view)
    assert search.belief is not None
    histories = InformationSet.of(view, search.belief.particles.rows, search.belief.particles.weights)
    exact = search_tries(histories, search.method, may_prune=False)
    assert (search.policy(view, None).values.tolist() == exact.values.tolist()) == bool(read)


@pytest.mark.parametrize(("ties", "place"), [("first", 0), ("last", -1)])
def test_the_first_or_the_last_of_the_best_tries_can_be_taken_instead_of_any(ties: str, place: int) -> None:
    view, best = Referee().view(chess.WHITE), []
    for spec in ("search:backup=paranoid,depth=1,samples=9", f"search:backup=paranoid,depth=1,samples=9,ties={ties}"):
        player = make_player(parse_spec(spec), 1)
        assert isinstance(player, SearchPlayer)
        player.search.update(view)
        policy = player.search.policy(view, None)
        best.append([move for move, weight in zip(policy.tries, policy.weights, strict=True) if weight])
    assert len(best[0]) > 1
    assert best[1] == [best[0][place]]


@pytest.mark.parametrize(("budget", "seconds"), [("samples=200,resample=10", None), ("time=1", 1.0)])
def test_histories_may_fit_the_last_observation_alone(budget: str, seconds: float | None) -> None:
    referee, queen_h5 = Referee(), chess.Move.from_uci("d1h5")
    for uci in ("e2e4", "a7a6", "h2h3", "a6a5"):
        referee.try_move(chess.Move.from_uci(uci))
    legal = []
    for boards in ("all", "last"):
        player = make_player(parse_spec(f"search:depth=1,{budget},boards={boards}"), 1)
        assert isinstance(player, SearchPlayer)
        view = referee.view(chess.WHITE)
        player.search.update(view)
        policy = player.search.policy(view, seconds)
        assert policy.legal is not None
        legal.append(policy.legal[policy.tries.index(queen_h5)])
    assert legal[0] > 0.9  # after two moves hardly any black man can stand in its way
    assert legal[1] < 0.9  # but black men anywhere can


def test_rand_draws_a_try_or_a_man_first() -> None:
    view, counts = Referee().view(chess.WHITE), []
    for spec in ("rand", "rand:by=man"):
        player = make_player(parse_spec(spec), 1)
        moves = [player.choose(view).action for _ in range(2_000)]
        counts.append(sum(isinstance(move, chess.Move) and move.from_square in (chess.B1, chess.G1) for move in moves))
    knights = sum(move.from_square in (chess.B1, chess.G1) for move in view.tries())
    assert counts[0] / 2_000 == pytest.approx(knights / len(view.tries()), abs=0.03)
    assert counts[1] / 2_000 == pytest.approx(2 / 10, abs=0.03)  # two knights and eight pawns can move
