"""Whatever comes from outside is tried before the first game; rule sets from outside; what a program is told."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from kriegbot import parts
from kriegbot.cli.main import main
from kriegbot.game import process
from kriegbot.game.match import play_game
from kriegbot.game.process import ProcessSeat, find_rules, try_out
from kriegbot.game.seat import HereSeat
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec, players
from kriegbot.web.pages import new_game
from kriegbot.web.requests import New
from kriegbot.web.server import PageServer
from referee import BERKELEY, Audience, Limits, Reason, record_from_pgn, record_to_pgn
from tests.outside import BOT, EXAMPLES, PYTHON, SHELL, installed
from tests.page import RAND, Client, served
from tests.transcript import transcript

IMPORT = "from kriegbot.players.base import Choice"
BOTS = """
class Bot:
    def __init__(self, seed): ...
    def choose(self, view): return Choice(view.tries()[0])
class Raises(Bot):
    def __init__(self, seed): raise OSError("no opening book")
class Chooses(Bot):
    def choose(self, view): return nothing
class Chatters(Bot):
    def choose(self, view): return "e2e4"
"""


@pytest.mark.parametrize(
    "command",
    [
        ("match",),
        pytest.param(("tournament", "--games", "2"), marks=pytest.mark.slow),
        pytest.param(("play", "--opponent"), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("bots.py:Raises", "player 'bots.py:Raises' raised OSError: no opening book.\n"),
        ("bots.py:Chooses", "player 'bots.py:Chooses' raised NameError: name 'nothing' is not defined.\n"),
        ("bots.py:Chatters", "player 'bots.py:Chatters' gave an invalid answer: 'e2e4', not a Choice.\n"),
        (
            "broken.py:Bot",
            "player 'broken.py:Bot': \"cannot load 'broken.py': ImportError: no x1\".\n",
        ),
        ("program:true", "player 'program:true' died: its process ended (exit code 0).\n"),
        (
            "program:sh dies.sh",
            "player 'program:sh dies.sh' died: its process ended (exit code 3); it wrote 'no library'.\n",
        ),
    ],
)
def test_what_cannot_play_is_refused_before_the_first_game(
    command: tuple[str, ...],
    player: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bots.py").write_text(IMPORT + BOTS, encoding="utf-8")
    Path("broken.py").write_text("raise ImportError('no x1')", encoding="utf-8")
    Path("dies.sh").write_text("echo loading >&2; echo no library >&2; exit 3", encoding="utf-8")
    others = [] if command[0] == "play" else ["rand"]
    code = main([*command, player, *others, "--no-sandbox"])
    assert (code, *capsys.readouterr()) == (2, "", f"kriegbot: {message}")
    assert set(os.listdir()) - {"__pycache__"} == {"bots.py", "broken.py", "dies.sh"}


def test_a_player_that_is_slow_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PROBE_PATIENCE", 0.2)
    (tmp_path / "bot.sh").write_text(BOT.format("sleep 60"), encoding="utf-8")
    try_out(parse_spec(f"program:sh {tmp_path / 'bot.sh'}", sandbox=False))


def test_a_part_that_hangs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PARTS_PATIENCE", 0.5)
    (tmp_path / "sleepy.py").write_text("import time\ntime.sleep(60)", encoding="utf-8")
    spec = parse_spec(f"search:samples=20,evaluator={tmp_path / 'sleepy.py'}:f")
    with pytest.raises(BadSpec, match=r"hung: not ready in 0\.5 seconds"):
        try_out(spec)


def test_what_is_ours_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(_seat: ProcessSeat, _seed: int) -> None:
        raise AssertionError

    monkeypatch.setattr(ProcessSeat, "begin", begin)
    for name, kind in players().items():
        if kind.make is not None and name != "engine":  # it runs a program, which may be missing
            try_out(parse_spec(name))
    try_out(parse_spec("search:evaluator=conservative,backup=mixed,opponent=fitted"))


RULES = """
from dataclasses import replace
from referee import BERKELEY, Audience
QUIET = replace(BERKELEY, name="quiet", title="Quiet", illegal_to=Audience.MOVER)
TAKEN = replace(QUIET, name="wild16")
NUMBER = 1
print("hello")
"""


@pytest.mark.slow
def test_all_play_by_a_rule_set_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own_rules.py"
    path.write_text(RULES, encoding="utf-8")
    rules = find_rules(f"{path}:QUIET", sandbox=False)
    assert rules == replace(BERKELEY, name="quiet", title="Quiet", illegal_to=Audience.MOVER)
    assert not any("own_rules" in name for name in sys.modules), "it was run elsewhere"
    for text in (PYTHON, SHELL, "rand"):
        with ProcessSeat(parse_spec(text, sandbox=False)) as seat:
            played = play_game(seat, HereSeat("rand", RandPlayer), rules=rules, limits=Limits(plies=12))
        assert played.record.end is not None
        assert played.record.end.reason is Reason.PLY_LIMIT
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert played.record.headers["RuleSetFile"] == f"{path} sha256 {sha256}"
    assert record_from_pgn(record_to_pgn(played.record)).rules == rules


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "own_rules.py:TAKEN",
            "rule set 'own_rules.py:TAKEN': \"the name 'wild16' is taken; it takes another one\".\n",
        ),
        ("own_rules.py:NUMBER", "rule set 'own_rules.py:NUMBER': 'is a int; it takes a RuleSet'.\n"),
        ("own_rules.py:QUIT", "rule set 'own_rules.py:QUIT': \"'own_rules.py' has no 'QUIT'\".\n"),
        ("no.py:QUIET", "rule set 'no.py:QUIET': there is no file 'no.py'.\n"),
        ("quiet", "unknown rule set 'quiet'. Known: "),
    ],
)
def test_a_rule_set_that_cannot_be_loaded_is_refused(
    name: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_rules.py").write_text(RULES, encoding="utf-8")
    assert main(["match", "rand", "rand", "--rules", name, "--no-sandbox"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"kriegbot: {message}")
    assert err.count("\n") == 1


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder that packages are imported from."""
    monkeypatch.syspath_prepend(tmp_path)
    parts.entry_points.cache_clear()
    yield tmp_path
    parts.entry_points.cache_clear()


