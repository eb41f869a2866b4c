"""Tests, and the plain versions of the fast parts that they are held against."""
