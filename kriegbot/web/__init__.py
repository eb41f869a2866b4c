"""The local page: a person plays, watches programs play, and reviews games in a browser.

The browser is told what a side knows and nothing else: before a game ends, everything sent about it is made from that
side's `referee.View`, the clocks, and what the person has sent.
"""
