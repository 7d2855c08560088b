"""Boosted trees of random small problems, held against a definition that is written down here once more."""
