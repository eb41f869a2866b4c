"""Who plays, in words."""

import pytest

from kriegbot.narration.names import both_called, called


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("kriegbot:level=club", "Club bot"),
        ("kriegbot", "Best bot"),
        ("kriegbot:time=3", "Best bot (time 3 s)"),
        ("kriegbot:samples=200", "kriegbot (samples 200)"),
        ("overconfident:depth=2,time=0.5", "overconfident (depth 2, time 0.5 s)"),
        ("rand", "rand"),
        ("human", "A person"),
        ("kriegbot:level=godlike", "kriegbot:level=godlike"),
        ("bot.py:Careless", "bot.py:Careless"),
        ("Ann", "Ann"),
        ("", ""),
    ],
)
def test_a_player_is_called_as_a_person_would(spec: str, name: str) -> None:
    assert called(spec) == name


def test_the_one_person_of_a_game_is_you() -> None:
    assert both_called(["kriegbot:level=club", "human"]) == ["Club bot", "You"]
    assert both_called(["human", "human"]) == ["A person", "A person"]
