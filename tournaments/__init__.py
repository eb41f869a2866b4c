"""Many games: who plays whom, who plays them, where they are kept, and what they say."""
