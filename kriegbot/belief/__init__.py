"""The information set: what may be on the board, given all that one side has heard."""
