"""The local page: a person plays, watches programs play, and reviews games in a browser.

A browser receives only what its side knows: before a game ends, the server makes every message about it from that
side's `referee.View`, the clocks, and the person's own messages.
"""
