"""Explicit game trees with information sets, and the exact algorithms on them; described in docs/trees.md."""

from kriegbot.trees.draw import svg
from kriegbot.trees.efg import read_efg, write_efg
from kriegbot.trees.formats import load, read_json, save, write_json
from kriegbot.trees.imp_alphabeta import imp_alphabeta
from kriegbot.trees.imp_minimax import (
    Answers,
    alternating_best_responses,
    best_response,
    imp_minimax,
    is_equilibrium,
    overconfident,
    paranoid,
)
from kriegbot.trees.perfect import (
    Searched,
    alphabeta,
    expectimax,
    expectiminimax,
    minimax,
    policy_value,
    search,
)
from kriegbot.trees.strategy import Solution, brute_force, payoffs
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError, action_name

__all__ = [
    "Answers",
    "Chance",
    "Decision",
    "Leaf",
    "Node",
    "Number",
    "Searched",
    "SetKey",
    "Solution",
    "Strategy",
    "Tree",
    "TreeError",
    "action_name",
    "alphabeta",
    "alternating_best_responses",
    "best_response",
    "brute_force",
    "expectimax",
    "expectiminimax",
    "imp_alphabeta",
    "imp_minimax",
    "is_equilibrium",
    "load",
    "minimax",
    "overconfident",
    "paranoid",
    "payoffs",
    "policy_value",
    "read_efg",
    "read_json",
    "save",
    "search",
    "svg",
    "write_efg",
    "write_json",
]
