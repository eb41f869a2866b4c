"""The process of a player in Python: takes lines in, hands its player views, and gives the answers out as lines.

    python -m kriegbot.game.worker

It speaks docs/bots.md, with three words more, told before `newgame`: `player SPEC` is who plays the game, and
`early` that it may begin before all kernels are compiled; to `ruleset NAME` it answers with a rule set from outside.
It may be shown the last view of a game, too, to which it answers `over`; `heard over` may then tell how the game ended.
What the player prints goes to stderr.
"""

import faulthandler
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

from kriegbot.game.children import leave_with_stdin
from kriegbot.game.protocol import GREETING, ViewReader, answer_lines
from kriegbot.game.seat import Failure, PlayerFailed, raised, validated
from kriegbot.parts import entry_points
from kriegbot.players.base import Player, notify
from kriegbot.players.making import load_rules, make_player
from kriegbot.players.specs import PLAYERS, BadSpec, PlayerSpec, parse_spec
from referee.text import one_line

MOST_DETAIL = 500  # characters of why a player failed


class Worker:
    """Plays one game after another, one line at a time."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._reader = ViewReader()
        self._player: Player | None = None
        self._known = -1
        self._spec = ""
        self._seed = 0
        self._is_early = False

    def take(self, line: str) -> None:
        """Takes in a line, and answers it if it asks for an answer."""
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
                self._say(f"ruleset {load_rules(rest).text}")
            case "seed":
                self._seed = int(rest)
            case "newgame":
                spec = parse_spec(self._spec)
                self._player = make_player(spec, self._seed, self._prepared, is_early=self._is_early)
                self._known = -1
                number = _version_of(spec, self._player)
                self._say(*([f"version {number}"] if number else []), "ready")
            case _:
                view = self._reader.read(line)
                if view is not None and self._player is not None:
                    self._known = notify(self._player, view, self._known)
                    is_over = view.end is not None
                    self._say(*(["over"] if is_over else answer_lines(validated(self._player.choose(view)))))

    def fail(self, error: BaseException) -> None:
        """Tells the game that the player failed, and writes the traceback to the log."""
        if isinstance(error, BadSpec):
            self._say(f"refused {one_line(str(error), MOST_DETAIL)}")
            return
        failed = error if isinstance(error, PlayerFailed) else raised(error)
        print(failed.log, file=sys.stderr, end="")
        word = "nonsense" if failed.failure is Failure.NONSENSE else "failed"
        self._say(f"{word} {one_line(failed.detail, MOST_DETAIL)}")

    def _prepared(self, what: str, done: int, total: int) -> None:
        self._say(f"preparing {done} {total} {what}")

    def _say(self, *lines: str) -> None:
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()


def _version_of(spec: PlayerSpec, player: Player) -> str:
    """The version of a player from outside: its own, or that of the package that offers it."""
    if not spec.is_outside:
        return ""
    entry = entry_points(PLAYERS.group).get(spec.name)
    package = spec.name.partition(":")[0].partition(".")[0] if entry is None or entry.dist is None else entry.dist.name
    try:
        return one_line(str(getattr(player, "version", "") or version(package)), 40)
    except (PackageNotFoundError, ValueError):
        return ""


def main() -> None:
    """Serves until its input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # whatever prints, in Python or in C, writes to the log
    sys.stdout = sys.stderr
    sys.stderr.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    faulthandler.enable()
    leave_with_stdin()
    worker = Worker(out)
    while line := sys.stdin.readline():
        try:
            worker.take(line.removesuffix("\n"))
        except BaseException as error:  # noqa: BLE001 - also SystemExit: whatever a player raises is reported
            worker.fail(error)


if __name__ == "__main__":
    main()
