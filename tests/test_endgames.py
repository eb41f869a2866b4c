"""Endings against a bare king: sets of its squares, and the tries of the search."""

import random
from dataclasses import replace

import chess
import pytest

from kriegbot.endgames import BareKing, Mating
from referee import BERKELEY, RULE_SETS, Referee, RuleSet
from tests.effort import many
from tests.exact_belief import ExactBelief

BARED_SOON = ("r3k3/8/8/8/8/8/7R/R3K2R w KQq - 0 1", "8/8/3k4/2p5/3B4/8/8/R3K2R w KQ - 0 1")
"""Positions with a king about to be bare."""
Placed = dict[chess.Square, chess.PieceType]


def men(text: str) -> Placed:
    """Parse pieces such as "Kc6 Rb1"."""
    return {chess.parse_square(one[1:]): chess.Piece.from_symbol(one[0]).piece_type for one in text.split()}


def squares(text: str) -> chess.Bitboard:
    return chess.SquareSet(map(chess.parse_square, text.split())).mask


def board_of(color: chess.Color, ours: Placed, king: chess.Square, turn: chess.Color) -> chess.Board:
    board = chess.Board(None)
    for square, kind in ours.items():
        board.set_piece_at(square, chess.Piece(kind, color))
    board.set_piece_at(king, chess.Piece(chess.KING, not color))
    board.turn = turn
    return board


def random_start(rng: random.Random) -> BareKing:
    """Return up to four pieces of ours and the king anywhere."""
    color = rng.random() < 0.5
    kinds = [chess.KING, *rng.choices((1, 1, 2, 3, 4, 5), k=rng.randrange(1, 4))]
    while True:
        ours = dict(zip(rng.sample(chess.SQUARES, len(kinds)), kinds, strict=True))
        on_last = any(kind == chess.PAWN and square >> 3 in (0, 7) for square, kind in ours.items())
        king = BareKing.anywhere(color, ours)
        if not on_last and king.squares:
            return king


def kings_of(belief: ExactBelief, color: chess.Color) -> chess.Bitboard:
    """Return the king's squares in the positions of a belief."""
    return chess.SquareSet(board.king(not color) or 0 for board, _ in belief.positions).mask


def test_a_king_of_which_nothing_is_known_may_be_on_every_square_that_makes_a_valid_board() -> None:
    rng = random.Random(1)
    for _ in range(50):
        king = random_start(rng)
        for square in chess.SQUARES:
            is_valid = square not in king.men and board_of(king.color, dict(king.men), square, king.color).is_valid()
            assert bool(king.squares & chess.BB_SQUARES[square]) == is_valid


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_sets_are_those_of_the_exact_belief_in_random_play(rules: RuleSet) -> None:
    rng, compared = random.Random(2), 0
    for _ in range(many(25, 10)):
        known = random_start(rng)
        color, where = known.color, list(chess.scan_forward(known.squares))
        boards = [board_of(color, dict(known.men), square, color) for square in where]
        boards = [board for board in boards if any(board.legal_moves) and not board.is_insufficient_material()]
        if not boards:
            continue
        referee = Referee(rules, start=rng.choice(boards).fen())
        belief = ExactBelief.from_positions([(board, 1.0) for board in boards], referee.view(color))
        known = BareKing(color, known.men, kings_of(belief, color), rules)
        known_events = 0
        while referee.end is None and referee.ply < 12:
            referee.try_move(rng.choice(referee.view(referee.turn).tries()))
            view = referee.view(color)
            for event in view.events[known_events:]:
                known = known.after(event)
            known_events = len(view.events)
            if referee.end is None:
                belief.update(view)
                assert known.men == view.men
                ended = known.squares & ~kings_of(belief, color)  # mate and stalemate would have been announced
                assert kings_of(belief, color) == known.squares & ~ended
                assert ended == 0 or referee.turn != color
                compared += 1
    assert compared > many(100, 40)


def announced(board: chess.Board, move: chess.Move, shows_checks: bool) -> tuple[chess.Board, tuple[object, ...]]:
    """Return the board after a legal move beside a bare king, and what the referee announces, by python-chess alone."""
    after, checks = board.copy(stack=False), set()
    after.push(move)
    king = after.king(after.turn) or 0
    diagonals = chess.SquareSet(chess.BB_DIAG_ATTACKS[king][0])
    for square in after.checkers():
        line = chess.SquareSet(chess.ray(king, square))
        is_longer = 2 * len(line & diagonals) > len(diagonals)
        on_rank, on_file = (part(king) == part(square) for part in (chess.square_rank, chess.square_file))
        checks.add("rank" if on_rank else "file" if on_file else (is_longer,) if line else "knight")
    capture = move.to_square if board.is_capture(move) else None
    said = capture, checks if shows_checks else (), any(after.legal_moves), after.is_insufficient_material()
    return after, said


def masks(board: chess.Board) -> tuple[chess.Bitboard, ...]:
    """Return what stands where; two boards after the same announcements differ in nothing else."""
    types = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    return *types, *board.occupied_co, board.ep_square or 0


