"""Endings in which mate is proved: the bound falls with every accepted move, until mate."""

import random
from dataclasses import replace
from importlib import import_module

import chess
import pytest

from kriegbot.endgames import BareKing, Mating, hostile_step, keeps_mate, probe, probe_king
from kriegbot.endgames.proofs import FILE, load_proofs, quiet_plies
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from referee import BERKELEY, NO_LIMITS, RULE_SETS, Answer, Limits, Reason, Referee, RuleSet
from tests.test_endgames import board_of, men, squares

CHOOSING, DEFENDERS, MAKING = map(import_module, ("choosing", "defenders", "endings"))
CHECKING = import_module("benchmarks.checking")  # by name: mypy reads scripts as modules of their own
PROVED = ("Kd4 Qb1", "Kc3 Rd4", "Kd7 Pe6", "Kc2 Bc3 Bd3", "Ke4 Be5 Nd5", "Kd4 Rd5 Re4")
"""Pieces that mate a king on any square."""


@pytest.mark.parametrize(
    "rules", [rules for rules in RULE_SETS.values() if rules.checks_announced], ids=lambda one: one.name
)
@pytest.mark.parametrize("color", chess.COLORS)
def test_a_proved_bound_falls_with_every_accepted_move_until_mate(rules: RuleSet, color: chess.Color) -> None:
    rng = random.Random(1)
    for text in PROVED:
        ours = {square if color else chess.square_mirror(square): kind for square, kind in men(text).items()}
        known = BareKing.anywhere(color, ours, rules)
        board = chess.Board(None)
        for square, kind in ours.items():
            board.set_piece_at(square, chess.Piece(kind, color))
        board.set_piece_at(rng.choice(list(chess.scan_forward(known.squares))), chess.Piece(chess.KING, not color))
        board.turn = color
        referee, proof = Referee(rules, NO_LIMITS, board.fen()), probe_king(known)
        assert proof is not None
        bound = proof.moves
        while referee.end is None:
            if referee.turn == color:
                proof = probe_king(known)
                assert proof is not None
                assert proof.moves <= bound
                bound = proof.moves - (referee.try_move(proof.move) is Answer.ACCEPTED)
            else:
                referee.try_move(rng.choice(list(referee.board().legal_moves)))
            known = known.after(referee.view(color).events[-1])
        assert referee.end.reason is Reason.CHECKMATE


@pytest.mark.parametrize(("defender", "seed"), [("flees", 4375639706126326204), ("hostile", 3242617419519103657)])
def test_a_bound_of_two_rooks_falls_though_one_alone_would_mate_sooner(defender: str, seed: int) -> None:
    assert MAKING.play("KRRK", DEFENDERS.DEFENDERS[defender], BERKELEY, seed) > 1


@pytest.mark.parametrize("name", ["plies", "quiet_plies"])
def test_a_mate_that_fits_a_game_s_limit_exactly_is_reached_against_a_hostile_king(name: str) -> None:
    for text in PROVED[:2]:
        known = BareKing.anywhere(chess.WHITE, men(text))
        proof, mating = probe_king(known), Mating(seed=1)
        assert proof is not None
        board = board_of(chess.WHITE, men(text), chess.msb(known.squares), chess.WHITE)
        referee = Referee(BERKELEY, Limits(**{name: 2 * proof.moves - 1}), board.fen())
        while referee.end is None:
            if referee.turn == chess.WHITE:
                referee.try_move(mating.best_try(known).move)
            else:
                referee.try_move(hostile_step(referee.board(), known))
            known = known.after(referee.view(chess.WHITE).events[-1])
        assert referee.end.reason is Reason.CHECKMATE


def test_a_rook_mates_a_king_seen_at_first_within_the_proof() -> None:
    referee = Referee(start="8/8/2R5/8/3k4/8/8/6K1 w - - 0 1")
    player, proof = make_player(parse_spec("kriegbot:samples=200"), 1), probe(referee.view(chess.WHITE))
    assert proof is not None
    while referee.end is None:
        view = referee.view(chess.WHITE)
        if referee.turn == chess.WHITE:
            move = player.choose(view).action
            assert isinstance(move, chess.Move)
            referee.try_move(move)
        else:
            king = BareKing.of(view)
            assert king is not None
            referee.try_move(hostile_step(referee.board(), king))
    assert referee.end.reason is Reason.CHECKMATE
    assert referee.ply <= 2 * proof.moves - 1


@pytest.mark.parametrize("text", ["Ka1 Re5", "Kg8 Bc6 Be3", "Kc2 Bh3 Nf5"])
def test_a_set_that_is_not_proved_is_left_by_a_try_that_loses_no_square_of_its_largest_proved_part(text: str) -> None:
    king = BareKing.anywhere(chess.WHITE, men(text))
    best = Mating(seed=1).best_try(king)
    assert best.proof is None
    assert 0.5 < best.proved < 1.0
    lost = 0
    for square in chess.scan_forward(king.squares):
        board = board_of(chess.WHITE, men(text), square, chess.WHITE)
        if board.is_legal(best.move):
            board.push(best.move)
            lost += any(map(board.is_capture, board.legal_moves))
    assert lost <= round((1.0 - best.proved) * chess.popcount(king.squares))


def test_the_proof_for_most_squares_is_given_up_if_keeping_it_stalemates_the_king_on_another() -> None:
    ours = "Ke5 Bf5 Ph7 Ph4"  # a pawn alone mates most kings after Kf6
    best = Mating(seed=1).best_try(BareKing.anywhere(chess.WHITE, men(ours)))
    assert 0.9 < best.proved < 1.0
    board = board_of(chess.WHITE, men(ours), chess.H8, chess.WHITE)
    board.push(best.move)
    assert not board.is_stalemate()


