"""What a store has to say: every figure of a tournament, computed by SQL from its games, sides and answers.

`report_of` makes the figures (see `tournaments.figures`); `report_text` and `report_html` show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tournaments.figures import (
    Forfeit,
    Histogram,
    Incident,
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

FIRST_POINTS = "CASE result WHEN '1/2-1/2' THEN 0.5 ELSE (result = '1-0') = (number % 2 = 0) END"
"""Points of a pairing's first player, who has White in its even games."""
PLIES_A_BIN = 10
SECOND_EDGES = tuple(round(float(edge), 7) for edge in np.geomspace(1e-4, 1e4, 33))
"""Edges of a histogram of times, four to a tenfold; what is shorter or longer goes into the bin at the end."""


def report_of(store: Store, sprt: Sprt | None = None) -> Report:
    """All figures of a store.

    Args:
      store: of a tournament.
      sprt: a test to make of each pairing, over the pairs of `pairs_in_order`.

    Raises:
      sqlite3.Error: the store cannot be read.
    """
    settings, select = store.settings, store.connection.execute
    names = list(dict.fromkeys(name for pairing in settings.pairings for name in (pairing.first, pairing.second)))
    seconds = select("SELECT total(seconds) FROM games").fetchone()[0]
    versions = select("SELECT versions, count(*) FROM games GROUP BY versions ORDER BY 2 DESC, 1")
    forfeits = select("SELECT game, player, color, failure FROM sides WHERE failure != '' ORDER BY game, color")
    incidents = select("SELECT game, at, what, quarantined FROM incidents ORDER BY id")
    pairings = tuple(_pairing(store, number, sprt) for number in range(len(settings.pairings)))
    return Report(
        rules=settings.rules.name,
        plies=settings.limits.plies,
        quiet=settings.limits.quiet_plies,
        seed=settings.seed,
        shard=str(store.shard),
        wanted=sum(store.shard.has(game) for game in settings.schedule(store.games)),
        done=sum(pairing.standing.games for pairing in pairings),
        seconds=seconds,
        versions=dict(versions.fetchall()),
        players=tuple(_player(store, name, pairings) for name in names),
        pairings=pairings,
        points=_points(pairings, names),
        forfeits=tuple(Forfeit(*row) for row in forfeits),
        incidents=tuple(Incident(game, at, what, bool(last)) for game, at, what, last in incidents),
    )


def decision_of(store: Store, sprt: Sprt, pairing: int = 0) -> Decision:
    """What a test of a pairing has decided.

    Raises:
      sqlite3.Error: the store cannot be read.
    """
    return _tested(pairs_in_order(store, pairing), sprt).decision


def pairs_in_order(store: Store, pairing: int) -> Iterator[float]:
    """Points, 0 to 2, of a pairing's pairs, up to the first in this file's part that is not complete.

    Short games are finished first. To count every complete pair would favour their results, and a test's decision
    would hang on how many games were played at once. A pair with a game that was given up is passed over.
    """
    points = _pair_points(store, pairing)
    given_up = {row[0] for row in store.connection.execute("SELECT game FROM incidents WHERE quarantined")}
    for pair in range(max(points, default=-1) + 1):
        games = [store.settings.game(pairing, 2 * pair + half) for half in (0, 1)]
        if pair in points:
            yield points[pair]
        elif store.shard.has(games[0]) and not any(game.id in given_up for game in games):
            return


def results_by_color(store: Store, pairing: int) -> tuple[list[int], list[int]]:
    """Losses, draws and wins of a pairing's first player with White, and with Black.

    Raises:
      sqlite3.Error: the store cannot be read.
    """
    query = f"SELECT number % 2, {FIRST_POINTS} AS points, count(*) FROM games WHERE pairing = ? GROUP BY 1, 2"
    by_color = [0, 0, 0], [0, 0, 0]
    for color, points, count in store.connection.execute(query, (pairing,)):
        by_color[color][round(2 * points)] = count
    return by_color


