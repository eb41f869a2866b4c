"""Write the generated documentation: docs/commands.md from `--help`, the table in docs/rules.md, and all figures.

    python scripts/pages.py            writes what differs
    python scripts/pages.py --check    says what differs, and fails if anything does: `scripts/check` runs it

`scripts/figures.py` says where figures stand and what they are written from.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scripts is no package
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import figures
from measurements import TOP, version
from numbers_in_text import NUMBERS

from kriegbot.cli.main import main
from referee import RULE_SETS

WIDTH = {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
GAME_OPTIONS = ("--rules", "--limits", "--patience", "--sandbox", "--seed", "--json", "--show-belief")
COMMON = (*GAME_OPTIONS, "--port", "--no-browser", "--host")
"""Options of several commands; the page explains them once, in the words of `match` or `play`."""
GROUPS = {
    "Play": ("learn", "play", "resume", "results"),
    "Games": ("match", "replay", "render", "convert"),
    "Tournaments": ("tournament", "report", "export", "merge", "reproduce"),
    "Lists": ("players", "check-player", "rules", "completion"),
    "Other": ("online register", "online run", "trees solve", "trees imp-model", "trees figure6"),
}
HEAD = """\
# Commands

`python scripts/pages.py` makes this page from `--help`. See [play.md](play.md) for how to play, and
[bots.md](bots.md#naming-a-player) for how to name a player.

Results go to standard output, problems to standard error in one line.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a player failed and forfeited, a check of it failed, or kriegbot or its machine failed |
| 2 | bad input |
| 130 | interrupted, by Ctrl-C or SIGTERM |

A player that is not built in forfeits a game if it raises, hangs, dies or answers wrongly, whatever the reason. So does
a player with a part that is not built in, such as an evaluator, except if its process is killed or lacks memory or
files. A player that is all ours forfeits only by time. Nobody wins a game by another failure, such as a process that
cannot start or a full disk. `match` and `play` then end without a result, and `tournament` plays the game again, three
times in all. Time in which kriegbot itself is suspended does not count.
"""


def commands_page() -> str:
    """Return docs/commands.md."""
    helps = {name: _help(name.split()) for names in GROUPS.values() for name in names}
    common = dict.fromkeys(_option(helps[name], option) for name in ("match", "play") for option in COMMON)
    common.pop("", None)
    parts = [HEAD, "## Options of many commands\n", "".join(common)]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [f"### kriegbot {name}\n\n{_without(helps[name], common)}" for name in names]
    return "\n".join(parts)


def _option(text: str, name: str) -> str:
    """Return the lines of a command's help about an option, "" if it has none."""
    match = re.search(rf"^ {{6}}{name}\b.*\n(?: {{20,}}.*\n)*", text, flags=re.MULTILINE)
    return match[0] if match else ""


def _without(text: str, common: Iterable[str]) -> str:
    """Return a command's help, which only names the `common` options."""
    has = []
    for option in common:
        name = option.split()[0]
        own = _option(text, name)
        if own.split() == option.split():
            text = text.replace(own, "")
            has.append(name)
    text = text.removesuffix("\n    Options:\n")
    return f"{text}\n    Also: {', '.join(has)}.\n" if has else text


def _help(path: list[str]) -> str:
    """Return the help of one command, indented, without its usage line and --help."""
    with mock.patch.dict(os.environ, WIDTH), redirect_stdout(StringIO()) as out:
        main([*path, "--help"])
    text = out.getvalue().split("\n", 2)[2]
    text = re.sub(r"^ +-h, --help.*(?:\n {20,}.*)*\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n+(Options:\n)?\Z", "", text).strip("\n")
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def rules_table() -> str:
    """Return the table of docs/rules.md: a row for each fact, a column for each rule set."""
    facts = {name: rules.facts() for name, rules in RULE_SETS.items()}
    rows = list(dict.fromkeys(what for each in facts.values() for what in each))
    lines = [["", *(f"`{name}`" for name in facts)], ["---"] * (len(facts) + 1)]
    lines += [[what, *(each.get(what, "-") for each in facts.values())] for what in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def rules_page(page: str) -> str:
    """Return docs/rules.md with the current table."""
    return re.sub(r"(?:^\|.*\n)+", lambda _: rules_table(), page, count=1, flags=re.MULTILINE)


def problems_of(may_write: bool) -> list[str]:
    """Return what is wrong with the pages, a line each, after writing those that differ from their data if asked to."""
    problems = figures.unlike_trials()
    for page in sorted({*figures.PAGES, *NUMBERS, "docs/commands.md", "docs/rules.md"}):
        path = TOP / page
        if not path.exists():
            continue
        before = path.read_text("utf-8")
        try:
            after = figures.filled(page, commands_page() if page == "docs/commands.md" else before, version())
            if page == "docs/rules.md":
                after = rules_page(after)
        except figures.Wrong as error:
            problems.append(str(error))
            continue
        by_hand = ", ".join(figures.unbacked(page, after)) if page in figures.PAGES else ""
        problems += [f"{page}: written by hand, not from measurements.csv: {by_hand}"] if by_hand else []
        if after != before and may_write:
            path.write_text(after, encoding="utf-8")
        elif after != before:
            problems += differences(page, before, after)
    return problems


def differences(page: str, before: str, after: str) -> list[str]:
    """Return where a page differs from its data, as one line for each line of the page."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), page, "the data", n=0, lineterm="")
    return [line for line in lines if not line.startswith("@@")]


if __name__ == "__main__":
    problems = problems_of(may_write="--check" not in sys.argv[1:])
    print("\n".join(problems or ["Pages and data agree."]))
    sys.exit(bool(problems))
