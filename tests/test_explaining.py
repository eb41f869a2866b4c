"""The explanation that a search gives of its choice, wherever it is shown."""

import chess
import numpy as np
import pytest

from kriegbot.cli.main import main
from kriegbot.game.protocol import answer_lines, read_answer
from kriegbot.players.base import Choice
from kriegbot.players.search import why
from kriegbot.report import Report
from kriegbot.search.policy import Policy
from referee import BERKELEY, Referee


def test_the_best_tries_come_first_with_their_values_and_chances() -> None:
    view = Referee(BERKELEY).view(chess.WHITE)
    tries = [chess.Move.from_uci(move) for move in ("a2a3", "e2e4", "g1f3", "e2d3", "h2h3")]
    values, legal = np.array([1.0, 31.0, 45.0, 80.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0, 1.0])
    weights = np.array([0.0, 1.0, 1.0, 0.0, 0.0])
    policy = Policy(tries, weights, values, Report(particles=1812), legal)
    assert why(view, policy) == "1,812 boards; best: Nf3 +0.45, e4 +0.31, exd3 +0.80 (0% legal)"


def test_the_line_says_that_a_belief_is_inconsistent() -> None:
    view = Referee(BERKELEY).view(chess.WHITE)
    policy = Policy(
        [chess.Move.from_uci("e2e4")],
        np.ones(1),
        np.full(1, np.nan),
        Report(particles=1, belief_inconsistent=True),
    )
    assert why(view, policy) == "1 board that may contradict an announcement; best: e4"


def test_the_line_goes_through_the_protocol() -> None:
    said = Report(why="1,812 boards; best: Nf3 +0.45 (33% legal)", rescue="perturbed")
    info, answer = answer_lines(Choice(chess.Move.from_uci("g1f3"), said))
    report = read_answer(info, Report())
    assert isinstance(report, Report)
    assert read_answer(answer, report) == Choice(chess.Move.from_uci("g1f3"), said)


@pytest.mark.slow
def test_match_shows_what_each_search_believed_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    match = ["match", "kriegbot:samples=5", "rand", "--seed", "3", "--limits", "plies=3"]
    shown = []
    for options in ([], ["--explain"]):
        assert main([*match, *options]) == 0
        shown.append([line for line in capsys.readouterr().out.splitlines() if "; best: " in line])
    assert shown[0] == []
    assert [line.split(";")[0] for line in shown[1][:2]] == ["White: 1 board", "White: 20 boards"]