@pytest.mark.slow
def test_a_package_offers_a_rule_set(site: Path) -> None:
    installed(site, "some_rules", RULES, {"kriegbot.rules": {"quiet": "some_rules:QUIET"}})
    assert find_rules("quiet", sandbox=False).title == "Quiet"


@pytest.mark.parametrize(
    "message",
    [
        RAND | {"opponent": "lost"},
        pytest.param(
            {"do": "watch", "white": "rand", "black": "lost", "rules": "berkeley", "seed": "1", "pace": 0},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["play", "watch"],
)
def test_the_page_refuses_an_installed_player_that_cannot_play(message: dict[str, Any], site: Path) -> None:
    installed(site, "some_bots", IMPORT + BOTS, {"kriegbot.players": {"lost": "some_bots:Chooses"}})
    with served(site / "games") as server, Client(server.address) as client:
        client.send(message)
        assert client.until("refusal") == {
            "is": "refusal",
            "text": "player 'lost' raised NameError: name 'nothing' is not defined.",
            "to": message["do"],
        }
        assert not any(json.loads(text)["is"] == "game" for text in client.heard)
    assert not list(site.glob("games/*.pgn"))


def test_the_page_does_without_a_sandbox_if_told_to(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(site, "some_bots", IMPORT + BOTS, {"kriegbot.players": {"lost": "some_bots:Chooses"}})
    houses = []

    def serve(server: PageServer) -> None:
        server._socket.close()
        houses.append(server.registry)

    monkeypatch.setattr(PageServer, "serve_until_stopped", serve)
    for option in ("--no-browser", "--no-sandbox"):
        assert main(["play", "--web", "--no-browser", option, "--save", str(site)]) == 0
    asked = New("lost", "white", "berkeley", None, None)
    specs = [new_game(registry, asked).game.programs[chess.BLACK] for registry in houses]
    assert [spec.sandbox for spec in specs] == [True, False]


def test_the_transcript_in_the_docs_is_that_of_a_game() -> None:
    said = transcript()
    assert said.count("< try ") == 2
    assert said in (EXAMPLES.parent / "docs" / "bots.md").read_text(encoding="utf-8"), (
        "python tests/transcript.py prints it anew"
    )
