"""A player that tries every way to cheat that we know of, each in a process of its own, and reports on stderr.

A way returns a true value if it worked. `tests.test_cheats` copies this file into a bot's folder and reads `WAYS`.
Beside the copy lies scene.json, with the places that an attacker would have found out. Linux only.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import glob
import json
import mmap
import os
import platform
import resource
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Deed = Callable[[], object]
ALWAYS, NEVER, ROOT, TRACER, UNTRIED = "always", "never", "root", "tracer", "untried"
"""Who succeeds. UNTRIED is for ways without the sandbox that would change the machine, or depend on its kernel."""
SECONDS = 5
HERE = Path(__file__).parent
IS_X86 = platform.machine() == "x86_64"
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p


@dataclass(frozen=True)
class Way:
    """One way to cheat: its row in docs/bots.md, what it does, and whether it works in the sandbox and without."""

    row: str
    name: str
    deed: Deed
    free: str
    walled: str


WAYS: list[Way] = []
scene: dict[str, Any] = {}


def way(row: str, free: str = ALWAYS, walled: str = NEVER) -> Callable[[Deed], Deed]:
    """Add a deed to `WAYS`."""

    def add(deed: Deed) -> Deed:
        WAYS.append(Way(row, deed.__name__, deed, free, walled))
        return deed

    return add


def call(name_or_number: str | int, *arguments: Any) -> int:
    """Call a function of the C library, or a system call. Raise OSError if it fails."""
    if isinstance(name_or_number, int):
        result = libc.syscall(ctypes.c_long(name_or_number), *arguments)
    else:
        result = getattr(libc, name_or_number)(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(result)


def number(x86: int, arm: int) -> int:
    """Return the number of a system call on this machine."""
    return x86 if IS_X86 else arm


def processes(words: str) -> list[int]:
    """Return the processes with words in their command line. Raise OSError if there are none."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with suppress(OSError):
            if words.encode() in Path(path).read_bytes():
                found.append(int(path.split("/")[2]))
    if not found:
        raise ProcessLookupError("no such process is to be seen")
    return found


def opponent() -> int:
    """Return the process of the opponent."""
    return processes(scene["token"])[0]


def note(path: str | Path) -> bool:
    """Leave a note in a file."""
    Path(path).write_text("e2e4", encoding="utf-8")
    return True


def mapped() -> tuple[int, int]:
    """Return the address of a page of a file that all players can read, and its first word."""
    file = os.open(scene["common"], os.O_RDONLY)
    page = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, file, ctypes.c_long(0))
    return page, ctypes.c_uint.from_address(page).value


STORE = "read or change the tournament's file"


@way(STORE)
def reads_the_store() -> object:
    return scene["secret"] in Path(scene["store"]).read_text(encoding="utf-8")


@way(STORE)
def changes_the_store() -> object:
    with open(scene["store"], "a", encoding="utf-8") as file:
        return file.write(" ")


@way(STORE)
def reads_the_store_through_a_link_in_its_own_folder() -> object:
    return scene["secret"] in (HERE / "link").read_text(encoding="utf-8")


@way(STORE)
def reads_the_store_where_kriegbot_has_it_open() -> object:
    for process in processes(scene["kriegbot"]):
        for path in glob.glob(f"/proc/{process}/fd/*"):
            with suppress(OSError):
                if os.readlink(path) == scene["store"]:
                    return scene["secret"] in Path(path).read_text(encoding="utf-8")
    return False


