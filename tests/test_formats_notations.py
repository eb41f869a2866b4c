"""PGN as other programs write it: tries in comments, one side's view, plain chess, several games in a file."""

from __future__ import annotations

import io
import random

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    BERKELEY_ANY,
    RAND,
    WILD16,
    Answer,
    End,
    GameRecord,
    OwnTry,
    Reason,
    RecordError,
    Referee,
    open_tries,
)
from referee.formats import FORMATS, format_of, written
from referee.formats.foreign_pgn import HEADERS, RULED_OUT, WITHOUT_LETTER, name_of_try, named_try
from tests.random_games import STARTS, steps
from tests.test_formats import SAVED, saved
from tests.test_records import recorded


def test_a_file_as_darkboard_writes_it_is_read() -> None:
    text = (SAVED / "elsewhere.pgn").read_text(encoding="utf-8")
    assert format_of(text).name == "icc"
    (game,) = FORMATS["icc"].games(text)
    record, lost = FORMATS["icc"].read(game, None)
    assert (record.rules, record.end, lost) == (WILD16, End(Reason.RESIGNATION, chess.BLACK), ())
    assert [turn.announcement.code() for turn in record.turns] == ["?0", "?1", "xd5p?0", "xd5p?0", "?0", "+F?0"]
    assert [[event.move.uci() for event in turn.tries if isinstance(event, OwnTry)] for turn in record.turns] == [
        [], [], [], ["c7d6", "e7d6"], ["d2c3", "d2e3"], ["d5h1"],
    ]  # fmt: skip
    assert record.headers["Time"] == "08:00:00"


def test_the_example_of_marylands_page_is_read() -> None:
    start = "4k3/8/8/8/2n5/3n4/3PP3/4K3 w - - 0 5"
    text = f'[FEN "{start}"]\n\n5. exd3 {{(K:d4,dd3:Td3)}} Nxd2 {{(K::)}} *'
    assert format_of(text).name == "umd"
    record, _ = FORMATS["umd"].read(text, None)
    assert [event.move.uci() for event in record.turns[0].tries if isinstance(event, OwnTry)] == ["d2d4", "d2d3"]
    check = text.replace("Nxd2 {(K::)}", "Kd8 {(K:Ke9:)}")
    with pytest.raises(RecordError, match="illegal try: 'Ke9', at ply 2"):
        FORMATS["umd"].read(check, None)


@pytest.mark.parametrize("heard", ["CF,CN", "CN,CF", "CFN", "CNF", " CF , CN ", "CF,CN,P0"])
def test_a_double_check_may_be_told_in_several_ways(heard: str) -> None:
    text = f'[FEN "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1"]\n\n1. Nf6+ {{({heard}:)}} *'
    record, _ = FORMATS["icc"].read(text, None)
    assert record.turns[0].announcement.code() == "+FN?0"


def test_a_capture_in_passing_may_be_told_at_either_square() -> None:
    moves = "1. e4 {(:)} a6 {(:)} 2. e5 {(:)} d5 {(P1:)} 3. exd6 {(%s,P2:)} *"
    for square in ("Xd5", "Xd6", "Td5"):
        assert FORMATS["icc"].read(moves % square, None)[0].turns[-1].announcement.capture == chess.D5
    for wrong in ("Xd4", "Xd5,Xd6", ""):
        with pytest.raises(RecordError, match="illegal announcement"):
            FORMATS["icc"].read(moves % wrong, None)


def test_a_capture_in_passing_that_is_told_may_be_told_at_either_square() -> None:
    moves = '[RuleSet "english"]\n\n1. e4 {(:)} a6 {(:)} 2. e5 {(:)} d5 {(:)} 3. exd6 {(%s:)} *'
    for square in ("Xd6", "Xd5"):
        announcement = FORMATS["icc"].read(moves % square, None)[0].turns[-1].announcement
        assert (announcement.code(), announcement.captured_square) == ("xd6ep", chess.D5)
    for wrong in ("Xd4", "Xd5,Xd6", ""):
        with pytest.raises(RecordError, match="illegal announcement"):
            FORMATS["icc"].read(moves % wrong, None)


