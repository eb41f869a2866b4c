"""Tries, answers, ends and starts: the referee as the two sides and a match runner meet it."""

from __future__ import annotations

import dataclasses
import random
import subprocess
import sys

import chess
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import referee
from referee import (
    BERKELEY,
    BERKELEY_ANY,
    CINCINNATI,
    ENGLISH,
    NO_LIMITS,
    OPENSPIEL,
    PAPER_LIMITS,
    RAND,
    RULE_SETS,
    WILD16,
    Answer,
    AskAny,
    Asking,
    BadStart,
    End,
    GameIsOver,
    GameOver,
    KriegspielError,
    Limits,
    OpponentMoved,
    OpponentRefused,
    OwnQuestion,
    OwnTry,
    PawnTryCount,
    Reason,
    Referee,
    RuleSet,
    UnknownRuleSet,
    rule_set,
)
from tests.random_games import act, action_of, played, random_try, steps

SEEDS = st.integers(0, 10**9)
KNOWN = (BERKELEY, WILD16, CINCINNATI, BERKELEY_ANY, RAND, ENGLISH, OPENSPIEL)
RULES = st.sampled_from(list(RULE_SETS.values()))


def after(*moves: str, rules: RuleSet = BERKELEY, limits: Limits = NO_LIMITS) -> Referee:
    """Return a game in which these tries were made from the initial position, all accepted."""
    game = Referee(rules, limits)
    for uci in moves:
        assert game.try_move(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    return game


# Answers


@pytest.mark.slow
@given(SEEDS, RULES)
@example(229583, WILD16)  # tries e8h8, which python-chess finds in `legal_moves` where castling is legal
def test_a_try_is_accepted_if_and_only_if_it_is_legal_on_the_true_board(seed: int, rules: RuleSet) -> None:
    rng = random.Random(seed)
    game = Referee(rules)
    board, obliged = chess.Board(), False
    for action, answer in steps(game, rng, 40):
        if answer is Answer.ILLEGAL and rules.asking is Asking.OBLIGES_ONCE:
            obliged = False
        legal = list(board.legal_moves)
        captures = [move for move in legal if board.is_capture(move) and board.piece_type_at(move.from_square) == 1]
        if isinstance(action, AskAny):
            assert answer is (Answer.YES if captures else Answer.NO)
            obliged = bool(captures)
            continue
        assert (answer is Answer.ACCEPTED) == (action in (captures if obliged else legal))
        if answer is Answer.ACCEPTED:
            board.push(action)
            obliged = False
        assert game.board() == board


@given(SEEDS)
def test_berkeley_tells_the_mover_why_a_try_was_refused(seed: int) -> None:
    rng = random.Random(seed)
    game = Referee(BERKELEY)
    while game.end is None and game.ply < 30:
        before = game.view(game.turn)
        move = random_try(game, rng)
        answer = game.try_move(move)
        own_board = referee.open_tries(before.color, before.men, before.kingside, before.queenside)
        if move not in own_board:
            assert answer is Answer.IMPOSSIBLE
        elif move in before.refused:
            assert answer is Answer.REPEATED
        else:
            assert answer in (Answer.ACCEPTED, Answer.ILLEGAL)


@given(SEEDS)
def test_wild16_answers_every_refused_try_as_illegal(seed: int) -> None:
    log = played(seed, WILD16, plies=40).log
    assert {event.answer for event in log} <= {Answer.ACCEPTED, Answer.ILLEGAL}


def test_an_impossible_try_stays_impossible_when_repeated() -> None:
    game = Referee(BERKELEY)
    move = chess.Move.from_uci("a1a8")
    assert [game.try_move(move) for _ in range(2)] == [Answer.IMPOSSIBLE, Answer.IMPOSSIBLE]


def test_a_refused_try_is_nonsense_only_within_the_turn() -> None:
    game = Referee(BERKELEY)
    capture = chess.Move.from_uci("e2d3")
    assert [game.try_move(capture) for _ in range(2)] == [Answer.ILLEGAL, Answer.REPEATED]
    for uci in ("a2a3", "a7a6"):
        assert game.try_move(chess.Move.from_uci(uci)) is Answer.ACCEPTED
    assert game.try_move(capture) is Answer.ILLEGAL


@pytest.mark.parametrize("uci", ["e1h1", "e1a1"])
def test_castling_is_tried_as_the_kings_two_steps_only(uci: str) -> None:
    game = Referee(BERKELEY, start="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert game.try_move(chess.Move.from_uci(uci)) is Answer.IMPOSSIBLE


def test_a_null_move_is_impossible() -> None:
    assert Referee(BERKELEY).try_move(chess.Move.null()) is Answer.IMPOSSIBLE


@pytest.mark.parametrize(
    "garbage",
    [
        None,
        "e2e4",
        12,
        (12, 28),
        chess.Move(64, 3),
        chess.Move(-1, 3),
        chess.Move(1, 2, 9),
        chess.Move(1, 1, None, 4),
    ],
)
def test_what_is_no_move_is_a_type_error_of_one_line_and_changes_nothing(garbage: object) -> None:
    game = Referee(BERKELEY)
    with pytest.raises(TypeError, match=r"^illegal argument: .*; a try is a chess\.Move between squares of the board$"):
        game.try_move(garbage)  # type: ignore[arg-type]
    assert game.view(chess.WHITE) == Referee(BERKELEY).view(chess.WHITE)


def test_a_square_that_is_an_index_of_another_type_becomes_a_plain_number() -> None:
    game = Referee(BERKELEY)
    assert game.try_move(chess.Move(np.uint64(12), np.uint64(28))) is Answer.ACCEPTED  # type: ignore[arg-type]
    (event,) = game.log
    assert isinstance(event, OwnTry)
    assert type(event.move.to_square) is int
    assert game.board().piece_at(chess.E4)


# Who hears what


def test_berkeley_lets_both_sides_hear_an_illegal_try() -> None:
    game = Referee(BERKELEY)
    game.try_move(chess.Move.from_uci("e2d3"))
    assert game.view(chess.WHITE).events == (OwnTry(chess.Move.from_uci("e2d3"), Answer.ILLEGAL),)
    assert game.view(chess.BLACK).events == (OpponentRefused(),)


@pytest.mark.parametrize("rules", [BERKELEY, WILD16, CINCINNATI], ids=lambda rules: rules.name)
def test_any_is_nonsense_heard_by_the_mover_alone_where_it_cannot_be_asked(rules: RuleSet) -> None:
    game = Referee(rules)
    assert not game.view(chess.WHITE).may_ask
    assert game.ask_any() is Answer.IMPOSSIBLE
    assert game.view(chess.WHITE).events == game.log == (OwnQuestion(Answer.IMPOSSIBLE),)
    assert game.view(chess.BLACK) == Referee(rules).view(chess.BLACK)


def test_wild16_lets_the_mover_alone_hear_an_illegal_try() -> None:
    game = Referee(WILD16, start="4k3/8/8/8/8/8/p3P3/1N2K3 w - - 0 1")
    game.try_move(chess.Move.from_uci("e1f3"))
    assert game.view(chess.WHITE).events == (OwnTry(chess.Move.from_uci("e1f3"), Answer.ILLEGAL),)
    assert game.view(chess.BLACK).events == ()


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_both_sides_get_the_same_announcement_of_a_move(rules: RuleSet) -> None:
    moves = 0
    for seed in range(5):
        game = played(seed, rules, plies=40)
        for color in chess.COLORS:
            tries = [event for event in game.events(color) if isinstance(event, OwnTry)]
            own = [event.announcement for event in tries if event.answer is Answer.ACCEPTED]
            heard = [event.announcement for event in game.events(not color) if isinstance(event, OpponentMoved)]
            assert own == heard
            moves += len(own)
    assert moves > 100


def test_wild16_announces_the_pawn_tries_of_the_side_that_begins() -> None:
    assert Referee(WILD16).view(chess.WHITE).pawn_tries == PawnTryCount(0)
    game = Referee(WILD16, start="rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    assert game.view(chess.WHITE).pawn_tries == PawnTryCount(1)
    assert game.view(chess.BLACK).pawn_tries is None
    assert Referee(BERKELEY).view(chess.WHITE).pawn_tries is None


# Ends


def test_mate_ends_the_game() -> None:
    game = after("f2f3", "e7e5", "g2g4", "d8h4")
    assert game.end == End(Reason.CHECKMATE, chess.BLACK)
    assert game.view(chess.WHITE).end == game.view(chess.BLACK).end == game.end
    assert game.view(chess.WHITE).tries() == []


def test_mate_at_the_ply_limit_is_mate_and_the_move_before_it_is_not_the_end() -> None:
    game = after("f2f3", "e7e5", "g2g4", limits=Limits(plies=4))
    assert game.end is None
    game.try_move(chess.Move.from_uci("d8h4"))
    assert game.end == End(Reason.CHECKMATE, chess.BLACK)


def test_the_ply_limit_counts_moves_of_the_game_and_not_of_the_start() -> None:
    game = Referee(BERKELEY, Limits(plies=2), "4k3/8/8/8/8/8/8/R3K2R b - - 30 90")
    for uci in ("e8e7", "a1a2"):
        assert game.end is None
        game.try_move(chess.Move.from_uci(uci))
    assert game.end == End(Reason.PLY_LIMIT)


def test_the_quiet_limit_counts_plies_and_is_set_back_by_a_pawn_move() -> None:
    quiet = ["g1f3", "g8f6", "f3g1", "f6g8"]
    assert after(*quiet, limits=Limits(quiet_plies=4)).end == End(Reason.QUIET_LIMIT)
    assert after(*quiet[:3], "e7e6", limits=Limits(quiet_plies=4)).end is None


def test_repetition_and_fifty_quiet_moves_do_not_end_a_game_without_limits() -> None:
    assert after(*["g1f3", "g8f6", "f3g1", "f6g8"] * 40).end is None


@pytest.mark.slow
@given(SEEDS, RULES)
def test_under_the_papers_limits_every_game_ends(seed: int, rules: RuleSet) -> None:
    game = played(seed, rules, PAPER_LIMITS, plies=1000)
    assert game.end is not None
    assert game.ply <= 160
    assert game.board().halfmove_clock <= 50


@pytest.mark.parametrize("color", chess.COLORS)
def test_either_side_may_resign_at_any_time(color: chess.Color) -> None:
    game = after("e2e4")
    game.resign(color)
    assert game.end == End(Reason.RESIGNATION, not color)
    assert game.view(not color).events[-1] == game.view(color).events[-1] == GameOver(game.end)


def test_a_forfeit_says_why_on_one_line() -> None:
    game = Referee(BERKELEY)
    game.forfeit(chess.WHITE, "  raised ValueError:\n\t'x'\x00\udcff ")
    assert game.end == End(Reason.FORFEIT, chess.BLACK, "raised ValueError: 'x'??")


def test_an_abandoned_game_has_no_result() -> None:
    game = Referee(BERKELEY)
    game.abandon("interrupted")
    assert game.end is not None
    assert (game.end.result, game.end.winner, game.end.detail) == ("*", None, "interrupted")


def test_a_draw_can_be_agreed() -> None:
    game = Referee(BERKELEY)
    game.agree()
    assert game.end == End(Reason.AGREEMENT)
    assert (game.end.result, game.end.text()) == ("1/2-1/2", "agreement, draw")


def test_nothing_happens_after_the_end() -> None:
    game = Referee(BERKELEY)
    game.resign(chess.WHITE)
    views = [game.view(color) for color in chess.COLORS]
    match = r"refused: the game has ended \(resignation, Black wins\)"
    with pytest.raises(GameIsOver, match="try e2e4 " + match):
        game.try_move(chess.Move.from_uci("e2e4"))
    with pytest.raises(GameIsOver, match="resignation " + match):
        game.resign(chess.BLACK)
    with pytest.raises(GameIsOver, match="forfeit " + match):
        game.forfeit(chess.BLACK)
    with pytest.raises(GameIsOver, match="abandonment " + match):
        game.abandon()
    with pytest.raises(GameIsOver, match="draw " + match):
        game.agree()
    assert views == [game.view(color) for color in chess.COLORS]


# The true board


def test_the_board_handed_out_is_a_copy() -> None:
    game = Referee(BERKELEY)
    game.board().push_uci("e2e4")
    assert game.board() == chess.Board()


@given(SEEDS, RULES)
def test_the_log_tells_the_whole_game(seed: int, rules: RuleSet) -> None:
    game = played(seed, rules, plies=30)
    again = Referee(rules, game.limits, game.start)
    assert [act(again, action_of(event)) for event in game.log] == [event.answer for event in game.log]
    assert again.log == game.log
    assert again.last == (game.log[-1] if game.log else None)
    assert [again.view(color) for color in chess.COLORS] == [game.view(color) for color in chess.COLORS]


# Starts


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ("", "is not a FEN"),
        ("rubbish", "is not a FEN"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "is not a position of chess (no white king, no black king, empty)"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
            "is not a position of chess (invalid ep square)",
        ),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "is not a position of chess (bad castling rights)"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "is not a position of chess (opposite check)"),
        ("R6k/6pp/8/8/8/8/8/4K3 b - - 0 1", "is already over (checkmate, White wins)"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "is already over (stalemate, draw)"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "is already over (dead position, draw)"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 50 90", "is already over (quiet limit, draw)"),
    ],
)
def test_a_game_cannot_begin_from_a_bad_start(start: str, why: str) -> None:
    with pytest.raises(BadStart) as caught:
        Referee(BERKELEY, PAPER_LIMITS, start)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"illegal start: {start!r} ")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text("rnbqkpRNBQKP12345678/ wb-KQkqe3. x\n", max_size=80) | st.text(max_size=30))
