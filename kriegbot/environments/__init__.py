"""Kriegspiel for programs that learn: batches on the kernels, PettingZoo, Gymnasium, OpenSpiel (docs/environments.md).

Each module beside this one stands alone, and needs at most the one package it is named for.
"""
