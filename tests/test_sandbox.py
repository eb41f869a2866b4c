"""The sandbox: who is put into it, what is to be seen there, and that it is never silently none."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import site
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kriegbot.children import CannotStart, LineProcess
from kriegbot.cli.main import main
from kriegbot.game import sandbox
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import Failure, PlayerFailed
from kriegbot.players.specs import parse_spec
from referee import Reason
from tests.outside import BOT, PYTHON, against_rand
from tournaments import run as run_module
from tournaments.run import run_tournament
from tournaments.store import StoreError

NEEDS_BWRAP = pytest.mark.skipif(bool(sandbox.why_unavailable()), reason=sandbox.why_unavailable())


@pytest.mark.parametrize(
    ("text", "is_wanted", "is_walled"), [(PYTHON, True, True), (PYTHON, False, False), ("rand", True, False)]
)
def test_players_from_outside_are_started_in_the_sandbox_where_it_works(
    text: str, is_wanted: bool, is_walled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "is_installed", lambda: True)
    monkeypatch.setattr(sandbox, "why_unavailable", lambda: "")
    arguments, environment, is_supervised = started(text, monkeypatch, is_sandboxed=is_wanted)
    assert any(word.endswith("bwrap") for word in arguments) == is_walled
    assert ("--unshare-all" in arguments, "SECRET" in environment) == (is_walled, not is_walled)
    assert is_supervised == (text == PYTHON and not is_walled)


def started(
    text: str, monkeypatch: pytest.MonkeyPatch, *, is_sandboxed: bool
) -> tuple[list[str], Mapping[str, str], bool]:
    """Return how the process of a player would be started: its command, its environment, whether it is kept."""

    def start(_: LineProcess, command: list[str], environment: Mapping[str, str], *, is_supervised: bool) -> None:
        seen.append((command, environment, is_supervised))
        raise CannotStart("for the test")

    seen: list[tuple[list[str], Mapping[str, str], bool]] = []
    monkeypatch.setenv("SECRET", "the registration key")
    monkeypatch.setattr(LineProcess, "__init__", start)
    with ProcessSeat(parse_spec(text, sandbox=is_sandboxed)) as seat, pytest.raises(CannotStart, match="for the test"):
        seat.begin(1)
    return seen[0]


def fake_bwrap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return a bubblewrap that does not work, as where the system forbids user namespaces."""
    (folder / "bwrap").write_text(
        "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n", encoding="utf-8"
    )
    (folder / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.slow
@pytest.mark.parametrize("option", [[], ["--sandbox"]])
def test_a_broken_bubblewrap_is_refused_and_never_no_sandbox(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_bwrap(tmp_path, monkeypatch)
    command = [sys.executable, "-m", "kriegbot", "match", PYTHON, "rand", "--quiet"]
    done = subprocess.run([*command, *option], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2 if option else 1, "", 1)
    assert "bubblewrap does not work here: bwrap: setting up uid map: Permission denied" in done.stderr
    assert "--no-sandbox does without" in done.stderr or option


def test_where_there_is_no_bubblewrap_that_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    sandbox.is_installed.cache_clear()
    sandbox.why_unavailable.cache_clear()
    try:
        for _ in range(2):
            started(PYTHON, monkeypatch, is_sandboxed=True)
    finally:
        sandbox.is_installed.cache_clear()
        sandbox.why_unavailable.cache_clear()
    why = "bubblewrap (bwrap) is not installed" if sys.platform == "linux" else "bubblewrap is for Linux alone"
    assert [record.message for record in caplog.records] == [f"Players from outside play without a sandbox: {why}."]


def test_a_tournament_from_python_is_refused_a_file_that_a_sandboxed_player_could_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "why_unavailable", lambda: "")
    (tmp_path / "bot.py").touch()
    with pytest.raises(StoreError, match=r"player '.*bot.py:Bot' can read it, and with it the seeds"):
        run_tournament(tmp_path / "games.sqlite", [f"{tmp_path / 'bot.py'}:Bot", "rand"], 2, 1)


@pytest.mark.parametrize("out", [[], ["--out", "games/store.sqlite"]])
def test_a_tournament_whose_file_a_sandboxed_player_could_read_is_refused(
    out: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_module, "why_unavailable", lambda: "")
    (tmp_path / "bots" / "games").mkdir(parents=True)
    (tmp_path / "bots" / "bot.py").touch()
    monkeypatch.chdir(tmp_path / "bots")
    assert main(["tournament", "bot.py:Bot", "rand", "--games", "2", *out]) == 2
    _, err = capsys.readouterr()
    assert "player 'bot.py:Bot' can read it, and with it the seeds; move the player to its own folder, or choose" in err
    assert err.count("\n") == 1
    assert not list(tmp_path.rglob("*.sqlite*"))


@pytest.mark.parametrize(
    "command", [["match", "rand"], ["tournament", "rand"], ["check-player"], ["play", "--opponent"]]
)
def test_a_chess_engine_is_refused_where_a_sandbox_is_insisted_on(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sandbox, "why_unavailable", lambda: "")
    assert main([*command, "engine:command=true", "--sandbox"]) == 2
    assert capsys.readouterr().err == (
        "kriegbot: --sandbox does not hold the chess engine that player 'engine' starts; leave it out to trust it.\n"
    )


HONEST = """
import sys
import helper
for line in sys.stdin:
    if line == "newgame\\n":
        print(f"version {helper.__name__}\\nready", flush=True)
"""


def assert_sits_in_sandbox(command: list[str], version: str = "helper") -> None:
    with ProcessSeat(parse_spec(f"program:{shlex.join(command)}", sandbox=True), patience=20) as seat:
        seat.begin(1)
        assert seat.about.startswith(f"version {version},")


@pytest.mark.slow
@NEEDS_BWRAP
@pytest.mark.parametrize("home", ["venv", "user"])
def test_a_program_in_a_virtual_environment_or_with_the_users_packages_runs_in_the_sandbox(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The `python` of the one is an absolute link; the packages of the other are found by its home."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text(HONEST, encoding="utf-8")
    python = Path(sys.base_prefix, "bin", "python3")
    if home == "venv":
        subprocess.run([python, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
        python = tmp_path / "venv" / "bin" / "python3"
        assert python.is_symlink()
        (packages,) = tmp_path.glob("venv/lib/*/site-packages")
    else:
        monkeypatch.setattr(site, "USER_BASE", str(tmp_path / "user"))
        packages = (
            tmp_path / "user" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        )
        packages.mkdir(parents=True)
    (packages / "helper.py").touch()
    assert_sits_in_sandbox([str(python), str(tmp_path / "bot" / "bot.py")])


@NEEDS_BWRAP
def test_a_program_behind_absolute_links_runs_in_the_sandbox(tmp_path: Path) -> None:
    """As /usr/bin/java is one to /etc/alternatives/java, which is one to where it lies."""
    for name in ("bin", "alternatives", "real", "classes"):
        (tmp_path / name).mkdir()
    bot = tmp_path / "real" / "bot.sh"
    bot.write_text(
        '#!/bin/sh\nread a; read b; read c; test -d "$1" && printf "version 7\\nready\\n"; read d\n', encoding="utf-8"
    )
    bot.chmod(0o755)
    (tmp_path / "alternatives" / "bot").symlink_to(bot)
    (tmp_path / "bin" / "bot").symlink_to(tmp_path / "alternatives" / "bot")
    assert_sits_in_sandbox([str(tmp_path / "bin" / "bot"), str(tmp_path / "classes")], "7")


@NEEDS_BWRAP
def test_a_pipe_in_a_bots_folder_may_come_and_go(tmp_path: Path) -> None:
    bot = tmp_path / "bot.sh"
    bot.write_text(
        f'read a; read b; read c; cat {tmp_path}/pipe 2>/dev/null && v=1 || v=0; echo "version $v"; echo ready',
        encoding="utf-8",
    )
    os.mkfifo(tmp_path / "pipe")
    assert_sits_in_sandbox(["sh", str(bot)], "0")
    (tmp_path / "pipe").unlink()
    assert_sits_in_sandbox(["sh", str(bot)], "0")


@NEEDS_BWRAP
@pytest.mark.parametrize("is_named", [False, True])
def test_of_a_home_folder_a_bot_sees_its_own_file_alone_unless_the_command_names_the_folder(
    is_named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    bot = tmp_path / "bot.sh"
    bot.write_text(
        f'read a; read b; read c; test -e {tmp_path}/.ssh && v=1 || v=0; echo "version $v"; echo ready; read d',
        encoding="utf-8",
    )
    assert_sits_in_sandbox(["sh", str(bot), *([str(tmp_path)] if is_named else [])], str(int(is_named)))
    assert f"lies in the home folder {tmp_path}: in the sandbox a player sees that file alone" in caplog.text


@NEEDS_BWRAP
def test_a_sandbox_hides_files_network_and_processes_and_is_read_only(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the store", encoding="utf-8")
    folder = tmp_path / "bot"
    folder.mkdir()
    probe = (
        f"test -e {secret} && echo sees-secret; kill -0 {os.getpid()} && echo sees-process; "
        f"touch {folder}/x && echo writes-folder; touch /tmp/x && echo writes-tmp; "
        "test -e /etc/shadow && echo sees-shadow; "
        f"{sys.executable} -c 'import socket; socket.create_connection((\"127.0.0.1\", 1))' 2>&1 | tail -1; "
        "ls /sys/class/net /proc/net/dev 2>&1 | head -1"
    )
    (folder / "bot.sh").write_text(
        BOT.format(f"({probe}) >&2 2>/dev/null; ({probe}) >&2; echo resign"), encoding="utf-8"
    )
    played = against_rand(f"program:sh {folder / 'bot.sh'}", is_sandboxed=True)
    log = played.white.log
    assert played.record.end is not None
    assert played.record.end.reason is Reason.RESIGNATION
    assert "writes-tmp" in log
    assert not any(word in log for word in ("sees-secret", "sees-process", "writes-folder", "sees-shadow"))


@NEEDS_BWRAP
@pytest.mark.skipif(tuple(map(int, platform.release().split(".")[:2])) < sandbox.LINUX, reason="this Linux is too old")
def test_a_sandbox_has_a_limit_of_processes(tmp_path: Path) -> None:
    """Root, which no such limit stops, has it, too."""
    (tmp_path / "bot").mkdir()
    bot = tmp_path / "bot" / "bot.py"
    bot.write_text(
        "import resource\nprint('version', *resource.getrlimit(resource.RLIMIT_NPROC))\nprint('ready', flush=True)\n"
        "input()\n",
        encoding="utf-8",
    )
    assert_sits_in_sandbox([sys.executable, str(bot)], f"{sandbox.MOST_PROCESSES} {sandbox.MOST_PROCESSES}")


@NEEDS_BWRAP
def test_a_sandbox_that_cannot_be_set_up_is_no_fault_of_its_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = parse_spec("program:true", sandbox=True)
    sandbox.why_unavailable()
    monkeypatch.setattr(sandbox, "ISOLATED", (*sandbox.ISOLATED, "--ro-bind", str(tmp_path / "gone"), "/gone"))
    with ProcessSeat(spec) as seat, pytest.raises(PlayerFailed) as failed:
        seat.begin(1)
    assert failed.value.failure is Failure.OURS


def filtered(architecture: int, number: int) -> int:
    """Return what the filter of system calls answers to a call with arguments 0."""
    program = [*struct.iter_unpack("HBBI", os.pread(sandbox._filter_file(), 1 << 16, 0))]
    data, value, at = struct.pack("II", number, architecture) + bytes(56), 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("I", data, operand)
        elif code == 0x54:
            value &= operand
        elif code == 0x06:
            return int(operand)
        else:
            holds = {0x15: value == operand, 0x45: value & operand != 0}[code]
            at += if_true if holds else if_false


# add_key, request_key, keyctl, inotify_init, inotify_add_watch, inotify_init1, fanotify_init and syslog; and getpid
@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux alone")
@pytest.mark.parametrize(
    ("architecture", "refused", "allowed"),
    [
        pytest.param(0xC000003E, (248, 249, 250, 253, 254, 294, 300, 103), 39, id="x86_64"),
        pytest.param(0x40000003, (286, 287, 288, 291, 292, 332, 338, 103), 20, id="i386"),
        pytest.param(0xC00000B7, (217, 218, 219, 27, 26, 262, 116), 172, id="aarch64"),  # it has no inotify_init
        pytest.param(0x40000028, (309, 310, 311, 316, 317, 360, 367, 103), 20, id="arm"),
    ],
)
def test_the_filter_refuses_calls_by_which_players_could_talk_on_every_architecture(
    architecture: int, refused: tuple[int, ...], allowed: int
) -> None:
    io_uring_setup, process_madvise, cachestat = 425, 440, 451
    for number in (*refused, io_uring_setup, process_madvise):
        assert filtered(architecture, number) == sandbox.REFUSE
    assert filtered(architecture, cachestat) == sandbox.PRETEND
    assert filtered(architecture, allowed) == sandbox.ALLOW
