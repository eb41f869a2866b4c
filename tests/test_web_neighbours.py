"""One bad neighbour takes nothing along: odd files among the saved games, silent connections, a log that repeats."""

from __future__ import annotations

import errno
import io
import logging
import os
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from kriegbot.cli.main import main
from kriegbot.request import MAX_PASSED_OVER, saved_games
from kriegbot.web import connections
from kriegbot.web.connections import Requests, Reserve, is_new
from kriegbot.web.library import Library
from kriegbot.web.registry import ServerLimits
from kriegbot.web.server import PageServer
from referee import GameRecord, Referee, save_record
from referee.pgn import MAX_BYTES
from tests.page import Client, served, until

ODD = {
    "dangling.pgn": "No such file or directory.",
    "directory.pgn": "it is no file.",
    "empty.pgn": "it is no game of Kriegspiel.",
    "huge.pgn": f"more than {MAX_BYTES} bytes.",
    "letter.pgn": "it is no game of Kriegspiel.",
    "line\nbreak.pgn": "its name cannot be shown.",
    "loop.pgn": "Too many levels of symbolic links.",
    "pipe.pgn": "it is no file.",
    "zero.pgn": "it is no file.",
}


def broken_off() -> GameRecord:
    """Return a game that can be continued."""
    referee = Referee()
    referee.abandon()
    return GameRecord.of(referee, {"White": "human", "Black": "rand", "Seed": "3"})


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Return a folder with one game that is older than nine entries that are none."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names")
    folder = tmp_path / "data/kriegbot/games"
    folder.mkdir(parents=True)
    save_record(broken_off(), folder / "good.pgn")
    os.utime(folder / "good.pgn", (1, 1))
    (folder / "dangling.pgn").symlink_to("gone.pgn")
    (folder / "loop.pgn").symlink_to("loop.pgn")
    (folder / "zero.pgn").symlink_to("/dev/zero")
    (folder / "directory.pgn").mkdir()
    os.mkfifo(folder / "pipe.pgn")
    os.mkfifo(folder / ".seats.json", 0o600)
    for name, data in (("empty", b""), ("letter", b"Dear Ann"), ("line\nbreak", b""), ("huge", b" " * (MAX_BYTES + 1))):
        (folder / f"{name}.pgn").write_bytes(data)
    return folder


def test_odd_entries_among_the_saved_games_are_named_by_the_page(odd: Path) -> None:
    listed = Library(odd).games()
    assert [game.file for game in listed.games] == ["good.pgn"]
    assert listed.passed_over == [f"{name!r}: {why}" for name, why in ODD.items()]


def test_odd_entries_among_the_saved_games_are_named_by_resume(
    odd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (odd / "cut.pgn").write_bytes((odd / "good.pgn").read_bytes().rstrip().removesuffix(b"*") + b"1. e9 *")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["resume"]) == 0
    out, err = capsys.readouterr()
    named = [line.removeprefix("Passed over: ") for line in err.splitlines() if line.startswith("Passed over")]
    assert named[:-1] == [f"{name!r}: {why}" for name, why in ODD.items()]
    assert named[-1].endswith("cut.pgn': illegal move: 'e9', at ply 1.")
    assert "Saved to" in out


def test_a_link_to_a_game_and_a_time_beyond_all_calendars_hide_no_other_game(tmp_path: Path) -> None:
    for name in ("good", "late"):
        save_record(broken_off(), tmp_path / f"{name}.pgn")
    (tmp_path / "link.pgn").symlink_to("good.pgn")
    os.utime(tmp_path / "late.pgn", (2**37, 2**37))
    is_possible = (tmp_path / "late.pgn").stat().st_mtime == 2**37
    (tmp_path / b"\xff.pgn".decode(errors="surrogateescape")).write_bytes((tmp_path / "good.pgn").read_bytes())
    listed = Library(tmp_path).games()
    assert [game.file for game in listed.games if game.file != "late.pgn"] == ["good.pgn"]
    assert "'link.pgn': a link, or has a link elsewhere. Copy it, and open the copy." in listed.passed_over
    assert "'\\udcff.pgn': its name cannot be shown." in listed.passed_over
    assert any("late" in line for line in listed.passed_over) == (is_possible and len(listed.games) == 1)


