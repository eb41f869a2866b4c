"""The two doors of a game as a person uses them: keys and a screen at a terminal, clicks and a page in a browser.

A door tells what can be seen there, and nothing else: one's own men, the lines of what was tried and heard, and whether
the game is over. It is made for `benchmarks/person.py`.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

import chess

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.browser and tests.terminal, here as there

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from web import command

from kriegbot.cli.board import GLYPHS
from tests.browser import Page, chromium
from tests.terminal import Terminal

PATIENCE = 120.0
PROMPT, SAVE = " to try: ", "another name] "
LINE = re.compile(r"^ (\d+\.(?:\.\.)? .+?)\s*$", re.M)
RANK = re.compile(r"^ ([1-8]) (.{40})", re.M)  # at 80 x 24 a square is five columns wide
KINDS = {glyph: kind for kind, glyph in GLYPHS.items()}
SEEN = """
    const text = (one) => document.querySelector(one).textContent;
    const of = (one, inner) => [...one.querySelectorAll(inner)];
    const {top, bottom, left, right} = document.querySelector("#board").getBoundingClientRect();
    return {
      lines: of(document, "#log li").flatMap((row) => of(row, ":scope > div > div").map(
        (entry) => row.querySelector("b").textContent + " " + entry.textContent)),
      yours: text("#turn").includes("Your turn"), said: text("#said"), over: text("#outcome-said"),
      isOver: !document.querySelector("#outcome").hidden, focus: document.activeElement.id,
      isInSight: top >= 0 && left >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1,
      men: Object.fromEntries(of(document, "#board .own").map((one) => one.ariaLabel.split(", "))),
    };
"""


class Door(Protocol):
    """A game that is on.

    Attributes:
      lines: what was tried and heard, as it is shown.
      is_over: whether the game has ended.
      end: how, in the words of the door.
      odd: what a person would have frowned at.
    """

    lines: list[str]
    is_over: bool
    end: str
    odd: list[str]

    def attempt(self, move: chess.Move, name: str) -> float:
        """Makes a try and waits until it is the person's turn, again or still; the seconds until then."""
        ...

    def men(self) -> Mapping[chess.Square, chess.PieceType]:
        """The own men as they are shown."""
        ...

    def slip(self) -> None:
        """Enters what is no try, and reads what is said of that."""
        ...

    def resign(self) -> None:
        """Gives up."""
        ...


class AtTerminal:
    """A game at a terminal of 80 x 24 in colours."""

    def __init__(self, terminal: Terminal, rng: random.Random) -> None:
        self._terminal, self._rng = terminal, rng
        self.lines, self.is_over, self.end, self.odd = list[str](), False, "", list[str]()
        self._screen = ""
        self._read()

    def attempt(self, move: chess.Move, name: str) -> float:
        """Types a try as people write it, now and then by its squares."""
        return self._enter(name if self._rng.random() < 0.9 else move.uci())

    def men(self) -> Mapping[chess.Square, chess.PieceType]:
        """The chessmen on the screen."""
        found = {}
        rows = RANK.findall(self._screen)[-8:]
        files = chess.FILE_NAMES if rows[-1][0] == "1" else chess.FILE_NAMES[::-1]
        for rank, row in rows:
            for file, sign in zip(files, re.findall(".{5}", row), strict=True):
                if sign.strip():
                    found[chess.parse_square(file + rank)] = KINDS[sign.strip()]
        return found

    def slip(self) -> None:
        """Types nonsense."""
        self._enter("e4e4e4")
        if "is no try" not in " ".join(self._screen.split()):
            self.odd.append("no word on nonsense")

    def resign(self) -> None:
        """Types it."""
        self._enter("resign")

    def _enter(self, text: str) -> float:
        begun = time.perf_counter()
        self._terminal.press(f"{text}\r")
        self._read()
        return time.perf_counter() - begun

    def _read(self) -> None:
        """Waits for a question; the last line of each screen is what was heard last."""
        self._screen = self._terminal.until(PROMPT, SAVE, seconds=PATIENCE)
        for line in LINE.findall(self._screen):
            if not self.lines or self.lines[-1] != line:
                self.lines.append(line)
        if self._terminal.met == SAVE:
            self.is_over = True
            self.end = re.findall(r"^(?:1-0|0-1|1/2-1/2): .*", self._screen, re.M)[-1]
            self._terminal.press("\r")
            code, rest = self._terminal.rest()
            if code or "Saved to" not in rest:
                self.odd.append(f"left with {code}: {rest}")


