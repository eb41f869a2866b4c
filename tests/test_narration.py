"""A game in words for the person who plays it: captures with their men, and which tries cannot answer a check."""

from __future__ import annotations

import random
from functools import cache

import chess
import pytest

from kriegbot.narration.diary import Diary, meaning_keys, meanings
from kriegbot.narration.glance import check_to_answer, lost_pieces
from referee import RULE_SETS, Limits, OwnTry, Reason, Referee, View
from referee.view import may_be_en_passant
from tests.random_games import STARTS, steps

SCENES = (
    ("f2f3 e7e5 g2g4 d8h4", chess.STARTING_FEN),
    ("e2e4 a7a6 e4e5 d7d5 e5d6", chess.STARTING_FEN),
    ("b1b6", "k7/8/8/8/8/8/8/1Q2K3 w - - 0 1"),  # stalemate
    ("a1b2", "k7/8/8/8/8/8/1p6/K7 w - - 0 1"),  # dead
    ("e4f6", "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1"),  # check from two sides
)
"""Tries, and the FEN that they begin from."""


def played(tries: str, rules: str = "berkeley", start: str = chess.STARTING_FEN) -> Referee:
    """Return a referee after tries in UCI notation."""
    referee = Referee(rules, start=start)
    for code in tries.split():
        referee.try_move(chess.Move.from_uci(code))
    return referee


@cache
def random_games(rules: str) -> list[Referee]:
    """Return a few games of each kind, played for a while."""
    games = [Referee(rules, Limits(plies=60), start=start) for start in STARTS]
    for seed, game in enumerate(games):
        for _ in steps(game, random.Random(seed), 60):
            pass
    return games


def words(view: View) -> list[str]:
    """Return what a person reads of a game."""
    return [entry.text for entry in Diary(for_person=True).take(view)]


@pytest.mark.parametrize(
    ("tries", "rules", "white", "black"),
    [
        (
            "e2e4 d7d5 e4d5 d8d5",
            "berkeley",
            ["exd5: yes. Your pawn took on d5.", "Black took your pawn on d5."],
            ["White took your pawn on d5.", "Qd5: yes. Your queen took on d5."],
        ),
        (
            "e2e4 d7d5 e4d5 d8d5",
            "wild16",
            ["exd5: yes. Your pawn took a pawn on d5. No pawn tries.", "Black took your pawn on d5. No pawn tries."],
            ["White took your pawn on d5. No pawn tries.", "Qd5: yes. Your queen took a pawn on d5. No pawn tries."],
        ),
        (
            "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6",
            "berkeley",
            ["exd6: yes. Your pawn took on d5 en passant.", "Black has moved."],
            ["White took your pawn on d5.", "Nf6: yes."],
        ),
        (
            "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6",
            "english",
            ["exd6: yes. Your pawn took on d6 en passant.", "Black has moved."],
            ["White took your pawn on d6 en passant.", "Nf6: yes."],
        ),
        (
            "e2e4 e7e5 g1f3 f8b4 f3e5 b4d2",
            "berkeley",
            ["Ne5: yes. Your knight took on e5.", "Black took your pawn on d2. Check on the long diagonal."],
            ["White took your pawn on e5.", "Bd2: yes. Your bishop took on d2. Check on the long diagonal."],
        ),
        (
            "e2e4 e7e5 f1c4 a7a6 d1h5 a6a5 h5f7",
            "berkeley",
            ["Qh5: yes.", "Black has moved.", "Qf7: yes. Your queen took on f7. CHECK"],
            ["Ra5: yes.", "a5: yes.", "White took your pawn on f7. CHECK"],
        ),
    ],
)
def test_a_capture_names_what_the_side_knows_of_it(tries: str, rules: str, white: list[str], black: list[str]) -> None:
    referee = played(tries, rules)
    check = "Check on the short diagonal; checkmate, White wins."
    for color, told in ((chess.WHITE, white), (chess.BLACK, black)):
        found = words(referee.view(color))[-2:]
        assert found == [line.replace("CHECK", check) for line in told[-2:]]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_person_is_told_as_much_as_anybody(rules: str) -> None:
    """The words for a person are there in every game, and say all but the capture as the referee does."""
    took = 0
    for referee in random_games(rules):
        for color in chess.COLORS:
            view = referee.view(color)
            pairs = zip(Diary().take(view), Diary(for_person=True).take(view), strict=True)
            for plain, told in pairs:
                is_capture = getattr(getattr(plain.event, "announcement", None), "capture", None) is not None
                took += is_capture
                assert (" took " in told.text) == is_capture
                assert plain.text.split("; ")[-1].lower() in told.text.lower() or is_capture
    assert took > 20


