"""Games of `kriegbot online run` against the fake site, with faults, the bot's process killed in the middle of them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee import Reason
from tests.fake_http import serving
from tests.fake_site import TOKEN, FakeSite

ROOT = Path(__file__).parent.parent


@dataclass
class Outcome:
    """Course of the games.

    Attributes:
      site: the fake site.
      records: what the bot wrote down of each game, by code.
      kills: how often its process was killed.
      output: what it said.
      seconds: how long it took.
    """

    site: FakeSite
    records: dict[str, dict[str, Any]]
    kills: int
    output: str
    seconds: float

    def ends(self) -> Counter[str]:
        """Count games by their ends, "none" for unfinished ones."""
        ends = [game.referee.end for game in self.site.games.values() if game.referee is not None]
        return Counter("none" if end is None else end.reason.value for end in ends)

    def flags(self) -> int:
        """Games that the bot lost on time."""
        ends = [(game, game.referee.end) for game in self.site.games.values() if game.referee is not None]
        lost = [game for game, end in ends if end and end.reason is Reason.FORFEIT and end.winner != game.ours]
        return len(lost)

    def trouble(self) -> int:
        """Lines that say that a player failed, a state was not read, or a thread ended in an error."""
        words = ("the player failed", "cannot be read", "Error", "cannot save")
        return sum(any(word in line for word in words) for line in self.output.splitlines())

    def faults(self) -> list[str]:
        """Everything that was not as it should be."""
        found = list(self.site.wrong)
        for code, game in self.site.games.items():
            if game.referee is None:
                continue
            result = self.records.get(code, {}).get("result")
            if game.state != "completed":
                found.append(f"{code}: not over")
            elif result != game.result():
                found.append(f"{code}: ended {game.result()}, and recorded as {result}")
        return found


@dataclass
class Home:
    """A folder with the bot's configuration, token and records."""

    folder: Path
    address: str
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        config = self.folder / "config" / "kriegbot"
        config.mkdir(parents=True)
        given = {"site": self.address, "records": str(self.folder / "records")} | self.settings
        lines = [f"{name} = {json.dumps(value)}\n" for name, value in given.items()]
        (config / "online.toml").write_text("".join(lines), encoding="utf-8")
        token = config / f"token-{self.address.removeprefix('http://').replace(':', '-')}"
        token.touch(0o600)
        token.write_text(TOKEN, encoding="utf-8")

    def start(self) -> subprocess.Popen[bytes]:
        """Start the bot, in a process group of its own."""
        environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
        }
        command = [sys.executable, "-m", "kriegbot", "online", "run"]
        with (self.folder / "output").open("ab") as output:
            return subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)


def play_out(
    site: FakeSite,
    folder: Path,
    kill_every: int,
    patience: float,
    watch: Callable[[int], object] = lambda _: None,
    **settings: Any,
) -> Outcome:
    """Lets the bot play until the site's games are all over, killing its process after every so many requests.

    Args:
      site: where it plays.
      folder: for its files.
      kill_every: so many requests, on average.
      patience: seconds after which games are left.
      watch: is told again and again how many games are over.
      settings: the bot's.
    """
    begun, rng, kills = time.monotonic(), random.Random(site.most), 0
    with serving(site):
        home = Home(folder, site.address, settings)
        bot = home.start()
        try:
            kill_at = kill_every
            while not _is_done(site) and time.monotonic() < begun + patience:
                time.sleep(0.1)
                watch(site.over())
                if site.counts["requests"] > kill_at:
                    os.kill(bot.pid, signal.SIGKILL)
                    bot.wait()
                    kills += 1
                    bot, kill_at = home.start(), site.counts["requests"] + int(kill_every * rng.uniform(0.5, 1.5))
            _wait_for_the_last_records(site, folder)
            bot.send_signal(signal.SIGINT)
            bot.wait(20)
        finally:
            if bot.poll() is None:
                bot.kill()
                bot.wait()
    output = (folder / "output").read_text(encoding="utf-8")
    return Outcome(site, _records(folder), kills, output, time.monotonic() - begun)


def _wait_for_the_last_records(site: FakeSite, folder: Path, seconds: float = 10.0) -> None:
    """Wait until each game that was begun has its result, or not longer than that."""
    begun = [code for code, game in site.games.items() if game.referee is not None]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = _records(folder)
        if all(found.get(code, {}).get("result") for code in begun):
            return
        time.sleep(0.1)


def _records(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the bot wrote down of each game, by code."""
    files = (folder / "records").glob("*.json")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}


def _is_done(site: FakeSite) -> bool:
    with site.lock:
        return site.is_full() and site.over() == site.begun()
