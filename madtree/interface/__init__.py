"""What users call, said once: each function with its arguments, their types and defaults, its columns and its help.

The extension's SQL (`install`), what answers a call (`calls`), the usage texts and the pages of the documentation are
made from it. Knows nothing of the rest of the package.
"""

from __future__ import annotations

from madtree.interface.function import Argument, Function, ResultColumn, columns
from madtree.interface.functions import (
    FUNCTIONS,
    INTERNAL,
    LATER_SETTINGS,
    NUMERIC_COLUMNS,
    ROW_FUNCTIONS,
    SETTINGS,
    labels,
    listed_parameters,
    own_settings,
)
from madtree.interface.shared import TEXTS
from madtree.interface.usage import as_sql, example, usage
from madtree.interface.valid import Named, OneOf, Range
