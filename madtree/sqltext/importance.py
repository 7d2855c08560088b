"""The statements that read a model's variable importance, and write it as a table."""

from __future__ import annotations

from collections.abc import Mapping

from madtree.sqltext.kinds import TABLES
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table
from madtree.trees import ModelKind

_GAINS = ("feature", "impurity_var_importance", "raw_importance")
_ALSO_PERMUTED = (
    "feature",
    "oob_var_importance",
    "impurity_var_importance",
    "raw_oob_importance",
    "oob_importance_sd",
    "raw_importance",
)


def importance_columns(kind: ModelKind) -> tuple[str, ...]:
    """Names of the columns beside those of the groups."""
    return _ALSO_PERMUTED if _is_permuted(kind) else _GAINS


def create_importance(kind: ModelKind, target: str, schema: str, name: str, grouping: Mapping[str, str]) -> str:
    """CREATE TABLE .. AS with the importance in a model of that kind; `target` is the table to create, as SQL."""
    return f"CREATE TABLE {target} AS\n{importance(kind, schema, name, grouping)}"


def importance(
    kind: ModelKind, schema: str, name: str, grouping: Mapping[str, str], *, best_first: bool = False
) -> str:
    """A query for the importance of a model's features: a row for each feature of each tree, or of each group of many.

    Args:
        schema, name: of the model, unquoted.
        grouping: grouping columns, unquoted, with their values in table `t`.
        best_first: the most important features first, of each tree or group; else they are in the model's order.
    """
    if _is_permuted(kind):
        return _with_permuted(schema, name, grouping, best_first)
    return _by_gains(kind, schema, name, grouping, best_first)


def _is_permuted(kind: ModelKind) -> bool:
    """Whether training can permute features among out-of-bag rows."""
    return "oob_var_importance" in dict(TABLES[kind].of_groups)


def _with_permuted(schema: str, name: str, grouping: Mapping[str, str], best_first: bool) -> str:
    """Shares of 100, where what is negative counts as 0, and the numbers as such."""
    best = "f.oob DESC NULLS LAST, f.raw DESC NULLS LAST, " if best_first else ""
    groups = _group_values(grouping)
    return f"""\
SELECT {groups}f.feature, {_share("f.oob", "s.oob")} AS oob_var_importance,
    {_share("f.raw", "s.raw")} AS impurity_var_importance,
    f.oob AS raw_oob_importance, f.sd AS oob_importance_sd, f.raw AS raw_importance
FROM {model_table(schema, name, "_group")} AS t
CROSS JOIN {model_table(schema, name, "_summary")} AS m
CROSS JOIN LATERAL ROWS FROM (
    pg_catalog.unnest(m.features), pg_catalog.unnest(t.oob_var_importance),
    pg_catalog.unnest(t.oob_var_importance_sd), pg_catalog.unnest(t.impurity_var_importance)
) WITH ORDINALITY AS f(feature, oob, sd, raw, position)
CROSS JOIN LATERAL (
    SELECT pg_catalog.sum(GREATEST(i.oob, 0::pg_catalog.float8)) AS oob, pg_catalog.sum(i.raw) AS raw
    FROM ROWS FROM (
        pg_catalog.unnest(t.oob_var_importance), pg_catalog.unnest(t.impurity_var_importance)
    ) AS i(oob, raw)
) AS s
ORDER BY t.gid, {best}f.position"""


def _group_values(grouping: Mapping[str, str]) -> str:
    return "".join(f"{value} AS {ident(column)}, " for column, value in grouping.items())


def _share(value: str, total: str) -> str:
    """Of 100; 0 where there is nothing to share out, NULL where the value is."""
    share = (
        f"(GREATEST({value}, 0::pg_catalog.float8) OPERATOR(pg_catalog./) {total}) "
        "OPERATOR(pg_catalog.*) 100::pg_catalog.float8"
    )
    return f"CASE WHEN {value} IS NULL THEN NULL WHEN {total} OPERATOR(pg_catalog.>) 0 THEN {share} ELSE 0 END"


def _by_gains(kind: ModelKind, schema: str, name: str, grouping: Mapping[str, str], best_first: bool) -> str:
    number = kind.group_number
    groups = _group_values(grouping)
    order = f"t.{number}, f.raw DESC NULLS LAST, f.position" if best_first else f"t.{number}, f.position"
    return f"""\
SELECT {groups}f.feature,
    CASE WHEN s.total OPERATOR(pg_catalog.>) 0
        THEN (f.raw OPERATOR(pg_catalog./) s.total) OPERATOR(pg_catalog.*) 100::pg_catalog.float8
        ELSE 0::pg_catalog.float8 END AS impurity_var_importance,
    f.raw AS raw_importance
FROM {model_table(schema, name, kind.groups_in)} AS t
CROSS JOIN {model_table(schema, name, "_summary")} AS m
CROSS JOIN LATERAL ROWS FROM (
    pg_catalog.unnest(m.features), pg_catalog.unnest(t.impurity_var_importance)
) WITH ORDINALITY AS f(feature, raw, position)
CROSS JOIN LATERAL (
    SELECT pg_catalog.sum(i.raw) AS total FROM pg_catalog.unnest(t.impurity_var_importance) AS i(raw)
) AS s
ORDER BY {order}"""