def test_pawn_tries_told_by_their_squares_have_no_letter() -> None:
    game = Referee(RAND)
    for uci in ("e2e4", "d7d5", "e4d5"):
        game.try_move(chess.Move.from_uci(uci))
    record = GameRecord.of(game)
    text, lost = written(record, FORMATS["icc"])
    assert (text.split("\n\n")[1], lost) == ("1. e4 {(:)} 1... d5 {(:)} 2. exd5 {(Xd5:)} *\n", ())
    assert FORMATS["icc"].read(text, None)[0].turns == record.turns
    with pytest.raises(RecordError, match="illegal announcement: 'P1' after d5"):
        FORMATS["icc"].read(text.replace("d5 {(:)}", "d5 {(P1:)}"), None)
    assert WITHOUT_LETTER in written(record, FORMATS["filtered"], chess.WHITE)[1]
    assert WITHOUT_LETTER not in written(GameRecord.of(Referee(WILD16)), FORMATS["filtered"], chess.WHITE)[1]


def test_one_sides_view_hides_the_other_side() -> None:
    game = Referee(BERKELEY)
    for uci in ("e2e4", "e7d6", "c7b6", "d7d5", "e4f5", "e4d5"):
        game.try_move(chess.Move.from_uci(uci))
    headers = {"White": "ann", "Seed": "7", "BlackLog": "d7d5"}
    text, lost = written(GameRecord.of(game, headers), FORMATS["filtered"], chess.WHITE)
    assert text.endswith("\n\n1. e4 {(:)} 1... ?? {(:2)} 2. exd5 {(Xd5:exf5)} *\n")
    assert "Seed" not in text
    assert "d7d5" not in text
    assert HEADERS in lost
    black, _ = written(GameRecord.of(game, headers), FORMATS["filtered"], chess.BLACK)
    assert black.endswith("\n\n1. ?? {(:0)} 1... d5 {(:exd6,cxb6)} 2. ?? {(Xd5:1)} *\n")


def test_ones_own_move_does_not_betray_a_pin() -> None:
    """Chess calls the move Nc5, since the other knight is pinned; its own side does not know that."""
    move = chess.Move.from_uci("b3c5")
    board = chess.Board("4r1k1/8/8/8/4N3/1N6/8/4K3 w - - 0 1")
    assert board.san(move) == "Nc5"
    assert name_of_try(board, move) == "Nbc5"
    game = Referee(BERKELEY, start=board.fen())
    game.try_move(move)
    record = GameRecord.of(game)
    whole, (ours, _) = written(record, FORMATS["icc"])[0], written(record, FORMATS["filtered"], chess.WHITE)
    assert (" Nc5 " in whole, " Nbc5 " in whole, " Nc5 " in ours, " Nbc5 " in ours) == (True, False, False, True)


@pytest.mark.slow
@given(st.integers(0, 10**9), st.integers(0, 12))
def test_every_open_try_has_a_name_of_its_own(seed: int, plies: int) -> None:
    rng = random.Random(seed)
    game = Referee(WILD16, start=rng.choice(STARTS))
    for _ in steps(game, rng, plies):
        pass
    if game.end is not None:
        return
    board, view = game.board(), game.view(game.turn)
    tries = open_tries(view.color, view.men, view.kingside, view.queenside)
    names = [name_of_try(board, move) for move in tries]
    assert len({*names}) == len(tries)
    assert [named_try(board, str(name), 0) for name in names] == tries


def test_a_man_with_rivals_on_its_file_and_its_rank_is_named_by_its_square() -> None:
    board = chess.Board("7k/8/8/Q7/8/8/8/Q3Q2K w - - 0 1")
    names = {uci: name_of_try(board, chess.Move.from_uci(uci)) for uci in ("a1c3", "a5c3", "e1c3", "h1h2")}
    assert names == {"a1c3": "Qa1c3", "a5c3": "Q5c3", "e1c3": "Qec3", "h1h2": "Kh2"}


