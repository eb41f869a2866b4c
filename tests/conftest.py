"""Settings for all tests: a busy machine is no reason for a property to fail, nor are kernels still to be compiled."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.effort import EXAMPLES
from tests.without_posix.posix_only import COMPUTATIONS

if TYPE_CHECKING:
    from tournaments.schedule import Finished

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as a shell does to what it runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # lest the programs that tests interrupt inherit it

if "posix_only" in sys.modules:  # a run without POSIX: see tests/without_posix/sitecustomize.py
    collect_ignore = [f"test_{name}.py" for name in COMPUTATIONS]

settings.register_profile("kriegbot", deadline=None, max_examples=EXAMPLES)
settings.load_profile("kriegbot")


def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores, since many tests wait for a process, a page or a clock."""
    return 2 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_sessionstart() -> None:
    """Compile all kernels before the tests, if several processes would each compile those that they call."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        with suppress(Exception):  # tests will say what is wrong
            _prepare()


@pytest.fixture(scope="session", autouse=True)
def browsers() -> Iterator[None]:
    """Browsers that tests started end with the last test."""
    yield
    if "tests.browser" in sys.modules:
        sys.modules["tests.browser"].quit_browsers()


@pytest.fixture(scope="session")
def kernels() -> None:
    """Kernels are compiled, for tests that wait for a player only so long."""
    _prepare()


def _prepare() -> None:
    from kriegbot.kernels import prepare

    prepare()


@pytest.fixture(scope="session")
def finished() -> "list[Finished]":
    """Six games of one tournament."""
    from tests.tournament_players import settings, spec_of
    from tournaments.run import WarmSeats
    from tournaments.schedule import Finished

    table = WarmSeats(settings(), spec_of=spec_of)
    games = [table.play(game) for game in settings().schedule(6)]
    table.close()
    return [game for game in games if isinstance(game, Finished)]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Return the address of a page that saves games in the folder of the test."""
    from tests.page import served

    with served(tmp_path) as page:
        yield page.address
