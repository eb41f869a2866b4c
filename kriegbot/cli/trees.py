"""`kriegbot trees`: exact algorithms on explicit game trees with information sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Annotated, Any

from kriegbot.cli.common import Json, Seed, argument, counted, group, one_of, option, whole_number
from kriegbot.request import path_of, refusing, save_whole, seed_of
from kriegbot.trees.draw import svg as drawn
from kriegbot.trees.formats import load
from kriegbot.trees.imp_minimax import (
    alternating_best_responses,
    imp_alphabeta,
    imp_minimax,
    is_equilibrium,
    overconfident,
    paranoid,
)
from kriegbot.trees.perfect import alphabeta, expectimax, expectiminimax, minimax
from kriegbot.trees.strategy import Solution, brute_force, payoffs
from kriegbot.trees.tree import Leaf, Number, Tree, TreeError, action_name
from referee.text import one_line
from tournaments import figure6 as figure
from tournaments.presentation import PlotsMissing

trees = group("Solve explicit game trees and measure pruning on random ones.")


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
    algorithm: Annotated[
        str, option("NAME", f"One of {', '.join(ALGORITHMS)}.", **one_of("algorithm", ALGORITHMS))
    ] = "imp-minimax",
    json: Json = False,
    svg: Annotated[
        Path | None, option("OUT", "Draw the tree, with the solution in thick lines.", parser=path_of)
    ] = None,
) -> None:
    """Solve a game tree for its first player."""
    with refusing(TreeError, ending="."):
        tree = load(file)
        solution = ALGORITHMS[algorithm](tree)
        results = _results(tree, algorithm, solution)
        if svg is not None:
            save_whole(svg, drawn(tree, solution.strategy).encode())
    if json:
        print(dumps(results, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(results)


def _results(tree: Tree, algorithm: str, solution: Solution) -> dict[str, Any]:
    """Return everything to be printed, as plain values; numbers are as in JSON trees."""
    try:
        values = [_plain(payoff) for payoff in payoffs(tree, solution.strategy)]
    except TreeError:  # it has no choices for a player assumed to move at random, or as badly as possible
        values = None
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
        "payoffs": values,
        "is_equilibrium": is_equilibrium(tree, solution.strategy) if algorithm == "best-responses" else None,
        "nodes_examined": len(solution.examined) or None,
        "leaves_examined": solution.leaves or None,
    }


def _plain(number: Number) -> int | float | str:
    return number if isinstance(number, int | float) else int(number) if number.denominator == 1 else str(number)


def _show(results: dict[str, Any]) -> None:
    size = f"{counted(results['nodes'], 'node')}, {counted(results['information_sets'], 'information set')}"
    print(f"{one_line(results['title']) or 'A tree'}: {size}.")
    for player, why in results["why_not_perfect_recall"].items():
        if why is not None:
            print(f"{one_line(player)} has no perfect recall: {one_line(why)}.")
    print(f"{results['algorithm']}: {results['value']} for {one_line(results['players'][0])}")
    for choice in results["strategy"]:
        line = f"{choice['player']}, {choice['information_set']}: {choice['action']}"
        print(f"  {one_line(line)}")
    if results["payoffs"] is not None:
        print(f"Played this way, the game is worth {', '.join(str(payoff) for payoff in results['payoffs'])}.")
    if results["is_equilibrium"] is not None:
        print("This is an equilibrium." if results["is_equilibrium"] else "The answers cycle.")
    examined = [f"{results[f'{what}_examined']} {what}" for what in ("nodes", "leaves") if results[f"{what}_examined"]]
    if examined:
        print(f"Examined: {', '.join(examined)}.")


@trees.command()
def imp_model(
    k: Annotated[int, option("K", "Information sets below each alternative.", parser=whole_number("k", 1, 10**6))],
    b: Annotated[int, option("B", "Alternatives of each set.", parser=whole_number("b", 1, 10**6))],
    d: Annotated[int, option("D", "Depth of the leaves, 2 or more.", parser=whole_number("d", 2, 99))],
    trials: Annotated[
        int,
        option("N", "Trees, each with its own payoffs.", parser=whole_number("number of trials", 2, 10**6)),
    ] = 100,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Measure the share of leaves that IMP-alpha-beta examines on IMP-model(k, b, d)."""
    number = seed_of(seed)
    with refusing(ValueError, ending="."):
        share = figure.measured(k, b, d, trials, number)
    if json:
        print(dumps({**asdict(share), "seed": str(number)}, indent=2, allow_nan=False))
    else:
        print(_line(share))
        print(f"{share.trials} trees of {share.leaves} leaves, seed {number}.")


@trees.command()
def figure6(
    out: Annotated[Path, option("DIR", "Folder of figure6.csv and figure6.svg.")] = Path(),
) -> None:
    """Measure and plot Figure 6 of van Lent and Mutchler: the share of leaves examined against k, b and d."""
    for name in ("figure6.csv", "figure6.svg"):
        path_of(str(out / name))
    points = []
    for point in figure.figure6():
        points.append(point)
        print(_line(point), flush=True)
    with refusing(PlotsMissing, OSError, ending="."):
        figure.save(points, out)
    print(f"Written to {out / 'figure6.csv'} and {out / 'figure6.svg'}.")


def _line(share: figure.Share) -> str:
    return (
        f"IMP-model(k={share.k}, b={share.b}, d={share.depth}): {100 * share.share:.2f}% of leaves examined, "
        f"+-{100 * share.half_width:.2f}"
    )
