"""What a model says, for people and other programs: as a drawing or text, as rules, as the path of one row, as JSON or
PMML.
"""
