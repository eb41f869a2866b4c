"""The tables of a report, cell by cell as text, the same at a terminal, where it is shown from here, and on a page.

Players are numbered, as in chess cross tables, because their specs are long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from referee.text import one_line
from tournaments.report import PairingReport, PlayerReport, Report, Standing, Tested
from tournaments.statistics import Elo

NOTHING = "-"
"""Stands for a missing figure."""
MOST_ROWS = 50
"""Rows shown of each table at a terminal; the page and the JSON have all."""


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column headings, rows of cells; `prose`: whether the last column is text instead of numbers."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    prose: bool = False


def show_report(report: Report, console: Console | None = None) -> None:
    """Writes a report to a console, by default on stdout."""
    console = console or Console(highlight=False)
    settings = Grid.grid(padding=(0, 2))
    for name, value in settings_of(report):
        settings.add_row(Text(name, "bold"), Text(one_line(value)))
    console.print(settings)
    for table in tables_of(report):
        console.print()
        show_table(table, console)


def show_table(table: Table, console: Console) -> None:
    """Writes a table with its title to a console."""
    console.print(Text(table.title, "bold"))
    console.print(_grid(table, console.is_terminal))
    if len(table.rows) > MOST_ROWS:
        console.print(f"  and {len(table.rows) - MOST_ROWS} more")


def _grid(table: Table, is_ruled: bool) -> Grid:
    """A table for rich; its text comes from players, and is shown without markup."""
    grid = Grid(box=box.SIMPLE_HEAD if is_ruled else None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    last = len(table.headings) - 1
    for place, heading in enumerate(table.headings):
        is_text = place == 0 or (table.prose and place == last)
        grid.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in table.rows[:MOST_ROWS]:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    return grid


def settings_of(report: Report) -> list[tuple[str, str]]:
    """What was played, as pairs of name and text."""
    limits = [f"{report.plies} plies"] if report.plies else []
    limits += [f"{report.quiet} without pawn move or capture"] if report.quiet else []
    part = "" if report.shard == "1/1" else f", part {report.shard} of the tournament"
    mean = f", {report.seconds / report.done:.1f} s of play a game" if report.done else ""
    return [
        ("Rules", report.rules),
        ("Drawn after", " or ".join(limits) or "no limit"),
        ("Seed", str(report.seed)),
        ("Games", f"{report.done} of {report.wanted}{part}{mean}"),
        *(("Played with", f"{versions} ({games} games)") for versions, games in report.versions.items()),
        *((f"Player {number}", player.player) for number, player in enumerate(report.players, 1)),
    ]


def tables_of(report: Report) -> list[Table]:
    """All tables that have something to show."""
    every = [
        _results(report),
        _cross_table(report),
        _pairs(report),
        *_tests(report),
        _colors(report),
        _endings(report),
        _thinking(report),
        _times(report),
        _forfeits(report),
        _incidents(report),
    ]
    return [table for table in every if table.rows]


def names_of(report: Report) -> dict[str, str]:
    """Spec -> the player's number."""
    return {player.player: str(number) for number, player in enumerate(report.players, 1)}


def title_of(report: Report, pairing: PairingReport) -> str:
    """A pairing by its players' numbers."""
    names = names_of(report)
    return f"{names[pairing.first]} - {names[pairing.second]}"


def _results(report: Report) -> Table:
    rows = [(title_of(report, pairing), *_standing(pairing.standing)) for pairing in report.pairings]
    headings = ("", "won", "drawn", "lost", "EU %", "95 %", "Elo", "LOS %", "draws %")
    return Table("Results of the first player", headings, rows)


def _standing(standing: Standing) -> tuple[str, ...]:
    counts = (str(standing.wins), str(standing.draws), str(standing.losses))
    return (
        *counts,
        _number(standing.utility, "+.1f"),
        _interval(standing.utility_interval),
        _elo(standing.elo, (standing.wins + standing.draws / 2) / max(1, standing.games)),
        _percent(standing.superiority),
        _percent(standing.draw_ratio),
    )


def _elo(difference: Elo | None, score: float) -> str:
    """Elo with its error; where all games were won or lost, its lower or upper bound."""
    if difference is None:
        return NOTHING
    if score in (0, 1):
        return f"above {difference.low:+.0f}" if score else f"below {difference.high:+.0f}"
    return f"{difference.difference:+.1f} +- {difference.error:.1f}"