def kings_on(boards: list[chess.Board], color: chess.Color) -> chess.Bitboard:
    return chess.SquareSet(board.king(not color) or 0 for board in boards).mask


def illegal_steps(board: chess.Board) -> list[chess.Move]:
    king = board.king(board.turn) or 0
    steps = [chess.Move(king, square) for square in chess.SquareSet(chess.BB_KING_ATTACKS[king])]
    return [step for step in steps if not board.is_legal(step)]


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_squares_of_a_king_that_was_refused_are_those_of_python_chess_alone(rules: RuleSet) -> None:
    rng, compared, narrowed = random.Random(7), 0, 0
    for _ in range(many(60, 12)):
        start = random_start(rng)
        color, where = start.color, chess.scan_forward(start.squares)
        boards = [board_of(color, dict(start.men), square, color) for square in where]
        boards = [board for board in boards if any(board.legal_moves) and not board.is_insufficient_material()]
        if not boards:
            continue
        referee, known = Referee(rules, start=rng.choice(boards).fen()), replace(start, rules=rules)
        known, events = replace(known, squares=kings_on(boards, color)), 0
        while referee.end is None and referee.ply < 10:
            true, is_ours = referee.board(), referee.turn == color
            illegal = [move for move in referee.view(color).tries() if not true.is_legal(move)] if is_ours else []
            refused = illegal or illegal_steps(true) * (not is_ours)
            refused = rng.sample(refused, rng.randint(0, min(3, len(refused))))
            move = rng.choice(list(true.legal_moves))
            for each in (*refused, move):
                referee.try_move(each)
            (_, said), before = announced(true, move, rules.checks_announced), len(boards)
            if is_ours:
                boards = [board for board in boards if not any(map(board.is_legal, refused)) and board.is_legal(move)]
            elif rules.nonsense:
                boards = [board for board in boards if len(illegal_steps(board)) >= len(refused)]
                narrowed += len(boards) < before
            moves = [(board, each) for board in boards for each in ([move] if is_ours else board.legal_moves)]
            heard = (announced(board, each, rules.checks_announced) for board, each in moves)
            boards = list({masks(after): after for after, told in heard if told == said}.values())
            view = referee.view(color)
            for event in view.events[events:]:
                known = known.after(event)
            events = len(view.events)
            if referee.end is None:
                gone = known.squares & ~kings_on(boards, color)
                assert known.squares == kings_on(boards, color) | gone
                # mate, stalemate and draws would have been announced
                assert all(
                    not any(board_of(color, dict(known.men), s, not color).legal_moves)
                    for s in chess.scan_forward(gone)
                )
                compared += 1
    assert compared > many(120, 60)
    assert narrowed > 5 or not rules.nonsense


@pytest.mark.slow
def test_a_view_tells_where_a_king_may_be_from_the_moment_it_is_bare() -> None:
    rng, bare = random.Random(3), 0
    for _ in range(many(10, 5)):
        referee = Referee(BERKELEY, start=rng.choice(BARED_SOON))
        while referee.end is None and referee.ply < 60:
            moves = list(referee.board().legal_moves)
            takes = [move for move in moves if referee.board().is_capture(move)]
            referee.try_move(rng.choice(takes or moves))
            for color in chess.COLORS:
                king, board = BareKing.of(referee.view(color)), referee.board()
                assert (king is None) == (chess.popcount(board.occupied_co[not color]) > 1)
                if king is not None and referee.end is None:
                    bare += 1
                    assert king.men == referee.view(color).men
                    assert king.squares & board.pieces_mask(chess.KING, not color)
    assert bare > many(50, 25)


@pytest.mark.parametrize(
    ("move", "refusing"),
    [("h1h4", "h2 h3"), ("b6b7", "a6 a7 a8 b6 b7 b8 c6 c7 c8"), ("e2e4", "e3 e4")],
)
def test_a_king_makes_a_try_illegal_in_its_way_and_beside_our_king(move: str, refusing: str) -> None:
    king = BareKing.anywhere(chess.WHITE, men("Kb6 Rh1 Pe2"))
    assert king.refusing(chess.Move.from_uci(move)) == squares(refusing)


