"""What can go wrong with a belief."""


class EmptyBelief(ValueError):
    """Nothing fits what was heard: the view contradicts its start or its rule set."""
