"""Your own rule set: Berkeley, but only the mover learns of illegal tries, and captures announce pawn or piece.

    kriegbot match overconfident:samples=321 rand --rules examples/own_rule_set.py:QUIET --seed 1

A rule set is data: referee, beliefs, searches and records follow its fields. Inside the project it would be in
`RULE_SETS` of referee/rules.py, and `--rules quiet` would find it.
"""

import dataclasses

from referee import BERKELEY, Audience

QUIET = dataclasses.replace(
    BERKELEY, name="quiet", title="Quiet Berkeley", illegal_to=Audience.MOVER, captured_kind=True
)
