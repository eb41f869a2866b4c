"""The schedule is a function of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kriegbot.players.specs import BadSpec
from referee import BERKELEY, NO_LIMITS, UnknownRuleSet
from tournaments.run import run_tournament
from tournaments.schedule import Pairing, Shard, TournamentSettings, gauntlet, round_robin

PLAYERS = ("a", "b", "c", "d")


def settings(pairings: tuple[Pairing, ...] = round_robin(PLAYERS), seed: int = 1) -> TournamentSettings:
    return TournamentSettings(pairings, BERKELEY, NO_LIMITS, seed)


def test_everybody_meets_everybody_once_in_a_round_robin() -> None:
    pairings = round_robin(PLAYERS)
    assert len(pairings) == len({frozenset((pairing.first, pairing.second)) for pairing in pairings}) == 6


def test_the_first_meets_everybody_else_in_a_gauntlet() -> None:
    assert [(pairing.first, pairing.second) for pairing in gauntlet(PLAYERS)] == [("a", "b"), ("a", "c"), ("a", "d")]


def test_the_two_games_of_a_pair_have_one_seed_and_exchanged_colours() -> None:
    games = settings().schedule(10)
    for even, odd in zip(games[::2], games[1::2], strict=True):
        assert (even.pairing, even.number // 2, even.seed) == (odd.pairing, odd.number // 2, odd.seed)
        assert (even.white, even.black) == (odd.black, odd.white)
        assert even.white == settings().pairings[even.pairing].first


def test_games_are_numbered_from_1_in_the_order_of_the_schedule() -> None:
    assert [game.id for game in settings().schedule(4)] == list(range(1, 25))
    assert [game.pairing for game in settings().schedule(2)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_more_games_leave_the_first_ones_as_they_are() -> None:
    assert settings().schedule(10)[: 6 * 4] == settings().schedule(4)


def test_a_pairing_has_the_same_seeds_whoever_else_plays() -> None:
    alone = settings((Pairing("a", "c"),))
    assert [alone.game(0, number).seed for number in range(8)] == [
        settings().game(1, number).seed for number in range(8)
    ]


def test_seeds_differ_between_pairs_pairings_and_tournaments() -> None:
    seeds = {game.seed for seed in (1, 2) for game in settings(seed=seed).schedule(20)}
    assert len(seeds) == 2 * 6 * 10
    assert all(0 <= seed < 2**63 for seed in seeds)


@given(st.integers(1, 7), st.integers(2, 30))
def test_shards_share_all_games_out_and_keep_pairs_together(count: int, pairs: int) -> None:
    games = settings().schedule(2 * pairs)
    parts = [[game for game in games if Shard(index, count).has(game)] for index in range(1, count + 1)]
    assert sorted(game.id for part in parts for game in part) == [game.id for game in games]
    for part in parts:
        assert all(even.seed == odd.seed for even, odd in zip(part[::2], part[1::2], strict=True))
    assert max(map(len, parts)) - min(map(len, parts)) <= 2


def test_a_tournament_from_python_takes_no_person(tmp_path: Path) -> None:
    with pytest.raises(BadSpec, match="player 'human' is a person; it takes a program"):
        run_tournament(tmp_path / "t.sqlite", ["human", "rand"], 2, 1)
    assert not list(tmp_path.iterdir())


def test_a_tournament_takes_a_rule_set_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with pytest.raises(UnknownRuleSet, match="unknown rule set 'golf'"):
        run_tournament(path, ["rand", "rand"], 2, 1, "golf")
    assert not path.exists()
