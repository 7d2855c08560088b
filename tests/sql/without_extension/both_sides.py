"""Models, and calls of madtree over two sessions: one with the extension, one without."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

JSON = 114  # the type's OID
FEATURES = "x, n, word, flag, day, xs[2]"
MAKE = """
CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
CREATE TABLE data AS SELECT i AS id, 'row ' || i AS name, (ARRAY['glad', 'sad', 'ok'])[1 + i % 3]::mood AS mood,
    CASE WHEN i % 11 > 0 THEN i * 7919 % 1000 / 7.0::float8 END AS x, CASE WHEN i % 13 > 0 THEN i * 53 % 17 END AS n,
    CASE WHEN i % 7 > 0 THEN 'w' || i * 31 % 5 END AS word, i % 4 = 0 AS flag, date '2024-01-01' + i % 90 AS day,
    ARRAY[i, sin(i)] AS xs, 1 + i % 3 AS weight,
    CASE WHEN i * 7919 % 1000 > 300 + i % 5 * 100 THEN 'yes' WHEN i % 4 = 0 THEN 'may be' ELSE 'no' END AS class,
    i * 7919 % 1000 / 100.0 + i % 4 AS number
FROM generate_series(1, 900) AS i;
-- Rows of groups that no model knows, without a group, and of other types than those of training.
CREATE TABLE fresh AS SELECT id * 10 AS id, name, CASE WHEN id % 50 > 0 THEN mood END AS mood, x::numeric AS x, n::int8
    AS n, CASE WHEN id % 9 > 0 THEN word ELSE 'unheard of' END::varchar(20) AS word, flag, day, xs, weight, class,
    number
FROM data WHERE id % 3 > 0;
CREATE VIEW seen AS SELECT * FROM data WHERE id % 2 = 0;
"""
VALIDATED = {"pruning_params": "n_folds=3"}
SURROGATES = {"null_handling_params": "max_surrogates=1"}
# By name: function, dependent variable and further arguments.
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "of_classes": (
        "tree",
        "class",
        {"surrogate_params": "max_surrogates=2", "pruning_params": "n_folds=3", "weights": "weight"},
    ),
    "of_numbers": ("tree", "number", {"grouping_cols": "mood", "max_competitors": 2}),
    "of_nulls": ("tree", "class", {"grouping_cols": "mood", "null_handling_params": "null_as_category=true"}),
    "forest": (
        "forest",
        "class",
        {"grouping_cols": "mood", "num_trees": 4} | SURROGATES,
    ),
    "forest_of_numbers": ("forest", "number", {"num_trees": 5, "intervals": True}),
    "by_thresholds": ("forest", "class", {"features": "x, n", "num_trees": 5}),
}


@dataclass
class Both:
    """The same tables twice.

    Attributes:
        here: a superuser's session where the extension is.
        there: an ordinary user's, who owns all, where it is not.
    """

    here: psycopg.Connection
    there: psycopg.Connection

    @property
    def host(self) -> PsycopgHost:
        return PsycopgHost(self.there)

    def call(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """Call a function of madtree's over the session without the extension, as a piece of work."""
        with self.there.transaction():
            found = function(self.host, *arguments, **named)
        for row in found if isinstance(found, list) else []:
            row["group_values"] = json.loads(row["group_values"] or "null")
        return found

    def ask(self, name: str, *arguments: Any) -> Any:
        """What a function says there that the extension has by this name: a value, or rows; JSON as its value."""
        found = self.call(call, name, arguments)
        values = [
            [json.loads(value) if type_ == JSON else value for value, type_ in pairs]
            for pairs in (zip(row, found.types, strict=True) for row in found.rows)
        ]
        if found.columns == (name,):
            return values[0][0]
        return [dict(zip(found.columns, row, strict=True)) for row in values]


def rows(db: psycopg.Connection, query: str, *parameters: Any) -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(query, parameters or None, prepare=False).fetchall()


def run(*command: str, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def train(db: psycopg.Connection, model: str) -> None:
    kind, dependent, more = MODELS[model]
    named = {"features": FEATURES, **more}
    features = named.pop("features")
    names = "".join(f", {name} => %({name})s" for name in named)
    db.execute(
        f"SELECT madtree.{kind}_train('data', '{model}', 'id', '{dependent}', '{features}'{names})", named or None
    )


def dumped(dsn: str, schema: str) -> str:
    return run("pg_dump", "--no-owner", "--no-privileges", "--schema", schema, dsn)
