"""Players that misbehave on purpose, each made from a seed as a seat makes its players."""

# ruff: noqa: D102 - what each does is told by its class

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import Any

import chess
import psutil

from kriegbot.players.base import Choice
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import PlayerSpec, parse_spec
from kriegbot.report import Report
from referee import AskAny, View


def spec(player: str) -> PlayerSpec:
    """Return the spec of one of these players, by its class."""
    return parse_spec(f"tests.misbehaving:{player}", sandbox=False)


class Misbehaving:
    """Made from a seed, which it does not need."""

    def __init__(self, seed: int) -> None:
        self.seed = seed


class Raises(Misbehaving):
    """Raises an ordinary exception."""

    def choose(self, view: View) -> Choice:
        raise ZeroDivisionError(f"no way\nout at ply {view.ply}")


class RaisesInTheSeventhTurn(RandPlayer):
    """Plays well for a while."""

    def choose(self, view: View) -> Choice:
        if view.ply >= 12:
            raise LookupError("lost the thread")
        return super().choose(view)


class RaisesAtOnce(Misbehaving):
    """Cannot even sit down."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        raise OSError("no opening book")

    def choose(self, view: View) -> Choice:
        raise AssertionError(view)


class LeavesPython(Misbehaving):
    """Raises what is not an Exception."""

    def choose(self, view: View) -> Choice:
        sys.exit(view.ply)


class RaisesWhatCannotBeShown(Misbehaving):
    """Its exception has no text."""

    class Unspeakable(Exception):
        """Fails when asked what it says."""

        def __str__(self) -> str:
            raise ValueError

    def choose(self, view: View) -> Choice:
        raise self.Unspeakable(view.ply)


class Sleeps(Misbehaving):
    """Never answers."""

    def choose(self, view: View) -> Choice:
        while view:
            time.sleep(60)
        raise AssertionError


class SleepsInC(Misbehaving):
    """Never answers, and holds the interpreter's lock all the while."""

    def choose(self, view: View) -> Choice:
        ctypes.PyDLL(None).sleep(3600)
        raise AssertionError(view)


class SleepsWithAnEngine(Misbehaving):
    """Starts a program of its own, says which, and never answers."""

    def choose(self, view: View) -> Choice:
        engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        print("engine", engine.pid)
        while view:
            time.sleep(60)
        raise AssertionError


class Exits(Misbehaving):
    """Ends its process."""

    def choose(self, view: View) -> Choice:
        print("good night")
        os._exit(3 + view.ply)


class KillsItself(Misbehaving):
    """Ends its process by a signal, as a crash in C would."""

    def choose(self, view: View) -> Choice:
        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError(view)


class KillsItselfAsBlack(RandPlayer):
    """Ends its process as a system short of memory would, but only as Black."""

    def choose(self, view: View) -> Choice:
        if view.ply >= 4 and view.color == chess.BLACK:
            psutil.Process().kill()
        return super().choose(view)


class Aborts(Misbehaving):
    """Ends its process as a failed assertion in C does."""

    def choose(self, view: View) -> Choice:
        if view:
            os.abort()
        raise AssertionError


class FloodsItsLog(Misbehaving):
    """Writes for ever."""

    def choose(self, view: View) -> Choice:
        while view:
            print("x" * 1000)
        raise AssertionError


class Answers(Misbehaving):
    """Answers with something that is no Choice."""

    answer: Any = None

    def choose(self, view: View) -> Any:  # noqa: ARG002 - it does not look
        return self.answer


class AnswersText(Answers):
    """Answers as people do."""

    answer = "e2e4"


class AnswersMove(Answers):
    """Answers with a bare move."""

    answer = chess.Move.from_uci("e2e4")


class AnswersTextInChoice(Answers):
    """The text is in the right wrapping."""

    answer = Choice("e2e4")  # type: ignore[arg-type]


class AnswersOffTheBoard(Answers):
    """A move from and to nowhere."""

    answer = Choice(chess.Move(64, -1))


class AnswersDrop(Answers):
    """A move of another game."""

    answer = Choice(chess.Move(12, 28, drop=chess.QUEEN))


class AnswersBadReport(Answers):
    """A good move, and a report of nothing."""

    answer = Choice(chess.Move.from_uci("e2e4"), None)  # type: ignore[arg-type]


class AnswersFunction(Answers):
    """Something that cannot be sent to another process."""

    answer = Choice(chess.Move.from_uci("e2e4"), Report(seconds=lambda: 1.0))  # type: ignore[arg-type]


class TriesTheImpossible(Answers):
    """Repeat an impossible try for ever."""

    answer = Choice(chess.Move.from_uci("a1a8"))


class AsksForEver(Answers):
    """The question "Any?", whatever the rules."""

    answer = Choice(AskAny())


class RepeatsItself(Misbehaving):
    """Refused once, it tries the same again."""

    def choose(self, view: View) -> Choice:
        return Choice(view.refused[0] if view.refused else view.tries()[-1])


class Talks(RandPlayer):
    """Plays at random, and talks of it on both streams."""

    def choose(self, view: View) -> Choice:
        print(f"thinking about ply {view.ply}")
        print("hm", file=sys.stderr)
        return super().choose(view)


class IsTold(RandPlayer):
    """Says what it is told besides being asked, and that it is asked; and may then fail."""

    fault = ""

    def _told(self, what: str, view: View) -> None:
        print(f"{what}, ply {view.ply}, {view.end.reason.value if view.end else 'no end'}")
        if what == self.fault:
            raise LookupError(what)

    def choose(self, view: View) -> Choice:
        self._told("asked", view)
        return super().choose(view)

    def on_begin(self, view: View) -> None:
        self._told("begin", view)

    def on_opponent_moved(self, view: View) -> None:
        self._told("opponent moved", view)

    def on_end(self, view: View) -> None:
        self._told("end", view)


class FailsAtBegin(IsTold):
    """Fails at once."""

    fault = "begin"


class FailsAtMove(IsTold):
    """Fails when it hears of a move."""

    fault = "opponent moved"


class FailsAtEnd(IsTold):
    """Fails when there is nothing to lose."""

    fault = "end"


def abort(*_: object) -> None:
    """End this process."""
    os.abort()
