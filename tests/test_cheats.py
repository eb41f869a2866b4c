"""Twenty-one ways in which a player's code could cheat or do harm, in the sandbox and without; docs/bots.md lists them.

Each bot does its deed before it says that it is ready. It tells on stderr if it has done it, or is found out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from kriegbot.folders import cache_folder
from kriegbot.game import sandbox
from kriegbot.game.process import ProcessSeat
from kriegbot.players.specs import parse_spec

PAGE = Path(__file__).parents[1] / "docs" / "bots.md"
IS_ROOT = os.geteuid() == 0
YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
MAY_TRACE = IS_ROOT or not YAMA.exists() or YAMA.read_text().strip() == "0"
SECRET = "the-seed-of-the-tournament"
DONE = "I have cheated"
MODES = [
    pytest.param(
        True, id="sandbox", marks=pytest.mark.skipif(bool(sandbox.why_unavailable()), reason=sandbox.why_unavailable())
    ),
    pytest.param(False, id="none"),
]

BOT = """
import ctypes, fcntl, glob, json, mmap, os, platform, signal, socket, struct, subprocess, sys, time
scene = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")))

def read(path):
    with open(path, "rb") as file:
        return file.read()

def write(path, text="note"):
    with open(path, "w") as file:
        file.write(text)
    return True

def cheat():
    {deed}

try:
    if cheat():
        print("{done}", file=sys.stderr, flush=True)
except OSError as error:
    print(error, file=sys.stderr)
for line in sys.stdin:
    if line == "newgame\\n":
        print("ready", flush=True)
"""


@dataclass
class Scene:
    """What surrounds a bot: the folder of the test, an opponent's process, and what was seen of the bot."""

    folder: Path
    opponent: subprocess.Popen[bytes]
    log: str = ""

    def told(self) -> bool:
        """Whether the bot said that it had cheated."""
        return DONE in self.log

    def opponent_was_killed(self) -> bool:
        """Whether the opponent's process has ended."""
        with suppress(subprocess.TimeoutExpired):
            return self.opponent.wait(0.2) != 0
        return False

    def daemon_lives(self) -> bool:
        """Whether a process of the bot is still there two seconds after the game."""
        assert "daemon" in self.log
        deadline = time.monotonic() + 2
        while (
            lives := any(str(self.folder / "bot") in line for line in command_lines())
        ) and time.monotonic() < deadline:
            time.sleep(0.01)
        return lives

    def ours_imported_it(self) -> bool:
        """Whether the process of a player of ours, started in the bot's folder, runs a file there."""
        before = os.getcwd()
        os.chdir(self.folder / "bot")
        try:
            with ProcessSeat(parse_spec("rand")) as seat:
                seat.begin(1)
                return DONE in seat.log()
        finally:
            os.chdir(before)

    def terminal_is_driven(self) -> bool:
        """Whether what is kept of its output holds control characters."""
        assert "red" in self.log
        return not self.log.replace("\n", "").isprintable()


def command_lines() -> Iterator[str]:
    """Return the command lines of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            yield path.read_text(errors="replace")


@dataclass(frozen=True)
class Way:
    """One way to cheat.

    Attributes:
      name: as docs/bots.md has it.
      deed: the body of a function; true if it was done.
      walled: whether it is done in the sandbox.
      free: whether it is done without, here; None if it would change the machine, and is tried in the sandbox alone.
      seen: tells whether it was done.
    """

    name: str
    deed: str
    walled: bool
    free: bool | None
    seen: Callable[[Scene], bool] = Scene.told


DAEMON = """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open("/dev/null", os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            time.sleep(30)
        os._exit(0)
    os.wait()
    print("daemon", file=sys.stderr, flush=True)
"""
SHADOW = """
    for name in ("chess", "random", "numpy"):
        assert os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py"))
"""
TRACE = """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, scene["opponent"], 0, 0):  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(scene["opponent"], 0x40000000)  # __WALL
    return libc.ptrace(17, scene["opponent"], 0, 0) == 0  # PTRACE_DETACH
"""
MEMORY = """
    maps = read(f"/proc/{scene['kriegbot']}/maps").decode().splitlines()
    start = next(int(line.split("-")[0], 16) for line in maps if "[heap]" in line or " rw-p " in line)
    with open(f"/proc/{scene['kriegbot']}/mem", "rb", 0) as memory:
        memory.seek(start)
        return len(memory.read(16)) == 16
"""
ENVIRONMENT = """
    found = b""
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            found += read(path)
        except OSError:
            pass
    return scene["secret"].encode() in found
"""
RESOURCES = """
    taken = bytearray(64 * 2**20)
    return all(os.fork() or os._exit(0) for _ in range(50)) and len(taken)
"""
SETTING = """
    path = "/proc/sys/kernel/panic_on_oops"
    return write(path, read(path).decode())
"""
REFEREE = """
    import gc
    frame, names = sys._getframe(), []
    while frame:
        names += [type(value).__name__ for value in frame.f_locals.values()]
        frame = frame.f_back
    return {"Referee", "_Game"} & {*names, *(type(value).__name__ for value in gc.get_objects())}
