"""The page's messages: what comes is checked, and the tables in docs/web.md are those of the types."""

from __future__ import annotations

import dataclasses
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from kriegbot.web.replies import TOLD
from kriegbot.web.requests import ASKED, BadMessage, Join, New, Pace, Try, Watch, asked_by

DOCS = Path(__file__).parent.parent / "docs" / "web.md"
GAME = {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": None, "clock": None}
WATCHED = {"do": "watch", "white": "rand", "black": "hs", "rules": "berkeley", "seed": "7", "pace": 1}


def tables() -> str:
    """Both directions as they stand in the docs."""
    asked = {do: (kind, {field.name: field.type for field in dataclasses.fields(kind)}) for do, kind in ASKED.items()}
    told = {name: (kind, dict(kind.__annotations__)) for name, kind in TOLD.items()}
    return "\n".join([*_table("do", asked), "", *_table("is", told)])


def _table(key: str, kinds: dict[str, tuple[type, dict[str, Any]]]) -> list[str]:
    lines = [f"| `{key}` | fields | meaning |", "|---|---|---|"]
    for name, (kind, hints) in kinds.items():
        texts = {field: getattr(hint, "__forward_arg__", hint) for field, hint in hints.items() if field != "is"}
        fields = ", ".join(f"`{field}` {text}" for field, text in texts.items()).replace("|", "or")
        lines.append(f"| `{name}` | {fields} | {' '.join(str(inspect.getdoc(kind)).split())} |")
    return lines


def test_the_tables_in_the_docs_are_those_of_the_types() -> None:
    assert tables() in DOCS.read_text(encoding="utf-8"), f"docs/web.md lacks:\n{tables()}"


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (GAME, New("rand", "white", "berkeley", None, None)),
        (WATCHED, Watch("rand", "hs", "berkeley", "7", 1)),
        ({"do": "join", "game": "x"}, Join("x")),
        ({"do": "try", "text": "e4", "more": 1}, Try("e4")),
        ({"do": "pace", "seconds": 0.5}, Pace(0.5)),
    ],
)
def test_a_message_is_what_its_fields_say(message: dict[str, Any], asked: object) -> None:
    assert asked_by(json.dumps(message)) == asked


@pytest.mark.parametrize("message", [GAME, WATCHED, {"do": "look", "index": 3}, {"do": "heat", "on": True}])
def test_every_field_has_to_be_there_and_of_its_kind(message: dict[str, Any]) -> None:
    for name in set(message) - {"do"}:
        wrong_values: list[object] = [[], {}, 1.5 if name in ("index", "on") else True]
        for wrong in wrong_values:
            with pytest.raises(BadMessage, match=r"takes .*\."):
                asked_by(json.dumps(message | {name: wrong}))
        with pytest.raises(BadMessage, match=r"takes .*\."):
            asked_by(json.dumps({key: value for key, value in message.items() if key != name}))


@pytest.mark.parametrize("text", [None, "", "[]", "3", "nonsense", "[" * 9000, '{"do": "dance"}', '{"do": []}', "{}"])
def test_what_is_no_message_is_refused_in_a_sentence(text: str | None) -> None:
    with pytest.raises(BadMessage, match=r"^[A-Z].*\.$"):
        asked_by(text)


def test_a_pace_is_a_number_from_nought_to_ten() -> None:
    for seconds in ("-1", "11", "NaN", "1e999"):
        with pytest.raises(BadMessage, match="from 0 to 10 seconds"):
            asked_by(f'{{"do": "pace", "seconds": {seconds}}}')


def test_a_seed_is_never_a_number_for_javascript_would_round_it() -> None:
    with pytest.raises(BadMessage):
        asked_by(json.dumps(GAME | {"seed": 3}))
    assert asked_by(json.dumps(GAME | {"seed": str(2**127 + 1)})) == New(
        "rand", "white", "berkeley", str(2**127 + 1), None
    )
