"""The plain search, its evaluators and its cases: values worked out by hand, and what must hold anywhere."""

from __future__ import annotations

from functools import cache

import chess
import pytest

from referee import BERKELEY, ENGLISH, NO_LIMITS, RAND, WILD16, Announcement, PawnTryCount, announce
from tests import plain_search
from tests.plain_cases import CASES, Case, features, mirrored
from tests.plain_evaluators import ks, material
from tests.plain_search import Evaluator, Knowledge, PlainSearch, Rule, plain_tries, try_values, utility

OVERCONFIDENT, PARANOID = plain_search.overconfident, plain_search.paranoid
WHITE_TO_TRY = Knowledge(chess.WHITE, BERKELEY, NO_LIMITS, ply=0, refused=(), pawn_tries=None)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
both_rules = pytest.mark.parametrize("backup", [OVERCONFIDENT, PARANOID], ids=lambda backup: backup.__name__)


def boards(*fens: str) -> list[tuple[chess.Board, float]]:
    """Equally likely positions."""
    return [(chess.Board(fen), 1 / len(fens)) for fen in fens]


def case_named(name: str) -> Case:
    (case,) = (case for case in CASES if case.name == name)
    return case


def values(case: Case, depth: int, backup: Rule, evaluator: Evaluator = material) -> dict[str, float]:
    found = try_values(case.positions, case.knowledge, depth, backup, evaluator)
    return {move.uci(): value for move, value in found.items()}


@pytest.mark.parametrize("side", chess.COLORS)
def test_ks_of_the_first_position_is_thirteen_men_protected(side: chess.Color) -> None:
    assert ks(chess.Board(), side) == 13 * 4  # all but the rooks and the king
    assert material(chess.Board(), side) == 0


@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        # a knight more; the pawn on its 4th rank is worth 2, attacking a pawn 2; nobody protects anything
        ("4k3/8/8/3p4/4P3/8/8/4K1N1 w - - 0 1", 300 + 2 + 2, -300 + 2 + 2),
        # check costs 15; the king protects its rook, and Black has nothing to attack
        ("k7/8/8/8/8/8/1K6/R7 b - - 0 1", 500 + 4 - 15, -500),
        # ranks 5, 6 and 7 as White counts, rank 5 as Black counts
        ("4k3/P7/2P5/4P3/7p/8/8/4K3 w - - 0 1", 200 + 30 + 12 + 5, -200 + 5),
        # a pawn forks queen and rook, which protect each other and attack it; the rook gives check
        ("4k3/8/8/2q1r3/3P4/8/8/4K3 w - - 0 1", -1300 + 2 + 10 + 18, 1300 + 2 + 2 * 4 - 15),
        # a pinned man protects and attacks all the same; twice protected or attacked counts once
        ("4k3/4r3/8/6b1/8/4N3/8/2B1K3 w - - 0 1", -200 + 4, 200 + 4 + 6),
        ("4k3/4r3/8/3p4/8/4N3/6B1/4K3 w - - 0 1", 50 + 4 + 2, -50 + 4 + 2 + 6),
    ],
)
def test_ks_by_hand(fen: str, white: float, black: float) -> None:
    assert ks(chess.Board(fen), chess.WHITE) == white
    assert ks(chess.Board(fen), chess.BLACK) == black


@every_case
def test_evaluators_see_both_colours_alike(case: Case) -> None:
    for evaluator in (ks, material):
        for board, _ in case.positions:
            assert evaluator(board, chess.WHITE) == evaluator(board.mirror(), chess.BLACK)
    assert all(material(board, True) == -material(board, False) for board, _ in case.positions)


@both_rules
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_mate_in_every_history_is_a_win(backup: Rule, depth: int) -> None:
    positions = boards("7k/8/1p4K1/8/8/8/8/R7 w - - 0 1", "7k/2p5/6K1/8/8/8/8/R7 w - - 0 1")
    found = try_values(positions, WHITE_TO_TRY, depth, backup, material)
    assert found[chess.Move.from_uci("a1a8")] == 10_000


