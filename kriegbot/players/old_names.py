"""Names in specs of earlier versions, and their names today.

Records and tournament files of 0.1.0 and 0.2.0 hold such specs. Nothing else reads this table.
"""

import re

PARTS = {"kinds": "opponent_types", "retaking": "recapturing"}
"""Opponent models."""
_OLD_PART = re.compile(rf"(?<=[:,])(opponent|filtering)=({'|'.join(PARTS)})(?=,|$)")


def with_current_names(spec: str) -> str:
    """Return a spec with the parts of our players under their names of today.

    >>> with_current_names("search:samples=9,opponent=kinds")
    'search:samples=9,opponent=opponent_types'
    """
    if not spec.startswith("search:"):
        return spec
    return _OLD_PART.sub(lambda match: f"{match[1]}={PARTS[match[2]]}", spec)