"""
KEY = """
    number = {"x86_64": 248, "aarch64": 217}[platform.machine()]  # add_key
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(number, b"user", b"kriegbot-note", b"e2e4", 4, -3) > 0  # KEY_SPEC_SESSION_KEYRING
"""
FLOCK = """
    try:
        fcntl.flock(os.open(scene["common"], os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
"""
LOOK_FOR_LOCK = """
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    answer = fcntl.fcntl(os.open(scene["common"], os.O_RDONLY), fcntl.F_GETLK, asked)
    return struct.unpack("hhqqi4x", answer)[0] != fcntl.F_UNLCK
"""
DEVICE = """
    try:
        fcntl.lockf(os.open("/dev/null", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
"""
NOTICE = """
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.inotify_add_watch(libc.inotify_init(), scene["common"].encode(), 0x20) > 0  # IN_OPEN
"""
ESCAPES = r"""
    print("\033[31mred\033]0;title\007", file=sys.stderr)
"""
WAYS = [
    Way("read the tournament's file", "return scene['secret'].encode() in read(scene['store'])", False, True),
    Way("read kriegbot's environment, and keys in it", ENVIRONMENT, False, True),
    Way("read kriegbot's memory, and so the true board", MEMORY, False, MAY_TRACE),
    Way("look for the referee in its own process", REFEREE, False, False),
    Way("take over the opponent's process", TRACE, False, MAY_TRACE),
    Way("kill the opponent", "os.kill(scene['opponent'], 9)", False, True, Scene.opponent_was_killed),
    Way("use the network", "return bool(socket.create_connection(('127.0.0.1', scene['port']), 5))", False, True),
    Way(
        "talk to another player through a socket",
        "return not socket.socket(socket.AF_UNIX).connect('\\0' + scene['socket'])",
        False,
        True,
    ),
    Way("talk to another player through a file", "return bool(read(scene['shared']))", False, True),
    Way("write to your home, and read your keys there", "return write(scene['home'] + '/note')", False, True),
    Way("talk to another player by locks on a file that both can read", FLOCK, False, True),
    Way("see another player's lock without taking one", LOOK_FOR_LOCK, False, True),
    Way("talk to another player by locks on a device", DEVICE, False, True),
    Way("be told when another player opens a file", NOTICE, False, True),
    Way("hold up other games by a lock on our files", "return os.path.exists(scene['lock'])", False, True),
    Way("leave notes for its next game", "return write(__file__ + '.note')", False, True),
    Way("leave notes in a keyring", KEY, False, None),
    Way("change settings of the system", SETTING, False, IS_ROOT),
    Way("leave a daemon behind", DAEMON, False, False, Scene.daemon_lives),
    Way("have its files imported by ours", SHADOW, False, False, Scene.ours_imported_it),
    Way("drive your terminal", ESCAPES, False, False, Scene.terminal_is_driven),
    Way("use up memory, processors and processes", RESOURCES, True, True),
]


HOLDER = """
import fcntl, sys, time
fcntl.flock(0, fcntl.LOCK_SH)
fcntl.lockf(0, fcntl.LOCK_SH)
fcntl.lockf(1, fcntl.LOCK_EX)
print("locked", file=sys.stderr, flush=True)
time.sleep(60)
"""


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """Return an opponent, a listener, secrets, and a folder for the bot."""
    for name in ("bot", "home", "games", "shared"):
        (tmp_path / name).mkdir()
    (tmp_path / "games" / "store").write_text(SECRET)
    (tmp_path / "shared" / "note").write_text("e2e4")
    for name in ("chess", "random", "numpy"):
        (tmp_path / "bot" / f"{name}.py").write_text(f"import sys; print('{DONE}', file=sys.stderr)")
    monkeypatch.setenv("KRIEGBOT_SECRET", SECRET)
    lock = cache_folder() / "preparing.lock"
    lock.touch()
    abstract = f"kriegbot-{os.getpid()}-{threading.get_ident()}"
    with (
        subprocess.Popen(["sleep", "60"], start_new_session=True) as opponent,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as listener,
        open("/bin/sh", "rb") as common,
        open("/dev/null", "wb") as device,
        subprocess.Popen([sys.executable, "-c", HOLDER], stdin=common, stdout=device, stderr=subprocess.PIPE) as holder,
    ):
        assert holder.stderr is not None
        assert holder.stderr.readline() == b"locked\n"
        listener.bind(f"\0{abstract}")
        listener.listen()
        facts = {
            "store": str(tmp_path / "games" / "store"),
            "shared": str(tmp_path / "shared" / "note"),
            "home": str(tmp_path / "home"),
            "secret": SECRET,
            "socket": abstract,
            "port": server.getsockname()[1],
            "common": "/bin/sh",
            "lock": str(lock),
            "opponent": opponent.pid,
            "kriegbot": os.getpid(),
        }
        (tmp_path / "bot" / "scene.json").write_text(json.dumps(facts))
        yield Scene(tmp_path, opponent)
        holder.kill()
        opponent.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the ways are those of Linux")
@pytest.mark.parametrize("is_walled", MODES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_way_to_cheat_is_shut_or_known_to_be_open(way: Way, is_walled: bool, scene: Scene) -> None:
    if not is_walled and way.free is None:
        pytest.skip("it would change this machine")
    bot = scene.folder / "bot" / "bot.py"
    bot.write_text(BOT.replace("{deed}", way.deed.strip()).replace("{done}", DONE))
    command = shlex.join([sys.executable, "-I", "-S", str(bot)])
    with ProcessSeat(parse_spec(f"program:{command}", sandbox=is_walled), patience=20) as seat:
        seat.begin(1)
    scene.log = seat.log()
    assert way.seen(scene) == (way.walled if is_walled else way.free), scene.log


def test_the_page_lists_the_ways() -> None:
    rows = re.findall(r"^\| (.+) \| (no|yes) \| (no|yes|as root|where .+) \|$", PAGE.read_text(), re.MULTILINE)
    here = {"no": False, "yes": True, "as root": IS_ROOT, "where the system allows it": MAY_TRACE}
    assert [(name, here[walled], here[free]) for name, walled, free in rows] == [
        (way.name, way.walled, way.free is not False) for way in WAYS
    ]