def test_a_mate_in_half_of_the_histories_is_half_a_win_or_none() -> None:
    case = case_named("mate in half of the histories")
    assert values(case, 1, OVERCONFIDENT)["a1a8"] == (10_000 + 500) / 2
    assert values(case, 1, PARANOID)["a1a8"] == 500
    # Two plies: the king on f8 has one reply, e7, in which nothing changes.
    assert values(case, 2, OVERCONFIDENT)["a1a8"] == (10_000 + 500) / 2


def test_a_mate_may_be_a_stalemate_elsewhere() -> None:
    case = case_named("mate or stalemate")
    assert values(case, 1, OVERCONFIDENT)["e1e8"] == (10_000 + 900) / 2  # mate on h8, a check on f8
    assert values(case, 1, OVERCONFIDENT)["e1e6"] == 0  # stalemate on either
    assert values(case, 1, PARANOID)["e1e7"] == 900
    assert values(case, 2, PARANOID)["e1e8"] == 0  # on f8 the king takes the queen: dead


def test_weights_need_not_be_equal() -> None:
    case = case_named("mate in half of the histories")
    for weight in (0.25, 3.0):  # of the mated history; nor sum to 1
        positions = [(b, weight if b.king(chess.BLACK) == chess.H8 else 1.0) for b, _ in case.positions]
        found = try_values(positions, case.knowledge, 1, OVERCONFIDENT, material)
        expected = (weight * 10_000 + 500) / (weight + 1)
        assert found[chess.Move.from_uci("a1a8")] == pytest.approx(expected)


def test_histories_of_weight_zero_do_not_count() -> None:
    case = case_named("mate in half of the histories")
    positions = [(b, float(b.king(chess.BLACK) == chess.H8)) for b, _ in case.positions]
    found = try_values(positions, case.knowledge, 1, PARANOID, material)
    assert found[chess.Move.from_uci("a1a8")] == 10_000


def test_being_mated_loses() -> None:
    case = case_named("Black mated on the back rank")
    # Once White's rook is on the d-file, d8 mates: it may be there, so the worst of a waiting move is mate.
    assert values(case, 2, PARANOID)["g8h8"] == -10_000
    assert -10_000 < values(case, 2, OVERCONFIDENT)["g8h8"] < 0
    assert values(case, 2, PARANOID)["h7h6"] > -10_000  # air


def test_mate_comes_before_the_ply_limit() -> None:
    case = case_named("mate at the ply limit")
    found = values(case, 1, OVERCONFIDENT)
    assert found.pop("a1a8") == (10_000 + 0) / 2
    # What is accepted is a draw; where a king's step is illegal, a rook's lead goes on.
    assert found.pop("g6g7") == 500
    assert found.pop("g6f7") == found.pop("g6h7") == (500 + 0) / 2
    assert set(found.values()) == {0.0}


def test_the_quiet_limit_draws_all_but_the_pawns_moves() -> None:
    found = values(case_named("quiet limit on our try"), 3, PARANOID)
    assert found["a1a2"] == 0
    assert found["h2h3"] == 600


def test_an_ending_with_a_dead_position_is_a_draw() -> None:
    case = case_named("a promotion that may hang")
    found = values(case, 2, PARANOID)
    assert found["a7a8q"] == 0  # a king on b7 takes it
    assert values(case, 1, PARANOID)["a7a8n"] == 0  # a knight alone is a draw at once


HIDDEN_LEFT = "k7/8/8/8/8/8/7P/3K4 w - - 0 1"
HIDDEN_RIGHT = "7k/8/8/8/8/8/7P/3K4 w - - 0 1"
HIDDEN_LEFT_AND_A_PAWN = "k7/8/8/8/8/7p/7P/3K4 w - - 0 1"


def same_wing(board: chess.Board, side: chess.Color) -> float:
    """100 once our king has left the d-file to the side where the other king is."""
    own, other = board.king(side), board.king(not side)
    assert own is not None
    assert other is not None
    file = chess.square_file(own)
    return 100.0 * (file < 3 if chess.square_file(other) <= 3 else file > 3)


