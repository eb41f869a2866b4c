"""The defenders of the benchmark of mates, against python-chess, and games against each."""

import argparse
import random
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import chess
import pytest

from kriegbot.endgames import BareKing, hostile_step, probe_king
from referee import Announcement, Answer, OpponentMoved, Referee

MATING: Any = import_module("mating")  # by name: mypy reads scripts as modules of their own
DEFENDERS: Any = import_module("defenders")
SEEING = ("flees", "chases", "looks", "hostile")
ENDINGS = ("R", "BB", "BN", "P")
NO_PROOF = 1000


def boards(count: int, pieces: str) -> list[chess.Board]:
    """Return positions of an ending with the bare king to move."""
    rng, found = random.Random(3), list[chess.Board]()
    while len(found) < count:
        board, _ = MATING.start_won(pieces, rng)
        board.turn = chess.BLACK
        if board.is_valid() and any(board.legal_moves):
            found.append(board)
    return found


def seen(board: chess.Board) -> BareKing:
    """Return a king whose square is known."""
    men = {square: piece.piece_type for square, piece in board.piece_map().items() if piece.color}
    return BareKing(chess.WHITE, men, chess.BB_SQUARES[board.king(chess.BLACK) or 0])


def step_of(name: str, board: chess.Board, seed: int = 4) -> chess.Move:
    """Return the first try of a defender."""
    move: chess.Move = DEFENDERS.DEFENDERS[name](board, seen(board), random.Random(seed))[0]
    return move


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move."""
    board = board.copy(stack=False)
    board.push(move)
    return board


def can_mate_after(board: chess.Board, move: chess.Move) -> bool:
    """Return True if White can mate after a move."""
    one = after(board, move)
    return any(after(one, answer).is_checkmate() for answer in one.legal_moves)


def distance_kept(board: chess.Board, move: chess.Move) -> float:
    """Return the distance from White's king."""
    return chess.square_distance(move.to_square, board.king(chess.WHITE) or 0)


def nearness(board: chess.Board, move: chess.Move) -> float:
    """Return the distance from White's nearest other piece, negative."""
    others = [square for square, piece in board.piece_map().items() if piece.color and piece.piece_type != chess.KING]
    return -min(chess.square_distance(move.to_square, square) for square in others)


def freedom(board: chess.Board, move: chess.Move) -> float:
    """Return the fewest legal moves after White's replies, 100 more with a capture, plus a share of the mean."""
    one = after(board, move)
    counts = []
    for two in (after(one, reply) for reply in one.legal_moves):
        steps = list(two.legal_moves)
        counts.append(len(steps) + 100 * any(map(two.is_capture, steps)))
    return min(counts) + sum(counts) / len(counts) / 1000


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("name", "taste"), [("flees", distance_kept), ("chases", nearness), ("looks", freedom)])
def test_a_defender_captures_else_avoids_mate_at_once_else_follows_its_taste(
    name: str, taste: Callable[[chess.Board, chess.Move], float], ending: str
) -> None:
    captures = choices = 0
    for board in boards(30, ending):
        moves, chosen = list(board.legal_moves), step_of(name, board)
        if taken := [move for move in moves if board.is_capture(move)]:
            assert chosen in taken
            captures += 1
            continue
        safe = [move for move in moves if not can_mate_after(board, move)] or moves
        assert chosen in safe
        assert taste(board, chosen) == pytest.approx(max(taste(board, move) for move in safe))
        choices += len({taste(board, move) for move in safe}) > 1
    assert captures >= 1
    assert choices >= 3


@pytest.mark.parametrize("name", SEEING)
def test_a_defender_avoids_a_mate_that_another_step_allows(name: str) -> None:
    board = chess.Board("2k5/7R/1K6/8/8/8/8/8 b - - 0 1")  # Kb8 allows Rh8
    assert {move.uci() for move in board.legal_moves} == {"c8b8", "c8d8"}
    assert {step_of(name, board, seed).uci() for seed in range(10)} == {"c8d8"}


def test_a_blind_defender_tries_every_step_and_the_central_ones_first() -> None:
    board = chess.Board("8/8/8/8/8/K7/7r/k7 b - - 0 1")
    tries = [move.uci() for move in DEFENDERS.DEFENDERS["blind"](board, None, random.Random(1))]
    assert tries[0] == "a1b2"
    assert sorted(tries) == ["a1a2", "a1b1", "a1b2"]
    central = [step_of("blind", chess.Board("8/8/8/8/8/2k5/7K/8 b - - 0 1"), seed).uci() for seed in range(10)]
    assert set(central) == {"c3d4"}


@pytest.mark.slow
def test_games_are_stored_and_not_played_again(tmp_path: Path) -> None:
    out = tmp_path / "games.csv"
    command = [
        sys.executable,
        "benchmarks/mating.py",
        "KQK",
        "--against",
        "blind",
        "--out",
        str(out),
    ]
    first = subprocess.run([*command, "--games", "2"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert "KQK     blind    100.0%" in first
    played = out.read_text("utf-8").splitlines()
    assert [line.split(",")[:6] for line in played] == [
        ["KQK", "blind", "berkeley", "0", number, "checkmate"] for number in "01"
    ]
    out.write_text("\n".join([played[0].replace("checkmate", "stalemate"), played[1], ""]), "utf-8")
    second = subprocess.run([*command, "--games", "3"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert " 66.7% " in second
    assert len(out.read_text("utf-8").splitlines()) == 3


def test_the_mean_turn_counts_only_turns_that_were_played(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [(None, True, 2.0), (None, False, 1.0), (None, True, 3.0)]
    monkeypatch.setattr(MATING, "tries", lambda *_: iter(turns))
    game = MATING.play("Q", DEFENDERS.DEFENDERS["blind"], argparse.Namespace(rules="berkeley", moves=50), 1)
    assert (game.moves, game.turn, game.longest) == (2, 3.0, 4.0)


@pytest.mark.slow
def test_an_unknown_ending_is_refused_in_one_line() -> None:
    command = [sys.executable, "benchmarks/mating.py", "KXK"]
    refused = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    assert refused.returncode == 2
    assert "unknown ending 'KXK'. Endings: KQK" in refused.stderr.splitlines()[-1]


def test_a_hostile_king_takes_the_step_that_leaves_the_proof_the_largest_bound() -> None:
    choices = 0
    for board in boards(30, "R"):
        known = seen(board)
        moves = list(board.legal_moves)
        left = {move: bound_left(known, board, move) for move in moves if not board.is_capture(move)}
        if len(left) < len(moves) or NO_PROOF in left.values():
            continue
        assert left[hostile_step(board, known)] == max(left.values())
        choices += len(set(left.values())) > 1
    assert choices >= 3


def bound_left(known: BareKing, board: chess.Board, step: chess.Move) -> int:
    """Return the bound after a step of the king and our next accepted try by the proofs, by the referee; 0 for mate."""
    referee, known = Referee(start=after(board, step).fen()), known.after(OpponentMoved(Announcement()))
    while (proof := probe_king(known)) is not None:
        answer = referee.try_move(proof.move)
        known = known.after(referee.view(chess.WHITE).events[-1 - (referee.end is not None)])
        if answer is Answer.ACCEPTED:
            now = probe_king(known.after(OpponentMoved(Announcement())))
            return 0 if referee.end is not None else NO_PROOF if now is None else now.moves
    return NO_PROOF
