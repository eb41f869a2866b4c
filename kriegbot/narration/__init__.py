"""A game told to people, try by try, from views: what terminal, plain text and page have in common.

`diary` puts what one side tried and heard into words, `moments` tells a whole game from both sides, `known` says what
a view tells at a glance and prints its men. What to say of an event is in `diary.Diary` alone.
"""
