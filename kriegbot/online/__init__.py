"""Play on kriegspiel.org: a client of its bot API, and a bot that plays several games at once.

    settings -> bot: the lobby, a thread per game -> game: state -> View -> player -> try -> state ...

A player gets its `View`, which `reading` rebuilds at every turn from the site's state and log, so nothing is lost if
this process ends. `site` makes no call that shows the opponent's moves.
"""
