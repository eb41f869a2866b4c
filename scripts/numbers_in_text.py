"""Numbers in sentences, and the code or data that each is written from.

`NUMBERS` has for each file the words around a number, with {} in its place, and the value. A sentence that is worded
anew is worded anew here, too; scripts/pages.py says which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

import measurements
import papers
from measurements import RESULT

from evaluators import WIN, ks
from kriegbot import children
from kriegbot.belief import belief, timeline
from kriegbot.cli import learn
from kriegbot.environments.spaces import ACTIONS, MAX_BYTE, PLANES
from kriegbot.game import match, process, sandbox
from kriegbot.kernels.position import Position
from kriegbot.narration import even_time, helping, learning, reasons, results, turning
from kriegbot.online import MAX_GAMES, reading
from kriegbot.online import game as online
from kriegbot.online.site import SITE_RULES
from kriegbot.players import search as player
from kriegbot.players.kriegbot import FLAGSHIP, LEVELS, MOST_PARTICLES, particles_beside
from kriegbot.request import SEED_BITS
from kriegbot.search import perfect_information, search
from kriegbot.search.settings import DEFAULT_PARTICLES
from kriegbot.trees import formats, strategy
from kriegbot.web import library, registry, requests
from kriegbot.web.seats import TimeControl
from referee import PAPER_LIMITS
from tournaments import reproduce, schedule
from tournaments.statistics import elo

COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
COUNTED = dict(enumerate(COUNTS)) | {20: "twenty", 50: "fifty", 100: "hundred", 1_000_000: "million"}
PARTS = {2: "half", 3: "third", 4: "quarter", 10: "tenth", 20: "twentieth", 60: "sixtieth"}


def word(number: float) -> str:
    """Return a number as a word, or as figures if there is no short one."""
    return COUNTED.get(round(number), f"{round(number):,}")


def part(share: float) -> str:
    """Return a share as a word: "half", "twentieth"; or as figures."""
    fraction = Fraction(share).limit_denominator(100)
    return PARTS.get(fraction.denominator, str(fraction)) if fraction.numerator == 1 else str(fraction)


def in_source(path: str, pattern: str) -> str:
    """Return a number in a source file, which is not imported for it."""
    (number,) = re.findall(pattern, (measurements.TOP / path).read_text("utf-8"), re.MULTILINE)
    return str(number)


def measured(key: str, what: str) -> str:
    """Return the value of a measurement."""
    return measurements.table()[key][what].value


def elo_of(key: str) -> list[str]:
    """Return the Elo difference of a result, and its error."""
    return measurements.table()[key][RESULT].elo.split(" ± ")


def hardest(key: str) -> str:
    """Return the name of the opponent of a result."""
    return measurements.table()[key][RESULT].opponent.split(".py:")[-1]


def level_ratings() -> dict[str, str]:
    """Return the ratings of levels that follow from their results and that of club."""
    names = list(LEVELS)
    gaps = [round(elo(measurements.table()[f"level-{name}"][RESULT].counts).difference) for name in names[1:]]
    heights = dict(zip(names, accumulate([0, *gaps]), strict=True))
    base = results.LEVEL_RATINGS["club"] - heights["club"]
    return {name: str(base + height) for name, height in heights.items()}


PAPER = tuple(reproduce.SAMPLES[30, depth] for depth in (1, 2, 3))
LIMITS = f"{PAPER_LIMITS.plies}", f"{PAPER_LIMITS.quiet_plies}"
PATIENCE = f"{process.PATIENCE:g}", f"{process.GRACE:g}"
PYTHONS = (
    in_source("pyproject.toml", r'^requires-python = ">=(\S+)"$'),
    in_source("pyproject.toml", r"^  \"Programming Language :: Python :: (\S+)\",\n.*Implementation"),
)
BOARD = PLANES, 8, 8
ONE, TWO = "overconfident 1 - paranoid 2", "overconfident 2 - paranoid 2"

NUMBERS: Mapping[str, Sequence[tuple[str | int, ...]]] = {
    "README.md": [("lessons, puzzles, {} levels", word(len(LEVELS) + 1)), ("(CPython {} to {})", *PYTHONS)],
    "CONTRIBUTING.md": [("Needs CPython {} to {},", *PYTHONS)],
    "docs/play.md": [
        ("see the {} best tries", word(helping.HINTS)),
        ("gets a {} of its remaining time", part(TimeControl(6000, 0).turn(3000) / 3000)),
        ("and {} of the increment", f"{TimeControl(0, 100).turn(0) / 100:g}"),
        ("at least {} seconds.", f"{TimeControl(60, 0).turn(0):g}"),
        ("at most {} lines of tries", learn.MAX_PUZZLE_LINES),
        ("There are {} kinds", word(len(learning.PUZZLE_KINDS))),
        ("sees them on {} boards", helping.HINT_SAMPLES),
        ("up to {} turns of a side", word(turning.MAX_POINTS)),
        ("at least {} points of a hundred", word(100 * turning.MIN_LOSS)),
        ("surprises ({} points;", word(100 * turning.MIN_SURPRISE)),
        ("are of a {} positions sampled", word(reasons.COUNTED)),
        ("fewer than {} samples", word(timeline.FEW)),
        ("the latest {} analyses", library.MAX_ANALYSES),
        ("starts at {} ± {}", f"{results.NEW.rating:.0f}", f"{1.96 * results.NEW.deviation:.0f}"),
        ("`club` being {}", str(results.LEVEL_RATINGS["club"])),
        ("at full {} seconds", part(even_time.QUANTUM)),
        ("Fresh seeds have {} bits", SEED_BITS),
    ],
    "docs/bots.md": [
        ("`ready` within {} seconds", f"{process.OUTSIDE_PATIENCE:g}"),
        ("makes {} tries in a turn", match.MAX_NONSENSE),
        ("at most {} processes", sandbox.MOST_PROCESSES),
        ("a line of more than {} bytes or an answer", children.MAX_LINE),
        ("answer of more than {} lines or {} bytes", f"{process.MAX_LINES:,}", children.MAX_OUTPUT),
    ],
    "docs/clusters.md": [("by another worker, {} attempts in all", word(schedule.MOST_ATTEMPTS))],
    "docs/online.md": [
        ("offers and joins none. 1..{}", MAX_GAMES),
        ("at most a {} of the clock", part(1 / online.SHARES)),
        ("reserve of {} seconds", f"{online.RESERVE:g}"),
        ("With {} seconds left", f"{online.HURRY:g}"),
        ("Killed {} times", measured("online", "times the bot was killed")),
        ("played all of {} games there", measurements.table()["online"]["times the bot was killed"].games),
    ],
    "docs/trees.md": [
        ("A file over {} MB", formats.MOST_BYTES // 10**6),
        ("more than {} moves deep", formats.MOST_DEPTH),
        ("up to a {} strategies", word(strategy.MOST_STRATEGIES)),
        ("agrees on {} random games", in_source("tests/test_trees_gambit.py", r"^@.*\(\"seed\", range\((\d+)\)\)")),
    ],
    "docs/rules.md": [
        ("draw after {} plies, or after {} without", *LIMITS),
        ("under {} rule sets", word(len(SITE_RULES))),
        ("end a game after {} plies", reading.LIMITS.quiet_plies or 0),
        ("{} tries of", int(measured("kriegspiel.org", "tries with the same answer from our referee and theirs"))),
    ],
    "docs/architecture.md": [
        ("a board as {} 64-bit words", word(len(Position._fields))),
        ("it is over; {} a second, to", part(even_time.QUANTUM)),
        ("game played again, {} attempts in all", word(schedule.MOST_ATTEMPTS)),
        ("limits messages from a browser to {} kB", requests.MAX_BYTES // 1024),
        (
            "allows {} games (one between people counts twice) and {} WebSockets",
            registry.LIMITS.live_games,
            registry.LIMITS.sockets,
        ),
    ],
    "docs/method.md": [
        ("({} by default)", DEFAULT_PARTICLES),
        ("with up to {} times as many boards", word(belief.REPLAY_FACTOR)),
        ("win {}, draw 0, loss -{}", int(WIN), int(WIN)),
        ("about {} ms each", round(1000 * search.CHUNK_SECONDS)),
    ],
    "docs/strength.md": [
        ("filter in a {} of its time", part(belief.FILTERING_SHARE * player.RESCUE_SHARE)),
        ("of its time, up to {};", MOST_PARTICLES),
        ("with `samples=200` up to {}.", particles_beside(200)),
        ("searches {} plies", word(FLAGSHIP.depth)),
        ("values bounded at {} pawns", f"{FLAGSHIP.value_scale / 100:g}"),
        ("{} of a try's value is", part(FLAGSHIP.perfect_info_weight).capitalize()),
        ("by alpha-beta to depth {}", perfect_information.DEPTH),
        ("at least {}% sure", in_source("benchmarks/seeing.py", r"^SURE = 0\.(\d+)$")),
        ("on or off: {} games,", int(measurements.table()["bounded-values"]["Elo difference"].games)),
        ("0.25 s: Wild 16 {} ± {}, Berkeley {} ± {} Elo", *elo_of("threads-wild16"), *elo_of("threads-berkeley")),
        ("the hardest of them, `{}`<!--strangers-worst-->", hardest("strangers-worst")),
        ("the hardest of them, `{}:samples=200`<!--nine-worst-->", hardest("nine-worst").removesuffix(":samples=200")),
        ("it gains {} nats", measured("fitted-to-Stockfish", "with its games")),
        ("without its games {} (trial", measured("fitted-to-Stockfish", "without")),
    ],
    "benchmarks/log/README.md": [
        (
            "one row for each of {} ideas",
            (measurements.TOP / "benchmarks/log/trials.csv").read_text("utf-8").count("\n") - 1,
        )
    ],
    "docs/environments.md": [
        ("an array of bytes, [{}, {}, {}]", *BOARD),
        ("from 0 to {}.", str(ACTIONS - 1)),
        ("The mask, [{}],", str(ACTIONS)),
        ("both sides together, at most {};", MAX_BYTE),
    ],
    "docs/reproduction/README.md": [
        ("tournaments of {} games a cell, {} with each", reproduce.GAMES, reproduce.GAMES // 2),
        ("a draw at ply {} or after {} plies", *LIMITS),
        ("had {} histories in 30 seconds draws {}, and {} more", PAPER[0], PAPER[0], round(PAPER[0] / 15)),
        ("ahead by {} ± {} (the paper {} ± {};", *papers.contrast(5, papers.POOL)),
        ("from {} to {} points of EU", *papers.distances_of(papers.TODAY, papers.POOL)),
    ],
    "docs/reproduction/choices.md": [
        ("({}, {} and {} boards at", *PAPER),
        ("It is worth {} centipawns in `ks`", ks.Weights().protected),
        ("{} ± {} points to overconfident 1", *papers.added("evaluator=ks:shield=30", ONE)),
        ("and {} ± {} to overconfident 2", *papers.added("evaluator=ks:shield=30", TWO)),
        ("2 as much: {} ± {}.", *papers.added("free=1", TWO)),
        ("instead of {} the points", int(WIN)),
        ("change by {} ± {}", *papers.added("evaluator=ks:mate=3000", "overconfident 1 - rand")),
        ("of paranoid 2 by {} ± {}", *papers.added("evaluator=ks:mate=3000", "paranoid 2 - rand")),
        ("cells are {} to {} points too high", *papers.too_high(papers.POOL)),
    ],
    "kriegbot/narration/results.py": [(f'"{level}": {{}},', rating) for level, rating in level_ratings().items()],
    "kriegbot/cli/common.py": [("[default: {}; for a player with a time budget, twice that plus {}]", *PATIENCE)],
    "kriegbot/cli/programs.py": [("a draw after {} plies, or after {} without", *LIMITS)],
    "kriegbot/environments/spaces.py": [
        ("a number from 0 to {}, the same", str(ACTIONS - 1)),
        ("is bytes [{}, {}, {}]: planes", *BOARD),
        ("observation [{}, {}, {}] of a view", *BOARD),
        ("mask [{}] of a side", str(ACTIONS)),
    ],
    "kriegbot/environments/batch.py": [
        ("observations: [games, {}, {}, {}] bytes", *BOARD),
        ("masks: [games, {}] booleans", str(ACTIONS)),
        ("[games, 2, {}, {}, {}] bytes", *BOARD),
    ],
    "kriegbot/narration/reasons.py": [("on a {} positions", word(reasons.COUNTED))],
    "tournaments/reproduce.py": [
        ("EU in percent of {} games, {} with", reproduce.GAMES, reproduce.GAMES // 2),
        ("had {} or {} seconds for a move, and {} more", reproduce.SHORT, reproduce.LONG, reproduce.EXTRA_SECONDS),
    ],
}
