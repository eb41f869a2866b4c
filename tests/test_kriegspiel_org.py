"""The referee against that of kriegspiel.org, the PyPI package `kriegspiel` 1.7.3: the same games, side by side.

Both are asked the same tries, sensible and not, in random games, and must agree on every answer, capture, check, pawn
try count, end and on the tries that are left. Where the two differ on purpose there is a test that says why.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    CINCINNATI,
    ENGLISH,
    OPENSPIEL,
    RAND,
    RULE_SETS,
    WILD16,
    Answer,
    AskAny,
    Asking,
    CapturedKind,
    Check,
    End,
    OpponentAsked,
    OpponentRefused,
    OwnQuestion,
    OwnTry,
    PawnTryCount,
    PawnTryExists,
    PawnTryInfo,
    PawnTrySquares,
    Reason,
    Referee,
    RuleSet,
    View,
    open_tries,
)
from referee.announcement import Announcement
from referee.pieces import may_capture
from tests.effort import many
from tests.random_games import STARTS, act, random_action

pytest.importorskip("kriegspiel")

from kriegspiel.game import KriegspielGame  # type: ignore[import-untyped]
from kriegspiel.move import (  # type: ignore[import-untyped]
    CapturedPieceAnnouncement,
    KriegspielMove,
    MainAnnouncement,
    QuestionAnnouncement,
    SpecialCaseAnnouncement,
)

THEIR_RULES = [rules for rules in RULE_SETS.values() if rules is not OPENSPIEL]
"""The rule sets that they know."""
CHECKS = {
    SpecialCaseAnnouncement.CHECK_RANK: Check.RANK,
    SpecialCaseAnnouncement.CHECK_FILE: Check.FILE,
    SpecialCaseAnnouncement.CHECK_LONG_DIAGONAL: Check.LONG_DIAGONAL,
    SpecialCaseAnnouncement.CHECK_SHORT_DIAGONAL: Check.SHORT_DIAGONAL,
    SpecialCaseAnnouncement.CHECK_KNIGHT: Check.KNIGHT,
}
ENDS = {
    SpecialCaseAnnouncement.CHECKMATE_WHITE_WINS: End(Reason.CHECKMATE, chess.WHITE),
    SpecialCaseAnnouncement.CHECKMATE_BLACK_WINS: End(Reason.CHECKMATE, chess.BLACK),
    SpecialCaseAnnouncement.DRAW_STALEMATE: End(Reason.STALEMATE),
    SpecialCaseAnnouncement.STALEMATE_WHITE_WINS: End(Reason.STALEMATE, chess.WHITE),
    SpecialCaseAnnouncement.STALEMATE_BLACK_WINS: End(Reason.STALEMATE, chess.BLACK),
    SpecialCaseAnnouncement.DRAW_INSUFFICIENT: End(Reason.DEAD_POSITION),
}
MEN = {
    None: None,
    CapturedPieceAnnouncement.PAWN: CapturedKind.PAWN,
    CapturedPieceAnnouncement.PIECE: CapturedKind.PIECE,
}
ANSWERS = {
    MainAnnouncement.REGULAR_MOVE: "accepted",
    MainAnnouncement.CAPTURE_DONE: "accepted",
    MainAnnouncement.ILLEGAL_MOVE: "illegal",
    MainAnnouncement.IMPOSSIBLE_TO_ASK: "nonsense",
    MainAnnouncement.NONSENSE: "nonsense",
}
ONE_CAPTURE = "4k3/4p3/8/3p4/2P5/8/8/4R1K1 w - - 0 1"
ASK_ANY = KriegspielMove(QuestionAnnouncement.ASK_ANY)


class Theirs:
    """Their referee, asked in our terms."""

    def __init__(self, rules: RuleSet, start: str) -> None:
        self.game: Any = KriegspielGame(ruleset=rules.name)
        if start != chess.STARTING_FEN:  # their games begin from the initial position only
            self.game._board = chess.Board(start)
            self.game._generate_possible_to_ask_list()

    def ask(self, move: chess.Move) -> tuple[str, Announcement | None]:
        """Their answer, and their announcement if the move was made."""
        reply = self.game.ask_for(KriegspielMove(QuestionAnnouncement.COMMON, move))
        answer = ANSWERS[reply.main_announcement]
        if answer != "accepted":
            return answer, None
        special = reply.special_announcement
        heard = [reply.check_1, reply.check_2] if special is SpecialCaseAnnouncement.CHECK_DOUBLE else [special]
        checks = Check(0)
        for check in heard:
            checks |= CHECKS.get(check, Check(0))
        captured = MEN[reply.captured_piece_announcement]
        tries: PawnTryInfo | None = None
        if reply.next_turn_pawn_tries is not None:
            tries = PawnTryCount(reply.next_turn_pawn_tries)
        elif reply.next_turn_has_pawn_capture is not None:
            tries = PawnTryExists(reply.next_turn_has_pawn_capture)
        elif reply.next_turn_pawn_try_squares is not None:
            tries = PawnTrySquares(tuple(reply.next_turn_pawn_try_squares))
        square, end = reply.capture_at_square, ENDS.get(special)
        told = bool(reply.en_passant_announced), bool(reply.promotion_announced)
        return answer, Announcement(square, captured, checks, tries, end, *told)

    def tries(self) -> set[chess.Move]:
        """Return the tries that they still allow."""
        asked = {question.chess_move for question in self.game.possible_to_ask}
        return asked - {None}  # which is "Any?"

    def may_ask(self) -> bool:
        """Return True if they allow "Any?"."""
        return ASK_ANY in self.game.possible_to_ask

    def ask_any(self) -> Answer:
        """Their answer to "Any?"."""
        answers = {MainAnnouncement.HAS_ANY: Answer.YES, MainAnnouncement.NO_ANY: Answer.NO}
        return answers[self.game.ask_for(ASK_ANY).main_announcement]

    def heard(self, color: chess.Color, *of_what: MainAnnouncement) -> int:
        """Count the announcements of these kinds that a side received of the other."""
        snapshot = self.game.snapshot()
        sheet = snapshot.white_scoresheet if color == chess.WHITE else snapshot.black_scoresheet
        return sum(answer.main_announcement in of_what for turn in sheet.moves_opponent for _, answer in turn)


def as_they_say(announcement: Announcement | None) -> Announcement | None:
    """Our announcement in their words: they do not tell from where a mate is given."""
    if announcement is None or announcement.end is None:
        return announcement
    return dataclasses.replace(announcement, checks=Check(0), pawn_tries=None)


def more_tries(referee: Referee) -> set[chess.Move]:
    """Return the tries that they offer and we do not: see the two tests about it."""
    view = referee.view(referee.turn)
    if referee.rules.asking is Asking.OBLIGES_ONCE and view.pawn_tries == PawnTryExists(True) and not view.obliged:
        return given_back(view)
    if referee.rules.asking is not Asking.NONSENSE:
        return set()
    capturing, leaking = may_capture(view.pawn_tries), set(referee.board().generate_pseudo_legal_ep())
    return {move for move in leaking - set(view.refused) if not capturing & chess.BB_SQUARES[move.from_square]}


def given_back(view: View) -> set[chess.Move]:
    """Return the tries refused before the question "Any?", and not again since."""
    since = set()
    for event in reversed(view.events):
        if isinstance(event, OwnQuestion) and event.answer is Answer.YES:
            break
        if isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL:
            since.add(event.move)
    return set(view.refused) & set(open_tries(view.color, view.men, view.kingside, view.queenside)) - since


def compare(seed: int, rules: RuleSet, plies: int) -> tuple[int, Referee]:
    """Plays one random game in front of both; the tries that were compared, and the game."""
    rng = random.Random(seed)
    start = rng.choice(STARTS)
    ours, theirs = Referee(rules, start=start), Theirs(rules, start)
    compared = 0
    while ours.end is None and ours.ply < plies:
        assert theirs.game.turn == ours.turn
        assert theirs.tries() == set(ours.view(ours.turn).tries()) | more_tries(ours)
        assert theirs.may_ask() == ours.view(ours.turn).may_ask
        action = random_action(ours, rng)
        answer = act(ours, action)
        if isinstance(action, AskAny):
            assert theirs.ask_any() is answer
            continue
        said, announcement = theirs.ask(action)
        assert said == ("nonsense" if answer in (Answer.IMPOSSIBLE, Answer.REPEATED) else answer.value)
        mine = ours.last.announcement if isinstance(ours.last, OwnTry) else None
        if berkeleys_own_draw(ours):
            break
        expected = as_they_say(mine)
        assert announcement == expected
        compared += 1
    for color in chess.COLORS:
        events = ours.view(color).events
        illegal = sum(isinstance(event, OpponentRefused) for event in events)
        asked = sum(isinstance(event, OpponentAsked) for event in events)
        assert theirs.heard(color, MainAnnouncement.ILLEGAL_MOVE) == illegal
        assert theirs.heard(color, MainAnnouncement.HAS_ANY, MainAnnouncement.NO_ANY) == asked
    assert theirs.game.game_over == (ours.end is not None and not berkeleys_own_draw(ours))
    return compared, ours


def berkeleys_own_draw(referee: Referee) -> bool:
    """Return True if the game ended by the draw unknown to them: one minor piece each, but not a dead position."""
    return referee.end == End(Reason.DEAD_POSITION) and not referee.board().is_insufficient_material()


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(THEIR_RULES))
def test_both_referees_say_the_same_through_random_games(seed: int, rules: RuleSet) -> None:
    compare(seed, rules, 70)


@pytest.mark.slow
@pytest.mark.parametrize("rules", THEIR_RULES, ids=lambda rules: rules.name)
def test_both_referees_say_the_same_through_long_games(rules: RuleSet) -> None:
    ends = {compare(seed, rules, 300)[1].end for seed in range(many(6, 2))}
    assert len(ends) > 1


def test_berkeley_ends_with_one_minor_piece_each_where_they_play_on() -> None:
    """Berkeley's text draws when neither side has more than one minor piece; they know the dead positions alone."""
    start = "4k2n/8/8/8/8/5N2/3r4/4K3 w - - 0 1"
    ours, theirs = Referee(BERKELEY, start=start), Theirs(BERKELEY, start)
    capture = chess.Move.from_uci("e1d2")
    assert ours.try_move(capture) is Answer.ACCEPTED
    assert ours.end == End(Reason.DEAD_POSITION)
    _, announcement = theirs.ask(capture)
    assert announcement == Announcement(capture=chess.D2)


