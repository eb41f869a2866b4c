"""The ways in which a player's code could cheat or do harm, in the sandbox and without; docs/bots.md lists them."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import kriegbot
from kriegbot.folders import cache_folder
from kriegbot.game import sandbox
from kriegbot.game.process import ProcessSeat
from kriegbot.players.specs import parse_spec

if sys.platform != "linux":
    pytest.skip("the ways are those of Linux", allow_module_level=True)

from tests import cheats
from tests.cheats import ALWAYS, NEVER, ROOT, TRACER, UNTRIED, WAYS, Way

PAGE = Path(__file__).parents[1] / "docs" / "bots.md"
YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
IS_ROOT = os.geteuid() == 0
WORKS = {
    ALWAYS: True,
    NEVER: False,
    ROOT: IS_ROOT,
    TRACER: IS_ROOT or not YAMA.exists() or YAMA.read_text(encoding="utf-8").strip() == "0",
}
SECRET = "the-seed-of-the-tournament"
IMPORTED = "imported what is not ours"
REFUSALS = re.compile(
    "done|in vain|ended by signal|(OS|BlockingIO|Connection|FileNotFound|Permission|ProcessLookup)[A-Za-z]*:"
)
MODES = [
    pytest.param(
        True, id="sandbox", marks=pytest.mark.skipif(bool(sandbox.why_unavailable()), reason=sandbox.why_unavailable())
    ),
    pytest.param(False, id="none"),
]
HOLDER = """
import ctypes, fcntl, sys
sys.path.insert(0, sys.argv[1])
import cheats
fcntl.flock(0, fcntl.LOCK_SH)
fcntl.lockf(0, fcntl.LOCK_SH)
fcntl.lockf(1, fcntl.LOCK_EX)
cheats.scene["common"] = sys.argv[2]
page, word = cheats.mapped()
print("ready", file=sys.stderr, flush=True)
while True:
    cheats.libc.syscall(ctypes.c_long(cheats.number(202, 98)), ctypes.c_void_p(page), 0, word, None, None, 0)
"""


@dataclass
class Outcome:
    """Outcome in one mode: the player's reports by the name of the deed, and deeds seen from outside."""

    reports: dict[str, str]
    seen: set[str] = field(default_factory=set)

    def is_done(self, way: Way) -> bool:
        """Return True if a way worked."""
        return self.reports[way.name] == "done" or way.name in self.seen


@pytest.fixture(scope="module", params=MODES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[bool, Outcome]]:
    """Play the cheat's game once, in the sandbox or without; yield that and the outcome."""
    folder, is_walled = tmp_path_factory.mktemp("cheats"), request.param
    with pytest.MonkeyPatch.context() as patch, ExitStack() as surroundings:
        patch.setenv("KRIEGBOT_SECRET", SECRET)
        token, victim = _surround(folder, surroundings)
        bot = folder / "bot" / "bot.py"
        if not is_walled:  # what would change the machine is tried in the sandbox alone
            bot.write_text(
                bot.read_text(encoding="utf-8").replace("in WAYS:", "in [way for way in WAYS if way.free != UNTRIED]:"),
                encoding="utf-8",
            )
        command = shlex.join([sys.executable, "-I", "-S", str(bot)])
        with ProcessSeat(parse_spec(f"program:{command}", sandbox=is_walled), patience=60) as seat:
            seat.begin(1)
        log = seat.log()
        lines = re.findall("^([a-z_0-9]+): (.*)$", log, re.MULTILINE)
        outcome = Outcome(dict(lines))
        outcome.seen = set(_seen(folder, token, log, victim))
        yield is_walled, outcome