def test_a_file_without_a_size_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the kernel's log, /proc/kmsg, whose reader waits for its next line."""
    (tmp_path / "kmsg.pgn").touch()
    monkeypatch.setattr(Path, "open", None)
    assert saved_games(tmp_path) == ([], ["'kmsg.pgn': it is no game of Kriegspiel."])


def test_a_folder_full_of_odd_entries_gets_a_few_lines(tmp_path: Path) -> None:
    for number in range(MAX_PASSED_OVER + 7):
        (tmp_path / f"{number:02}.pgn").touch()
    games, lines = saved_games(tmp_path)
    assert games == []
    assert lines[0] == "'00.pgn': it is no game of Kriegspiel."
    assert lines[MAX_PASSED_OVER:] == ["And 7 more."]


# Connections


def silent(page: PageServer, count: int) -> list[socket.socket]:
    """Return connections that say nothing."""
    return [socket.create_connection(("127.0.0.1", page.port), 30) for _ in range(count)]


def is_closed(connection: socket.socket, patience: float = 30.0) -> bool:
    """Return True if the server has closed a connection without an answer."""
    connection.settimeout(patience)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


@pytest.mark.slow
def test_a_connection_without_a_whole_request_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SILENT_SECONDS", 1.0)
    with served(tmp_path) as page, Client(page.address) as client:
        quiet, slow, again = silent(page, 3)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        answered = f"GET {page.address.partition(str(page.port))[2]}static/make.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        again.sendall(answered.encode())
        until(lambda: again.recv(10000).startswith(b"HTTP/1.1 200"), "the answer")
        again.sendall(b"G")  # the beginning of another
        assert is_closed(quiet)
        assert is_closed(slow)
        while not is_closed(again):
            pass
        time.sleep(1.2)
        client.send({"do": "library"})
        client.until("library")  # a socket may be quiet
        assert len(page.server_state.connections) == 1
        for one in (quiet, slow, again):
            one.close()


def test_the_oldest_silent_connections_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_SILENT", 5)
    with served(tmp_path) as page, Client(page.address) as client:
        quiet = silent(page, 50)
        assert all(is_closed(one) for one in quiet[:45])
        waiting = [one for one in page.server_state.connections if isinstance(one, Requests)]
        assert len(waiting) == 5
        with Client(page.address) as other:
            other.send({"do": "library"})
            other.until("library")
        client.send({"do": "library"})
        client.until("library")
        for one in quiet:
            one.close()


def test_sockets_beyond_the_limit_are_refused_until_one_is_closed(tmp_path: Path) -> None:
    def is_open() -> bool:
        with suppress(InvalidStatus), Client(page.address):
            return True
        return False

    with served(tmp_path, limits=ServerLimits(sockets=1)) as page:
        with Client(page.address) as first:
            first.until("hello")
            assert not is_open()
        until(is_open, "room for another")


def test_saving_has_descriptors_when_none_is_left(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    reserve, taken = Reserve(), list[int]()
    try:
        most = max(map(int, os.listdir("/dev/fd"))) + 50
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, before[0]), before[1]))
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        with pytest.raises(OSError, match="Too many open files"):
            save_record(broken_off(), tmp_path / "game.pgn")
        for _ in range(3):
            with reserve.lent():
                save_record(broken_off(), tmp_path / "game.pgn")
    finally:
        for one in taken:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [path.name for path in tmp_path.iterdir()] == ["game.pgn"]


def test_descriptors_come_back_from_what_fails() -> None:
    reserve = Reserve()
    for _ in range(3):
        with pytest.raises(OSError, match="No space left"), reserve.lent():
            raise OSError(errno.ENOSPC, "No space left on device")
        assert len(reserve._held) == connections.RESERVED


def test_a_text_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("kriegbot.test")
    caplog.handler.addFilter(is_new)
    try:
        for number in (1, 1, 2, 1, 2):
            log.error("cannot save to %d", number)
        for number in range(connections.MAX_REMEMBERED):
            log.error("another %d", number)
    finally:
        caplog.handler.removeFilter(is_new)
    assert [one.getMessage() for one in caplog.records][:3] == ["cannot save to 1", "cannot save to 2", "another 0"]
    assert len(caplog.records) == 2 + connections.MAX_REMEMBERED
    assert 0 < len(connections._logged) <= connections.MAX_REMEMBERED
