"""Tournaments on a Dask cluster: the same games, whatever dies; and what docs/clusters.md says of Slurm."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

pytest.importorskip("dask")
pytest.importorskip("distributed")
pytest.importorskip("dask_jobqueue")
pytest.importorskip("cryptography")

import dask
from distributed import LocalCluster, Security
from distributed.core import rpc

from kriegbot.cli.main import main
from tests.tournament_players import kill_the_first_worker, kill_the_worker, settings, spec_of
from tournaments.dask_executor import DaskExecutor, _own
from tournaments.run import Executor, ExecutorError, LocalExecutor, logged_to, run
from tournaments.schedule import MOST_ATTEMPTS, Died, Finished, Outcome, TournamentSettings
from tournaments.store import Store

pytestmark = pytest.mark.slow

HOME = "/home/you"
"""In the document, a user's folder."""
DOCUMENT = (Path(__file__).parents[1] / "docs" / "clusters.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Return a cluster with a scheduler of its own, as others would start it."""
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as started:
        yield started


def play(path: Path, what: TournamentSettings, games: int, executor: Executor) -> list[Outcome]:
    """Plays a tournament; gives what came of each game."""
    outcomes: list[Outcome] = []
    with Store.writing(path, what, games) as store:
        run(store, store.missing(), executor, outcomes.append)
    return outcomes


def records(path: Path) -> list[tuple[object, ...]]:
    """Return the games, without when and how fast."""
    with Store.open(path) as store:
        return store.connection.execute(
            "SELECT id, seed, result, detail, plies, record FROM games ORDER BY id"
        ).fetchall()


def test_dask_plays_the_games_that_this_machine_plays(tmp_path: Path) -> None:
    play(tmp_path / "local", settings(), 4, LocalExecutor(2, spec_of=spec_of))
    play(tmp_path / "dask", settings(), 4, DaskExecutor(2, spec_of=spec_of))
    assert len(records(tmp_path / "dask")) == 4
    assert records(tmp_path / "dask") == records(tmp_path / "local")
    assert not multiprocessing.active_children()


def test_a_running_cluster_plays_the_same_games_with_several_threads_to_a_worker(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    play(tmp_path / "local", settings(), 6, LocalExecutor(2, spec_of=spec_of))
    play(tmp_path / "dask", settings(), 6, DaskExecutor(1, cluster.scheduler_address, spec_of=spec_of))
    assert records(tmp_path / "dask") == records(tmp_path / "local")


def test_a_worker_that_is_killed_loses_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIEGBOT_TEST_MARK", str(tmp_path / "mark"))
    executor = DaskExecutor(2, spec_of=kill_the_first_worker)
    outcomes = play(tmp_path / "t", settings("rand", "poison once"), 6, executor)
    died = [(outcome.cause, outcome.attempts) for outcome in outcomes if isinstance(outcome, Died)]
    assert died == [("the worker died", 1)]
    assert [row[0] for row in records(tmp_path / "t")] == [1, 2, 3, 4, 5, 6]


def test_a_game_that_kills_its_worker_three_times_is_given_up() -> None:
    what = settings("rand", "poison")
    outcomes = DaskExecutor(1, spec_of=kill_the_worker).play(what.schedule(2)[:1], what)
    assert [outcome.attempts for outcome in outcomes if isinstance(outcome, Died)] == [1, 2, MOST_ATTEMPTS]


def test_no_more_games_are_submitted_than_can_be_played_and_those_are_taken_back(cluster: LocalCluster) -> None:
    scheduler = cluster.scheduler
    assert scheduler is not None

    def submitted() -> int:
        return sum(task.key.startswith("play_warm") for task in list(scheduler.tasks.values()))

    what = settings()
    outcomes = DaskExecutor(1, cluster.scheduler_address, spec_of=spec_of).play(what.schedule(100_000), what)
    assert isinstance(next(outcomes), Finished)
    assert 1 <= submitted() <= 3
    outcomes.close()
    deadline = time.monotonic() + 60
    while submitted() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert submitted() == 0


def test_what_workers_log_comes_to_one_file_once(cluster: LocalCluster, tmp_path: Path) -> None:
    executor = DaskExecutor(2, cluster.scheduler_address, spec_of=spec_of)
    with logged_to(tmp_path / "log"):
        play(tmp_path / "t", settings("raises", "rand", plies=30), 4, executor)
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert sum(" begins, " in line for line in lines) == 4
    assert sum("WARNING" in line and "raised LookupError: lost the thread" in line for line in lines) == 4


def test_what_a_worker_raises_ends_the_run_in_one_line(cluster: LocalCluster, tmp_path: Path) -> None:
    executor = DaskExecutor(2, cluster.scheduler_address, spec_of=spec_of)
    with pytest.raises(ExecutorError, match=r"^a worker cannot play game [12] \(BadSpec: unknown player 'nobody'\. "):
        play(tmp_path / "t", settings("nobody", "rand"), 2, executor)


def test_a_cluster_leaves_the_environment_as_it_was() -> None:
    before = dict(os.environ)
    with _own(1):
        pass
    assert dict(os.environ) == before


def test_nobody_without_the_certificate_of_a_run_gets_into_its_cluster() -> None:
    with _own(1) as client, dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        assert client.scheduler is not None
        address = str(client.scheduler.address)
        worker = next(iter(client.scheduler_info()["workers"]))
        for secret in (address, worker):
            for way in (secret.replace("tls:", "tcp:"), secret):
                with pytest.raises(OSError, match=r"before comm was established|certificate does not match"):
                    client.sync(_knock, way)
        with pytest.raises(HTTPError, match="404"):
            urlopen(str(client.dashboard_link).replace("status", "info/main/workers.html"))


def test_the_key_of_a_run_is_a_private_file_only_while_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []

    class Watched(tempfile.TemporaryDirectory[str]):
        def __exit__(self, *error: object) -> None:
            left.append((stat.S_IMODE(os.stat(self.name).st_mode), sorted(os.listdir(self.name))))
            self.cleanup()

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "TemporaryDirectory", Watched)
    with _own(1):
        assert not [path for path in tmp_path.rglob("*") if path.suffix in (".crt", ".pem")]
    assert set(map(str, left)) == {str((0o700, ["dask.crt", "dask.pem"]))}


async def _knock(address: str) -> None:
    """Talks to a part of a cluster as another user would, who has a certificate, but another one."""
    other = Security.temporary()
    other.require_encryption = False
    async with rpc(address, connection_args=other.get_connection_args("client")) as part:
        await part.identity()


@pytest.mark.parametrize(
    ("scheduler", "why"),
    [
        ("tcp://127.0.0.1:1", "Timed out trying to connect"),
        ("127.0.0.1", "missing port number"),
        ("pigeon://coop:1", "unknown address scheme"),
        ("tls://127.0.0.1:1", "it talks TLS, and there is no certificate"),
    ],
)
def test_a_scheduler_that_does_not_answer_is_refused_in_one_line(
    scheduler: str, why: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.sqlite"
    with dask.config.set({"distributed.comm.timeouts.connect": "300ms"}):
        arguments = ["rand", "rand", "--executor", "dask", "--scheduler", scheduler, "--out", str(path)]
        assert main(["tournament", *arguments]) == 2
    error = capfd.readouterr().err
    assert error.startswith(f"kriegbot: no Dask scheduler answers at '{scheduler}' ({why}")
    assert error.count("\n") == 1
    assert not path.exists()


@pytest.mark.parametrize("missing", ["distributed", "cryptography"])
def test_without_dask_one_line_says_what_to_install(missing: str, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.modules['{missing}'] = None; from kriegbot.cli.main import main; "
        "raise SystemExit(main(['tournament', 'rand', 'rand', '--executor', 'dask']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False, cwd=tmp_path
    )
    assert ran.returncode == 2
    assert (
        ran.stderr
        == "kriegbot: --executor dask needs Dask; run 'pip install dask distributed dask-jobqueue cryptography'.\n"
    )


def test_ctrl_c_at_a_terminal_ends_a_run_on_dask_with_nothing_but_the_way_to_go_on(tmp_path: Path) -> None:
    arguments = ["tournament", "rand", "rand", "--limits", "plies=10", "--games", "2000", "--executor", "dask"]
    command = [sys.executable, "-c", "from kriegbot.cli.main import main; raise SystemExit(main())", *arguments]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--out", "t.sqlite"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    while not (tmp_path / "t.sqlite.log").exists() and process.poll() is None:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers get it too
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert [line.split(" after ")[0] for line in said.splitlines()[1:2]] == ["kriegbot: interrupted"]
    assert said.splitlines()[2].strip().startswith("kriegbot tournament rand rand --limits plies=10")
    assert len(said.splitlines()) == 3


@pytest.mark.skipif(
    shutil.which("setsid") is None or shutil.which("openssl") is None, reason="stands in for Slurm, with Linux's tools"
)
def test_the_documented_program_starts_jobs_and_plays_on_them(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    (certificate,) = re.findall(r"```sh\n(.*?)```", DOCUMENT, re.DOTALL)
    (config,) = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
    subprocess.run(["sh", "-ec", certificate.replace(HOME, str(tmp_path))], check=True, capture_output=True)
    (tmp_path / ".config" / "dask" / "kriegbot.yaml").write_text(config.replace(HOME, str(tmp_path)), encoding="utf-8")
    stand_ins = {
        "sbatch": '#!/bin/sh\njob=$(cat "$1"); setsid sh -c "$job" >/dev/null 2>&1 & echo "Submitted batch job $!"\n',
        "scancel": '#!/bin/sh\nkill -- "-$1"\n',
        "kriegbot": f'#!/bin/sh\nexec {sys.executable} -m kriegbot "$@"\n',
    }
    for name, text in stand_ins.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    smaller = {
        "cluster.scale(jobs=10)": "cluster.scale(jobs=1)",
        '"overconfident:depth=1,samples=1683"': '"rand"',
        '"10000"': '"4", "--out", "t.sqlite", "--limits", "plies=10"',
    }
    for given, small in smaller.items():
        assert given in program
        program = program.replace(given, small)
    program = program.replace("cores=32", "cores=2").replace("processes=32", "processes=2")
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=tmp_path,
        timeout=120,
        env=os.environ
        | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "DASK_CONFIG": f"{tmp_path}/.config/dask"},
    )
    assert ran.returncode == 0, ran.stderr
    assert len(records(tmp_path / "t.sqlite")) == 4
