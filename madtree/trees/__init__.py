"""A trained tree as plain values: its features, nodes and surrogates, a threshold in the feature's own type, and the
direction that a row takes at a node. Everybody who reads, draws, explains or scores a model
speaks of these. Knows no database and no numpy.
"""
