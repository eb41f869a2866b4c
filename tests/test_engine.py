"""The player that asks a chess engine: how it adds up what it is told, and what it does with Stockfish."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.players.making import make_player
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.request import Refused, program_of
from kriegbot.search.perfect_information import WORST, WORST_SHARE, blended, values_of_tries
from referee import Limits, Referee
from tests.outside import needs_stockfish

NAN = float("nan")


def test_a_try_is_worth_the_mean_and_partly_the_worst_fifth() -> None:
    values = np.array([[100.0, 20.0], [0.0, 20.0], [100.0, NAN], [100.0, NAN], [100.0, NAN]])
    assert blended(values, np.ones(5)) == pytest.approx([(1 - WORST) * 80 + WORST * 0, 20])
    # the worst board weighs half of the worst fifth
    values, weights = np.array([[-50.0], [10.0]]), np.array([WORST_SHARE / 2, 1 - WORST_SHARE / 2])
    assert blended(values, weights) == pytest.approx([(1 - WORST) * (-5 + 9) + WORST * (-50 + 10) / 2])


def test_where_a_try_is_refused_the_best_one_that_follows_counts() -> None:
    values = np.array([[300.0, 50.0, 20.0], [NAN, 10.0, 80.0]])
    worth, legal = values_of_tries(values, np.array([1.0, 3.0]))
    assert legal == pytest.approx([0.25, 1, 1])
    assert worth[0] == pytest.approx(0.25 * 300 + 0.75 * 80)  # on the second board the third try is best


def test_what_is_no_engine_is_refused_in_a_line() -> None:
    with pytest.raises(BadSpec, match="there is no chess engine 'nonsuch' that can be run; it takes"):
        parse_spec("engine:command=nonsuch")
    with pytest.raises(BadSpec, match="true is no chess engine that speaks UCI") as refused:
        make_player(parse_spec("engine:command=true"), 1)
    assert "\n" not in str(refused.value)


def test_nobody_from_another_machine_names_a_program() -> None:
    with pytest.raises(Refused, match="only installed players can play"):
        program_of("engine:command=true", is_remote=True)


@pytest.mark.slow
def test_the_engine_mates_in_one_and_a_seed_is_a_game() -> None:
    needs_stockfish()
    view = Referee("berkeley", start="7k/8/5KQ1/8/8/8/8/8 w - - 0 1").view(chess.WHITE)
    spec = parse_spec("engine:nodes=400,boards=5")
    assert program_of(str(spec), is_remote=True) == spec  # by its usual name anybody may ask for it
    action = make_player(parse_spec("engine:nodes=400,boards=5"), 1).choose(view).action
    assert isinstance(action, chess.Move)
    assert action.uci() in ("g6g7", "g6h7", "g6h5", "g6e8")
    seats = HereSeat("engine", lambda seed: make_player(spec, seed)), HereSeat("rand", RandPlayer)
    games = [play_game(*seats, limits=Limits(plies=12), seed=3).record.turns for _ in range(2)]
    first, second = ([(turn.move, turn.tries) for turn in turns] for turns in games)
    assert first == second
