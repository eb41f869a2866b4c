"""Effort of the tests: enough for every commit, or all that they can, which is for releases.

    KRIEGBOT_TESTS=thorough .ci/run

Each test runs either way; the thorough run looks at more random positions, games, trees and given cases, and hypothesis
at more examples.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")
IS_THOROUGH = os.environ.get("KRIEGBOT_TESTS") == "thorough"
EXAMPLES = 100 if IS_THOROUGH else 25
"""Of hypothesis, for each property."""


def many(most: int, fewer: int) -> int:
    """Return the number of random cases to look at: `most` in a thorough run, `fewer` in others."""
    return most if IS_THOROUGH else fewer


def some(cases: Iterable[Case], fewer: int) -> list[Case]:
    """Return all cases in a thorough run, the first `fewer` in others."""
    return list(cases)[: None if IS_THOROUGH else fewer]
