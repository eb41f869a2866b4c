"""Make the puzzles of `kriegbot learn puzzles`: play games, enumerate every possible position, keep what is certain.

    nice python benchmarks/puzzles.py work.jsonl --out kriegbot/narration/puzzles.jsonl.gz
    nice python benchmarks/chains.py kriegbot/narration/puzzles.jsonl.gz

The second command adds why each answer is right.

A puzzle begins at a position that both sides know: the usual one, or one of a game in which few enemy pieces are left.
From there the maker follows all positions that are consistent with the announcements. It gives up a side of a game
after the first moment with more than MOST. So an answer is counted on all positions, and nothing is sampled. *king*:
the enemy king has moved, and is on the same square in all of them. *capture*: a recapture is possible in all of them,
or in none. *tells*: one open try has the highest expected information by MARGIN (entropy in bits of the referee's
answer; moves of the opponent are equally likely). *mate*: against a bare king, `learning.leads_to_mate` proves it.

`difficulty` orders the puzzles of a kind, and each third is a grade. The work file has a line for each game; run the
command again to resume. The same seed makes the same puzzles on any machine.
"""

import argparse
import gzip
import json
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chess
import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks is no package

from kriegbot import kernels as kb
from kriegbot.belief.particles import Filter, Particles
from kriegbot.game.match import play_game
from kriegbot.models.built_in import uniform
from kriegbot.narration.diary import Diary
from kriegbot.narration.learning import GRADES, Puzzle, leads_to_mate
from kriegbot.search.information_set import are_open, tries_in
from referee import BERKELEY, WILD16, Answer, GameRecord, Limits, OwnTry, Referee, RuleSet, View, announce

PAIRINGS = (
    ("grabber", "rand"),
    ("kriegbot:samples=5", "grabber"),
    ("grabber", "rusher"),
    ("rusher", "rand:by=man"),
    ("kriegbot:samples=5", "rand:by=man"),
)
OPENINGS = (("grabber", "rand"), ("rusher", "grabber"))
"""Players of two more openings for each game."""
HUNTERS = ("kriegbot:samples=5", "grabber")
"""Players of the side with more pieces after the start of an ending."""
RULES = (WILD16, BERKELEY)
PLIES, ENDING_PLIES, OPENING_PLIES = 120, 24, 30
"""Plies of a game, of the game after the start of an ending, and of the opening in which puzzles are searched."""
STARTS = {5: 3, 2: 2}
"""Number of endings of a game, by the maximum number of enemy pieces at the start."""
MOST, MOST_LINES = 1_500, 30
"""Maximum number of possible positions at any moment, and of lines in a puzzle."""
MARGIN, LEAST, FEWEST_TRIES = 0.15, 0.3, 6
"""Lead of the best try in bits, least information of the second, and number of tries, for *tells*."""
MOST_FIRST, MOST_IN_TWO = 4, 4
"""Maximum number of tries that begin a mate, and of positions before a mate in two."""
PER_GAME = {"king": 3, "tells": 2, "mate": 6, "yes": 2, "no": 4}  # puzzles from one game and its endings


class Moment(NamedTuple):
    """A side's view, and all possible positions after each of its events."""

    view: View
    sets: list[Particles]

    @property
    def rows(self) -> kb.Rows:
        """The possible positions."""
        return self.sets[-1].rows


# Figures of a set of positions


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


def outcomes(view: View, held: Particles, tries: kb.MoveArray) -> kb.IntArray:
    """Return the code of the referee's answer to each try on each board [M, N]; -1 for a refusal."""
    codes = np.empty(len(tries) * len(held.rows), np.int64)
    rules = kb.kernel_rules(view.rules, view.limits)
    _outcomes(kb.TABLES, held.rows, tries, rules, codes, np.empty(kb.MAX_MOVES, np.int32))
    return codes.reshape(len(tries), len(held.rows))


def information(view: View, held: Particles) -> dict[str, float]:
    """Return the expected information of each open try in bits, the highest first, by UCI code."""
    tries = tries_in(view, held.rows[0])
    tries = tries[are_open(view, tries)]
    bits = {}
    for move, answers in zip(tries.tolist(), outcomes(view, held, tries), strict=True):
        _, group = np.unique(answers, return_inverse=True)
        shares = np.bincount(group, held.weights)
        bits[kb.decode_move(move).uci()] = float(-(shares * np.log2(shares)).sum())
    return dict(sorted(bits.items(), key=lambda item: (-item[1], item[0])))


