"""The types of a model's classes and groups are written with their schema, though the search path finds them: another
role could make one of the same name in an earlier schema of the path between two statements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

CALLS = (
    ("tree_predict", "m", "t", "p"), ("tree_predict", "m", "t", "q", "prob"), ("tree_evaluate", "m", "t"),
    ("tree_refresh", "m", "t", "r"), ("calibrate", "m", "t", "c"), ("tree_sql", "m"), ("tree_shap", "m", "t", "s"),
    ("forest_predict", "f", "t", "pf"), ("tree_refresh", "f", "t", "rf"), ("calibrate", "f", "t", "cf"),
    ("boost_predict", "b", "t", "pb"), ("tree_refresh", "b", "t", "rb"),
)  # fmt: skip


class Recording(PsycopgHost):
    """A host that keeps the statements that it runs."""

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.statements: list[str] = []

    def _run(self, sql_: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> Any:
        self.statements.append(sql_)
        return super()._run(sql_, types, params, **how)


@pytest.mark.parametrize("grouping", ["NULL", "'g'"])
def test_no_statement_has_one_without_its_schema(db: psycopg.Connection, grouping: str) -> None:
    db.execute(
        "CREATE TYPE mood AS ENUM ('low', 'high'); CREATE TABLE t AS SELECT i AS id, i * 37 % 90 AS x,"
        " (ARRAY['low', 'high'])[1 + (i * 37 % 90 + i % 7 * 5 > 50)::int]::mood AS y,"
        " (ARRAY['low', 'high'])[1 + i % 2]::mood AS g FROM generate_series(1, 200) AS i"
    )
    for model, kind, more in (
        ("m", "tree", ""),
        ("f", "forest", ", num_trees => 2"),
        ("b", "boost", ", num_trees => 2"),
    ):
        given = f"'t', '{model}', 'id', 'y', 'x', grouping_cols => {grouping}{more}"
        db.execute(f"SELECT {kind}_train({given})")  # type: ignore[arg-type]
    host = Recording(db)
    with db.transaction():
        for name, *arguments in CALLS:
            call(host, name, arguments)
    named = [each for each in host.statements if "mood" in each]
    assert named
    assert [each for each in named if re.search(r"(?<![.\w\"])\"?mood\b", each)] == []
