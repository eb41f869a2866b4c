"""One game: from a try to a record, with players that may fail or cheat.

turn          one turn: view -> player -> try -> referee -> views
match         a game of turns, its record and its statistics
seat          where a player sits, and how it can fail
process       a seat in a process of its own: children, keeper, protocol, sandbox; worker is the other end
conformance   the test that every player must pass
"""
