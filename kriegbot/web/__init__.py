"""The local page: a person plays, watches programs play, and looks back at games in a browser.

The browser is told what a side knows and nothing else: before a game ends, all that is sent of it is made from that
side's `referee.View`, the clocks, and what the person has sent.
"""