def _surround(folder: Path, surroundings: ExitStack) -> tuple[str, subprocess.Popen[bytes]]:
    """Set up opponents, servers, secrets, and the bot's folder; return the token in their names, and the victim."""
    token = f"kriegbot-{os.getpid()}-{time.monotonic_ns()}"
    for name in ("bot", "home", "games", "shared", "theirs"):
        (folder / name).mkdir()
    bot, store, common = folder / "bot", folder / "games" / "store", Path(kriegbot.__file__)
    for path, text in {
        store: SECRET,
        folder / "shared" / "note": "e2e4",
        folder / "theirs" / "bot.py": "secret plan",
        folder / "home" / "token": "ksbot_1.x",
        bot / "unread": "e2e4",
        Path("/dev/shm", token): "e2e4",
    }.items():
        path.write_text(text, encoding="utf-8")
        surroundings.callback(path.unlink)
    os.utime(bot / "unread", (1, 2))  # the next reading is noted
    for name in ("chess", "random", "numpy"):
        (bot / f"{name}.py").write_text(f"import sys; print('{IMPORTED}', file=sys.stderr)", encoding="utf-8")
    shutil.copy(cheats.__file__, bot / "bot.py")
    (bot / "link").symlink_to(store)
    os.mkfifo(bot / "pipe")
    pipe = os.open(bot / "pipe", os.O_RDWR)
    surroundings.callback(os.close, pipe)
    os.write(pipe, b"e2e4")
    lock = cache_folder() / "preparing.lock"
    lock.touch()
    server = surroundings.enter_context(socket.create_server(("127.0.0.1", 0)))
    for place, name in ((bot, "socket"), (folder / "home", "agent"), (bot, f"\0{token}")):
        listener = surroundings.enter_context(socket.socket(socket.AF_UNIX))
        surroundings.callback(os.chdir, os.getcwd())
        os.chdir(place)  # the name of a socket has few bytes
        listener.bind(name)
        listener.listen()
    os.chdir(folder)
    terminal, theirs = os.openpty()
    surroundings.callback(os.close, terminal)
    surroundings.callback(os.close, theirs)
    surroundings.enter_context(store.open())
    libc = ctypes.CDLL(None)
    key = os.getpid()
    segment = libc.shmget(key, 4096, 0o1600)  # IPC_CREAT
    surroundings.callback(libc.shmctl, segment, 0, None)  # IPC_RMID
    libc.mq_open(f"/{token}".encode(), os.O_RDWR | os.O_CREAT, 0o600, None)
    surroundings.callback(libc.mq_unlink, f"/{token}".encode())
    sleeper = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]
    opponent = _start(surroundings, [*sleeper, token], stdin=subprocess.PIPE)
    assert opponent.stdin is not None
    opponent.stdin.write(b"men Ke1\n")
    opponent.stdin.flush()
    victim = _start(surroundings, [*sleeper, f"victim-{token[9:]}"])
    holder = _start(
        surroundings,
        [sys.executable, "-c", HOLDER, str(Path(__file__).parent), str(common)],
        stdin=surroundings.enter_context(common.open("rb")),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert holder.stderr is not None
    assert holder.stderr.readline() == b"ready\n"
    packages = sysconfig.get_path("purelib")
    facts = {
        "cache": str(next(cache_folder().glob("kernels-*/"))),
        "common": str(common),
        "home": str(folder / "home"),
        "key": key,
        "kriegbot": Path("/proc/self/cmdline").read_text(encoding="utf-8"),
        "library": next(path for path in (packages, str(common.parent)) if os.access(path, os.W_OK)),
        "lock": str(lock),
        "package": str(common.parent),
        "port": server.getsockname()[1],
        "secret": SECRET,
        "shared": str(folder / "shared" / "note"),
        "socket": token,
        "store": str(store),
        "terminal": os.ttyname(theirs),
        "theirs": str(folder / "theirs" / "bot.py"),
        "token": token,
        "victim": f"victim-{token[9:]}",
    }
    (bot / "scene.json").write_text(json.dumps(facts), encoding="utf-8")
    return token, victim


def _start(surroundings: ExitStack, command: list[str], **streams: object) -> subprocess.Popen[bytes]:
    process = surroundings.enter_context(subprocess.Popen(command, start_new_session=True, **streams))  # type: ignore[call-overload]
    surroundings.callback(process.kill)
    return process  # type: ignore[no-any-return]


def _seen(folder: Path, token: str, log: str, victim: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yield the deeds that show from outside."""
    with suppress(subprocess.TimeoutExpired):
        victim.wait(0.2)
        yield "kills_the_victim"
    deadline = time.monotonic() + 10
    while lives := any(str(folder / "bot") in line for line in _command_lines()):
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    if lives:
        yield "leaves_a_daemon"
    notes = [Path(place, f"{token}.note") for place in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", os.getcwd())]
    if any(path.exists() for path in notes):
        yield "leaves_notes_in_folders_that_all_may_write"
    for path in notes:
        path.unlink(missing_ok=True)
    assert "red" in log
    if not log.replace("\n", "").isprintable():
        yield "writes_control_characters_to_its_log"
    before = os.getcwd()
    os.chdir(folder / "bot")
    try:
        with ProcessSeat(parse_spec("rand")) as seat:
            seat.begin(1)
            if IMPORTED in seat.log():
                yield "lies_where_ours_is_started"
    finally:
        os.chdir(before)


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            yield path.read_text(errors="replace", encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name.replace("_", " "))
def test_a_way_to_cheat_is_shut_or_known_to_be_open(way: Way, played: tuple[bool, Outcome]) -> None:
    is_walled, outcome = played
    if not is_walled and way.free == UNTRIED:
        pytest.skip("it would change this machine, or depends on its kernel")
    report = outcome.reports[way.name]
    assert outcome.is_done(way) == WORKS[way.walled if is_walled else way.free], report
    assert REFUSALS.match(report), "the way has an error of its own"


def test_the_page_lists_the_ways() -> None:
    words = {ALWAYS: "yes", TRACER: "where the system allows it", ROOT: "as root", NEVER: "no", UNTRIED: "yes"}
    cell = "|".join(words.values())
    rows = re.findall(rf"^\| (.+) \| ({cell}) \| ({cell}) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {}
    for way in WAYS:
        ways = [one for one in WAYS if one.row == way.row]
        listed[way.row] = [
            next(words[name] for name in words if name in names)
            for names in ({one.walled for one in ways}, {one.free for one in ways})
        ]
    assert rows == [(row, *cells) for row, cells in listed.items()]
