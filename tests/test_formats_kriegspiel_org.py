"""Games that the PyPI package `kriegspiel` 1.7.3 saves, beside its own referee."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import chess
import pytest

from referee import (
    BERKELEY,
    BERKELEY_ANY,
    CINCINNATI,
    ENGLISH,
    RAND,
    WILD16,
    Answer,
    AskAny,
    End,
    GameRecord,
    Limits,
    OwnTry,
    Reason,
    Referee,
    RuleSet,
)
from referee.formats import FORMATS, format_of, written
from tests.random_games import act, random_action
from tests.test_formats import PREFIXES, SAVED
from tests.test_kriegspiel_org import THEIR_RULES


def asked(theirs: Any, action: chess.Move | AskAny) -> None:
    """Put a try or a question to their referee."""
    from kriegspiel.move import KriegspielMove, QuestionAnnouncement  # type: ignore[import-untyped]

    if isinstance(action, AskAny):
        theirs.ask_for(KriegspielMove(QuestionAnnouncement.ASK_ANY))
    else:
        theirs.ask_for(KriegspielMove(QuestionAnnouncement.COMMON, action))


def begun(rules: RuleSet) -> Any:
    """Return a game of their referee."""
    pytest.importorskip("kriegspiel")
    from kriegspiel.game import KriegspielGame  # type: ignore[import-untyped]

    return KriegspielGame(ruleset=rules.name)


def compare(ours: Referee, theirs: Any, path: Path) -> None:
    """Their file and ours are the same, and they load ours."""
    theirs.save_game(path)
    text, _ = written(GameRecord.of(ours), FORMATS["kriegspiel"])
    one, other = json.loads(path.read_text(encoding="utf-8")), json.loads(text)
    possible = [state["game_state"].pop("possible_to_ask") for state in (one, other)]
    assert one == other
    assert all(question in possible[0] for question in possible[1])  # theirs may have a pinned en passant capture more
    path.write_text(text, encoding="utf-8")
    assert type(theirs).load_game(path).snapshot().board_fen == ours.board().fen()


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= 30)) for seed in range(60)])
def test_their_referee_saves_a_game_as_we_do(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    ours = Referee(THEIR_RULES[seed % len(THEIR_RULES)])
    theirs = begun(ours.rules)
    actions: list[chess.Move | AskAny] = [chess.Move.from_uci(uci) for uci in rng.choice(PREFIXES).split()]
    while ours.end is None and ours.ply < 20:
        action = actions.pop(0) if actions else random_action(ours, rng)
        if isinstance(action, chess.Move) and action.from_square == action.to_square:
            continue  # they raise
        act(ours, action)
        asked(theirs, action)
    compare(ours, theirs, tmp_path / "game.json")


@pytest.mark.slow
@pytest.mark.parametrize("rules", THEIR_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    "moves",
    [
        "e2e4 e7e6 b1c3 d7d5 e4d5 e6d5 c3d5 a7a6 d5c3 a6a5 c3e4 a5a4 d1e2 a4a3 e4d6",  # a double check
        "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6",  # stalemate
        "e2e4 e7e5 f1c4 a7a6 d1h5 a6a5 h5f7",  # mate
    ],
)
def test_checks_and_ends_are_told_as_they_do(rules: RuleSet, moves: str, tmp_path: Path) -> None:
    ours, theirs = Referee(rules), begun(rules)
    for uci in moves.split():
        ours.try_move(chess.Move.from_uci(uci))
        asked(theirs, chess.Move.from_uci(uci))
    assert ours.ply == len(moves.split())
    compare(ours, theirs, tmp_path / "game.json")


@pytest.mark.parametrize("rules", [CINCINNATI, RAND], ids=lambda rules: rules.name)
def test_a_promotion_is_written_where_the_referee_announces_it(rules: RuleSet) -> None:
    game = Referee(rules)
    for uci in ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "f8g7", "h6g7", "g8f6", "g7h8q"]:
        game.try_move(chess.Move.from_uci(uci))
    text, _ = written(GameRecord.of(game), FORMATS["kriegspiel"])
    assert ('"promotion_announced": true' in text) == (rules is RAND)


@pytest.mark.parametrize("rules", [CINCINNATI, WILD16, RAND], ids=lambda rules: rules.name)
def test_a_pinned_capture_in_passing_that_they_offer_is_read(rules: RuleSet, tmp_path: Path) -> None:
    """They say that no pawn capture is legal, and call this one illegal, not nonsense."""
    theirs = begun(rules)
    for uci in ["e2e4", "e7e5", "f2f4", "e5f4", "e4e5", "d8e7", "a2a3", "d7d5", "e5d6", "a3a4"]:
        asked(theirs, chess.Move.from_uci(uci))
    path = tmp_path / "game.json"
    theirs.save_game(path)
    record, _ = FORMATS["kriegspiel"].read(path.read_text(encoding="utf-8"), None)
    answer = Answer.ILLEGAL if rules is WILD16 else Answer.IMPOSSIBLE
    assert record.turns[-1].tries == (OwnTry(chess.Move.from_uci("e5d6"), answer),)


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
        ("english", ENGLISH, "e1e5:illegal any:no e2e4 a7a6 e4e5 d7d5 any:yes e5f6:illegal e5d6 any:yes c7d6"),
        ("rand", RAND, "e2d3:impossible h2h4 g7g5 a2b3:impossible h4g5 h7h6 g5h6 f8g7 h6g7 g8f6 g7h8q"),
        ("wild16", WILD16, "f2f3 e7e6 e1e5:illegal e1e5:illegal g2g4 d8a5:illegal d8h4"),
    ],
)
def test_a_game_that_they_saved_is_read(name: str, rules: RuleSet, events: str) -> None:
    text = (SAVED / f"{name}.json").read_text(encoding="utf-8")
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


@pytest.mark.slow
def test_two_thousand_quiet_plies_end_a_game_there() -> None:
    game = Referee(WILD16, Limits(quiet_plies=2000))
    for ply in range(2000):
        game.try_move(chess.Move.from_uci(("g1f3", "g8f6", "f3g1", "f6g8")[ply % 4]))
    assert game.end == End(Reason.QUIET_LIMIT)
    text, _ = written(GameRecord.of(game), FORMATS["kriegspiel"])
    assert json.loads(text)["game_state"]["game_over"]
    assert FORMATS["kriegspiel"].read(text, None)[0] == GameRecord.of(game)
