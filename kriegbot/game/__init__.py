"""One game: from a try to a record, with players that may fail or cheat.

match         a game of turns: view -> player -> try -> referee -> views; its record and its statistics
seat          the interface to a player, and the ways in which it can fail
process       a seat in a process of its own (protocol, sandbox; worker is the other end), and the probe before a game
conformance   a test for any player
"""
