"""Names of options and parts in specs of earlier versions, and their names today.

Records and tournament files of 0.1.0 and 0.2.0 hold such specs, and the seeds of a tournament's games derive from
them. Specs that people type may use them, too.
"""

import re
from collections.abc import Callable

PLAYERS = ("overconfident", "paranoid", "search")
OPTIONS = {
    "extra": "retry_time",
    "further": "resample",
    "filtering": "belief_model",
    "free": "free_refusals",
    "scale": "value_scale",
    "repeated": "repetition_price",
}
VALUES = {
    "kinds": "opponent_types",
    "retaking": "recapturing",
    "ks:shield=30": "conservative",
    "mixed:worst=0.3": "mixed",
}
WEIGHTS = "ks:"  # prefix of other weights of KS, such as `ks:threat=20:advance=300`: see `evaluators.ks`

FIRST_OPTIONS = {new: old for old, new in OPTIONS.items()}
FIRST_VALUES = {new: old for old, new in VALUES.items() if new != "mixed"}


def with_current_names(spec: str) -> str:
    """Return a spec with the options and parts of our searching players under their names of today.

    >>> with_current_names("search:samples=9,free=1,opponent=kinds")
    'search:samples=9,free_refusals=1,opponent=opponent_types'
    """
    return _renamed(spec, OPTIONS, _value)


def with_first_names(spec: str) -> str:
    """Return a spec under the names of 0.2.0: a game's seed stays when an option gets a new name.

    >>> with_first_names("search:samples=9,free_refusals=1,opponent=opponent_types")
    'search:samples=9,free=1,opponent=kinds'
    """
    return _renamed(spec, FIRST_OPTIONS, lambda value: FIRST_VALUES.get(value, value))


def _renamed(spec: str, names: dict[str, str], value_of: Callable[[str], str]) -> str:
    name, colon, rest = spec.partition(":")
    if name not in PLAYERS or not colon:
        return spec
    options = [option.partition("=") for option in rest.split(",")]
    return f"{name}:" + ",".join(f"{names.get(key, key)}{equals}{value_of(value)}" for key, equals, value in options)


def _value(value: str) -> str:
    if value.startswith(WEIGHTS) and value not in VALUES:
        return "evaluators.ks:" + re.sub("[:=]", "_", value.removeprefix(WEIGHTS))
    return VALUES.get(value, value)
