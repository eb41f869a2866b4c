"""One log file for all processes of a run.

multiprocessing-logging carries the records of forked processes to the file. It supports only fork, so for processes
started otherwise the standard library's queue does it (`send_to`).
"""

from __future__ import annotations

import logging
import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener
from pathlib import Path
from typing import Any

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler

LOGGER = logging.getLogger("kriegbot.tournament")


class LogFile(logging.FileHandler):
    """A log file that, if it cannot be written (a full disk), says so once and gives up: games matter more."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - the library's signature
        """Gives up."""
        print(f"kriegbot: cannot write to '{self.baseFilename}': {sys.exc_info()[1]}", file=sys.stderr)
        self.close()
        self.emit = lambda record: None  # type: ignore[method-assign] # noqa: ARG005 - nothing is written any more


@contextmanager
def logged_to(path: Path, queue: Any = None) -> Iterator[None]:
    """Within, everything that this process and its workers log goes to a file.

    Args:
      path: the file; lines are added to it.
      queue: from workers that are not forked, see `send_to`; None if there are none.
    """
    handler = LogFile(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    log_to(handler)
    listener = None if queue is None else QueueListener(queue, handler)
    if listener is not None:
        listener.start()
    elif multiprocessing.get_start_method() == "fork":
        install_mp_handler(LOGGER)
    try:
        yield
    finally:
        if listener is not None:
            listener.stop()
        for installed in LOGGER.handlers:
            installed.close()  # the library's own waits for records still on their way
        uninstall_mp_handler(LOGGER)
        LOGGER.removeHandler(handler)


def send_to(queue: Any) -> None:
    """In a worker that is not forked: sends what it logs to the process that started it."""
    log_to(QueueHandler(queue))


def log_to(handler: logging.Handler) -> None:
    """What is logged goes to a handler too, and nowhere outside kriegbot."""
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
