"""Kriegspiel for programs that learn: batches, PettingZoo, Gymnasium, OpenSpiel, each module with its own needs."""
