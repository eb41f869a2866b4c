"""The sparring partners: the rules that they share, their densities, and games against rand."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import pytest

from kriegbot.game.match import GameResult, play_game
from kriegbot.game.seat import HereSeat
from kriegbot.parts import load_object
from kriegbot.players.making import make_player
from kriegbot.players.rand import RandPlayer
from kriegbot.players.scripted import LoneKing
from kriegbot.players.specs import parse_spec
from referee import BERKELEY, NO_LIMITS, PAPER_LIMITS, RULE_SETS, WILD16, Answer, Check, Limits, Referee, RuleSet, View
from tests.effort import IS_THOROUGH, many

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "partners"
BLITZER, METAPOSITION = f"{FOLDER}/blitzer.py:BlitzerPlayer", f"{FOLDER}/metaposition.py:MetapositionPlayer"
MCTS = f"{FOLDER}/mcts.py:MctsPlayer"
SCRIPTS = ("grabber", "shuffler", "rusher", BLITZER)
STRANGERS = tuple(
    f"{FOLDER}/strangers.py:{name}"
    for name in ("WallPlayer", "RecapturePlayer", "TwoPieceHunter", "BookPlayer", "HabitPlayer")
)
PARTNERS = (*SCRIPTS, METAPOSITION, MCTS, *STRANGERS)
# loaded by path, as their players are
Metaposition: Any = load_object(f"{FOLDER}/mcts.py:Metaposition")
Odds: Any = load_object(f"{FOLDER}/mcts.py:Odds")
Tree: Any = load_object(f"{FOLDER}/mcts.py:Tree")


def short(value: object) -> str | None:
    """Return the name of a player without its folder, for a test's name."""
    return value.rpartition("/")[2] if isinstance(value, str) else None


def referee_after(start: str, *tries: str, rules: RuleSet = BERKELEY) -> Referee:
    """Return a game in which these tries were accepted."""
    referee = Referee(rules, NO_LIMITS, start)
    for text in tries:
        assert referee.try_move(chess.Move.from_uci(text)) is Answer.ACCEPTED
    return referee


def answer(name: str, view: View, seed: int = 1) -> chess.Move:
    """Return the first try of a new player."""
    action = make_player(parse_spec(name), seed).choose(view).action
    assert isinstance(action, chess.Move)
    return action


def mcts_tree(view: View, seed: int) -> Any:
    """Return the tree with which `mcts` begins a turn."""
    metaposition = Metaposition(view)
    metaposition.update(view)
    return Tree(view, Odds(view, metaposition), random.Random(seed))


@pytest.mark.parametrize("name", SCRIPTS, ids=short)
def test_a_lone_king_goes_away_from_the_square_that_refused_it(name: str) -> None:
    referee = Referee(BERKELEY, NO_LIMITS, "8/8/8/3k4/R7/8/8/6K1 b - - 0 1")
    assert referee.try_move(chess.Move.from_uci("d5d4")) is Answer.ILLEGAL
    for seed in range(5):
        assert answer(name, referee.view(chess.BLACK), seed).uci() in ("d5c6", "d5d6", "d5e6")


def against_rand(name: str, number: int, limits: Limits = PAPER_LIMITS) -> tuple[GameResult, chess.Color]:
    """Play a game against rand; return it and the colour of the player."""
    color = number % 2 == 0
    seats = (HereSeat(name, lambda seed: make_player(parse_spec(name), seed)), HereSeat("rand", RandPlayer))
    white, black = seats if color else seats[::-1]
    return play_game(white, black, limits=limits, seed=number), color


@pytest.mark.parametrize("name", PARTNERS, ids=short)
def test_the_cheapest_man_retakes_on_the_announced_square(name: str) -> None:
    # a knight has taken on e5; the rook on e1 and the queen on h2 could retake as well as the knight on f3
    view = referee_after("4k3/8/2n5/4P3/8/5N2/7Q/K3R3 b - - 0 1", "c6e5").view(chess.WHITE)
    assert answer(name, view).uci() == "f3e5"


