"""The guided first game: its data through the referee, claims by enumeration, and a learner at a terminal."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import pytest

from kriegbot.narration.diary import Diary
from kriegbot.narration.learning import LessonStep, StepState, first_game
from kriegbot.players.human import try_name
from referee import Referee, View
from tests.exact_belief import ExactBelief
from tests.terminal import Terminal

LESSON = first_game()
STEPS = pytest.mark.parametrize("step", LESSON.steps, ids=lambda step: step.title)
ASKING = ("A try", "A refusal tells you something", "A pawn's capture as a question", "Pawn tries")
"""Steps whose solution ends, captures and averts nothing on some boards."""
KINDS = "pnbrqk"
TRIES = ["e4", "e5", "Nxd4", "c3", "cxb4", "exd5", "Kc7", "Qc7"]


@STEPS
def test_what_was_played_is_legal_and_heard_as_told(step: LessonStep) -> None:
    referee = Referee(step.referee().rules, start=step.start)
    for code in step.played.split():
        answer = referee.try_move(chess.Move.from_uci(code))
        assert answer.value in ("accepted", "illegal"), code
    entries = Diary().take(referee.view(referee.turn))
    said = entries[-1].text if entries else ""
    assert said == step.announcement
    assert said in step.text or said in ("Black has moved.", "Kc7? No.")  # where the text quotes the referee


@STEPS
def test_every_solution_ends_its_step_and_is_answered_as_told(step: LessonStep) -> None:
    assert step.solutions
    for code, told in step.solutions.items():
        done = step.state(text=code)
        assert (done.is_done, done.answer, done.comment) == (True, told, step.success)


@pytest.mark.slow
@STEPS
def test_any_other_try_gets_a_hint_and_may_be_followed_by_the_solution(step: LessonStep) -> None:
    begun = step.state()
    assert set(step.hints) <= {move.uci() for move in begun.view.tries()} - set(step.solutions)
    for move in begun.view.tries():
        if move.uci() in step.solutions:
            continue
        now = step.state(text=move.uci())
        assert not now.is_done
        assert now.answer
        assert now.comment == step.hints.get(move.uci(), step.hint)
        assert now.view.ply == begun.view.ply  # a legal one is taken back
        assert any(step.state(now.tried, code).is_done for code in step.solutions)


@STEPS
def test_a_hint_that_speaks_of_a_refusal_follows_one(step: LessonStep) -> None:
    for code, hint in step.hints.items():
        assert bool(step.state(text=code).tried) == ("Refused" in hint)


@pytest.mark.slow
@STEPS
def test_each_claim_is_what_enumeration_finds(step: LessonStep) -> None:
    assert set(step.claims) <= {"before", *step.solutions}
    for when, claims in step.claims.items():
        view = step.state(text="" if when == "before" else when).view
        for what, said in claims.items():
            found = enumerated(what, view)
            listed = list(said) if what[1:].isdigit() else said.split()
            assert sorted(listed) == sorted(found), (when, what)
            assert found[listed[0]] == pytest.approx(max(found.values())), (when, what)


def end_value(board: chess.Board, move: chess.Move) -> int:
    """Return 1 for a mate, -1 for a stalemate, else 0."""
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate() - after.is_stalemate()


def ending_value(boards: list[chess.Board], board: chess.Board, move: chess.Move) -> int:
    """Return the value of a try on a board; a refusal may leave boards on which another try mates, all of them."""
    if board.is_legal(move):
        return end_value(board, move)
    left = [one for one in boards if not one.is_legal(move)]
    return any(all(one.is_legal(again) and end_value(one, again) == 1 for one in left) for again in left[0].legal_moves)


@pytest.mark.slow
@STEPS
def test_no_try_that_gets_a_hint_is_as_good_as_the_solutions_on_every_board_that_fits(step: LessonStep) -> None:
    view = step.state().view
    boards = [board for board, _ in ExactBelief(view).positions]
    solutions = [chess.Move.from_uci(code) for code in step.solutions]

    def value(name: str, board: chess.Board, move: chess.Move) -> int:
        if name == "end":
            return ending_value(boards, board, move)
        aims_at_piece = board.is_capture(move) if name == "capture" else board.is_check()
        return board.is_legal(move) and aims_at_piece

    others = [
        move
        for move in view.tries()
        if move not in solutions and any(one.is_legal(move) for one in boards)
        if "as well" not in step.hints.get(move.uci(), "")
    ]
    compared = sum("as well" in hint for hint in step.hints.values())
    for name in ("end", "capture", "out of check"):
        best = [max(value(name, board, move) for move in solutions) for board in boards]
        if not (any(best) if name == "end" else all(best)):  # not what the step is about
            continue
        for move in others:
            if name == "out of check" and view.men[move.from_square] == chess.KING:
                continue  # the task says: put a piece in between
            assert any(value(name, board, move) < most for board, most in zip(boards, best, strict=True)), move.uci()
            compared += 1
    assert (compared > 0) == (step.title not in ASKING)


@STEPS
def test_a_hint_that_calls_a_try_as_good_is_on_one_that_takes_or_blocks_as_the_solution_does(step: LessonStep) -> None:
    board = step.referee().board()
    for code in [code for code, hint in step.hints.items() if "as well" in hint]:
        move = chess.Move.from_uci(code)
        assert board.is_legal(move)
        assert board.is_capture(move) == ("takes it as well" in step.hints[code])
        assert board.is_check() == ("blocks the check as well" in step.hints[code])


def test_every_later_step_goes_on_from_the_only_try_that_ended_the_one_before() -> None:
    goes_on = 0
    for before, after in zip(LESSON.steps, LESSON.steps[1:], strict=False):
        if after.played.startswith(before.played) and after.start == before.start and after.rules == before.rules:
            first, *_ = after.played.removeprefix(before.played).split()
            assert [*before.solutions] == [first]
            goes_on += 1
    assert goes_on >= 5


def test_pawn_tries_in_a_text_are_those_of_the_side_to_move() -> None:
    (step,) = [one for one in LESSON.steps if one.title == "Pawn tries"]
    done = step.state(text="e4d5").view
    assert "no black pawn can capture" in step.success
    assert done.turn == chess.BLACK


@STEPS
def test_a_hint_on_a_check_or_an_escape_is_true(step: LessonStep) -> None:
    boards = [board for board, _ in ExactBelief(step.state().view).positions]
    for code, hint in step.hints.items():
        for place, outcome in (("mates", "is_checkmate"), ("stalemate", "is_stalemate")):
            ends = []
            for board in boards:
                if board.is_legal(move := chess.Move.from_uci(code)):
                    after = board.copy(stack=False)
                    after.push(move)
                    ends.append(getattr(after, outcome)())
            assert any(ends) == (place in hint), (code, outcome)


NONSENSE = ["Ke9", "castle please", "\N{HORSE}", "e2e4e5", "0000", "a1a1", "x" * 500, "resign", "any?", "-"]


def taught(step: LessonStep, text: str, refused: Sequence[str] = ()) -> StepState:
    """Answer a step; check all that it says of the try on the true board, and that this board fits what it said."""
    before, now, true = step.state(refused), step.state(refused, text), step.referee().board()
    assert now.is_done == (now.comment == step.success)
    if not now.answer:  # no try
        assert (now.view, now.is_done) == (before.view, False)
        assert now.comment not in (step.hint, *step.hints.values())
        return now
    name = now.answer.partition("?")[0].partition(":")[0]
    move = next(move for move in before.view.tries() if try_name(move, before.view) == name)
    is_legal = true.is_legal(move)
    assert now.answer.startswith(f"{name}: yes." if is_legal else f"{name}? No.")
    assert ("checkmate" in now.answer) == (is_legal and end_value(true, move) == 1)
    assert ("apture" in now.answer) == (is_legal and true.is_capture(move))
    assert ("Check" in now.answer) == (is_legal and true.gives_check(move))
    assert list(now.tried) == [*refused, *[move.uci()] * (not is_legal and not now.is_done)]
    if not true.is_game_over() and now.view.end is None:
        last = true.copy(stack=False)
        if now.is_done and is_legal:
            last.push(move)
        assert ExactBelief(now.view).probability(last) > 0
    return now


@pytest.mark.slow
@STEPS
def test_who_finds_the_best_try_everywhere_is_praised(step: LessonStep) -> None:
    boards = [board for board, _ in ExactBelief(step.state().view).positions]
    tries = step.state().view.tries()
    mates = [move for move in tries if all(one.is_legal(move) and end_value(one, move) == 1 for one in boards)]
    for code in [*step.solutions, *(move.uci() for move in mates)]:
        assert taught(step, code).is_done


@pytest.mark.slow
@STEPS
def test_who_types_nonsense_is_told_what_a_try_is_and_loses_nothing(step: LessonStep) -> None:
    for text in NONSENSE:
        now = taught(step, text)
        assert not now.answer
        assert now.comment
    assert taught(step, next(iter(step.solutions))).is_done


@pytest.mark.slow
@STEPS
def test_who_makes_the_first_legal_try_each_time_is_told_the_truth_until_the_step_is_done(step: LessonStep) -> None:
    refused: Sequence[str] = ()
    for move in step.state().view.tries():
        if move.uci() in refused:
            continue
        now = taught(step, move.uci(), refused)
        refused = now.tried
        if now.is_done:
            return
    raise AssertionError("no try ends the step")


@pytest.mark.slow
@STEPS
def test_who_leaves_in_the_middle_comes_back_to_the_same_step(step: LessonStep) -> None:
    illegal = [move.uci() for move in step.state().view.tries() if not step.referee().board().is_legal(move)]
    refused = [code for code in illegal if code not in step.solutions][:2]
    before = step.state(refused)
    assert not taught(step, "resign", refused).is_done
    again = step.state(refused)
    assert (again.view, again.log, again.comment) == (before.view, before.log, "")
    assert taught(step, next(iter(step.solutions)), refused).is_done


def enumerated(what: str, view: View) -> Counter[str]:
    """Return probabilities (of squares of a kind: the number of pieces) over all consistent boards."""
    found: Counter[str] = Counter()
    positions = ExactBelief(view).positions
    if what == "boards":
        return Counter([str(len(positions))])
    for board, mass in positions:
        if what == "check":
            squares = board.checkers()
        elif what in KINDS:
            squares = board.pieces(KINDS.index(what) + 1, not view.color)
        else:
            man = board.piece_at(chess.parse_square(what))
            found["-" if man is None else man.symbol().lower()] += mass  # type: ignore[assignment] # typeshed: int
            continue
        for square in squares:
            found[chess.square_name(square)] += mass  # type: ignore[assignment]
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
@STEPS
def test_the_shading_is_that_of_all_games_that_fit(step: LessonStep) -> None:
    for text in ("", next(iter(step.solutions))):
        now = step.state(text=text)
        exact = np.zeros(64)
        for board, mass in ExactBelief(now.view).positions:
            exact[list(chess.SquareSet(board.occupied_co[not now.view.color]))] += mass
        assert np.allclose(now.shading(), exact)


def test_what_is_no_try_is_explained_and_changes_nothing() -> None:
    now = LESSON.steps[0].state(text="Ke5")
    assert (now.answer, now.tried, now.is_done) == ("", (), False)
    assert now.comment == "Your king cannot reach e5."


@pytest.mark.parametrize("refused", [["e2e4"], ["resign"], ["e4d5", "e4d5"], ["e9e4"], ["0000"]])
def test_only_refused_tries_can_have_been_refused(refused: list[str]) -> None:
    with pytest.raises(ValueError, match=refused[-1]):
        LESSON.steps[1].state(refused)


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
def test_the_guided_game_at_a_terminal(tmp_path: Path) -> None:
    with Terminal("learn", cwd=tmp_path, columns=100, rows=30) as terminal:
        for number, text in enumerate(TRIES, 1):
            terminal.until(f"Step {number} of 8")
            if number == 6:
                terminal.press("exf5\n")
                assert "Refused, so f5 is empty" in terminal.until("Your try:") + terminal.until("Your try:")
            terminal.until("Your try: ") if number != 6 else None
            terminal.press(f"{text}\n")
            if number < 8:
                terminal.until("Press Enter to continue")
                terminal.press("\n")
        code, rest = terminal.rest()
    assert code == 0
    assert "checkmate, White wins" in rest
    assert "kriegbot play --level newcomer" in rest


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
def test_the_guided_game_line_by_line_and_left_halfway(tmp_path: Path) -> None:
    lines = ["help", "Nf3", "Ke5", *TRIES]
    done = learnt(lines, tmp_path)
    assert done.returncode == 0
    assert done.stdout.count("Step 1 of 8") == 2
    assert "In this lesson any other move is put back" in done.stdout
    assert "Your king cannot reach e5." in done.stdout
    assert " ".join(done.stdout.split()).endswith(LESSON.words["end"])
    left = learnt(["e4", "quit"], tmp_path)
    assert (left.returncode, left.stderr) == (0, "")
    assert "Step 2 of 8" in left.stdout
    assert "Step 3 of 8" not in left.stdout


def learnt(lines: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command, text = [sys.executable, "-m", "kriegbot", "learn"], "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, input=text, encoding="utf-8", capture_output=True, cwd=folder, check=False)
