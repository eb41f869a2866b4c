"""The examples run as their docstrings say."""

import subprocess
import sys
from pathlib import Path

import pytest

from referee import load_record, rule_set
from tests.effort import some

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[1]
EXAMPLES = TOP / "examples"


def ran(*arguments: str | Path, folder: Path) -> str:
    """Return what a command of Python prints, run in a folder."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, encoding="utf-8", check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hundred_games_are_played_and_plotted(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    said = ran(EXAMPLES / "hundred_games.py", "rand", "rand", "--games", "4", folder=tmp_path)
    assert said.startswith("rand against rand: ")
    assert sum(int(word) for word in said.split() if word.isdigit()) == 4
    assert "<svg" in (tmp_path / "hundred-games.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "part"),
    some(
        (
            ("evaluator", "own_evaluator.py:activity"),
            ("opponent", "own_opponent.py:pushing"),
            ("backup", "own_backup_rule.py:hopeful"),
        ),
        1,
    ),
)
def test_a_part_from_outside_is_searched_with(option: str, part: str, tmp_path: Path) -> None:
    player = f"search:depth=2,samples=20,{option}={EXAMPLES / part}"
    said = ran("-m", "kriegbot", "match", player, "rand", "--seed", "1", "--limits", "plies=10", "-q", folder=tmp_path)
    assert said == "1/2-1/2: ply limit, draw, after 10 plies\n"


def test_a_game_is_played_under_a_rule_set_from_outside(tmp_path: Path) -> None:
    rules, game = f"{EXAMPLES / 'own_rule_set.py'}:QUIET", tmp_path / "game.pgn"
    player = "overconfident:depth=1,samples=50"
    ran("-m", "kriegbot", "match", player, "rand", "--rules", rules, "--save", game, "--seed", "1", folder=tmp_path)
    said = game.read_text(encoding="utf-8")
    assert load_record(game).rules == rule_set("quiet" + said.partition('[RuleSet "quiet')[2].partition('"')[0])
    assert '[Termination "forfeit' not in said
    assert "[%says x" in said
