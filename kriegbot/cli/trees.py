"""`kriegbot trees`: explicit game trees with information sets, and the exact algorithms on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from kriegbot import request
from kriegbot.cli.common import argument, group, option
from kriegbot.request import Refused, path_of, refusing, save_whole
from kriegbot.trees.draw import svg as drawn
from kriegbot.trees.formats import load
from kriegbot.trees.imp_alphabeta import imp_alphabeta
from kriegbot.trees.imp_minimax import (
    alternating_best_responses,
    imp_minimax,
    is_equilibrium,
    overconfident,
    paranoid,
)
from kriegbot.trees.perfect import Searched, alphabeta, expectimax, expectiminimax, minimax
from kriegbot.trees.strategy import Solution, brute_force, payoffs
from kriegbot.trees.tree import Leaf, Number, Tree, TreeError, action_name
from referee.text import one_line, unknown
from tournaments import figure6 as figure
from tournaments.report_page import PlotsMissing

trees = group("Solve explicit game trees, and measure pruning on random ones.")


def _bounded(tree: Tree) -> Solution:
    return imp_alphabeta(tree, max(node.payoffs[0] for node in tree.nodes() if isinstance(node, Leaf)))


def _answered(tree: Tree) -> Solution:
    answers = alternating_best_responses(tree, dict.fromkeys(tree.information_sets, 0))
    return Solution(answers.payoffs[0], answers.strategy, 0)


ALGORITHMS: dict[str, Callable[[Tree], Solution]] = {
    "imp-minimax": imp_minimax,
    "imp-alphabeta": _bounded,
    "brute-force": brute_force,
    "best-responses": _answered,
    "overconfident": overconfident,
    "paranoid": paranoid,
    "minimax": minimax,
    "expectimax": expectimax,
    "expectiminimax": expectiminimax,
    "chance-minimax": expectiminimax,
    "alphabeta": alphabeta,
}


@trees.command()
def solve(
    file: Annotated[str, argument("FILE", "A tree, .json or .efg.")],
    algorithm: Annotated[str, option("NAME", f"One of {', '.join(ALGORITHMS)}.")] = "imp-minimax",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    svg: Annotated[str | None, option("OUT", "Draw the tree, with the strategy found in thick lines.")] = None,
) -> None:
    """Solve a game tree for its first player."""
    if algorithm not in ALGORITHMS:
        raise Refused(unknown("algorithm", algorithm, ALGORITHMS))
    picture = None if svg is None else path_of(svg)
    with refusing(TreeError, ending="."):
        tree = load(file)
        solution = ALGORITHMS[algorithm](tree)
        found = _findings(tree, algorithm, solution)
        if picture is not None:
            save_whole(picture, drawn(tree, solution.strategy).encode())
    if json:
        print(dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(found)


def _findings(tree: Tree, algorithm: str, solution: Solution) -> dict[str, Any]:
    """What is printed, as plain values; numbers as in JSON trees."""
    try:
        worth = [_plain(payoff) for payoff in payoffs(tree, solution.strategy)]
    except TreeError:  # it has no choices for a player assumed to move at random, or as badly as possible
        worth = None
    choices = [
        {
            "player": tree.players[key[0]],
            "information_set": key[1],
            "action": action_name(nodes[0], solution.strategy[key]),
        }
        for key, nodes in tree.information_sets.items()
        if key in solution.strategy
    ]
    recall = {name: tree.why_not_perfect_recall(player) for player, name in enumerate(tree.players)}
    return {
        "title": tree.title,
        "players": tree.players,
        "nodes": sum(1 for _ in tree.nodes()),
        "information_sets": len(tree.information_sets),
        "why_not_perfect_recall": recall,
        "algorithm": algorithm,
        "value": _plain(solution.value),
        "strategy": choices,
        "payoffs": worth,
        "is_equilibrium": is_equilibrium(tree, solution.strategy) if algorithm == "best-responses" else None,
        "nodes_examined": len(solution.examined) if isinstance(solution, Searched) else None,
        "leaves_examined": solution.leaves or None,
    }


def _plain(number: Number) -> int | float | str:
    return number if isinstance(number, int | float) else int(number) if number.denominator == 1 else str(number)


def _show(found: dict[str, Any]) -> None:
    sets = f"{found['information_sets']} information set{'s' * (found['information_sets'] != 1)}"
    print(f"{one_line(found['title']) or 'A tree'}: {found['nodes']} nodes, {sets}.")
    for player, why in found["why_not_perfect_recall"].items():
        if why is not None:
            print(f"{one_line(player)} has no perfect recall: {one_line(why)}.")
    print(f"{found['algorithm']}: {found['value']} for {one_line(found['players'][0])}")
    for choice in found["strategy"]:
        line = f"{choice['player']}, {choice['information_set']}: {choice['action']}"
        print(f"  {one_line(line)}")
    if found["payoffs"] is not None:
        print(f"Played this way, the game is worth {', '.join(str(payoff) for payoff in found['payoffs'])}.")
    if found["is_equilibrium"] is not None:
        print("This is an equilibrium." if found["is_equilibrium"] else "The answers cycle.")
    examined = [f"{found[f'{what}_examined']} {what}" for what in ("nodes", "leaves") if found[f"{what}_examined"]]
    if examined:
        print(f"Examined: {', '.join(examined)}.")


@trees.command()
def imp_model(
    k: Annotated[str, option("K", "Number of sets that the nodes below an alternative split into.")],
    b: Annotated[str, option("B", "Alternatives of each set.")],
    d: Annotated[str, option("D", "Depth of the leaves, 2 or more.")],
    trials: Annotated[str, option("N", "How many trees, each with its own payoffs.")] = "100",
    seed: Annotated[str | None, option("N", "The same seed gives the same trees.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure the share of leaves that IMP-alpha-beta examines on IMP-model(k, b, d)."""
    parts, alternatives = request.whole_of(k, "k", 1, 10**6), request.whole_of(b, "b", 1, 10**6)
    depth, count = request.whole_of(d, "d", 2, 99), request.whole_of(trials, "number of trials", 2, 10**6)
    number = request.seed_of(seed)
    with refusing(ValueError, ending="."):
        share = figure.measured(parts, alternatives, depth, count, number)
    if json:
        print(dumps({**asdict(share), "seed": str(number)}, indent=2, allow_nan=False))
    else:
        print(_line(share))
        print(f"{share.trials} trees of {share.leaves} leaves, seed {number}.")


@trees.command()
def figure6(
    out: Annotated[str, option("DIR", "Where figure6.csv and figure6.svg go.")] = ".",
) -> None:
    """Measure and plot Figure 6 of van Lent and Mutchler: the share of leaves examined against k, b and d."""
    folder = Path(out)
    for name in ("figure6.csv", "figure6.svg"):
        path_of(str(folder / name))

    points = []
    for point in figure.figure6():
        points.append(point)
        print(_line(point), flush=True)
    with refusing(PlotsMissing, OSError, ending="."):
        figure.save(points, folder)
    print(f"Written to {folder / 'figure6.csv'} and {folder / 'figure6.svg'}.")


def _line(share: figure.Share) -> str:
    return (
        f"IMP-model(k={share.k}, b={share.b}, d={share.depth}): {100 * share.share:.2f} % of leaves examined, "
        f"+-{100 * share.half_width:.2f}"
    )
