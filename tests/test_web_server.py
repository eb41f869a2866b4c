"""The server of the page: its limits, games that go wrong or are left alone, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import InvalidStatus

from kriegbot.cli.main import main
from kriegbot.players.base import Choice
from kriegbot.request import playing
from kriegbot.web.library import Library
from kriegbot.web.notices import GameList
from kriegbot.web.registry import ServerLimits
from kriegbot.web.seats import PooledSeat
from referee import View, load_record
from tests.effort import some
from tests.page import E4, RAND, Client, begun, served, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]


def test_there_are_limits_for_games_and_sockets(tmp_path: Path) -> None:
    with (
        served(tmp_path, limits=ServerLimits(live_games=1, sockets=2)) as page,
        Client(page.address) as first,
        Client(page.address) as second,
    ):
        begun(first)
        second.send(RAND)
        assert second.until("refusal")["text"] == "1 game is in progress, the limit. End one first."
        with pytest.raises(InvalidStatus):
            Client(page.address)


def test_games_that_have_ended_leave_the_memory_at_last_and_come_back_from_their_files(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(games=2)) as page, Client(page.address) as client:
        names = []
        for _ in range(3):
            names.append(begun(client))
            client.send({"do": "resign"})
            client.until("frames")
            until(lambda: not any(thread.name == f"game {names[-1]}" for thread in threading.enumerate()), "its end")
        assert names[0] not in page.registry.games
        client.send({"do": "join", "game": names[0]})
        assert client.until("game")["kind"] == "replay"
        client.send({"do": "join", "game": names[2]})
        assert client.until("over")["result"] == "0-1"


def test_small_messages_are_sent_at_once(tmp_path: Path) -> None:
    with served(tmp_path) as page, Client(page.address):
        (connection,) = page.server_state.connections
        told = connection.transport.get_extra_info("socket")
        assert told.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


class Slow:
    """Makes programs wait until they may answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.may_answer = threading.Event()
        ask = PooledSeat.ask

        def slow(seat: PooledSeat, view: View) -> Choice:
            self.may_answer.wait(30)
            return ask(seat, view)

        monkeypatch.setattr(PooledSeat, "ask", slow)


