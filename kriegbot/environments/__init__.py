"""Kriegspiel for programs that learn: batches on the kernels, PettingZoo, Gymnasium, OpenSpiel (docs/environments.md).

Each module here can be used alone, and needs at most the one package that it is for.
"""
