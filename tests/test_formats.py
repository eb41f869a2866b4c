"""Formats of other programs: what a format can hold comes back as it was, and what it cannot is named."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import chess
import pytest

from referee import (
    OPENSPIEL,
    PAPER_LIMITS,
    RULE_SETS,
    Answer,
    GameRecord,
    Limits,
    OwnQuestion,
    OwnTry,
    Reason,
    RecordError,
    Referee,
    RuleSet,
    open_tries,
)
from referee.formats import FORMATS, format_of, written
from referee.formats.foreign_pgn import LEFT, QUESTIONS, REFUSED, RULED_OUT, TIMES
from referee.formats.kriegspiel_org import END
from tests.effort import many
from tests.random_games import act, action_of, random_try, steps
from tests.test_records import HEADERS as SOME_HEADERS
from tests.test_records import finish, recorded

SAVED = Path(__file__).parent / "saved"
GAMES = many(1_000, 150)
THEIRS = [rules for rules in RULE_SETS.values() if rules is not OPENSPIEL]
"""The rule sets that the package `kriegspiel` knows."""
PREFIXES = (
    "",
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",  # castling next
    "e2e4 a7a6 e4e5 d7d5",  # en passant next
    "h2h4 g7g5 h4g5 h7h6 g5h6 f8g7 h6g7 g8f6",  # promotion next
    "e2e4 e7e5 f1c4 a7a6 d1h5 a6a5",  # mate next
)
"""Beginnings of games from the initial position, for a format that holds no others."""

SCRIPTS = (
    (chess.STARTING_FEN, "e2e4 e7e5 f1c4 a7a6 d1h5 a6a5 h5f7"),  # mate
    (chess.STARTING_FEN, "e2e4 a7a6 e4e5 d7d5 e5d6"),  # en passant
    ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7"),  # stalemate
    ("7k/8/8/8/8/8/1r6/K7 w - - 0 1", "a1b2"),  # a dead position
    ("4k2n/8/8/8/8/5N2/3r4/4K3 w - - 0 1", "e1d2"),  # Berkeley's own draw
    ("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", "e4f6 e8f7"),  # a double check
    ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 9", "b1d2 e8d8 g1f3 d8c8 d2b3 c8b8 b3d4 b8c8 e1c1"),  # two knights and rooks
)

Keep = Callable[[OwnTry | OwnQuestion, chess.Board], bool]


def is_named(event: OwnTry | OwnQuestion, board: chess.Board) -> bool:
    """Return True if a refused try has a name: it is open on the own pieces, and no question forbade it."""
    if isinstance(event, OwnQuestion) or board.is_legal(event.move):
        return False
    color = board.turn
    men = {square: man.piece_type for square, man in board.piece_map().items() if man.color == color}
    rights = board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)
    return event.move in open_tries(color, men, *rights)


def on_a_sheet(rules: str, event: OwnTry | OwnQuestion, board: chess.Board | None = None) -> bool:
    """Return True if the referee of kriegspiel.org records it."""
    del board
    if isinstance(event, OwnQuestion):
        return event.answer in (Answer.YES, Answer.NO)
    if event.move.from_square == event.move.to_square:
        return False
    return event.answer is Answer.ILLEGAL or rules in ("cincinnati", "rand")


def told_again(record: GameRecord, keep: Keep, limits: Limits) -> Referee:
    """Return the moves of a game again, with some of its tries."""
    game = Referee(record.rules, limits, record.start)
    for turn in record.turns:
        board = game.board()
        for event in turn.tries:
            if keep(event, board):
                act(game, action_of(event))
        assert game.try_move(turn.move) is Answer.ACCEPTED
    return game


def less(record: GameRecord, keep: Keep) -> GameRecord:
    """Return the game with some of its tries, and without times and what came after the last move."""
    game = told_again(record, keep, record.limits)
    end = record.end
    if end is not None and game.end is None:
        if end.reason is Reason.ABANDONED:
            game.abandon(end.detail)
        elif end.reason is Reason.AGREEMENT:
            game.agree()
        elif end.reason is Reason.FORFEIT:
            game.forfeit(end.winner is chess.BLACK, end.detail)
        else:
            game.resign(end.winner is chess.BLACK)
    assert game.end == end
    return GameRecord.of(game, SOME_HEADERS)


@cache
def games() -> tuple[GameRecord, ...]:
    """Short games, now and then a longer one: all rule sets, limits, starts and ends."""
    chosen = [scripted(*game, rules) for game in SCRIPTS for rules in RULE_SETS.values()]
    return (*chosen, *(recorded(seed, 30 if seed % 20 == 0 else 5) for seed in range(GAMES - len(chosen))))


def scripted(start: str, moves: str, rules: RuleSet) -> GameRecord:
    """Return a game of these moves with refused tries before each, and times."""
    rng = random.Random(moves)
    game = Referee(rules, start=start)
    for uci in moves.split():
        for _ in range(4):
            move = random_try(game, rng)
            if not game.board().is_legal(move):
                game.try_move(move)
        assert game.try_move(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    return GameRecord.of(game, SOME_HEADERS, [0.5] * game.ply)


@pytest.mark.slow
def test_the_games_have_everything() -> None:
    moves = [(chess.Board(record.start), record) for record in games()]
    assert {record.rules.name for _, record in moves} == set(RULE_SETS)
    reasons = {record.end.reason for _, record in moves if record.end}
    assert reasons == set(Reason)
    promotions = castles = passing = doubles = 0
    for board, record in moves:
        for turn in record.turns:
            promotions += turn.move.promotion is not None
            castles += board.is_castling(turn.move)
            passing += board.is_en_passant(turn.move)
            doubles += len(turn.announcement.checks) > 1
            board.push(turn.move)
    assert min(promotions, castles, passing, doubles) > 0
    assert sum(any(isinstance(event, OwnQuestion) for event in record.left) for _, record in moves) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["icc", "umd"])
def test_hundreds_of_games_go_through_notations_with_tries(name: str) -> None:
    form = FORMATS[name]
    shortened = 0
    for record in games():
        text, lost = written(record, form)
        expected = less(record, is_named)
        assert form.read(text, None) == (expected, ())
        assert format_of(text) is form or not record.turns
        events = [event for turn in record.turns for event in turn.tries]
        assert (TIMES in lost) == any(turn.seconds is not None for turn in record.turns)
        assert (LEFT in lost) == bool(record.left)
        assert (QUESTIONS in lost) == any(isinstance(event, OwnQuestion) for event in events)
        dropped = sum(isinstance(event, OwnTry) for event in events) - sum(len(turn.tries) for turn in expected.turns)
        assert (RULED_OUT in lost) == (dropped > 0)
        shortened += dropped > 0
    assert 0 < shortened < GAMES


@pytest.mark.slow
def test_hundreds_of_games_go_through_plain_chess() -> None:
    form = FORMATS["plain"]
    for record in games():
        text, lost = written(record, form)
        expected = less(record, lambda *_: False)
        assert form.read(text, None) == (expected, ())
        events = [event for tries in (*(turn.tries for turn in record.turns), record.left) for event in tries]
        assert (REFUSED in lost) == any(isinstance(event, OwnTry) for event in events)
        assert (QUESTIONS in lost) == any(isinstance(event, OwnQuestion) for event in events)
        assert (TIMES in lost) == any(turn.seconds is not None for turn in record.turns)


@pytest.mark.slow
def test_hundreds_of_games_go_through_our_own_format() -> None:
    form = FORMATS["kriegbot"]
    for record in games():
        text, lost = written(record, form)
        assert (form.read(text, record.rules), lost) == ((record, ()), ())


@pytest.mark.slow
def test_hundreds_of_games_are_shown_as_one_side_saw_them() -> None:
    form = FORMATS["filtered"]
    for number, record in enumerate(games()):
        side = bool(number % 2)
        text, lost = written(record, form, side)
        assert lost
        assert format_of(text) is form
        with pytest.raises(RecordError, match="the other side's moves are not in it"):
            form.read(text, None)
        if record.turns:
            turn = record.turns[0]
            board = chess.Board(record.start)
            assert (f"{board.fullmove_number}{'.' if board.turn else '...'} ??" in text) == (board.turn != side)
            assert turn.move.uci() not in text


def saved(seed: int) -> GameRecord:
    """Return the record of a random game from the initial position."""
    rng = random.Random(seed)
    game = Referee(rng.choice(THEIRS), rng.choice((Limits(), Limits(), PAPER_LIMITS, Limits(plies=9))))
    for uci in rng.choice(PREFIXES).split():
        if game.end is None:
            game.try_move(chess.Move.from_uci(uci))
    stop = game.ply + rng.randrange(5 if seed % 20 else 30)
    for number, _ in enumerate(steps(game, rng, stop + 1)):
        if game.ply >= stop and number % 3 == 0:
            break
    finish(game, rng)
    return GameRecord.of(game, SOME_HEADERS)


@pytest.mark.slow
def test_hundreds_of_games_go_through_the_files_of_kriegspiel_org() -> None:
    form = FORMATS["kriegspiel"]
    seen = {"over": 0, "given up": 0, "any": 0, "left": 0}
    for seed in range(GAMES):
        record = saved(seed)
        rules = record.rules.name
        text, lost = written(record, form)
        assert format_of(text) is form
        game = told_again(record, partial(on_a_sheet, rules), Limits())
        for event in record.left:
            if on_a_sheet(rules, event):
                act(game, action_of(event))
        read, missed = form.read(text, None)
        assert (read, missed) == (GameRecord.of(game), ())
        assert "all headers" in lost
        assert (END in lost) == (record.end is not None and game.end is None)
        seen["over"] += game.end is not None
        seen["given up"] += END in lost
        seen["any"] += any(isinstance(event, OwnQuestion) for turn in read.turns for event in turn.tries)
        seen["left"] += bool(read.left)
    assert min(seen.values()) > GAMES / 200, seen


@pytest.mark.parametrize("name", ["kriegbot", "icc", "umd", "plain"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Event": '[KriegspielRecord "1"]'},
        {"Event": "1. ?? {(:)}"},
        {"Filtered": "white"},
        {"Annotator": "{(:)} ??"},
    ],
    ids=str,
)
def test_whatever_headers_hold_the_text_is_taken_for_a_game(headers: dict[str, str], name: str) -> None:
    referee = Referee()
    for move in ("e2e4", "e7e5"):
        referee.try_move(chess.Move.from_uci(move))
    text, _ = written(GameRecord.of(referee, SOME_HEADERS | headers), FORMATS[name])
    (game,) = format_of(text).games(text)
    record, _ = format_of(text).read(game, None)
    assert [turn.move.uci() for turn in record.turns] == ["e2e4", "e7e5"]
