"""Make the puzzles of `kriegbot learn puzzles`: play games, keep positions with a certain answer, and grade them.

    nice python benchmarks/puzzles.py work.jsonl --out kriegbot/narration/puzzles.jsonl.gz

Programs of different strength play under Wild 16 and Berkeley rules. The work file has a line for each game and grade;
run the command again to resume. The same seed makes the same puzzles on any machine.

Six beliefs judge a position, three with the uniform opponent model and three with the fitted one, and all must agree.
*king*: the enemy king is on one square, not its first, with probability SURE. *capture*: the probability of a recapture
is at most SAFE, or at least UNSAFE. *tells*: one open try has the highest expected information by MARGIN (the entropy
in bits of the referee's answer: illegal, or an announcement). *mate*: proved on every board consistent with the
announcements since the king was bare (`kriegbot.endgames`). Refusals cost nothing.

A grade is the weakest level that finds the answer nine times in ten. For a mate, a level answers by its search, without
the solver of `kriegbot.endgames`, which all levels share and which always finds it. For other puzzles it answers from
LOOKS boards drawn from its belief, more for stronger levels.
"""

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
from rich.progress import Progress

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks is no package

from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief
from kriegbot.belief.particles import Particles
from kriegbot.endgames.king_squares import BareKing
from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.models import load_opponent
from kriegbot.players.kriegbot import BEST, FLAGSHIP, LEVELS
from kriegbot.players.making import make_player
from kriegbot.players.search import search_player
from kriegbot.players.specs import parse_spec
from kriegbot.search.information_set import are_open, tries_in
from referee import NO_LIMITS, Answer, GameRecord, Limits, OwnTry, Referee, View, announce, rule_set

SIMPLE = "overconfident:depth=1,samples=50,particles=500"
STRIPPING = [(SIMPLE, "rand:by=man")]
"""Pairings that strip a king instead of mating it."""
PAIRINGS = [
    ("grabber", "rand:by=man"),
    ("kriegbot:samples=30", "grabber"),
    (SIMPLE, "rand:by=man"),
    (SIMPLE, "kriegbot:samples=30"),
    ("grabber", "rand"),
    ("kriegbot:samples=30", "kriegbot:samples=10"),
    (str(Path(__file__).parent / "partners/metaposition.py:MetapositionPlayer"), "kriegbot:samples=30"),
]
RULES = ("wild16", "berkeley")
LIMITS = Limits(plies=240, quiet_plies=100)
FOR_MATES = 1000
"""Number of the first game searched for mates only."""
FEW, MANY = 2_000, 50_000
"""Boards of the belief that finds candidates, and of those that judge them."""
MODELS = ("uniform", "opponent_types")
FEWEST, FIRST_PLY = 20, 6
"""Least number of boards of an inexact belief, and plies before the first puzzle of a game."""
SURE, SAFE, UNSAFE, MARGIN, LEAST = 0.85, 0.05, 0.9, 0.15, 0.3
HOMES = {chess.WHITE: chess.E1, chess.BLACK: chess.E8}
DRAWN = 1_000
"""Boards drawn from a belief to look for recaptures."""
MOST_IN_TWO, MOST_FIRST = 12, 4
"""Maximum number of boards for a mate in two, and of tries that begin a mate."""
LOOKS = (1, 2, 3, 5, 10, 30, 100, 1000)
"""Number of boards from which each level answers; the last is the strongest level's."""
BELIEFS, BEST_BELIEFS, DRAWS = 3, 1, 5
"""Beliefs per model and per level, each with its own seed, and answers drawn from a level's belief."""
FINDS = 0.9
BEST_BUDGET = replace(FLAGSHIP, samples=LOOKS[-1], particles=20_000, resample=100)


# Figures of a set of boards


@kb.entry
def _outcomes(
    tables: kb.WordArray,
    rows: kb.Rows,
    tries: kb.MoveArray,
    rules: kb.KernelRules,
    codes: kb.IntArray,
    moves: kb.MoveArray,
) -> None:
    """Write the announcement of each of M tries on each of N boards [M * N]; -1 for a refusal."""
    boards, scratch = kb.pointer(rows), kb.pointer(moves)
    for i in range(len(rows)):
        position = kb.load(boards, i)
        for j in range(len(tries)):
            codes[j * len(rows) + i] = -1
            if kb.is_legal_try(kb.pointer(tables), position, tries[j]):
                after, captured = kb.make_move(kb.pointer(tables), position, tries[j])
                codes[j * len(rows) + i] = kb.announcement(
                    kb.pointer(tables), position, after, captured, rules, scratch
                )