def _cross_table(report: Report) -> Table:
    players = report.players if len(report.players) > 2 else ()
    rows = [
        (
            str(number),
            *(_number(cell, "g") for cell in report.points[number - 1]),
            f"{player.points:g}",
            str(player.games),
        )
        for number, player in enumerate(players, 1)
    ]
    return Table("Points against each", ("", *names_of(report).values(), "all", "games"), rows)


def _pairs(report: Report) -> Table:
    rows = [
        (
            title_of(report, pairing),
            *map(str, pairing.pairs.counts),
            f"{pairing.pairs.score:.3f}",
            f"{pairing.pairs.variance:.4f}",
            _elo(pairing.pairs.elo, pairing.pairs.score),
        )
        for pairing in report.pairings
        if pairing.pairs
    ]
    headings = ("", "0", "1/2", "1", "3/2", "2", "score", "variance", "Elo")
    return Table("Pairs of games with exchanged colours, by points", headings, rows)


def _tests(report: Report) -> list[Table]:
    tested = [(title_of(report, pairing), pairing.test) for pairing in report.pairings if pairing.test]
    if not tested:
        return []
    first = tested[0][1]
    title = (
        f"SPRT in normalized Elo, H0 {first.elo0:g} against H1 {first.elo1:g}, alpha {first.alpha:g}, "
        f"beta {first.beta:g}"
    )
    headings = ("", "pairs", "LLR", "bounds", "accepted")
    return [Table(title, headings, [(name, *_test(test)) for name, test in tested])]


def _test(test: Tested) -> tuple[str, ...]:
    low, high = test.bounds
    return str(sum(test.counts)), f"{test.ratio:+.2f}", f"{low:+.2f} {high:+.2f}", test.decision or "neither yet"


def _colors(report: Report) -> Table:
    rows = [
        (
            title_of(report, pairing),
            *(
                cell
                for standing in (pairing.as_white, pairing.as_black)
                for cell in (
                    f"{standing.wins} - {standing.draws} - {standing.losses}",
                    _number(standing.utility, "+.1f"),
                )
            ),
        )
        for pairing in report.pairings
        if pairing.standing.games
    ]
    return Table("By colour: won - drawn - lost", ("", "with White", "EU %", "with Black", "EU %"), rows)


def _endings(report: Report) -> Table:
    rows = [
        (
            title_of(report, pairing),
            _number(pairing.mean_plies, ".1f"),
            _number(pairing.seconds, ".1f"),
            ", ".join(f"{reason} {games}" for reason, games in pairing.endings.items()),
        )
        for pairing in report.pairings
        if pairing.standing.games
    ]
    return Table("How games ended", ("", "mean plies", "s a game", "endings"), rows, prose=True)


def _thinking(report: Report) -> Table:
    rows = [
        (
            str(number),
            str(player.moves),
            _number(player.illegal_a_move, ".3f"),
            _number(player.mean_samples, ".1f"),
            _number(player.rescues_a_move, ".4f"),
            _number(player.astray_a_move, ".4f"),
            str(player.overruns),
            str(player.forfeits),
            ", ".join(f"{rescue} {count}" for rescue, count in player.rescues.items()),
        )
        for number, player in enumerate(report.players, 1)
        if player.games
    ]
    headings = ("", "moves", "illegal", "samples", "rescues", "astray", "late", "forfeits", "rescues by")
    title = "Players: illegal tries a move, samples an answer, rescues and astray answers a move, late answers"
    return Table(title, headings, rows, prose=True)


def _times(report: Report) -> Table:
    rows = [(str(number), *_player_times(player)) for number, player in enumerate(report.players, 1) if player.games]
    headings = ("", "median move", "99 %", "median answer", "99 %")
    return Table("Time in ms, of a move and of each answer", headings, rows)


def _player_times(player: PlayerReport) -> list[str]:
    spans = (player.move_seconds or (None, None)), (player.answer_seconds or (None, None))
    return [_number(None if value is None else 1000 * value, ".1f") for span in spans for value in span]


def _forfeits(report: Report) -> Table:
    names = names_of(report)
    rows = [(str(lost.game), names.get(lost.player, lost.player), lost.failure) for lost in report.forfeits]
    return Table("Games forfeited", ("game", "player", "what it did"), rows, prose=True)


def _incidents(report: Report) -> Table:
    rows = [
        (str(incident.game), incident.at, incident.what + " (game given up)" * incident.quarantined)
        for incident in report.incidents
    ]
    return Table("Processes that died", ("game", "when", "what"), rows, prose=True)


def _number(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}"


def _interval(interval: Sequence[float] | None) -> str:
    return NOTHING if interval is None else f"{interval[0]:+.1f} {interval[1]:+.1f}"