@way(STORE, UNTRIED)
def opens_a_file_by_its_handle() -> object:
    handle = ctypes.create_string_buffer(struct.pack("II", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    file = os.fsencode(__file__)
    call("name_to_handle_at", -100, file, handle, ctypes.byref(mount), 0)
    return call("open_by_handle_at", os.open(HERE, os.O_RDONLY), handle, os.O_RDONLY) > 0


SECRETS = "read kriegbot's environment and command lines, and keys in them"


@way(SECRETS)
def reads_environments() -> object:
    found = b""
    for path in glob.glob("/proc/[0-9]*/environ"):
        with suppress(OSError):
            found += Path(path).read_bytes()
    return scene["secret"].encode() in found


@way(SECRETS)
def reads_command_lines() -> object:
    return bool(processes(scene["token"]))


@way(SECRETS, NEVER)
def finds_the_opponent_in_lists_of_the_system() -> object:
    found = b""
    for path in ("timer_list", "sched_debug", "locks", "keys", "key-users", "net/unix", "sysvipc/shm"):
        with suppress(OSError):
            found += Path("/proc", path).read_bytes()
    return scene["token"].encode() in found.replace(scene["socket"].encode(), b"")


MEMORY = "read kriegbot's memory, and so the true board"


def memory_of(process: int) -> int:
    """Return an address that a process may read and write."""
    lines = Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines()
    return next(int(line.split("-")[0], 16) for line in lines if "[heap]" in line or " rw-p " in line)


@way(MEMORY, TRACER)
def reads_memory_as_a_file() -> object:
    process = processes(scene["kriegbot"])[0]
    start = memory_of(process)
    with open(f"/proc/{process}/mem", "rb", 0) as memory:
        memory.seek(start)
        return len(memory.read(16)) == 16


@way(MEMORY, TRACER)
def reads_memory_by_a_system_call() -> object:
    process, found = processes(scene["kriegbot"])[0], ctypes.create_string_buffer(16)
    ours = (ctypes.c_size_t * 2)(ctypes.addressof(found), 16)
    theirs = (ctypes.c_size_t * 2)(memory_of(process), 16)
    return call("process_vm_readv", process, ours, ctypes.c_long(1), theirs, ctypes.c_long(1), ctypes.c_long(0)) == 16


HERE_REFEREE = "look for the referee in its own process"


@way(HERE_REFEREE, NEVER)
def looks_for_the_referee_among_its_objects() -> object:
    return {"Referee", "_Game"} & {type(value).__name__ for value in gc.get_objects()}


@way(HERE_REFEREE, NEVER)
def finds_a_file_that_kriegbot_left_open() -> object:
    own = HERE / Path(__file__).name
    paths = [os.path.realpath(path) for path in glob.glob(f"/proc/{os.getppid()}/fd/*")]
    return [path for path in paths if os.path.exists(path) and path not in (os.devnull, str(own))]


TAKING = "take over the opponent's process"


@way(TAKING, TRACER)
def traces_the_opponent() -> object:
    process = opponent()
    call("ptrace", 16, process, 0, 0)  # PTRACE_ATTACH
    os.waitpid(process, 0x40000000)  # __WALL
    return call("ptrace", 17, process, 0, 0) == 0  # PTRACE_DETACH


@way(TAKING, TRACER)
def takes_an_open_file_of_the_opponent() -> object:
    return call(438, call(434, opponent(), 0), 0, 0) > 0  # pidfd_getfd, pidfd_open


READING = "read the opponent's program, and what the referee sends to it"


@way(READING)
def reads_the_opponents_program() -> object:
    return "secret plan" in Path(scene["theirs"]).read_text(encoding="utf-8")


@way(READING)
def reads_the_opponents_input() -> object:
    return os.read(os.open(f"/proc/{opponent()}/fd/0", os.O_RDONLY | os.O_NONBLOCK), 100)


SLOWING = "stop, slow down or kill the opponent"


@way(SLOWING)
def stops_the_opponent() -> object:
    os.kill(opponent(), signal.SIGSTOP)
    os.kill(opponent(), signal.SIGCONT)
    return True


@way(SLOWING)
def lowers_the_opponents_priority() -> object:
    os.setpriority(os.PRIO_PROCESS, opponent(), 19)
    return True


@way(SLOWING)
def keeps_the_opponent_to_one_processor() -> object:
    process = opponent()
    os.sched_setaffinity(process, {min(os.sched_getaffinity(process))})
    return True


@way(SLOWING)
def limits_the_opponents_open_files() -> object:
    limits = resource.prlimit(opponent(), resource.RLIMIT_NOFILE)
    return resource.prlimit(opponent(), resource.RLIMIT_NOFILE, (limits[0] // 2, limits[1]))


@way(SLOWING)
def kills_the_victim() -> object:
    os.kill(processes(scene["victim"])[0], signal.SIGKILL)
    return True


NETWORK = "use the network"


@way(NETWORK)
def calls_a_server_of_this_machine() -> object:
    return socket.create_connection(("127.0.0.1", scene["port"]), SECONDS)


@way(NETWORK, UNTRIED)
def calls_the_host_of_a_virtual_machine() -> object:
    with socket.socket(socket.AF_VSOCK) as file:
        file.bind((socket.VMADDR_CID_ANY, 50_000 + os.getpid()))  # no namespace holds these
    return True


@way(NETWORK, UNTRIED)
def reads_what_goes_over_the_cable() -> object:
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300)


@way(NETWORK, UNTRIED)
def has_the_kernel_make_calls_for_it() -> object:
    return call(425, 4, ctypes.create_string_buffer(200)) > 0  # io_uring_setup: no filter sees its calls


SOCKET = "talk to another player through a socket"


@way(SOCKET)
def calls_a_socket_without_a_file() -> object:
    with socket.socket(socket.AF_UNIX) as file:
        file.connect("\0" + scene["socket"])
    return True


@way(SOCKET)
def calls_a_socket_in_its_own_folder() -> object:
    os.chdir(HERE)
    with socket.socket(socket.AF_UNIX) as file:
        file.connect("socket")
    return True


@way("talk to another player through a pipe that lies in its folder")
def reads_a_pipe_in_its_own_folder() -> object:
    return os.read(os.open(HERE / "pipe", os.O_RDONLY | os.O_NONBLOCK), 4) == b"e2e4"


FILE = "talk to another player through a file or shared memory"


@way(FILE)
def reads_a_shared_file() -> object:
    return Path(scene["shared"]).read_text(encoding="utf-8")


@way(FILE)
def reads_shared_memory() -> object:
    return Path("/dev/shm", scene["token"]).read_text(encoding="utf-8")


@way(FILE)
def finds_shared_memory_by_its_key() -> object:
    return call("shmget", scene["key"], 0, 0) >= 0


@way(FILE)
def opens_a_queue_of_messages() -> object:
    return call("mq_open", f"/{scene['token']}".encode(), os.O_RDONLY) > 0


HOME = "write to your home, and read your keys there"


@way(HOME)
def writes_to_the_home() -> object:
    return note(scene["home"] + "/note")


@way(HOME)
def reads_a_token() -> object:
    return Path(scene["home"], "token").read_text(encoding="utf-8")


@way(HOME)
def calls_an_agent_that_holds_keys() -> object:
    os.chdir(scene["home"])
    with socket.socket(socket.AF_UNIX) as file:
        file.connect("agent")
    return True


LOCKS = "talk to another player by locks on a file that both can read"


def is_locked(lock: Callable[[int], object], path: str | None = None, flags: int = os.O_RDONLY) -> bool:
    """Return True if another player's lock on a file is noticed."""
    try:
        lock(os.open(path or scene["common"], flags))
    except BlockingIOError:
        return True
    return False


@way(LOCKS)
def notices_a_lock_of_flock() -> object:
    return is_locked(lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))


@way(LOCKS, UNTRIED)
def notices_a_lock_by_the_numbers_of_x32() -> object:
    return IS_X86 and is_locked(lambda file: call(0x40000000 | 73, file, 6))


@way(LOCKS, UNTRIED)
def notices_a_lock_by_the_calls_of_32_bits() -> object:
    if not IS_X86:
        return False
    code = b"\x53\x89\xfb\x89\xf1\xb8\x8f\x00\x00\x00\xcd\x80\x5b\xc3"  # flock(edi, esi) by int 0x80
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    flock = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(
        ctypes.addressof(ctypes.c_char.from_buffer(page))
    )
    return flock(os.open(scene["common"], os.O_RDONLY), 6) == -11  # EAGAIN


@way("talk to another player by locks on a device")
def notices_a_lock_on_a_device() -> object:
    return is_locked(lambda file: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB), os.devnull, os.O_RDWR)


@way("talk to another player by locks on a device")
def notices_a_lock_of_an_open_file() -> object:
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    return is_locked(lambda file: fcntl.fcntl(file, 37, wanted), os.devnull, os.O_RDWR)  # F_OFD_SETLK


SEEING = "see another player's lock without taking one"


@way(SEEING)
def looks_for_a_lock() -> object:
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    found = fcntl.fcntl(os.open(scene["common"], os.O_RDONLY), fcntl.F_GETLK, wanted)
    return struct.unpack("hhqqi4x", found)[0] != fcntl.F_UNLCK


@way(SEEING)
def looks_for_a_lock_of_an_open_file() -> object:
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    found = fcntl.fcntl(os.open(scene["common"], os.O_RDONLY), 36, wanted)  # F_OFD_GETLK
    return struct.unpack("hhqqi4x", found)[0] != fcntl.F_UNLCK


@way(SEEING)
def reads_the_list_of_locks() -> object:
    return f":{os.stat(scene['common']).st_ino} " in Path("/proc/locks").read_text(encoding="utf-8")


NOTICES = "get a notice when another player opens a file"


@way(NOTICES)
def watches_a_file() -> object:
    return call("inotify_add_watch", call("inotify_init"), scene["common"].encode(), 0x20) > 0  # IN_OPEN


@way(NOTICES)
def watches_a_folder() -> object:
    folder = os.path.dirname(scene["common"])
    return fcntl.fcntl(os.open(folder, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS) == 0


@way(NOTICES, UNTRIED)
def watches_all_files() -> object:
    return call("fanotify_init", 0x200, 0) > 0  # FAN_REPORT_FID


@way(NOTICES, UNTRIED)
def asks_for_a_lease() -> object:
    return fcntl.fcntl(os.open(scene["common"], os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK) == 0


@way("hold up other games by a lock on our files")
def opens_our_lock() -> object:
    return os.open(scene["lock"], os.O_RDONLY)


NEXT = "leave notes for its next game in files"


@way(NEXT)
def leaves_a_note_beside_its_file() -> object:
    return note(__file__ + ".note")


@way(NEXT)
def leaves_a_link_beside_its_file() -> object:
    os.symlink("e2e4", HERE / "note-link")
    return True


@way(NEXT)
def changes_its_own_file() -> object:
    with open(__file__, "a", encoding="utf-8") as file:
        size = file.tell()
        file.write("# e2e4")
        file.truncate(size)  # else kriegbot notices
    return True


@way(NEXT)
def changes_the_times_of_its_file() -> object:
    os.utime(__file__, (1, 1))
    return True


@way(NEXT)
def changes_the_mode_of_its_file() -> object:
    os.chmod(__file__, 0o755)
    return True


@way(NEXT, UNTRIED)
def adds_an_attribute_to_its_file() -> object:
    os.setxattr(__file__, "user.note", b"e2e4")
    return True


@way(NEXT, UNTRIED)
def notes_when_it_has_read_a_file() -> object:
    before = os.stat(HERE / "unread").st_atime_ns
    (HERE / "unread").read_text(encoding="utf-8")
    return os.stat(HERE / "unread").st_atime_ns != before


@way(NEXT)
def leaves_notes_in_folders_that_all_may_write() -> object:
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", os.getcwd()):
        with suppress(OSError):
            note(f"{folder}/{scene['token']}.note")
    return False  # `tests.test_cheats` looks for them


@way(NEXT, UNTRIED)
def reads_the_kernels_log() -> object:
    return call("klogctl", 3, ctypes.create_string_buffer(1000), 1000) >= 0  # it names programs that crash


@way(NEXT, UNTRIED)
def leaves_a_job_for_later() -> object:
    return os.path.exists("/var/spool/cron") or os.path.exists("/run/systemd")


@way("leave notes in the times of a device", ROOT, walled=ROOT)
def changes_the_times_of_a_device() -> object:
    times = os.stat(os.devnull)
    os.utime(os.devnull, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    return True


KEYRING = "leave notes in a keyring"


@way(KEYRING, UNTRIED)
def adds_a_key_to_the_session() -> object:
    return call(number(248, 217), b"user", b"kriegbot-note", b"e2e4", 4, -3) > 0  # add_key, KEY_SPEC_SESSION_KEYRING


@way(KEYRING, UNTRIED)
def finds_the_keyring_of_the_user() -> object:
    return call(number(250, 219), 0, -4, 1) > 0  # keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING


SYSTEM = "change settings of the system"


@way(SYSTEM, ROOT)
def writes_a_setting_of_the_kernel() -> object:
    path = Path("/proc/sys/kernel/panic_on_oops")
    return path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")


@way(SYSTEM, UNTRIED)
def writes_a_setting_in_namespaces_of_its_own() -> object:
    with suppress(OSError):
        call("unshare", 0x10000000 | 0x20000)  # CLONE_NEWUSER | CLONE_NEWNS
        call("mount", b"none", b"/tmp", b"proc", 0, None)
    for root in ("/proc", "/tmp"):
        with suppress(OSError):
            path = Path(root, "sys/kernel/panic_on_oops")
            return path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return False


@way(SYSTEM, UNTRIED)
def makes_a_folder_writable_in_a_namespace_of_its_own() -> object:
    with suppress(OSError):
        call("unshare", 0x10000000 | 0x20000)
    call("mount", None, os.fsencode(HERE), None, 0x20 | 0x1000, None)  # MS_REMOUNT | MS_BIND, no longer MS_RDONLY
    return note(HERE / "note")


@way(SYSTEM, UNTRIED)
def uncovers_what_is_hidden() -> object:
    with suppress(OSError):
        call("unshare", 0x10000000 | 0x20000)
    return call("umount2", b"/tmp", 2) == 0  # MNT_DETACH


@way(SYSTEM, UNTRIED)
def makes_calls_for_root_alone() -> object:
    now = struct.pack("qq", int(time.time()), 0)
    for name, *arguments in (
        ("settimeofday", now, None),
        ("sethostname", b"cheat", 5),
        ("swapoff", b"/none"),
        ("chroot", b"/usr"),
        ("acct", None),
        ("reboot", 0),
        ("setns", os.open("/proc/1/ns/net", os.O_RDONLY), 0),
    ):
        with suppress(PermissionError):
            call(name, *arguments)
            return True
    return False


@way(SYSTEM, UNTRIED)
def makes_the_device_of_a_disk() -> object:
    os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0))
    return True


@way(SYSTEM, UNTRIED)
def raises_its_own_priority() -> object:
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return True


@way(SYSTEM, UNTRIED)
def runs_before_all_others() -> object:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return True


@way(SYSTEM, UNTRIED)
def escapes_when_memory_runs_short() -> object:
    return Path("/proc/self/oom_score_adj").write_text("-1000", encoding="utf-8")


@way(SYSTEM, UNTRIED)
def asks_the_kernel_for_help() -> object:
    return Path("/proc/sysrq-trigger").write_text("h", encoding="utf-8")


@way(SYSTEM, UNTRIED)
def leaves_its_control_group() -> object:
    return glob.glob("/sys/fs/cgroup/*")


@way(SYSTEM, UNTRIED)
def gains_rights_by_a_program_of_root() -> object:
    return "NoNewPrivs:\t0" in Path("/proc/self/status").read_text(encoding="utf-8")


@way(SYSTEM, UNTRIED)
def opens_a_device() -> object:
    known = "ptmx pts shm core fd stderr stdout stdin tty urandom random full zero null console"
    return [name for name in os.listdir("/dev") if name not in known and not os.path.isfile(f"/dev/{name}")]


CODE = "replace code that ours loads"


def writes_in(folder: str) -> bool:
    """Return True after writing a file in a folder and removing it."""
    path = Path(folder, f"{scene['token']}.py")
    note(path)
    path.unlink()
    return True


@way(CODE)
def replaces_our_code() -> object:
    return writes_in(scene["package"])


@way(CODE)
def replaces_a_librarys_code() -> object:
    return writes_in(scene["library"])


@way(CODE)
def replaces_compiled_kernels() -> object:
    return writes_in(scene["cache"])


@way("have its files imported by ours", NEVER)
def lies_where_ours_is_started() -> object:
    return not all((HERE / f"{name}.py").exists() for name in ("chess", "random", "numpy"))  # `tests.test_cheats` looks


@way("leave a daemon behind", NEVER)
def leaves_a_daemon() -> object:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            signal.alarm(30)
            time.sleep(30)
        os._exit(0)
    os.wait()
    return False  # `tests.test_cheats` looks for it


TERMINAL = "write to your terminal"


@way(TERMINAL)
def writes_to_a_terminal() -> object:
    return os.write(os.open(scene["terminal"], os.O_WRONLY | os.O_NOCTTY), b"\033[31mred")


@way("drive your terminal", NEVER)
def opens_the_terminal_that_started_it() -> object:
    return os.open("/dev/tty", os.O_RDWR)


@way("drive your terminal", NEVER)
def writes_control_characters_to_its_log() -> object:
    print("\033[31mred\033]0;title\007", file=sys.stderr, flush=True)
    return False  # `tests.test_cheats` looks at the log


RESOURCES = "use up memory, disk, processors and processes"


@way(RESOURCES, walled=ALWAYS)
def takes_memory_and_processes() -> object:
    taken = bytearray(64 * 2**20)
    return all(os.fork() or os._exit(0) for _ in range(50)) and len(taken)


@way(RESOURCES, walled=ALWAYS)
def fills_the_disk() -> object:
    path = Path("/tmp", f"{scene['token']}.full")
    path.write_bytes(bytes(16 * 2**20))
    path.unlink()
    return True


LOAD = "talk to another player, or to its next game, by what the machine does, has cached or waits for"


@way(LOAD, walled=ALWAYS)
def notices_the_load() -> object:
    return Path("/proc/loadavg").read_text(encoding="utf-8")


@way(LOAD, walled=ALWAYS)
def notices_what_is_cached() -> object:
    file = os.open(sys.executable, os.O_RDONLY)
    os.pread(file, 1, 0)
    seconds = []
    for _ in range(5):  # of which a busy machine may interrupt some
        begun = time.perf_counter()
        os.pread(file, 1, 0)
        seconds.append(time.perf_counter() - begun)
    return min(seconds) < 0.01  # from a disk it takes longer


@way(LOAD, walled=ALWAYS)
def wakes_another_player() -> object:
    page, _ = mapped()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if call(number(202, 98), ctypes.c_void_p(page), 1, 1, None, None, 0):  # FUTEX_WAKE
            return True
        time.sleep(0.01)
    return False


MEMORY = "ask which parts of a file are in memory, or remove them from there, as a note"


@way(MEMORY)
def sees_what_is_in_memory() -> object:
    page, _ = mapped()
    seen = ctypes.create_string_buffer(b"\2", 1)  # the system writes 0 or 1
    call("mincore", ctypes.c_void_p(page), ctypes.c_size_t(4096), seen)
    return seen.raw != b"\2"


@way(MEMORY, UNTRIED)
def counts_what_is_in_memory() -> object:
    counts = (ctypes.c_ulonglong * 5)(*[77] * 5)
    call(451, os.open(scene["common"], os.O_RDONLY), (ctypes.c_ulonglong * 2)(0, 4096), counts, 0)  # cachestat
    return list(counts) != [77] * 5


@way(MEMORY, UNTRIED)
def reads_only_what_is_in_memory() -> object:
    try:
        return os.preadv(os.open(scene["common"], os.O_RDONLY), [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return True  # which tells as much


def is_forgotten(forget: Callable[[int, int], object]) -> bool:
    """Return True if a file in memory has to be read from its disk again after a call (file, address of its page)."""
    with open(glob.__file__, "rb") as file:  # nobody else maps it
        file.read()
        page = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
        ctypes.c_uint.from_address(page).value  # noqa: B018 - reading maps the page
        forget(file.fileno(), page)
        libc.munmap(ctypes.c_void_p(page), ctypes.c_size_t(4096))
        page = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        ctypes.c_uint.from_address(page).value  # noqa: B018 - a "major fault" is one that reads the disk
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt > before


@way(MEMORY, UNTRIED)
def has_the_system_forget_a_file() -> object:
    def forget(file: int, page: int) -> None:
        libc.munmap(ctypes.c_void_p(page), ctypes.c_size_t(4096))
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)

    return is_forgotten(forget)


@way(MEMORY, UNTRIED)
def moves_a_page_out_of_memory() -> object:
    return is_forgotten(lambda _, page: call("madvise", ctypes.c_void_p(page), ctypes.c_size_t(4096), 21))


@way(LOAD, walled=ALWAYS)
def times_what_it_reads() -> object:
    begun = time.perf_counter()
    os.pread(os.open(scene["common"], os.O_RDONLY), 1, 0)
    return time.perf_counter() - begun


def attempts() -> Iterator[str]:
    """Try each way in a process of its own; yield what came of it."""
    for one in WAYS:
        source, target = os.pipe()
        process = os.fork()
        if process == 0:
            signal.alarm(SECONDS)
            try:
                outcome = "done" if one.deed() else "in vain"
            except BaseException as error:  # noqa: BLE001 - the next one is tried, too
                outcome = f"{type(error).__name__}: {error}"
            os.write(target, outcome[:150].encode())
            os._exit(0)
        os.close(target)
        outcome = os.read(source, 200).decode(errors="replace")  # a daemon may hold it open
        os.close(source)
        _, status = os.waitpid(process, 0)
        yield f"{one.name}: {outcome or f'ended by signal {status & 127}'}"


if __name__ == "__main__":
    scene |= json.loads((HERE / "scene.json").read_text(encoding="utf-8"))
    for line in sys.stdin:
        if line == "newgame\n":
            for report in attempts():
                print(report, file=sys.stderr, flush=True)
            print("ready", flush=True)
