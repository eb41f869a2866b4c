"""Our results beside those of Parker, Nau and Subrahmanian (AAAI 2006): Figures 2, 3 and 5, and their conclusions.

Every figure is a tournament with a store of its own, whose pairings are the figure's cells. With a budget in seconds a
player has that long for a move, in the proportion of the paper longer for each try after an illegal one, and only the
cells of the paper's short run are there to compare with.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee import PAPER_LIMITS
from tournaments.choices import TODAY, pair_under, rules_under
from tournaments.figures import Standing
from tournaments.paper import GAMES, SHORT, Cell, cells, pairing
from tournaments.schedule import Game, Settings
from tournaments.statistics import NORMAL_95, expected_utility, expected_utility_interval, shares_of
from tournaments.store import Store

Key = tuple[str, int, int]
"""Player, depth and the opponent's depth: names a cell within a run of a figure."""
SEED = 2006
"""Of the tournaments that we publish."""


@dataclass(frozen=True, slots=True)
class Result:
    """A cell of the paper, and what we have of it so far."""

    cell: Cell
    ours: Standing

    @property
    def paper(self) -> tuple[int, int, int]:
        """The paper's losses, draws and wins. It prints whole percents, so they are right to within three games."""
        losses, wins = self.cell.losses * GAMES // 100, self.cell.wins * GAMES // 100
        return losses, GAMES - losses - wins, wins

    @property
    def paper_interval(self) -> tuple[float, float]:
        """95 % interval of the paper's EU."""
        return expected_utility_interval(*self.paper)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A conclusion as a difference of EU, in percent: above 0 if it holds.

    Attributes:
      says: what is compared.
      ours: our difference, and half the width of its 95 % interval; None while a cell that it takes has no games.
      paper: the same of the paper's results.
    """

    says: str
    ours: tuple[float, float] | None
    paper: tuple[float, float]


def figure_cells(figure: int, budget: float | None) -> tuple[Cell, ...]:
    """Cells of a figure that a budget can be compared with: all at the paper's sample sizes, else the short run's."""
    return tuple(cell for cell in cells(figure) if budget is None or cell.seconds == SHORT)


def settings_of(figure: int, budget: float | None, seed: int = SEED, choice: str = TODAY) -> Settings:
    """The tournament of a figure under a choice of `tournaments.choices`; raises as `choices.changed` does."""
    pairings = tuple(pair_under(pairing(cell, budget), choice) for cell in figure_cells(figure, budget))
    return Settings(pairings, rules_under(choice), PAPER_LIMITS, seed)


def games_of(settings: Settings, pairings: Iterable[int], games: int) -> list[Game]:
    """Games of some of the pairings, one pairing after another, so that whole cells are done early."""
    return [settings.game(number, game) for number in pairings for game in range(games)]


def results_of(store: Store, figure: int, budget: float | None) -> list[Result]:
    """What a figure's store holds, cell by cell."""
    results = []
    for number, cell in enumerate(figure_cells(figure, budget)):
        as_white, as_black = store.results_by_color(number)
        results.append(
            Result(cell, Standing.of(*(white + black for white, black in zip(as_white, as_black, strict=True))))
        )
    return results


def contrasts_of(results: Sequence[Result]) -> list[Contrast]:
    """The paper's three conclusions on the short run of a figure, as differences.

    Overconfident play beats paranoid play, or does better against the same opponent (there because it knows how `rand`
    plays: its model fits). And a ply more of depth helps, or it does not, for the sample gets smaller. Each is the mean
    of what the cells that have been played say of it, and the paper's is of the same cells.
    """
    of = {
        (result.cell.player, result.cell.depth, result.cell.opponent_depth): result
        for result in results
        if result.cell.seconds == SHORT
    }
    depths = sorted({depth for _, depth, _ in of})
    against = sorted({opponent for _, _, opponent in of})
    players = sorted({player for player, _, _ in of})
    contrasts = []
    if players == ["overconfident"]:
        each = [((1.0, key),) for key in of]
        contrasts.append(_contrast("overconfident against paranoid", each, of))
    else:
        opponent = results[0].cell.opponent
        sides = [((1.0, ("overconfident", depth, 0)), (-1.0, ("paranoid", depth, 0))) for depth in depths]
        contrasts.append(_contrast(f"overconfident less paranoid, against {opponent}", sides, of))
    for player in players:
        for depth in depths[1:]:
            step = [((1.0, (player, depth, other)), (-1.0, (player, depth - 1, other))) for other in against]
            contrasts.append(_contrast(f"{player}, depth {depth} less depth {depth - 1}", step, of))
    return contrasts


Term = tuple[tuple[float, Key], ...]
"""A difference of cells: the sign and the name of each."""


def _contrast(says: str, terms: Sequence[Term], of: Mapping[Key, Result]) -> Contrast:
    """The mean of some differences, of those whose cells have games, or of all where none has."""
    played = [term for term in terms if all(of[key].ours.games for _, key in term)]
    used = [(weight / len(played or terms), of[key]) for term in played or terms for weight, key in term]
    ours = (
        _sum([(weight, (one.ours.losses, one.ours.draws, one.ours.wins)) for weight, one in used]) if played else None
    )
    part = "" if len(terms) == 1 else f" ({len(played)} of {len(terms)})"
    return Contrast(f"{says}{part}", ours, _sum([(weight, one.paper) for weight, one in used]))


def _sum(weighted: Sequence[tuple[float, tuple[int, int, int]]]) -> tuple[float, float]:
    """Weighted sum of EU in percent, and half its 95 % interval.

    The variance is that of the counts with half a game more of each result, lest a cell that ended all alike had none.
    """
    total, variance = 0.0, 0.0
    for weight, counts in weighted:
        total += weight * expected_utility(*counts)
        shares, scores = shares_of([count + 0.5 for count in counts])
        spread = float(shares @ scores**2 - (shares @ scores) ** 2)
        variance += (200 * weight) ** 2 * spread / sum(counts)
    return total, NORMAL_95 * math.sqrt(variance)
