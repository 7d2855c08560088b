"""The best split of a node: criteria, candidate splits and their search, categories in order, bounds that leave
hopeless candidates out, small nodes by their rows in order, and surrogates.
"""
