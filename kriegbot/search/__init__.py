"""Information-set search: one walk of the tree, backup rules as parts, budgets of samples or of time."""