def test_a_start_is_taken_or_refused_as_a_bad_start(text: str) -> None:
    try:
        game = Referee(BERKELEY, start=text)
    except BadStart:
        return
    assert Referee(BERKELEY, start=game.start).start == game.start


@given(SEEDS)
def test_a_game_may_begin_from_any_position_of_another(seed: int) -> None:
    first = played(seed, plies=30)
    assume(first.end is None)
    fen = first.board().fen(en_passant="fen")
    second = Referee(BERKELEY, start=fen)
    assert second.start == fen
    assert second.board().fen() == first.board().fen()


# Rule sets and limits


def test_rule_sets_are_found_by_name() -> None:
    assert dict(RULE_SETS) == {rules.name: rules for rules in KNOWN}
    assert rule_set("berkeley") is BERKELEY


OWN = dataclasses.replace(WILD16, name="own", title="Wild 16, without checks", checks_announced=False)


def test_a_rule_set_is_data_that_stands_in_a_line() -> None:
    assert all(rules.text == name for name, rules in RULE_SETS.items())
    assert OWN.text.startswith("own title=Wild_16,_without_checks illegal_heard=mover nonsense=no captured_kind=yes ")
    assert rule_set(OWN.text) == OWN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWN.text.replace("own", "berkeley", 1), "the name 'berkeley' is taken."),
        (OWN.text.replace("own", "o/n", 1), "illegal name 'o/n' of a rule set: it takes "),
        (OWN.text.replace("=mover", "=nobody"), "illegal illegal_to 'nobody' of a rule set: it takes both, mover."),
        (
            OWN.text.replace("nonsense=no", "nonsense=maybe"),
            "illegal nonsense 'maybe' of a rule set: it takes yes, no.",
        ),
        (f"{OWN.text} checks_told=yes", "'checks_told' is no fact of one, or given twice."),
        (f"{OWN.text} colour=red", "'colour' is no fact of one, or given twice."),
        ("own title=Own", "illegal rule set 'own': it lacks illegal_heard, nonsense, captured_kind."),
    ],
)
def test_a_line_that_is_no_rule_set_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnknownRuleSet) as caught:
        rule_set(text)
    assert message in str(caught.value)


