"""The page's speed: until it has loaded, from the end of a search to the screen, and with fifty games at once.

    python benchmarks/web.py

The page and the replies are timed in headless Chromium if there is one, else at a plain client.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.browser handles the page, here as there

import numpy as np
from rich.progress import Progress
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from kriegbot.kernels import prepare
from kriegbot.players.base import Choice
from kriegbot.web.seat import WebSeat
from kriegbot.web.seats import HouseSeat
from referee import View
from tests.browser import Client, chromium, served, until

OPPONENT = "overconfident:depth=2,time=1"
SHOWN = """
    window.shown = [];
    const turn = document.querySelector("#turn");
    new MutationObserver(() => requestAnimationFrame(() => {
      if (turn.textContent.includes("Your turn")) shown.push((performance.timeOrigin + performance.now()) / 1000);
    })).observe(turn, {childList: true, characterData: true, subtree: true});
"""


@contextmanager
def command(saved: Path | None = None) -> Iterator[str]:
    """`kriegbot play --web` in a process of its own: the address of its page, as soon as it is printed."""
    main = "from kriegbot.cli.main import main; raise SystemExit(main())"
    with tempfile.TemporaryDirectory() as folder:
        arguments = [sys.executable, "-c", main, "play", "--web", "--no-browser", "--save", str(saved or folder)]
        fresh = {**os.environ, "XDG_CONFIG_HOME": folder}  # whose choices are neither known nor changed
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=fresh)
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()
            process.wait()


def first_page() -> str:
    """Seconds from the address to the page: its files, and the message that fills in its form."""
    took, loaded = [], []
    for _ in range(5):
        with command() as address:
            begun = time.perf_counter()
            page = urllib.request.urlopen(address).read().decode()
            for name in re.findall(r'(?:src|href)="(static/[^"#]+)"', page):
                urllib.request.urlopen(address + name).read()
            with Client(address) as client:
                client.until("hello")
            took.append(time.perf_counter() - begun)
        if shutil.which("chromedriver"):
            with chromium("about:blank") as browser, command() as address:  # the browser's own start is not the page's
                begun = time.perf_counter()
                browser.driver.get(address)
                browser.one("#new button[type=submit]")
                loaded.append(time.perf_counter() - begun)
                browser.driver.get("about:blank")  # before the server goes, which the page would report
    text = f"first page, {len(took)} starts: {max(took):.2f} s at most until all of it has come"
    return text + (f", {max(loaded):.2f} s until Chromium shows it" if loaded else "")


def replies(turns: int) -> str:
    """Milliseconds from the end of the opponent's last search of a turn to its being shown."""
    ended: list[float] = []
    asked: list[View] = []
    ask, ask_person = HouseSeat.ask, WebSeat.ask

    def timed(seat: HouseSeat, view: View) -> Choice:
        choice = ask(seat, view)
        ended.append(time.time())
        return choice

    def seen(seat: WebSeat, view: View) -> Choice:
        asked.append(view)
        return ask_person(seat, view)

    delays: list[float] = []
    rng = random.Random(1)
    with (
        patch.object(HouseSeat, "ask", timed),  # to look at the clock
        patch.object(WebSeat, "ask", seen),  # to choose tries
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as server,
        chromium(server.address) as page,
    ):
        page.start("overconfident", seed=1)
        page.run(SHOWN)
        while len(delays) < turns:
            known, searches, shown = len(asked), len(ended), page.run("return shown.length")
            page.one("#try").send_keys(rng.choice(asked[-1].tries()).uci(), "\n")
            until(lambda: len(asked) > known, "the next question")  # noqa: B023 - used at once
            if len(ended) > searches:
                until(lambda: page.run("return shown.length") > shown, "the reply")  # noqa: B023 - used at once
                delays.append(1000 * (page.run("return shown.at(-1)") - ended[-1]))
    return (
        f"replies: {len(delays)} shown, p50 {np.median(delays):.0f} ms, at most {max(delays):.0f} ms after the search"
    )


async def person(address: str, opponent: str, seed: int, end: float, round_trips: list[float]) -> int:
    """Plays games until a time, and sends messages to and fro all the while; returns the number of tries."""
    parts = urlsplit(address)
    tries, rng = 0, random.Random(seed)
    game = {"do": "new", "opponent": opponent, "color": "white", "rules": "berkeley", "clock": None}
    async with connect(
        f"ws://{parts.netloc}{parts.path}ws", origin=Origin(f"http://{parts.netloc}"), proxy=None
    ) as socket:
        await send(socket, **game, seed=str(seed))
        sent = 0.0
        while time.perf_counter() < end:
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), 0.2))
            except TimeoutError:
                message = {"is": "nothing"}
            if message["is"] == "heat" and sent:
                round_trips.append(time.perf_counter() - sent)
                sent = 0.0
            elif message["is"] == "view" and message["yours"] and message["tries"]:
                await send(socket, do="try", text=rng.choice(message["tries"]))
                tries += 1
            elif message["is"] == "over":
                await send(socket, **game, seed=str(seed + 1000))
            elif message["is"] == "refusal":
                raise RuntimeError(message["text"])
            if not sent and message["is"] in ("nothing", "view") and tries:
                sent = time.perf_counter()
                await send(socket, do="heat", on=False)
    return tries


async def send(socket: ClientConnection, **message: object) -> None:
    """Sends a message."""
    await socket.send(json.dumps(message))


async def crowd(games: int, seconds: float, opponent: str) -> str:
    """Round trips of a message of the page while many games are played."""
    with command() as address:
        times: list[float] = []
        end = time.perf_counter() + seconds
        with Progress(disable=not sys.stderr.isatty()) as progress:
            task = progress.add_task(f"{games} games", total=seconds)
            playing = [asyncio.create_task(person(address, opponent, i, end, times)) for i in range(games)]
            while time.perf_counter() < end:
                await asyncio.sleep(0.5)
                progress.update(task, completed=seconds - (end - time.perf_counter()))
            tries = sum(await asyncio.gather(*playing))
    p50, p99 = (1000 * float(np.percentile(times, which)) for which in (50, 99))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{games} games at once against {opponent} on {cores} cores, {seconds:.0f} s, {tries} tries: "
        f"{len(times)} round trips of a message, p50 {p50:.0f} ms, p99 {p99:.0f} ms"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--turns", type=int, default=20)
    options = parser.parse_args()
    prepare()
    print(first_page(), flush=True)
    if shutil.which("chromedriver"):
        print(replies(options.turns), flush=True)
    print(asyncio.run(crowd(options.games, options.seconds, OPPONENT)))


if __name__ == "__main__":
    main()