@both_rules
def test_one_choice_is_made_for_histories_that_cannot_be_told_apart(backup: Rule) -> None:
    """Strategy fusion: each history alone is worth 100, left or right; together one of them is wrong."""
    for fen in (HIDDEN_LEFT, HIDDEN_RIGHT):
        alone = try_values(boards(fen), WHITE_TO_TRY, 3, backup, same_wing)
        assert max(alone.values()) == pytest.approx(100)
        assert alone[chess.Move.from_uci("h2h3")] == pytest.approx(100)
        assert alone[chess.Move.from_uci("d1d2")] == pytest.approx(100)
    together = try_values(boards(HIDDEN_LEFT, HIDDEN_RIGHT), WHITE_TO_TRY, 3, backup, same_wing)
    worth = 50 if backup is OVERCONFIDENT else 0
    assert list(together.values()) == pytest.approx([worth] * len(together))


@both_rules
def test_a_try_whose_answer_tells_histories_apart_is_worth_that(backup: Rule) -> None:
    """A pawn also blocks ours where the king is on the left: trying it tells left from right."""
    positions = boards(HIDDEN_LEFT_AND_A_PAWN, HIDDEN_RIGHT)
    found = try_values(positions, WHITE_TO_TRY, 3, backup, same_wing)
    asking = {chess.Move.from_uci("h2h3"), chess.Move.from_uci("h2h4")}
    worth = 50 if backup is OVERCONFIDENT else 0
    assert found == pytest.approx({move: 100 if move in asking else worth for move in found})


@every_case
@both_rules
def test_depth_one_is_the_mean_or_the_least_of_what_a_try_leads_to(case: Case, backup: Rule) -> None:
    knowledge = case.knowledge
    for move, value in try_values(case.positions, knowledge, 1, backup, ks).items():
        outcomes = []
        for board, _ in case.positions:
            after = board.copy()
            if board.is_legal(move):
                end = announce(board, move, case.rules, case.limits, ply=knowledge.ply).end
                after.push(move)
            else:
                end = None
            outcomes.append(ks(after, knowledge.side) if end is None else utility(end, knowledge.side))
        weights = [weight for _, weight in case.positions]
        mean = sum(w * x for w, x in zip(weights, outcomes, strict=True))
        assert value == pytest.approx(mean if backup is OVERCONFIDENT else min(outcomes))


@pytest.mark.slow
def test_depth_two_averages_replies_where_every_history_accepts() -> None:
    checked = 0
    for case in CASES:
        for move, value in try_values(case.positions, case.knowledge, 2, OVERCONFIDENT, ks).items():
            if all(board.is_legal(move) for board, _ in case.positions):
                expected = sum(weight * after_replies(case, board, move) for board, weight in case.positions)
                assert value == pytest.approx(expected), (case.name, move)
                checked += 1
    assert checked > 300


def after_replies(case: Case, board: chess.Board, move: chess.Move) -> float:
    ply, side = case.knowledge.ply, case.knowledge.side
    end = announce(board, move, case.rules, case.limits, ply=ply).end
    if end is not None:
        return utility(end, side)
    after = board.copy()
    after.push(move)
    total = 0.0
    replies = list(after.legal_moves)
    for reply in replies:
        end = announce(after, reply, case.rules, case.limits, ply=ply + 1).end
        after.push(reply)
        total += ks(after, side) if end is None else utility(end, side)
        after.pop()
    return total / len(replies)


@pytest.mark.slow
@both_rules
def test_a_try_illegal_everywhere_costs_one_ply_and_nothing_else(backup: Rule) -> None:
    checked = 0
    for case in CASES:
        shallow = try_values(case.positions, case.knowledge, 1, backup, ks)
        for move, value in try_values(case.positions, case.knowledge, 2, backup, ks).items():
            if not any(board.is_legal(move) for board, _ in case.positions):
                rest = max(v for other, v in shallow.items() if other != move)
                assert value == pytest.approx(rest), (case.name, move)
                checked += 1
    assert checked > 50


@pytest.mark.slow
@every_case
def test_paranoid_values_never_exceed_overconfident_ones(case: Case) -> None:
    for depth in (1, 2, 3) if len(case.positions) <= 3 else (1, 2):
        mean = try_values(case.positions, case.knowledge, depth, OVERCONFIDENT, ks)
        worst = try_values(case.positions, case.knowledge, depth, PARANOID, ks)
        assert list(mean) == list(worst) == case.view.tries()
        assert all(worst[move] <= value + 1e-9 for move, value in mean.items())


