"""The process of a player in Python: it reads views as lines, passes them to the player, and writes its answers.

    python -m kriegbot.game.worker

It speaks the protocol of docs/bots.md and a few words more. Before `newgame`, `player SPEC` sets the player, and
`early` lets it begin before all kernels are compiled. It answers `ruleset NAME` with a rule set from outside, and the
last view of a game with `over`. Everything that the player prints goes to stderr.
"""

import faulthandler
import gc
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

from kriegbot.children import own_streams
from kriegbot.game.protocol import GREETING, ViewReader, answer_lines
from kriegbot.game.seat import Failure, PlayerFailed, failure_from, validated
from kriegbot.parts import entry_points
from kriegbot.players.base import Player, notify
from kriegbot.players.making import load_rules, make_player
from kriegbot.players.specs import PLAYERS, BadSpec, PlayerSpec, parse_spec
from referee.text import one_line

MAX_DETAIL = 500  # characters of the reason for a failure


class Worker:
    """Plays one game after another, one line at a time."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._reader = out, ViewReader()
        self._player: Player | None = None
        self._known, self._spec, self._seed, self._is_early = -1, "", 0, False

    def take(self, line: str) -> None:
        """Process a line, and write the answer to it if it calls for one."""
        word, _, rest = line.partition(" ")
        match word:
            case "kriegspiel":
                self._reader, self._player = ViewReader(), None
                if line != GREETING:
                    raise PlayerFailed(Failure.RAISED, f"speaks {GREETING!r}, and was greeted with {line!r}")
            case "player":
                self._spec = rest
            case "early":
                self._is_early = True
            case "ruleset":
                self._write(f"ruleset {load_rules(rest).text}")
            case "seed":
                self._seed = int(rest)
            case "newgame":
                spec = parse_spec(self._spec)
                self._player = make_player(spec, self._seed, self._report, is_early=self._is_early)
                gc.unfreeze()
                gc.collect()  # what is left of the last game
                gc.freeze()  # a collection that goes through compiled kernels takes 0.1 s
                self._known = -1
                number = _version_of(spec, self._player)
                self._write(*([f"version {number}"] if number else []), "ready")
            case "time":
                if (hook := getattr(self._player, "on_time", None)) is not None:
                    hook(float(rest))
            case _:
                view, player = self._reader.read(line), self._player
                if view is not None and player is not None:
                    self._known = notify(player, view, self._known)
                    self._write(*(answer_lines(validated(player.choose(view))) if view.end is None else ["over"]))

    def fail(self, error: BaseException) -> None:
        """Report the player's failure to the game and, unless it refuses its spec, write the traceback to the log."""
        if isinstance(error, BadSpec) and self._player is None:
            self._write(f"refused {one_line(str(error), MAX_DETAIL)}")
            return
        failed = error if isinstance(error, PlayerFailed) else failure_from(error)
        print(failed.log, file=sys.stderr, end="")
        is_of_machine = failed.failure is Failure.OURS or isinstance(error, OSError)
        word = "broken" if is_of_machine else "invalid" if failed.failure is Failure.INVALID else "failed"
        self._write(f"{word} {one_line(failed.detail, MAX_DETAIL)}")

    def _report(self, what: str, done: int, total: int) -> None:
        self._write(f"preparing {done} {total} {what}")

    def _write(self, *lines: str) -> None:
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()


def _version_of(spec: PlayerSpec, player: Player) -> str:
    """Return the version of a player from outside: its own, or that of its package."""
    if not spec.is_outside:
        return ""
    entry = entry_points(PLAYERS.group).get(spec.name)
    package = spec.name.partition(":")[0].partition(".")[0] if entry is None or entry.dist is None else entry.dist.name
    with suppress(PackageNotFoundError, ValueError):
        return one_line(str(getattr(player, "version", "") or version(package)), 40)
    return ""


def main() -> None:
    """Serve until the input ends, and this process with it."""
    lines, out = own_streams()
    sys.stderr.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    faulthandler.enable()
    worker = Worker(out)
    for line in lines:
        try:
            worker.take(line)
        except BaseException as error:  # noqa: BLE001 - also SystemExit, which a player may raise
            worker.fail(error)


if __name__ == "__main__":
    main()
