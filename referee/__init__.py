"""The rules of Kriegspiel and what each side hears."""
