"""Formats refuse any text that is no game with one line that names the fault and its place."""

from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import BERKELEY, WILD16, GameRecord, RecordError, Referee, RuleSet
from referee.formats import FORMATS, Format, format_for, format_named, format_of, written
from tests.test_formats import SAVED, saved
from tests.test_records import recorded

PGN = [FORMATS[name] for name in ("kriegbot", "icc", "umd", "plain")]
READ = [*PGN, FORMATS["kriegspiel"]]
NAMES = sorted(path.stem for path in SAVED.glob("*.json"))


def refused(form: Format, text: str) -> str:
    """Return the refusal of a text that is no game."""
    with pytest.raises(RecordError) as caught:
        form.read(text, None)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 1000
    return message


def read_or_refuse(form: Format, text: str) -> bool:
    """Return True if a text is read, False if it is refused."""
    said = ""
    games = form.games(text)
    try:
        records = [form.read(game, None)[0] for game in games]
    except RecordError as error:
        records, said = [], str(error)
    assert said.isprintable()
    assert all(isinstance(record, GameRecord) for record in records)
    return bool(records)


@pytest.mark.slow
@pytest.mark.parametrize("form", [*READ, FORMATS["filtered"]], ids=lambda form: form.name)
@given(st.text())
def test_any_text_is_read_or_refused(form: Format, text: str) -> None:
    read_or_refuse(form, text)
    with suppress(RecordError):
        format_of(text)


MOVETEXT = st.text('[]{}()";%:,.*$!?-=+#\\\n 012345678abcdefghxKQRBNOXCPT', max_size=60)


@pytest.mark.parametrize("form", PGN, ids=lambda form: form.name)
@given(MOVETEXT)
def test_anything_that_looks_like_moves_is_read_or_refused(form: Format, text: str) -> None:
    read_or_refuse(form, f'[White "a"]\n\n1. e4 {text}')


@pytest.mark.slow
@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_a_text_that_is_cut_off_is_refused_unless_its_header_has_the_result(form: Format, seed: int) -> None:
    text = written(saved(seed), form)[0].rstrip()
    is_foreign_pgn = form in PGN and form.name != "kriegbot"
    rng = random.Random(seed)
    for cut in (1, rng.randrange(1, len(text)), rng.randrange(1, len(text))):
        if is_foreign_pgn and re.search(r'^\[Result ".+"\]$', text[:-cut], re.MULTILINE):
            read_or_refuse(form, text[:-cut])
        elif text[:-cut].strip():
            refused(form, text[:-cut])


@pytest.mark.slow
@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_a_text_with_a_character_changed_is_read_or_refused(form: Format, seed: int) -> None:
    text = written(saved(seed), form)[0]
    rng = random.Random(seed)
    for _ in range(10):
        place = rng.randrange(len(text))
        read_or_refuse(form, text[:place] + rng.choice('0aZ{}[]()":,.\x00\u2028 é') + text[place + 1 :])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70) | st.text("e24", max_size=4) | st.just("COMMON"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.randoms(use_true_random=False))
def test_any_value_anywhere_in_a_saved_game_is_read_or_refused(value: Any, rng: random.Random) -> None:
    data = json.loads((SAVED / f"{rng.choice(NAMES)}.json").read_text(encoding="utf-8"))
    at = data
    while True:
        key = rng.choice(list(at)) if isinstance(at, dict) else rng.randrange(len(at))
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.85:
            at = at[key]
            continue
        at[key] = value
        break
    read_or_refuse(FORMATS["kriegspiel"], json.dumps(data))


@pytest.mark.parametrize(
    "text", ["{" * 100_000, "[" * 100_000, '{"schema_version": ' + "9" * 5000 + "}", "9" * 5000, ""]
)
def test_deep_and_long_json_is_refused(text: str) -> None:
    assert "it takes" in refused(FORMATS["kriegspiel"], text)
    assert not read_or_refuse(FORMATS["kriegspiel"], text)


