"""Records: a game saved and loaded is the same game, and nothing else loads."""

from __future__ import annotations

import io
import os
import random
import stat
from pathlib import Path
from types import SimpleNamespace

import chess
import chess.pgn
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    PAPER_LIMITS,
    RULE_SETS,
    WILD16,
    Answer,
    GameOver,
    GameRecord,
    Limits,
    OwnQuestion,
    OwnTry,
    Reason,
    RecordError,
    Referee,
    load_record,
    record_from_pgn,
    record_to_pgn,
    save_record,
)
from referee.text import one_line, write_file, write_secret
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
                game.agree,
                lambda: game.abandon(rng.choice(("", "interrupted"))),
            )
        )()


def recorded(seed: int, plies: int = 60) -> GameRecord:
    """Return the record of a random game: any rule set, limits, start, end and times."""
    rng = random.Random(seed)
    limits = rng.choice((Limits(), PAPER_LIMITS, Limits(plies=21), Limits(quiet_plies=4)))
    game = Referee(rng.choice(list(RULE_SETS.values())), limits, rng.choice(STARTS))
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


def test_a_question_is_recorded_among_the_tries() -> None:
    game = Referee(BERKELEY)
    game.ask_any()
    game.try_move(chess.Move.from_uci("e2e4"))
    game.ask_any()
    record = GameRecord.of(game)
    assert record.turns[0].tries == record.left == (OwnQuestion(Answer.IMPOSSIBLE),)
    text = record_to_pgn(record)
    assert "1. e4 {[%tries any:impossible] [%says -] [%left any:impossible]} *" in text
    assert record_from_pgn(text) == record


# Saving and loading


def test_a_record_is_written_like_this() -> None:
    assert record_to_pgn(short_game()) == SHORT
    assert record_from_pgn(SHORT) == short_game()


@pytest.mark.slow
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


def test_a_null_try_survives() -> None:
    game = Referee(BERKELEY)
    game.try_move(chess.Move.null())
    record = GameRecord.of(game)
    assert "[%left 0000:impossible]" in record_to_pgn(record)
    assert record_from_pgn(record_to_pgn(record)) == record


def test_a_game_that_never_began_survives() -> None:
    record = GameRecord.of(Referee(BERKELEY))
    assert record_from_pgn(record_to_pgn(record)) == record
    assert (record.turns, record.left, record.end, record.result) == ((), (), None, "*")


def test_a_record_survives_a_chess_program_that_writes_it_again() -> None:
    game = chess.pgn.read_game(io.StringIO(SHORT))
    assert game is not None
    assert record_from_pgn(str(game)) == short_game()


@pytest.mark.parametrize("number", ["1. ... d5", "1 ... d5", "1...d5", "d5", "1... {} d5"])
def test_freedoms_of_pgn_are_read(number: str) -> None:
    text = SHORT.replace("1... d5", number).replace("1. e4", "1.e4").replace("[%says", "\n  [%says")
    assert record_from_pgn(text.replace("1.e4 {", "1.e4\n{")) == short_game()


def test_a_record_in_latin_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "latin.pgn"
    path.write_bytes(SHORT.replace('"rand"', '"Müller"').encode("latin-1"))
    assert load_record(path).headers["Black"] == "Müller"


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
        if isinstance(step.event, OwnTry | OwnQuestion):
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """So does a device: root's /dev/null became a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, b"a game")
    assert os.read(reading, 100) == b"a game"
    os.close(reading)
    assert pipe.is_fifo()


def test_a_text_is_cut_if_its_line_has_more_characters_than_it_may() -> None:
    assert [one_line("a\n  b\x1b c", most) for most in (None, 7, 6, 5)] == ["a b? c", "a b? c", "a b? c", "a ..."]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "game.pgn"
    save_record(short_game(), target)
    assert target.read_text(encoding="utf-8") == SHORT

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save_record(GameRecord(BERKELEY), target)
    assert target.read_text(encoding="utf-8") == SHORT
    assert [path.name for path in tmp_path.iterdir()] == ["game.pgn"]
    assert load_record(target) == short_game()


@pytest.mark.skipif(os.name != "posix", reason="permissions as in POSIX")
def test_a_new_game_is_its_owners_alone_and_an_older_file_keeps_its_mode(tmp_path: Path) -> None:
    for name, mode in (("new", None), ("shown", 0o644), ("shared", 0o660), ("hidden", 0o600)):
        path = tmp_path / f"{name}.pgn"
        if mode is not None:
            path.touch()
            path.chmod(mode)
        save_record(short_game(), path)
        assert stat.S_IMODE(path.stat().st_mode) == (mode or 0o600)
        assert load_record(path) == short_game()


@pytest.mark.skipif(os.name != "posix", reason="permissions as in POSIX")
def test_a_secret_is_its_owners_alone_whatever_the_file_was(tmp_path: Path) -> None:
    (tmp_path / "token").touch(0o644)
    write_secret(tmp_path / "token", b"secret")
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_a_link_stays_and_its_target_changes(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name, target in (("old", "there/real.pgn"), ("new", "there/new.pgn"), ("long", "old")):
        (tmp_path / name).symlink_to(tmp_path / target)
    (tmp_path / "there/real.pgn").write_bytes(b"")
    for name in ("old", "new", "long"):
        write_file(tmp_path / name, name.encode())
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_bytes() == name.encode()
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["new.pgn", "real.pgn"]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="symbolic links"):
        write_file(tmp_path / "loop", b"")


@pytest.mark.parametrize(("refusals", "number"), [(3, 32), (3, 5), (100, 32), (1, None)])
def test_a_file_that_a_virus_scanner_holds_for_a_moment_is_replaced(
    refusals: int, number: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows refuses with such a number; without one the folder is not ours, and waiting is of no use."""
    replace, tried, slept = Path.replace, list[int](), list[float]()

    def held(path: Path, target: Path) -> Path:
        tried.append(1)
        if len(tried) > refusals:
            return replace(path, target)
        error = PermissionError(13, "Permission denied")
        if number is not None:
            error.winerror = number  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(Path, "replace", held)
    monkeypatch.setattr("referee.text.time", SimpleNamespace(sleep=slept.append))
    if refusals == 3:
        write_file(tmp_path / "game", b"moves")
        assert ((tmp_path / "game").read_bytes(), len(slept)) == (b"moves", 3)
    else:
        with pytest.raises(PermissionError):
            write_file(tmp_path / "game", b"moves")
        assert len(slept) == (0 if number is None else 5)
    assert len(list(tmp_path.iterdir())) == (refusals == 3)
