"""The examples of docs/environments.md run, are ten lines at most, and print what is shown."""

import re
from pathlib import Path

import pytest

from kriegbot.environments.spaces import ACTIONS, PLANES

PAGE = (Path(__file__).parents[1] / "docs" / "environments.md").read_text("utf-8")
EXAMPLES = re.findall(r"^## ([^\n]+)\n\n```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
NEEDS = {
    "PettingZoo": "pettingzoo",
    "Gymnasium": "gymnasium",
    "At OpenSpiel's table": "pyspiel",
}


@pytest.mark.slow
@pytest.mark.parametrize(("title", "program"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_an_example_prints_what_is_shown(title: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    if title in NEEDS:
        pytest.importorskip(NEEDS[title])
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*  # (.*)$", program, re.MULTILINE) != []
    assert len([line for line in program.splitlines() if line]) <= 10


def test_every_environment_has_an_example() -> None:
    assert [title for title, _ in EXAMPLES] == ["A batch of games", *NEEDS]


def test_every_plane_is_explained() -> None:
    rows = re.findall(r"^\| (\d+)(?:(-|, )(\d+))?(?: \*)? \|", PAGE, re.MULTILINE)
    planes = [plane for first, _, last in rows for plane in range(int(first), int(last or first) + 1)]
    assert planes == [*range(PLANES), ACTIONS - 1]
