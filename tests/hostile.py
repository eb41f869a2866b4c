"""A program that plays the first try it is offered, and misbehaves at one moment: hostile.py KIND MOMENT MARK.

It imports little, since it starts many hundred times.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial

MOMENTS = ("greeting", "newgame", "first", "later", "waiting")
"""At the first line; before `ready`; before the answer to the first view, and the third; after the first answer."""


def write(data: bytes, stream: int = 1) -> None:
    while data:
        data = data[os.write(stream, data) :]


def forever(data: bytes, stream: int = 1) -> None:
    while True:
        write(data, stream)


def sleep() -> None:
    while True:
        time.sleep(60)


def close(*streams: int) -> None:
    for stream in streams:
        os.close(stream)


def ignore_end() -> None:
    """Go on after the end of the game, whatever asks to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    at_end.append(sleep)


def daemon() -> None:
    """Leave a process that holds the streams open."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            sleep()
        os._exit(0)


Deed = Callable[[], object]
at_end: list[Deed] = []
HARMLESS: dict[str, list[Deed]] = {
    "logs bytes": [partial(write, b"\0\xff\x1b[2J\n" * 9, 2)],
    "closes its log": [partial(close, 2)],
    "takes a while": [partial(time.sleep, 0.1)],
    "stays": [ignore_end],
    "leaves a daemon": [daemon],
}
"""Attacks that cost no game. Some must be ended by force, though."""
HANGS: dict[str, list[Deed]] = {
    "sleeps": [sleep],
    "ignores SIGTERM": [ignore_end, sleep],
    "half a line": [partial(write, b"try e2"), sleep],
    "sleeps with a daemon": [daemon, sleep],
    "closes its input": [partial(close, 0), sleep],
}
FAULTS: dict[str, list[Deed]] = {
    "exits": [partial(os._exit, 3)],
    "half a line and exits": [partial(write, b"try e2"), partial(os._exit, 0)],
    "exits with a daemon": [daemon, partial(os._exit, 0)],
    "is killed": [lambda: os.kill(os.getpid(), signal.SIGKILL)],
    "crashes": [lambda: os.kill(os.getpid(), signal.SIGSEGV)],
    "closes its output": [partial(close, 1), sleep],
    "closes everything": [partial(close, 0, 1, 2), sleep],
    "floods": [partial(forever, b"x" * 1000 + b"\n")],
    "floods in one line": [partial(forever, b"x" * 1000)],
    "floods its log": [partial(forever, b"x" * 1000, 2)],
    "a long line": [partial(write, b"x" * 5000 + b"\n")],
    "NUL": [partial(write, b"\0\n")],
    "no text": [partial(write, b"\xff\xfe\n")],
    "an empty line": [partial(write, b"\n")],
    "JSON": [partial(write, b'{"try": ["e2e4", null, 1e999]}\n')],
    "a wrong type": [partial(write, b"info samples=many\n")],
    "a huge number": [partial(write, b"info samples=" + b"9" * 99 + b"\n")],
    "two answers": [partial(write, b"try a1a1\ntry a2a2\n")],
    "any, and again": [partial(write, b"any\nany\n")],
    "a square off the board": [partial(write, b"try z9z9\n")],
    "reports for ever": [partial(forever, b"info depth=1\n")],
    "progress for ever": [partial(forever, b"preparing 1 2 x\n")],
    "versions for ever": [partial(forever, b"version 1\n")],
    "says that it failed": [partial(write, b"failed \x1b[31mred\n")],
    "says that it is over": [partial(write, b"over\n")],
}


def main(kind: str, moment: str) -> None:
    """Play one game."""
    deeds = {**HARMLESS, **HANGS, **FAULTS}[kind]
    goes, tries = 0, b""
    source = os.fdopen(0, "rb")
    while line := source.readline():
        word, _, rest = line.rstrip(b"\n").partition(b" ")
        goes += word == b"go"
        now = {b"kriegspiel": "greeting", b"newgame": "newgame", b"go": {1: "first", 3: "later"}.get(goes, "")}
        if now.get(word) == moment:
            do(deeds)
        if word == b"newgame":
            write(b"ready\n")
        elif word == b"tries":
            tries = rest.split()[0]
        elif word == b"go":
            write(b"try " + tries + b"\n")
            if moment == "waiting" and goes == 1:
                do(deeds)
    do(at_end)


def do(deeds: list[Deed]) -> None:
    for deed in deeds:
        deed()


if __name__ == "__main__":
    main(*sys.argv[1:3])