def test_they_offer_a_pinned_en_passant_capture_after_announcing_no_pawn_tries() -> None:
    """Their list of questions then betrays the right to capture en passant, which the announcement does not tell.

    With "no pawn tries" heard no diagonal is open: what is left must follow from the own men, the own castling rights
    and the announcements, and e5d6 does not. Both referees agree that it is illegal.
    """
    start = "3rk3/2pp4/8/4P3/8/8/8/K3R3 b - - 0 1"
    pinned = "4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1"
    capture = chess.Move.from_uci("e5d6")
    for fen, legal in ((start, True), (pinned, False)):
        ours, theirs = Referee(WILD16, start=fen), Theirs(WILD16, fen)
        for referee in (ours.try_move, theirs.ask):
            referee(chess.Move.from_uci("d7d5"))
        assert ours.view(chess.WHITE).pawn_tries == PawnTryCount(int(legal))
        assert (capture in ours.view(chess.WHITE).tries()) is legal
        assert capture in theirs.tries()
        answer = ours.try_move(capture)
        assert (theirs.ask(capture)[0], answer.value) == (("accepted",) * 2 if legal else ("illegal",) * 2)


def test_they_give_back_refused_tries_once_any_obliges_no_longer() -> None:
    """English: after the one pawn capture they begin the turn anew. We remember what was refused; it stays illegal."""
    ours, theirs = Referee(ENGLISH, start=ONE_CAPTURE), Theirs(ENGLISH, ONE_CAPTURE)
    refused, other, free = (chess.Move.from_uci(uci) for uci in ("e1e8", "c4b5", "e1d1"))
    for referee in (ours.try_move, theirs.ask):
        referee(refused)
    assert ours.ask_any() is theirs.ask_any() is Answer.YES
    assert ours.try_move(free) is Answer.IMPOSSIBLE
    assert theirs.ask(free) == ("nonsense", None)
    assert ours.try_move(other) is Answer.ILLEGAL
    assert theirs.ask(other) == ("illegal", None)
    assert theirs.tries() - set(ours.view(chess.WHITE).tries()) == {refused}
    assert ours.try_move(free) is Answer.ACCEPTED
    assert theirs.ask(free)[0] == "accepted"


