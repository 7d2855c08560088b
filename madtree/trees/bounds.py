"""How large the parts of a model can be: training refuses more, and so does whoever reads a model.

Somebody else may have written a model's tables. What is larger than these is not fetched into Python.
"""

from __future__ import annotations

MOST_FEATURES = 2**16  # columns, expressions and elements of arrays; a table has at most 1,600 columns
MOST_EXPRESSION_BYTES = 2**18  # of a feature, the dependent variable, a weight, a group, a class, a category: in UTF-8
MOST_GROUPING_COLUMNS = 1600  # columns of a table of PostgreSQL's
MAX_CLASSES = 65_535
MAX_CATEGORIES = 65_534  # of a feature, but for NULL
MOST_LABELS = 2**20  # of an enum
