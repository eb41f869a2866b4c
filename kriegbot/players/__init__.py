"""Players: one module each. `base` is their interface, `specs` parses their names, `making` makes them."""