def answers_to(move: chess.Move, view: View, held: Particles) -> list[tuple[str, int]]:
    """Return the referee's possible answers to a try with their chances in percent, the likeliest first."""
    codes = outcomes(view, held, np.array([kb.encode_move(move)], np.int32))[0]
    shares = Counter[str]()
    for code in np.unique(codes):
        board = kb.to_board(held.rows[codes == code][0])
        text = "No." if code < 0 else announce(board, move, view.rules).text() or "Yes."
        shares[text] += held.weights[codes == code].sum()
    return [(text, round(100 * share)) for text, share in shares.most_common() if share >= 0.005]


def positions_in(rows: kb.Rows) -> int:
    """Return the number of positions, whatever their clocks of moves without a capture or a pawn's move."""
    bare = rows.copy()
    bare[:, 7] &= ~np.uint64(0xFFFF << 16)
    return len(np.unique(bare, axis=0))


def piece_chances(held: Particles, color: chess.Color) -> kb.RealArray:
    """Return the probability [64] of a piece of a side on each square."""
    return chances_of(held.rows[:, 5 + kb.side_of(color)], held.weights)


def king_chances(held: Particles, color: chess.Color) -> kb.RealArray:
    """Return the probability [64] of a side's king on each square."""
    return chances_of(held.rows[:, 4] & held.rows[:, 5 + kb.side_of(color)], held.weights)


