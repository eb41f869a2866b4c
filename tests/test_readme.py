"""README.md and docs/ are true: commands print it, the README's Python runs, links lead somewhere."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[1]
PAGES = [TOP / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + [
    path for folder in ("docs", "benchmarks") for path in sorted((TOP / folder).rglob("*.md"))
]
RUN = [TOP / name for name in ("README.md", "docs/play.md")]
COMMAND = re.compile(r"^    \$ (.+)\n((?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", re.MULTILINE)
SHOWN = [one for page in RUN for one in COMMAND.findall(page.read_text("utf-8"))]
BOTS = (TOP / "docs/bots.md").read_text("utf-8").partition("\n## From Python\n")[2]
RECIPES = re.findall(r"^### ([^\n]+)\n.*?```python\n(.*?)```", BOTS, re.MULTILINE | re.DOTALL)


def dedented(block: str) -> str:
    """Return a block of a page as the program prints it."""
    return "\n".join(line.removeprefix("    ").rstrip() for line in block.strip("\n").splitlines())


def without_times(statistics: Any) -> Any:
    """Statistics of a match less what differs from run to run."""
    if not isinstance(statistics, dict):
        return statistics
    return {key: without_times(value) for key, value in statistics.items() if not key.endswith("seconds")}


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_prints_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    if "--json" in command:
        assert without_times(json.loads(ran.stdout)) == without_times(json.loads(dedented(output)))
    else:
        assert "\n".join(line.rstrip() for line in ran.stdout.strip("\n").splitlines()) == dedented(output)


def test_the_commands_and_programs_shown_are_found() -> None:
    assert len(SHOWN) >= 3
    assert len(RECIPES) == BOTS.count("```python") == 2


def test_the_python_shown_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", RUN[0].read_text("utf-8"), re.DOTALL)
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == shown(program) != []


def shown(program: str) -> list[str]:
    """Return what stands beside the `print`s of a program."""
    return re.findall(r"^print.*  # (.*)$", program, re.MULTILINE)


@pytest.mark.parametrize("program", [text for _, text in RECIPES], ids=[title for title, _ in RECIPES])
def test_a_recipe_is_short_and_prints_what_is_shown(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "matplotlib" in program:
        pytest.importorskip("matplotlib").use("svg")
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == shown(program) != []
    assert len([line for line in program.splitlines() if line]) < 25


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in re.findall(r"(?:\]\(|src=\")(?!https?:)([^)\"\s]+)[)\"]", page.read_text("utf-8")):
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if heading:
            headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
            assert heading in [re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in headings], link


def test_what_architecture_and_method_name_is_there() -> None:
    text = "".join((TOP / "docs" / name).read_text("utf-8") for name in ("architecture.md", "method.md"))
    homes = [TOP, TOP / "kriegbot"]
    paths = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", text)
    assert len(paths) > 40
    assert [path for path in paths if not any((home / path).exists() for home in homes)] == []
    functions = re.findall(r"`(recursion|tree)\.(\w+)`", text)
    assert len(functions) >= 6
    sources = {module: (TOP / f"kriegbot/search/{module}.py").read_text("utf-8") for module, _ in functions}
    assert [(module, name) for module, name in functions if f"def {name}(" not in sources[module]] == []


def test_the_documentation_is_short() -> None:
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, encoding="utf-8", check=False, cwd=TOP)
    names = [name for name in listed.stdout.split() if name != "CHANGELOG.md" and "/log/" not in name]
    pages = [TOP / name for name in names] or PAGES  # an sdist is no git checkout
    assert sum(len(re.findall(r"\S*\w\S*", page.read_text("utf-8"))) for page in pages) <= 18_000


def test_constraints_are_those_of_this_version_and_allow_all_that_pyproject_asks_for() -> None:
    """Names and pins: each requirement has one within its bounds, and nothing is pinned twice."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (TOP / "constraints.txt").read_text(encoding="utf-8")
    tested = re.findall(r"the rest is what ([0-9.]+) was tested with", text)
    assert [tuple(map(int, one.split("."))) >= (0, 3, 0) for one in tested] == [True]
    assert tested == [project["version"]]
    found = re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)
    pins = {canonicalize_name(name): version for name, version in found}
    assert len(pins) == len(found) > 90
    wanted = [Requirement(one) for one in sum(project["optional-dependencies"].values(), project["dependencies"])]
    refused = [str(one) for one in wanted if not one.specifier.contains(pins.get(canonicalize_name(one.name), "0"))]
    assert refused == []
    assert len(wanted) > 40


def test_the_version_is_the_same_everywhere() -> None:
    (version,) = re.findall(r'^version = "(.+)"$', (TOP / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.findall(r"^version: (.+)$", (TOP / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE) == [version]
    latest, date = re.findall(
        r"^## \[(.+)\] - (.+)$", (TOP / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )[0]
    assert latest == version
    assert re.findall(r"^date-released: (.+)$", (TOP / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE) == [
        date
    ]
