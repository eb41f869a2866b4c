"""Games that the PyPI package `kriegspiel` 1.7.3 saves, beside its own referee."""

from __future__ import annotations

import json
import random
from pathlib import Path

import chess
import pytest

from referee import (
    BERKELEY,
    BERKELEY_ANY,
    CINCINNATI,
    RULE_SETS,
    WILD16,
    AskAny,
    End,
    GameRecord,
    Limits,
    OwnTry,
    Reason,
    Referee,
    RuleSet,
)
from referee.formats.table import FORMATS, format_of, written
from tests.random_games import act, random_action
from tests.test_formats import PREFIXES, SAVED


@pytest.mark.parametrize("seed", range(60))
def test_their_referee_saves_a_game_as_we_do(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("kriegspiel")
    from kriegspiel.game import KriegspielGame  # type: ignore[import-untyped]
    from kriegspiel.move import KriegspielMove, QuestionAnnouncement  # type: ignore[import-untyped]

    rng = random.Random(seed)
    ours = Referee(list(RULE_SETS.values())[seed % 4])
    theirs = KriegspielGame(ruleset=ours.rules.name)
    actions: list[chess.Move | AskAny] = [chess.Move.from_uci(uci) for uci in rng.choice(PREFIXES).split()]
    while ours.end is None and ours.ply < 20:
        action = actions.pop(0) if actions else random_action(ours, rng)
        if isinstance(action, chess.Move) and action.from_square == action.to_square:
            continue  # they raise
        act(ours, action)
        asks = isinstance(action, AskAny)
        kind = QuestionAnnouncement.ASK_ANY if asks else QuestionAnnouncement.COMMON
        theirs.ask_for(KriegspielMove(kind, None if asks else action))
    path = tmp_path / "game.json"
    theirs.save_game(path)
    text, _ = written(GameRecord.of(ours), FORMATS["kriegspiel"])
    one, other = json.loads(path.read_text()), json.loads(text)
    possible = [state["game_state"].pop("possible_to_ask") for state in (one, other)]
    assert one == other
    assert all(question in possible[0] for question in possible[1])  # theirs may have a pinned en passant capture more
    path.write_text(text)
    assert KriegspielGame.load_game(path).snapshot().board_fen == ours.board().fen()


@pytest.mark.parametrize(
    ("name", "rules", "events"),
    [
        ("berkeley", BERKELEY, "e2e4 e7e5 d1h5 e8e7 h5f7"),
        ("berkeley_any", BERKELEY_ANY, "any:no e2e4 d7d5 any:yes e4f5:illegal e4d5 any:no b8c6"),
        (
            "cincinnati",
            CINCINNATI,
            "e2d3:impossible e2e4 e7e6 e4e5 d7d5 h2h8:impossible e5d6 f8d6 g1f3 d6a3",
        ),
        ("wild16", WILD16, "f2f3 e7e6 e1e5:illegal e1e5:illegal g2g4 d8a5:illegal d8h4"),
    ],
)
def test_a_game_that_they_saved_is_read(name: str, rules: RuleSet, events: str) -> None:
    text = (SAVED / f"{name}.json").read_text()
    form = format_of(text)
    assert form.name == "kriegspiel"
    record, lost = form.read(text, None)
    assert (record.rules, lost) == (rules, ())
    found = []
    for event in [event for turn in record.turns for event in (*turn.tries, turn.move)]:
        if isinstance(event, chess.Move):
            found.append(event.uci())
        else:
            found.append(f"{event.move.uci() if isinstance(event, OwnTry) else 'any'}:{event.answer.value}")
    assert " ".join(found) == events
    again, _ = written(record, form)
    assert json.loads(again) == json.loads(text)


def test_two_thousand_quiet_plies_end_a_game_there() -> None:
    game = Referee(WILD16, Limits(quiet_plies=2000))
    for ply in range(2000):
        game.try_move(chess.Move.from_uci(("g1f3", "g8f6", "f3g1", "f6g8")[ply % 4]))
    assert game.end == End(Reason.QUIET_LIMIT)
    text, _ = written(GameRecord.of(game), FORMATS["kriegspiel"])
    assert json.loads(text)["game_state"]["game_over"]
    assert FORMATS["kriegspiel"].read(text, None)[0] == GameRecord.of(game)
