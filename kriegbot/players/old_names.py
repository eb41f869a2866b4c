"""Names of options and parts in specs of earlier versions, and their names today.

Records and tournament files of 0.1.0 and 0.2.0 hold such specs. Nothing else reads this table.
"""

import re

PLAYERS = ("overconfident", "paranoid", "search")
OPTIONS = {
    "extra": "retry_time",
    "further": "resample",
    "filtering": "belief_model",
    "free": "free_refusals",
    "insight": "worst_reply_weight",
    "scale": "value_scale",
    "repeated": "repetition_price",
    "impatience": "quiet_turn_bonus",
}
VALUES = {
    "kinds": "opponent_types",
    "retaking": "recapturing",
    "ks:shield=30": "conservative",
    "mixed:worst=0.3": "mixed",
}
WEIGHTS = "ks:"
"""Prefix of other weights of KS, such as `ks:threat=20:advance=300`: see `evaluators.ks`."""


def with_current_names(spec: str) -> str:
    """Return a spec with the options and parts of our searching players under their names of today.

    >>> with_current_names("search:samples=9,free=1,opponent=kinds")
    'search:samples=9,free_refusals=1,opponent=opponent_types'
    """
    name, colon, rest = spec.partition(":")
    if name not in PLAYERS or not colon:
        return spec
    options = [option.partition("=") for option in rest.split(",")]
    return f"{name}:" + ",".join(f"{OPTIONS.get(key, key)}{equals}{_value(value)}" for key, equals, value in options)


def _value(value: str) -> str:
    if value.startswith(WEIGHTS) and value not in VALUES:
        return "evaluators.ks:" + re.sub("[:=]", "_", value.removeprefix(WEIGHTS))
    return VALUES.get(value, value)
