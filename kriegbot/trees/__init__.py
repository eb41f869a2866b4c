"""Explicit game trees with information sets, and exact algorithms on them; see docs/trees.md."""

import inspect

from kriegbot.trees.draw import svg as svg
from kriegbot.trees.formats import load as load
from kriegbot.trees.formats import read_efg as read_efg
from kriegbot.trees.formats import read_json as read_json
from kriegbot.trees.formats import save as save
from kriegbot.trees.formats import write_efg as write_efg
from kriegbot.trees.formats import write_json as write_json
from kriegbot.trees.imp_minimax import BestResponses as BestResponses
from kriegbot.trees.imp_minimax import alternating_best_responses as alternating_best_responses
from kriegbot.trees.imp_minimax import best_response as best_response
from kriegbot.trees.imp_minimax import imp_alphabeta as imp_alphabeta
from kriegbot.trees.imp_minimax import imp_minimax as imp_minimax
from kriegbot.trees.imp_minimax import is_equilibrium as is_equilibrium
from kriegbot.trees.imp_minimax import overconfident as overconfident
from kriegbot.trees.imp_minimax import paranoid as paranoid
from kriegbot.trees.perfect import alphabeta as alphabeta
from kriegbot.trees.perfect import expectimax as expectimax
from kriegbot.trees.perfect import expectiminimax as expectiminimax
from kriegbot.trees.perfect import minimax as minimax
from kriegbot.trees.perfect import policy_value as policy_value
from kriegbot.trees.perfect import search as search
from kriegbot.trees.strategy import Solution as Solution
from kriegbot.trees.strategy import brute_force as brute_force
from kriegbot.trees.strategy import payoffs as payoffs
from kriegbot.trees.tree import Chance as Chance
from kriegbot.trees.tree import Decision as Decision
from kriegbot.trees.tree import Leaf as Leaf
from kriegbot.trees.tree import Node as Node
from kriegbot.trees.tree import Number as Number
from kriegbot.trees.tree import SetKey as SetKey
from kriegbot.trees.tree import Strategy as Strategy
from kriegbot.trees.tree import Tree as Tree
from kriegbot.trees.tree import TreeError as TreeError
from kriegbot.trees.tree import action_name as action_name

__all__ = [name for name, value in vars().items() if not (name.startswith("_") or inspect.ismodule(value))]