def test_they_do_not_say_from_where_a_mate_is_given() -> None:
    """A mate is a check; its direction is announced like any other, and tells the loser nothing that matters."""
    start = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    ours, theirs = Referee(BERKELEY, start=start), Theirs(BERKELEY, start)
    mate = chess.Move.from_uci("a1a8")
    ours.try_move(mate)
    assert isinstance(ours.last, OwnTry)
    assert ours.last.announcement == Announcement(checks=Check.RANK, end=End(Reason.CHECKMATE, chess.WHITE))
    assert theirs.ask(mate)[1] == Announcement(end=End(Reason.CHECKMATE, chess.WHITE))


def test_they_stop_at_two_thousand_quiet_plies_and_we_never_do_without_a_limit() -> None:
    """Berkeley suspends the fifty-move rule; a limit belongs to a game, and theirs cannot be set."""
    start = "4k3/8/8/8/8/8/1P6/4K2R w - - 1999 1100"
    ours, theirs = Referee(BERKELEY, start=start), Theirs(BERKELEY, start)
    for referee in (ours.try_move, theirs.ask):
        referee(chess.Move.from_uci("h1h2"))
    assert ours.end is None
    assert theirs.game.game_over


@pytest.mark.parametrize("rules", [CINCINNATI, RAND], ids=lambda rules: rules.name)
def test_they_put_nonsense_on_the_opponents_sheet_and_we_tell_the_mover_alone(rules: RuleSet) -> None:
    """Nonsense says nothing of the board, but that the mover tried it is heard there."""
    ours, theirs = Referee(rules), Theirs(rules, chess.STARTING_FEN)
    through_a_pawn = chess.Move.from_uci("a1a3")
    assert ours.try_move(through_a_pawn) is Answer.IMPOSSIBLE
    assert theirs.ask(through_a_pawn) == ("nonsense", None)
    assert not ours.view(chess.BLACK).events
    ((_, answer),) = theirs.game._blacks_scoresheet.moves_opponent[0]
    assert answer.main_announcement is MainAnnouncement.NONSENSE
