"""The searching players: same seed, same game; what they report; and mates that they find."""

import subprocess
import sys

import chess
import pytest

from kriegbot.players.base import Report
from kriegbot.players.searching import SearchPlayer
from kriegbot.search.backup import OVERCONFIDENT, PARANOID, Backup
from referee import BERKELEY, NO_LIMITS, WILD16, Limits, Reason, Referee, RuleSet

SHORT = Limits(plies=24, quiet_plies=50)


def game(seed: int, rules: RuleSet, depth: int, limits: Limits = SHORT) -> tuple[list[str], list[Report]]:
    """Every try of a game between overconfident and paranoid, with small samples, and what the players said of them."""
    referee = Referee(rules, limits)
    players = {
        chess.WHITE: SearchPlayer(OVERCONFIDENT, depth, None, samples=60, particles=1_000, seed=seed),
        chess.BLACK: SearchPlayer(PARANOID, depth, None, samples=60, particles=1_000, seed=seed + 1),
    }
    tries, reports = [], []
    while referee.end is None:
        choice = players[referee.turn].choose(referee.view(referee.turn))
        assert choice.move is not None
        tries.append(choice.move.uci())
        reports.append(choice.report)
        referee.try_move(choice.move)
    return tries, reports


@pytest.mark.parametrize("rules", [BERKELEY, WILD16], ids=lambda rules: rules.name)
def test_the_same_seed_plays_the_same_game(rules: RuleSet) -> None:
    tries, _ = game(7, rules, depth=2)
    assert game(7, rules, depth=2)[0] == tries
    assert game(8, rules, depth=2)[0] != tries


def test_the_same_seed_plays_the_same_game_in_another_process() -> None:
    program = "from tests.test_searching import *; print(*game(7, BERKELEY, depth=2)[0])"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == game(7, BERKELEY, depth=2)[0]


def test_a_report_says_what_was_done() -> None:
    _, reports = game(3, BERKELEY, depth=3, limits=Limits(plies=8))
    for report in reports:
        assert (report.samples, report.depth, report.rescue, report.overrun) == (60, 3, "", False)
        assert 1 <= report.effective <= report.particles + 1e-6 <= 1_001
        assert report.leaves > 60
        assert report.seconds > 0


@pytest.mark.parametrize("backup", [OVERCONFIDENT, PARANOID], ids=lambda backup: backup.name)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_mate_in_one_against_a_king_that_cannot_have_moved_is_played(backup: Backup, depth: int) -> None:
    referee = Referee(BERKELEY, NO_LIMITS, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    player = SearchPlayer(backup, depth, None, samples=10, seed=1)
    choice = player.choose(referee.view(chess.WHITE))
    assert choice.move == chess.Move.from_uci("a1a8")
    referee.try_move(choice.move)
    assert referee.end is not None
    assert referee.end.reason is Reason.CHECKMATE


def test_a_time_budget_bounds_the_search() -> None:
    referee = Referee(BERKELEY, NO_LIMITS)
    player = SearchPlayer(OVERCONFIDENT, 4, seconds=0.3, particles=2_000, seed=1)
    for _ in range(3):
        report = player.choose(referee.view(chess.WHITE)).report
        assert report.depth in (1, 4)
        assert report.seconds < 3.0  # ten times the budget: a hang is caught, a busy machine is not
        referee.try_move(next(iter(referee.board().legal_moves)))
        referee.try_move(next(iter(referee.board().legal_moves)))
