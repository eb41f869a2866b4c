"""Leaf evaluations of a position, one to a file, behind one protocol."""