@pytest.mark.parametrize("name", [METAPOSITION, MCTS], ids=short)
def test_who_cannot_retake_with_one_man_tries_the_next_and_the_king_last(name: str) -> None:
    referee = referee_after("4k3/8/5n2/8/4P3/r2PK1Nr/8/8 b - - 0 1", "f6e4")  # rooks pin pawn and knight
    player, tried = make_player(parse_spec(name), 1), []
    while referee.turn == chess.WHITE:
        action = player.choose(referee.view(chess.WHITE)).action
        assert isinstance(action, chess.Move)
        tried.append(action.uci())
        referee.try_move(action)
    assert tried == ["d3e4", "g3e4", "e3e4"]


@pytest.mark.parametrize("name", [METAPOSITION, MCTS], ids=short)
def test_a_queen_retakes_too_if_nothing_else_can(name: str) -> None:
    view = referee_after("3rk3/8/2n5/8/3P4/8/3Q4/7K b - - 0 1", "c6d4").view(chess.WHITE)  # which the rook protects
    assert answer(name, view).uci() == "d2d4"


@pytest.mark.parametrize("name", SCRIPTS, ids=short)
def test_a_refused_try_is_followed_by_another(name: str) -> None:
    referee, player = Referee(), make_player(parse_spec(name), 1)
    tried: list[chess.Move] = []
    while referee.turn == chess.WHITE:
        action = player.choose(referee.view(chess.WHITE)).action
        assert isinstance(action, chess.Move)
        tried.append(action)
        referee.try_move(action)
    assert len(set(tried)) == len(tried) > 1  # no pawn can take anything at the beginning


@pytest.mark.parametrize("name", PARTNERS, ids=short)
def test_a_check_is_answered_by_the_king_or_on_its_line(name: str) -> None:
    view = referee_after("4k2r/8/8/8/8/8/5PPP/1R2K2N b k - 0 1", "e8f8", "h1g3", "h8h5", "b1b3", "h5e5").view(
        chess.WHITE
    )
    move = answer(name, view)
    assert chess.square_file(move.from_square) == 4 or chess.square_file(move.to_square) == 4


@pytest.mark.parametrize("name", SCRIPTS, ids=short)
def test_a_queen_beside_a_capture_goes_away_if_nothing_can_retake(name: str) -> None:
    view = referee_after("4k3/8/2n5/8/1P6/8/2Q5/7K b - - 0 1", "c6b4").view(chess.WHITE)
    move = answer(name, view)
    assert move.from_square == chess.C2
    assert not chess.BB_KNIGHT_ATTACKS[chess.B4] >> move.to_square & 1


def test_the_shuffler_stays_at_home_and_the_rusher_does_not() -> None:
    heights = {}
    for name in ("shuffler", "rusher"):
        referee = Referee()
        players = {chess.WHITE: make_player(parse_spec(name), 1), chess.BLACK: RandPlayer(1)}
        while referee.ply < 30:
            action = players[referee.turn].choose(referee.view(referee.turn)).action
            assert isinstance(action, chess.Move)
            referee.try_move(action)
        heights[name] = max(chess.square_rank(square) for square in referee.view(chess.WHITE).men)
    assert heights["shuffler"] <= 3 < heights["rusher"]


def test_strangers_differ_in_their_first_ten_moves() -> None:
    games = set()
    for name in STRANGERS:
        referee = Referee()
        players = {chess.WHITE: make_player(parse_spec(name), 1), chess.BLACK: RandPlayer(1)}
        while referee.ply < 20 and referee.end is None:
            action = players[referee.turn].choose(referee.view(referee.turn)).action
            assert isinstance(action, chess.Move)
            referee.try_move(action)
        games.add(frozenset(referee.view(chess.WHITE).men.items()))
    assert len(games) == len(STRANGERS)