@pytest.mark.parametrize(
    "piece",
    [
        *("\n", "}", "{", "(", "{(:", "1. ", "[", '"', "\\", '[White "', ";\n"),
        *(pytest.param(piece, marks=pytest.mark.slow) for piece in (" ", "{(", "1.", "??", "} ")),
    ],
)
def test_a_long_text_is_refused_in_no_time(piece: str) -> None:
    for text in (piece * 50_000, "1. e4 " + piece * 50_000, '[White "' + piece * 50_000):
        with suppress(RecordError):
            format_of(text)
        for form in READ:
            read_or_refuse(form, text)


def test_many_saved_games_are_told_apart_in_no_time() -> None:
    text = "\n".join(["{}"] * 20_000)
    assert FORMATS["kriegspiel"].games(text) == ["{}"] * 20_000


@pytest.mark.slow
def test_deep_sidelines_are_skipped() -> None:
    text = "1. e4 " + "(1. d4 " * 50_000 + ")" * 50_000 + " *"
    assert FORMATS["plain"].read(text, None)[1] == ("sidelines",)


ICC, UMD, PLAIN = FORMATS["icc"], FORMATS["umd"], FORMATS["plain"]


@pytest.mark.parametrize(
    ("form", "text", "why"),
    [
        (PLAIN, "1. e4 e5 2. e5 *", "illegal move: 'e5', at ply 3"),
        (PLAIN, "1. e4 Z0 *", "illegal move: 'Z0', at ply 2"),
        (PLAIN, '[Result "1"]\n\n1. e4 e5', "the result after the moves is missing, at ply 3"),
        (PLAIN, "1. e4 * e5", "unexpected text: 'e5', at ply 2"),
        (PLAIN, "1. e4 (1. d4 *", "a sideline is not closed, at ply 2"),
        (PLAIN, "1. e4 ) *", "unexpected text: ') *', at ply 2"),
        (PLAIN, "1. e4 {comment *", "a comment that is not closed: '{comment *', at ply 2"),
        (PLAIN, "1. e4 -- *", "unexpected text: '-- *', at ply 2"),
        (PLAIN, "1. e4 ?? *", "illegal move: '??', at ply 2; one side's view"),
        (PLAIN, '[White "a]\n\n*', "illegal header"),
        (PLAIN, '[White "a"]\n[White "b"]\n\n*', "illegal header: 'White' is given twice"),
        (PLAIN, '[White "a\tb"]\n\n*', "illegal header White"),
        (PLAIN, '[Result "1-0"]\n\n1. e4 *', "illegal result: '1-0' in the header and '*' after the moves"),
        (PLAIN, "1. f3 e5 2. g4 Qh4# 1-0", "illegal result: '1-0', but the game has ended: checkmate, Black wins"),
        (PLAIN, '[Termination "checkmate"]\n\n1. e4 1-0', "illegal header Termination: 'checkmate'"),
        (PLAIN, '[Variant "Chess960"]\n\n*', "illegal header Variant: 'Chess960'; it takes one of Berkeley, ICC"),
        (PLAIN, '[RuleSet "crazykrieg"]\n\n*', "unknown rule set 'crazykrieg'"),
        (PLAIN, '[FEN "8/8"]\n\n*', "illegal start: '8/8'"),
        (
            PLAIN,
            '[FEN "8/8/4k3/8/8/4K3/4p3/8 w - - 0 1"]\n\n1. Kxe2 Kd6 *',
            "illegal move: 'Kd6', at ply 2: the game has",
        ),
        (
            ICC,
            "1. e4 {(:)} e5 {(:)} 2. Nf3 {(Xe5:)} *",
            "illegal announcement: 'Xe5' after Nf3, but the referee says ''",
        ),
        (ICC, "1. e4 {(:)} d5 {(:)} *", "illegal announcement: '' after d5, but the referee says 'P1', at ply 2"),
        (ICC, "1. e4 {(:d4)} *", "illegal try: 'd4' is recorded as refused, but is a legal move, at ply 1"),
        (ICC, "1. e4 {(:Ke9)} *", "illegal try: 'Ke9', at ply 1; it takes one such as"),
        (ICC, "1. e4 {(:Rxh7)} *", "illegal try: 'Rxh7', at ply 1; no piece of the side to move"),
        (ICC, '[FEN "4k3/8/8/8/8/5b2/8/R3K2R w - - 0 1"]\n\n1. Kf1 {(:Rg1,Rd1)} *', "'Rg1' is recorded as refused"),
        (ICC, "1. e4 {(K:d4:)} *", "illegal comment: '(K:d4:)', at ply 1; it takes one such as {(Xd6"),
        (ICC, "1. e4 {(:)} {(:)} *", "illegal comment"),
        (ICC, "1. e4 {(:)} ?? {(:1)} *", "illegal move: '??', at ply 2; one side's view"),
        (UMD, "1. e4 {(:)} *", "illegal comment: '(:)', at ply 1; it takes one such as {(K:"),
        (UMD, "1. e4 {(K::Td4)} *", "illegal announcement: 'Td4' after e4"),
        (UMD, "1. e4 {(K:d4:)} *", "illegal try: 'd4' is recorded as refused"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(form: Format, text: str, why: str) -> None:
    assert why in refused(form, text)


def test_two_men_that_might_be_meant_are_told_of() -> None:
    text = '[FEN "4k3/8/8/8/8/3r4/8/1N2KN2 w - - 0 1"]\n\n1. Ke2 {(:Nd2)} *'
    assert "more than one piece of the side to move might try that" in refused(ICC, text)


def changed(name: str, *path: Any, value: Any) -> str:
    """Return a saved game with one value changed."""
    data = json.loads((SAVED / f"{name}.json").read_text(encoding="utf-8"))
    at = data
    for key in path[:-1]:
        at = at[key]
    assert at[path[-1]] != value
    at[path[-1]] = value
    return json.dumps(data)


STATE, WHITE = "game_state", ("game_state", "white_scoresheet")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (changed("wild16", "schema_version", value=8), "unknown saved game: schema 8; it takes schema 9"),
        (
            changed("wild16", STATE, "ruleset_id", value="crazykrieg"),
            "illegal ruleset_id: 'crazykrieg'; it takes one of berkeley,",
        ),
        (changed("wild16", STATE, "board_fen", value="8/8"), "illegal board_fen: '8/8'"),
        (changed("wild16", STATE, "game_over", value=False), "illegal game_over: False"),
        (changed("wild16", STATE, "move_stack", value=["e2e4"]), "illegal move_stack"),
        (changed("berkeley_any", STATE, "must_use_pawns", value=True), "illegal must_use_pawns: True"),
        (changed("wild16", *WHITE, "moves_own", value=[]), "illegal score sheets: a turn of the wrong side, at ply 1"),
        (
            changed("wild16", *WHITE, "moves_own", 0, value=3),
            "illegal game_state: Expected `array`, got `int` - at `$.white_scoresheet.moves_own[0]`",
        ),
        (changed("wild16", *WHITE, "moves_opponent", 0, value=[]), "illegal moves_opponent in white_scoresheet"),
        (
            changed("wild16", *WHITE, "moves_own", 0, 0, 0, "chess_move", value="f2f2"),
            "illegal question: {'chess_move': 'f2f2', 'question_type': 'COMMON'}, at ply 1",
        ),
        (
            changed("wild16", *WHITE, "moves_own", 0, 0, 0, "chess_move", value="f2f5"),
            "illegal move: 'f2f5', at ply 1; the referee says illegal",
        ),
        (
            changed("wild16", *WHITE, "moves_own", 1, 0, 0, "chess_move", value="b1c3"),
            "illegal try: 'b1c3' is recorded as refused, but is a legal move, at ply 3",
        ),
        (
            changed("berkeley_any", *WHITE, "moves_own", 1, 1, 0, "chess_move", value="e4d5"),
            "illegal try: 'e4d5' is recorded as refused, but is a legal move, at ply 3",
        ),
        (
            changed("wild16", *WHITE, "moves_own", 0, 0, 1, "next_turn_pawn_tries", value=2),
            'illegal answer: {"main_announcement": "REGULAR_MOVE", "next_turn_pawn_tries": 2}, but the referee says',
        ),
        (
            changed("berkeley_any", *WHITE, "moves_own", 0, 0, 1, "main_announcement", value="HAS_ANY"),
            'illegal answer: {"main_announcement": "HAS_ANY"}, but the referee says',
        ),
    ],
)
def test_what_is_wrong_in_a_saved_game_is_said_with_its_place(text: str, why: str) -> None:
    assert why in refused(FORMATS["kriegspiel"], text)


@pytest.mark.parametrize("rules", [BERKELEY, WILD16])
def test_other_rules_than_the_games_are_refused(rules: RuleSet) -> None:
    for name in ("kriegbot", "kriegspiel"):
        other = WILD16 if rules is BERKELEY else BERKELEY
        text, _ = written(GameRecord.of(Referee(rules)), FORMATS[name])
        assert FORMATS[name].read(text, rules)[0].rules is rules
        with pytest.raises(RecordError, match="illegal rules"):
            FORMATS[name].read(text, other)


def test_what_a_format_cannot_hold_at_all_is_not_written() -> None:
    from_elsewhere = next(record for record in map(recorded, range(99)) if record.start != chess.STARTING_FEN)
    with pytest.raises(RecordError, match="from the initial position"):
        written(from_elsewhere, FORMATS["kriegspiel"])
    with pytest.raises(RecordError, match="takes a side"):
        written(from_elsewhere, FORMATS["filtered"])
    wrong = GameRecord(BERKELEY, start="8/8/8/8/8/8/8/8 w - - 0 1")
    for form in FORMATS.values():
        with pytest.raises(RecordError):
            written(wrong, form, chess.WHITE)


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(RecordError, match=r"unknown format 'iccc'; did you mean 'icc'\? Known: kriegbot, kriegspiel"):
        format_named("iccc")
    assert [format_for(name).name for name in ("a.json", "a.pgn", "-")] == ["kriegspiel", "kriegbot", "kriegbot"]


@pytest.mark.parametrize("name", ["a.html", "b/a.HTML", "a.pgn.gz", "a.csv"])
def test_an_ending_that_is_not_written_is_refused(name: str) -> None:
    with pytest.raises(RecordError, match=rf"cannot write '{name}': it takes a name that ends in \.json, \.pgn, or"):
        format_for(name)


@pytest.mark.parametrize(
    ("movetext", "why"),
    [
        ("1. a4 0000 2. a5 1-0", "unexpected text: '0000 2. a5 1-0', at ply 2"),
        ("1. a4 -- 2. a5 1-0", "unexpected text: '-- 2. a5 1-0', at ply 2"),
        ("1. a4 Z0 2. a5 1-0", "illegal move: 'Z0', at ply 2"),
        ("1. a4 @@@@ 2. a5 1-0", "unexpected text: '@@@@ 2. a5 1-0', at ply 2"),
        ("1. a4 2. a5 1-0", "unexpected text: '2', at ply 2; a number there is 1"),
        ("1. a4 a5 0002 b4 1-0", "unexpected text: '0002 b4 1-0', at ply 3"),
        ("1. a4 a5 2... b4 1-0", "unexpected text: '...', at ply 3; a number there is 2"),
        ("2. a4 a5 *", "unexpected text: '2', at ply 1; a number there is 1"),
        ("1. a4 17 a5 *", "unexpected text: '17', at ply 2; a number there is 1"),
    ],
)
def test_a_word_that_is_no_move_and_no_number_at_its_place_refuses_the_game(movetext: str, why: str) -> None:
    assert refused(FORMATS["plain"], f'[Event "x"]\n\n{movetext}\n') == why


@pytest.mark.parametrize("number", ["1.", "40.", "1...", "40...", "40. ..."])
def test_moves_after_a_fen_are_numbered_from_one_or_from_its_number(number: str) -> None:
    side = "b" if "..." in number else "w"
    headers = f'[Event "x"]\n[FEN "4k3/8/8/8/8/8/8/4K2R {side} - - 0 40"]\n\n'
    record, _ = FORMATS["plain"].read(f"{headers}{number} {'Ke7' if side == 'b' else 'Ke2'} *", None)
    assert len(record.turns) == 1
    with pytest.raises(RecordError, match="unexpected text: '39'"):
        FORMATS["plain"].read(f"{headers}39. Ke2 *", None)
