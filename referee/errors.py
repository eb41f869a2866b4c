"""Everything that the referee and its records raise on purpose.

    KriegspielError
    ├── UnknownRuleSet   no rule set has this name                           (also a ValueError)
    ├── BadStart         a game cannot begin from this position              (also a ValueError)
    ├── GameIsOver       a try or a resignation after the end of the game
    ├── BadAction        a text is not the code of an action                 (also a ValueError)
    ├── BadAnnouncement  a text is not the code of an announcement           (also a ValueError)
    └── RecordError      a text is not a record of a Kriegspiel game, or a game cannot be one (also a ValueError)

Every message is one line: what was given, why it is refused, what would be accepted. An argument of the
wrong type raises TypeError as everywhere in Python.
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