def test_a_try_keeps_mate_only_if_every_answer_leads_to_a_proved_set() -> None:
    king = BareKing(chess.WHITE, men("Kd4 Qb1"), squares("g8 g7"))
    safe, loose = map(chess.Move.from_uci, ("b1b5", "b1g6"))
    assert keeps_mate(king, safe)
    assert not keeps_mate(king, loose)
    assert not keeps_mate(replace(king, rules=RULE_SETS["openspiel"]), safe)


def test_a_promotion_keeps_mate_if_the_new_piece_can_mate() -> None:
    king = BareKing(chess.WHITE, men("Kc6 Pb7"), squares("h1"))
    kept = {piece: keeps_mate(king, chess.Move.from_uci(f"b7b8{piece}")) for piece in "qrbn"}
    assert kept == {"q": True, "r": True, "b": False, "n": False}


def test_no_mate_is_proved_that_a_limit_may_prevent() -> None:
    start = "8/8/8/3k4/8/8/8/KQ6 w - - 7 1"
    proof = probe(Referee(start=start).view(chess.WHITE))
    assert proof is not None
    plies = 2 * proof.moves - 1
    for limits in (Limits(plies=plies), Limits(quiet_plies=7 + plies)):
        assert probe(Referee(limits=limits, start=start).view(chess.WHITE)) == proof
    for limits in (Limits(plies=plies - 1), Limits(quiet_plies=6 + plies)):
        assert probe(Referee(limits=limits, start=start).view(chess.WHITE)) is None


@pytest.mark.parametrize(
    ("moves", "quiet"), [("a1a2 d5d4 a2a3 d4d5", 4), ("a1a2 d5d4 h2h3 d4d5", 1), ("b1b2 d5e4 h2h4 e4f3 b2b3 f3f4", 3)]
)
def test_quiet_plies_are_counted_from_the_last_move_of_a_pawn(moves: str, quiet: int) -> None:
    referee = Referee(start="8/8/8/3k4/8/8/7P/KQ6 w - - 0 1")
    for move in moves.split():
        assert referee.try_move(chess.Move.from_uci(move)) is Answer.ACCEPTED
    assert quiet_plies(referee.view(chess.WHITE)) == quiet == referee.board().halfmove_clock


def test_a_try_that_our_own_pieces_rule_out_tells_nothing_of_the_king() -> None:
    referee = Referee(RULE_SETS["wild16"], start="7k/8/8/8/8/P7/8/R3K3 w - - 0 1")
    before = BareKing.of(referee.view(chess.WHITE))
    for move in ("a1a8", "c4c5", "e1g1"):
        assert referee.try_move(chess.Move.from_uci(move)) is Answer.ILLEGAL
        assert BareKing.of(referee.view(chess.WHITE)) == before


def test_a_view_is_proved_from_our_turn_against_a_bare_king_alone() -> None:
    referee = Referee(start="8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    proof = probe(referee.view(chess.WHITE))
    assert proof is not None
    assert proof.moves <= 18
    assert probe(referee.view(chess.BLACK)) is None
    referee.try_move(proof.move)
    assert probe(referee.view(chess.WHITE)) is None
    assert probe(Referee().view(chess.WHITE)) is None


def test_a_rook_beside_a_king_that_may_stand_anywhere_is_not_proved() -> None:
    assert probe_king(BareKing.anywhere(chess.WHITE, men("Ka1 Re5"))) is None
    assert probe_king(BareKing(chess.WHITE, men("Ka1 Re5"), squares("g8 h8"))) is not None
    assert probe_king(BareKing(chess.WHITE, men("Ka1 Nc3"), squares("g8"))) is None


def test_without_announced_checks_nothing_is_proved() -> None:
    silent = [rules for rules in RULE_SETS.values() if not rules.checks_announced]
    assert [rules.name for rules in silent] == ["openspiel"]
    assert probe_king(BareKing.anywhere(chess.WHITE, men("Kd4 Qb1"), silent[0])) is None


@pytest.mark.slow
def test_sets_of_the_file_are_true_and_spoiled_ones_are_noticed() -> None:
    rng, file = random.Random(2), CHECKING.File.read(FILE)
    endings = {letters: [one for one in file.sets if file.letters[one] == letters] for letters in CHECKING.ENDS}
    checked = still_true = changed = 0
    for places in endings.values():
        for placed in rng.sample(places, 6):
            entry = rng.choice(file.sets[placed])
            checked += file.is_true(entry)
            spoiled = CHECKING.spoiled(entry, rng)
            still_true, changed = still_true + sum(map(file.is_true, spoiled)), changed + len(spoiled)
    assert checked == 6 * len(endings)
    assert still_true <= changed / 10 < changed


def test_a_set_in_which_we_may_be_stalemated_is_not_true() -> None:
    pieces, move = frozenset(men("Ka8 Pa7").items()), chess.Move.from_uci("a8b7")
    assert not CHECKING.File({}, {}).is_true(CHECKING.Entry(pieces, 0, squares("c7 d4"), move, 5))


def test_a_file_with_too_many_sets_of_a_placement_is_refused() -> None:
    proofs = load_proofs()
    starts = proofs.starts.copy()
    starts[1:] += 1 << 16
    with pytest.raises(ValueError, match="placements with up to 6"):
        CHOOSING.packed(proofs._replace(starts=starts))
    assert len(FILE.read_bytes()) < 4_000_000
