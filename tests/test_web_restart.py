"""The server ends, in any way, and starts again: the address works, games go on where they were, nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from kriegbot.web.server import page_to
from referee import GameRecord, load_record, save_record
from tests.effort import some
from tests.page import E4, Client, begun, served, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]

INVITE = {"do": "invite", "color": "white", "rules": "berkeley", "clock": None, "name": "Ann"}


@contextmanager
def running(folder: Path, **more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Return the process of a server, and the address that it prints; kill it at the end. `more` environment."""
    command = [sys.executable, "-m", "kriegbot", "play", "--web", "--no-browser", "--save", str(folder / "games")]
    environment = os.environ | {"XDG_CONFIG_HOME": str(folder / "config")} | more
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", env=environment) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.kill()


def shown(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without its clocks."""
    return {name: value for name, value in view.items() if name != "clocks"}


def visit(client: Client, game: str) -> None:
    """Send what an open tab sends when it is connected again."""
    client.send({"do": "visit", "game": game})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("name", some(("SIGKILL", "SIGTERM"), 1))
def test_after_a_restart_games_with_a_program_and_with_a_guest_go_on_at_the_same_address(
    name: str, tmp_path: Path
) -> None:
    with running(tmp_path) as (process, address):
        guests = f"http://{urlsplit(address).netloc}"
        with Client(address) as alone, Client(address) as host:
            program = begun(alone)
            alone.send({"do": "try", "text": "exd3"})
            alone.until("view", refused=["exd3"])
            alone.send(E4)
            before = [alone.until("view", ply=2)]
            host.send(INVITE)
            mine = host.until("game")
            path, _, game = mine["invitation"].partition("#game=")
            with Client(guests + path) as guest:
                guest.send({"do": "join", "game": game, "name": "Bob"})
                host.until("view", yours=True)
                host.send({"do": "try", "text": "exd3"})
                host.until("view", refused=["exd3"])
                host.send(E4)
                before += [host.until("view", ply=1), guest.until("view", ply=1)]
                folder = tmp_path / "games"
                until(lambda: sorted(len(load_record(file).turns) for file in folder.glob("*.pgn")) == [1, 2], "files")
                host.send({"do": "library"})
                assert host.until("library")["games"] == []  # of a game in progress the page shows nothing
                for file in folder.glob("*.pgn"):
                    for do in ("open", "resume", "delete"):
                        host.send({"do": do, "file": file.name})
                        assert "in progress" in host.until("refusal")["text"]
                process.send_signal(getattr(signal, name))
                for client in (alone, host, guest):
                    client.closing_code()
                    assert not any('"is":"over"' in text or "stopped" in text for text in client.heard)
                process.wait(30)
    with running(tmp_path) as (_, again):
        assert again == address
        with Client(address) as alone, Client(address) as host, Client(guests + path) as guest:
            visit(alone, program)
            visit(guest, game)
            visit(host, mine["id"])
            after = [client.until("view") for client in (alone, host, guest)]
            assert [shown(view) for view in after] == [shown(view) for view in before]
            names = {"is": "names", "white": "Ann", "black": "Bob"}  # they may come before the view
            assert names in map(json.loads, host.heard) or host.until("names") == names
            with Client(guests + path, "a stranger's") as stranger:
                visit(stranger, game)
                assert stranger.until("refusal")["text"].startswith("Somebody has already joined")
            guest.send({"do": "try", "text": "e5"})
            host.until("view", ply=2)
            alone.send({"do": "try", "text": "d4"})
            alone.until("view", ply=4)
            for client in (alone, host):
                client.send({"do": "resign"})
            turns = [load_record(client.until("over")["saved"]).turns for client in (alone, host)]
            assert [[turn.move.uci() for turn in game][:1] for game in turns] == [["e2e4"], ["e2e4"]]
            assert [len(game) for game in turns] == [4, 2]
            assert len(list(folder.glob("*.pgn"))) == 2
    with running(tmp_path), Client(guests + path) as guest, Client(address) as alone:
        for client, id_ in ((guest, game), (alone, program)):
            visit(client, id_)
            assert client.until("over")["saved"] is None
            assert client.until("frames")["frames"]


def test_the_page_starts_in_a_locale_without_its_letters(tmp_path: Path) -> None:
    """As where text is cp1252 unless somebody says otherwise."""
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    with running(tmp_path, **plain) as (_, address), urlopen(address) as page:
        assert "…" in page.read().decode()


def test_a_move_is_saved_before_anybody_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(record: GameRecord, path: Path) -> None:
        time.sleep(0.3)
        save_record(record, path)

    monkeypatch.setattr("kriegbot.web.live.save_record", slow)
    with served(tmp_path) as server, Client(server.address) as client:
        begun(client)
        client.send(E4)
        ply = client.until("view", yours=False)["ply"]
        assert [len(load_record(path).turns) >= ply == 1 for path in tmp_path.glob("*.pgn")] == [True]


def test_an_invitation_that_nobody_has_followed_yet_outlives_the_server(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        host.send(INVITE)
        mine = host.until("game")
        until(lambda: list(tmp_path.glob("*.pgn")), "the file")
    with served(tmp_path) as server, Client(server.address) as host:
        path, _, game = mine["invitation"].partition("#game=")
        with Client(f"http://{urlsplit(server.address).netloc}{path}") as guest:
            visit(guest, game)
            assert guest.until("invited")["by"] == "Ann"
            visit(host, mine["id"])
            assert host.until("game")["invitation"] == mine["invitation"]
            guest.send({"do": "join", "game": game})
            assert host.until("view")["yours"]
            assert guest.until("game")["you"] == "black"


def test_one_learns_who_is_still_away_after_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        host.send(INVITE)
        mine = host.until("game")
        path, _, game = mine["invitation"].partition("#game=")
        with Client(f"http://{urlsplit(server.address).netloc}{path}") as guest:
            guest.send({"do": "join", "game": game})
            host.until("view")
            seats = tmp_path / ".seats.json"
            until(
                lambda: (
                    seats.exists() and len(json.loads(seats.read_text(encoding="utf-8")).popitem()[1]["browsers"]) == 2
                ),
                "both",
            )
    with served(tmp_path) as server, Client(server.address) as host:
        visit(host, mine["id"])
        assert host.until("presence") == {"is": "presence", "here": False}
        with Client(f"http://{urlsplit(server.address).netloc}{path}") as guest:
            visit(guest, game)
            assert host.until("presence") == {"is": "presence", "here": True}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_what_opens_the_page_and_its_games_is_for_its_owner_alone(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        first = server.address
        host.send(INVITE)
        host.until("game")
        until(lambda: (tmp_path / ".seats.json").exists(), "the seats")
        for name in (".seats.json", ".address.json"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    (tmp_path / ".address.json").chmod(0o644)
    with served(tmp_path) as server:
        second = server.address
        assert urlsplit(second).path != urlsplit(first).path
    with served(tmp_path, "0.0.0.0") as server:
        assert urlsplit(server.address).path != urlsplit(second).path
        token = json.loads((tmp_path / ".address.json").read_text(encoding="utf-8"))["token"]
    (tmp_path / ".address.json").write_text('{"host":"0.0.0.0","token":"guess"}', encoding="utf-8")
    (tmp_path / ".address.json").chmod(0o600)
    with served(tmp_path, "0.0.0.0") as server:
        assert urlsplit(server.address).path not in (f"/{token}/", "/guess/")


def test_a_second_server_takes_another_port_and_leaves_the_address_to_the_first(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        address = first.address
        with served(tmp_path) as second:
            assert second.port != first.port
    with served(tmp_path) as again:
        assert again.address == address


def test_the_browser_is_started_with_a_private_file_in_place_of_the_address(tmp_path: Path) -> None:
    file = tmp_path / "open.html"
    file.touch(0o666)
    url = page_to("http://127.0.0.1:80/secret/#game=4", file)
    assert url == file.as_uri()
    assert 'url=http://127.0.0.1:80/secret/#game=4"' in file.read_text(encoding="utf-8")
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_old_tabs_fill_no_terminal(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(tmp_path) as server:
        wrong = server.address.replace(urlsplit(server.address).path, "/wrong/")
        for _ in range(40):
            with pytest.raises(OSError, match="404"):
                urlopen(wrong)
    assert caplog.text.count("refused http") == 20
    assert caplog.text.count("further refusals are not shown") == 1
