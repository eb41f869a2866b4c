"""The rule set `openspiel` and the bot against OpenSpiel's kriegspiel: every answer, every word, every view.

Where the two differ on purpose is listed in docs/environments.md; `compare` stops a game there, and
says why.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import chess
import pytest

from referee import OPENSPIEL, Announcement, Answer, CapturedKind, Limits, OwnTry, PawnTryCount, Reason, Referee, View
from tests.effort import many, some

pyspiel = pytest.importorskip("pyspiel")

from kriegbot.environments.openspiel import OpenSpielBot, announcement_of, is_taken_in_passing, view_of  # noqa: E402  # needs pyspiel

QUIET = Limits(quiet_plies=50)
STARTS = (
    chess.STARTING_FEN,
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",  # promotions
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",  # pawns side by side
)


def words_of(announcement: Announcement, passed: bool) -> str:
    """Return what OpenSpiel's umpire says of a move; of one en passant not that it captures."""
    said = ""
    if announcement.capture is not None and not passed:
        man = "Pawn" if announcement.captured is CapturedKind.PAWN else "Piece"
        said = f"{man} at {chess.square_name(announcement.capture)} captured, "
    tries = announcement.pawn_tries and announcement.pawn_tries.at_least
    return said + "{}'s move" + (f", {tries} pawn {'try' if tries == 1 else 'tries'}." if tries else ".")


def compare(seed: int) -> tuple[int, str]:
    """Plays at random at both tables; returns how many tries were compared, and how the game ended."""
    rng = random.Random(seed)
    start = rng.choice(STARTS)
    state = pyspiel.load_game("kriegspiel", {"fen": start}).new_initial_state()
    referee, board = Referee(OPENSPIEL, QUIET, start), chess.Board(start)
    for tried in count(1):
        player, color = state.current_player(), referee.turn
        assert player == int(color)
        open_there = {state.action_to_string(player, action): action for action in state.legal_actions()}
        view = referee.view(color)
        told, seen = state.information_state_string(player), state.observation_string(player)
        if tried % 5 == 0:
            assert view_of(told, seen, QUIET) == plain(view)
        assert {move.uci() for move in view.tries()} <= set(open_there)
        # those that they offer besides are pawn captures, where both say that none is legal
        assert view.pawn_tries == PawnTryCount(0) or len(view.tries()) == len(open_there)
        legal = [move.uci() for move in board.legal_moves]
        uci = rng.choice(legal) if rng.random() < 0.6 else rng.choice(sorted(open_there))
        move = chess.Move.from_uci(uci)
        passed = board.is_en_passant(move)
        answer = referee.try_move(move)
        state.apply_action(open_there[uci])
        assert (answer is Answer.ACCEPTED) == (uci in legal)
        words = {state.observation_string(side).partition("\n")[2] for side in (0, 1)}
        if answer is not Answer.ACCEPTED:
            assert answer is Answer.ILLEGAL
            assert words == {"Illegal move."}
            continue
        board.push(move)
        last = referee.last
        assert isinstance(last, OwnTry)
        assert last.announcement is not None
        if state.is_terminal() and referee.end is None:
            return tried, "repetition"  # the only draw of theirs that is none of ours
        if referee.end is not None and referee.end.reason in (Reason.CHECKMATE, Reason.STALEMATE):
            if board.halfmove_clock < 50:
                assert_lost(state, referee)
            return tried, referee.end.reason.value
        if referee.end is not None:
            assert state.is_terminal()
            assert state.returns() == [0, 0]
            return tried, referee.end.reason.value
        assert words == {words_of(last.announcement, passed).format(chess.COLOR_NAMES[referee.turn])}
    raise AssertionError("no game goes on for ever")


def assert_lost(state: Any, referee: Referee) -> None:
    """Every try that is left is refused, and then the game has our result."""
    player, fen = state.current_player(), str(state)
    while not state.is_terminal():
        assert state.current_player() == player
        state.apply_action(state.legal_actions()[0])
        assert str(state) == fen
    assert referee.end is not None
    won = {chess.WHITE: [-1, 1], chess.BLACK: [1, -1], None: [0, 0]}
    assert state.returns() == won[referee.end.winner]


def plain(view: View) -> View:
    """Our view, for comparison with what the bot makes of their words."""
    return dataclasses.replace(view, men=dict(view.men), events=tuple(view.events), refused=tuple(view.refused))


