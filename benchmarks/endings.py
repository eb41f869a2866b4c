"""Endings in which mate is proved: make the file, print its table, check it, play from it.

    python benchmarks/endings.py            # prove all endings anew, and print the table
    python benchmarks/endings.py --make     # the same, and write kriegbot/endgames/proofs.xz
    python benchmarks/endings.py --check    # check the file's sets with python-chess and the referee alone
    python benchmarks/endings.py --games 500 --rules wild16

The table has placements up to symmetry, those from which mate is proved with the king on any square, and on any that is
not beside an unprotected piece, each with the longest bound in moves, single squares, and seconds of processor time.

The check takes all sets of endings with one piece, and `--drawn` of each other. Of every tenth it also checks a set
with a square more, one with another try, and one with a bound less. Those that are true all the same are counted.

Games start where mate is proved of a king that may be anywhere, or anywhere but beside an unprotected piece. Each
defender plays them. A bound that does not fall with an accepted move, or a game without mate, ends the benchmark.
`--add` adds the figures to log/measurements.csv. Games of which it has figures, of any seed, are not played again.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

import chess
from checking import File, spoiled
from choosing import packed, select
from defenders import DEFENDERS, Defender, tries
from mating import start
from measurements import Measurement, add, read, version
from proving import Work

from kriegbot.endgames import BareKing, Mating, probe_king
from kriegbot.endgames.placements import ENDINGS
from kriegbot.endgames.proofs import FILE
from kriegbot.kernels import subseed
from referee import NO_LIMITS, RULE_SETS, Reason, Referee, RuleSet

COMMAND = "python benchmarks/endings.py"


def make(endings: list[str], write: bool) -> Iterator[Measurement]:
    """Prove all that can be proved, write the file if asked for, and yield the figures."""
    work = Work(endings)
    for level in work.prove():
        if level % 10 == 0:
            print(f"level {level}", flush=True)
    for name, part in work.parts.items():
        anywhere = [bound for i in part if (bound := work.bound(i, work.everywhere(i)))]
        apart = [bound for i in part if (bound := work.bound(i, work.beside_nothing(i)))]
        squares = [(i, chess.BB_SQUARES[one]) for i in part for one in chess.scan_forward(work.everywhere(i))]
        figures = {
            "placements": len(part),
            "proved": len(anywhere),
            "longest": max(anywhere),
            "proved apart": len(apart),
            "longest apart": max(apart),
            "squares": len(squares),
            "squares proved": sum(work.bound(*one) > 0 for one in squares),
            "seconds": round(work.seconds[name]),
        }
        for what, value in figures.items():
            yield Measurement(f"proof-{name}", what, str(value), command=COMMAND)
    proofs = select(work)
    content = packed(proofs)
    yield Measurement("proofs", "sets", str(len(proofs.sets)), command=f"{COMMAND} --make")
    yield Measurement("proofs", "size", str(len(content)), unit="bytes", command=f"{COMMAND} --make")
    if write:
        FILE.write_bytes(content)


def check(endings: list[str], drawn: int, seed: int) -> Iterator[Measurement]:
    """Check the file, and yield how many sets are true, and how many spoiled sets are."""
    rng, file = random.Random(seed), File.read(FILE)
    for name in endings:
        entries = [one for men, sets in file.sets.items() if file.letters[men] == name[1:-1] for one in sets]
        if len(name) > 3:
            entries = rng.sample(entries, min(drawn, len(entries)))
        true = sum(map(file.is_true, entries))
        changed = [one for entry in entries[::10] for one in spoiled(entry, rng)]
        still = sum(map(file.is_true, changed))
        for what, value in (
            ("checked", len(entries)),
            ("true", true),
            ("spoiled", len(changed)),
            ("still true", still),
        ):
            yield Measurement(f"proof-{name}", what, str(value), command=f"{COMMAND} --check", seed=str(seed))


def proved_start(pieces: str, rules: RuleSet, rng: random.Random) -> tuple[chess.Board, BareKing]:
    """Return a start from which mate is proved, and our knowledge of the king."""
    while True:
        board, known = start(pieces, rng, lowest_pawn=1)
        loose = [s for s in known.men if s != board.king(chess.WHITE) and not board.is_attacked_by(chess.WHITE, s)]
        near = chess.SquareSet([s for s in chess.SQUARES if any(chess.square_distance(s, one) < 2 for one in loose)])
        for beside in (0, near.mask):
            apart = replace(known, rules=rules, squares=known.squares & ~beside)
            if probe_king(apart) and board.kings & apart.squares:
                return board, apart


def play(name: str, defend: Defender, rules: RuleSet, seed: int) -> int:
    """Play a game from a proved start; return our moves. Raises AssertionError if the proof fails."""
    rng = random.Random(seed)
    board, known = proved_start(name[1:-1], rules, rng)
    referee, moves, bound = Referee(rules, NO_LIMITS, board.fen()), 0, math.inf
    for best, is_accepted, _ in tries(referee, known, Mating(seed), defend, rng):
        if best.proof is None or best.proof.moves > bound:
            raise AssertionError(f"seed {seed}: {referee.board().fen()}: bound {bound}, then {best.proof}")
        moves, bound = moves + is_accepted, best.proof.moves - is_accepted
    if referee.end is None or referee.end.reason is not Reason.CHECKMATE:
        raise AssertionError(f"seed {seed}: {referee.end} after {moves} moves")
    return moves


def games(endings: list[str], count: int, rules: str, seed: int) -> Iterator[Measurement]:
    """Play games from proved starts, and yield the number of mates and the moves."""
    command = f"{COMMAND} --games {count} --rules {rules}"
    done = {(row.key, row.what) for row in read() if (row.command, row.version) == (command, version())}
    for name in endings:
        for defender, defend in DEFENDERS.items():
            if (f"proof-{name}", f"longest game, {defender}, {rules}") in done:
                continue
            played = [play(name, defend, RULE_SETS[rules], subseed(seed, number)) for number in range(count)]
            shared = {"opponent": defender, "setting": rules, "games": str(count), "seed": str(seed)}
            figures = {
                "mates": count,
                "mean moves": round(fmean(played), 1),
                "longest game": max(played),
            }
            for what, value in figures.items():
                what = f"{what}, {defender}, {rules}"
                yield Measurement(f"proof-{name}", what, str(value), command=command, **shared)


def main() -> None:
    """Do as the options say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(ENDINGS), help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--make", action="store_true", help=f"write {FILE.name}")
    parser.add_argument("--check", action="store_true", help="check the file")
    parser.add_argument("--drawn", type=int, default=20_000, help="sets checked of each ending with two pieces")
    parser.add_argument("--games", type=int, help="games per ending and defender")
    announced = [rules.name for rules in RULE_SETS.values() if rules.checks_announced]
    parser.add_argument("--rules", choices=announced, default="berkeley", help="of the games")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--add", action="store_true", help="add the figures to log/measurements.csv")
    options = parser.parse_args()
    for name in options.endings:
        if name not in ENDINGS:
            parser.error(f"unknown ending {name!r}. Endings: {', '.join(ENDINGS)}")
    if options.make and set(options.endings) != set(ENDINGS):
        parser.error(f"the file has all endings. Leave out {' '.join(options.endings)} with --make")
    if options.check:
        figures = check(options.endings, options.drawn, options.seed)
    elif options.games:
        figures = games(options.endings, options.games, options.rules, options.seed)
    else:
        figures = make(options.endings, options.make)
    begun = time.perf_counter()
    for figure in figures:
        print(f"{figure.key:11} {figure.what:32} {figure.value:>9}  {time.perf_counter() - begun:.0f} s", flush=True)
        if options.add:
            add([figure])


if __name__ == "__main__":
    main()