def test_a_rule_set_takes_its_own_kinds_of_values() -> None:
    with pytest.raises(ValueError, match="illegal nonsense 'yes' of a rule set: it takes yes, no"):
        dataclasses.replace(OWN, nonsense="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "berkley",
            "unknown rule set 'berkley'; did you mean 'berkeley'? "
            "Known: berkeley, berkeley_any, cincinnati, english, openspiel, rand, wild16.",
        ),
        (
            "atomic",
            "unknown rule set 'atomic'. Known: berkeley, berkeley_any, cincinnati, english, openspiel, rand, wild16.",
        ),
        ("", "unknown rule set ''. Known: berkeley, berkeley_any, cincinnati, english, openspiel, rand, wild16."),
    ],
)
def test_an_unknown_rule_set_names_near_misses_and_the_known(name: str, message: str) -> None:
    with pytest.raises(UnknownRuleSet) as caught:
        rule_set(name)
    assert str(caught.value) == message


def test_a_game_takes_a_rule_set_or_its_name() -> None:
    assert Referee("wild16").rules is WILD16
    assert Referee(OWN).rules is OWN
    with pytest.raises(UnknownRuleSet, match=r"unknown rule set 'atomic'\. Known: berkeley, "):
        Referee("atomic")


@pytest.mark.parametrize("value", [0, -1, 1.5, "160", True])
def test_a_limit_is_a_whole_number_from_one(value: object) -> None:
    with pytest.raises(ValueError, match=r"^illegal limit (quiet_)?plies="):
        Limits(plies=value)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^illegal limit quiet_plies="):
        Limits(quiet_plies=value)  # type: ignore[arg-type]


