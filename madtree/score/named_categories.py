"""The categories that the splits of a model name, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from madtree.host import Host
from madtree.learn.data import Array, Bools, Ints, sent_ints
from madtree.model import ModelTables
from madtree.sqltext import models as sql


@dataclass(frozen=True)
class NamedCategories:
    """The categories that splits name; (n_entries,) each.

    Attributes:
        split: its position: that of its node, or, of a surrogate, behind those of all nodes.
        feature: position of its feature in the model, from 1.
        key: of the category, as `sqltext.values.category_key` makes it of a value.
        is_null: the category is NULL, and `key` means nothing.
        goes_left: where the split sends it.
    """

    split: Ints
    feature: Ints
    key: Ints
    is_null: Bools
    goes_left: Bools

    @classmethod
    def join(cls, parts: Sequence[NamedCategories]) -> NamedCategories:
        """Several as one; at least one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def listed_categories(
    host: Host, tables: ModelTables, nodes: Mapping[str, Array], names: Sequence[str], booleans: Sequence[bool]
) -> NamedCategories:
    """Those of nodes, unless these are packed, and of surrogates.

    Args:
        nodes: columns of all nodes.
        names, booleans: of each feature of the model its name, and whether it is boolean.
    """
    statement = sql.category_numbers(
        tables.schema, tables.name, nodes=not tables.is_packed, surrogates=tables.has_surrogates
    )
    row = host.query(statement, ["pg_catalog.text[]", "pg_catalog.bool[]"], [list(names), list(booleans)])[0]
    columns = {column: sent_ints(data) for column, data in row.items()}
    return NamedCategories(
        split=columns["split"] + (len(nodes["node_id"]) if tables.is_packed else 0),
        feature=columns["feature"],
        key=columns["key"],
        is_null=columns["is_null"] == 1,
        goes_left=columns["goes_left"] == 1,
    )