def information(view: View, held: Particles) -> dict[str, float]:
    """Return the expected information of each open try in bits, the highest first, by UCI code."""
    rows, weights = held.rows, held.weights
    tries = tries_in(view, rows[0])
    tries = tries[are_open(view, tries)]
    codes = np.empty(len(tries) * len(rows), np.int64)
    _outcomes(kb.TABLES, rows, tries, kb.kernel_rules(view.rules, view.limits), codes, np.empty(kb.MAX_MOVES, np.int32))
    bits = {}
    for move, answers in zip(tries.tolist(), codes.reshape(len(tries), len(rows)), strict=True):
        _, group = np.unique(answers, return_inverse=True)
        shares = np.bincount(group, weights)
        bits[kb.decode_move(move).uci()] = float(-(shares * np.log2(shares)).sum())
    return dict(sorted(bits.items(), key=lambda item: (-item[1], item[0])))


def recapture_chance(held: Particles, square: chess.Square, boards: int = DRAWN) -> float:
    """Return the probability that the side to move can capture on a square."""
    rows, counts = held.draw(boards, 0)
    on = chess.BB_SQUARES[square]
    can = [any(kb.to_board(row).generate_legal_moves(to_mask=on)) for row in kb.without_type_ids(rows)]
    return float(counts[can].sum() / counts.sum())


# Mate on every board of a set


def winning(boards: Sequence[chess.Board], tries: Sequence[chess.Move], moves: int, view: View) -> list[chess.Move]:
    """Return the tries that begin a mate in `moves` on every board, whatever the refusals and replies; [] for none."""
    left, first = list(boards), None
    while left:
        good = [move for move in tries if _wins(left, move, moves, view)]
        if not good:
            return []
        first = first or good
        left = [board for board in left if not any(board.is_legal(move) for move in good)]
    return first or []


def _wins(boards: Sequence[chess.Board], move: chess.Move, moves: int, view: View) -> bool:
    """Return True if a try is legal on some board, and leads to mate on each on which it is legal."""
    follow: dict[object, list[chess.Board]] = {}
    is_legal_anywhere = False
    for board in boards:
        if not board.is_legal(move):
            continue
        is_legal_anywhere = True
        if moves == 1 and not board.gives_check(move):
            return False
        after = board.copy(stack=False)
        after.push(move)
        if after.is_checkmate():
            continue
        if moves == 1 or not any(after.legal_moves):
            return False
        ours = announce(board, move, view.rules, NO_LIMITS).code()
        for reply in after.legal_moves:
            announcement = announce(after, reply, view.rules, NO_LIMITS)
            if announcement.capture is not None or announcement.end is not None:
                return False
            again = after.copy(stack=False)
            again.push(reply)
            follow.setdefault((ours, announcement.code()), []).append(again)
    for group in follow.values():
        tries = sorted({move for board in group for move in board.legal_moves}, key=chess.Move.uci)
        if not winning(group, tries, moves - 1, view):
            return False
    return is_legal_anywhere


# Puzzles of a game