@pytest.mark.slow
def test_at_both_tables_the_same_is_said() -> None:
    ends = Counter(compare(seed)[1] for seed in range(many(50, 20)))
    assert {"quiet limit", "dead position", "checkmate"} <= set(ends)


class Curtain:
    """A state that shows a bot nothing but what its own side is told, and notes who asked."""

    def __init__(self, state: Any, player: int) -> None:
        self._state, self._player = state, player

    # The methods of `pyspiel.State` that the bot may call.

    def get_game(self) -> Any:  # noqa: D102  # theirs
        return self._state.get_game()

    def action_to_string(self, player: int, action: int) -> str:  # noqa: D102  # theirs
        assert player == self._player
        return str(self._state.action_to_string(player, action))

    def information_state_string(self, player: int) -> str:  # noqa: D102  # theirs
        assert player == self._player
        return str(self._state.information_state_string(player))

    def observation_string(self, player: int) -> str:  # noqa: D102  # theirs
        assert player == self._player
        return str(self._state.observation_string(player))

    def legal_actions(self, player: int) -> list[int]:  # noqa: D102  # theirs
        assert player == self._player
        return list(self._state.legal_actions(player))


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(3), 1))
def test_a_bot_needs_nothing_but_what_its_own_side_is_told(seed: int) -> None:
    state = pyspiel.load_game("kriegspiel").new_initial_state()
    bots = [OpenSpielBot("rand", player, seed) for player in (0, 1)]
    while not state.is_terminal():
        player = state.current_player()
        action = bots[player].step(Curtain(state, player))
        assert action in state.legal_actions()
        state.apply_action(action)


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [("rand", "grabber"), ("overconfident:depth=1,samples=20", "rand")])
def test_bots_play_through_openspiel(one: str, other: str) -> None:
    game = pyspiel.load_game("kriegspiel")
    for seed in range(2):
        for players in ((one, other), (other, one)):
            bots = [OpenSpielBot(player, number, seed) for number, player in enumerate(players)]
            assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)) == 0


def test_a_seed_is_a_game_and_every_game_has_its_own() -> None:
    played = []
    for _ in range(2):
        bots = [OpenSpielBot("rand", player, 5) for player in (0, 1)]
        for _ in range(2):
            state = pyspiel.load_game("kriegspiel").new_initial_state()
            while len(state.history()) < 30:
                state.apply_action(bots[state.current_player()].step(state))
            played.append(state.history())
            for bot in bots:
                bot.restart()
    assert played[:2] == played[2:]
    assert played[0] != played[1]


@pytest.mark.parametrize(
    ("later", "now", "is_taken"),
    [
        (["? Pawn at e4 captured, white's move."], "", False),
        (["? Pawn at d2 captured, white's move."], "", True),
        (["? white's move.", "e4e5 Illegal move.", "d3e4 black's move."], "e4", True),
        (["? white's move.", "e4e5 black's move."], "", False),
        (["? white's move."], "e4", False),
    ],
)
def test_a_pawn_fell_in_passing_unless_a_later_line_concerns_it_or_it_stands(
    later: list[str], now: str, is_taken: bool
) -> None:
    men = {chess.E4: chess.PAWN, chess.E1: chess.KING}
    stand = {chess.parse_square(square): chess.PAWN for square in now.split()} | {chess.E1: chess.KING}
    assert is_taken_in_passing(men, chess.Move.from_uci("e2e4"), later, stand) == is_taken


def test_a_side_or_a_player_that_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="illegal player_id 2: it takes 0 for Black or 1 for White"):
        OpenSpielBot("rand", 2)
    with pytest.raises(ValueError, match="unknown player 'rnad'"):
        OpenSpielBot("rnad", 0)


@pytest.mark.slow
def test_an_answer_that_is_not_open_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "from kriegbot import Choice\nfrom referee import Resign\n"
        "class Bot:\n    def __init__(self, seed): pass\n    def choose(self, view): return Choice(Resign())\n",
        encoding="utf-8",
    )
    bot = OpenSpielBot(f"{tmp_path / 'bot.py'}:Bot", 1)
    with pytest.raises(ValueError, match=r"illegal answer of .*bot.py:Bot: resign; it takes one of a2a3 a2a4"):
        bot.step(pyspiel.load_game("kriegspiel").new_initial_state())
    bot.close()


@pytest.mark.parametrize("words", ["", "Checkmate.", "red's move.", "Queen at e4 captured, white's move."])
def test_words_of_another_umpire_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match="unknown announcement"):
        announcement_of(words)
