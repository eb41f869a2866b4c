"""Records: a game saved and loaded is the same game, and nothing else loads."""

from __future__ import annotations

import dataclasses
import io
import os
import random
import stat
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    PAPER_LIMITS,
    WILD16,
    Announcement,
    Answer,
    End,
    GameOver,
    GameRecord,
    Limits,
    OwnTry,
    Reason,
    RecordError,
    Referee,
    RuleSet,
    Turn,
    load_record,
    record_from_pgn,
    record_to_pgn,
    save_record,
)
from referee.pgn import MAX_BYTES
from tests.random_games import STARTS, steps

HEADERS = {
    "Event": "a match",
    "White": "overconfident:depth=2,time=1",
    "Black": "rand",
    "Seed": "7",
    "TimePerMove": "1",
    "Program": "kriegbot 0.1.0",
}


def finish(game: Referee, rng: random.Random) -> None:
    """Lets a game go on, or ends it in one of the ways that no move brings about."""
    if game.end is None:
        color = rng.choice(chess.COLORS)
        rng.choice(
            (
                lambda: None,
                lambda: game.resign(color),
                lambda: game.forfeit(color, 'raised "x" {y} \\ [z] ; 100 %\nand more'),
                lambda: game.abandon(rng.choice(("", "interrupted"))),
            )
        )()


def recorded(seed: int, plies: int = 60) -> GameRecord:
    """The record of a random game: any rule set, limits, start, end and times."""
    rng = random.Random(seed)
    limits = rng.choice((Limits(), PAPER_LIMITS, Limits(plies=21), Limits(quiet_plies=4)))
    game = Referee(rng.choice((BERKELEY, WILD16)), limits, rng.choice(STARTS))
    stop = rng.randrange(plies)
    for number, _ in enumerate(steps(game, rng, plies)):
        if game.ply >= stop and number % 3 == 0:  # in the middle of a turn, now and then
            break
    finish(game, rng)
    times = rng.choice((True, False))
    seconds = [rng.choice((None, 0.0, 10 ** rng.uniform(-4, 5))) for _ in range(game.ply)] if times else ()
    return GameRecord.of(game, HEADERS, seconds)


def short_game() -> GameRecord:
    """Two moves, a refused try of each kind, times, and a resignation in the middle of a turn."""
    game = Referee(BERKELEY, PAPER_LIMITS)
    for uci in ("e2e4", "e7d6", "e7d6", "a1a1", "d7d5", "e1e3", "e4f5"):
        game.try_move(chess.Move.from_uci(uci) if uci != "a1a1" else chess.Move(1, 1))
    game.resign(chess.WHITE)
    return GameRecord.of(game, HEADERS, [0.53, 3661.5])


SHORT = """\
[Event "a match"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "overconfident:depth=2,time=1"]
[Black "rand"]
[Result "0-1"]
[KriegspielRecord "1"]
[RuleSet "berkeley"]
[PlyLimit "160"]
[QuietLimit "50"]
[Termination "resignation"]
[Seed "7"]
[TimePerMove "1"]
[Program "kriegbot 0.1.0"]

1. e4 {[%says -] [%emt 0:00:00.530]} 1... d5 {[%tries e7d6:illegal e7d6:repeated
b1b1:impossible] [%says -] [%emt 1:01:01.500] [%left e1e3:impossible e4f5:illegal]} 0-1
"""


# Saving and loading


def test_a_record_is_written_like_this() -> None:
    assert record_to_pgn(short_game()) == SHORT
    assert record_from_pgn(SHORT) == short_game()


@given(st.integers(0, 10**9))
def test_a_saved_game_loads_as_the_same_record_and_saves_as_the_same_text(seed: int) -> None:
    record = recorded(seed)
    text = record_to_pgn(record)
    again = record_from_pgn(text)
    assert again == record
    assert record_to_pgn(again) == text