def game(number: int, seed: int, pairings: Sequence[tuple[str, str]]) -> GameRecord:
    """Play a game of a pairing; colours and rule sets alternate."""
    names = pairings[number // 2 % len(pairings)]
    seats = [HereSeat(name, partial(make_player, parse_spec(name))) for name in names]
    seats = seats if number // len(pairings) // 2 % 2 == 0 else seats[::-1]
    return play_game(*seats, rules=rule_set(RULES[number % 2]), limits=LIMITS, seed=seed + number).record


def moments(record: GameRecord) -> Iterator[tuple[str, Referee]]:
    """Yield the tries so far, and a referee without limits, after each try."""
    referee, played = Referee(record.rules), []
    for event in (one for turn in record.turns for one in (*turn.tries, OwnTry(turn.move, Answer.ACCEPTED))):
        assert isinstance(event, OwnTry)
        referee.try_move(event.move)
        played.append(event.move.uci())
        yield " ".join(played), referee


def candidates(record: GameRecord, rng: random.Random, *, is_for_mates: bool) -> list[dict[str, Any]]:
    """Return promising positions by a small belief, about one of each type for each side, in the order of the game."""
    found: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    beliefs = {color: Belief(Referee(record.rules).view(color), FEW) for color in chess.COLORS}
    for played, referee in moments(record):

        def note(kind: str, color: bool, played: str = played, **more: Any) -> None:
            found.setdefault((kind, color), []).append({"kind": kind, "played": played} | more)

        if referee.end is not None:
            break
        views = {color: referee.view(color) for color in chess.COLORS}
        view = views[referee.turn]
        color = view.color
        more = mate_in(view) if view.opponent_men == 1 else None
        if more:
            note("mate", color, ply=view.ply, **more)
        if is_for_mates or referee.ply < FIRST_PLY:
            continue
        last, mover = referee.last, not referee.turn
        if isinstance(last, OwnTry) and last.announcement is not None:
            square = last.announcement.captured_square
            if square is not None and square == last.move.to_square:
                belief = beliefs[mover]
                belief.update(views[mover])
                held = belief.particles
                chance = recapture_chance(held, square, 200) if held.is_consistent and len(held) else 0.5
                if not 0.8 * SAFE < chance < UNSAFE + 0.2 * SAFE:
                    note("capture", mover, doubt=min(chance, 1 - chance))
        belief = beliefs[color]
        belief.update(view)
        held = belief.particles
        if not held.is_consistent or not len(held):
            continue
        king = belief.occupancy(not color)[5]
        if king.max() >= SURE and int(king.argmax()) != HOMES[not color]:
            note("king", color)
        if rng.random() < 0.3 and len(held) > 100:
            first, second, *_ = *information(view, held).values(), 0.0, 0.0
            if second > 0.0 and first - second >= MARGIN:
                note("tells", color)
    kept: list[dict[str, Any]] = []
    for (kind, _), several in sorted(found.items()):
        if kind == "mate":  # the one with most boards of each length, from different turns
            most = {one["facts"][0]: one for one in sorted(several, key=lambda one: one["boards"])}
            kept += {one.pop("ply"): one for one in most.values()}.values()
        elif kind == "capture":
            kept.append(max(several, key=lambda one: one.pop("doubt")))
        else:
            kept.append(rng.choice(several))
    return sorted(kept, key=lambda one: len(one["played"]))


def mate_in(view: View) -> dict[str, Any] | None:
    """Find a proved mate in one or two that takes some thought: several boards, and few tries that begin it."""
    king = BareKing.of(view)
    if king is None or chess.popcount(king.squares) < 2:
        return None
    base = chess.Board(None)
    base.turn = view.color
    for square, kind in view.men.items():
        base.set_piece_at(square, chess.Piece(kind, view.color))
    home = chess.square_rank(HOMES[view.color])
    rooks = [chess.square(file, home) for file, may in ((0, view.queenside), (7, view.kingside)) if may]
    base.castling_rights = sum(chess.BB_SQUARES[rook] for rook in rooks)
    boards = []
    for square in chess.SquareSet(king.squares):
        boards.append(base.copy())
        boards[-1].set_piece_at(square, chess.Piece(chess.KING, not view.color))
    for moves in (1, 2) if len(boards) <= MOST_IN_TWO else (1,):
        first = winning(boards, view.tries(), moves, view)
        if first and len(first) <= MOST_FIRST:
            legal = max(sum(board.is_legal(move) for board in boards) for move in first)
            heat = [round(100 * (square in chess.SquareSet(king.squares)) / len(boards)) for square in chess.SQUARES]
            answers = [move.uci() for move in first]
            return {"answers": answers, "facts": [moves, legal], "boards": len(boards), "exact": True, "heat": heat}
        if first:
            break
    return None


def judged(record: GameRecord, several: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the candidates of a game that all large beliefs confirm, with answers, facts and a map."""
    kept: list[dict[str, Any]] = []
    by_moment: dict[str, list[dict[str, Any]]] = {}
    for one in several:
        by_moment.setdefault(one["played"], []).append(one)
    beliefs: dict[bool, list[Belief]] = {}
    for played, referee in moments(record):
        for one in by_moment.get(played, []):
            one |= {"rules": record.rules.name}
            if one["kind"] == "mate":
                kept.append(one)
                continue
            color = not referee.turn if one["kind"] == "capture" else referee.turn
            view = referee.view(color)
            if color not in beliefs:
                start = Referee(record.rules).view(color)
                each = [(load_opponent(model), seed) for model in MODELS for seed in range(BELIEFS)]
                beliefs[color] = [Belief(start, MANY, seed, opponent) for opponent, seed in each]
            for belief in beliefs[color]:
                belief.update(view)
            found = [measured(one["kind"], view, belief) for belief in beliefs[color]]
            answers, held = {answer for answer, _ in found}, beliefs[color][0].particles
            if len(answers) > 1 or "" in answers or not (held.is_exact or len(held) >= FEWEST):
                continue
            numbers = np.array([number for _, number in found]).reshape(len(MODELS), BELIEFS, -1).mean(axis=1)
            map_ = beliefs[color][0].occupancy(not color)
            heat = map_[5] if one["kind"] == "king" else map_.sum(axis=0)
            facts = [round(float(number), 3) for number in numbers.ravel()]
            about = {"boards": len(held), "exact": held.is_exact, "heat": [round(100 * float(part)) for part in heat]}
            kept.append(one | {"answers": [*answers], "facts": facts} | about)
    return kept


def measured(kind: str, view: View, belief: Belief) -> tuple[str, list[float]]:
    """Return a belief's answer, "" if it is not certain, and the figures behind it."""
    held = belief.particles
    if not held.is_consistent or not len(held):
        return "", []
    if kind == "king":
        king = belief.occupancy(not view.color)[5]
        square, chance = int(king.argmax()), float(king.max())
        return chess.square_name(square) if chance >= SURE and square != HOMES[not view.color] else "", [chance]
    if kind == "capture":
        last = view.events[-1]
        assert isinstance(last, OwnTry)
        chance = recapture_chance(held, last.move.to_square)
        return "yes" if chance <= SAFE else "no" if chance >= UNSAFE else "", [chance]
    bits = information(view, held)
    first, second, *_ = *bits.values(), 0.0, 0.0
    return next(iter(bits)) if first - second >= MARGIN else "", [first, second]


# Grades


def view_of(puzzle: dict[str, Any]) -> View:
    """Return the view of the side that solves a puzzle."""
    referee = Referee(puzzle["rules"])
    for code in puzzle["played"].split():
        referee.try_move(chess.Move.from_uci(code))
    return referee.view(not referee.turn if puzzle["kind"] == "capture" else referee.turn)


def graded(puzzle: dict[str, Any]) -> dict[str, float]:
    """Return the share of right answers of each level."""
    view, found = view_of(puzzle), {}
    levels = [*LEVELS.items(), (BEST, BEST_BUDGET)]
    for (level, settings), looks in zip(levels, LOOKS[-len(levels) :], strict=True):
        answers = []
        for seed in range(BEST_BELIEFS if level == BEST else BELIEFS):
            if puzzle["kind"] == "mate":
                player = search_player(replace(settings, use_endings=False), seed)
                action = player.choose(view).action
                assert isinstance(action, chess.Move)
                answers.append(action.uci())
                continue
            belief = Belief(view, settings.particles or MANY, seed, load_opponent(settings.belief_model))
            for draw in range(DRAWS) if len(belief.particles) else ():
                rows, counts = belief.particles.draw(looks, kb.subseed(seed, draw))
                answers.append(answered(puzzle["kind"], view, Particles(rows, counts / counts.sum(), is_exact=False)))
        found[level] = round(sum(one in puzzle["answers"] for one in answers) / max(1, len(answers)), 2)
    return found


def answered(kind: str, view: View, held: Particles) -> str:
    """Return the answer of a set of boards to a puzzle."""
    if kind == "king":
        chances = np.zeros(64)
        for board, weight in zip(map(kb.to_board, kb.without_type_ids(held.rows)), held.weights, strict=True):
            chances[board.king(not view.color)] += weight
        return chess.square_name(int(chances.argmax()))
    if kind == "tells":
        return next(iter(information(view, held)))
    last = view.events[-1]
    assert isinstance(last, OwnTry)
    return "no" if recapture_chance(held, last.move.to_square, 100) > 0.5 else "yes"


def grade_of(found: dict[str, float]) -> str:
    """Return the weakest level that finds the answer nearly always, or the best level."""
    return next((level for level, share in found.items() if share >= FINDS), BEST)


# The files


def chosen(found: dict[int, list[dict[str, Any]]], each: int) -> list[dict[str, Any]]:
    """Return the first `each` puzzles of each type that are worth solving, none twice, half of the captures safe."""
    left = dict.fromkeys(("king", "tells", "mate"), each) | {"yes": each // 2, "no": each // 2}
    puzzles, known = [], set[str]()
    for number, some in sorted(found.items()):
        for one in some:
            kind = one["answers"][0] if one["kind"] == "capture" else one["kind"]
            view = view_of(one)
            what = repr((kind, one["rules"], view.events[:]))
            if left[kind] > 0 and what not in known and is_worth_it(one, view):
                left[kind] -= 1
                known.add(what)
                puzzles.append({"game": number} | one)
    return puzzles


def is_worth_it(puzzle: dict[str, Any], view: View) -> bool:
    """Return False for a trivial puzzle, and for one solved only by an underpromotion, which the page cannot try.

    Trivial: a single board, a capture by the king, or a best try whose rivals have next to no information.
    """
    if puzzle["kind"] == "tells" and min(puzzle["facts"][1::2]) < LEAST:
        return False
    if (
        puzzle["kind"] == "capture"
        and view.men[chess.Move.from_uci(puzzle["played"].split()[-1]).to_square] == chess.KING
    ):
        return False
    return puzzle["boards"] > 1 and not all(code[4:] in ("n", "b", "r") for code in puzzle["answers"])


def from_easy_to_hard(puzzles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order by grade; within a grade types alternate, the easiest of each first."""
    levels, turns = [*LEVELS, BEST], Counter[tuple[str, str]]()
    order: list[tuple[int, int, int, dict[str, Any]]] = []
    for puzzle in sorted(puzzles, key=lambda one: -sum(one["shares"].values())):
        turns[puzzle["grade"], puzzle["kind"]] += 1
        order.append((levels.index(puzzle["grade"]), turns[puzzle["grade"], puzzle["kind"]], len(order), puzzle))
    return [puzzle for *_, puzzle in sorted(order, key=lambda one: one[:3])]


def main() -> None:
    """Find, grade, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="file of games and grades so far")
    parser.add_argument("--out", type=Path, help="file of puzzles; without it the script grades none")
    parser.add_argument("--games", type=int, default=138)
    parser.add_argument("--mates", type=int, default=120, help="games searched for mates only")
    parser.add_argument("--each", type=int, default=112, help="maximum puzzles per type")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.work.read_text().splitlines()] if options.work.exists() else []
    found = {line["game"]: line["found"] for line in lines if "game" in line}
    grades = {line["graded"]: line["shares"] for line in lines if "graded" in line}
    with options.work.open("a") as work, Progress() as bar:

        def store(line: dict[str, Any]) -> None:
            work.write(json.dumps(line) + "\n")
            work.flush()

        numbers = [*range(options.games), *range(FOR_MATES, FOR_MATES + options.mates)]
        for number in bar.track(numbers, description="games"):
            if number not in found:
                is_for_mates = number >= FOR_MATES
                record = game(number, options.seed, STRIPPING if is_for_mates else PAIRINGS)
                promising = candidates(record, random.Random(number), is_for_mates=is_for_mates)
                found[number] = judged(record, promising)
                store({"game": number, "found": found[number]})
        puzzles = chosen(found, options.each)
        for puzzle in bar.track(puzzles if options.out else [], description="grades"):
            key = f"{puzzle['game']} {puzzle['kind']} {len(puzzle['played'])}"
            if key not in grades:
                grades[key] = graded(puzzle)
                store({"graded": key, "shares": grades[key]})
            puzzle |= {"shares": grades[key], "grade": grade_of(grades[key])}
    if options.out:
        text = "".join(json.dumps(puzzle, separators=(",", ":")) + "\n" for puzzle in from_easy_to_hard(puzzles))
        options.out.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
