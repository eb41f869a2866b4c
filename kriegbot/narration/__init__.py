"""Games in words and pictures for terminal and page, from views; lessons and puzzles; a person's results.

`diary` puts one side's tries and announcements into words: only `diary.Diary` decides on the words for an event.
`moments` describes a whole game from both sides, and `glance` what a view shows at a glance.
"""
