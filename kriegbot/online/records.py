"""The record of an online game: one JSON file, what our side knew and how it thought, nothing else.

The opponent's moves are not in it: the site shows them after the game, and this bot never asks. The file is written
when a game begins, after every turn, and at the end; one without a result is a game to be resumed. The player's seed,
from which its moves follow, is added at the end.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from kriegbot.game.turn import Attempt
from referee import Action, action_code
from referee.text import write_file

Json: TypeAlias = dict[str, Any]

SCHEMA = 1
_CODE = re.compile("[0-9A-Za-z]{1,40}")


def is_code(code: object) -> bool:
    """Return True for a possible code of a game, safe in file names and addresses."""
    return isinstance(code, str) and _CODE.fullmatch(code) is not None


class OnlineRecord:
    """The record of one game in a folder; what was recorded of it before is kept.

    facts: site, bot, code, rules, color, opponent, player.
    """

    def __init__(self, folder: Path, facts: Json) -> None:
        self.path = folder / f"{facts['code']}.json"
        before = _load(self.path)
        thoughts = before.get("thoughts")
        self.data: Json = {"schema": SCHEMA, **facts, "result": None, "seed": None}
        self.data |= {"log": [], "thoughts": thoughts if isinstance(thoughts, list) else []}
        self.save()

    def add(self, tried: Attempt) -> None:
        """Adds how a try was chosen."""
        report = {name: value for name, value in asdict(tried.choice.report).items() if value}
        action, seconds = tried.choice.action, round(tried.seconds, 3)
        assert isinstance(action, Action)  # for mypy: a program cannot leave
        self.data["thoughts"].append(
            report | {"ply": tried.view.ply, "action": action_code(action), "seconds": seconds}
        )

    def end(self, state: Json, seed: int | None) -> None:
        """Adds the end of the game, and saves it."""
        self.data |= {"result": state.get("result") or {}, "clock": state.get("clock"), "seed": seed and str(seed)}
        self.data["log"] = state.get("referee_turns")
        self.save()

    def save(self) -> None:
        """Writes the file, whole or not at all."""
        write_file(self.path, (json.dumps(self.data, indent=1) + "\n").encode())


def unfinished(folder: Path, site: str, bot: str) -> Iterator[Json]:
    """The records of a bot's games that have no result."""
    for path in sorted(folder.glob("*.json")):
        data = _load(path)
        known = {"schema": SCHEMA, "site": site, "bot": bot, "code": path.stem, "result": None}
        if {name: data.get(name) for name in known} == known:
            yield data


def _load(path: Path) -> Json:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
