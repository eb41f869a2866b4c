"""Explicit game trees with information sets, and algorithms on them; see docs/trees.md."""

import inspect

from kriegbot.trees.draw import svg
from kriegbot.trees.formats import load, read_efg, read_json, save, write_efg, write_json
from kriegbot.trees.imp_minimax import (
    BestResponses,
    alternating_best_responses,
    best_response,
    imp_alphabeta,
    imp_minimax,
    is_equilibrium,
    overconfident,
    paranoid,
)
from kriegbot.trees.strategy import (
    Solution,
    alphabeta,
    brute_force,
    expectimax,
    expectiminimax,
    minimax,
    payoffs,
    policy_value,
    search,
)
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError, action_name

__all__ = [name for name, value in vars().items() if not (name.startswith("_") or inspect.ismodule(value))]
