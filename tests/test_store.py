"""Stores: what they take, what they refuse, and how several become one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kriegbot.report import Report
from referee import BERKELEY, Limits
from tests.stores import changed, store_with
from tests.tournament_players import settings
from tournaments.report import report_of
from tournaments.schedule import Died, Finished, Pairing, Shard, TournamentSettings
from tournaments.store import Store, StoreError


@pytest.mark.slow
def test_what_was_stored_is_read_again(tmp_path: Path, finished: list[Finished]) -> None:
    with Store.open(store_with(tmp_path / "t", finished)) as store:
        assert (store.settings, store.games, str(store.shard)) == (settings(), 6, "1/1")
        assert [zlib.compress(store.pgn(game).encode(), 9) for game in range(1, 7)] == [
            game.record for game in finished
        ]


def test_a_game_is_stored_once(tmp_path: Path, finished: list[Finished]) -> None:
    path = store_with(tmp_path / "t", finished[:2])
    with pytest.raises(StoreError, match="UNIQUE"), Store.writing(path, settings(), 6) as store:
        store.add(finished[0])
    with Store.open(path) as store:
        assert store.done() == {1, 2}
        assert store.connection.execute("SELECT count(*) FROM sides").fetchone() == (4,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "said"),
    [
        (settings("rand", "hangs"), "players rand - rand, here rand - hangs"),
        (settings(plies=21), "plies 20, here 21"),
        (settings(seed=2), "seed 1, here 2"),
        (TournamentSettings((Pairing("rand", "rand"),), BERKELEY, Limits(20, 50), 1), "quiet none, here 50"),
    ],
)
def test_a_file_of_another_tournament_is_refused(other: TournamentSettings, said: str, tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [])
    with pytest.raises(StoreError) as refused, Store.writing(path, other, 6):
        pass
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_of_another_shard_is_refused(tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [], Shard(1, 3))
    with pytest.raises(StoreError, match="shard 1/3, here 2/3"), Store.writing(path, settings(), 6, Shard(2, 3)):
        pass


def test_a_file_that_is_being_written_is_refused_to_a_second_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.tables.PATIENCE", 0.1)
    with (
        Store.writing(tmp_path / "t", settings(), 6),
        pytest.raises(StoreError, match="another run is adding games to it"),
        Store.writing(tmp_path / "t", settings(), 6),
    ):
        pass


def test_a_file_can_be_read_while_it_is_written(tmp_path: Path, finished: list[Finished]) -> None:
    with Store.writing(tmp_path / "t", settings(), 6) as store:
        store.add(finished[0])
        with Store.open(tmp_path / "t") as reader:
            assert reader.done() == {1}


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t"
    changed(path, "CREATE TABLE games (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a tournament file"), Store.writing(path, settings(), 6):
        pass
    assert path.read_bytes() == before


def test_no_file_and_no_place_for_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such file"), Store.open(tmp_path / "none"):
        pass
    with pytest.raises(StoreError, match="cannot write to"), Store.writing(tmp_path / "none" / "t", settings(), 6):
        pass


def test_a_game_that_is_not_there_is_refused(tmp_path: Path, finished: list[Finished]) -> None:
    path = store_with(tmp_path / "t", finished[:2])
    with Store.open(path) as store, pytest.raises(StoreError, match="no game 3; it has 2 games, numbered from 1 to 2"):
        store.record(3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_games_are_written_to_files_alone(tmp_path: Path) -> None:
    """An empty file is filled, and a device has no size: root's /dev/null became a file."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="it is no regular file"), Store.writing(tmp_path / "pipe", settings(), 1):
        pass
    assert (tmp_path / "pipe").is_fifo()


def test_a_store_with_a_hard_link_elsewhere_is_read_and_not_written(tmp_path: Path, finished: list[Finished]) -> None:
    path = store_with(tmp_path / "t", finished[:1])
    os.link(path, tmp_path / "elsewhere")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="has a hard link elsewhere; copy it"), Store.writing(path, settings(), 6):
        pass
    assert path.read_bytes() == before
    with Store.open(path) as store:
        assert store.record(1)


@pytest.mark.slow
def test_shards_merged_are_the_whole(tmp_path: Path, finished: list[Finished]) -> None:
    parts = []
    for index in (1, 2, 3):
        shard = Shard(index, 3)
        parts.append(store_with(tmp_path / f"t{index}", [one for one in finished if shard.has(one.game)], shard))
    with Store.writing(parts[0], settings(), 6, Shard(1, 3)) as store:
        store.add_incident(Died(finished[0].game, "the worker died", 1), quarantined=False)
    for _ in range(2):  # the second time there is nothing new
        with Store.writing(tmp_path / "t", settings(), 6) as store:
            for part in parts:
                store.copy_from(part)
            assert store.missing() == []
    with Store.open(tmp_path / "t") as store, Store.open(store_with(tmp_path / "whole", finished)) as whole:
        for query in ("SELECT id, record, plies FROM games", "SELECT * FROM sides", "SELECT * FROM answers"):
            ours, theirs = (sorted(one.connection.execute(query)) for one in (store, whole))
            assert ours == theirs
        assert store.connection.execute("SELECT count(*) FROM incidents").fetchone() == (1,)


