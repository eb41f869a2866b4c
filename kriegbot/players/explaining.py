"""Why a search chose as it did, in a line for people: what it believed, and its best tries with their values."""

import numpy as np

from kriegbot.players.notation import try_name
from kriegbot.search.policy import Policy
from referee import View

SHOWN = 3
"""Tries that the line names."""


def why(view: View, policy: Policy) -> str:
    """Such as "812 boards; best: exd5 +1.20 (38% legal), Nf3 +0.31, Qe2 +0.30"; values in pawns."""
    boards = policy.searched.particles
    believed = f"{boards:,} board{'s' * (boards != 1)}" if boards else "no board"
    if policy.searched.astray:
        believed += " that fit the last announcement only"
    can_be_chosen = np.flatnonzero((policy.weights > 0) | ~np.isnan(policy.values))
    best_first = np.lexsort((-policy.values[can_be_chosen], policy.weights[can_be_chosen] == 0))
    tries = []
    for i in can_be_chosen[best_first[:SHOWN]]:
        text = try_name(policy.tries[i], view)
        if not np.isnan(policy.values[i]):
            text += f" {policy.values[i] / 100:+.2f}"
        if policy.legal is not None and policy.legal[i] < 1:
            text += f" ({policy.legal[i]:.0%} legal)"
        tries.append(text)
    return f"{believed}; best: {', '.join(tries)}"
