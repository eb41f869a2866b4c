"""The rule sets rand and english: what only they announce, oblige to and believe."""

from __future__ import annotations

import random

import chess
import pytest

from kriegbot.belief.belief import Belief
from kriegbot.belief.last_observation import last_observation
from kriegbot.game.protocol import ViewReader, game_lines, view_lines
from kriegbot.kernels import to_board
from kriegbot.kernels.encoding import number_of_set
from kriegbot.narration.diary import Diary
from kriegbot.web.notices import Clocks, side_view
from referee import (
    ENGLISH,
    RAND,
    Announcement,
    Answer,
    CapturedKind,
    End,
    GameRecord,
    OpponentMoved,
    OpponentRefused,
    OwnTry,
    PawnTrySquares,
    Reason,
    Referee,
    RuleSet,
    record_from_pgn,
    record_to_pgn,
)
from referee.view import views_until
from tests.exact_belief import ExactBelief, position_key
from tests.random_games import act
from tests.test_exact_belief_in_play import SMALL_STARTS, random_action

TWO_PAWNS = "4k3/8/8/3p3p/4P1P1/8/P7/4K3 w - - 0 1"
STARTS = (
    *SMALL_STARTS,
    "4k3/2p1p1p1/8/1P1P1P2/8/8/8/4K3 b - - 0 1",
    "8/PPPk4/8/8/8/8/4Kppp/8 b - - 0 1",
    "4k3/3ppp2/8/8/3PPP2/8/8/4K3 w - - 0 1",
)


def after(rules: RuleSet, start: str, *tries: str) -> Referee:
    """Return a game in which these were tried."""
    referee = Referee(rules, start=start)
    for uci in tries:
        referee.try_move(chess.Move.from_uci(uci))
    return referee


def said(referee: Referee) -> Announcement:
    """Return what was announced last."""
    assert isinstance(referee.last, OwnTry)
    assert referee.last.announcement is not None
    return referee.last.announcement


# rand


def test_the_squares_of_the_pawns_that_may_capture_are_told_and_no_other_may_try() -> None:
    referee = after(RAND, TWO_PAWNS)
    view = referee.view(chess.WHITE)
    assert view.pawn_tries == PawnTrySquares((chess.E4, chess.G4))
    aside = {
        move.uci() for move in view.tries() if move.from_square % 8 != move.to_square % 8 and move.from_square > 15
    }
    assert aside == {"e4d5", "e4f5", "g4f5", "g4h5"}
    assert referee.try_move(chess.Move.from_uci("a2b3")) is Answer.IMPOSSIBLE
    assert referee.try_move(chess.Move.from_uci("g4f5")) is Answer.ILLEGAL
    referee.try_move(chess.Move.from_uci("g4h5"))
    assert said(referee) == Announcement(chess.H5, CapturedKind.PAWN, pawn_tries=PawnTrySquares((chess.D5,)))
    assert said(referee).text() == "Pawn captured on h5; a pawn try from d5."


def test_a_promotion_is_told_but_not_to_what() -> None:
    for kind in "qrbn":
        referee = after(RAND, "7k/P7/8/8/8/8/7P/K7 w - - 0 1", f"a7a8{kind}")
        assert said(referee).promotion
    assert said(referee) == Announcement(pawn_tries=PawnTrySquares(()), promotion=True)
    assert referee.view(chess.BLACK).events == (
        OpponentMoved(Announcement(pawn_tries=PawnTrySquares(()), promotion=True)),
    )
    assert [entry.text for entry in Diary().take(referee.view(chess.BLACK))] == ["A promotion; no pawn tries."]


