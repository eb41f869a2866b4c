"""Make the figures of the documentation again: one command for each, and one for all.

    python benchmarks/measure.py                     lists the figures of benchmarks/measure.toml
    python benchmarks/measure.py FOLDER KEY ...      makes some
    python benchmarks/measure.py FOLDER all          makes those that the version of the checkout still lacks

Games go to a tournament file for each key in FOLDER, which should lie outside the repository. The same command resumes
what was interrupted. Figures go to benchmarks/log/measurements.csv; then `python scripts/pages.py` writes the pages.
"""

import argparse
import shlex
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import measurements

LIST = Path(__file__).with_suffix(".toml")
ALL = "all"


def run(*arguments: str) -> None:
    """Run Python at the root of the repository; exit as it does if it fails."""
    print("$ python", shlex.join(arguments), flush=True)
    code = subprocess.run([sys.executable, *arguments], cwd=measurements.TOP, check=False).returncode
    if code:
        raise SystemExit(code)


def measure(key: str, figure: dict[str, Any], folder: Path, jobs: int) -> None:
    """Play and watch the games of a figure, or run its script, and add its rows to the table."""
    if "run" in figure:
        run(*shlex.split(figure["run"]))
        return
    file = folder / f"{key}.sqlite"
    run("-m", "kriegbot", "tournament", *shlex.split(figure["play"]), "--jobs", str(jobs), "--out", str(file))
    if "watch" in figure:
        run("benchmarks/seeing.py", str(file), "--record", key, *shlex.split(figure["watch"]))
        return
    rows = measurements.results(file, key, command_of(key))
    if "lead" in figure:
        drawn = measurements.drawn_after_lead(file, figure["lead"])
        what = f"draws after a lead of {figure['lead']} pawns"
        none = dict.fromkeys(("won", "drawn", "lost"), "")
        rows.append(replace(rows[0], key=f"{key}-lead", what=what, value=drawn, unit="games", **none))
    measurements.add(rows)


def command_of(key: str) -> str:
    """Return the command that makes a figure again."""
    return f"python benchmarks/measure.py FOLDER {key}"


def is_done(key: str) -> bool:
    """Return True if the table has a figure of this version of a key, or of keys that begin with it."""
    rows = measurements.read()
    return any(row.version == measurements.version() and f"{row.key}-".startswith(f"{key}-") for row in rows)


def main() -> None:
    """List or make figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="for games")
    parser.add_argument("keys", nargs="*", help=f"of benchmarks/measure.toml, or {ALL}")
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    options = parser.parse_args()
    figures = tomllib.loads(LIST.read_text("utf-8"))
    if not options.keys:
        for key, figure in figures.items():
            what = " ".join((figure.get("play") or figure["run"]).split())
            print(f"{'done' if is_done(key) else '':5}{key}: {what}")
        return
    if unknown := set(options.keys) - {*figures, ALL}:
        parser.error(f"unknown figure {min(unknown)!r}. Figures: {', '.join(figures)}, {ALL}.")
    options.folder.mkdir(parents=True, exist_ok=True)
    for key, figure in figures.items():
        if key in options.keys or (ALL in options.keys and not is_done(key)):
            measure(key, figure, options.folder, options.jobs)


if __name__ == "__main__":
    main()
