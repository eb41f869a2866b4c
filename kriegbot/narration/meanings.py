"""What the referee's words mean: for each event the kinds of announcement in it, and a sentence for each kind.

The sentences are data, in `meanings.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import referee
from referee import Announcement, Answer, Check, IllegalHeard, RuleSet
from referee.rules import Asking

_FILE = Path(__file__).parent / "meanings.toml"


@cache
def meanings() -> Mapping[str, tuple[str, str]]:
    """For each kind a title, which is its words or nearly so, and a sentence."""
    return {kind: (one["title"], one["text"]) for kind, one in tomllib.loads(_FILE.read_text("utf-8")).items()}


def meaning(kinds: Iterable[str]) -> list[str]:
    """The sentences of kinds, each once."""
    return [meanings()[kind][1] for kind in dict.fromkeys(kinds)]


def kinds(event: referee.Event, rules: RuleSet) -> Iterator[str]:
    """The kinds of announcement in what a side was told."""
    match event:
        case referee.OwnTry(_, Answer.ACCEPTED, announcement):
            yield "yes"
            if announcement is not None:
                yield from _of(announcement, rules, "took_kind" if rules.captured_kind else "took")
        case referee.OwnTry(_, Answer.ILLEGAL):
            yield "no" if rules.illegal_heard is IllegalHeard.BOTH else "no_alone"
        case referee.OwnTry(_, answer):
            yield answer.value
        case referee.OwnQuestion(answer) | referee.OpponentAsked(answer):
            yield "any"
            yield "none" if answer is Answer.NO else _OBLIGED[rules.asking] if answer is Answer.YES else answer.value
        case referee.OpponentRefused():
            yield "their_no"
        case referee.OpponentMoved(announcement):
            if announcement.capture is None:
                yield "moved"
            yield from _of(announcement, rules, "fell_here" if rules.en_passant_told else "fell")
        case referee.GameOver(end):
            yield _end(end)


_OBLIGED = {Asking.OBLIGES: "obliged", Asking.OBLIGES_ONCE: "obliged_once"}


def _of(announcement: Announcement, rules: RuleSet, capture: str) -> Iterator[str]:
    if announcement.capture is not None:
        yield capture
    if announcement.en_passant:
        yield "en_passant"
    if announcement.promotion:
        yield "promotion"
    yield from (str(check.name).lower() for check in Check if check & announcement.checks)
    if announcement.checks.bit_count() > 1:
        yield "double"
    if announcement.pawn_tries is not None:
        yield rules.pawn_tries.name.lower()
    if announcement.end is not None:
        yield _end(announcement.end)


def _end(end: referee.End) -> str:
    is_lost = end.reason is referee.Reason.STALEMATE and end.winner is not None
    return "stalemate_lost" if is_lost else str(end.reason.name).lower()
