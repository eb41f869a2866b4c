"""Tournaments: schedules, workers, files of games, statistics and reports; the paper's experiments."""
