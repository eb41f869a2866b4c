"""Matches between players: one game, and what came of it."""
