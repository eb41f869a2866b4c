"""The turning points of a side: small games in which it is known what was lost, and why."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.narration.results import THEMES
from kriegbot.narration.turning import LOST, MAX_POINTS, MIN_LOSS, WON, Hindsight, TurningPoint
from referee import GameRecord, Referee, record_to_pgn

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
    assert (first["side"], first["place"], first["made"], first["theme"]) == ("white", "3.", "Qf7", "unsafe capture")
    said, could, better = first["text"].split(". ")
    assert said == "Your queen captured a pawn on f7"
    assert could == (
        "In every possible position in which that try was legal, the king could recapture; Black's king did"
    )
    assert better.startswith(f"After {first['better']} the queen could")
    assert first["after"] < LOST < first["before"]


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
            OPENING,
            "f2f3 e7e5 g2g4 d8h4",
            True,
            "mate allowed",
            "and did. After d4 Black could not have mated in any of them.",
        ),
        (STALEMATE, "g1g2", True, "stalemate", "That was stalemate in the only possible position. After "),
        (
            BACK_RANK,
            "e1d1 a7a8",
            True,
            "mate missed",
            "Re8 would have mated in the only possible position, including the real one.",
        ),
        (QUEENS, "d1h5 g6h5", True, "piece left hanging", "a pawn could take the queen on h5; Black's pawn did. "),
        (
            FREE_QUEEN,
            "d1d2 e8e7",
            True,
            "capture missed",
            "Nd5 would have won a queen in the only possible position, and there really was one.",
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
    assert all(one["before"] > LOST and one["after"] < WON for one in found)
    assert losses[-1] >= MIN_LOSS - 0.001
    assert "Ne5" not in [one["made"] for one in found]  # a knight more, when all was lost already


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
    assert lines[1].startswith("  3. Qf7: unsafe capture, chance ")
    assert lines[2].startswith("    Your queen captured a pawn on f7. ")
    assert lines[-1] == "Black, rand: no costly turn while the game was open."
    assert max(map(len, lines)) <= 100
