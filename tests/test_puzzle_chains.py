"""The chain of each puzzle: its lines force the answer, and without any one of them they do not."""

from __future__ import annotations

import random
from importlib import import_module
from itertools import groupby
from typing import Any

import chess
import pytest

from kriegbot.narration.diary import Diary
from kriegbot.narration.learning import Puzzle, puzzles
from tests.effort import some
from tests.plain_puzzles import TooMany, Weighted, entropy, enumerate_all, wins

FORCING: Any = import_module("benchmarks.forcing")  # by name: mypy reads scripts as modules of their own
PUZZLES: Any = import_module("benchmarks.puzzles")
LONGEST, MOST, DRAWN, SEED = 5, 80, 4, 1
"""Maximum number of lines, of positions for one processor in a second; number of puzzles of a kind, and their seed."""


def events_of(puzzle: Puzzle, lines: list[int]) -> set[int]:
    """Return the numbers of the events on some lines."""
    runs = [len(list(run)) for _, run in groupby(Diary().take(puzzle.view()))]
    return {event for line in lines for event in range(sum(runs[:line]), sum(runs[: line + 1]))}


def holds(puzzle: Puzzle, lines: list[int], most: float) -> bool:
    """Return True if the answer is right on all positions that fit some lines, by plain enumeration."""
    view, rules = puzzle.view(), puzzle.rules
    used = events_of(puzzle, lines)
    positions: Weighted = enumerate_all(rules, puzzle.start, puzzle.played, view.color, used, most)
    boards = [board for board, _ in positions]
    assert boards
    if puzzle.kind == "king":
        return {chess.square_name(board.king(not view.color) or 0) for board in boards} == set(puzzle.answers)
    if puzzle.kind == "capture":
        square = chess.parse_square(puzzle.played.split()[-1][2:4])
        can = [any(move.to_square == square for move in board.legal_moves) for board in boards]
        return all(can) if puzzle.answers == ["no"] else not any(can)
    if puzzle.kind == "mate":
        moves = map(chess.Move.from_uci, puzzle.answers)
        return all(wins(boards, move, int(puzzle.facts[0]), rules) for move in moves)
    bits = sorted(((entropy(positions, move, rules), move.uci()) for move in view.tries()), reverse=True)
    return [bits[0][1]] == puzzle.answers and bits[0][0] > bits[1][0] + 1e-9


def is_proved(puzzle: Puzzle, most: float) -> bool:
    """Return True if a chain forces the answer, and no shorter part of it does."""
    lines = puzzle.lines
    parts = [[one for one in lines if one != line] for line in lines]
    return holds(puzzle, lines, most) and not any(holds(puzzle, part, most) for part in parts)


def small() -> list[Puzzle]:
    """Return puzzles of all kinds that may have few positions, in the order of the seed."""
    few = [one for one in puzzles() if one.chain and one.boards <= 20 and one.start != chess.STARTING_FEN]
    return random.Random(SEED).sample(few, len(few))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["king", "tells", "mate", "capture"])
def test_a_chain_forces_the_answer_and_none_of_its_lines_can_be_left_out_by_plain_enumeration(kind: str) -> None:
    proved = 0
    for puzzle in small():
        if puzzle.kind == kind and proved < DRAWN:
            try:
                assert is_proved(puzzle, MOST), puzzle.key
            except TooMany:
                continue
            proved += 1
    assert proved > 1


@pytest.mark.slow
@pytest.mark.parametrize("part", some((4, 0, 1, 2, 3, 5, 6, 7), 1))
def test_so_does_every_chain(part: int) -> None:
    for puzzle in puzzles()[part::8]:
        assert len(puzzle.chain) <= LONGEST
        relaxed = FORCING.Relaxed(view := puzzle.view(), PUZZLES.line_of(view))
        used, claim = frozenset(puzzle.lines), FORCING.claim_of(puzzle, view, FORCING.MOST)
        if not puzzle.chain and puzzle.grade == "hard" and not claim(relaxed.end(used) or []):
            continue  # it has no chain
        assert claim(relaxed.end(used)), puzzle.key
        for line in used:
            end = relaxed.end(used - {line})
            fails = FORCING.refuted(puzzle, relaxed, used - {line}) if end is None else not claim(end)
            assert fails, (puzzle.key, line)


def test_a_puzzle_without_a_chain_is_hard_and_says_so() -> None:
    without = [puzzle for puzzle in puzzles() if puzzle.why.startswith("No short chain")]
    assert len(without) < len(puzzles()) / 10
    assert {puzzle.grade for puzzle in without} == {"hard"}
    assert not any(puzzle.chain for puzzle in without)
