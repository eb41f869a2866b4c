"""Take the pictures for README.md and docs/play.md from the page: `python scripts/gallery.py`.

Needs the extra `test-doors`, Chromium and chromedriver. Seeds and the reviewed game are fixed, so pictures change only
with the page.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import sleep

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.browser and tests.page

from PIL import Image
from selenium.webdriver.common.keys import Keys

from kriegbot.kernels import prepare
from kriegbot.narration.learning import first_game, puzzles
from tests.browser import Page, browsing, quit_browsers
from tests.page import served, until

TOP = Path(__file__).resolve().parents[1]
FOLDER = TOP / "docs" / "gallery"
DEVICES = {"desktop": (1280, 757, "light"), "phone": (390, 844, "dark")}  # width, height, colours
STEPS, SEED, TRIES, MOMENT = 4, 7, ("e4", "d4", "Nf3", "Nc3", "Bb5", "exd5", "exf5"), 12
"""Number of steps in the guided game; seed and tries of a game; the moment to review."""


def start(page: Page) -> Iterator[str]:
    """Show the start."""
    page.one("#new")
    yield "start"


def learn(page: Page) -> Iterator[str]:
    """Solve some steps of the guided first game."""
    page.click("#new a[href='#learn']")
    for number, step in enumerate(first_game().steps[:STEPS], 1):
        page.until_text("#lesson-title", f"Step {number} ")
        code, comment = next(iter(step.solutions.items()))
        page.click(f"#lesson-board [data-square={code[:2]}]")
        page.click(f"#lesson-board [data-square={code[2:]}]")
        page.until_text("#lesson-answer", comment)
        if number < STEPS:
            page.click("#lesson-next")
    yield "learn"


def puzzle(page: Page) -> Iterator[str]:
    """Solve a puzzle."""
    page.click("nav [href='#puzzles']")
    page.click("#puzzle-kind option[value=king]")
    until(lambda: "king? (" in page.text("#puzzle-title"), "the puzzle")
    number = int(page.text("#puzzle-title").partition("number ")[2].rstrip(")"))
    page.click(f"#puzzle-board [data-square={puzzles()[number - 1].answers[0]}]")
    page.one("#puzzle-board small")
    yield "puzzle"


def play(page: Page) -> Iterator[str]:
    """Play some turns, with the belief on the board."""
    page.more()
    page.one("#seed").send_keys(str(SEED))
    page.click("#new button[type=submit]")
    page.click("#heat")
    page.until_text("#turn", "Your turn")
    for text in TRIES:
        turn = page.text("#turn")
        page.one("#try").clear()
        page.one("#try").send_keys(text, Keys.ENTER)
        until(lambda text=text, turn=turn: text in page.text("#refused") or page.text("#turn") != turn, text)
        page.until_text("#turn", "Your turn")
    page.one("#board small")
    page.run("scrollTo(0, 0)")
    yield "play"


def review(page: Page) -> Iterator[str]:
    """Review the README's game, and show its turning points."""
    page.click("#to-library")
    page.click("#games tbody button:first-of-type")  # Review
    page.one("#review .count")
    page.one("body").send_keys(Keys.ARROW_RIGHT * MOMENT)
    page.run("document.querySelector('#tab-white').click()")  # on a phone there is one view at a time
    until(lambda: page.run("return document.querySelector('#review .heat') !== null"), "the belief")
    yield "review"
    page.run("arguments[0].scrollIntoView()", page.one("#review .turning h3"))
    yield "turning-points"


def main() -> None:
    """Take the pictures of all scenes, or of those named in the arguments."""
    prepare()
    FOLDER.mkdir(exist_ok=True)
    scenes = [one for one in (start, learn, puzzle, play, review) if one.__name__ in sys.argv[1:] or not sys.argv[1:]]
    for (device, (width, height, colours)), scene in product(DEVICES.items(), scenes):
        with tempfile.TemporaryDirectory() as games, served(Path(games)) as server:
            shutil.copy(TOP / "docs" / "game.pgn", games)
            with browsing(width, height, is_phone=device == "phone") as driver:
                size = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": device == "phone"}
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                scheme = {"features": [{"name": "prefers-color-scheme", "value": colours}]}
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
                for name in scene(Page(driver, server.address)):
                    sleep(3)  # until animations have ended and the belief is current
                    picture = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
                    picture.save(FOLDER / f"{device}-{name}.webp", quality=82, method=6)
                    print(f"docs/gallery/{device}-{name}.webp", picture.size, flush=True)
    quit_browsers()


if __name__ == "__main__":
    main()