def _pairing(store: Store, number: int, sprt: Sprt | None) -> PairingReport:
    select = store.connection.execute
    players = store.settings.pairings[number]
    as_white, as_black = results_by_color(store, number)
    points = _pair_points(store, number)
    endings = select("SELECT reason, count(*) FROM games WHERE pairing = ? GROUP BY 1 ORDER BY 2 DESC, 1", (number,))
    mean_plies, seconds = select("SELECT avg(plies), avg(seconds) FROM games WHERE pairing = ?", (number,)).fetchone()
    plies = [row[0] for row in select("SELECT plies FROM games WHERE pairing = ?", (number,))]
    return PairingReport(
        first=players.first,
        second=players.second,
        standing=Standing.of(*(white + black for white, black in zip(as_white, as_black, strict=True))),
        as_white=Standing.of(*as_white),
        as_black=Standing.of(*as_black),
        pairs=_pairs(tuple(sum(round(2 * value) == score for value in points.values()) for score in range(5))),
        endings=dict(endings.fetchall()),
        mean_plies=mean_plies,
        plies=_histogram(plies, np.arange(0, max(plies, default=0) + PLIES_A_BIN + 1, PLIES_A_BIN).tolist()),
        seconds=seconds,
        test=_tested(pairs_in_order(store, number), sprt) if sprt else None,
    )


def _pair_points(store: Store, pairing: int) -> dict[int, float]:
    """Number of each complete pair -> points of the first player, 0 to 2."""
    query = (
        f"SELECT number / 2, sum({FIRST_POINTS}) FROM games WHERE pairing = ? GROUP BY 1 HAVING count(*) = 2 ORDER BY 1"
    )
    return dict(store.connection.execute(query, (pairing,)).fetchall())


def _pairs(counts: Counts) -> Pairs | None:
    return Pairs(tuple(counts), *mean_and_variance(counts), elo(counts)) if sum(counts) else None


def _tested(points: Iterable[float], sprt: Sprt) -> Tested:
    """A test over pairs, one by one, up to where it is decided; what was played after that changes nothing."""
    counts, decision = [0] * 5, None
    for of_pair in points:
        counts[round(2 * of_pair)] += 1
        decision = sprt.decision(counts)
        if decision:
            break
    ratio = sprt.log_likelihood_ratio(counts)
    return Tested(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta, tuple(counts), ratio, sprt.bounds, decision)


def _player(store: Store, player: str, pairings: Sequence[PairingReport]) -> PlayerReport:
    select = store.connection.execute
    games, moves, illegal, overruns, astray, forfeits = select(
        "SELECT count(*), ifnull(sum(turns), 0), sum(illegal), ifnull(sum(overruns), 0), sum(astray), "
        "ifnull(sum(failure != ''), 0) FROM sides WHERE player = ?",
        (player,),
    ).fetchone()
    answers = "FROM sides CROSS JOIN answers USING (game, color) WHERE player = ?"
    samples = select(f"SELECT avg(samples) {answers} AND samples > 0", (player,)).fetchone()[0]
    rescues = select(f"SELECT rescue, count(*) {answers} AND rescue != '' GROUP BY 1 ORDER BY 2 DESC, 1", (player,))
    rescued = dict(rescues.fetchall())
    move_seconds = [row[0] for row in select(f"SELECT sum(seconds) {answers} GROUP BY game, ply", (player,))]
    answer_seconds = [row[0] for row in select(f"SELECT seconds {answers}", (player,))]
    points = sum(pairing.standing.wins + pairing.standing.draws / 2 for pairing in pairings if pairing.first == player)
    points += sum(
        pairing.standing.losses + pairing.standing.draws / 2 for pairing in pairings if pairing.second == player
    )
    return PlayerReport(
        player=player,
        games=games,
        points=points,
        moves=moves,
        illegal_a_move=illegal / moves if moves else None,
        mean_samples=samples,
        move_seconds=_quantiles(move_seconds),
        answer_seconds=_quantiles(answer_seconds),
        times=_histogram(move_seconds, SECOND_EDGES),
        overruns=overruns,
        rescues=rescued,
        rescues_a_move=sum(rescued.values()) / moves if moves else None,
        astray_a_move=astray / moves if moves else None,
        forfeits=forfeits,
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


def _quantiles(values: Sequence[float]) -> tuple[float, float] | None:
    """Median and 99th percentile."""
    return (float(np.quantile(values, 0.5)), float(np.quantile(values, 0.99))) if values else None


def _histogram(values: Sequence[float], edges: Sequence[float]) -> Histogram:
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return Histogram(tuple(edges), tuple(counts.tolist()))
