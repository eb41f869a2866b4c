"""The question "Any?" of berkeley_any: who hears what, what it obliges to, and how it is told and recorded."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import chess
import pytest

from kriegbot.belief.belief import Belief
from kriegbot.belief.last_observation import last_observation
from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.kernels import to_board
from kriegbot.narration.diary import Diary
from kriegbot.players.base import Choice
from kriegbot.players.human import BadTry, HumanPlayer, read_action
from kriegbot.players.making import make_player
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import parse_spec
from referee import (
    BERKELEY,
    BERKELEY_ANY,
    Answer,
    AskAny,
    Limits,
    OpponentAsked,
    OwnQuestion,
    Referee,
    View,
    record_from_pgn,
    record_to_pgn,
)
from referee.announcement import count_pawn_tries
from referee.view import views_until
from tests.exact_belief import ExactBelief, position_key

CAPTURE_IS_THERE = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


def moves(*codes: str) -> list[chess.Move]:
    return [chess.Move.from_uci(code) for code in codes]


def asked(start: str = chess.STARTING_FEN) -> Referee:
    referee = Referee(BERKELEY_ANY, start=start)
    referee.ask_any()
    return referee


# The referee


def test_both_sides_hear_the_question_and_its_answer() -> None:
    for start, answer in ((chess.STARTING_FEN, Answer.NO), (CAPTURE_IS_THERE, Answer.YES)):
        referee = asked(start)
        assert referee.view(chess.WHITE).events == (OwnQuestion(answer),)
        assert referee.view(chess.BLACK).events == (OpponentAsked(answer),)


def test_a_second_question_in_a_turn_is_nonsense_and_one_in_the_next_is_not() -> None:
    referee = asked()
    assert not referee.view(chess.WHITE).may_ask
    assert referee.ask_any() is Answer.REPEATED
    assert referee.view(chess.BLACK).events == (OpponentAsked(Answer.NO),)
    referee.try_move(chess.Move.from_uci("e2e4"))
    assert not referee.view(chess.WHITE).may_ask
    assert referee.view(chess.BLACK).may_ask
    assert referee.ask_any() is Answer.NO


def test_yes_closes_everything_but_pawn_captures_until_one_succeeds() -> None:
    referee = asked(CAPTURE_IS_THERE)
    tries = referee.view(chess.WHITE).tries()
    assert set(moves("e4d5", "e4f5", "a2b3", "h2g3")) <= set(tries)
    assert all(move.from_square % 8 != move.to_square % 8 for move in tries)
    answers = [referee.try_move(move) for move in moves("g1f3", "e4e5", "e4f5", "g1f3", "e4f5", "e4d5")]
    nonsense, repeated = Answer.IMPOSSIBLE, Answer.REPEATED
    assert answers == [nonsense, nonsense, Answer.ILLEGAL, nonsense, repeated, Answer.ACCEPTED]
    assert len(referee.view(chess.BLACK).tries()) > 20


def test_no_closes_the_diagonals_for_the_turn() -> None:
    referee = asked()
    assert referee.try_move(chess.Move.from_uci("e2d3")) is Answer.IMPOSSIBLE
    assert len(referee.view(chess.WHITE).tries()) == 20


def test_whoever_does_not_ask_plays_berkeley() -> None:
    rng = random.Random(4)
    one, other = Referee(BERKELEY), Referee(BERKELEY_ANY)
    while one.end is None and one.ply < 60:
        move = rng.choice(one.view(one.turn).tries())
        assert one.try_move(move) is other.try_move(move)
    assert one.log == other.log


# Beliefs


@pytest.mark.slow
def test_an_answer_leaves_the_boards_on_which_it_is_right() -> None:
    """Both beliefs are one, and know of every board whether the side that asked could capture with a pawn."""
    rng, answers = random.Random(2), []
    for _ in range(12):
        referee = Referee(BERKELEY_ANY, start=rng.choice((chess.STARTING_FEN, CAPTURE_IS_THERE)))
        while referee.ply < 4:
            open_tries = referee.view(referee.turn).tries()
            aside = [move for move in open_tries if move.from_square % 8 != move.to_square % 8]
            referee.try_move(rng.choice(rng.choice((open_tries, aside or open_tries))))
        answers.append(referee.ask_any())
        for color in chess.COLORS:
            exact = ExactBelief(referee.view(color))
            assert all((count_pawn_tries(board) > 0) == (answers[-1] is Answer.YES) for board, _ in exact.positions)
        belief, view = Belief(referee.view(referee.turn)), referee.view(referee.turn)
        exact = ExactBelief(view)
        found = {position_key(to_board(row)): weight for row, weight in zip(*belief_of(belief), strict=True)}
        assert found == pytest.approx({position_key(board): mass for board, mass in exact.positions})
        assert list(views_until(view))[-1] == view
    assert set(answers) == {Answer.YES, Answer.NO}


def belief_of(belief: Belief) -> tuple[list[Any], list[float]]:
    return list(belief.particles.rows), list(belief.particles.weights)


def test_boards_of_the_last_observation_fit_the_answer() -> None:
    referee = Referee(BERKELEY_ANY)
    for move in moves("e2e4", "d7d5"):
        referee.try_move(move)
    referee.ask_any()
    boards = [to_board(row) for row in last_observation(referee.view(chess.WHITE), 50, 1)]
    assert len(boards) == 50
    assert all(count_pawn_tries(board) for board in boards)


# Searching players, which never ask but may be seated after the question


@pytest.mark.parametrize("spec", ["overconfident:depth=2,samples=20", "paranoid:depth=1,samples=20", "hs:samples=20"])
def test_a_search_tries_nothing_but_pawn_captures_after_yes(spec: str) -> None:
    referee = asked("7k/6pp/8/3p4/4P3/8/8/R3K3 w - - 0 1")  # Ra8 would be mate
    player = make_player(parse_spec(spec), 1)
    tried = []
    while referee.turn == chess.WHITE:
        move = player.choose(referee.view(chess.WHITE)).action
        assert isinstance(move, chess.Move)
        tried.append(referee.try_move(move))
    assert set(tried[:-1]) <= {Answer.ILLEGAL}


# Records, words, people


def test_questions_are_recorded_and_replayed() -> None:
    played = play_game(
        HereSeat("asker", Asks), HereSeat("rand", RandPlayer), rules=BERKELEY_ANY, limits=Limits(plies=60), seed=3
    )
    text = record_to_pgn(played.record)
    assert "[%tries any:no" in text
    assert record_from_pgn(text) == played.record
    assert played.white.nonsense == 0
    assert played.white.tries == played.white.turns + played.white.illegal


class Asks(RandPlayer):
    """Asks first, then plays at random."""

    def choose(self, view: View) -> Choice:
        """Return the question, once a turn."""
        return Choice(AskAny()) if view.may_ask else super().choose(view)


def test_the_diary_tells_the_question() -> None:
    referee = asked()
    assert [entry.line() for entry in Diary().take(referee.view(chess.WHITE))] == ["1. Any? No."]
    assert [entry.line() for entry in Diary().take(referee.view(chess.BLACK))] == ["1. White asks: Any? No."]


def test_a_person_may_ask_by_a_command_where_there_is_the_question() -> None:
    view = Referee(BERKELEY_ANY).view(chess.WHITE)
    assert read_action(" Any? ", view) == AskAny()
    for refused in (Referee(BERKELEY).view(chess.WHITE), asked().view(chess.WHITE)):
        with pytest.raises(BadTry):
            read_action("any", refused)
    console = Script(["help", "any"])
    assert HumanPlayer(console).choose(view).action == AskAny()
    assert any(line.startswith("any ") for line in console.said)


class Script:
    """A console that answers with these lines."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.said: list[str] = []

    def show(self, view: View) -> None:
        """Do nothing."""

    def read(self, view: View) -> str:  # noqa: ARG002
        """Return the next line."""
        return self.lines.pop(0)

    def say(self, lines: Sequence[str]) -> None:
        """Keep the text."""
        self.said += lines
