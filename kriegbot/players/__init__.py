"""Players, and the seats from which they play."""
