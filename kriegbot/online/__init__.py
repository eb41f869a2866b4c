"""Play on kriegspiel.org: a client of its bot API, and a bot that plays several games at once.

    settings (one file) -> bot: the lobby, one thread a game -> game: state -> View -> player -> try -> state ...

What a player gets is its `View`, rebuilt at every turn from the site's state and log alone (`reading`), so that nothing
is lost with this process. No call that shows the opponent's moves can be made (`site`).
"""
