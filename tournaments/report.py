"""Every figure of a tournament, computed from the games, sides and answers in its store.

`report_of` computes the figures (see `tournaments.figures`); `report_text` and `report_html` show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tournaments.figures import (
    Histogram,
    PairingReport,
    Pairs,
    PlayerReport,
    Report,
    Standing,
    Tested,
)
from tournaments.sprt import Decision, Sprt
from tournaments.statistics import Counts, elo, mean_and_variance
from tournaments.store import Store

PLIES_A_BIN = 10
SECOND_EDGES = tuple(round(float(edge), 7) for edge in np.geomspace(1e-4, 1e4, 33))
"""Edges of a histogram of times, four to each power of ten; shorter and longer times go into the outer bins."""


def report_of(store: Store, sprt: Sprt | None = None) -> Report:
    """All figures of a store.

    Args:
      store: of a tournament.
      sprt: a test to apply to each pairing, over the pairs of `pairs_in_order`.

    Raises:
      StoreError: the store is damaged.
    """
    store.check()
    settings = store.settings
    names = list(dict.fromkeys(name for pairing in settings.pairings for name in (pairing.first, pairing.second)))
    pairings = tuple(_pairing(store, number, sprt) for number in range(len(settings.pairings)))
    points = _points(pairings, names)
    return Report(
        rules=settings.rules.name,
        plies=settings.limits.plies,
        quiet=settings.limits.quiet_plies,
        seed=settings.seed,
        shard=str(store.shard),
        wanted=sum(store.shard.has(game) for game in settings.schedule(store.games)),
        done=sum(pairing.standing.games for pairing in pairings),
        seconds=sum((pairing.seconds or 0) * pairing.standing.games for pairing in pairings),
        versions=store.versions(),
        players=tuple(_player(store, name, row) for name, row in zip(names, points, strict=True)),
        pairings=pairings,
        points=points,
        forfeits=tuple(store.forfeits()),
        incidents=tuple(store.incidents()),
    )


def decision_of(store: Store, sprt: Sprt, pairing: int = 0) -> Decision:
    """The decision of a test of a pairing.

    Raises:
      StoreError: the store is damaged.
    """
    return _tested(pairs_in_order(store, pairing), sprt).decision


def pairs_in_order(store: Store, pairing: int) -> Iterator[float]:
    """Points, 0 to 2, of a pairing's pairs, up to the first in this file's part that is not complete.

    Short games finish first. Counting every complete pair would favour their results, and a test's decision would
    depend on how many games are played at once. A pair with a game that was given up is skipped.
    """
    points = store.pair_points(pairing)
    given_up = store.given_up()
    for pair in range(max(points, default=-1) + 1):
        games = [store.settings.game(pairing, 2 * pair + half) for half in (0, 1)]
        if pair in points:
            yield points[pair]
        elif store.shard.has(games[0]) and not any(game.id in given_up for game in games):
            return


def _pairing(store: Store, number: int, sprt: Sprt | None) -> PairingReport:
    players = store.settings.pairings[number]
    as_white, as_black = store.results_by_color(number)
    points = store.pair_points(number).values()
    lengths = store.lengths(number)
    plies, seconds = [plies for plies, _ in lengths], [seconds for _, seconds in lengths]
    return PairingReport(
        first=players.first,
        second=players.second,
        standing=Standing.of(*(white + black for white, black in zip(as_white, as_black, strict=True))),
        as_white=Standing.of(*as_white),
        as_black=Standing.of(*as_black),
        pairs=_pairs(tuple(sum(round(2 * value) == score for value in points) for score in range(5))),
        endings=store.endings(number),
        mean_plies=_mean(plies),
        plies=_histogram(plies, np.arange(0, max(plies, default=0) + PLIES_A_BIN + 1, PLIES_A_BIN).tolist()),
        seconds=_mean(seconds),
        test=_tested(pairs_in_order(store, number), sprt) if sprt else None,
    )


def _pairs(counts: Counts) -> Pairs | None:
    return Pairs(tuple(counts), *mean_and_variance(counts), elo(counts)) if sum(counts) else None


def _tested(points: Iterable[float], sprt: Sprt) -> Tested:
    """A test over pairs, one by one, until it is decided; later games change nothing."""
    counts, decision = [0] * 5, None
    for of_pair in points:
        counts[round(2 * of_pair)] += 1
        decision = sprt.decision(counts)
        if decision:
            break
    ratio = sprt.log_likelihood_ratio(counts)
    return Tested(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta, tuple(counts), ratio, sprt.bounds, decision)


def _player(store: Store, player: str, points: Sequence[float | None]) -> PlayerReport:
    totals, rescues, move_seconds = store.totals(player), store.rescues(player), store.move_seconds(player)
    moves = totals.moves
    return PlayerReport(
        player=player,
        games=totals.games,
        points=sum(won or 0 for won in points),
        moves=moves,
        illegal_a_move=totals.illegal / moves if moves else None,
        mean_samples=store.mean_samples(player),
        move_seconds=_quantiles(move_seconds),
        answer_seconds=_quantiles(store.answer_seconds(player)),
        times=_histogram(move_seconds, SECOND_EDGES),
        overruns=totals.overruns,
        rescues=rescues,
        rescues_a_move=sum(rescues.values()) / moves if moves else None,
        astray_a_move=totals.astray / moves if moves else None,
        forfeits=totals.forfeits,
    )


def _points(pairings: Sequence[PairingReport], names: Sequence[str]) -> tuple[tuple[float | None, ...], ...]:
    """Points of each player (rows) against each."""
    met: dict[tuple[str, str], float] = {}
    for pairing in pairings:
        standing = pairing.standing
        if standing.games:
            for pair, won in (
                ((pairing.first, pairing.second), standing.wins),
                ((pairing.second, pairing.first), standing.losses),
            ):
                met[pair] = met.get(pair, 0.0) + won + standing.draws / 2
    return tuple(tuple(met.get((row, column)) for column in names) for row in names)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _quantiles(values: Sequence[float]) -> tuple[float, float] | None:
    """Median and 99th percentile."""
    return (float(np.quantile(values, 0.5)), float(np.quantile(values, 0.99))) if values else None


def _histogram(values: Sequence[float], edges: Sequence[float]) -> Histogram:
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return Histogram(tuple(edges), tuple(counts.tolist()))
