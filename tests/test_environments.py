"""The batch of games against the referee, and what it shows against what a `View` tells; actions as numbers."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from hashlib import sha256
from itertools import product

import chess
import numpy as np
import pytest

from kriegbot.environments.batch import Batch
from kriegbot.environments.spaces import (
    ACTIONS,
    ASK,
    VERSION,
    action_of,
    mask_of,
    number_of,
    observe,
    open_actions,
    reward_of,
)
from kriegbot.game.match import apply_action
from kriegbot.kernels import LOST_STALEMATE, encode_announcement, from_board, to_board
from referee import (
    BERKELEY,
    BERKELEY_ANY,
    NO_LIMITS,
    RULE_SETS,
    Answer,
    AskAny,
    Limits,
    OwnTry,
    PawnTries,
    Referee,
    Resign,
    RuleSet,
)
from tests.effort import some
from tests.random_games import STARTS, played

ANSWERS = {Answer.ILLEGAL: 0, Answer.ACCEPTED: 1, Answer.NO: 2, Answer.YES: 3}
LIMITS = Limits(plies=50, quiet_plies=12)


def compare(rules: RuleSet, start: str, games: int, steps: int, seed: int = 0) -> Counter[str]:
    """Random games of a batch, each beside a referee; what happened in them."""
    batch, seen = Batch(games, rules, LIMITS, start=start, seed=seed), Counter[str]()
    referees = [Referee(rules, LIMITS, start) for _ in range(games)]
    for _ in range(steps):
        actions = batch.random_actions()
        for i, referee in enumerate(referees):
            view = referee.view(referee.turn)
            assert batch.turns[i] == view.color
            assert np.array_equal(batch.boards[i], from_board(referee.board(), referee.ply))
            assert np.array_equal(batch.masks[i], mask_of(view)), referee.board().fen()
            wrong = np.nonzero((batch.observations[i] != observe(view)).any(axis=(1, 2)))[0]
            assert wrong.size == 0, (wrong, referee.board().fen())
            apply_action(referee, action_of(int(actions[i]), view))
        batch.step(actions)
        for i, referee in enumerate(referees):
            last = referee.last
            assert last is not None
            assert batch.answers[i] == ANSWERS[last.answer]
            seen[last.answer.value] += 1
            if isinstance(last, OwnTry) and last.announcement is not None:
                assert batch.announcements[i] == encode_announcement(last.announcement)
                seen["promotions"] += last.move.promotion is not None
                seen["underpromotions"] += last.move.promotion not in (None, chess.QUEEN)
                seen["captures"] += last.announcement.capture is not None
            assert (batch.ended[i] != 0) == (referee.end is not None)
            assert list(batch.rewards[i]) == [reward_of(referee, color) for color in (chess.WHITE, chess.BLACK)]
            if referee.end is not None:
                seen[referee.end.reason.value] += 1
                for place, color in enumerate((chess.WHITE, chess.BLACK)):
                    assert np.array_equal(batch.last_observations[i, place], observe(referee.view(color)))
                referees[i] = Referee(rules, LIMITS, start)
    return seen


def test_planes_and_actions_are_those_of_their_version() -> None:
    digest = sha256()
    for rules, start in product(RULE_SETS.values(), STARTS):
        batch = Batch(2, rules, LIMITS, start=start, seed=3)
        for _ in range(20):
            actions = batch.random_actions()
            for array in (batch.observations, np.packbits(batch.masks), actions.astype("<i8")):
                digest.update(array.tobytes())
            batch.step(actions)
    assert {VERSION: digest.hexdigest()[:16]} == {1: "3c264f004dc14840"}, "networks no longer fit: raise it"


@pytest.mark.slow
def test_a_question_that_is_answered_by_announcements_is_no_action() -> None:
    rules = dataclasses.replace(BERKELEY_ANY, name="both", title="Both", pawn_tries=PawnTries.COUNT)
    assert not {"yes", "no"} & compare(rules, chess.STARTING_FEN, games=4, steps=100).keys()


@pytest.mark.slow
@pytest.mark.parametrize("rules", some(RULE_SETS.values(), 3), ids=lambda rules: rules.name)
def test_a_batch_is_as_many_referees(rules: RuleSet) -> None:
    seen = Counter[str]()
    for number, start in enumerate(STARTS):
        seen += compare(rules, start, games=4, steps=100, seed=number)
    common = ["accepted", "illegal", "captures", "promotions", "underpromotions", "quiet limit"]
    common += ["yes", "no"] if rules in (BERKELEY_ANY, RULE_SETS["english"]) else []
    assert all(seen[what] for what in common), seen


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_mate_and_stalemate_are_rewarded_as_the_rules_say(rules: RuleSet) -> None:
    for start, uci, reward in (
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7", 1),
        ("8/8/8/8/8/6k1/5q2/7K b - - 0 1", "f2g2", -1),
        ("7k/8/6K1/8/5Q2/8/8/8 w - - 0 1", "f4f7", 1 if rules.stalemate_loses else 0),
    ):
        batch = Batch(2, rules, NO_LIMITS, start=start)
        before = batch.observations.copy()
        batch.step([number_of(chess.Move.from_uci(uci))] * 2)
        assert batch.rewards.tolist() == [[reward, -reward]] * 2
        assert (batch.ended != 0).all()
        assert np.array_equal(batch.observations, before)  # they have begun again
        assert (batch.ended == LOST_STALEMATE).any() == (rules.stalemate_loses and uci == "f4f7")


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_what_is_shown_tells_nothing_of_what_is_not_heard(rules: RuleSet) -> None:
    """Boards that differ where no announcement tells: the same view, and so the same observation."""
    shown = []
    for reply in ("a7a6", "h7h6", "b8c6"):
        referee, batch = Referee(rules), Batch(1, rules, NO_LIMITS)
        for uci in ("e2e4", reply):
            move = chess.Move.from_uci(uci)
            referee.try_move(move)
            batch.step([number_of(move)])
        shown.append((batch.observations.tobytes(), batch.masks.tobytes(), referee.view(chess.WHITE)))
        assert batch.observations[0].tobytes() == observe(referee.view(chess.WHITE)).tobytes()
    boards = {one[:2] for one in shown}
    assert len(boards) == 1
    assert all(one[2].men == shown[0][2].men for one in shown)


@pytest.mark.parametrize("seed", range(20))
def test_an_action_has_one_number(seed: int) -> None:
    referee = played(seed, plies=seed * 3)
    view = referee.view(referee.turn)
    numbers = open_actions(view)
    assert len(set(numbers)) == len(view.tries())
    assert [action_of(number, view) for number in numbers] == view.tries()


def test_every_number_is_an_action_for_both_sides() -> None:
    for fen in ("7k/PPPPPPPP/8/8/8/8/8/K7 w - - 0 1", "7k/8/8/8/8/8/pppppppp/K7 b - - 0 1"):
        board = chess.Board(fen)
        view = Referee(BERKELEY_ANY).view(board.turn)
        men = {square: piece.piece_type for square, piece in board.piece_map().items() if piece.color == board.turn}
        view = dataclasses.replace(view, men=men)
        promotions = [move for move in open_actions(dataclasses.replace(view, turn=board.turn)) if move >= 64 * 64]
        assert len(promotions) == 3 * (8 + 7 + 7) + 1
        assert promotions[-1] == ASK
        assert action_of(ASK, view) == AskAny()
    for number in (-1, ACTIONS):
        with pytest.raises(ValueError, match=f"illegal action {number}: it takes a whole number from 0 to 4168"):
            action_of(number, view)
    for other in (np.array([1, 2]), np.array([1]), True, np.True_):
        with pytest.raises(ValueError, match="it takes a whole number from 0 to 4168"):
            action_of(other, view)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="illegal action"):
        number_of(Resign())


@pytest.mark.parametrize("side", ["w", "b"])
def test_every_open_action_of_a_board_full_of_promotions_does_what_the_referee_does(side: str) -> None:
    start = f"rnb1kb1r/P1P3P1/7P/8/8/7p/p1p3p1/RNB1KB1R {side} KQkq - 0 1"
    view = Referee(BERKELEY, start=start).view(side == "w")
    actions = open_actions(view)
    batch, promoted = Batch(len(actions), BERKELEY, NO_LIMITS, start=start), Counter[int | None]()
    batch.step(np.array(actions))
    for i, action in enumerate(actions):
        referee = Referee(BERKELEY, start=start)
        answer = apply_action(referee, action_of(int(action), view))
        assert (batch.answers[i], answer) == (ANSWERS[answer or Answer.ILLEGAL], referee.log[-1].answer)
        if answer is Answer.ACCEPTED:
            assert np.array_equal(batch.boards[i], from_board(referee.board(), referee.ply)), action
            (last,) = referee.log
            promoted[getattr(last, "move", chess.Move.null()).promotion] += 1
    assert promoted.keys() == {None, *chess.PIECE_TYPES[1:5]}
    assert min(promoted.values()) > 3


@pytest.mark.parametrize("action", [0, -1, ACTIONS, ASK])
def test_an_action_that_is_not_open_is_refused_and_changes_nothing(action: int) -> None:
    batch = Batch(3, BERKELEY, seed=1)
    before = [array.copy() for array in (batch.observations, batch.masks, batch.turns)]
    actions = batch.random_actions()
    actions[1] = action
    with pytest.raises(ValueError, match=rf"illegal action {action} in game 1: it takes one of masks\[1\]"):
        batch.step(actions)
    assert all(map(np.array_equal, before, (batch.observations, batch.masks, batch.turns)))
    for given, shape, kind in ((actions[:2], "(2,)", "int64"), (actions / 2, "(3,)", "float64")):
        fault = f"illegal actions of shape {shape} and type {kind}: it takes a whole number for each game, (3,)"
        with pytest.raises(ValueError, match=re.escape(fault)):
            batch.step(given)


def test_there_is_a_game_to_play() -> None:
    with pytest.raises(ValueError, match="illegal number of games 0"):
        Batch(0)
    with pytest.raises(ValueError, match="illegal start"):
        Batch(1, start="8/8/8/8/8/8/8/8 w - - 0 1")


def test_rules_may_be_named() -> None:
    assert np.array_equal(Batch(1, "berkeley_any").masks, Batch(1, BERKELEY_ANY).masks)
    with pytest.raises(ValueError, match="unknown rule set 'berkley'; did you mean 'berkeley'"):
        Batch(1, "berkley")


def test_a_seed_is_a_batch_whatever_its_size() -> None:
    small, large = Batch(2, seed=7), Batch(5, seed=7)
    for _ in range(300):
        actions = large.random_actions()
        assert np.array_equal(actions[:2], small.random_actions())
        small.step(actions[:2])
        large.step(actions)
    assert np.array_equal(small.observations, large.observations[:2])
    assert len({game.tobytes() for game in large.observations}) == 5


def test_boards_are_planes_of_all_men() -> None:
    batch = Batch(2)
    planes = np.unpackbits(batch.boards.view(np.uint8), axis=1, bitorder="little").reshape(-1, 8, 8, 8)
    board = to_board(batch.boards[1])
    assert board == chess.Board()
    masks = [board.pawns, board.knights, board.bishops | board.queens, board.rooks | board.queens, board.kings]
    for plane, mask in zip(planes[1], [*masks, *reversed(board.occupied_co)], strict=False):
        assert set(np.flatnonzero(plane)) == set(chess.SquareSet(mask))


@pytest.mark.parametrize("which", [None, [1, 3], [False, True, False, True]], ids=["all", "numbers", "mask"])
def test_games_begin_anew(which: list[int] | None) -> None:
    new, batch = Batch(4, seed=7), Batch(4, seed=7, limits=Limits(plies=3))
    while not batch.ended.any():
        batch.step(batch.random_actions())
    batch.ended[:], batch.rewards[:] = 1, 1
    before = batch.observations.copy()
    batch.reset(which, seed=7)
    begun = [True] * 4 if which is None else [False, True, False, True]
    assert (batch.ended == 0).tolist() == (batch.rewards == 0).all(axis=1).tolist() == begun
    actions = new.random_actions()
    for i in range(4):
        assert np.array_equal(batch.observations[i], (new.observations if begun[i] else before)[i])
    assert np.array_equal(batch.random_actions()[begun], actions[begun])
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        batch.reset([4])


@pytest.mark.slow
def test_random_actions_are_spread_evenly_over_what_is_open() -> None:
    batch = Batch(20_000, seed=3)
    counts = np.bincount(batch.random_actions(), minlength=ACTIONS)
    assert set(np.flatnonzero(counts)) == set(np.flatnonzero(batch.masks[0]))
    expected = 20_000 / batch.masks[0].sum()
    assert (abs(counts[batch.masks[0]] - expected) < 5 * expected**0.5).all()
