"""Placements of our own men, and what going in circles costs a try."""

from dataclasses import replace

import chess
import pytest

from kriegbot.players.search import search_player
from kriegbot.search.adjustments import Placements
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import Settings
from referee import BERKELEY, Referee


def test_a_placement_is_counted_once_a_turn() -> None:
    referee, placements = Referee(BERKELEY), Placements()
    there, back = chess.Move.from_uci("g1f3"), chess.Move.from_uci("f3g1")
    theirs = [chess.Move.from_uci("g8f6"), chess.Move.from_uci("f6g8")]
    placements.note(referee.view(chess.WHITE))
    placements.note(referee.view(chess.WHITE))
    for ours, reply in zip((there, back, there), (*theirs, theirs[0]), strict=True):
        referee.try_move(ours)
        referee.try_move(reply)
        placements.note(referee.view(chess.WHITE))
    view = referee.view(chess.WHITE)
    assert placements.visits(view, [back, chess.Move.from_uci("f3g5")]).tolist() == [2.0, 0.0]


def test_a_promotion_is_a_new_placement() -> None:
    start = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    referee, placements = Referee(BERKELEY, start=start), Placements()
    placements.note(referee.view(chess.WHITE))
    queen = chess.Move.from_uci("a7a8q")
    assert placements.visits(referee.view(chess.WHITE), [queen]).tolist() == [0.0]
    referee.try_move(queen)
    referee.try_move(chess.Move.from_uci("h7h6"))
    placements.note(referee.view(chess.WHITE))
    referee.try_move(chess.Move.from_uci("a8b8"))
    referee.try_move(chess.Move.from_uci("h6h7"))
    assert placements.visits(referee.view(chess.WHITE), [chess.Move.from_uci("b8a8")]).tolist() == [1.0]


def circles(repeated: float) -> int:
    """Count the turns of a player with nothing to win that begin with a placement that it has had before."""
    start = "7k/p1p1p1p1/P1P1P1P1/8/8/8/8/6BK w - - 0 1"
    referee = Referee(BERKELEY, start=start)
    player = search_player(
        Settings(backup="paranoid", depth=1, samples=50, particles=200, repetition_price=repeated), 1
    )
    seen: list[frozenset[tuple[int, int]]] = []
    for _ in range(24):
        if referee.end is not None:
            break
        turn = referee.turn
        while referee.end is None and referee.turn == turn:
            view = referee.view(turn)
            if turn == chess.BLACK:
                referee.try_move(min(referee.board().legal_moves, key=str))
                continue
            if not view.refused:
                seen.append(frozenset(view.men.items()))
            move = player.choose(view).action
            assert isinstance(move, chess.Move)
            referee.try_move(move)
    return len(seen) - len(set(seen))


def test_a_player_that_pays_for_repetition_goes_in_circles_less() -> None:
    assert circles(100.0) < circles(0.0)


def price_of_going_back(start: str, turns: int) -> float:
    """Return what Kg1 costs at repeated=1 after so many turns of walking from g1 to h1 and back, with turn 0 at g1."""
    referee, values = Referee(BERKELEY, start=start), []
    settings = Settings(backup="overconfident", depth=1, samples=20, particles=200, evaluator="material")
    searches = [SampledSearch(replace(settings, repetition_price=repeated), 0) for repeated in (0.0, 1.0)]
    for ply in range(2 * turns):
        if referee.turn == chess.WHITE:
            for search in searches:
                search.update(referee.view(chess.WHITE))
        referee.try_move(chess.Move.from_uci(("g1h1", "a8b8", "h1g1", "b8a8")[ply % 4]))
    view = referee.view(chess.WHITE)
    for search in searches:
        search.update(view)
        policy = search.policy(view, None)
        values.append(policy.values[policy.tries.index(chess.Move.from_uci("h1g1"))])
    return float(values[0] - values[1])


@pytest.mark.parametrize(("start", "price"), [("k7/8/8/8/8/8/3R4/6K1", 7.0 + 8.0), ("k7/3r4/8/8/8/8/8/6K1", 7.0)])
def test_only_the_side_ahead_pays_twice_as_much_for_each_further_visit(start: str, price: float) -> None:
    assert price_of_going_back(f"{start} w - - 0 1", 13) == pytest.approx(price)  # on g1 at turns 0, 2, ..., 12