class OnPage:
    """A game on the page: tries by clicks, drags and words in turn."""

    def __init__(self, page: Page, rng: random.Random) -> None:
        self._page, self._rng = page, rng
        self.lines, self.is_over, self.end, self.odd = list[str](), False, "", list[str]()
        self._wait(0)

    def attempt(self, move: chess.Move, name: str) -> float:
        """Clicks, drags or types; a promotion by a drag or clicks asks for the man."""
        before, way = len(self.lines), self._rng.choice(("click", "drag", "type"))
        origin, target = (chess.square_name(square) for square in (move.from_square, move.to_square))
        if way == "type":
            self._page.one("#try").clear()
            self._page.one("#try").send_keys(name)
            begun = time.perf_counter()
            self._page.one("#try").send_keys(Keys.ENTER)
        else:
            if way == "click":
                self._page.square(origin).click()
                begun = time.perf_counter()
                self._page.square(target).click()
            else:
                hand = ActionChains(self._page.driver, duration=50)
                hand.click_and_hold(self._page.square(origin)).move_to_element(self._page.square(target)).perform()
                begun = time.perf_counter()
                ActionChains(self._page.driver).release().perform()
            if move.promotion is not None:
                begun = time.perf_counter()
                self._page.click(f"#promotions [aria-label$={chess.piece_name(move.promotion)}]")
        seen = self._wait(before + 1)
        took = time.perf_counter() - begun
        if way == "type" and seen["focus"] != "try" and not self.is_over:
            self.odd.append("the line for tries has lost the focus")
        if not seen["isInSight"] and not self.is_over:
            self.odd.append("the board is not wholly in sight")
        if seen["said"] and not self.is_over:
            self.odd.append(f"{name} ({way}): {seen['said']}")
        return took

    def men(self) -> Mapping[chess.Square, chess.PieceType]:
        """What a screen reader says of the squares with own men."""
        men = self._page.run(SEEN)["men"]
        return {chess.parse_square(square): chess.PIECE_NAMES.index(words.split()[-1]) for square, words in men.items()}

    def slip(self) -> None:
        """Types nonsense."""
        self._page.one("#try").clear()
        self._page.one("#try").send_keys("e4e4e4", Keys.ENTER)
        self._page.until_text("#said", "is no try")

    def resign(self) -> None:
        """The button, and yes."""
        self._page.click("#resign")
        self._page.click("#resigning [value=yes]")
        self._wait(0)

    def _wait(self, least: int) -> dict[str, object]:
        """Until there are so many lines, and it is the person's turn or the end."""
        deadline = time.monotonic() + PATIENCE
        while True:
            seen: dict[str, object] = self._page.run(SEEN)
            lines = seen["lines"]
            assert isinstance(lines, list)
            if seen["isOver"] or (seen["yours"] and len(lines) >= least):
                break
            if time.monotonic() > deadline:
                raise AssertionError(f"no turn within {PATIENCE:.0f} s; the page shows {seen}")
            time.sleep(0.005)
        self.lines, self.is_over, self.end = lines, bool(seen["isOver"]), str(seen["over"])
        return seen


Begin: TypeAlias = Callable[[str, str, random.Random], AbstractContextManager[Door]]
"""Begins a game against a level, as a side; the numbers decide how tries are entered."""


@contextmanager
def terminal(folder: Path) -> Iterator[Begin]:
    """Games at terminals, saved in a folder under the names that are proposed."""

    @contextmanager
    def begin(level: str, color: str, rng: random.Random) -> Iterator[Door]:
        with Terminal("play", "--level", level, "--color", color, cwd=folder) as one:
            yield AtTerminal(one, rng)

    yield begin


@contextmanager
def page(folder: Path) -> Iterator[Begin]:
    """Games on one page, one after the other."""
    with command(folder) as address, chromium(address) as one:

        @contextmanager
        def begin(level: str, color: str, rng: random.Random) -> Iterator[Door]:
            one.click(f"#levels input[value={level}]")
            one.click(f"#new input[value={color}]")
            one.click("#new button[type=submit]")
            yield OnPage(one, rng)
            one.click("#again")

        yield begin
        one.driver.get("about:blank")  # before the server goes, which the page would report