@both_rules
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_history_split_in_two_changes_no_value(backup: Rule, depth: int) -> None:
    case = case_named("mate or stalemate")
    split = [(board, part * weight) for board, weight in case.positions for part in (0.25, 0.75)]
    one = try_values(case.positions, case.knowledge, depth, backup, ks)
    assert try_values(split, case.knowledge, depth, backup, ks) == pytest.approx(one)


def test_refusals_and_pawn_tries_are_remembered_for_one_turn() -> None:
    case = case_named("wild16: no pawn tries")
    step, diagonal = chess.Move.from_uci("e5e6"), chess.Move.from_uci("e5d6")
    at_first = set(plain_tries(case.positions, case.knowledge))
    assert at_first == set(case.view.tries())
    assert diagonal not in at_first
    refused = case.knowledge.without(step)
    assert refused.ply == case.knowledge.ply
    assert set(plain_tries(case.positions, refused)) == at_first - {step}
    next_turn = refused.after_try(Announcement()).after_reply(Announcement(pawn_tries=PawnTryCount(1)), free=0)
    assert next_turn.ply == case.knowledge.ply + 2
    assert {step, diagonal} <= set(plain_tries(case.positions, next_turn))


def test_leaves_are_histories_that_reach_depth_zero_or_an_end() -> None:
    case = case_named("mate in half of the histories")
    search = PlainSearch(OVERCONFIDENT, ks)
    tries = search.try_values(case.positions, case.knowledge, 1)
    assert search.leaves == len(tries) * len(case.positions) == 44
    assert search.ended == 1
    assert search.evaluated == 43


@pytest.mark.parametrize("depth", [0, -1])
def test_a_search_of_no_depth_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="depth >= 1"):
        try_values(boards(HIDDEN_LEFT), WHITE_TO_TRY, depth, PARANOID, ks)


def test_positions_of_more_than_one_information_set_are_refused() -> None:
    with pytest.raises(ValueError, match="agree in the side's own men"):
        try_values(boards(HIDDEN_LEFT, "k7/8/8/8/8/8/6P1/3K4 w - - 0 1"), WHITE_TO_TRY, 1, PARANOID, ks)
    with pytest.raises(ValueError, match="positions of the side to move"):
        try_values(boards("k7/8/8/8/8/8/7P/3K4 b - - 0 1"), WHITE_TO_TRY, 1, PARANOID, ks)


twin_of = cache(mirrored)


@cache
def shown(case: Case) -> set[str]:
    """All that there is to see in a case."""
    return set(features(case))


@every_case
def test_a_case_shows_what_it_is_there_for(case: Case) -> None:
    assert 2 <= len(case.positions) <= 60
    assert case.shows <= shown(case)


@pytest.mark.slow
@every_case
@both_rules
def test_a_case_is_worth_the_same_with_colours_exchanged(case: Case, backup: Rule) -> None:
    twin = twin_of(case)
    assert twin.shows <= shown(twin)
    assert len(twin.positions) == len(case.positions)
    turned = str.maketrans("12345678", "87654321")
    original = {move.translate(turned): value for move, value in values(case, 1, backup, ks).items()}
    assert values(twin, 1, backup, ks) == pytest.approx(original)


def test_the_cases_show_all_that_can_go_wrong() -> None:
    shown = {feature for case in CASES for feature in case.shows}
    ends = {"mate", "stalemate", "dead position", "quiet limit", "ply limit"}
    moves = {"capture", "check", "promotion", "castling", "en passant"}
    sets = {"refused", "opponent refused", "pawn tries", "no pawn tries", "legal in some", "pin", "in check"}
    assert ends | moves | sets | {"white", "black", "in double check", "pinned en passant"} <= shown
    assert {f"opponent's {what}" for what in (ends | moves) - {"dead position"}} <= shown
    assert {case.rules for case in CASES} == {BERKELEY, WILD16, RAND, ENGLISH}
    assert len({case.name for case in CASES}) == len(CASES) >= 24