# Plain chess


def test_a_game_of_chess_is_heard_under_the_rules_that_are_named() -> None:
    text = '[White "a"]\n\n{Opening} 1. e4 ; a comment\n1... d5!? (1... e5 2. Nf3 (2. f4)) 2. exd5 $1 Qxd5?? 1-0\n'
    assert format_of(text).name == "plain"
    record, lost = FORMATS["plain"].read(text, WILD16)
    assert [turn.announcement.code() for turn in record.turns] == ["?0", "?1", "xd5p?0", "xd5p?0"]
    assert record.end == End(Reason.RESIGNATION, chess.WHITE)
    assert lost == ("comments", "annotations", "sidelines")
    assert FORMATS["plain"].read(text, None)[0].rules == BERKELEY


@pytest.mark.parametrize(
    ("termination", "result", "end"),
    [
        ("Time forfeit", "1-0", End(Reason.FORFEIT, chess.WHITE, "Time forfeit")),
        ("Normal", "0-1", End(Reason.RESIGNATION, chess.BLACK)),
        ("Abandoned", "*", End(Reason.ABANDONED)),
        ("unterminated", "*", None),
        ("Agreement", "1/2-1/2", End(Reason.AGREEMENT)),
        ("Normal", "1/2-1/2", End(Reason.ABANDONED, None, "a draw by agreement, repetition or another rule")),
    ],
)
def test_an_end_that_no_move_brings_is_what_the_header_says(termination: str, result: str, end: End | None) -> None:
    text = f'[Result "{result}"]\n[Termination "{termination}"]\n\n1. e4 {result}\n'
    record, lost = FORMATS["plain"].read(text, None)
    assert record.end == end
    assert bool(lost) == (result == "1/2-1/2" and termination == "Normal")


@pytest.mark.slow
@given(st.integers(0, 10**9))
def test_python_chess_reads_what_is_written_plainly(seed: int) -> None:
    record = recorded(seed, 40)
    text, _ = written(record, FORMATS["plain"])
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert list(game.mainline_moves()) == [turn.move for turn in record.turns]


# Several games in a file


def test_games_of_a_file_are_told_apart() -> None:
    for name in ("kriegbot", "icc", "umd", "plain", "kriegspiel"):
        form = FORMATS[name]
        records = [saved(seed) for seed in range(5)]
        texts = [written(record, form)[0] for record in records]
        assert [text.strip() for text in form.games("\n".join(texts))] == [text.strip() for text in texts]


def test_a_comment_that_looks_like_a_header_begins_no_game() -> None:
    text = '[White "{"]\n\n1. e4 {one\n[White "b"]\n} ; {\n% { \n1... e5 *\n\n[White "c"]\n\n1. d4 *\n'
    first, second = FORMATS["plain"].games(text)
    assert (first.count("e5"), second.count("d4")) == (1, 1)
    assert [FORMATS["plain"].read(game, None)[0].headers["White"] for game in (first, second)] == ["{", "c"]


def test_one_sides_view_does_not_say_which_tries_were_legal_that_any_ruled_out() -> None:
    game = Referee(BERKELEY_ANY)
    for uci in ("e2e4", "d7d5", "a2a3", "c8g4"):
        game.try_move(chess.Move.from_uci(uci))
    game.ask_any()
    for uci in ("g1f3", "d1h5"):  # legal, and behind a bishop that White does not see
        assert game.try_move(chess.Move.from_uci(uci)) is Answer.IMPOSSIBLE
    game.try_move(chess.Move.from_uci("e4d5"))
    text, lost = written(GameRecord.of(game, {}), FORMATS["filtered"], chess.WHITE)
    assert "Nf3" not in text
    assert "Qh5" not in text
    assert RULED_OUT in lost
