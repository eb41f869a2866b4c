"""A rule set of your own: Berkeley, but only the mover hears that a try is illegal, and captures tell pawn or piece.

    python examples/own_rule_set.py

A rule set made of kinds that referee/rules.py knows is data: the referee, beliefs, searches and records follow it, in
the process in which it is registered; players with a process of their own do not know it.
Inside the project it would stand in referee/rules.py, and `--rules quiet` would find it.
"""

import dataclasses
from functools import partial

from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import make_player, parse_spec
from referee import BERKELEY, IllegalHeard, record_to_pgn, register

QUIET = dataclasses.replace(
    BERKELEY, name="quiet", title="Quiet Berkeley", illegal_heard=IllegalHeard.MOVER, captured_kind=True
)

if __name__ == "__main__":
    register(QUIET)  # its name is now known to records
    searching = parse_spec("overconfident:depth=1,samples=50")
    seats = HereSeat(str(searching), partial(make_player, searching)), HereSeat("rand", RandPlayer)
    print(record_to_pgn(play_game(*seats, rules=QUIET, seed=1).record))
