"""Effort of the tests: enough for every commit, or all that they can, which is for releases.

    KRIEGBOT_TESTS=thorough scripts/test

Either way the same is checked, with the same seeds; the thorough run looks at more random positions, games and trees,
and hypothesis at more examples.
"""

import os

IS_THOROUGH = os.environ.get("KRIEGBOT_TESTS") == "thorough"
EXAMPLES = 100 if IS_THOROUGH else 25
"""Of hypothesis, for each property."""


def many(most: int, fewer: int) -> int:
    """Return the number of random cases to look at: `most` in a thorough run, `fewer` in others."""
    return most if IS_THOROUGH else fewer
