"""Games by samples are played again word for word; `tests/golden_games.py` says which, and writes them anew."""

import pytest

from referee.pgn import record_from_pgn
from tests.golden_games import FOLDER, GAMES, played


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_is_played_again_word_for_word(name: str) -> None:
    golden = (FOLDER / f"{name}.pgn").read_text()
    assert played(GAMES[name]) == golden
    assert len(record_from_pgn(golden).turns) <= GAMES[name].plies


def test_every_golden_game_is_tested() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(GAMES)