# The package


def test_the_public_names_are_these() -> None:
    names = {
        *("BERKELEY", "NO_LIMITS", "PAPER_LIMITS", "RULE_SETS", "WILD16", "Action", "Announcement", "CINCINNATI"),
        *("Asking", "BERKELEY_ANY", "ENGLISH", "OPENSPIEL", "RAND"),
        *("Answer", "AskAny", "BadAction", "BadAnnouncement", "BadStart", "Check", "End", "Event", "GameIsOver"),
        *("GameOver", "GameRecord", "Audience", "KriegspielError", "Limits", "CapturedKind"),
        *("OpponentAsked", "OpponentMoved", "OpponentRefused", "OwnQuestion", "OwnTry", "PawnTries", "Reason"),
        *("PawnTryCount", "PawnTryExists", "PawnTryInfo", "PawnTrySquares"),
        *("RecordError", "Referee", "Resign", "RuleSet", "Step", "Turn", "UnknownRuleSet", "View"),
        *("action_code", "announce", "load_record", "open_tries", "parse_action", "record_from_pgn"),
        *("record_to_pgn", "rule_set"),
        *("save_record",),
    }
    assert set(referee.__all__) == names
    assert len(referee.__all__) == len(names)
    assert all(hasattr(referee, name) for name in referee.__all__)


def test_every_error_of_the_package_is_a_kriegspiel_error() -> None:
    for error in (UnknownRuleSet, BadStart, GameIsOver, referee.BadAnnouncement, referee.RecordError):
        assert issubclass(error, KriegspielError)


def test_the_referee_knows_nothing_of_the_rest_of_the_project() -> None:
    code = (
        "import sys, referee; "
        "print({m.split('.')[0] for m in sys.modules} & {'kriegbot', 'evaluators', 'tournaments', 'numpy'})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert found.stdout.strip() == "set()"
