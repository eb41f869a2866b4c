"""The PettingZoo and Gymnasium environments pass the tests that come with those packages, and play as the referee."""

from __future__ import annotations

import random
import warnings
from types import SimpleNamespace
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.environments.spaces import ASK, number_of, observe
from kriegbot.game.seat import HereSeat
from referee import BERKELEY_ANY, RULE_SETS, WILD16, Limits, Reason, RuleSet

pytest.importorskip("pettingzoo")

from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env  # needs the packages, like all below
from pettingzoo.utils.conversions import parallel_to_aec, turn_based_aec_to_parallel

with warnings.catch_warnings():  # it imports a game of its own in a way that it advises against
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, max_cycles_test, performance_benchmark, seed_test

from kriegbot.environments.aec import KriegspielEnv, env
from kriegbot.environments.single import SingleEnv


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Observation")  # it warns of dictionaries, in games other than its own
@pytest.mark.parametrize("rules", [WILD16, BERKELEY_ANY], ids=lambda rules: rules.name)
def test_pettingzoo_finds_no_fault_with_it(rules: RuleSet) -> None:
    api_test(env(rules=rules), num_cycles=200)
    seed_test(lambda: env(rules=rules), num_cycles=100)


def test_what_an_agent_observes_is_of_its_space() -> None:
    game = KriegspielEnv()
    game.reset()
    for agent in game.agents:
        assert game.observe(agent) in game.observation_space(agent)
        assert game.action_space(agent).contains(int(np.argmax(game.observe(agent)["action_mask"])))


def test_it_is_cut_short_after_as_many_tries_as_asked_for() -> None:
    """PettingZoo tests this of parallel environments alone: ours by way of its own wrapper for taking turns."""

    def parallel(max_cycles: int) -> Any:
        made = env(max_cycles=max_cycles)
        made.metadata["is_parallelizable"] = True
        return turn_based_aec_to_parallel(made)

    both = SimpleNamespace(parallel_env=parallel, env=lambda max_cycles: parallel_to_aec(parallel(max_cycles)))
    max_cycles_test(both)


@pytest.mark.slow
def test_its_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(env())
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_game_of_two_agents_is_that_of_the_referee(name: str) -> None:
    rng, game = random.Random(1), KriegspielEnv(RULE_SETS[name], Limits(plies=30))
    game.reset()
    while game.agents and not all(game.terminations.values()):
        agent, referee = game.agent_selection, game.referee
        assert agent == ("white_0" if referee.turn else "black_0")
        for one, color in (("white_0", chess.WHITE), ("black_0", chess.BLACK)):
            shown = game.observe(one)
            assert np.array_equal(shown["observation"], observe(referee.view(color)))
            assert shown["action_mask"].any() == (color == referee.turn)
        before = len(referee.log)
        game.step(rng.choice(np.flatnonzero(game.observe(agent)["action_mask"]).tolist()))
        assert len(referee.log) == before + 1
    assert game.referee.end is not None
    assert game.referee.end.reason in (Reason.PLY_LIMIT, Reason.CHECKMATE, Reason.STALEMATE)


def test_mate_is_rewarded() -> None:
    game = env()
    game.reset()
    for uci in ("f2f3", "e7e5", "g2g4", "d8h4"):
        game.step(number_of(chess.Move.from_uci(uci)))
    assert game.rewards == {"white_0": -1.0, "black_0": 1.0}
    assert game.terminations == {"white_0": True, "black_0": True}
    assert game.infos == {"white_0": {}, "black_0": {}}


def test_a_question_is_an_action() -> None:
    game = KriegspielEnv(BERKELEY_ANY)
    game.reset()
    assert game.observe("white_0")["action_mask"][ASK]
    game.step(ASK)
    shown = game.observe("white_0")
    assert not shown["action_mask"][ASK]
    assert (shown["observation"][33] == 1).all()  # no
    assert game.agent_selection == "white_0"


def test_the_board_is_drawn_for_people_who_ask_for_it() -> None:
    game = KriegspielEnv(render_mode="ansi")
    game.reset()
    assert str(game.render()).startswith("r n b q k b n r")
    game = KriegspielEnv()
    game.reset()
    assert game.render() is None


@pytest.mark.parametrize("color", [*chess.COLORS, None])
def test_gymnasium_finds_no_fault_with_it(color: chess.Color | None) -> None:
    check_env(SingleEnv("rand", color), skip_render_check=True)  # that is for registered ones


@pytest.mark.parametrize("color", [chess.WHITE, chess.BLACK])
def test_a_game_against_an_opponent_is_played_to_its_end(color: chess.Color) -> None:
    games = []
    for _ in range(2):
        game, rng = SingleEnv("rand", color, WILD16, Limits(plies=40)), random.Random(2)
        shown, info = game.reset(seed=5)
        actions, ended = [], False
        while not ended:
            assert game.referee.turn == color
            assert np.array_equal(game.action_masks(), info["action_mask"])
            actions.append(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            shown, reward, ended, cut, info = game.step(actions[-1])
            assert np.array_equal(shown, observe(game.referee.view(color)))
            assert not cut
        end = game.referee.end
        assert end is not None
        assert reward == (0.0 if end.winner is None else 1.0 if end.winner == color else -1.0)
        games.append([*actions, *game.referee.log])
        game.close()
    assert games[0] == games[1]


def test_closing_it_ends_the_opponents_process(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []
    monkeypatch.setattr(HereSeat, "close", lambda seat: ended.append(seat.name))
    game = SingleEnv("rand")
    game.reset(seed=1)
    assert ended == []
    game.close()
    assert ended == ["rand"]


def test_our_side_may_be_drawn_and_a_seed_is_a_game() -> None:
    game = SingleEnv(color=None)
    games = []
    for seed in (*range(8), *range(8)):
        shown, _ = game.reset(seed=seed)
        games.append((game.color, shown.tobytes()))
    assert games[:8] == games[8:]
    assert {color for color, _ in games} == set(chess.COLORS)
    with pytest.raises(ValueError, match=r"illegal color 'white': it takes chess.WHITE, chess.BLACK or None"):
        SingleEnv(color="white")  # type: ignore[arg-type]


def test_an_opponent_that_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown player 'rnad'; did you mean 'rand'"):
        SingleEnv("rnad")
    with pytest.raises(ValueError, match="player 'human' is only for `kriegbot play`; choose one of "):
        SingleEnv("human")


@pytest.mark.parametrize("action", ["12", "e4", 12.0, None, -1, 10**6, (12,)])
def test_an_action_that_is_no_number_is_refused_by_both_environments(action: Any) -> None:
    single, both = SingleEnv(), KriegspielEnv()
    single.reset(seed=1)
    both.reset(seed=1)
    for game in (single, both):
        with pytest.raises(ValueError, match=r"illegal action .*: it takes a"):
            game.step(action)
    single.step(np.int64(single.action_masks().argmax()))


def test_before_the_first_game_there_is_nothing_to_do() -> None:
    game = SingleEnv(render_mode="ansi")
    for act in (lambda: game.step(0), game.action_masks, game.render):
        with pytest.raises(ResetNeeded, match=r"There is no game yet: call reset\(\) first."):
            act()
    both = KriegspielEnv(render_mode="ansi")
    for call in (lambda: both.step(0), lambda: both.observe("white_0"), both.render):
        with pytest.raises(ResetNeeded, match=r"There is no game yet: call reset\(\) first."):
            call()
    game.close()
