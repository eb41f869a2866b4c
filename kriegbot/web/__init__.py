"""The local page: a person plays, watches programs play, and reviews games in a browser.

Before the end of a person's game, their browser receives only what their side knows: its `referee.View`, the clocks,
and, between two people, what both may know, such as names and offers of a draw.
"""