@given(st.integers(0, 10**9))
def test_python_chess_opens_a_record_and_finds_the_true_game(seed: int) -> None:
    record = recorded(seed)
    game = chess.pgn.read_game(io.StringIO(record_to_pgn(record)))
    assert game is not None
    assert game.errors == []
    assert [node.move for node in game.mainline()] == [turn.move for turn in record.turns]
    for node, turn in zip(game.mainline(), record.turns, strict=True):
        assert node.emt() == (None if turn.seconds is None else pytest.approx(turn.seconds))
    assert game.headers["Result"] == record.result
    assert game.board().fen(en_passant="fen") == record.start


@given(st.integers(0, 10**9))
def test_no_line_of_moves_looks_like_a_header_or_an_escape(seed: int) -> None:
    movetext = record_to_pgn(recorded(seed)).partition("\n\n")[2]
    assert not any(line.startswith(("[", "%", ";")) or not line for line in movetext.rstrip("\n").split("\n"))


def test_tries_before_any_move_survive() -> None:
    game = Referee(WILD16)
    game.try_move(chess.Move.from_uci("e2d3"))
    record = GameRecord.of(game)
    assert record.left == (OwnTry(chess.Move.from_uci("e2d3"), Answer.ILLEGAL),)
    assert record_from_pgn(record_to_pgn(record)) == record
    assert "{[%left e2d3:illegal]} *" in record_to_pgn(record)


def test_a_game_that_never_began_survives() -> None:
    record = GameRecord.of(Referee(BERKELEY))
    assert record_from_pgn(record_to_pgn(record)) == record
    assert (record.turns, record.left, record.end, record.result) == ((), (), None, "*")


def test_a_record_survives_a_chess_program_that_writes_it_again() -> None:
    game = chess.pgn.read_game(io.StringIO(SHORT))
    assert game is not None
    assert record_from_pgn(str(game)) == short_game()


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    assert record_from_pgn("\ufeff" + SHORT.replace("\n", "\r\n")) == short_game()


