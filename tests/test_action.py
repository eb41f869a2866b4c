"""Actions and their one-word codes."""

import chess
import pytest

from referee import AskAny, BadAction, Resign, action_code, parse_action


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (chess.Move.from_uci("e2e4"), "e2e4"),
        (chess.Move.from_uci("e7e8n"), "e7e8n"),
        (Resign(), "resign"),
        (AskAny(), "any"),
    ],
)
def test_an_action_is_one_word_and_back(action: chess.Move | Resign | AskAny, code: str) -> None:
    assert action_code(action) == code
    assert parse_action(code) == action


@pytest.mark.parametrize("code", ["", "0000", "e2e9", "P@e4", "Resign", "e2e4 ", "x" * 5000])
def test_any_other_word_is_refused_in_a_short_line(code: str) -> None:
    with pytest.raises(BadAction, match="it takes a try such as") as refused:
        parse_action(code)
    assert len(str(refused.value)) < 200