def test_whatever_the_referee_says_has_a_meaning_and_every_meaning_is_of_something_said() -> None:
    said = {"agreement", "forfeit", "resignation", "abandoned", "quiet_limit"}
    assert said <= {reason.name.lower() for reason in Reason}
    for rules in RULE_SETS.values():
        games = [*random_games(rules.name), *(played(tries, rules.name, start) for tries, start in SCENES)]
        events = [event for game in games for color in chess.COLORS for event in game.events(color)]
        said |= {kind for event in events for kind in meaning_keys(event, rules)}
    assert said == set(meanings())
    assert all(text.endswith(".") and text.count(". ") == 0 for _, text in meanings().values())  # one sentence


def test_the_verdicts_are_those_since_the_own_last_move() -> None:
    referee = played("e2e4 d7d5 e4d5 e8e6 d8d5 h2g3 b2a3")
    diary = Diary(for_person=True)
    diary.take(referee.view(chess.WHITE))
    assert [entry.text for entry in diary.latest()] == [
        "exd5: yes. Your pawn took on d5.",
        "Black took your pawn on d5.",
        "bxa3? No.",
    ]


def test_no_try_that_is_legal_is_said_not_to_answer_a_check() -> None:
    checks = idle = 0
    for seed, start in enumerate(STARTS * 3):
        referee = Referee("berkeley", start=start)
        for _ in steps(referee, random.Random(seed), 80):
            check = check_to_answer(referee.view(referee.turn)) if referee.end is None else None
            if check is not None:
                checks, idle = checks + 1, idle + len(check.idle)
                assert not set(check.idle) & set(referee.board().legal_moves)
                assert referee.board().checkers().issubset(check.line)
    assert checks > 10
    assert idle > 100


def test_what_cannot_come_between_nor_take_does_not_answer_a_check() -> None:
    """A rook somewhere on the file of the king; no man of White's other than queen and knight reaches it."""
    view = played("a8e8", start="r6k/8/8/8/8/8/3Q1P2/1N2K3 b - - 0 1").view(chess.WHITE)
    check = check_to_answer(view)
    assert check is not None
    assert check.text == "Check on the file."
    assert [chess.square_name(square) for square in check.line] == ["e2", "e3", "e4", "e5", "e6", "e7", "e8"]
    answering = {move.uci() for move in view.tries()} - {move.uci() for move in check.idle}
    assert answering == {"d2e2", "d2e3", "e1d1", "e1e2", "e1f1", "f2e3"}
    assert check.idle_pieces(view) == {chess.B1}


@pytest.mark.parametrize(
    ("moves", "sources"),
    [
        ("e2e4 e7e5 d1h5 b8c6 h5f7", {"f7"}),  # whatever took there stands in the way of all others
        ("e2e4 f7f6 d1h5", {"f7", "g6", "h5"}),  # by this announcement alone
    ],
)
def test_a_check_with_a_capture_on_its_line_comes_from_there(moves: str, sources: set[str]) -> None:
    view = played(moves).view(chess.BLACK)
    check = check_to_answer(view)
    assert check is not None
    assert set(map(chess.square_name, check.sources)) == sources


def test_only_a_pawn_that_has_just_moved_two_squares_may_have_been_captured_en_passant() -> None:
    captures = {True: 0, False: 0}
    for seed in range(12):
        referee = Referee("berkeley")
        for _ in steps(referee, random.Random(seed), 80):
            board, view = referee.board(), referee.view(referee.turn)
            last = view.last_announcement
            if last is None or last.capture is None or referee.end is not None:
                continue
            own = [one.move for one in view.events if isinstance(one, OwnTry) and one.announcement is not None]
            before = chess.Board()
            for turn in [one for one in referee.log if isinstance(one, OwnTry) and one.announcement is not None][:-1]:
                before.push(turn.move)
            is_possible = bool(before.ep_square) and own[-1].to_square == last.capture
            assert may_be_en_passant(view, last) == is_possible, board.fen()
            captures[is_possible] += 1
    assert captures[False] > 20
    assert captures[True] > 0
    for moves, key in (("e2e4 a7a6 e4e5 d7d5 e5d6", "fell"), ("e2e4 d7d6 e4e5 a7a6 e5d6", "fell_here")):
        assert key in Diary().take(played(moves).view(chess.BLACK))[-1].means


def test_a_promoted_pawn_is_not_lost_until_it_is_captured() -> None:
    start = "4k3/P7/8/8/8/8/8/1r2K2R w K - 0 1"
    assert lost_pieces(played("e1g1", start=start).view(chess.WHITE)) == []
    assert lost_pieces(played("a7a8q e8f7", start=start).view(chess.WHITE)) == []
    referee = played("e1e2 e8f7 a7a8q b1a1 e2e3 a1a8", start=start)
    assert lost_pieces(referee.view(chess.WHITE)) == [chess.QUEEN]
    assert lost_pieces(referee.view(chess.BLACK)) == []
