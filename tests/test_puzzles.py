"""The puzzles: every answer by enumeration with python-chess alone, what the page is told, a learner at a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.narration.learning import GRADES, PUZZLE_KINDS, Puzzle, leads_to_mate, puzzle_of, puzzles
from kriegbot.narration.results import Results
from kriegbot.players.human import BadTry
from referee import BERKELEY, Answer, OwnTry, Referee
from referee.pieces import is_pawn_capture
from tests.effort import many
from tests.plain_puzzles import entropy, enumerate_all, pawn_captures, seen_tries, wins
from tests.terminal import Terminal

ALL = puzzles()
MOST_LINES = 30
QUICK = [one for one in ALL if one.boards <= 40 and one.start != chess.STARTING_FEN and one.facts[:1] != [2]]
"""Puzzles that one processor checks in a second or so: few positions, and no mate in two."""


def of_kind(kind: str) -> list[Puzzle]:
    return [puzzle for puzzle in ALL if puzzle.kind == kind]


def named(puzzle: Puzzle) -> str:
    return f"{puzzle.kind}-{puzzle.key}"


def test_there_are_puzzles_of_four_kinds_and_of_each_in_every_grade_the_easier_ones_first() -> None:
    assert len(ALL) >= 280
    counts = Counter(puzzle.kind for puzzle in ALL)
    assert set(counts) == set(PUZZLE_KINDS)
    assert min(counts.values()) >= 20
    assert len({puzzle.key for puzzle in ALL}) == len(ALL)
    ranks = [GRADES.index(puzzle.grade) for puzzle in ALL if not puzzle.why.startswith("No short chain")]
    assert ranks == sorted(ranks)
    for kind, count in counts.items():
        for grade in GRADES:
            assert sum(puzzle.grade == grade for puzzle in of_kind(kind)) > count / 4
    captures = Counter(puzzle.answers[0] for puzzle in of_kind("capture"))
    assert min(captures.values()) >= 0.4 * captures.total()


@pytest.mark.slow
def test_a_puzzle_fits_in_the_head_and_none_of_a_bare_king_asks_which_try_tells_most() -> None:
    for puzzle in ALL:
        log = puzzle.log()
        assert len(log) <= MOST_LINES
        assert all(0 <= line < len(log) for line in puzzle.lines)
        assert puzzle.view().opponent_men > 1 or puzzle.kind != "tells"
        assert "(0%)" not in puzzle.solution  # it says what is possible


def check(puzzle: Puzzle) -> None:
    """Check a puzzle by code that shares nothing with what made it."""
    referee = Referee(puzzle.rules, start=puzzle.start)
    for code in puzzle.played.split():
        assert referee.try_move(chess.Move.from_uci(code)) in (Answer.ACCEPTED, Answer.ILLEGAL)
        assert referee.end is None
    color, rules = puzzle.view().color, puzzle.rules
    positions = enumerate_all(rules, puzzle.start, puzzle.played, color)
    boards = [board for board, _ in positions]
    assert len(boards) == puzzle.boards
    for square in chess.SQUARES:
        chance = 100 * sum(m for board, m in positions if board.occupied_co[not color] & chess.BB_SQUARES[square])
        assert abs(puzzle.heat[square] - chance) <= (1 if 0 < chance < 1 else 0.51), chess.square_name(square)
    if puzzle.kind == "king":
        assert {chess.square_name(board.king(not color) or 0) for board in boards} == set(puzzle.answers)
    elif puzzle.kind == "capture":
        last = puzzle.view().events[-1]
        assert isinstance(last, OwnTry)
        starts = [{m.from_square for m in board.legal_moves if m.to_square == last.move.to_square} for board in boards]
        assert puzzle.answers == (["no"] if all(starts) else ["yes"])
        assert all(starts) or not any(starts)
        for name, percent in puzzle.parts:
            held = [m for (_, m), found in zip(positions, starts, strict=True) if chess.parse_square(name) in found]
            assert abs(percent - 100 * sum(held)) <= 0.51
    elif puzzle.kind == "tells":
        refused = set(puzzle.view().refused)
        tries = [move for move in seen_tries(boards[0], color) if move not in refused]
        if rules == "wild16" and not any(map(pawn_captures, boards)):  # announced, so no pawn may try
            tries = [move for move in tries if not is_pawn_capture(move, puzzle.view().men)]
        bits = sorted(((entropy(positions, move, rules), move.uci()) for move in tries), reverse=True)
        assert [bits[0][1]] == puzzle.answers
        assert [bits[0][0], bits[1][0]] == pytest.approx(puzzle.facts, abs=2e-3)
        assert len(bits) == len(puzzle.view().tries())
    else:
        moves = int(puzzle.facts[0])
        found = {move.uci() for move in puzzle.view().tries() if wins(boards, move, moves, rules)}
        assert found == set(puzzle.answers)
        assert moves == 1 or not any(wins(boards, move, 1, rules) for move in puzzle.view().tries())


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", QUICK[::9], ids=named)
def test_an_answer_is_the_only_one_on_all_possible_positions_by_plain_enumeration(puzzle: Puzzle) -> None:
    check(puzzle)


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", ALL[:: many(1, 21)], ids=named)
def test_so_is_that_of_every_puzzle(puzzle: Puzzle) -> None:
    check(puzzle)


@pytest.mark.parametrize("kind", PUZZLE_KINDS)
def test_what_is_no_answer_is_explained(kind: str) -> None:
    form = {"king": "Give a square such as g8", "capture": "Give yes or no"}.get(kind, "Write it as")
    with pytest.raises(BadTry, match=f"'xyz'.*{form}"):
        of_kind(kind)[0].judge("xyz")


@pytest.mark.parametrize("kind", PUZZLE_KINDS)
@pytest.mark.parametrize("step", [100, pytest.param(12, marks=pytest.mark.slow)])
def test_the_answers_are_judged_right_and_a_wrong_one_does_not_show_them(kind: str, step: int) -> None:
    for puzzle in of_kind(kind)[::step]:
        for answer in puzzle.answers:
            assert puzzle.judge(answer).is_right
        candidates = {"king": ["a1", "h8"], "capture": ["yes", "no"]}
        moves = [move for move in puzzle.view().tries() if puzzle.referee().board().is_legal(move)]
        wrong = next(one for one in candidates.get(kind, [m.uci() for m in moves]) if one not in puzzle.answers)
        verdict = puzzle.judge(wrong)
        assert verdict.is_right is False
        assert verdict.text.startswith("Wrong." if kind == "capture" else "No. ")  # "No." may be the answer
        assert not any(name in verdict.text.split() for name in puzzle.answers)
        assert puzzle.solution not in verdict.text


@pytest.mark.parametrize(
    "fens",
    [
        ("7k/8/6K1/8/8/8/8/R7", "6k1/8/6K1/8/8/8/8/R7"),
        ("7k/8/5K2/8/8/8/8/R7",),
        ("7k/8/5K2/8/8/8/8/R7", "6k1/8/5K2/8/8/8/8/R7"),
    ],
)
def test_a_try_leads_to_mate_if_it_does_on_every_board_though_another_may_have_to_follow_a_refusal(
    fens: Sequence[str],
) -> None:
    boards = [chess.Board(f"{fen} w - - 0 1") for fen in fens]
    tries = sorted({move for board in boards for move in board.legal_moves}, key=chess.Move.uci)
    found = {(move, moves): leads_to_mate(boards, move, moves, BERKELEY) for move in tries for moves in (1, 2)}
    assert found == {(move, moves): wins(boards, move, moves, "berkeley") for move, moves in found}
    assert set(found.values()) == {False, True}


@pytest.mark.slow
def test_a_try_that_the_referee_refuses_costs_nothing_and_tells_which_squares_are_left() -> None:
    refused = 0
    for puzzle in of_kind("mate"):
        illegal = [move for move in puzzle.view().tries() if not puzzle.referee().board().is_legal(move)]
        for move in [move for move in illegal if move.uci() not in puzzle.answers][:2]:
            verdict = puzzle.judge(move.uci())
            assert (verdict.is_right, list(verdict.refused)) == (None, [move.uci()])
            assert puzzle.log(verdict.refused)[-1].endswith("? No.")
            rest = enumerate_all(puzzle.rules, puzzle.start, f"{puzzle.played} {move.uci()}", puzzle.view().color)
            for again in puzzle.view(verdict.refused).tries():
                if puzzle.facts[0] == 1:
                    wins_now = wins([board for board, _ in rest], again, 1, puzzle.rules)
                    assert (puzzle.judge(again.uci(), verdict.refused).is_right is True) == wins_now
            refused += 1
        if refused > 5:
            break
    assert refused
    legal = next(move for move in puzzle.view().tries() if puzzle.referee().board().is_legal(move))
    with pytest.raises(ValueError, match="not refused here"):
        puzzle.judge("e4", [legal.uci()])


def test_only_the_first_answer_counts_for_the_rating_and_the_streak(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.jsonl")
    assert results.puzzles_text() == ""
    assert "1664" not in results.count_puzzle("a", "easy", is_right=False)
    lower = results.puzzles_text()
    assert results.count_puzzle("a", "easy", is_right=True) == lower
    for key in "bcd":
        results.count_puzzle(key, "hard", is_right=True)
    text = results.puzzles_text()
    assert "In a row: 3 (best: 3)." in text
    assert text.startswith("Your puzzle rating: ")
    assert int(text.split()[3]) > int(lower.split()[3])


def test_the_puzzle_of_a_day_is_another_one_the_next_day() -> None:
    days = [date(2026, 1, 1) + timedelta(day) for day in range(60)]
    assert len({puzzle_of(day) for day in days}) == 60
    assert all(1 <= puzzle_of(day) <= len(ALL) for day in days)


def answered(lines: Sequence[str], folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command, text = [sys.executable, "-m", "kriegbot", "learn", *more], "".join(f"{line}\n" for line in lines)
    settings = os.environ | {"XDG_DATA_HOME": str(folder)}
    return subprocess.run(
        command, input=text, encoding="utf-8", capture_output=True, cwd=folder, env=settings, check=False
    )


@pytest.mark.slow
def test_puzzles_line_by_line(tmp_path: Path) -> None:
    first, second = of_kind("king")[:2]
    wrong = "a1" if first.answers != ["a1"] else "h8"
    given = ["help", "maybe", wrong, *first.answers, "show", "quit"]
    done = answered(given, tmp_path, "puzzles", "--kind", "king")
    assert (done.returncode, done.stderr) == (0, "")
    total, said = len(of_kind("king")), " ".join(done.stdout.split())
    for text in (
        first.about,
        first.task,
        first.log()[0],
        "'maybe' is not an answer",
        f"No. The king cannot be on {wrong}.",
        f"Right. {first.solution}",
        *first.proof,
        "Your puzzle rating: ",
        second.solution,
    ):
        assert " ".join(text.split()) in said
    assert said.count(f"{total} to solve") == 3  # one solved late, and one shown, come again


@pytest.mark.slow
def test_a_puzzle_at_a_terminal(tmp_path: Path) -> None:
    puzzle = of_kind("king")[0]
    with Terminal("learn", "puzzles", "--kind", "king", cwd=tmp_path, columns=120, rows=40) as terminal:
        assert puzzle.opponent in terminal.until("Your answer: ")
        terminal.press(f"{puzzle.answers[0]}\n")
        assert "Right." in terminal.until("Press Enter to continue")
        terminal.press("\n")
        terminal.until("Your answer: ")
        terminal.press("quit\n")
        code, _ = terminal.rest()
    assert code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["puzzels"], "unknown topic 'puzzels'; did you mean 'puzzles'?"),
        (["--kind", "king"], "kriegbot learn puzzles"),
        (["puzzles", "--kind", "queen"], "unknown kind of puzzles 'queen'. Known: king, tells, mate, capture."),
        (["puzzles", "--level", "worst"], "unknown level of puzzles 'worst'. Known: "),
    ],
)
def test_what_cannot_be_learnt_is_refused(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", *given]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
