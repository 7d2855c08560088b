"""madtree's trees are rpart's, node by node, on every case of `cases.json`. See README and docs/rpart.md."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import psycopg
import pytest
from kept_schemas import KeptSchemas
from kept_sessions import KeptSessions
from psycopg import sql
from psycopg.rows import dict_row
from rpart_frame import HERE, DataSet, Fit, Node, Question, data_sets
from training import train
from trees import read_nodes

SETS = data_sets()
CASES = [(name, case) for name, entry in SETS.items() for case in entry.cases]
CRITERIA = {"gini": "gini", "information": "entropy", "anova": "mse", "poisson": "poisson"}
TYPES = {"float": "float8", "integer": "integer", "boolean": "boolean", "factor": 'text COLLATE "C"'}


@dataclass
class Trained:
    """A case, trained on the table `data` as `model` in a schema of its own, which is on the search path. Tests only
    read the model, so what has been read and predicted once is the next test's, too.
    """

    fit: Fit
    db: psycopg.Connection
    predicted: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> dict[int, dict[str, Any]]:
        (nodes,) = read_nodes(self.db, "model").values()
        return nodes

    @cached_property
    def questions(self) -> dict[int, Question]:
        """What the split nodes ask, by id."""
        entry = self.fit.data_set
        return {number: asked(row, entry) for number, row in self.nodes.items() if not row["is_leaf"]}

    def rows(self, query: str) -> list[dict[str, Any]]:
        return self.db.cursor(row_factory=dict_row).execute(query).fetchall()

    def predict(self, table: str, kind: str, column: str) -> dict[int, Any]:
        """A column of what tree_predict writes for a table, by id."""
        if (table, kind) not in self.predicted:
            self.db.execute("DROP TABLE IF EXISTS scored")
            self.db.execute("SELECT madtree.tree_predict('model', %s, 'scored', %s)", [table, kind])
            self.predicted[table, kind] = self.rows("SELECT * FROM scored ORDER BY id")
        return {row["id"]: row[column] for row in self.predicted[table, kind]}


@pytest.fixture(scope="module")
def trained(
    request: pytest.FixtureRequest, dsn: str, sessions: KeptSessions, schemas: KeptSchemas
) -> Iterator[Trained]:
    name, case = request.param
    with schemas.schema("parity") as schema, sessions.session(dsn) as db:
        db.execute(f"SET search_path = {schema}, madtree")
        load(db, SETS[name])
        train_like_rpart(db, SETS[name], SETS[name].cases[case])
        yield Trained(Fit(SETS[name], case), db)


def load(db: psycopg.Connection, entry: DataSet) -> None:
    """Tables `data` and `new`, with the row's number, from 1, as id."""
    for feature, levels in entry.orders.items():
        db.execute(sql.SQL("CREATE TYPE {} AS ENUM ({})").format(ident(feature), sql.SQL(", ").join(levels)))
    types = {feature: TYPES.get(kind, f'"{feature}"') for feature, kind in entry.features.items()}
    others = {entry.dependent: TYPES[entry.dependent_kind], "w": "float8", "fold": "integer"}
    if entry.exposure:
        others[entry.exposure] = "float8"
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


def train_like_rpart(db: psycopg.Connection, entry: DataSet, settings: dict[str, Any]) -> None:
    criterion = CRITERIA[settings.get("split", "gini") if entry.method == "class" else entry.method]
    count, style = settings.get("maxsurrogate", 0), settings.get("surrogatestyle", 0)
    train(
        db,
        *("data", "model", entry.dependent, ",".join(entry.features)),
        split_criterion=criterion,
        weights="w" if settings.get("weights") else None,
        exposure=entry.exposure if settings.get("exposure") else None,
        shrink=settings.get("shrink"),
        max_competitors=settings.get("maxcompete", 0),
        feature_costs=", ".join(f"{name}={cost}" for name, cost in settings.get("cost", {}).items()),
        max_depth=settings.get("maxdepth", 30),
        min_split=settings["minsplit"],
        min_bucket=settings["minbucket"],
        n_bins=0,
        surrogate_params=f"max_surrogates={count}, surrogate_style={style}",
        pruning_params=f"cp={settings['cp']}" + (", fold_col=fold" if settings.get("folds") else ""),
        class_params=", ".join(f"{key}={settings[key]}" for key in ("prior", "loss") if key in settings) or None,
    )


