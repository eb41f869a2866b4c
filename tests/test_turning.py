"""The turning points of a side: small games in which it is known what was lost, and why."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np
import pytest

from kriegbot.belief.timeline import BeliefTimeline
from kriegbot.cli.main import main
from kriegbot.endgames import probe
from kriegbot.game.match import play_game
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, TryValued, hint, value_tries
from kriegbot.narration.reasons import Reasons
from kriegbot.narration.results import THEMES
from kriegbot.narration.turning import (
    CERTAIN,
    CLIFF,
    CLIFF_TURNS,
    LOST,
    MAX_POINTS,
    MIN_LOSS,
    PARTS,
    WON,
    Hindsight,
    JudgedTurn,
    TurningPoint,
    is_error,
    played_moves,
)
from kriegbot.players.kriegbot import LEVELS
from referee import NO_LIMITS, RULE_SETS, WILD16, GameRecord, Limits, Referee, record_to_pgn
from tests.effort import many
from tests.panel_reader import Panels
from tests.review_reader import Reader, chance

pytestmark = pytest.mark.usefixtures("kernels")

QUEEN_LEFT = "e2e4 e7e5 d1h5 b8c6 h5f7 e8f7"


def referee_of(moves: str, start: str = chess.STARTING_FEN) -> Referee:
    referee = Referee(start=start)
    for code in moves.split():
        referee.try_move(chess.Move.from_uci(code))
    return referee


def points(referee: Referee, color: chess.Color, you: chess.Color | None = None) -> list[TurningPoint]:
    found = Hindsight().turning_points(referee.view(color), referee.view(not color), you)
    assert found is not None
    return found


def test_a_queen_left_to_be_taken_and_taken_is_the_first_turning_point_and_the_sentence_names_her() -> None:
    first, *_ = points(referee_of(QUEEN_LEFT), chess.WHITE, chess.WHITE)
    assert (first["side"], first["place"], first["made"], first["theme"]) == ("white", "3.", "Qxf7+", "unsafe capture")
    said, could, cost = first["text"].split(". ", 2)
    assert said == "Your queen captured a pawn on f7"
    assert could == (
        "In 92 of the 93 sampled positions that allow it, "
        "the king, a knight or a bishop could take the queen on f7 and come out ahead; Black's king took it"
    )
    assert cost == "On average that costs you 7.9 pawns; with Qe2 it would be 0.1 pawns."
    assert first["after"] < 100 * LOST < first["before"]


STALEMATE = "7k/5Q2/8/8/8/8/8/6K1 w - - 0 1"
BACK_RANK = "6k1/r4ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"
QUEENS = "3qk3/5p2/6p1/8/8/8/8/3QK3 w - - 0 1"
FREE_QUEEN = "4k3/8/8/3q4/8/2N5/8/3RK3 w - - 0 1"
PAWN = "4k3/8/8/8/8/8/7p/R3K3 w - - 0 1"
OPENING = chess.STARTING_FEN


@pytest.mark.parametrize(
    ("start", "moves", "color", "theme", "words"),
    [
        (
            OPENING,
            "e2e4 d7d5 e4d5 a7a6",
            False,
            "recapture missed",
            "White had just captured on d5. Qd5 would have recaptured a pawn or a knight in ",
        ),
        (
            "3r2k1/5ppp/8/8/8/8/R4PPP/5K2 w - - 0 1",
            "f1g1 d8d1",
            True,
            "mate allowed",
            "Black could mate at once in the only possible position, and did. After ",
        ),
        (
            STALEMATE,
            "g1g2",
            True,
            "stalemate",
            "That was stalemate in the only possible position, including the real one. After ",
        ),
        (
            BACK_RANK,
            "e1d1 a7a8",
            True,
            "mate missed",
            "Re8 would have mated in the only possible position, including the real one.",
        ),
        (
            QUEENS,
            "d1h5 g6h5",
            True,
            "piece left hanging",
            "a pawn could take the queen on h5 and come out ahead; Black's pawn took it. ",
        ),
        (
            FREE_QUEEN,
            "d1d2 e8e7",
            True,
            "capture missed",
            "Nd5 would have won a queen in the only possible position, and in the game a queen.",
        ),
        (PAWN, "a1b1 h2h1q", True, "promotion allowed", "Black could promote a pawn at once "),
    ],
)
def test_each_turning_point_says_what_it_is_about(
    start: str, moves: str, color: chess.Color, theme: str, words: str
) -> None:
    first, *_ = points(referee_of(moves, start), color)
    assert first["theme"] == theme
    assert theme in {*THEMES, "position"}
    assert words in first["text"]


def test_turning_points_are_few_and_come_by_what_they_lost_while_the_game_was_open() -> None:
    found = points(referee_of(f"{QUEEN_LEFT} g1f3 d7d6 f3e5 d6e5 f1c4 c8e6 c4e6 f7e6"), chess.WHITE)
    losses = [one["before"] - one["after"] for one in found]
    assert 2 <= len(found) <= MAX_POINTS
    assert losses == sorted(losses, reverse=True)
    assert all(one["before"] > 100 * LOST and one["after"] < 100 * WON for one in found)
    assert losses[-1] >= 100 * MIN_LOSS - 1  # both rounded
    assert "Ne5" not in [one["made"] for one in found]  # a knight more, when all was lost already


def test_a_mate_is_no_error_and_an_unlikely_one_is_called_lucky() -> None:
    (point,) = points(referee_of("f2f3 e7e5 g2g4 d8h4"), chess.BLACK, chess.BLACK)
    assert (point["made"], point["theme"]) == ("Qh4#", "lucky")
    mate = "That was mate, and lucky: it was mate in 1 of the 99 sampled positions that allow it."
    assert point["text"] == f"Your queen went to h4. {mate}"  # and no other move is called better


def test_a_capture_that_won_by_chance_is_called_lucky() -> None:
    (point,) = points(referee_of("d2d4 h7h6 c1h6 a7a6"), chess.WHITE)
    assert (point["made"], point["theme"]) == ("Bxh6", "lucky")
    said, lucky, *_, last = point["text"].split(". ")
    assert said.endswith("; there was something to capture in 2 of the 19 possible positions that allow it")
    assert (lucky, last) == ("That was lucky", "By what White knew, Nf3 was better.")


def test_a_piece_lost_to_a_capture_that_nobody_could_expect_is_a_surprise() -> None:
    (point,) = points(referee_of("g2g3 b7b6 f1g2 d7d6 g2a8 e7e6"), chess.BLACK)
    assert (point["made"], point["theme"]) == ("d6", "surprise")
    taken = (
        "White's bishop then took the rook on a8; White could take it in 2 of the 99 sampled positions that allow it."
    )
    assert point["text"].endswith(taken)


def test_a_try_that_was_illegal_on_the_true_board_captures_nothing_there() -> None:
    referee = Referee(WILD16)
    for code in ["g2g4", "h7h5", "g4h5", "h8h1", "f7f5", "e2e3", "d7d5", "f1a6", "b8c6", "a6c8", "a6b7", "c8e6"]:
        referee.try_move(chess.Move.from_uci(code))
    (point,) = [one for one in points(referee, chess.BLACK) if one["made"] == "Nc6"]
    missed = "gxh6 would have won a pawn or a bishop in 20 of 42 possible positions"
    assert f"{missed}, though in the game it was illegal." in point["text"]


@pytest.mark.parametrize(
    ("made", "better", "before", "after"),
    [
        ("e1g1", "a1b1", "f1", "h1"),
        ("e1c1", "h1g1", "d1", "a1"),
        ("a1b1", "e1g1", "h1", "f1"),
        ("a1b1", "e1c1", "b1", "d1"),
    ],
)
def test_a_rook_that_castles_is_compared_with_itself(made: str, better: str, before: str, after: str) -> None:
    referee = referee_of("", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    belief = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES).at(referee.view(chess.WHITE))
    assert belief is not None
    best = next(one for one in Hindsight().values(belief) if one["uci"] == better)
    referee.try_move(chess.Move.from_uci(made))
    (played,) = played_moves(referee.view(chess.WHITE), referee.view(chess.BLACK))
    square = Reasons(played, belief, best, None)._square_after_best(chess.parse_square(before))
    assert chess.square_name(square) == after


@pytest.mark.slow
def test_a_better_try_that_was_illegal_in_the_game_is_called_so() -> None:
    opening = "e2e4 d7d5 d2d4 g8f6 e4d5 d8d5 g1f3 b8c6 f1b5 c8d7 b1c3 e7e6 d1e2 f8b4 c1g5 e8g8"
    referee = referee_of(opening)
    texts = {one["made"]: one["text"] for color in chess.COLORS for one in points(referee, color)}
    assert texts["Qe2"].endswith("d5 comes out better, by 2.3 pawns. In the game d5 was illegal.")
    assert {made: "illegal" in text for made, text in texts.items()} == {"Bb5": False, "Qe2": True}
    assert texts["Bb5"].endswith("with c4 it would be 0.0 pawns.")  # which was legal


def test_a_hint_names_one_promotion_of_a_pawn_move() -> None:
    belief = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES).at(referee_of("", "7k/P7/8/8/8/8/8/K7 w - - 0 1").view(True))
    assert belief is not None
    assert [one["uci"] for one in hint(belief)["tries"] if one["uci"].startswith("a7")] == ["a7a8q"]


def test_a_hint_names_the_best_moves_and_a_better_question_apart() -> None:
    view = referee_of("d2d4 d7d5 c2c4 a7a6").view(chess.WHITE)
    belief = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES).at(view)
    assert belief is not None
    given, tries = hint(belief), value_tries(belief)
    moves = [one for one in tries if not one["question"]]
    assert given["tries"] == moves[:3]
    assert given["ask"] == [tries[0]]
    assert tries[0]["question"]
    assert tries[0]["value"] > moves[0]["value"]
    assert given["text"].startswith("The computer's best tries, in pawns (from 144 of all 317 possible ")


def test_a_loss_that_each_part_of_the_drawn_boards_does_not_show_is_no_error() -> None:
    referee = referee_of("", QUEENS)
    belief = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES).at(referee.view(chess.WHITE))
    assert belief is not None
    drawn = replace(belief, is_exact=False, rows=np.repeat(belief.rows, 2 * PARTS, axis=0), counts=np.ones(2 * PARTS))
    referee.try_move(chess.Move.from_uci("d1h5"))
    (played,) = played_moves(referee.view(chess.WHITE), referee.view(chess.BLACK))
    tries = {one["uci"]: one for one in value_tries(drawn)}
    turn = JudgedTurn(played, drawn, tries["d1h5"], tries["d1e2"], None, None)
    assert is_error(turn)
    low = TryValued(**{**tries["d1d2"], "value": tries["d1h5"]["value"]})  # by chance, as a search of the parts shows
    assert not is_error(replace(turn, made=low))
    assert is_error(replace(turn, made=low, belief=belief))  # all positions there are
    assert not is_error(replace(turn, better=None))


BARED = "a1a2 d5e4 a2a3"  # the rook takes the last pawn
BARED_START = "8/8/8/3k4/8/8/p7/R3K3 w - - 0 1"


def test_from_the_first_turn_with_a_proof_mate_was_certain() -> None:
    referee = referee_of(BARED, BARED_START)
    *_, last = points(referee, chess.WHITE)
    proof = probe(referee_of("a1a2 d5e4", BARED_START).view(chess.WHITE))
    assert proof is not None
    assert (last["theme"], last["place"], last["made"], last["after"]) == ("mate certain", "2.", "Ra3", 100)
    assert last["text"] == f"From here mate was certain in at most {proof.moves} moves, whatever the king did."
    assert not any(one["theme"] == "mate certain" for one in points(referee_of("a1a2 d5e4", BARED_START), chess.WHITE))


def test_a_hint_names_the_try_of_a_certain_mate_and_its_bound() -> None:
    view = referee_of("a1a2 d5e4", BARED_START).view(chess.WHITE)
    belief, proof = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES).at(view), probe(view)
    assert belief is not None
    assert proof is not None
    given = hint(belief)
    assert given["text"] == f"Mate in at most {proof.moves} moves, whatever the king does."
    assert [(one["uci"], one["shown"]) for one in given["tries"]] == [(proof.move.uci(), f"mate in {proof.moves}")]


def test_a_value_that_counts_mates_by_other_moves_says_so() -> None:
    view = referee_of("g8h8", "6k1/3Q4/6K1/3P4/8/8/8/8 b - - 0 1").view(chess.WHITE)  # or to f8
    belief = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES).at(view)
    assert belief is not None
    shown = {one["name"]: (one["shown"], one["legal"]) for one in value_tries(belief)}
    assert shown["Qd8"] == ("mate", 1.0)
    assert shown["Kh7"] == ("may lead to mate", 0.5)


LEVEL_GAMES = 60
"""Games of all levels and rule sets, of which a thorough run reads all."""


@pytest.mark.slow
@pytest.mark.parametrize("number", random.Random(1).sample(range(LEVEL_GAMES), many(LEVEL_GAMES, 2)))
def test_every_sentence_and_panel_of_a_review_is_true_of_its_board_and_of_the_positions_drawn(number: int) -> None:
    names = [*LEVELS]
    levels = names[number % 7], names[(3 * number + number // 7) % 7]
    rules = list(RULE_SETS.values())[number % len(RULE_SETS)]
    limits = Limits(plies=56) if number % 3 == 0 else NO_LIMITS
    record = play_game(*(f"kriegbot:level={level}" for level in levels), rules=rules, limits=limits, seed=number).record
    panels = Panels(record, you=chess.WHITE if number % 2 else None)
    read, faults = 0, [*panels.faults]
    for point in panels.points:
        reader = panels.readers[point["side"] == "white"]
        if point["theme"] == CERTAIN:
            assert reader.belief(point["events"]).view.opponent_men == 1
            continue
        read += 1
        faults += [f"{point}: {false}" for false in reader.faults(point)]
    assert not faults
    assert read <= 2 * MAX_POINTS


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(many(20, 1)))
def test_a_cliff_of_the_curve_has_a_turning_point_where_it_is_steepest(seed: int) -> None:
    record = play_game("kriegbot:level=newcomer", "kriegbot:level=club", seed=seed).record
    *_, last = record.replay()
    for color in chess.COLORS:
        hindsight, view, reader = Hindsight(), last.referee.view(color), Reader(record, color)
        found = hindsight.turning_points(view, last.referee.view(not color)) or []
        beliefs = {events: reader.belief(events) for events in reader.turns}
        curve = [
            (events, chance(next(one for one in hindsight.values(belief) if not one["question"])))
            for events, belief in beliefs.items()
            if belief.is_reliable
        ]
        if len(curve) < len(beliefs):
            continue  # a belief by which nothing can be judged
        if record.end is not None and record.end.winner == (not color):
            curve.append((len(view.events), 0.0))
        cliffs = [
            (curve[first][1] - curve[last_][1], first, last_)
            for first in range(len(curve))
            for last_ in range(first + 1, min(first + CLIFF_TURNS + 1, len(curve)))
        ]
        fall, first, end = max(cliffs, key=lambda one: one[0])
        inside = range(first, end)
        if fall >= CLIFF:
            steepest = max(inside, key=lambda at: curve[at][1] - curve[at + 1][1])
            assert curve[steepest][0] in [one["events"] for one in found]


@pytest.mark.slow
def test_what_is_not_done_in_its_time_goes_on_from_there() -> None:
    referee = referee_of(QUEEN_LEFT)
    slow, views = Hindsight(), (referee.view(chess.WHITE), referee.view(chess.BLACK))
    asked = 1
    while (found := slow.turning_points(*views, seconds=0)) is None and asked < 100:
        asked += 1
    assert asked > len(views[0].events) / 2
    assert found == points(referee, chess.WHITE)


def test_replay_prints_them_for_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    record = GameRecord.of(referee_of(QUEEN_LEFT), {"White": "human", "Black": "rand"})
    path.write_text(record_to_pgn(record), encoding="utf-8")
    assert main(["replay", str(path), "--turning-points"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "White, You:"
    assert lines[1].startswith("  3. Qxf7+: unsafe capture, winning chances ")
    assert lines[2].startswith("    Your queen captured a pawn on f7. ")
    assert lines[-1] == "Black, rand: by what was known, no move certainly lost much."
    assert max(map(len, lines)) <= 100
