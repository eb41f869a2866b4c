"""A rule set of your own: Berkeley, but only the mover hears that a try is illegal, and captures tell pawn or piece.

    kriegbot match overconfident:samples=321 rand --rules examples/own_rule_set.py:QUIET --seed 1

A rule set made of kinds that referee/rules.py knows is data: the referee, beliefs, searches and records follow it.
Inside the project it would stand in referee/rules.py, and `--rules quiet` would find it.
"""

import dataclasses

from referee import BERKELEY, Audience

QUIET = dataclasses.replace(
    BERKELEY, name="quiet", title="Quiet Berkeley", illegal_to=Audience.MOVER, captured_kind=True
)
