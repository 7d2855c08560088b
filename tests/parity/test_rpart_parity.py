"""madtree's trees are rpart's, node by node, on every case of `cases.json`. See README and docs/rpart.md."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row
from rpart_frame import HERE, DataSet, Fit, Node, Question, data_sets
from trees import read_nodes

SETS = data_sets()
CASES = [pytest.param((name, case), id=f"{name}: {case}") for name, entry in SETS.items() for case in entry.cases]
CRITERIA = {"gini": "gini", "information": "entropy"}
TYPES = {"float": "float8", "integer": "integer", "boolean": "boolean", "factor": 'text COLLATE "C"'}


@dataclass(frozen=True)
class Trained:
    """A case, trained on the table `data` as `model` in a schema of its own, which is on the search path."""

    fit: Fit
    db: psycopg.Connection

    @property
    def nodes(self) -> dict[int, dict[str, Any]]:
        (nodes,) = read_nodes(self.db, "model").values()
        return nodes

    def rows(self, query: str) -> list[dict[str, Any]]:
        return self.db.cursor(row_factory=dict_row).execute(query).fetchall()  # type: ignore[arg-type]

    def leaves(self, table: str) -> dict[int, int]:
        """The leaf of every row of a table, by id."""
        self.db.execute("SELECT madtree.tree_predict('model', %s, %s, 'leaf')", [table, f"{table}_leaves"])
        return {row["id"]: row["node_id"] for row in self.rows(f"SELECT * FROM {table}_leaves")}


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, dsn: str) -> Iterator[Trained]:
    name, case = request.param
    schema = f"parity_{secrets.token_hex(6)}"
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as db:
        db.execute(f"CREATE SCHEMA {schema}; SET search_path = {schema}, madtree")
        load(db, SETS[name])
        train(db, SETS[name], SETS[name].cases[case])
        yield Trained(Fit(SETS[name], case), db)
        db.execute(f"DROP SCHEMA {schema} CASCADE")


def load(db: psycopg.Connection, entry: DataSet) -> None:
    """Tables `data` and `new`, with the row's number, from 1, as id."""
    for feature, levels in entry.orders.items():
        db.execute(sql.SQL("CREATE TYPE {} AS ENUM ({})").format(ident(feature), sql.SQL(", ").join(levels)))
    types = {feature: TYPES.get(kind, f'"{feature}"') for feature, kind in entry.features.items()}
    others = {entry.dependent: TYPES[entry.dependent_kind], "w": "float8", "fold": "integer"}
    copy(db, "data", f"{entry.data}.csv", types | others)
    copy(db, "new", f"{entry.data}_new.csv", types)


def ident(name: str) -> sql.Identifier:
    return sql.Identifier(name)


def copy(db: psycopg.Connection, table: str, file: str, types: dict[str, str]) -> None:
    """A table of a file's columns that are among `types`."""
    columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
    db.execute(f"CREATE TABLE {table} (id integer GENERATED ALWAYS AS IDENTITY, {columns})")
    names = ", ".join(f'"{name}"' for name in types)
    text = io.StringIO()
    with (HERE / "data" / file).open(newline="", encoding="utf-8") as source:
        writer = csv.writer(text)
        writer.writerows([row[name] for name in types] for row in csv.DictReader(source))
    with db.cursor().copy(f"COPY {table} ({names}) FROM STDIN (FORMAT csv)") as out:
        out.write(text.getvalue())


def train(db: psycopg.Connection, entry: DataSet, settings: dict[str, Any]) -> None:
    criterion = CRITERIA[settings.get("split", "gini")] if entry.method == "class" else "mse"
    surrogates = f"max_surrogates={settings.get('maxsurrogate', 0)}, surrogate_style={settings.get('surrogatestyle', 0)}"
    try:
        db.execute(
            "SELECT madtree.tree_train('data', 'model', 'id', %s, %s, split_criterion => %s, weights => %s,"
            " max_depth => %s, min_split => %s, min_bucket => %s, n_bins => 0, surrogate_params => %s,"
            " pruning_params => %s)",
            [
                entry.dependent,
                ",".join(entry.features),
                criterion,
                "w" if settings.get("weights") else None,
                settings.get("maxdepth", 30),
                settings["minsplit"],
                settings["minbucket"],
                surrogates,
                f"cp={settings['cp']}" + (", fold_col=fold" if settings.get("folds") else ""),
            ],
        )
    except psycopg.errors.FeatureNotSupported as error:
        pytest.skip(str(error.diag.message_primary))


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def asked(row: dict[str, Any], entry: DataSet) -> Question:
    """What a row of `_nodes` or `_surrogates` asks, as rpart tells it."""
    threshold = row["threshold"]
    if threshold is not None and entry.features[row["feature"]] == "ordered":
        threshold = int(threshold)
    return Question(
        feature=row["feature"],
        threshold=threshold if threshold is None else near(threshold),
        left_levels=frozenset(row["left_levels"]) if row["left_levels"] else None,
        right_levels=frozenset(row["right_levels"]) if row["right_levels"] else None,
        low_goes_left=row.get("low_goes_left", True) if threshold is not None else None,
    )


def described(node: Node) -> dict[str, Any]:
    return {
        "n_rows": node.n_rows,
        "weight": near(node.weight),
        "risk": near(node.risk),
        "complexity": near(node.complexity),
        "prediction": node.prediction if node.class_weights else near(node.prediction),
        "class_weights": near(node.class_weights) if node.class_weights else None,
        "improvement": near(node.improvement) if node.improvement is not None else None,
        "test": node.test,
    }


every_case = pytest.mark.parametrize("trained", CASES, indirect=True)


@every_case
def test_nodes_are_rparts(trained: Trained) -> None:
    if trained.fit.settings.get("folds"):
        pytest.skip("the tree is pruned at the cp that cross-validation chose")
    nodes = {
        number: {name: row[name] for name in ("n_rows", "weight", "risk", "complexity", "prediction", "improvement")}
        | {"class_weights": row["class_weights"], "test": None if row["is_leaf"] else asked(row, trained.fit.data_set)}
        for number, row in trained.nodes.items()
    }
    assert nodes == {number: described(node) for number, node in trained.fit.nodes.items()}


@every_case
def test_training_rows_end_in_rparts_leaves(trained: Trained) -> None:
    if trained.fit.settings.get("folds"):
        pytest.skip("the tree is pruned at the cp that cross-validation chose")
    leaves = trained.leaves("data")
    known = {number: leaf for number, leaf in enumerate(trained.fit.trained_leaves, 1) if leaf is not None}
    assert {number: leaves[number] for number in known} == known


@every_case
def test_new_rows_end_in_rparts_leaves(trained: Trained) -> None:
    if trained.fit.settings.get("folds"):
        pytest.skip("the tree is pruned at the cp that cross-validation chose")
    leaves = trained.leaves("new")
    assert list(leaves.values()) == trained.fit.scored_leaves
