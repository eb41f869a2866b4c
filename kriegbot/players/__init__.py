"""Who can sit down to play, and where a player sits."""
