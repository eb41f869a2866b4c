"""Predictability: how likely an opponent with our model finds our tries."""

from dataclasses import replace

import chess
import numpy as np
import pytest

from kriegbot.kernels import encode_move, from_board, with_type_ids
from kriegbot.models import load_opponent
from kriegbot.models.built_in import WITH_MODEL, uniform
from kriegbot.models.protocol import Opponent, prior_of, types_with_model
from kriegbot.players.kriegbot import FLAGSHIP
from kriegbot.search.adjustments import posterior_over_prior, predicted_nats
from kriegbot.search.information_set import InformationSet
from kriegbot.search.sampled import SampledSearch
from referee import WILD16, Announcement, Referee
from tests.odd_parts import KINDS, plain_odd, two_kinds

BOARDS = {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1": 1.0, "4k3/8/8/5p2/4P3/8/8/4K3 w - - 0 1": 3.0}
"""White can push a pawn, take with it on d5 or on f5, or move the king to five squares: seven moves, eight tries."""
TRIES = 8
OURS, THEIRS = chess.E2, chess.D5
"""Announced squares of our capture, and then of the opponent's."""


def nats(move: str, model: Opponent, boards: dict[str, float]) -> float:
    """By how much a try is foretold over boards of some weight."""
    rows, weights = np.stack([from_board(chess.Board(fen)) for fen in boards]), np.array(list(boards.values()))
    known = InformationSet.of(Referee(WILD16, start=next(iter(boards))).view(chess.WHITE), rows, weights)
    found = predicted_nats(replace(known, theirs=THEIRS + 1), model, OURS + 1, 1)
    assert len(found) == TRIES
    return float(found[known.tries.tolist().index(encode_move(chess.Move.from_uci(move)))])


def plain_nats(move: str) -> float:
    """Return the replies of `two_kinds`, on python-chess."""
    total = share = 0.0
    for fen, weight in BOARDS.items():
        board, made = chess.Board(fen), chess.Move.from_uci(move)
        moves = list(board.legal_moves)
        if made in moves:
            odd = plain_odd(board, moves, Announcement(capture=THEIRS), Announcement(capture=OURS))
            likely = KINDS[0] / len(moves) + KINDS[1] * odd[moves.index(made)] / sum(odd)
            total += weight * np.log(TRIES * likely)
            share += weight
    return max(total / share, 0.0)


@pytest.mark.parametrize("move", ["e4d5", "e4f5", "e4e5", "e1d1", "e1e2"])
def test_it_is_what_the_model_says_of_boards_that_allow_a_try(move: str) -> None:
    assert nats(move, two_kinds, BOARDS) == pytest.approx(plain_nats(move))


def test_tries_differ_and_rare_ones_are_as_good_as_random_ones() -> None:
    taking, moving, stepping = (nats(move, two_kinds, BOARDS) for move in ("e4d5", "e1e2", "e1d1"))
    assert taking > moving > stepping == 0.0


def test_nobody_foretells_a_try_that_no_board_allows() -> None:
    assert nats("e4f5", two_kinds, dict(list(BOARDS.items())[:1])) == 0.0


def test_of_random_moves_none_is_foretold_better() -> None:
    assert nats("e4d5", uniform, BOARDS) == pytest.approx(nats("e1d1", uniform, BOARDS)) == pytest.approx(np.log(8 / 7))


def test_what_is_foretold_costs_a_try_some_of_its_value() -> None:
    view, values = Referee(WILD16).view(chess.WHITE), []
    for price in (0.0, 10.0):
        search = SampledSearch(replace(FLAGSHIP, samples=20, particles=500, predictability=price), 3)
        search.update(view)
        values.append(search.policy(view, None).values)
    lost = values[0] - values[1]
    assert 0.0 == lost.min() < lost.max() <= 10.0 * np.log(len(lost))


def test_it_counts_less_the_less_likely_the_opponent_has_a_model() -> None:
    model = load_opponent("opponent_types")
    view, prior = Referee(WILD16).view(chess.WHITE), np.array(prior_of(model))
    rows, kinds = with_type_ids(from_board(chess.Board()), len(prior)), list(types_with_model(model))
    assert len(kinds) == len(WITH_MODEL)
    for factor, counts in ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (3.0, 1.0)):
        weights = prior.copy()
        weights[kinds] *= factor
        others = np.delete(np.arange(len(prior)), kinds)
        weights[others] *= (1.0 - weights[kinds].sum()) / weights[others].sum()
        assert posterior_over_prior(InformationSet.of(view, rows, weights), model) == pytest.approx(counts)


def test_an_opponent_of_no_kind_counts_as_one_with_a_model() -> None:
    row = from_board(chess.Board()).reshape(1, 8)
    assert posterior_over_prior(InformationSet.of(Referee(WILD16).view(chess.WHITE), row, np.ones(1)), uniform) == 1.0
