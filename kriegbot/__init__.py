"""Kriegspiel by information-set search: belief, search, players and their command line."""
