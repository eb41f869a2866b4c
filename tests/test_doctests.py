"""The examples in docstrings give the output that they show."""

import doctest
from importlib import import_module

import pytest

from tests.import_graph import modules

WITH_EXAMPLES = [name for name, path in modules().items() if "    >>> " in path.read_text(encoding="utf-8")]


SLOW = ("environments", "evaluators", "kriegbot.belief", "kriegbot.search", "tournaments.run")
"""Beginnings of the names of modules whose examples play games or compile kernels."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * name.startswith(SLOW)) for name in WITH_EXAMPLES]
)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS).failed == 0


def test_the_public_names_that_people_meet_first_have_examples() -> None:
    assert {"kriegbot.belief.belief", "kriegbot.game.match", "referee.referee", "referee.rules"} <= set(WITH_EXAMPLES)