def test_another_tournament_is_not_merged(tmp_path: Path) -> None:
    with Store.writing(tmp_path / "other", settings(seed=2), 6):
        pass
    with (
        pytest.raises(StoreError, match="holds another tournament"),
        Store.writing(tmp_path / "t", settings(), 6) as store,
    ):
        store.copy_from(tmp_path / "other")


@pytest.mark.slow
def test_a_game_that_differs_is_not_merged(tmp_path: Path, finished: list[Finished]) -> None:
    other = store_with(tmp_path / "other", finished)
    changed(other, "UPDATE games SET record = ? WHERE id = 3", finished[3].record)
    path = store_with(tmp_path / "t", finished[2:3])
    with pytest.raises(StoreError, match=r"game 3 of .* differs"), Store.writing(path, settings(), 6) as store:
        store.copy_from(other)
    with Store.open(path) as store:
        assert store.done() == {3}


@pytest.mark.slow
def test_a_new_file_takes_nothing_over_from_a_deleted_one_that_a_killed_run_left(
    tmp_path: Path, finished: list[Finished]
) -> None:
    path, log = tmp_path / "t", tmp_path / "t-wal"
    with Store.writing(path, settings(), 6) as store:
        store.add(finished[0])
        left = log.read_bytes()
    path.unlink()
    log.write_bytes(left)
    with Store.writing(path, settings(), 6) as store:
        assert store.done() == set()
        store.add(finished[1])
    with Store.open(path) as store:
        assert store.done() == {2}


@contextmanager
def unwritable_folder(folder: Path) -> Iterator[None]:
    """Return a folder in which this process can make nothing, whoever it runs as."""
    if not hasattr(os, "geteuid"):
        pytest.skip("takes a system on which a process can give up its rights")
    before = os.geteuid()
    folder.chmod(0o555)
    if before == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError):
            (folder / "new").touch()
        yield
    finally:
        os.seteuid(before)
        folder.chmod(0o755)


@contextmanager
def read_only_medium(folder: Path) -> Iterator[None]:
    """Return a folder on what is mounted read-only."""
    ran = subprocess.run(["mount", "--bind", "-o", "ro", folder, folder], capture_output=True, check=False)
    if ran.returncode:
        pytest.skip("takes the right to mount")
    try:
        with pytest.raises(OSError, match="Read-only file system"):
            (folder / "new").touch()
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every user can enter, unlike pytest's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


READ_ONLY = pytest.mark.parametrize("read_only", [unwritable_folder, read_only_medium])


@pytest.mark.slow
@READ_ONLY
def test_a_finished_tournament_is_read_where_nothing_can_be_written(
    read_only: Callable[[Path], AbstractContextManager[None]],
    open_folder: Path,
    tmp_path: Path,
    finished: list[Finished],
) -> None:
    path = store_with(open_folder / "t #1?", finished)
    with Store.open(store_with(tmp_path / "same", finished)) as store:
        report = report_of(store).as_json()  # it has also imported what another user may not read
    with Store.writing(tmp_path / "merged", settings(), 6) as merged, read_only(open_folder):
        with Store.open(path) as store:
            assert report_of(store).as_json() == report
            assert store.record(3).headers["Round"] == "1.3"
        assert merged.copy_from(path) == 6
        assert sorted(os.listdir(open_folder)) == ["t #1?", "t #1?.lock"]


@READ_ONLY
def test_games_that_stand_in_the_log_of_a_killed_run_are_not_passed_over(
    read_only: Callable[[Path], AbstractContextManager[None]], open_folder: Path, finished: list[Finished]
) -> None:
    path = open_folder / "t"
    with Store.writing(open_folder / "other", settings(), 6) as store:
        store.add(finished[0])
        for name in ("other", "other-wal"):
            shutil.copy(open_folder / name, open_folder / name.replace("other", "t"))
    with (
        read_only(open_folder),
        pytest.raises(StoreError, match="its last games are still in 't-wal', and the folder is read-only"),
        Store.open(path),
    ):
        pass
    with Store.open(path) as store:
        assert store.done() == {1}


def test_names_that_no_file_can_have_are_refused_in_a_short_line(tmp_path: Path) -> None:
    for name in ("x" * 248, "x" * 252, "x" * 300, "x" * 5000):
        for use in (Store.open(tmp_path / name), Store.writing(tmp_path / name, settings(), 6)):
            with pytest.raises(StoreError) as refused, use:
                pass
            assert len(str(refused.value)) < 200
    with (
        pytest.raises(StoreError, match="there is no folder"),
        Store.writing(tmp_path / ("x" * 300) / "t", settings(), 6),
    ):
        pass


