"""The page as it looks: seven of its states, in four sizes of window, in light and in dark; to be looked at.

    python benchmarks/screens.py FOLDER

writes an image of each, such as play-390x844-dark.png, and the two sheets of docs/web.md: wide windows in light, and
phones in dark.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.browser handles the page, here as there

from selenium.webdriver.common.keys import Keys

from kriegbot.kernels import prepare
from kriegbot.web.library import Library
from referee import BERKELEY
from tests.browser import Page, chromium, served

WIDE, PHONES = [(1280, 800), (1920, 1080)], [(390, 844), (844, 390)]
SCHEMES = ("light", "dark")
GAP = 12
SAVED = {  # by the opponent
    "grabber": "1. d4 d5 2. c4 e6 3. Nc3 Bb4 4. e3 Bxc3+ *",
    "rusher": "1. a4 b5 2. axb5 a6 3. bxa6 Bb7 4. axb7 Nc6 5. h3 h6 *",
}
PLAY_ON = "[...document.querySelectorAll('#games tr')].find((row) => row.textContent.includes(arguments[0]))"


STATES = ("start", "watch", "play", "check", "promotion", "review", "library")


class Visit:
    """One visit to the page; each state begins where the one before it has ended."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self._library = page, Library(folder)

    def start(self) -> None:
        """A new game is chosen."""
        self.page.one("#levels")

    def watch(self) -> None:
        """Two programs play."""
        self.page.one("details.other summary").click()
        self.page.one("#watch-white option[value=metaposition]").click()
        self.page.one("#watch-black option[value=shuffler]").click()
        self.page.one("#watch-seed").send_keys("1")
        self.page.one("#watch-pace").clear()
        self.page.one("#watch-pace").send_keys("0.2")
        self.page.one("#watch-start").click()
        self.page.one(".sheet [data-at='30']")
        self.page.one("#pause").click()
        self.page.one("#review .values table")
        self.page.run("document.activeElement.blur(); scrollTo(0, 0)")

    def play(self) -> None:
        """A try was refused, a marker put down, and the map of chances is on."""
        self._leave()
        self.page.start("rand", seed=2)
        for number, text in enumerate(("e4", "Nf3", "d4", "Bc4"), 2):
            self._enter(text)
            self.page.until_text("#turn", f"move {number}")
        self._enter("exd5")
        self.page.until_text("#refused", "exd5")
        self.page.click("#tray [data-man=q]")
        self.page.click("#board [data-square=d8]")
        self.page.click("#heat")
        self.page.one("#board small")
        self.page.run("document.activeElement.blur(); scrollTo(0, 0); document.querySelector('.beside').scrollTo(0, 0)")

    def check(self) -> None:
        """The own king is in check, and a try did not help."""
        self._resume("grabber")
        self.page.until_text("#turn", "You are in check")
        self._enter("f4")
        self.page.until_text("#refused", "f4")

    def promotion(self) -> None:
        """A pawn becomes a queen."""
        self._resume("rusher")
        self.page.until_text("#turn", "move 6")
        for square in ("b7", "a8"):
            self.page.square(square).click()
        self.page.one("#promotions button")

    def review(self) -> None:
        """The game is over, and looked at."""
        self.page.one("#promotions button").click()
        self.page.until_text("#turn", "move 7")
        self.page.click("#resign")
        self.page.click("#resigning [value=yes]")
        self.page.click(".sheet [data-at='6']")
        self.page.one("#review .values table")
        self.page.run("scrollTo(0, 0)")

    def library(self) -> None:
        """The saved games."""
        self.page.one("#to-library").click()
        self.page.one("#games .do")

    def _enter(self, text: str) -> None:
        self.page.one("#try").clear()
        self.page.one("#try").send_keys(text, Keys.ENTER)

    def _leave(self) -> None:
        """To a new game, from one that is on."""
        self.page.one("#again").click()
        self.page.one("#leaving [value=yes]").click()
        self.page.one("#new button.main")

    def _resume(self, opponent: str) -> None:
        """Plays on a game that was broken off."""
        self._leave()
        game = f'[White "human"]\n[Black "{opponent}"]\n[Result "*"]\n\n{SAVED[opponent]}\n'
        self._library.upload(game.encode(), BERKELEY, opponent)
        self.page.one("#to-library").click()
        self.page.one("#games .do")
        self.page.run(f"{PLAY_ON}.querySelector('.do button').click()", opponent)


def take(folder: Path, width: int, height: int) -> None:
    """Images of all states in one size."""
    is_phone = (width, height) in PHONES
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
    with (
        TemporaryDirectory() as saved,
        served(Path(saved)) as server,
        chromium("about:blank", width, height, is_phone=is_phone) as page,
    ):
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        page.driver.get(server.address)
        visit = Visit(page, Path(saved))
        for state in STATES:
            getattr(visit, state)()
            for scheme in SCHEMES:
                wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
                features = [{"name": name, "value": value} for name, value in wanted.items()]
                page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
                page.driver.save_screenshot(str(folder / f"{state}-{width}x{height}-{scheme}.png"))
        page.driver.get("about:blank")  # before the server goes, which the page would report


def sheet(folder: Path, names: list[list[str]], share: float) -> Image.Image:
    """Images in rows, made smaller to a share of their size."""
    rows = []
    for row in names:
        images = [Image.open(folder / f"{name}.png").convert("RGB") for name in row]
        rows.append([image.resize((int(image.width * share), int(image.height * share))) for image in images])
    wide = max(sum(image.width + GAP for image in row) for row in rows) + GAP
    whole = Image.new("RGB", (wide, sum(row[0].height + GAP for row in rows) + GAP), "#888")
    top = GAP
    for small in rows:
        left = GAP
        for image in small:
            whole.paste(image, (left, top))
            left += image.width + GAP
        top += small[0].height + GAP
    return whole


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    prepare()
    for width, height in track(WIDE + PHONES, description="taking"):
        take(folder, width, height)
    wide = [[f"{state}-1280x800-light" for state in STATES[first : first + 2]] for first in (0, 2, 4)]
    sheet(folder, wide, 0.5).save(folder / "web-wide.webp", quality=60)
    phones = [
        [f"{state}-390x844-dark" for state in STATES],
        [f"{state}-844x390-dark" for state in ("play", "review", "watch")],
    ]
    sheet(folder, phones, 0.5).save(folder / "web-phones.webp", quality=60)


if __name__ == "__main__":
    main()
