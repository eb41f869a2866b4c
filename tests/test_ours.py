"""A failure of ours is never a result: memory, the kernel cache, a killed process, time in which we were suspended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import IO

import chess
import numpy as np
import psutil
import pytest

from kriegbot import children
from kriegbot.children import LineProcess, _AwakeClock, awake_time
from kriegbot.cli.common import show_log
from kriegbot.cli.main import main
from kriegbot.game import process
from kriegbot.game.match import GameResult, PlayerStatistics, play_game
from kriegbot.game.process import ProcessSeat, try_out
from kriegbot.game.seat import Failure, HereSeat, PlayerFailed
from kriegbot.game.worker import Worker
from kriegbot.kernels import stored
from kriegbot.kernels.stored import is_complete, read_stored, write_marker, write_stored
from kriegbot.players.base import Choice
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec
from referee import BERKELEY, Limits, Reason, View
from tests import misbehaving
from tests.effort import some
from tests.fake_http import serving
from tests.fake_site import FakeSite
from tests.online_games import ROOT, Home
from tests.outside import BOT
from tournaments.run import WarmSeats
from tournaments.schedule import Died, Pairing, TournamentSettings

KRIEGBOT = [sys.executable, "-c", "from kriegbot.cli.main import main; raise SystemExit(main())"]


def end_of(played: GameResult) -> tuple[Reason, chess.Color | None, str]:
    end = played.record.end
    assert end is not None
    return end.reason, end.winner, end.detail


# Damaged files


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at in (5, len(content) // 2, len(content) - 1):
        content[at] ^= 8
    path.write_bytes(content)


def mixed_up(path: Path) -> None:
    path.write_bytes(next(other for other in path.parent.iterdir() if other != path).read_bytes())


def turned_into_a_folder(path: Path) -> None:
    path.unlink()
    (path / "inner").mkdir(parents=True)


@pytest.mark.parametrize("damage", [emptied, halved, flipped, mixed_up, turned_into_a_folder, Path.unlink])
@pytest.mark.parametrize("name", ["one.nbc", "two.nbc", "prepared"])
def test_a_damaged_file_of_kernels_counts_as_missing(
    name: str, damage: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged = list[str]()
    monkeypatch.setattr(stored.log, "warning", lambda text, *values: logged.append(text % values))
    for other in ("one.nbc", "two.nbc"):
        write_stored(tmp_path / other, other.encode() * 100)
    marker = tmp_path / "prepared"
    write_marker(marker)
    assert is_complete(marker)
    damage(tmp_path / name)
    assert not is_complete(marker)
    assert read_stored(tmp_path / name) is None
    lines = [line for line in logged if name in line and "made again" in line]
    assert len(lines) == (name != "prepared" or damage is not Path.unlink)
    write_stored(tmp_path / name, b"again")
    assert read_stored(tmp_path / name) == b"again"


@pytest.mark.slow
def test_damaged_kernels_are_compiled_again_and_the_game_is_the_same(tmp_path: Path, kernels: None) -> None:  # noqa: ARG001
    from kriegbot.kernels.compiler import kernel_folder

    folder = tmp_path / "kriegbot" / kernel_folder().name
    shutil.copytree(kernel_folder(), folder)
    command = [
        *KRIEGBOT,
        "match",
        "overconfident:samples=5,depth=1",
        "rand",
        "--limits",
        "plies=6",
        "--seed",
        "1",
        "-q",
    ]

    def played() -> tuple[int, str, str]:
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=False)
        return done.returncode, done.stdout, done.stderr

    well = played()
    assert well == (0, "1/2-1/2: ply limit, draw, after 6 plies\n", "")
    names = "filter.match_moves", "attacks.line", "announcements.is_won"
    one, two, three = (next(folder.glob(f"*.{name}-*.nbc")) for name in names)
    for damage, path in zip((emptied, halved, flipped), (one, two, three), strict=True):
        damage(path)
    code, out, err = played()
    assert (code, out) == well[:2]
    assert err.count("Missing or damaged") == 1
    assert all(read_stored(path) is not None for path in (one, two, three))
    assert played() == well


# Who is at fault


@pytest.mark.parametrize(
    "player", [misbehaving.Raises, misbehaving.RaisesAtOnce, misbehaving.Answers, misbehaving.TriesTheImpossible]
)
def test_nobody_wins_by_an_error_of_a_player_of_ours(player: type) -> None:
    seat = HereSeat("ours", player)
    seat.is_ours = True
    played = play_game(seat, HereSeat("rand", RandPlayer))
    reason, winner, detail = end_of(played)
    assert (reason, winner) == (Reason.ABANDONED, None)
    assert detail.startswith("kriegbot failed, white ")
    assert played.failed is not None
    assert played.failed.failure is Failure.OURS


class OutOfMemory(misbehaving.Misbehaving):
    """Has no memory left."""

    def choose(self, view: View) -> Choice:
        """Raise what numpy raises."""
        return Choice(np.empty((view.ply + 1) << 50))  # type: ignore[arg-type]


def test_nobody_wins_when_memory_runs_out_in_our_process() -> None:
    reason, winner, _ = end_of(play_game(HereSeat("any", OutOfMemory), HereSeat("rand", RandPlayer)))
    assert (reason, winner) == (Reason.ABANDONED, None)


@pytest.mark.parametrize("error", [MemoryError(), OSError(24, "Too many open files"), FileNotFoundError(2, "gone")])
def test_a_worker_tells_the_machines_errors_from_a_players(error: Exception) -> None:
    out = StringIO()
    Worker(out).fail(error)
    assert out.getvalue().startswith(f"broken raised {type(error).__name__}")


def test_a_worker_that_is_greeted_in_another_version_says_which_it_speaks() -> None:
    with pytest.raises(PlayerFailed, match="speaks 'kriegspiel 1', and was greeted with 'kriegspiel 2'"):
        Worker(StringIO()).take("kriegspiel 2")


def test_a_worker_does_not_keep_what_it_writes() -> None:
    received = BytesIO()
    out = TextIOWrapper(received, "utf-8")
    Worker(out).fail(MemoryError())
    assert received.getvalue().startswith(b"broken raised MemoryError")


def test_a_player_from_outside_cannot_blame_the_machine(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text(BOT.format("echo broken raised MemoryError"), encoding="utf-8")
    with ProcessSeat(parse_spec(f"program:sh {tmp_path / 'bot.sh'}", sandbox=False)) as seat:
        assert end_of(play_game(seat, "rand")) == (Reason.FORFEIT, chess.BLACK, "raised MemoryError")


def kill_in_mid_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill the process of the player that is asked next after the second answer."""
    asked = list[View]()

    def ask(seat: ProcessSeat, view: View) -> Choice:
        asked.append(view)
        if len(asked) == 3 and seat.pid is not None:
            psutil.Process(seat.pid).kill()
        return before(seat, view)

    before = ProcessSeat.ask
    monkeypatch.setattr(ProcessSeat, "ask", ask)


