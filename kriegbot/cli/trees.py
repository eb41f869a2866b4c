"""`kriegbot trees`: exact game trees, and how much IMP-alpha-beta prunes."""

from collections.abc import Callable
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Any

from kriegbot import trees as exact
from kriegbot.cli import common
from kriegbot.cli.common import JSON, SEED, argument, one_of, option, whole_number
from kriegbot.request import apart_from, path_of, refusing, save_whole, seed_of
from kriegbot.trees import Leaf, Number, Solution, Tree, TreeError
from referee.text import counted, one_line
from tournaments import leaves_examined

trees = common.group("Solve explicit game trees and measure pruning on random ones.")


def _answered(tree: Tree) -> Solution:
    answers = exact.alternating_best_responses(tree, dict.fromkeys(tree.information_sets, 0))
    return Solution(answers.payoffs[0], answers.strategy, 0)


ALGORITHMS: dict[str, Callable[[Tree], Solution]] = {
    "imp-minimax": exact.imp_minimax,
    "imp-alphabeta": lambda tree: exact.imp_alphabeta(
        tree, max(node.payoffs[0] for node in tree.nodes() if isinstance(node, Leaf))
    ),
    "brute-force": exact.brute_force,
    "best-responses": _answered,
    "overconfident": exact.overconfident,
    "paranoid": exact.paranoid,
    "minimax": exact.minimax,
    "expectimax": exact.expectimax,
    "expectiminimax": exact.expectiminimax,
    "chance-minimax": exact.expectiminimax,
    "alphabeta": exact.alphabeta,
}


@trees.command()
def solve(
    file: str = argument("FILE", "A tree, .json or .efg."),
    algorithm: str = option(
        "NAME", f"One of {', '.join(ALGORITHMS)}.", **one_of("algorithm", ALGORITHMS), default="imp-minimax"
    ),
    json: bool = JSON,
    svg: Path | None = option("OUT", "Draw the tree, with the solution in thick lines.", parser=path_of),
) -> None:
    """Solve a game tree for its first player."""
    with refusing(TreeError):
        tree = exact.load(file)
        solution = ALGORITHMS[algorithm](tree)
        results = _results(tree, algorithm, solution)
        if svg is not None:
            save_whole(apart_from(file, svg), exact.svg(tree, solution.strategy).encode())
    if json:
        print(dumps(results, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _print_solution(results)


def _results(tree: Tree, algorithm: str, solution: Solution) -> dict[str, Any]:
    """Return everything to be printed, as plain values; numbers are as in JSON trees."""
    try:
        values = [_plain(payoff) for payoff in exact.payoffs(tree, solution.strategy)]
    except TreeError:  # it has no choices for a player assumed to move at random, or as badly as possible
        values = None
    choices = [
        {
            "player": tree.players[key[0]],
            "information_set": key[1],
            "action": exact.action_name(nodes[0], solution.strategy[key]),
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
        "is_equilibrium": exact.is_equilibrium(tree, solution.strategy) if algorithm == "best-responses" else None,
        "nodes_examined": len(solution.examined) or None,
        "leaves_examined": solution.leaves or None,
    }


def _plain(number: Number) -> int | float | str:
    return number if isinstance(number, int | float) else int(number) if number.denominator == 1 else str(number)


def _print_solution(results: dict[str, Any]) -> None:
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
    k: int = option("K", "Information sets below each alternative.", parser=whole_number("k", 1, 10**6), default=...),
    b: int = option("B", "Alternatives of each set.", parser=whole_number("b", 1, 10**6), default=...),
    d: int = option("D", "Depth of the leaves, 2 or more.", parser=whole_number("d", 2, 99), default=...),
    trials: int = option("N", "Random trees.", parser=whole_number("number of trials", 2, 10**6), default=100),
    seed: int | None = SEED,
    json: bool = JSON,
) -> None:
    """Measure the share of leaves that IMP-alpha-beta examines on IMP-model(k, b, d)."""
    number = seed_of(seed)
    with refusing(ValueError):
        share = leaves_examined.measured(k, b, d, trials, number)
    if json:
        print(dumps({**asdict(share), "seed": str(number)}, indent=2, allow_nan=False))
    else:
        print(_line(share))
        print(f"{share.trials} trees of {share.leaves} leaves, seed {number}.")


@trees.command()
def figure6(out: Path = option("DIR", "Folder of figure6.csv and figure6.svg.", default=Path())) -> None:
    """Measure and plot Figure 6 of van Lent and Mutchler: the share of leaves examined against k, b and d."""
    for name in ("figure6.csv", "figure6.svg"):
        path_of(str(out / name))
    points = []
    for point in leaves_examined.figure6():
        points.append(point)
        print(_line(point), flush=True)
    with refusing(leaves_examined.PlotsMissing, OSError):
        leaves_examined.save(points, out)
    print(f"Written to {out / 'figure6.csv'} and {out / 'figure6.svg'}.")


def _line(share: leaves_examined.Share) -> str:
    return (
        f"IMP-model(k={share.k}, b={share.b}, d={share.depth}): {100 * share.share:.2f}% of leaves examined, "
        f"+-{100 * share.half_width:.2f}"
    )
