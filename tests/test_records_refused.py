"""Reading and writing refuse wrong records with one line that names the fault and its place."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    Announcement,
    Answer,
    End,
    GameRecord,
    OwnTry,
    Reason,
    RecordError,
    Referee,
    Turn,
    load_record,
    record_from_pgn,
    record_to_pgn,
)
from referee.pgn import MAX_BYTES
from tests.effort import many
from tests.test_records import SHORT, recorded

# What cannot be written


def test_a_record_that_does_not_replay_is_not_written() -> None:
    move = chess.Move.from_uci("e2e4")
    wrong = (
        GameRecord(BERKELEY, turns=(Turn(move, Announcement(capture=chess.E4)),)),
        GameRecord(BERKELEY, turns=(Turn(chess.Move.from_uci("e2e5"), Announcement()),)),
        GameRecord(BERKELEY, turns=(Turn(move, Announcement(), (OwnTry(move, Answer.ILLEGAL),)),)),
        GameRecord(BERKELEY, end=End(Reason.CHECKMATE, chess.WHITE)),
        GameRecord(BERKELEY, end=End(Reason.RESIGNATION, chess.WHITE, "tired")),
        GameRecord(BERKELEY, start="8/8/8/8/8/8/8/8 w - - 0 1"),
        GameRecord(dataclasses.replace(BERKELEY, captured_kind=True)),
    )
    for record in wrong:
        with pytest.raises(RecordError):
            record_to_pgn(record)


@pytest.mark.slow
def test_a_record_too_large_to_be_read_again_is_not_written() -> None:
    with pytest.raises(RecordError, match=f"it takes at most {MAX_BYTES}"):
        record_to_pgn(GameRecord(BERKELEY, headers={"White": "x" * MAX_BYTES}))


# Files


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "header KriegspielRecord is missing"),
        (b"\x00" * 100, "control character '\\x00'"),
        (b"\x89PNG\r\n\x1a\n", "control character '\\x1a'"),
        (random.Random(1).randbytes(5000), "control character"),
        (b"x" * (MAX_BYTES + 1), f"more than {MAX_BYTES} bytes"),
        (SHORT.encode()[:-5], "unexpected end of text: the result after the moves is missing, at ply 3"),
        (SHORT.replace("rand", "r\x00nd").encode(), "control character '\\x00'"),
    ],
)
def test_a_file_of_rubbish_is_refused_by_name(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "rubbish.pgn"
    path.write_bytes(data)
    with pytest.raises(RecordError) as caught:
        load_record(path)
    assert "rubbish.pgn" in str(caught.value)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"none\.pgn': cannot be read \(No such file or directory\)"):
        load_record(tmp_path / "none.pgn")
    with pytest.raises(RecordError, match=r"cannot be read \(Is a directory\)"):
        load_record(tmp_path)
    with pytest.raises(RecordError, match=r"cannot be read \(embedded null byte\)"):
        load_record("a\x00b")


# Texts that are no record

CHESS = '[Event "F/S Return Match"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 (2. f4 exf4) Nc6 {good} 1-0\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CHESS, "not a Kriegspiel record: header KriegspielRecord is missing"),
        ("1. e4 e5 *", "not a Kriegspiel record: header KriegspielRecord is missing"),
        (
            SHORT.replace('Record "1"', 'Record "2"'),
            "unknown version of Kriegspiel records: '2'; this program reads '1'",
        ),
        (
            SHORT.replace('"berkeley"', '"berkley"'),
            "unknown rule set 'berkley'; did you mean 'berkeley'? Known:",
        ),
        (SHORT.replace('[RuleSet "berkeley"]\n', ""), "not a Kriegspiel record: header RuleSet is missing"),
        (SHORT.replace('[Site "?"]\n', ""), "not a Kriegspiel record: header Site is missing"),
        (SHORT.replace('[Site "?"]', '[Site "?]'), 'illegal header: \'[Site "?]\'; it takes [Name "value"]'),
        (SHORT.replace('[Site "?"]', '[Event "?"]'), "illegal header: 'Event' is given twice"),
        (SHORT.replace('[Seed "7"]', '[Variant "Suicide"]'), "illegal header: Variant"),
        (SHORT.replace('[Seed "7"]', '[SetUp "1"]'), 'illegal headers: FEN and SetUp "1" come together'),
        (SHORT.replace('[Seed "7"]', '[SetUp "1"]\n[FEN "x"]'), "illegal start: 'x' is not a FEN"),
        (
            SHORT.replace('PlyLimit "160"', 'PlyLimit "0"'),
            "illegal header PlyLimit: '0'; it takes a whole number",
        ),
        (
            SHORT.replace('PlyLimit "160"', 'PlyLimit "1"'),
            "illegal move: 'e7d6', at ply 2: the game has ended (ply limit, draw)",
        ),
        (
            SHORT.replace('"resignation"', '"resigned"'),
            "illegal header Termination: 'resigned'; it takes 'unterminated' for this game",
        ),
        (
            SHORT.replace('"resignation"', '"dead position"'),
            "illegal header Termination: 'dead position'; it takes 'unterminated' for this game",
        ),
        (SHORT.replace('"resignation"', '"checkmate"'), "illegal header Termination: 'checkmate'"),
        (SHORT.replace('"resignation"', '"unterminated"'), "illegal header Result: '0-1'; it takes '*' for this game"),
        (
            SHORT.replace('Result "0-1"', 'Result "1-0"'),
            "illegal result: '1-0' in the header and '0-1' after the moves",
        ),
        (SHORT.replace("} 0-1", "} 1-0"), "illegal result: '0-1' in the header and '1-0' after the moves"),
        (SHORT.replace("} 0-1", "} (1... e5) 0-1"), "unexpected sidelines: a record has none"),
        (SHORT.replace("} 0-1", "}"), "unexpected end of text: the result after the moves is missing, at ply 3"),
        (SHORT.replace("} 0-1", "} 0-1 1. e4"), "unexpected text: '1. e4', at ply 3"),
        (SHORT.replace("} 0-1", " 0-1"), "unexpected text: a comment that is not closed: "),
        (SHORT.replace("e4 {", "e4 $1 {"), "unexpected annotations: a record has none"),
        (SHORT.replace("e4 {", "e4 ! {"), "unexpected annotations: a record has none"),
        (SHORT.replace("e4 {", "Qh9 {"), "illegal move: 'Qh9', at ply 1"),
        (SHORT.replace("e4 {", "e5 {"), "illegal move: 'e5', at ply 1"),
        (
            SHORT.replace("e4 {", "e3 {"),
            "illegal answer: e4f5 is recorded as illegal, but the referee says impossible",
        ),
        (
            SHORT.replace("e4 {[%says -]", "e4 {"),
            "illegal comment: '', at ply 1; it takes '[%says -]'",
        ),
        (
            SHORT.replace("[%says -] [%emt 0:00:00.530]", "well"),
            "illegal comment: 'well', at ply 1; it takes '[%says -]'",
        ),
        (
            SHORT.replace("[%says -]", "[%says -] [%says -]"),
            "illegal comment: '[%says -]', at ply 1; it takes nothing else",
        ),
        (
            SHORT.replace("[%says -]", "[%says xd5]"),
            "illegal comment: '[%says xd5]', at ply 1; it takes '[%says -]'",
        ),
        (SHORT.replace("[%says -]", "[%says e4]"), "illegal comment: '[%says e4]', at ply 1; it takes '[%says -]'"),
        (SHORT.replace("0:00:00.530", "0.53"), "illegal comment: '[%emt 0.53]', at ply 1; it takes nothing else"),
        (
            SHORT.replace("e7d6:illegal", "e7d6:no"),
            "illegal answer: e7d6 is recorded as no, but the referee says illegal, at ply 2",
        ),
        (
            SHORT.replace("e7d6:illegal", "e7d6:accepted"),
            "illegal try: 'e7d6:accepted', at ply 2; it takes one such as 'e4d5:illegal'",
        ),
        (
            SHORT.replace("e7d6:illegal", "d7d6:illegal"),
            "illegal answer: d7d6 is recorded as illegal, but the referee says accepted, at ply 2",
        ),
        (
            SHORT.replace("e7d6:repeated", "e7d6:illegal"),
            "illegal answer: e7d6 is recorded as illegal, but the referee says repeated",
        ),
        (
            SHORT.replace("e7d6:illegal", "any:illegal"),
            'illegal answer: "Any?" is recorded as illegal, but the referee says impossible, at ply 2',
        ),
        (
            SHORT.replace("e7d6:illegal", "any:yes"),
            'illegal answer: "Any?" is recorded as yes, but the referee says impossible, at ply 2',
        ),
    ],
)
def test_what_is_no_record_is_refused_with_its_place(text: str, why: str) -> None:
    assert text != SHORT
    with pytest.raises(RecordError) as caught:
        record_from_pgn(text)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_does_not_go_on_after_its_end() -> None:
    mate = Referee(BERKELEY, start="6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    mate.try_move(chess.Move.from_uci("a1a8"))
    record = GameRecord.of(mate)
    wrong = dataclasses.replace(record, left=(OwnTry(chess.Move.from_uci("g8h8"), Answer.ILLEGAL),))
    with pytest.raises(RecordError, match=r"illegal move: 'g8h8', at ply 2: the game has ended"):
        record_to_pgn(wrong)


@pytest.mark.slow
def test_a_game_of_ten_thousand_moves_is_read() -> None:
    there_and_back = "Nf3 {[%says -]} Nf6 {[%says -]} Ng1 {[%says -]} Ng8 {[%says -]} "
    headers = record_to_pgn(GameRecord(BERKELEY)).partition("\n\n")[0]
    assert len(record_from_pgn(f"{headers}\n\n{there_and_back * 2500}*").turns) == 10_000


LONG = record_to_pgn(recorded(12, plies=30))


@pytest.mark.slow
@settings(max_examples=many(400, 120))
@given(st.data())
def test_a_damaged_record_is_refused_or_is_the_game_it_says(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SHORT, LONG]))
    pieces = st.sampled_from(
        ["{", "}", "(", ")", "[", "]", "%", '"', "\\", "\n", "\n\n", " ", "*", "1-0", "e4", "O-O", "Z0", "--"]
    )
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.sampled_from([0, 0, 1, 2, 10, 100])))
        other = data.draw(st.just("") | pieces | st.text(max_size=3) | st.just(text[start:end] * 2))
        text = text[:start] + other + text[end:]
    try:
        record = record_from_pgn(text)
    except RecordError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either is right
        assert len(str(error)) < 500  # noqa: PT017
        return
    assert record_from_pgn(record_to_pgn(record)) == record


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.pgn"
    path.write_bytes(data)
    with pytest.raises(RecordError):
        load_record(path)


@given(st.text(max_size=200), st.sampled_from(["FEN", "Result", "RuleSet", "PlyLimit", "Termination", "Date"]))
def test_any_header_value_is_taken_or_refused(value: str, name: str) -> None:
    headers, _, moves = SHORT.partition("\n\n")
    lines = [line for line in headers.split("\n") if not line.startswith(f"[{name} ")]
    setup = ['[SetUp "1"]'] if name == "FEN" else []
    try:
        record = record_from_pgn("\n".join([*lines, *setup, f'[{name} "{value}"]', "", moves]))
    except RecordError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert record_from_pgn(record_to_pgn(record)) == record