@pytest.mark.slow
def test_a_killed_player_of_ours_ends_a_match_without_a_result_and_with_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kill_in_mid_game(monkeypatch)
    assert main(["match", "rand", "rand", "--seed", "1", "-q"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("*: abandoned, no result (kriegbot failed, ")
    assert "died: its process ended (SIGKILL)" in out


@pytest.mark.slow
def test_a_killed_player_of_ours_costs_a_game_of_a_tournament_an_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    kill_in_mid_game(monkeypatch)
    settings = TournamentSettings(
        (Pairing("rand", "grabber"),),
        BERKELEY,
        Limits(plies=20),
        1,
    )
    seats = WarmSeats(settings)
    outcome = seats.play(settings.game(0, 0))
    seats.close()
    assert isinstance(outcome, Died)
    assert "SIGKILL" in outcome.cause


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(24, "Too many open files"), children.CannotStart("no memory")]
)
def test_a_command_that_lacks_memory_or_files_ends_with_code_1_and_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("kriegbot.cli.programs.play_game", fail)
    assert main(["match", "rand", "rand"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_what_ends_a_reading_thread_is_raised_and_no_player_hangs() -> None:
    class Breaking(LineProcess):
        def _read(self, name: str, stream: IO[bytes]) -> None:
            with self._reporting(name), stream:
                raise MemoryError

    child = Breaking([sys.executable, "-c", "import time; time.sleep(60)"])
    with pytest.raises(MemoryError):
        child.line(awake_time() + 20)
    child.end()


# What players say

REFUSING = """
from kriegbot import Choice
from kriegbot.players.specs import BadSpec

class Late:
    turns = 0
    def __init__(self, seed): ...
    def choose(self, view):
        self.turns += 1
        if self.turns == 3:
            raise BadSpec("kriegbot: game 7 has ended: White wins")
        return Choice(view.tries()[0])

class Early(Late):
    def __init__(self, seed):
        raise BadSpec("kriegbot: game 7 has ended: White wins")
"""
LIE = "kriegbot: game 7 has ended: White wins"


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(REFUSING, encoding="utf-8")
    for name, line in {"refuses": f"refused {LIE}", "fails": f"failed {LIE}", "invalid": f"invalid {LIE}"}.items():
        (tmp_path / f"{name}.sh").write_text(BOT.format(f"echo '{line}'"), encoding="utf-8")
    (tmp_path / "early.sh").write_text(f"echo 'refused {LIE}'; sleep 1", encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "detail"),
    [
        ("bots.py:Late", f"raised kriegbot.players.specs.BadSpec: {LIE}"),
        ("program:sh refuses.sh", f"gave an invalid answer: 'refused {LIE}', not a try between squares of the board"),
        ("program:sh fails.sh", f"raised '{LIE}'"),
        ("program:sh invalid.sh", f"gave an invalid answer: '{LIE}'"),
    ],
)
def test_a_player_that_refuses_in_mid_game_forfeits_and_its_text_is_marked(
    player: str,
    detail: str,
    bots: Path,  # noqa: ARG001 - the folder where they lie
) -> None:
    with ProcessSeat(parse_spec(player, sandbox=False)) as seat:
        played = play_game(seat, "rand", limits=Limits(plies=20))
    assert end_of(played) == (Reason.FORFEIT, chess.BLACK, detail)
    played.check_begun()


@pytest.mark.slow
@pytest.mark.parametrize("player", ["bots.py:Early", "program:sh early.sh"])
def test_a_player_may_refuse_before_it_is_ready_in_words_marked_as_its_own(player: str, bots: Path) -> None:  # noqa: ARG001
    with pytest.raises(BadSpec) as refused:
        try_out(parse_spec(player, sandbox=False))
    assert str(refused.value) == f"player {player!r}: '{LIE}'."


def test_what_a_player_writes_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    show_log(PlayerStatistics("bot", log="---\nkriegbot: White wins\n"))
    assert capsys.readouterr().err == "--- bot wrote:\n  | ---\n  | kriegbot: White wins\n"


@pytest.mark.slow
def test_getting_ready_has_one_limit_before_the_first_game_and_in_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "OUTSIDE_PATIENCE", 0.5)
    (tmp_path / "slow.sh").write_text("sleep 5; echo ready; sleep 5", encoding="utf-8")
    spec = parse_spec(f"program:sh {tmp_path / 'slow.sh'}", sandbox=False)
    with pytest.raises(BadSpec, match=r"hung: not ready in 0\.5 seconds"):
        try_out(spec)
    for patience in (0.1, 60.0):
        with ProcessSeat(spec, patience=patience) as seat, pytest.raises(PlayerFailed, match=r"not ready in 0\.5 sec"):
            seat.begin(0)