@pytest.mark.slow
def test_the_blitzer_mates_on_f7_who_pushes_the_pawns_of_the_wings() -> None:
    mates = 0
    for seed in range(8):
        referee, player = Referee(), make_player(parse_spec(BLITZER), seed)
        replies = ["a7a6", "h7h6", "a6a5", "h6h5", "a5a4", "h5h4", "b7b6", "g7g6"]
        while referee.end is None and (referee.turn == chess.WHITE or replies):
            view = referee.view(referee.turn)
            action = player.choose(view).action if referee.turn else chess.Move.from_uci(replies.pop(0))
            assert isinstance(action, chess.Move)
            referee.try_move(action)
        mates += referee.end is not None and referee.board().peek().to_square == chess.F7
    assert mates >= 4


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTNERS, ids=short)
def test_the_same_seed_plays_the_same_game(name: str) -> None:
    first, second, other = (
        [(turn.move, turn.tries) for turn in against_rand(name, seed, Limits(plies=many(24, 10)))[0].record.turns]
        for seed in (3, 3, 5)
    )
    assert first == second != other


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_mcts_makes_open_tries_under_every_rule_set(rules: RuleSet) -> None:
    referee, accepted = Referee(rules, PAPER_LIMITS), 0
    players = {chess.WHITE: make_player(parse_spec(f"{MCTS}:simulations=20"), 1), chess.BLACK: RandPlayer(1)}
    while referee.end is None and referee.ply < 40:
        view = referee.view(referee.turn)
        action = players[referee.turn].choose(view).action
        assert action in view.tries()
        assert isinstance(action, chess.Move)
        accepted += referee.try_move(action) is Answer.ACCEPTED
    assert accepted == referee.ply > 20


@pytest.mark.parametrize("seed", range(6))
def test_mcts_retakes_a_queen_with_a_pawn(seed: int) -> None:
    # the queen on d5 has been taken; the pawn, the rook and the king could retake
    view = referee_after("4k3/8/2n5/3Qp3/2P5/3K4/8/3R4 b - - 0 1", "c6e7", "d3c3", "e7d5").view(chess.WHITE)
    assert answer(MCTS, view, seed).uci() == "c4d5"


@pytest.mark.parametrize("seed", range(6))
def test_mcts_does_not_give_its_queen_for_a_pawn(seed: int) -> None:
    view = referee_after(chess.STARTING_FEN, "e2e4", "a7a6", "d1h5", "a6a5").view(chess.WHITE)
    tree = mcts_tree(view, seed)
    for _ in range(100):
        tree.simulate()
    tries = {one.move.uci(): one for one in tree.root.opened}
    quiet = max(one.value for one in tries.values() if one.legal > 0.9)
    assert max(tries["h5f7"].value, tries["h5h7"].value) < quiet - 1.0  # the king and a rook stand behind


@pytest.mark.slow
def test_more_simulations_change_what_mcts_tries() -> None:
    """A search that rated only its first tries would play the same game with any number of simulations."""
    fewest, most = (
        play_game(
            HereSeat(MCTS, partial(make_player, parse_spec(f"{MCTS}:simulations={simulations}"))),
            HereSeat("rand", RandPlayer),
            limits=Limits(plies=20),
            seed=2,
        )
        for simulations in (1, 60)
    )
    assert [turn.move for turn in fewest.record.turns] != [turn.move for turn in most.record.turns]


def test_the_tree_of_mcts_weighs_what_is_heard_and_goes_two_turns_deep() -> None:
    tree = mcts_tree(referee_after(chess.STARTING_FEN, "e2e4", "d7d5").view(chess.WHITE), 1)
    for _ in range(200):
        tree.simulate()
    followed = [one for one in tree.root.opened if one.visits]
    assert sum(one.visits for one in followed) > 150  # but for draws in which all tries were refused
    assert len(followed) > 5
    for one in tree.root.opened:
        assert sum(outcome.odds for outcome in one.outcomes) == pytest.approx(1.0)
        assert one.value == pytest.approx(sum(outcome.odds * outcome.value for outcome in one.outcomes))
        assert 0.0 <= one.legal <= 1.0
    nodes = [outcome.node for one in followed for outcome in one.outcomes if outcome.node is not None]
    assert max(len(node.opened) for node in nodes) > 5
    assert all(not outcome.node for node in nodes for one in node.opened for outcome in one.outcomes)


def test_the_odds_of_a_try_follow_what_is_known() -> None:
    view = referee_after(chess.STARTING_FEN, "e2e4", "d7d5").view(chess.WHITE)
    metaposition = Metaposition(view)
    metaposition.update(view)
    odds, men = Odds(view, metaposition), view.men
    legal = {
        text: odds.legal(men, chess.Move.from_uci(text), None, Check(0)) for text in ("g1f3", "d1h5", "f1a6", "e4d5")
    }
    assert legal["g1f3"] == 1.0
    assert legal["e4d5"] < 0.3 < legal["f1a6"] < legal["g1f3"]
    assert odds.legal(men, chess.Move.from_uci("e4d5"), chess.D5, Check(0)) == 1.0
    assert odds.captures(men, chess.Move.from_uci("e4d5"), None) == 1.0
    assert odds.captures(men, chess.Move.from_uci("e4e5"), None) == 0.0
    assert odds.legal(men, chess.Move.from_uci("a2a3"), None, Check.FILE) < 0.05  # in check on the king's file


