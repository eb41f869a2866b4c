"""The second opinion: what tries are worth if both sides saw the board."""

from dataclasses import replace

import chess
import numpy as np
import pytest

from kriegbot.kernels import encode_move, from_board
from kriegbot.players.kriegbot import FLAGSHIP
from kriegbot.search.information_set import InformationSet
from kriegbot.search.opinion import BOARDS, open_values, squeezed
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import Method
from referee import WILD16, Referee

METHOD = Method.of(FLAGSHIP)


def histories(*fens: str) -> InformationSet:
    """A set of boards with equal weights."""
    view = Referee(WILD16, start=fens[0]).view(chess.Board(fens[0]).turn)
    rows = np.stack([from_board(chess.Board(fen)) for fen in fens])
    return InformationSet.of(view, rows, np.ones(len(fens)))


def worth(move: str, fen: str) -> float:
    """The worth of a move on one board."""
    known = histories(fen)
    values = open_values(known, METHOD, None, 1)
    assert values is not None
    return float(values[known.tries.tolist().index(encode_move(chess.Move.from_uci(move)))])


def test_a_mate_by_the_reply_is_seen() -> None:
    assert worth("h1g1", "6k1/8/8/8/8/1r6/r7/7K w - - 0 1") < squeezed(np.array([-9_000.0]), METHOD.scale)[0]


def test_a_try_that_is_illegal_is_worth_what_follows_it() -> None:
    in_check = "4k3/8/8/8/8/8/4q3/R3K3 w Q - 0 1"
    assert worth("e1c1", in_check) == worth("e1e2", in_check) > 0


def test_time_that_is_over_gives_no_opinion() -> None:
    assert open_values(histories(chess.STARTING_FEN), METHOD, 0.0, 1) is None


def test_half_a_value_is_that_of_the_search_and_half_that_of_the_opinion() -> None:
    view = Referee(WILD16).view(chess.WHITE)
    values = []
    for share in (0.0, 1.0, 0.5):
        search = SampledSearch(replace(FLAGSHIP, samples=BOARDS, particles=500, opinion=share), 3)
        search.update(view)
        values.append(search.policy(view, None).values)
    assert values[2] == pytest.approx((values[0] + values[1]) / 2)
    assert not np.allclose(values[0], values[1])