def chances_of(squares: kb.WordArray, weights: kb.RealArray) -> kb.RealArray:
    """Return the probability [64] of each square to be in a set; `squares` are sets [N] as bits."""
    bits = np.unpackbits(squares.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return np.asarray(weights @ bits)


def capturers(row: kb.WordArray, square: chess.Square) -> list[chess.Square]:
    """Return the squares from which the side to move can capture on a square."""
    board = kb.to_board(row)
    return [move.from_square for move in board.generate_legal_moves(to_mask=chess.BB_SQUARES[square])]


# Puzzles


def kings(moment: Moment) -> Iterator[dict[str, Any]]:
    """Yield the puzzle of a king that one square is left for, and that was lost a moment ago."""
    view, sets = moment
    figures = [float(king_chances(held, not view.color).max()) for held in sets]
    certain = [figure > 0.999 for figure in figures]
    if not certain[-1] or all(certain[-5:]):
        return
    unsure = max(i for i, is_certain in enumerate(certain) if not is_certain)
    known = max(i for i in range(unsure) if certain[i])  # the start is
    square = int(king_chances(sets[-1], not view.color).argmax())
    reply = view.last_announcement
    if view.opponent_men == 1 and reply is not None and reply.capture == square:
        return
    first = chess.Board(view.start).king(not view.color)
    if square != first and min(figures[known:]) < 0.6:
        yield {"answers": [chess.square_name(square)], "difficulty": len(view.events) - known + size(sets)}


def captures(moment: Moment) -> Iterator[dict[str, Any]]:
    """Yield the puzzle of a capture that can be answered by a recapture in all positions or in none."""
    view, sets = moment
    last = view.events[-1]
    if not isinstance(last, OwnTry) or last.announcement is None or last.announcement.capture != last.move.to_square:
        return
    square = last.move.to_square
    if view.men[square] == chess.KING or len(moment.rows) < 2:
        return
    found, can = Counter[chess.Square](), 0
    for row, weight in zip(moment.rows, sets[-1].weights.tolist(), strict=True):
        from_ = set(capturers(row, square))
        can += bool(from_)
        for one in from_:
            found[one] += weight
    if can not in (0, len(moment.rows)):
        return
    guess = any(naive(view).attackers(not view.color, square))
    parts = [(chess.square_name(one), round(100 * share)) for one, share in found.most_common(3)]
    difficulty = 6 * (guess != bool(can)) + size(sets)
    yield {"answers": ["no" if can else "yes"], "parts": parts, "difficulty": difficulty}


def naive(view: View) -> chess.Board:
    """Return a board on which no enemy piece has moved, except those captured."""
    board = chess.Board(view.start)
    for square in chess.SquareSet(board.occupied_co[view.color]):
        board.remove_piece_at(square)
    for event in view.events:
        announcement = event.announcement if isinstance(event, OwnTry) else None
        if announcement is not None and announcement.captured_square is not None:
            board.remove_piece_at(announcement.captured_square)
    for square, piece in view.men.items():
        board.set_piece_at(square, chess.Piece(piece, view.color))
    return board


def tells(moment: Moment) -> Iterator[dict[str, Any]]:
    """Yield the puzzle of the try with the most information."""
    view, sets = moment
    if view.opponent_men < 2 or len(moment.rows) < 4:
        return
    bits = information(view, sets[-1])
    if len(bits) < FEWEST_TRIES:
        return
    (best, first), (_, second), *_ = bits.items()
    if first - second < MARGIN or second < LEAST:
        return
    move = chess.Move.from_uci(best)
    found = {"parts": answers_to(move, view, sets[-1]), "facts": [round(first, 3), round(second, 3)]}
    yield found | {"answers": [best], "difficulty": size(sets) - math.log2(first - second)}


def mates(moment: Moment) -> Iterator[dict[str, Any]]:
    """Yield the puzzle of a mate in one or two of a bare king: several positions, and few tries that begin it."""
    view = moment.view
    if view.opponent_men > 1 or len(moment.rows) < 2 or view.turn != view.color:
        return
    boards = [kb.to_board(row) for row in moment.rows]
    for moves in (1, 2) if len(boards) <= MOST_IN_TWO else (1,):
        first = [move for move in view.tries() if leads_to_mate(boards, move, moves, view.rules)]
        if first:
            break
    if first and len(first) <= MOST_FIRST:
        found = {"answers": [move.uci() for move in first], "facts": [moves]}
        yield found | {"difficulty": 6 * (moves - 1) + len(boards)}


KINDS: dict[str, Callable[[Moment], Iterator[dict[str, Any]]]] = {
    "king": kings,
    "tells": tells,
    "mate": mates,
    "capture": captures,
}


def size(sets: list[Particles]) -> float:
    """Return the number of positions as a part of a puzzle's difficulty."""
    return math.log2(len(sets[-1]))


def line_of(view: View) -> list[int]:
    """Return the number of the line for each event; a repeated event shares one."""
    entries = Diary().take(view)
    lines = [0] * len(entries)
    for i in range(1, len(entries)):
        lines[i] = lines[i - 1] + (entries[i] != entries[i - 1])
    return lines


# Games


def moments(record: GameRecord, sides: tuple[chess.Color, ...], plies: int) -> Iterator[tuple[str, Moment]]:
    """Yield the tries so far with the moment of each side that has something to answer, while it can be enumerated."""
    referee, played = Referee(record.rules, start=record.start), list[str]()
    rules = kb.kernel_rules(referee.rules, referee.limits)
    filters = {color: Filter(rules, 40 * MOST, 0, uniform) for color in sides}
    sets = {color: [one.start(referee.view(color))] for color, one in filters.items()}
    for event in (one for turn in record.turns for one in (*turn.tries, OwnTry(turn.move, Answer.ACCEPTED))):
        if not isinstance(event, OwnTry) or referee.ply >= plies or not sets:
            return
        mover = referee.turn
        referee.try_move(event.move)
        played.append(event.move.uci())
        if referee.end is not None:
            return
        for color in list(sets):
            view = referee.view(color)
            for i in range(len(sets[color]) - 1, len(view.events)):
                sets[color].append(filters[color].after_event(sets[color][-1], view, i))
            held = sets[color][-1]
            if not held.is_exact or len(held) > MOST or len(view.events) > 2 * MOST_LINES:
                del sets[color]
            elif color in (mover, referee.turn):
                yield " ".join(played), Moment(view, sets[color])


def puzzles_of(record: GameRecord, sides: tuple[chess.Color, ...], plies: int) -> Iterator[dict[str, Any]]:
    """Yield the puzzles of a game, without their grades."""
    for played, moment in moments(record, sides, plies):
        view, held = moment.view, moment.sets[-1]
        for kind, find in KINDS.items():
            if (kind == "capture") == (view.turn == view.color):
                continue
            for one in find(moment):
                if line_of(view)[-1] >= MOST_LINES or all(code[4:] in ("n", "b", "r") for code in one["answers"]):
                    continue
                chances = piece_chances(held, not view.color).tolist()
                heat = [max(round(100 * chance), int(chance > 0)) for chance in chances]
                about = {"kind": kind, "rules": record.rules.name, "start": record.start, "played": played}
                yield about | {"facts": [], "parts": []} | one | {"boards": positions_in(held.rows), "heat": heat}


def endings(record: GameRecord, rng: random.Random) -> list[tuple[str, chess.Color]]:
    """Return positions with few enemy pieces and more of ours, a rook or queen among them, and the stronger side."""
    found = defaultdict[int, list[tuple[str, chess.Color]]](list)
    for step in record.replay():
        board = step.referee.board()
        counts = {color: chess.popcount(board.occupied_co[color]) for color in chess.COLORS}
        weaker = min(counts, key=lambda color: counts[color])
        has_heavy = board.occupied_co[not weaker] & (board.queens | board.rooks)
        if counts[not weaker] > counts[weaker] and has_heavy and step.referee.end is None:
            found[counts[weaker]].append((board.fen(), not weaker))
    starts = {most: [one for count in found if count <= most for one in found[count]] for most in STARTS}
    return [one for most, several in starts.items() for one in rng.sample(several, min(STARTS[most], len(several)))]


def found_in(number: int, seed: int) -> list[dict[str, Any]]:
    """Play a game, and endings from its positions; return all their puzzles."""
    rng = random.Random(f"{seed} {number}")
    rules: RuleSet = RULES[number % 2]
    players = PAIRINGS[number // 2 % len(PAIRINGS)][:: rng.choice((1, -1))]
    whole = play_game(*players, rules=rules, limits=Limits(plies=PLIES), seed=seed + number).record
    found = list(puzzles_of(whole, (chess.WHITE, chess.BLACK), OPENING_PLIES))
    for players in OPENINGS:
        limits = Limits(plies=OPENING_PLIES)
        opening = play_game(*players, rules=rules, limits=limits, seed=rng.getrandbits(31)).record
        found += puzzles_of(opening, (chess.WHITE, chess.BLACK), OPENING_PLIES)
    for start, stronger in endings(whole, rng):
        hunter = rng.choice(HUNTERS)
        sides = (hunter, "rand:by=man") if stronger == chess.WHITE else ("rand:by=man", hunter)
        limits = Limits(plies=ENDING_PLIES)
        part = play_game(*sides, rules=rules, limits=limits, start=start, seed=rng.getrandbits(31)).record
        found += puzzles_of(part, (stronger,), ENDING_PLIES)
    sorts = defaultdict[str, list[dict[str, Any]]](list)
    for one in found:
        sorts[sort_of(one)].append(one)
    return [one for sort, several in sorts.items() for one in rng.sample(several, min(PER_GAME[sort], len(several)))]


def sort_of(puzzle: dict[str, Any]) -> str:
    """Return the kind of a puzzle, or the answer to a capture."""
    return str(puzzle["answers"][0] if puzzle["kind"] == "capture" else puzzle["kind"])


def chosen(found: dict[int, list[dict[str, Any]]], each: int) -> list[dict[str, Any]]:
    """Return the first `each` puzzles of each kind, none twice, half of the captures safe."""
    left = dict.fromkeys(("king", "tells", "mate"), each) | {"yes": each // 2, "no": each - each // 2}
    puzzles, known = [], set[str]()
    for _, some in sorted(found.items()):
        for one in some:
            kind = sort_of(one)
            view = Puzzle(**{name: value for name, value in one.items() if name != "difficulty"}, grade="").view()
            what = repr((one["kind"], one["rules"], view.start, view.events[:]))
            if left[kind] > 0 and what not in known:
                left[kind] -= 1
                known.add(what)
                puzzles.append(one)
    return puzzles


def graded(puzzles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the puzzles with their grades, from easy to hard; within a grade kinds alternate."""
    order = defaultdict[str, list[dict[str, Any]]](list)
    for puzzle in sorted(puzzles, key=lambda one: one.pop("difficulty")):
        order[puzzle["kind"]].append(puzzle)
    places = []
    for several in order.values():
        for place, puzzle in enumerate(several):
            grade = place * len(GRADES) // len(several)
            places.append((grade, place / len(several), puzzle | {"grade": GRADES[grade]}))
    return [puzzle for *_, puzzle in sorted(places, key=lambda one: one[:2])]


def main() -> None:
    """Find, grade, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="file of the games so far")
    parser.add_argument("--out", type=Path, required=True, help="file of puzzles")
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--each", type=int, default=100, help="maximum puzzles per kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    lines = (
        [json.loads(line) for line in options.work.read_text(encoding="utf-8").splitlines()]
        if options.work.exists()
        else []
    )
    found = {line["game"]: line["found"] for line in lines}
    with options.work.open("a", encoding="utf-8") as work:
        for number in track(range(options.games), description="games"):
            if number not in found:
                found[number] = found_in(number, options.seed)
                work.write(json.dumps({"game": number, "found": found[number]}) + "\n")
                work.flush()
    puzzles = graded(chosen({number: found[number] for number in range(options.games)}, options.each))
    text = "".join(json.dumps(puzzle, separators=(",", ":")) + "\n" for puzzle in puzzles)
    options.out.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
