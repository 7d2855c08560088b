"""The statements that read a model's variable importance, and write it as a table."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table

COLUMNS = ("feature", "impurity_var_importance", "raw_importance")


def create_importance(target: str, schema: str, name: str, grouping: Sequence[str]) -> str:
    """CREATE TABLE .. AS with the rows of `importance`; `target` is the table to create, as SQL."""
    return f"CREATE TABLE {target} AS\n{importance(schema, name, grouping)}"


def importance(schema: str, name: str, grouping: Sequence[str], best_first: bool = False) -> str:
    """A row for each tree and feature, in that order, or with `best_first` by tree and importance.

    Args:
        schema, name: of the model, unquoted.
        grouping: grouping columns, unquoted.
    """
    groups = "".join(f"t.{ident(column)}, " for column in grouping)
    order = "t.tree_id, f.raw DESC NULLS LAST, f.position" if best_first else "t.tree_id, f.position"
    return f"""\
SELECT {groups}f.feature,
    CASE WHEN s.total OPERATOR(pg_catalog.>) 0
        THEN (f.raw OPERATOR(pg_catalog./) s.total) OPERATOR(pg_catalog.*) 100::pg_catalog.float8
        ELSE 0::pg_catalog.float8 END AS impurity_var_importance,
    f.raw AS raw_importance
FROM {model_table(schema, name)} AS t
CROSS JOIN {model_table(schema, name, "_summary")} AS m
CROSS JOIN LATERAL ROWS FROM (
    pg_catalog.unnest(m.features), pg_catalog.unnest(t.impurity_var_importance)
) WITH ORDINALITY AS f(feature, raw, position)
CROSS JOIN LATERAL (
    SELECT pg_catalog.sum(i.raw) AS total FROM pg_catalog.unnest(t.impurity_var_importance) AS i(raw)
) AS s
ORDER BY {order}"""
