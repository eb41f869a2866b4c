"""`kriegbot trees`: what it prints, and how it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kriegbot.cli.main import main
from kriegbot.cli.trees import ALGORITHMS
from kriegbot.trees import svg
from kriegbot.trees.formats import save
from kriegbot.trees.imp_minimax import imp_minimax
from tests.game_trees import bins_game, bins_game_with_a_coin, g1, g2, matching_pennies
from tournaments import leaves_examined

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, tree in {"g1": g1(), "g2": g2(), "pennies": matching_pennies(), "game1": bins_game()}.items():
        save(tree, tmp_path / f"{name}.json")
    save(bins_game_with_a_coin(), tmp_path / "game2.efg")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_tree_is_solved_drawn_and_what_is_odd_about_it_said(folder: Path, capsys: Captured) -> None:
    assert main(["trees", "solve", "g2.json", "--svg", "g2.svg"]) == 0
    assert capsys.readouterr().out == (
        "G2: 11 nodes, 3 information sets.\n"
        "Max has no perfect recall: nodes C and D are in one information set 'C or D', but Max chose 'go on' in 'A' "
        "before the one and chose 'go on' in 'B' before the other.\n"
        "imp-minimax: 1 for Max\n"
        "  Max, A: go on\n"
        "  Max, C or D: right\n"
        "  Max, B: go on\n"
        "Played this way, the game is worth -99/2.\n"
        "Examined: 6 leaves.\n"
    )
    assert (folder / "g2.svg").read_text(encoding="utf-8").count('stroke-width="4"/>') == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "file", "value"),
    [
        ("imp-minimax", "g1.json", 1),
        ("imp-alphabeta", "g1.json", 1),
        ("brute-force", "g2.json", "1/2"),
        ("best-responses", "game1.json", 1),
        ("overconfident", "game1.json", 5),
        ("paranoid", "game2.efg", -5),
        ("minimax", "game1.json", 1),
        ("expectimax", "game1.json", 5),
        ("expectiminimax", "game2.efg", -2),
        ("chance-minimax", "game2.efg", -2),
        ("alphabeta", "game1.json", 1),
    ],
)
@pytest.mark.usefixtures("folder")
def test_every_algorithm_prints_one_json_object(algorithm: str, file: str, value: int | str, capsys: Captured) -> None:
    assert algorithm in ALGORITHMS
    assert main(["trees", "solve", file, "--algorithm", algorithm, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["algorithm"], found["value"]) == (algorithm, value)
    assert {choice["player"] for choice in found["strategy"]} <= {"Max", "Min"}


@pytest.mark.usefixtures("folder")
def test_answers_that_go_in_a_circle_are_no_equilibrium(capsys: Captured) -> None:
    for file, says in (("pennies.json", "The answers cycle."), ("game1.json", "This is an equilibrium.")):
        assert main(["trees", "solve", file, "--algorithm", "best-responses"]) == 0
        assert capsys.readouterr().out.endswith(f"{says}\n")


@pytest.mark.slow
def test_imp_model_measures_the_same_with_the_same_seed(capsys: Captured) -> None:
    arguments = ["trees", "imp-model", "--k", "2", "--b", "10", "--d", "4", "--trials", "20", "--seed", "3"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["leaves"], found["trials"], found["seed"]) == (8000, 20, "3")
    assert 0.1 < found["share"] < 0.5
    assert main(arguments) == 0
    assert f"IMP-model(k=2, b=10, d=4): {100 * found['share']:.2f}% of leaves examined" in capsys.readouterr().out


REFUSED = [
    (["solve", "none.json"], "none.json: cannot be read (No such file or directory)."),
    (["solve", "tree.txt"], "tree.txt: a file of a tree ends with .json or .efg."),
    (["solve", "damaged.efg"], "damaged.efg: line 2, column 1: expected a node: c, p or t, not the end of the file."),
    (["solve", "g1.json", "--algorithm", "minmax"], "unknown algorithm 'minmax'; did you mean 'minimax'? Known: imp-"),
    (["solve", "game2.efg", "--algorithm", "minimax"], "node root/A is of chance"),
    (["solve", "g2.json", "--algorithm", "alphabeta"], "nodes C and D are in one information set 'C or D' of Max"),
    (["solve", "game1.json", "--algorithm", "imp-alphabeta"], "IMP-alpha-beta is for one player, and Min has a choice"),
    (["solve", "g1.json", "--svg", "/"], "cannot save to '/'"),
    (["solve", "g1.json", "--svg", "g1.json"], "cannot save to 'g1.json': it is the file to read; choose another."),
    (["imp-model", "--k", "2", "--b", "2"], "missing option '--d'"),
    (["imp-model", "--k", "0", "--b", "2", "--d", "3"], "illegal k '0': it takes a whole number, 1..1000000."),
    (["imp-model", "--k", "2", "--b", "2", "--d", "50"], "IMP-model(2, 2, 50)"),
    (["imp-model", "--k", "2", "--b", "2", "--d", "3", "--trials", "1"], "illegal number of trials '1'"),
    (["imp-model", "--k", "2", "--b", "2", "--d", "3", "--seed", "x"], "illegal seed 'x'"),
    (["figure6", "--out", "/no/such/place"], "cannot save to '/no/such/place/figure6.csv'"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(case[0])[:50] for case in REFUSED])
def test_bad_input_is_refused_on_one_line(arguments: list[str], message: str, folder: Path, capsys: Captured) -> None:
    (folder / "damaged.efg").write_text('EFG 2 R "" { "one" }\n', encoding="utf-8")
    assert main(["trees", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("kriegbot: ")
    assert message in err


DOCS = Path(__file__).parents[1] / "docs"


def test_the_python_and_the_json_of_the_documentation_are_as_it_says(folder: Path, capsys: Captured) -> None:
    text = (DOCS / "trees.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(program, {})
    assert capsys.readouterr().out.split() == re.findall(r"^print.*# (.*)$", program, re.MULTILINE)
    (tree,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (folder / "coin.json").write_text(tree, encoding="utf-8")
    assert main(["trees", "solve", "coin.json"]) == 0
    assert "imp-minimax: 0 for Max" in capsys.readouterr().out
    assert all(f"`{algorithm}`" in text for algorithm in ALGORITHMS)


def test_the_picture_of_the_documentation_is_that_of_g2() -> None:
    assert (DOCS / "tree.svg").read_text(encoding="utf-8") == svg(g2(), imp_minimax(g2()).strategy)


@pytest.mark.slow
def test_figure6_writes_a_table_and_a_plot(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(leaves_examined, "DEEPEST_LEAVES", 100)
    monkeypatch.setattr(leaves_examined, "NARROW", 0.1)
    assert main(["trees", "figure6", "--out", str(folder)]) == 0
    *points, last = capsys.readouterr().out.splitlines()
    table = (folder / "figure6.csv").read_text(encoding="utf-8").splitlines()
    assert len(points) == len(table) - 1 > 10
    assert all("% of leaves examined, +-" in point for point in points)
    assert last == f"Written to {folder / 'figure6.csv'} and {folder / 'figure6.svg'}."
    assert (folder / "figure6.svg").read_text(encoding="utf-8").count("depth d") == 2
