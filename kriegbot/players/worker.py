"""The child's half of `kriegbot.players.process`: a loop that seats players and hands them views.

Messages are tuples whose first item names them. Parent to child: ("game", source, seed); ("view", view, told), where of
the view's events only those after the first `told` are sent, since the others were sent before; ("stop",).
Child to parent: ("progress", what, done, total) while kernels are compiled, then ("ready",), ("choice", choice) or
("failed", failure, detail, log). What a player prints goes to a file that the parent reads.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import multiprocessing
import os
import sys
import threading
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kriegbot.players.base import Player
from kriegbot.players.seat import PlayerFailed, Source, checked, raised
from kriegbot.players.specs import PlayerSpec, make_player
from referee import Event

GIVES_WAY = 10
"""How much nicer a process is that gives way, of 19."""


def work(connection: Connection[Any, Any], output: str, *, gives_way: bool = False) -> None:
    """Serves games until told to stop, or until the parent is gone.

    Args:
      connection: to the parent.
      output: path of the file for what players print.
      gives_way: whether everything else on the machine goes before it.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()  # out of the terminal's reach, and one group with whatever the player starts
    if gives_way:
        give_way()
    _redirect(output)
    faulthandler.enable()
    threading.Thread(target=leave_with_parent, daemon=True).start()
    player: Player | None = None
    events: tuple[Event, ...] = ()
    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            return
        try:
            match message:
                case ("game", source, seed):
                    player, events = None, ()
                    player = _seated(source, seed, connection)
                    connection.send(("ready",))
                case ("view", view, told) if player is not None:
                    events = events[:told] + view.events
                    connection.send(("choice", checked(player.choose(replace(view, events=events)))))
                case _:
                    return
        except BaseException as error:  # noqa: BLE001 - also SystemExit: whatever a player raises is reported
            failed = error if isinstance(error, PlayerFailed) else raised(error)
            try:
                connection.send(("failed", failed.failure, failed.detail, failed.log))
            except OSError:  # the game was broken off while the player thought; nobody listens any more
                return


def _seated(source: Source, seed: int, connection: Connection[Any, Any]) -> Player:
    if isinstance(source, PlayerSpec):
        return make_player(source, seed, lambda *how_far: connection.send(("progress", *how_far)))
    return source(seed)


def _redirect(output: str) -> None:
    """Sends both streams, of Python and of C, to the file; there is no input."""
    sys.stdout.flush()
    sys.stderr.flush()
    file = os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")


def give_way() -> None:
    """Lets everything else on the machine go before this process, which has a session of its own.

    Where Linux shares its time out by sessions ("autogroup"), a process's own priority counts only within one.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.nice(GIVES_WAY)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(GIVES_WAY))


def leave_with_parent() -> None:
    """Ends this process as soon as its parent has ended, however that did."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
