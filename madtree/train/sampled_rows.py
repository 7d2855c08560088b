"""The rows of a training by which it is kept how values are distributed: all that can be used, or of many some.

A query of its own reads them: so they are the same whoever keeps the blocks of a training, and grows its trees.
"""

from __future__ import annotations

import numpy as np

from madtree.ingest import read_images, row_source
from madtree.learn.data import Floats, rows_in
from madtree.sqltext import rows as sql
from madtree.sqltext.quote import binary, float_literal
from madtree.sqltext.rows import RowSource
from madtree.train.source import Call
from madtree.train.survey import Survey
from madtree.trees import OWN_NUMBERS

MOST_ROWS = 20_000  # of which none is left out; of more rows about half as many are drawn
_MOST_BYTES = 16 * 2**20
_LEAST_ROWS = 1_024
# Rows that lie together are often alike: they are drawn from as many pages as so many times their number would fill.
_MORE_PAGES = 5


def sampled_rows(call: Call, found: Survey) -> Floats:
    """(n_rows, n_numbers) of each the group, where there are groups, the features, NaN where missing, categories by
    their keys, and the offset, where there are offsets.

    Args:
        call: of what the model tells, in which no category is a number.
    """
    task, source = call.task, found.source
    rows = row_source(task, source.rows.relation, source.rows.groups, with_identity=False, is_sent=source.rows.sent)
    most = min(MOST_ROWS, max(_LEAST_ROWS, _MOST_BYTES // (8 * rows.n_columns)))
    relation, conditions = rows.relation, [rows.usable]
    if task.held_out is not None:
        conditions.append(f"({task.held_out.flag}) IS NOT TRUE")
    if found.profile.total > most:
        share, seed = most / 2 / found.profile.total, found.parameters.seed
        if source.oids and _MORE_PAGES * share < 1:
            relation, share = f"{relation} {sql.sampled(_MORE_PAGES * share, seed)}", 1 / _MORE_PAGES
        if source.oids or source.spread:
            conditions.append(sql.drawn_by_place(float_literal(share), seed))
        else:  # a view on another server
            number = sql.identity_number(task.id_sql, task.id_type, task.id_writer)
            conditions.append(binary(number, "<", float_literal(share * 2.0**32)))
    query = sql.images(rows, rows.from_clause(relation, " AND ".join(conditions)))
    images = read_images(source.reader, rows, query)
    numbers = rows_in(images, rows.n_columns) if isinstance(images, bytes) else images
    assert numbers is not None  # NULL is NaN
    return np.take(numbers, _columns(rows), axis=1)


def _columns(rows: RowSource) -> list[int]:
    """Those of a row's numbers that say what it is, and not what comes of it."""
    own = [name for name in OWN_NUMBERS if name in rows.has]
    first = [own.index("tree")] if "tree" in own else []
    last = [own.index("offset")] if "offset" in own else []
    return [*first, *range(len(own), rows.n_columns), *last]
