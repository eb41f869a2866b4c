"""Foreign text, cleaned to fit on one line of a terminal, a record or a message."""

import difflib
import reprlib
from collections.abc import Collection, Iterable

MOST_QUOTED = 80  # characters of what was given that a message quotes, quotation marks included

_quoting = reprlib.Repr()
_quoting.maxstring = _quoting.maxlong = _quoting.maxother = MOST_QUOTED


def one_line(text: str, most: int | None = None) -> str:
    """A text on one line, without control characters; longer than `most` characters, it is cut and ends in "..."."""
    line = harmless(" ".join(text.split()))
    return line if most is None or len(line) <= most else line[: most - 3] + "..."


def harmless(text: str) -> str:
    """A text with "?" in place of control characters, which could drive a terminal; ends of lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text.replace("\r\n", "\n"))


def quoted(given: object) -> str:
    """What was given, as messages quote it: one line, its middle left out beyond `MOST_QUOTED` characters."""
    return _quoting.repr(given)


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """The rest of a sentence about an unknown name: a near miss, if there is one, and a full stop."""
    near = difflib.get_close_matches(text[:MOST_QUOTED].lower(), list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else "."


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """What is wrong with a name: "unknown side 'whit'; did you mean 'white'? Known: white, black."."""
    return f"unknown {what} {quoted(name)}{did_you_mean(name, known)} Known: {', '.join(known)}."