def test_a_bare_kings_squares_grow_with_each_of_its_moves_and_with_others_there_are_none() -> None:
    referee = Referee(start="8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    for uci in ("a1a2", "d5e4"):
        referee.try_move(chess.Move.from_uci(uci))
    king = BareKing.of(referee.view(chess.WHITE))
    assert king is not None
    assert king.squares == chess.BB_KING_ATTACKS[chess.D5]
    for pawns in ("p7", "pp6"):
        assert BareKing.of(Referee(start=f"8/8/8/3k4/8/8/{pawns}/R3K3 w - - 0 1").view(chess.WHITE)) is None


@pytest.mark.parametrize(
    ("ours", "where", "mates"),
    [
        ("Kb6 Rh1", "a8", {"h1h8"}),
        ("Kg6 Qa7", "h8 g8", {"a7g7"}),
        ("Kc7 Qh2", "a8 a7", {"h2a2"}),
        ("Kf6 Bd5 Be5", "h8", set()),
    ],
)
@pytest.mark.parametrize("color", chess.COLORS)
def test_a_mate_in_one_is_found_on_every_square_of_a_set(
    ours: str, where: str, mates: set[str], color: chess.Color
) -> None:
    king = BareKing(chess.WHITE, men(ours), squares(where))
    if color == chess.BLACK:
        turned = {chess.square_mirror(square): kind for square, kind in king.men.items()}
        king = BareKing(color, turned, chess.flip_vertical(king.squares))
    chosen = Mating(seed=4).best_try(king)
    if mates:
        assert chosen.cost == pytest.approx(1.0)
    for square in chess.scan_forward(king.squares) if mates else ():
        board = board_of(color, dict(king.men), square, color)
        board.push(chosen.move)
        assert board.is_checkmate()


def test_a_queen_neither_stalemates_nor_hangs() -> None:
    rng = random.Random(5)
    for _ in range(40):
        ours = dict(zip(rng.sample(chess.SQUARES, 2), (chess.KING, chess.QUEEN), strict=True))
        everywhere = BareKing.anywhere(chess.WHITE, ours)
        where = list(chess.scan_forward(everywhere.squares))
        king = BareKing(chess.WHITE, ours, chess.SquareSet(rng.sample(where, min(len(where), 3))).mask)
        move = Mating(seed=6).best_try(king).move
        for square in chess.scan_forward(king.squares):
            board = board_of(chess.WHITE, ours, square, chess.WHITE)
            if board.is_legal(move):
                board.push(move)
                assert not board.is_stalemate()
                assert not any(board.is_capture(reply) for reply in board.legal_moves)


def test_if_a_king_attacks_two_pieces_the_one_that_mates_is_saved() -> None:
    ours = "Kc5 Rb6 Ba4"
    board = board_of(chess.WHITE, men(ours), chess.A5, chess.WHITE)
    board.push(Mating(seed=1).best_try(BareKing(chess.WHITE, men(ours), squares("a5"))).move)
    assert any(board.legal_moves)
    assert not any(board.piece_type_at(move.to_square) == chess.ROOK for move in board.legal_moves)


def test_the_same_seed_chooses_the_same_tries() -> None:
    king = BareKing.anywhere(chess.WHITE, men("Ka1 Rd4"))
    first, second = (Mating(seed=7).best_try(king) for _ in range(2))
    assert first == second


def test_a_pawn_is_promoted_to_a_queen() -> None:
    king = BareKing(chess.WHITE, men("Kg6 Pg7"), squares("a4"))
    assert Mating(seed=8).best_try(king).move.uci() in ("g7g8q", "g7g8r")


def test_a_pawn_about_to_promote_brings_mate_nearer_even_beside_a_rook() -> None:
    seen = squares("e3 e4 f3 f4")
    costs = [
        Mating(seed=1).best_try(BareKing(chess.WHITE, men(ours), seen)).cost for ours in ("Kb7 Ra1", "Kb7 Ra1 Pa6")
    ]
    assert costs[1] < costs[0] - 1


def plies_to_mate(ours: str, rng: random.Random) -> int:
    """Return the plies that White takes to mate a random king that may be anywhere; 100 at most."""
    known = BareKing.anywhere(chess.WHITE, men(ours))
    where = list(chess.scan_forward(known.squares))
    referee = Referee(BERKELEY, start=board_of(chess.WHITE, dict(known.men), rng.choice(where), chess.WHITE).fen())
    mating = Mating(seed=10)
    while referee.end is None and referee.ply < 100:
        move = mating.best_try(known).move
        referee.try_move(move)
        known = known.after(referee.view(chess.WHITE).events[-1])
        if referee.turn == chess.BLACK and referee.end is None:
            referee.try_move(rng.choice(list(referee.board().legal_moves)))
            known = known.after(referee.view(chess.WHITE).events[-1])
    assert referee.end is not None
    assert referee.end.winner == chess.WHITE
    return referee.ply


@pytest.mark.slow
def test_rook_and_queen_mate_a_king_that_may_be_anywhere() -> None:
    rng = random.Random(9)
    for ours in ("Kb2 Qe5", "Kf3 Rc6"):
        assert plies_to_mate(ours, rng) < 100


@pytest.mark.slow
def test_a_rook_lets_a_pawn_promote_first() -> None:
    assert plies_to_mate("Kc3 Re4 Ph4 Pg3", random.Random(1)) < 40  # 49 if the rook does not wait


def test_a_stalemate_is_avoided_where_it_draws_and_sought_where_it_wins() -> None:
    king = BareKing(chess.WHITE, men("Ke6 Pf7 Pa2"), squares("f8"))
    draws, wins = (Mating(seed=11).best_try(king, stalemate_wins=wins) for wins in (False, True))
    assert draws.move.uci() != "e6f6"
    assert (wins.move.uci(), wins.cost) == ("e6f6", 1.0)
