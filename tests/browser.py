"""Headless Chromium for tests of the page; they are skipped where selenium or Chromium is missing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.page import until

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement


def not_redrawn(done: Callable[[], bool]) -> bool:
    """Return the result of an action; False if the page has drawn its element again."""
    try:
        return done()
    except StaleElementReferenceException:
        return False


def started(width: int, height: int, is_phone: bool) -> webdriver.Chrome:
    """Return a browser that has just been started."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver_path = shutil.which("chromedriver")
    if chromium is None or driver_path is None:
        pytest.skip("there is no chromium with chromedriver on the PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
        options.add_argument(argument)
    if is_phone:
        metrics = {"width": width, "height": height, "pixelRatio": 2}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, Service(driver_path))


def logged(driver: webdriver.Chrome) -> list[dict[str, Any]]:
    """Return what the browser's console has said since it was last asked."""
    return list(driver.get_log("browser"))  # type: ignore[no-untyped-call]


def forget(driver: webdriver.Chrome) -> None:
    """Make a browser like new: a fresh tab, no cookies, nothing stored."""
    old = list(driver.window_handles)
    driver.switch_to.new_window("tab")
    new = driver.current_window_handle
    for handle in old:
        driver.switch_to.window(handle)
        driver.close()
    driver.switch_to.window(new)
    for what in ("Cookies", "Cache"):
        driver.execute_cdp_cmd(f"Network.clearBrowser{what}", {})
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "local_storage"})


IDLE: dict[tuple[int, int] | None, list[webdriver.Chrome]] = {}
"""Browsers to be used again: starting one takes longer than most tests. Phones by size; windows can be resized."""


@contextmanager
def browsing(width: int = 1280, height: int = 900, *, is_phone: bool = False) -> Iterator[webdriver.Chrome]:
    """Return a browser; errors on its console fail the test."""
    idle = IDLE.setdefault((width, height) if is_phone else None, [])
    driver = idle.pop() if idle else started(width, height, is_phone)
    if not is_phone:
        driver.set_window_size(width, height)
    try:
        yield driver
        errors = [entry for entry in logged(driver) if entry["level"] == "SEVERE"]
        if errors:
            pytest.fail(f"the browser's console: {errors}")
        forget(driver)
        logged(driver)  # a closed tab's last words are not the next test's
    except BaseException:
        driver.quit()
        raise
    idle.append(driver)


def quit_browsers() -> None:
    """End all browsers."""
    for drivers in IDLE.values():
        for driver in drivers:
            driver.quit()
    IDLE.clear()


class Page:
    """The page in a browser, as a person handles it."""

    def __init__(self, driver: WebDriver, address: str) -> None:
        self.driver = driver
        driver.get(address)

    def one(self, selector: str) -> WebElement:
        """Return the element of a CSS selector, as soon as it is in sight."""
        found: list[WebElement] = []

        def is_there() -> bool:
            found[:] = self.driver.find_elements(By.CSS_SELECTOR, selector)
            return bool(found) and found[0].is_displayed()

        until(lambda: not_redrawn(is_there), selector)
        return found[0]

    def click(self, selector: str) -> None:
        """Clicks an element as soon as it is in sight, though the page may just be drawing it anew."""

        def is_clicked() -> bool:
            self.one(selector).click()
            return True

        until(lambda: not_redrawn(is_clicked), selector)

    def reload_with(self, **choices: str) -> None:
        """Load the page anew, in a browser that has stored these choices."""
        self.run("localStorage.setItem('kriegspiel-choices', arguments[0])", json.dumps(choices))
        self.driver.refresh()

    def square(self, name: str) -> WebElement:
        """Return a square of the board."""
        return self.one(f"#board [data-square={name}]")

    def label(self, name: str) -> str | None:
        """Return what a screen reader says of a square."""
        return self.square(name).get_attribute("aria-label")

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script returns."""
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """Return the text of an element, in sight or not."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def until_text(self, selector: str, text: str) -> None:
        """Wait until a text stands in an element."""
        script = "return document.querySelector(arguments[0])?.textContent ?? ''"  # the page may just be loading
        until(lambda: text in self.run(script, selector), f"{text!r} in {selector}")

    def nameless(self, controls: str) -> list[str]:
        """Those of these controls, in sight or not, of which a screen reader could say nothing."""
        script = (
            "return [...document.querySelectorAll(arguments[0])]"
            ".filter((one) => !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim()))"
            ".map((one) => one.outerHTML)"
        )
        return list(self.run(script, controls))

    def more(self) -> None:
        """Open the further choices of the form for a new game."""
        self.one("#more summary")
        if not self.run("return document.querySelector('#more').open"):
            self.one("#more summary").click()

    def start(self, opponent: str, color: str = "white", seed: int | None = None) -> None:
        """Fill in the form for a new game, and wait until it is our turn."""
        self.more()
        self.one(f"#opponent option[value={opponent}]").click()
        self.one(f"#new input[value={color}]").click()
        if seed is not None:
            self.one("#seed").clear()
            self.one("#seed").send_keys(str(seed))
        self.one("#new button[type=submit]").click()
        self.until_text("#turn", "Your turn")


@contextmanager
def chromium(address: str, width: int = 1280, height: int = 900, *, is_phone: bool = False) -> Iterator[Page]:
    """Return the page in a browser."""
    with browsing(width, height, is_phone=is_phone) as driver:
        yield Page(driver, address)