def test_every_end_that_a_move_brings_is_recorded() -> None:
    ends = (
        ("mate", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", Limits(), Reason.CHECKMATE),
        ("stalemate", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", Limits(), Reason.STALEMATE),
        ("dead", "4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "e1d2", Limits(), Reason.DEAD_POSITION),
        ("plies", chess.STARTING_FEN, "e2e4", Limits(plies=1), Reason.PLY_LIMIT),
        ("quiet", chess.STARTING_FEN, "g1f3", Limits(quiet_plies=1), Reason.QUIET_LIMIT),
    )
    for code, start, uci, limits, reason in ends:
        game = Referee(BERKELEY, limits, start)
        game.try_move(chess.Move.from_uci(uci))
        text = record_to_pgn(GameRecord.of(game))
        assert f"#{code}" in text
        assert f'[Termination "{reason.value}"]' in text
        assert record_from_pgn(text).end == game.end


@given(st.dictionaries(st.sampled_from(["White", "Black", "Event", "Seed", "X9_y"]), st.text(max_size=30)))
@example({"White": 'say "no" \\ {braces} [brackets] ; % $1 (x) \\"', "Black": "\\", "Event": ""})
@example({"White": "line\nbreak"})
@example({"White": "\x00"})
@example({"White": "\udcff"})
def test_a_header_survives_or_is_refused(headers: dict[str, str]) -> None:
    try:
        record = GameRecord.of(Referee(BERKELEY), headers)
    except RecordError as error:
        assert "it takes one printable line" in str(error)  # noqa: PT017 - either is right
        return
    again = record_from_pgn(record_to_pgn(record))
    assert again == record
    assert {name: again.headers[name] for name in headers} == headers


@pytest.mark.parametrize(
    "name", ["Result", "FEN", "Variant", "RuleSet", "KriegspielRecord", "", "a b", "a\n", "é", "_"]
)
def test_a_header_name_is_plain_and_not_one_of_the_records_own(name: str) -> None:
    with pytest.raises(RecordError, match=r"^illegal header: .*; it takes letters, digits and _"):
        GameRecord(BERKELEY, headers={name: "x"})


def test_a_header_value_is_text() -> None:
    with pytest.raises(RecordError, match="illegal header Seed: 7; it takes text"):
        GameRecord(BERKELEY, headers={"Seed": 7})  # type: ignore[dict-item]


def test_times_are_one_a_move_finite_and_not_negative() -> None:
    game = Referee(BERKELEY)
    with pytest.raises(RecordError, match="illegal times: 1 given for 0 moves; it takes one a move"):
        GameRecord.of(game, seconds=[1.0])
    game.try_move(chess.Move.from_uci("e2e4"))
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(RecordError, match="illegal time"):
            GameRecord.of(game, seconds=[wrong])
    assert GameRecord.of(game, seconds=[0.1234]).turns[0].seconds == 0.123


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
        GameRecord(dataclasses.replace(BERKELEY, name="mine")),
    )
    for record in wrong:
        with pytest.raises(RecordError):
            record_to_pgn(record)


def test_a_record_too_large_to_be_read_again_is_not_written() -> None:
    with pytest.raises(RecordError, match=f"it takes at most {MAX_BYTES}"):
        record_to_pgn(GameRecord(BERKELEY, headers={"White": "x" * MAX_BYTES}))


# Replay


@given(st.integers(0, 10**9))
def test_a_replay_goes_through_every_try_and_ends_as_the_game_did(seed: int) -> None:
    record = recorded(seed)
    events, plies = [], 0
    for number, step in enumerate(record.replay()):
        if number == 0:
            assert (step.event, step.color, step.referee.ply, step.referee.last) == (None, None, 0, None)
            continue
        events.append(step.event)
        if isinstance(step.event, OwnTry):
            assert step.referee.last == step.event
            accepted = step.event.answer is Answer.ACCEPTED
            assert step.color == (step.referee.turn != accepted)
            plies += accepted
            assert step.seconds == (record.turns[plies - 1].seconds if accepted else None)
        else:
            assert isinstance(step.event, GameOver)
        assert step.referee.ply == plies
    tries = [
        event for turn in record.turns for event in (*turn.tries, OwnTry(turn.move, Answer.ACCEPTED, turn.announcement))
    ]
    stopped = record.end is not None and (not record.turns or record.turns[-1].announcement.end is None)
    assert events == [*tries, *record.left, *([GameOver(record.end)] if record.end and stopped else [])]
    assert step.referee.end == record.end


# Files


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "game.pgn"
    save_record(short_game(), target)
    assert target.read_text() == SHORT

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save_record(GameRecord(BERKELEY), target)
    assert target.read_text() == SHORT
    assert [path.name for path in tmp_path.iterdir()] == ["game.pgn"]
    assert load_record(target) == short_game()


@pytest.mark.skipif(os.name != "posix", reason="permissions as in POSIX")
def test_a_saved_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    save_record(short_game(), tmp_path / "game.pgn")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("other", "game.pgn")}
    assert len(modes) == 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "header KriegspielRecord is missing"),
        (b"\x00" * 100, "control character '\\x00'"),
        (b"\x89PNG\r\n\x1a\n", "byte 0 is not UTF-8 text"),
        (random.Random(1).randbytes(5000), "is not UTF-8 text"),
        (b"x" * (MAX_BYTES + 1), f"more than {MAX_BYTES} bytes"),
        (SHORT.encode()[:-5], "unexpected end of text, at ply 3"),
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
            "illegal announcement: e2e4 is recorded with '-', but the referee says '#plies'",
        ),
        (
            SHORT.replace('"resignation"', '"resigned"'),
            "illegal header Termination: 'resigned' with Result '0-1'",
        ),
        (
            SHORT.replace('"resignation"', '"stalemate"'),
            "illegal header Termination: 'stalemate' with Result '0-1'",
        ),
        (SHORT.replace('"resignation"', '"checkmate"'), "illegal end: recorded as 'checkmate, Black wins'"),
        (SHORT.replace('"resignation"', '"unterminated"'), "illegal result"),
        (SHORT.replace('Result "0-1"', 'Result "1-0"'), "illegal result"),
        (SHORT.replace("} 0-1", "} 1-0"), "illegal result: '0-1' in the header and '1-0' after the moves"),
        (SHORT.replace("} 0-1", "} (1... e5) 0-1"), "unexpected sideline: '(1... e5) 0-1\\n', at ply 3"),
        (SHORT.replace("} 0-1", "}"), "unexpected end of text, at ply 3"),
        (SHORT.replace("} 0-1", "} 0-1 1. e4"), "unexpected move: 'e4'"),
        (SHORT.replace("} 0-1", " 0-1"), "unexpected comment that is not closed"),
        (SHORT.replace("e4 {", "e4 $1 {"), "unexpected annotation"),
        (SHORT.replace("e4 {", "e4 ! {"), "unexpected text: '! {[%says"),
        (SHORT.replace("e4 {", "Qh9 {"), "illegal move: 'Qh9', at ply 1"),
        (SHORT.replace("e4 {", "e5 {"), "illegal move: 'e5', at ply 1"),
        (
            SHORT.replace("e4 {", "e3 {"),
            "illegal answer: e4f5 is recorded as illegal, but the referee says impossible",
        ),
        (
            SHORT.replace("e4 {[%says -]", "e4 {"),
            "illegal comment: '{ [%emt 0:00:00.530]}', at ply 1; [%says ...] is missing",
        ),
        (
            SHORT.replace("[%says -] [%emt 0:00:00.530]", "well"),
            "illegal comment: 'well', at ply 1; it takes [%emt ...]",
        ),
        (SHORT.replace("[%says -]", "[%says -] [%says -]"), "each once"),
        (
            SHORT.replace("[%says -]", "[%says xd5]"),
            "illegal announcement: e2e4 is recorded with 'xd5', but the referee says '-', at ply 1",
        ),
        (SHORT.replace("[%says -]", "[%says e4]"), "illegal announcement: 'e4'; it takes a code such as"),
        (SHORT.replace("0:00:00.530", "0.53"), "illegal time: '0.53', at ply 1; it takes h:mm:ss.mmm"),
        (
            SHORT.replace("e7d6:illegal", "e7d6:no"),
            "illegal try: 'e7d6:no', at ply 2; it takes one such as 'e4d5:illegal'",
        ),
        (SHORT.replace("e7d6:illegal", "e7d6:accepted"), "illegal try: 'e7d6:accepted'"),
        (
            SHORT.replace("e7d6:illegal", "d7d6:illegal"),
            "illegal answer: d7d6 is recorded as illegal, but the referee says accepted, at ply 2",
        ),
        (
            SHORT.replace("e7d6:repeated", "e7d6:illegal"),
            "illegal answer: e7d6 is recorded as illegal, but the referee says repeated",
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
    with pytest.raises(RecordError, match=r"illegal try: try g8h8 refused: the game has ended"):
        record_to_pgn(wrong)


def test_a_game_of_ten_thousand_moves_is_read() -> None:
    there_and_back = "Nf3 {[%says -]} Nf6 {[%says -]} Ng1 {[%says -]} Ng8 {[%says -]} "
    headers = record_to_pgn(GameRecord(BERKELEY)).partition("\n\n")[0]
    assert len(record_from_pgn(f"{headers}\n\n{there_and_back * 2500}*").turns) == 10_000


LONG = record_to_pgn(recorded(12, plies=30))


@settings(max_examples=400)
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


def test_a_record_of_every_rule_set_says_which() -> None:
    for rules in (BERKELEY, WILD16):
        assert _rules_of(rules) == rules


def _rules_of(rules: RuleSet) -> RuleSet:
    return record_from_pgn(record_to_pgn(GameRecord(rules))).rules