def test_the_longest_name_that_leaves_room_for_its_journal_will_do(tmp_path: Path, finished: list[Finished]) -> None:
    with Store.open(store_with(tmp_path / ("x" * 247), finished[:1])) as store:
        assert store.done() == {1}


def test_players_with_any_text_in_their_specs_are_kept_apart(tmp_path: Path) -> None:
    path, odd = tmp_path / "t", "program:sh -c 'echo \"a; b\", - c:\n\td=\u2028é\U0001f600'"
    pairings = (Pairing(odd, "rand"), Pairing("a - b; c - d", "e"))
    kept = replace(settings(), pairings=pairings)
    with Store.writing(path, kept, 2):
        pass
    with Store.open(path) as store:
        assert store.settings == kept
    alike = replace(settings(), pairings=(pairings[0], Pairing("a", "b"), Pairing("c", "d - e")))
    with pytest.raises(StoreError, match=r"players .*, here a - b"), Store.writing(path, alike, 2):
        pass


def test_a_spec_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match=r"illegal player .* its name cannot be written in UTF-8"),
        Store.writing(tmp_path / "t", replace(settings(), pairings=(Pairing("\ud800", "rand"),)), 2),
    ):
        pass


def test_what_a_player_wrote_is_kept_whatever_it_is(tmp_path: Path, finished: list[Finished]) -> None:
    game = replace(finished[0], white=replace(finished[0].white, failure="raised", log="ValueError: \ud800"))
    with Store.writing(tmp_path / "t", settings(), 6) as store:
        store.add(game)
        assert store.rows("SELECT log FROM sides WHERE color = 'white'") == [("ValueError: \\ud800",)]


def test_what_a_player_says_of_its_answers_damages_nothing(tmp_path: Path, finished: list[Finished]) -> None:
    says = (Report(seconds=-1.79e308, samples=2**63 - 1), Report(seconds=1.79e308, samples=-1, rescue="\ud800"))
    answers = tuple(replace(finished[0].answers[ply], report=report) for ply, report in enumerate(says * 2))
    with Store.open(store_with(tmp_path / "t", [replace(finished[0], answers=answers)])) as store:
        json.dumps(report_of(store).as_json(), allow_nan=False)


def test_a_seed_of_128_bits_is_kept(tmp_path: Path) -> None:
    large = settings(seed=2**128 - 1)
    with Store.writing(tmp_path / "t", large, 2) as store:
        assert store.settings == large
        assert report_of(store).as_json()["seed"] == str(2**128 - 1)
    with Store.writing(tmp_path / "t", large, 4) as store:
        assert len(store.missing()) == 4


FILES = "bot.py=0123 weights.npz=4567"


def test_other_versions_of_files_are_another_tournament(tmp_path: Path) -> None:
    path = tmp_path / "t"
    for files in (FILES, FILES, None):
        with Store.writing(path, replace(settings(), files=files), 2) as store:
            assert store.settings.files == FILES
    why = "holds another tournament: versions of files bot.py=0123, here bot.py=89ab; name another file$"
    other = replace(settings(), files=FILES.replace("0123", "89ab"))
    with pytest.raises(StoreError, match=why), Store.writing(path, other, 2):
        pass


def test_a_tournament_whose_files_were_not_noted_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    for files in (None, FILES):
        with Store.writing(path, replace(settings(), files=files), 2) as store:
            assert store.settings.files is None


def test_a_tournament_of_a_rule_set_from_outside_is_read_without_it(tmp_path: Path) -> None:
    path, rules = tmp_path / "t", replace(BERKELEY, name="own", title="Own", checks_announced=False)
    with Store.writing(path, replace(settings(), rules=rules), 2):
        pass
    with Store.open(path) as store:
        assert store.settings.rules == rules
    why = "rules captured_kind=no, here captured_kind=yes; name another file$"
    other = replace(settings(), rules=replace(rules, captured_kind=True))
    with pytest.raises(StoreError, match=why), Store.writing(path, other, 2):
        pass


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, finished: list[Finished]) -> None:
    with Store.writing(tmp_path / "t", settings(), 6) as store:
        store.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match=r"cannot write to '.*t': attempt to write a readonly database"):
            store.add(finished[0])
        with pytest.raises(StoreError, match="cannot write to"):
            store.add_incident(Died(finished[0].game, "why", 1), quarantined=False)
        store.connection.execute("PRAGMA query_only = OFF")


def test_the_file_of_a_rule_set_from_outside_is_known_to_those_who_play(tmp_path: Path) -> None:
    rules = replace(BERKELEY, name="own", source="own.py sha256")
    for _ in range(2):
        with Store.writing(tmp_path / "t", replace(settings(), rules=rules), 2) as store:
            assert store.settings.rules.source == "own.py sha256"
