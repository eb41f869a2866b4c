"""Wall time of a turn on one and on several threads, by part.

    python benchmarks/turn.py --rules wild16 --samples 1000
    python benchmarks/turn.py --rules wild16 --time 1           histories searched, and the longest turn

kriegbot plays against itself. Each side has a twin with more threads, which answers the same views in turns with it, so
that the ratios are of the same minute. By samples both must choose the same tries. Run it on an idle machine.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import chess

from kriegbot import kernels as kb
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from kriegbot.search import adjustments, sampled
from referee import Limits, Referee, rule_set

PARTS = {
    "belief": (sampled.SampledSearch, "update"),
    "tree": (sampled, "search_tries"),
    "perfect information": (adjustments, "open_values"),
}


@contextmanager
def timed(seconds: dict[str, float]) -> Iterator[None]:
    """Add to `seconds` the wall time of each part."""

    def watched(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                seconds[part] += time.perf_counter() - begun

        return call

    with ExitStack() as stack:
        for part, (owner, name) in PARTS.items():
            stack.enter_context(patch.object(owner, name, watched(part, getattr(owner, name))))
        yield


def main() -> None:
    """Play the games and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rules", default="wild16")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--time", type=float, help="seconds of a turn, in place of samples")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--plies", type=int, default=100)
    options = parser.parse_args()
    spec = f"kriegbot:samples={options.samples}" if options.time is None else f"kriegbot:time={options.time:g}"
    numbers = (1, options.threads)
    seconds: dict[int, dict[str, float]] = {threads: defaultdict(float) for threads in numbers}
    searched, longest, turns = dict.fromkeys(numbers, 0), dict.fromkeys(numbers, 0.0), 0
    kb.prepare()
    for game in range(options.games):
        referee = Referee(rule_set(options.rules), Limits(plies=options.plies))
        twins = {
            (color, threads): make_player(parse_spec(f"{spec},threads={threads}"), 2 * game + color)
            for color in chess.COLORS
            for threads in numbers
        }
        of_turn = dict.fromkeys(numbers, 0.0)
        while referee.end is None:
            view, chosen = referee.view(referee.turn), {}
            if not view.refused:
                turns, of_turn = turns + 1, dict.fromkeys(numbers, 0.0)
            for threads in numbers[:: 1 if (referee.ply + len(view.refused)) % 2 else -1]:
                begun = time.perf_counter()
                with timed(seconds[threads]):
                    choice = twins[view.color, threads].choose(view)
                of_turn[threads] += time.perf_counter() - begun
                seconds[threads]["turn"] += time.perf_counter() - begun
                searched[threads] += choice.report.samples if not view.refused else 0
                longest[threads] = max(longest[threads], of_turn[threads])
                chosen[threads] = choice.action
            assert options.time is not None or chosen[numbers[0]] == chosen[numbers[1]]
            assert isinstance(chosen[1], chess.Move)
            referee.try_move(chosen[1])
    print(f"{spec}, {options.rules}, {turns} turns, 1 and {options.threads} threads")
    for part in (*PARTS, "turn"):
        one, more = (seconds[threads][part] / turns for threads in numbers)
        print(f"{part:20} {one:7.4f} s {more:7.4f} s a turn, ratio {more / one:.2f}")
    print(f"longest turn {longest[1]:.2f} s, {longest[options.threads]:.2f} s")
    print(f"histories searched at first tries {searched[1]}, {searched[options.threads]}", end=", ")
    print(f"ratio {searched[options.threads] / searched[1]:.2f}")


if __name__ == "__main__":
    main()
