"""The puzzles: their games through the referee, their answers by enumeration, and a learner at a terminal."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import pytest

from kriegbot.belief.belief import Belief
from kriegbot.cli.main import main
from kriegbot.models import load_opponent
from kriegbot.narration.learning import PUZZLE_KINDS, BadAnswer, Puzzle, puzzles
from kriegbot.players.kriegbot import BEST, LEVELS
from referee import Announcement, Answer, OwnTry, Referee, View, announce
from referee.announcement import check_direction, pawn_try_info
from tests.exact_belief import ExactBelief, TooManyPositions
from tests.terminal import Terminal

ALL = puzzles()
SHORT = 16
"""Tries after which the sets of all boards are still small."""


def of_kind(kind: str) -> list[Puzzle]:
    return [puzzle for puzzle in ALL if puzzle.kind == kind]


def named(puzzle: Puzzle) -> str:
    return f"{puzzle.kind}-{puzzle.game}"


def test_there_are_300_puzzles_of_four_kinds_from_easy_to_hard() -> None:
    assert len(ALL) >= 300
    counts = Counter(puzzle.kind for puzzle in ALL)
    assert set(counts) == set(PUZZLE_KINDS)
    assert min(counts.values()) >= 25
    assert len({(puzzle.kind, puzzle.rules, puzzle.played) for puzzle in ALL}) == len(ALL)
    levels = [*LEVELS, BEST]
    ranks = [levels.index(puzzle.grade) for puzzle in ALL]
    assert ranks == sorted(ranks)
    for puzzle in ALL:
        assert list(puzzle.shares) == levels
        found = [level for level, share in puzzle.shares.items() if share >= 0.9]
        assert puzzle.grade == [*found, BEST][0]
    captures = Counter(puzzle.answers[0] for puzzle in of_kind("capture"))
    assert abs(captures["yes"] - captures["no"]) <= 8


def check(puzzle: Puzzle) -> None:
    referee = Referee(puzzle.rules)
    for code in puzzle.played.split():
        assert referee.end is None
        assert referee.try_move(chess.Move.from_uci(code)) in (Answer.ACCEPTED, Answer.ILLEGAL)
    assert referee.end is None
    assert len(puzzle.heat) == 64
    assert puzzle.boards > 1
    view = puzzle.view
    last = view.events[-1]
    assert puzzle.task
    if puzzle.kind == "capture":
        assert isinstance(last, OwnTry)
        assert last.announcement is not None
        assert last.announcement.capture == last.move.to_square
        assert max(puzzle.facts) <= 0.05 if puzzle.answers == ["yes"] else min(puzzle.facts) >= 0.9
        assert view.men[last.move.to_square] != chess.KING  # who cannot be retaken
    elif puzzle.kind == "king":
        square = chess.parse_square(puzzle.answers[0])
        assert square not in (chess.E1, chess.E8)
        assert min(puzzle.facts) >= 0.85
        assert max(puzzle.heat) == puzzle.heat[square] == pytest.approx(100 * puzzle.facts[0], abs=8)
    else:
        assert set(puzzle.answers) <= {move.uci() for move in view.tries()}
        assert not all(code[4:] in ("n", "b", "r") for code in puzzle.answers)  # the page promotes to queens alone
    for answer in puzzle.answers:
        assert puzzle.judge(answer).is_right


@pytest.mark.parametrize("puzzle", ALL[::16], ids=named)
def test_a_puzzle_is_a_moment_of_a_game_and_its_answers_are_open_there(puzzle: Puzzle) -> None:
    check(puzzle)


@pytest.mark.slow
def test_so_is_every_other() -> None:
    for puzzle in ALL:
        check(puzzle)
    assert len({(puzzle.kind, puzzle.rules, *puzzle.log) for puzzle in ALL}) == len(ALL)


def enumerated(puzzle: Puzzle) -> ExactBelief | None:
    try:
        return ExactBelief(puzzle.view, max_positions=500)
    except TooManyPositions:
        return None


def told(view: View, positions: Sequence[tuple[chess.Board, float]], move: chess.Move) -> float:
    """Return the entropy in bits of what the referee may say to a try."""
    masses: Counter[str] = Counter()
    for board, mass in positions:
        said = announce(board, move, view.rules).code() if board.is_legal(move) else "no"
        masses[said] += mass  # type: ignore[assignment] # typeshed: int
    return -sum(mass * math.log2(mass) for mass in masses.values())


@pytest.mark.slow
def test_what_short_games_ask_is_so_on_all_boards_that_fit_by_plain_enumeration() -> None:
    checked: Counter[str] = Counter()
    for puzzle in ALL:
        if not puzzle.exact or len(puzzle.played.split()) > SHORT or puzzle.kind == "mate" or checked[puzzle.kind] > 3:
            continue
        belief = enumerated(puzzle)
        if belief is None:
            continue
        assert len(belief) == puzzle.boards
        view, positions = puzzle.view, belief.positions
        if puzzle.kind == "king":
            square = chess.parse_square(puzzle.answers[0])
            chance = sum(mass for board, mass in positions if board.king(not view.color) == square)
            assert chance == pytest.approx(puzzle.facts[0], abs=1e-3)
        elif puzzle.kind == "capture":
            on = chess.BB_SQUARES[puzzle.view.events[-1].move.to_square]  # type: ignore[union-attr] # checked above
            chance = sum(mass for board, mass in positions if any(board.generate_legal_moves(to_mask=on)))
            assert chance == pytest.approx(puzzle.facts[0], abs=0.03)  # that was measured on a draw
        else:
            bits = sorted((told(view, positions, move), move.uci()) for move in view.tries())[-2:]
            assert [bits[1][1]] == puzzle.answers
            assert [bits[1][0], bits[0][0]] == pytest.approx(puzzle.facts[:2], abs=1e-3)
        checked[puzzle.kind] += 1
    assert checked["capture"] == 4
    assert checked.total() >= 6


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("puzzle", of_kind("king")[::10], ids=named)
def test_both_beliefs_have_the_king_there(puzzle: Puzzle) -> None:
    square = chess.parse_square(puzzle.answers[0])
    for model, chance in zip(("uniform", "opponent_types"), puzzle.facts, strict=True):
        belief = Belief(puzzle.view, 50_000, 1, load_opponent(model))  # another seed
        assert belief.particles.is_consistent
        assert belief.occupancy(not puzzle.view.color)[5][square] == pytest.approx(chance, abs=0.1)


def alone(view: View, before: View) -> Iterator[chess.Board]:
    """Every board with a bare king, who is to move, that fits the capture of his last man, and what came before it.

    That he was not in check when it was our turn, to be exact.
    """
    last = view.events[-1]
    assert isinstance(last, OwnTry)
    assert isinstance(last.announcement, Announcement)
    assert last.announcement.captured_square is not None
    base, earlier = chess.Board(None), chess.Board(None)
    base.turn = not view.color
    for board, men in ((base, view.men), (earlier, before.men)):
        for square, kind in men.items():
            board.set_piece_at(square, chess.Piece(kind, view.color))
    earlier.set_piece_at(last.announcement.captured_square, chess.Piece(chess.PAWN, not view.color))
    sides = ((view.kingside, "K"), (view.queenside, "Q"))
    base.set_castling_fen("".join(letter if view.color else letter.lower() for may, letter in sides if may) or "-")
    for king in set(chess.SQUARES) - set(view.men):
        board = base.copy()
        board.set_piece_at(king, chess.Piece(chess.KING, not view.color))
        checks = sum({check_direction(king, checker) for checker in board.checkers()})
        tries = pawn_try_info(board, view.rules.pawn_tries)
        was_in_check = earlier.is_attacked_by(view.color, king) or earlier.piece_at(king) is not None
        if (checks, tries) == (last.announcement.checks, last.announcement.pawn_tries) and not (
            was_in_check or board.was_into_check()
        ):
            yield board


def cornered(puzzle: Puzzle) -> list[chess.Board]:
    """Every board that fits what was heard since the king was bare, by plain enumeration."""
    referee, belief = Referee(puzzle.rules), None
    view = referee.view(puzzle.view.color)
    for code in puzzle.played.split():
        referee.try_move(chess.Move.from_uci(code))
        before, view = view, referee.view(puzzle.view.color)
        if belief is not None:
            belief.update(view)
        elif view.opponent_men == 1:
            belief = ExactBelief.from_positions([(board, 1.0) for board in alone(view, before)], view)
    assert belief is not None
    return [board for board, _ in belief.positions]


def wins(view: View, boards: Sequence[chess.Board], move: chess.Move, moves: int) -> bool:
    """Whether a try mates in so many moves, whatever it is answered: refused, or accepted and replied to."""
    refused = [board for board in boards if not board.is_legal(move)]
    if len(refused) == len(boards):
        return False
    heard: dict[tuple[str, str], list[chess.Board]] = {}
    for board in boards:
        if board in refused:
            continue
        after = board.copy(stack=False)
        after.push(move)
        if after.is_checkmate():
            continue
        if moves == 1 or not any(after.legal_moves):
            return False
        for reply in after.legal_moves:
            said = announce(board, move, view.rules).code(), announce(after, reply, view.rules).code()
            again = after.copy(stack=False)
            again.push(reply)
            heard.setdefault(said, []).append(again)
    return all(can_win(view, group, moves - 1) for group in heard.values()) and (
        not refused or can_win(view, refused, moves)
    )


def can_win(view: View, boards: Sequence[chess.Board], moves: int) -> bool:
    tries = {move for board in boards for move in board.legal_moves}
    return any(wins(view, boards, move, moves) for move in tries)


def prove(puzzle: Puzzle) -> None:
    moves, boards = int(puzzle.facts[0]), cornered(puzzle)
    assert puzzle.boards >= 2
    assert len(boards) <= puzzle.boards  # some may not fit how often he was refused, which the proof does not use
    for answer in puzzle.answers:
        assert wins(puzzle.view, boards, chess.Move.from_uci(answer), moves)
        assert moves == 1 or not wins(puzzle.view, boards, chess.Move.from_uci(answer), 1)


MATES = of_kind("mate")


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in MATES if puzzle.facts[0] == 1][::8], ids=named)
def test_a_mate_is_one_on_every_board_that_fits_by_plain_enumeration(puzzle: Puzzle) -> None:
    prove(puzzle)


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", [puzzle for puzzle in MATES if puzzle.facts[0] == 2], ids=named)
def test_so_is_a_mate_in_two(puzzle: Puzzle) -> None:
    prove(puzzle)


@pytest.mark.parametrize("kind", PUZZLE_KINDS)
def test_what_is_no_answer_is_explained(kind: str) -> None:
    with pytest.raises(BadAnswer, match=r"'xyz'.*(Give|Write it as)"):
        of_kind(kind)[0].judge("xyz")


def answered(lines: Sequence[str], folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command, text = [sys.executable, "-m", "kriegbot", "learn", *more], "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, input=text, text=True, capture_output=True, cwd=folder, check=False)


def test_puzzles_line_by_line(tmp_path: Path) -> None:
    first, second = of_kind("capture")[:2]
    wrong = {"yes": "no", "no": "yes"}[first.answers[0]]
    done = answered(["help", "maybe", wrong, *second.answers, "quit"], tmp_path, "puzzles", "--kind", "capture")
    assert (done.returncode, done.stderr) == (0, "")
    total = len(of_kind("capture"))
    for text in (
        first.task,
        first.log[0],
        "'maybe' is not an answer",
        "Wrong. ",
        "Right. ",
        first.judge(wrong).explanation,
    ):
        assert " ".join(text.split()) in " ".join(done.stdout.split())
    for left in (f"{total} to solve", f"{total - 1} to solve"):
        assert left in done.stdout
    assert done.stdout.count(f"{total} to solve") == 2  # what was not solved comes again


@pytest.mark.slow
def test_a_puzzle_at_a_terminal(tmp_path: Path) -> None:
    puzzle = of_kind("king")[0]
    with Terminal("learn", "puzzles", "--kind", "king", cwd=tmp_path, columns=120, rows=40) as terminal:
        assert puzzle.opponent in terminal.until("Your answer: ")
        terminal.press(f"{puzzle.answers[0]}\n")
        assert "Right" in terminal.until("Press Enter to continue")
        terminal.press("\n")
        terminal.until("Your answer: ")
        terminal.press("quit\n")
        code, _ = terminal.rest()
    assert code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["puzzels"], "cannot learn 'puzzels': choose puzzles"),
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
