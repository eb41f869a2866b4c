"""The experiment of Parker, Nau and Subrahmanian (AAAI 2006): its cells, and variants where the paper is ambiguous.

`paper.csv` holds Figures 2, 3 and 5: one line per cell with wins, losses and EU in percent of 500 games, 250 with each
colour. The players had 30 or 90 seconds a move, and 2 more after each illegal try. Figure 4 gives the mean sample sizes
that they reached in that time; at those sizes any machine can repeat the experiment.

A variant is named by a choice, written as what it changes: an option of both searching players, or of another player
by its name, as in `rand.by=man`; several are joined by commas. Some values are words of this module: `further=none`
draws all histories anew after a refusal; `particles=samples` holds no more boards than are drawn; and `rules=quiet`
tells nobody of the opponent's refused tries, as if players drew among legal moves. `today` changes nothing.
"""

import csv
from dataclasses import dataclass, replace
from importlib.resources import files

from kriegbot.options import value_text
from kriegbot.players.specs import BadSpec, parse_spec
from referee import BERKELEY, Audience, RuleSet
from tournaments.schedule import Pairing

SAMPLES = {(30, 1): 1683, (30, 2): 321, (30, 3): 67, (90, 1): 3145, (90, 2): 662, (90, 3): 190}
"""Figure 4: mean sample size by seconds a move and depth."""
SHORT, LONG = 30, 90  # seconds per move in the paper's two runs
EXTRA_SECONDS = 2  # extra seconds after each illegal try
GAMES = 500
PARTICLES = 20_000  # boards in a belief: many times the largest sample. The paper does not say how it draws histories.
HS = "hs:depth=2,samples=100"
"""The HS that plays in Figure 3. The paper does not give its settings; with these it takes as long for a try as
overconfident search to depth 2."""
LEAST_BUDGET = 0.01  # seconds; no budget may be shorter
FIGURES = (2, 3, 5)

TODAY = "today"  # the choice that changes nothing
SEARCHING = ("overconfident", "paranoid")
OF_SEARCH = ("ties", "free", "boards")  # options that only the player `search` has, which is otherwise the same
LEAST_PARTICLES = 100
RULES = "rules=quiet"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a figure, with the paper's results in percent.

    The opponent is rand, hs or paranoid; the depth of rand and hs is 0. legible: whether our copy of the paper is
    clearly legible there.
    """

    figure: int
    player: str
    depth: int
    opponent: str
    opponent_depth: int
    seconds: int
    wins: int
    losses: int
    eu: int
    legible: bool

    def __str__(self) -> str:
        opponent = f" - {self.opponent} {self.opponent_depth}" if self.opponent_depth else ""
        return f"{self.player} {self.depth}{opponent}"


def cells(figure: int) -> tuple[Cell, ...]:
    """The cells of a figure, cheapest first: the short run before the long one, lower depths before higher ones."""
    text = files("tournaments").joinpath("paper.csv").read_text()
    found = []
    for row in csv.DictReader(text.splitlines()):
        players = row["player"], int(row["depth"]), row["opponent"], int(row["opponent_depth"] or 0)
        seconds, wins, losses, eu = (int(row[name]) for name in ("seconds", "wins", "losses", "eu"))
        found.append(Cell(int(row["figure"]), *players, seconds, wins, losses, eu, row["legible"] == "yes"))
    of_figure = [cell for cell in found if cell.figure == figure]
    return tuple(sorted(of_figure, key=lambda cell: (cell.seconds, max(cell.depth, cell.opponent_depth), cell.depth)))


def pairing(cell: Cell, budget: float | None = None) -> Pairing:
    """Who plays in a cell, the figure's player first: at the paper's sample sizes, or with a budget in seconds."""
    opponents = {"rand": "rand", "hs": HS if budget is None else f"hs:time={budget:g}"}
    opponent = opponents.get(cell.opponent) or searcher(cell.opponent, cell.opponent_depth, cell.seconds, budget)
    return Pairing(searcher(cell.player, cell.depth, cell.seconds, budget), opponent)


def searcher(name: str, depth: int, seconds: int, budget: float | None = None) -> str:
    """Spec of a searching player: with the sample size that the paper's reached in `seconds`, or with our budget."""
    if budget is not None:
        extra = max(LEAST_BUDGET, budget * EXTRA_SECONDS / SHORT)
        return str(parse_spec(f"{name}:depth={depth},time={budget:g},extra={extra:g}"))
    samples = SAMPLES[seconds, depth]
    further = round(samples * EXTRA_SECONDS / seconds)
    return f"{name}:depth={depth},samples={samples},further={further},particles={PARTICLES}"


def changed(spec: str, choice: str) -> str:
    """The spec of a player under a choice; raises BadSpec if it has no such option, or the option no such value."""
    player = parse_spec(spec)
    name = player.name
    for change in choice.split(",") if choice != TODAY else ():
        path, equals, value = change.partition("=")
        who, _, option = path.rpartition(".")
        if not equals or (path == "rules" and change != RULES):
            raise BadSpec(f"illegal choice {change!r}: it takes option=value, player.option=value, {RULES} or {TODAY}.")
        if path == "rules" or name not in ((who,) if who else SEARCHING):
            continue
        if change == "further=none":
            kept = {given: number for given, number in player.options.items() if given != "further"}
            player = replace(player, options=kept)
            continue
        if change == "particles=samples":
            value = str(max(LEAST_PARTICLES, int(player.get("samples") or 0)))
        if option in OF_SEARCH and player.name != "search":
            given = ",".join(f"{key}={value_text(number)}" for key, number in player.options.items())
            player = parse_spec(f"search:{given},backup={name}")
        player = player.with_option(option, value)
    return str(player)


def pair_under(pair: Pairing, choice: str) -> Pairing:
    """Who plays under a choice; raises as `changed` does."""
    return Pairing(changed(pair.first, choice), changed(pair.second, choice))


def rules_under(choice: str) -> RuleSet:
    """The rules under a choice."""
    return replace(BERKELEY, illegal_to=Audience.MOVER) if RULES in choice.split(",") else BERKELEY