def test_a_try_out_of_turn_is_refused_and_the_next_one_is_not(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    with Client(address) as client:
        begun(client)
        client.send(E4)
        client.send({"do": "try", "text": "d4"})
        assert client.until("refusal")["text"] == "It is not your turn."
        slow.may_answer.set()
        assert client.until("view", yours=True)["tries"]
        client.send({"do": "try", "text": "d4"})
        assert set(client.until("view", ply=3)["men"]) > {"d4", "e4"}


def test_who_resigns_out_of_turn_has_resigned_when_the_opponent_has_moved(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    with Client(address) as client:
        begun(client)
        client.send(E4)
        client.until("view", ply=1)
        client.send({"do": "resign"})
        assert "as soon as" in client.until("refusal")["text"]
        client.send({"do": "try", "text": "d4"})
        assert client.until("refusal")["text"] == "You have resigned."
        slow.may_answer.set()
        over = client.until("over")
    assert (over["result"], over["won"]) == ("0-1", False)
    (path,) = tmp_path.glob("*.pgn")
    assert len(load_record(path).turns) == 2


def test_a_seed_that_nobody_gave_is_told_after_the_game_only(address: str) -> None:
    with Client(address) as client:
        client.send(RAND | {"seed": None})
        assert client.until("game")["seed"] is None
        client.until("view")
        client.send({"do": "resign"})
        over = client.until("over")
        assert all(over["seed"] not in text for text in client.heard[:-1])
        client.send(RAND)
        assert client.until("game")["seed"] == "3"


def test_whoever_joins_again_is_told_what_the_others_were(address: str) -> None:
    with Client(address) as client, Client(address) as other:
        id_ = begun(client)
        client.send({"do": "try", "text": "exd3"})
        told = client.until("view")
        other.send({"do": "join", "game": id_})
        assert other.until("game")["you"] == "white"
        assert other.until("view") | {"clocks": told["clocks"]} == told  # clocks run
        client.send({"do": "resign"})
        assert client.until("over") == other.until("over")
        assert client.until("frames") == other.until("frames")


def test_a_map_of_enemy_pieces_that_cannot_be_computed_is_switched_off_with_a_sentence(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as client:
        begun(client)
        server.registry.analyst.close()
        client.send({"do": "heat", "on": True})
        assert client.until("heat") == {"is": "heat", "on": False, "ply": 0, "chances": [], "basis": ""}
        assert client.until("refusal")["text"] == "No map of enemy pieces: the process of the analysis has ended."


def test_a_game_that_nobody_looks_at_is_broken_off_and_saved(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(grace=0.0, abandon_after=0.0)) as page:
        with Client(page.address) as client:
            begun(client)
            page.registry.tend()
            client.send(E4)
            client.until("view", ply=2)

        (path,) = tmp_path.glob("*.pgn")

        def has_ended() -> bool:
            page.registry.tend()
            return load_record(path).end is not None

        until(has_ended, "its end")
        end = load_record(path).end
    assert end is not None
    assert end.text() == "abandoned, no result (nobody came back)"


def test_a_game_that_cannot_be_saved_says_so(tmp_path: Path) -> None:
    no_folder = tmp_path / "games"
    no_folder.touch()
    with served(no_folder) as page, Client(page.address) as client:
        begun(client)
        client.send({"do": "resign"})
        over = client.until("over")
        assert "could not be saved" in over["text"]
        assert over["saved"] is None
        assert client.until("frames")["frames"]


def test_a_program_that_is_killed_ends_the_game_without_a_winner(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(seat: PooledSeat, view: View) -> Choice:
        assert seat.pid is not None
        psutil.Process(seat.pid).kill()
        return super(PooledSeat, seat).ask(view)

    monkeypatch.setattr(PooledSeat, "ask", killed)
    with Client(address) as client:
        begun(client)
        client.send(E4)
        over = client.until("over")
        assert over["won"] is None  # nobody knows who killed it: no player loses for it
        monkeypatch.undo()
        begun(client)
        client.send(E4)
        client.until("view", ply=2)


@pytest.mark.parametrize("number", some((signal.SIGINT, signal.SIGTERM), 1))
def test_the_end_of_the_server_saves_all_games_and_leaves_no_process(number: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kriegbot", "play", "--web", "--no-browser", "--save", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with Client(address) as thinking, Client(address) as waiting:
            thinking.send(RAND | {"opponent": "overconfident:time=60,depth=4", "color": "black"})
            begun(waiting)
            thinking.until("view")
            time.sleep(0.5)
            started = psutil.Process(process.pid).children()
            for _ in range(3 if number == signal.SIGINT else 1):  # as by a person who is in a hurry
                process.send_signal(number)
                time.sleep(0.2)
            for client in waiting, thinking:
                client.closing_code()
                assert not any('"is":"over"' in text for text in client.heard)  # the page waits for the next server
            _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert started
    until(lambda: not any(child.is_running() for child in started), "the end of the processes")
    ends = [load_record(path).end for path in tmp_path.glob("*.pgn")]
    assert len(ends) == 2
    assert {end.text() for end in ends if end is not None} == {"abandoned, no result (the server was stopped)"}


def test_a_long_list_of_saved_games_keeps_nobody_waiting(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    is_listed = threading.Event()
    monkeypatch.setattr(Library, "games", lambda _library: GameList("", [], []) if is_listed.wait(30) else None)
    with Client(address) as patient, Client(address) as client:
        patient.send({"do": "library"})
        begun(client)
        client.send(E4)
        client.until("view", ply=2)
        is_listed.set()
        assert patient.until("library")["games"] == []


def test_an_engine_is_refused_on_the_page_where_the_sandbox_was_asked_for(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    with served(tmp_path) as page, Client(page.address) as client:
        page.registry.sandbox = True
        for request in (
            RAND | {"opponent": f"engine:command={engine}"},
            {"do": "watch", "white": "rand", "black": "engine", "rules": "berkeley", "seed": None, "pace": 0},
        ):
            client.send(request)
            assert "--sandbox does not hold the chess engine" in client.until("refusal")["text"]


def test_the_terminal_does_not_go_on_with_a_game_that_the_page_plays(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kriegbot.cli.play.games_folder", lambda: tmp_path)
    with Client(address) as client:
        begun(client)
        client.send(E4)
        client.until("view", ply=2)
        (path,) = tmp_path.glob("*.pgn")
        assert main(["resume"]) == 2
        assert "there is no unfinished game" in capsys.readouterr().err
        assert main(["resume", str(path)]) == 2
        assert "is being played now" in capsys.readouterr().err
        client.send({"do": "leave"})
        client.until("over")
    with playing(path):
        pass


def test_a_port_that_is_taken_is_refused_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["play", "--web", "--no-browser", "--save", str(tmp_path), "--port", str(port)]) == 2
    assert capsys.readouterr().err == (
        f"kriegbot: cannot listen on port {port} of '127.0.0.1': address already in use; leave out --port to use a "
        "free one.\n"
    )


def test_an_address_of_another_machine_is_refused_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--web", "--no-browser", "--save", str(tmp_path), "--host", "192.0.2.1"]) == 2
    why = "cannot assign requested address; give an address of this machine."
    assert capsys.readouterr().err == f"kriegbot: cannot listen on '192.0.2.1': {why}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--web", "--port", "70000"], "illegal port '70000': it takes a whole number, 1..65535."),
        (["--web", "--opponent", "rand"], "--opponent is chosen on the page; leave it out."),
        (["--web", "--show-belief"], "--show-belief is chosen on the page; leave it out."),
        (["--no-browser"], "--no-browser goes with --web; add that."),
        (["--host", "0.0.0.0"], "--host goes with --web; add that."),
        (["--web", "--save", "/dev/null/games"], "cannot save in '/dev/null/games': Not a directory."),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *arguments]) == 2
    assert capsys.readouterr().err == f"kriegbot: {message}\n"


def test_a_new_game_takes_the_place_of_the_one_that_was_dropped_first(tmp_path: Path) -> None:
    def ended() -> list[Path]:
        return [path for path in tmp_path.glob("*.pgn") if load_record(path).end is not None]

    with served(tmp_path, limits=ServerLimits(live_games=2)) as page:
        for _ in range(2):
            with Client(page.address) as client:
                begun(client)
                client.send(E4)
                client.until("view", ply=2)
        with Client(page.address) as client:
            begun(client)
            until(lambda: len(ended()) == 1, "the end of the game dropped first")
            with Client(page.address) as other:
                begun(other)


def test_a_game_of_two_does_not_make_room_for_one_side_by_ending_the_other(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(live_games=2)) as page, Client(page.address) as client:
        begun(client)
        with Client(page.address) as host:
            host.send({"do": "invite", "color": "white", "rules": "berkeley", "clock": None, "name": ""})
            assert "in progress, the limit" in host.until("refusal")["text"]
        assert len(page.registry.games) == 1


def test_of_the_games_that_nobody_looks_at_only_the_last_ones_wait(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(unattended_games=1, grace=0.0)) as page:
        names = []
        for _ in range(3):
            with Client(page.address) as client:
                names.append(begun(client))
        until(lambda: all(page.registry.get(name).is_unattended for name in names), "their leaving")
        page.registry.tend()
        until(
            lambda: not page.registry.get(names[0]).play.is_alive() and not page.registry.get(names[1]).play.is_alive(),
            "their end",
        )
        assert page.registry.get(names[2]).play.is_alive()
