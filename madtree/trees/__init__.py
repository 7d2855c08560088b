"""A trained tree as plain values, and how it decides: its features, nodes and surrogates, a threshold in the feature's
own type, and the side of a split that a value goes to. Everybody who reads, draws, explains or scores a model
speaks of these. Knows no database and no numpy.
"""