def near(value: Any) -> Any:
    """A number, or a list or dict of numbers, but for rounding."""
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
        "prediction": node.prediction if node.class_weights else near(node.prediction),
        "class_weights": near(node.class_weights) if node.class_weights else None,
        "complexity": near(node.complexity) if node.question else None,
        "improvement": near(node.improvement) if node.improvement is not None else None,
        "question": node.question,
    }


def cases(**settings: bool) -> pytest.MarkDecorator:
    """Run a test on the cases that have these settings, or do not have them."""
    chosen = [
        pytest.param((name, case), id=f"{name}: {case}")
        for name, case in CASES
        if all(bool(SETS[name].cases[case].get(key)) == wanted for key, wanted in settings.items())
    ]
    return pytest.mark.parametrize("trained", chosen, indirect=True)


each_tree = cases(folds=False)
each_tree_with_surrogates = cases(folds=False, maxsurrogate=True)
each_tree_with_competitors = cases(folds=False, maxcompete=True)
each_cross_validation = cases(folds=True)


@each_tree
def test_nodes_are_rparts(trained: Trained) -> None:
    """But for the complexity of leaves: where rpart undid splits it depends on the order in which it tried them."""
    questions = trained.questions
    columns = ("n_rows", "weight", "risk", "prediction", "class_weights", "improvement")
    nodes = {
        number: {name: row[name] for name in columns}
        | {
            "complexity": None if row["is_leaf"] else row["complexity"],
            "question": questions.get(number),
        }
        for number, row in trained.nodes.items()
    }
    assert nodes == {number: described(node) for number, node in trained.fit.nodes.items()}


@each_tree
def test_leaves_have_at_most_the_complexity_asked_for(trained: Trained) -> None:
    leaves = [row for row in trained.nodes.values() if row["is_leaf"]]
    cp = trained.fit.settings["cp"]
    assert max(row["complexity"] for row in leaves) <= cp + 1e-9 * abs(cp)


@each_tree_with_surrogates
def test_surrogates_are_rparts(trained: Trained) -> None:
    found: dict[int, list[tuple[Question, float, float]]] = {}
    for row in trained.rows("SELECT * FROM model_surrogates ORDER BY node_id, rank"):
        question = asked(row, trained.fit.data_set)
        found.setdefault(row["node_id"], []).append((question, row["agreement"], row["adjusted_agreement"]))
    assert found == {
        number: [(s.question, near(s.agreement), near(s.adjusted_agreement)) for s in node.surrogates]
        for number, node in trained.fit.nodes.items()
        if node.surrogates
    }


@each_tree_with_competitors
def test_competitors_are_rparts(trained: Trained) -> None:
    found: dict[int, list[tuple[Question, float]]] = {}
    for row in trained.rows("SELECT * FROM model_competitors ORDER BY node_id, rank"):
        found.setdefault(row["node_id"], []).append((asked(row, trained.fit.data_set), row["improvement"]))
    assert found == {
        number: [(other.question, near(other.improvement)) for other in node.competitors]
        for number, node in trained.fit.nodes.items()
        if node.competitors
    }


@each_tree
def test_importance_is_rparts(trained: Trained) -> None:
    trained.db.execute("DROP TABLE IF EXISTS importance")
    trained.db.execute("SELECT madtree.get_var_importance('model', 'importance')")
    raw = {row["feature"]: row["raw_importance"] for row in trained.rows("SELECT * FROM importance")}
    assert {name: value for name, value in raw.items() if value} == near(trained.fit.importance)


