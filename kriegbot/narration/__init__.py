"""Games in words and pictures for terminal and page, from views; lessons and puzzles; a person's results.

`diary` puts one side's tries and announcements into words, which terminal, page and pictures show.
`moments` describes a whole game from both sides, and `glance` what a view shows at a glance.
"""
