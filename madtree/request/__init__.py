"""From what a user wrote to a checked request: arguments, option strings, the feature list, names of new tables, and
the look-ups in the catalogue that they need. Nothing here reads rows, but for the lengths of arrays.
"""