@each_tree
def test_training_rows_end_in_rparts_leaves(trained: Trained) -> None:
    leaves = trained.predict("data", "leaf", "node_id")
    known = {number: leaf for number, leaf in enumerate(trained.fit.trained_leaves, 1) if leaf is not None}
    assert {number: leaves[number] for number in known} == known


@each_tree
def test_new_rows_end_in_rparts_leaves(trained: Trained) -> None:
    """But for rows that reach a node whose feature they lack, and no surrogate helps. rpart then goes by the number of
    rows in its children, or nowhere if they are equal; madtree, as rpart itself in training, by their weight.
    """
    nodes, by_count = trained.nodes, trained.fit.larger_child
    leaves, elsewhere = trained.predict("new", "leaf", "node_id"), []
    for number, expected in enumerate(trained.fit.scored_leaves, 1):
        leaf = leaves[number]
        if leaf != expected:
            parting = last_in_common(leaf, expected)
            heavier = 2 * parting + (1 if nodes[parting]["majority_left"] else 2)
            if by_count[parting] == heavier or heavier not in path(leaf):
                elsewhere.append((number, leaf, expected))
    assert elsewhere == []


@each_tree
def test_predictions_are_those_of_rparts_leaves(trained: Trained) -> None:
    fit, leaves = trained.fit, trained.predict("new", "leaf", "node_id")
    nodes = {number: fit.nodes[leaf] for number, leaf in leaves.items()}
    response = trained.predict("new", "response", f"estimated_{fit.data_set.dependent}")
    if fit.data_set.method != "class":
        assert response == near({number: node.prediction for number, node in nodes.items()})
        return
    assert response == {number: node.prediction for number, node in nodes.items()}
    shares = {number: node.shares or [] for number, node in nodes.items()}
    for place, label in enumerate(fit.classes):
        found = trained.predict("new", "prob", f"estimated_prob_{label}")
        assert found == near({number: share[place] for number, share in shares.items()})


@each_tree
def test_the_cp_table_is_rparts(trained: Trained) -> None:
    names = ("cp", "n_splits", "rel_error")
    found = trained.rows("SELECT * FROM madtree.tree_cp('model')")
    assert [{name: row[name] for name in names} for row in found] == [near(row) for row in trained.fit.cp_table]
    assert [row["chosen"] for row in found] == [False] * (len(found) - 1) + [True]
    (root,) = trained.rows("SELECT risk / n_rows AS error FROM model_nodes WHERE node_id = 0")
    assert {row["root_error"] for row in found} == {root["error"]}


@each_cross_validation
def test_cross_validated_errors_are_rparts(trained: Trained) -> None:
    names = ("cp", "n_splits", "rel_error", "xerror", "xstd")
    found = [{name: row[name] for name in names} for row in trained.rows("SELECT * FROM model_cv ORDER BY cp DESC")]
    assert found == [near(row) for row in trained.fit.cp_table]
    told = trained.rows("SELECT * FROM madtree.tree_cp('model')")
    assert [{name: row[name] for name in names} for row in told] == found
    kept = trained.rows("SELECT chosen FROM model_cv ORDER BY cp DESC")
    assert [row["chosen"] for row in told] == [row["chosen"] for row in kept]


@each_cross_validation
def test_tree_is_pruned_at_the_cp_with_the_least_error(trained: Trained) -> None:
    (chosen,) = trained.rows("SELECT * FROM model_cv WHERE chosen")
    least = min(row["xerror"] for row in trained.fit.cp_table)
    best = max(row["cp"] for row in trained.fit.cp_table if row["xerror"] == near(least))
    assert chosen["cp"] == near(best)
    assert trained.questions == {
        number: trained.fit.nodes[number].question for number in trained.fit.splits_above(best)
    }


def path(node: int) -> list[int]:
    """The ids from a node up to the root."""
    return [node, *(path((node - 1) // 2) if node else [])]


def last_in_common(one: int, other: int) -> int:
    return max(set(path(one)) & set(path(other)))
