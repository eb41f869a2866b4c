"""Errors of the referee and its records: UnknownRuleSet, BadStart, GameIsOver, BadAction, BadAnnouncement, RecordError.

Each is a KriegspielError. Its message is one line: the wrong value, the reason, and what would be accepted. An argument
of the wrong type raises TypeError.
"""


class KriegspielError(Exception):
    """Base of all errors raised by the referee."""


class UnknownRuleSet(KriegspielError, ValueError):
    """No rule set has this name."""


class BadStart(KriegspielError, ValueError):
    """A game cannot begin from this position."""


class GameIsOver(KriegspielError):
    """A try or a resignation came after the end of the game."""


class BadAction(KriegspielError, ValueError):
    """A text is not the code of an action."""


class BadAnnouncement(KriegspielError, ValueError):
    """A text is not the code of an announcement."""


class RecordError(KriegspielError, ValueError):
    """A file or a text is not a record of a Kriegspiel game, or a game cannot be written as one."""
