"""What a console without a screen prints, line by line."""

from __future__ import annotations

import chess
import pytest

from kriegbot.cli.console import HELP, PlainConsole, heat_table
from referee import BERKELEY

NAMES = {chess.WHITE: "You", chess.BLACK: "rand"}


def test_a_map_of_chances_has_a_row_for_each_rank_the_own_side_below() -> None:
    heat = [0.0] * 64
    heat[chess.E8], heat[chess.A1] = 0.25, 1.0
    heading, *ranks, files = heat_table(heat, "8 boards", chess.WHITE)
    assert heading == "Chance in percent that an opponent's piece stands there, from 8 boards:"
    assert [rank.split()[0] for rank in ranks] == list("87654321")
    assert ranks[0].split()[1:] == ["0", "0", "0", "0", "25", "0", "0", "0"]
    assert ranks[7].split()[1:] == ["100", *"0000000"]
    assert files.split() == list("abcdefgh")
    _, *turned, files = heat_table(heat, "8 boards", chess.BLACK)
    assert turned[0].split() == ["1", *"0000000", "100"]
    assert files.split() == list("hgfedcba")
    assert heat_table([], "8 boards", chess.WHITE) == ["The places of the opponent's pieces are not known."]


@pytest.mark.parametrize(("seed", "text"), [(None, ""), (7, " Seed: 7.")])
def test_a_game_begins_with_its_players_its_rules_and_a_chosen_seed(
    seed: int | None, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    PlainConsole(NAMES).greet(BERKELEY, seed)
    assert capsys.readouterr().out == f"White: You. Black: rand. Rules: {BERKELEY.title}.{text} {HELP}\n"


def test_compilation_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    console = PlainConsole(NAMES)
    for done in (1, 2):
        console.preparing("kernels", done, 4)
    assert capsys.readouterr() == ("", "Preparing, once: 25% (kernels)\n")