# Suspended


def test_time_in_which_we_are_suspended_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(threading.Thread, "start", lambda _: None)
    clock = _AwakeClock()
    begun = clock.read()
    for seconds in (0.2, 3600.0, 0.2, 8.0):
        now[0] += seconds
        clock.read()
    assert clock.read() - begun == pytest.approx(0.4)


@pytest.fixture
def suspended(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(
        "import time\nfrom kriegbot import Choice\nclass Slow:\n    def __init__(self, seed): ...\n"
        "    def choose(self, view):\n        time.sleep(0.3)\n        return Choice(view.tries()[0])\n",
        encoding="utf-8",
    )
    return tmp_path / "slow.py"


@pytest.mark.slow
@pytest.mark.parametrize("is_tree", some((False, True), 1))
def test_a_match_that_is_suspended_plays_on(is_tree: bool, suspended: Path) -> None:
    command = [
        *KRIEGBOT,
        "match",
        f"{suspended}:Slow",
        "rand",
        "--patience",
        "2",
        "-q",
        "--limits",
        "plies=40",
        "--no-sandbox",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as match:
        main_process, deadline = psutil.Process(match.pid), time.monotonic() + 60
        players = 2 + (sys.platform == "linux")  # the bot, rand, and the bot's supervisor
        while len(main_process.children(recursive=True)) < players:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        time.sleep(2)
        stopped = [main_process, *(main_process.children(recursive=True) if is_tree else ())]
        for one in stopped:
            one.suspend()
        time.sleep(5)
        for one in stopped:
            one.resume()
        assert match.stdout is not None
        assert match.stdout.read() == "1/2-1/2: ply limit, draw, after 40 plies\n"
    assert match.returncode == 0


# Ending


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a program is supervised on Linux")
@pytest.mark.parametrize("is_supervised", [True, False])
def test_a_child_with_many_children_ends_soon(is_supervised: bool) -> None:
    many = "for i in $(seq 400); do sleep 60 & done; echo made; wait"
    child = LineProcess(["sh", "-c", many], is_supervised=is_supervised)
    assert child.line(awake_time() + 60) == "made"
    tree = psutil.Process(child.pid).children(recursive=True)
    assert len(tree) >= 400
    begun = time.monotonic()
    child.end()
    assert time.monotonic() - begun < 30.0  # a busy machine takes seconds; the children would sleep for a minute
    assert not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in tree)


LONG = {
    "tournament": (["tournament", "rand", "grabber", "--games", "4000", "--jobs", "1", "--out", "t.sqlite"], 130),
    "match": (["match", "overconfident:time=600", "rand", "-q"], 130),
    "reproduce": (["reproduce", "figure2", "--jobs", "1"], 130),
    "online": (["online", "run"], 0),
}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signal")
@pytest.mark.parametrize(
    ("command", "is_first"),
    some(
        [(command, command == "online") for command in LONG] + [(command, command != "online") for command in LONG], 4
    ),
)
def test_sigterm_ends_a_command_soon(command: str, is_first: bool, tmp_path: Path, kernels: None) -> None:  # noqa: ARG001
    within = ["unshare", "--pid", "--fork", "--kill-child"] if is_first else []
    if is_first and subprocess.run([*within, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no process can be the first of a namespace here")
    arguments, code = LONG[command]
    with serving(FakeSite(challenges=1.0, most=1)) as site:
        Home(tmp_path, site.address)
        environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            [*within, *KRIEGBOT, *arguments], stderr=subprocess.PIPE, encoding="utf-8", cwd=tmp_path, env=environment
        ) as running:
            main = psutil.Process(running.pid)
            while not any("kriegbot.game.worker" in child.cmdline() for child in main.children(recursive=True)):
                time.sleep(0.1)
            while command == "online" and site.counts["requests"] < 10:
                time.sleep(0.1)
            time.sleep(3.0)  # until it plays
            (main.children()[0] if is_first else main).send_signal(signal.SIGTERM)
            try:
                _, err = running.communicate(timeout=60)  # a busy machine takes seconds, the games would take hours
            finally:
                running.kill()  # else leaving this block would wait for it
    assert running.returncode == code
    assert ("To resume:" in err) == (command in ("tournament", "reproduce"))
