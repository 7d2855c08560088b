"""What a model says, for people and other programs: as a drawing or text, as rules, as the path of one row, as its cp
table, as JSON or PMML; and how it was trained.

Its functions are found by their modules, as `madtree.interface` names them.
"""