def test_whoever_is_stalemated_loses_and_a_record_says_so() -> None:
    referee = after(RAND, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7")
    assert referee.end == End(Reason.STALEMATE, chess.WHITE)
    record = GameRecord.of(referee)
    text = record_to_pgn(record)
    assert record.result == "1-0"
    assert "#stalemate:w" in text
    assert record_from_pgn(text) == record


def test_squares_have_one_number_for_each_set_of_their_size() -> None:
    for size in (1, 2, 3):
        sets = _sets(range(chess.A2, chess.A3 + 2), size)
        assert sorted(number_of_set(s) for s in sets) == list(range(len(sets)))
    assert number_of_set(tuple(range(chess.A8 - 8, chess.A8))) < 1 << 29


def _sets(squares: range, size: int) -> list[tuple[chess.Square, ...]]:
    if size == 0:
        return [()]
    return [(*rest, last) for last in squares for rest in _sets(range(squares[0], last), size - 1)] if squares else []


def test_boards_of_the_last_observation_fit_the_squares_told() -> None:
    referee = after(RAND, chess.STARTING_FEN, "e2e4", "d7d5")
    boards = [to_board(row) for row in last_observation(referee.view(chess.WHITE), 20, 1)]
    assert len(boards) == 20
    for board in boards:
        origins = {m.from_square for m in board.legal_moves if board.is_capture(m)} & set(board.pieces(1, chess.WHITE))
        assert origins == {chess.E4}


# english


def test_en_passant_is_told_with_the_square_of_arrival() -> None:
    referee = after(ENGLISH, "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", "e5d6")
    assert said(referee) == Announcement(chess.D6, en_passant=True)
    assert (said(referee).text(), said(referee).code()) == ("Capture on d6 en passant.", "xd6ep")
    assert said(referee).captured_square == chess.D5
    for color in chess.COLORS:
        view = referee.view(color)
        assert list(views_until(view))[-1] == view
    record = GameRecord.of(referee)
    assert record_from_pgn(record_to_pgn(record)) == record


def test_the_man_who_took_en_passant_is_put_where_he_landed() -> None:
    referee = after(ENGLISH, "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "d4e3")
    boards = [to_board(row) for row in last_observation(referee.view(chess.WHITE), 20, 1)]
    assert boards
    assert {board.piece_at(chess.E3) for board in boards} == {chess.Piece(chess.PAWN, chess.BLACK)}


def test_an_impossible_or_repeated_try_is_heard_as_an_illegal_one() -> None:
    referee = after(ENGLISH, chess.STARTING_FEN, "a1a8", "e2d3", "e2d3")
    assert [event.answer for event in referee.log] == [Answer.ILLEGAL] * 3
    assert referee.view(chess.BLACK).events == (OpponentRefused(),) * 3


def test_yes_obliges_to_one_pawn_capture_and_then_to_nothing() -> None:
    referee = after(ENGLISH, TWO_PAWNS, "e1e8", "a2b3")
    referee.ask_any()
    view = referee.view(chess.WHITE)
    assert view.obliged
    assert {move.uci() for move in view.tries()} == {"e4d5", "e4f5", "g4f5", "g4h5"}
    silent, nonsense = referee.view(chess.BLACK).events, [Answer.IMPOSSIBLE, Answer.REPEATED]
    assert [referee.try_move(chess.Move.from_uci(uci)) for uci in ("a2a3", "a2b3")] == nonsense
    assert referee.view(chess.BLACK).events == silent
    assert referee.try_move(chess.Move.from_uci("e4f5")) is Answer.ILLEGAL
    view = referee.view(chess.WHITE)
    assert not view.obliged
    assert not view.may_ask
    assert list(views_until(view))[-1] == view
    tries = {move.uci() for move in view.tries()}
    assert {"a2a3", "g4h5"} < tries
    assert not {"e4f5", "a2b3"} & tries
    assert referee.try_move(chess.Move.from_uci("a2a3")) is Answer.ACCEPTED


# both


@pytest.mark.slow
@pytest.mark.parametrize("rules", [RAND, ENGLISH], ids=lambda rules: rules.name)
def test_beliefs_in_small_endings_are_the_exact_posterior(rules: RuleSet) -> None:
    """With refusals, nonsense and questions of both sides; so the truth is possible."""
    for seed in range(14):
        rng = random.Random(seed)
        referee = Referee(rules, start=rng.choice(STARTS))
        while referee.end is None and referee.ply < 5:
            act(referee, random_action(referee, rng))
            view = referee.view(referee.turn)
            exact = ExactBelief(view)
            assert exact.probability(referee.board()) > 0
            expected = {position_key(board): mass for board, mass in exact.positions}
            held = Belief(view).particles
            keys = (position_key(to_board(row)) for row in held.rows)
            assert dict(zip(keys, held.weights, strict=True)) == pytest.approx(expected)


@pytest.mark.parametrize("rules", [RAND, ENGLISH], ids=lambda rules: rules.name)
def test_views_cross_the_line_protocol_and_reach_the_page(rules: RuleSet) -> None:
    for start in (TWO_PAWNS, chess.STARTING_FEN):
        referee = Referee(rules, start=start)
        view, reader, heard = referee.view(chess.WHITE), ViewReader(), None
        for line in [*game_lines(view, 60), *view_lines(view, 0, has_tries=True)]:
            heard = reader.read(line) or heard
        assert heard == view
        told = side_view(view, Diary().take(view), Clocks(0.0, 0.0, None, False)).pawn_tries
        squares = "pawn tries from e4 and g4" if start == TWO_PAWNS else "no pawn tries"
        assert told == (squares if rules is RAND else None)