MOST = 0.85 if IS_THOROUGH else 0.6  # of few games, one may be drawn


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "share", "games"),
    [
        ("grabber", 0.6, many(20, 5)),
        ("rusher", 0.7, many(20, 5)),
        (BLITZER, 0.7, many(20, 4)),
        (METAPOSITION, MOST, many(20, 3)),
        (MCTS, MOST, many(20, 3)),
        ("shuffler", 0.1, 20),
    ],
    ids=short,
)
def test_partners_beat_rand(name: str, share: float, games: int) -> None:
    ends = [(played.record.end, color) for played, color in (against_rand(name, number) for number in range(games))]
    won = sum(end is not None and end.winner == color for end, color in ends)
    lost = sum(end is not None and end.winner == (not color) for end, color in ends)
    assert won >= share * games
    assert lost <= 0.1 * games


def test_a_capture_puts_a_man_on_its_square_and_an_own_way_is_empty() -> None:
    referee = referee_after(chess.STARTING_FEN, "e2e4", "d7d5", "d1g4", "c8g4")
    metaposition = Metaposition(referee.view(chess.WHITE))
    metaposition.update(referee.view(chess.WHITE))
    assert metaposition.occupied[chess.G4] > 0.9
    assert metaposition.occupied[[chess.E3, chess.F3]].max() < 0.1
    assert metaposition.density.sum() == pytest.approx(16.0)
    assert metaposition.density[5].sum() == pytest.approx(1.0)


def test_without_pawn_tries_nothing_stands_where_pawns_take() -> None:
    referee = referee_after(chess.STARTING_FEN, "e2e4", "a7a6", rules=WILD16)
    metaposition = Metaposition(referee.view(chess.WHITE))
    metaposition.update(referee.view(chess.WHITE))
    assert metaposition.occupied[[chess.D5, chess.F5]].max() == 0.0


@pytest.mark.parametrize(
    ("pieces", "rating"),
    [
        # the king's flight is g7, 1 from two edges and 6 from a1, and takes the rook; a rook counts 10
        ("R7/8/8/8/8", -8 * 5 - 1 - (1 + 1) - 6 + 10),
        ("R7/8/2P5/8/8", -8 * 5 - 1 - (1 + 1) - 6 + 10 + 4**2 / 6),
        # g7 is protected: stalemate. Two rooks are enough to mate with, so the pawn counts nothing
        ("R7/8/2P5/8/6R1", -400.0 + 20),
    ],
)
def test_a_hunter_rates_what_hangs_the_room_of_the_king_and_pieces_to_mate_with(pieces: str, rating: float) -> None:
    hunted = LoneKing(Referee(start=f"7k/{pieces}/8/K7 w - - 0 1").view(chess.WHITE))
    hunted.king = replace(hunted.king, squares=chess.BB_H8)
    assert hunted.rate(chess.Move.from_uci("a7g7")) == pytest.approx(rating)


def test_a_lone_king_is_among_his_squares_until_he_is_mated() -> None:
    for seed in range(4):
        referee = Referee(BERKELEY, PAPER_LIMITS, "8/8/3k4/8/8/8/8/QR2K3 w - - 0 1")
        hunted: LoneKing | None = None
        rand = RandPlayer(seed)
        while referee.end is None:
            view = referee.view(referee.turn)
            if referee.turn == chess.BLACK:
                action = rand.choose(view).action
                assert isinstance(action, chess.Move)
                referee.try_move(action)
                continue
            if hunted is None:
                hunted = LoneKing(view)
            else:
                hunted.update(view)
            (king,) = referee.view(chess.BLACK).men
            assert chess.BB_SQUARES[king] & hunted.king.squares
            referee.try_move(max(view.tries(), key=hunted.rate))
        assert referee.end.winner == chess.WHITE
