"""tree_prune gives the model that a training with that cp would have given, without the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.errors import InvalidParameterValue
from psycopg.rows import dict_row
from shares import share
from training import Tables, left_behind, read_model, train
from trees import read_nodes

N_ROWS = 600
# Of a training: dependent, split_criterion, weights, grouping_cols.
TRAININGS = {
    "gini": ("label", "gini", None, None),
    "entropy of three classes": ("kind", "entropy", None, None),
    "misclassification": ("label", "misclassification", None, None),
    "weighted classes": ("kind", "gini", "w", None),
    "regression": ("y", "mse", None, None),
    "weighted regression": ("y", "mse", "w", None),
    "counts": ("abs(round(y))", "poisson", "w", None),
    "groups": ("label", "gini", None, "region"),
    "groups of numbers": ("y", "mse", None, "region"),
}


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    """Noisy rows with missing values; region d has one row without a known outcome, so that its tree fails."""
    rng = np.random.default_rng(11)
    db.execute("""CREATE TABLE data (id int, a float8, b int, c text, label boolean, kind text, y float8, w float8,
                  region text)""")
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for i in range(N_ROWS):
            a, b, c = rng.normal(), int(rng.integers(0, 9)), "abcde"[rng.integers(0, 5)]
            score = a + 0.3 * b * (c in "ace") + rng.normal(0, 1.5)
            kind = ("low", "mid", "high")[int(np.clip(score, 0, 2))]
            missing = rng.random(2) < 0.1
            copy.write_row(
                (
                    *(i, None if missing[0] else a, b, None if missing[1] else c, score > 1, kind, round(score, 3)),
                    *(float(rng.integers(1, 5)), "abc"[rng.integers(0, 3)]),
                )
            )
        copy.write_row((N_ROWS, 1.0, 1, "a", None, None, None, 1.0, "d"))
    return db


def train_one(db: psycopg.Connection, model: str, setting: str, cp: float, surrogates: str | None = None) -> None:
    """One of TRAININGS, pruned at `cp`."""
    dependent, criterion, weights, grouping = TRAININGS[setting]
    options = {"split_criterion": criterion, "grouping_cols": grouping, "weights": weights, "max_depth": 8}
    options |= {"min_split": 6, "surrogate_params": surrogates, "pruning_params": f"cp={cp}"}
    train(db, "data", model, dependent, "a, b, c", **options)


def prune(db: psycopg.Connection, model: str, new_model: str, cp: float) -> str:
    (line,) = db.execute("SELECT madtree.tree_prune(%s, %s, %s)", [model, new_model, cp]).fetchone()
    return str(line)


def without_complexity_of_leaves(db: psycopg.Connection, model: str) -> Tables:
    tables = read_model(db, model)
    for node in tables["_nodes"]:
        if node["is_leaf"] == "true":
            node["complexity"] = None
    return tables


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("turn", "setting"), list(enumerate(TRAININGS)))
def test_it_is_the_model_of_a_training_with_that_cp(data: psycopg.Connection, turn: int, setting: str) -> None:
    train_one(data, "whole", setting, 0)
    train_one(data, "unpruned", setting, -1)
    for number, cp in enumerate(share([0, 0.0005, 0.002, 0.004, 0.01, 0.03, 0.2, 1], 3, turn)):
        trained, pruned = f"trained{number}", f"pruned{number}"
        train_one(data, trained, setting, cp)
        prune(data, "whole", pruned, cp)
        # By misclassification a node with some gain on the rows whose value is known may have none on all rows, and
        # the nodes of a model at cp 0 do not tell whether a leaf was such a one or had no gain at all.
        read = without_complexity_of_leaves if setting == "misclassification" else read_model
        assert read(data, pruned) == read(data, trained)
        # The nodes of a tree that was not pruned tell all.
        prune(data, "unpruned", f"{pruned}_again", cp)
        assert read_model(data, f"{pruned}_again") == read_model(data, trained)


@pytest.mark.parametrize("setting", ["gini", "regression", "groups"])
def test_it_can_be_done_in_steps(data: psycopg.Connection, setting: str) -> None:
    """Of a leaf that training had tried to split, the complexity is known up to the cp of that training only."""
    train_one(data, "step0", setting, 0.001)
    prune(data, "step0", "step1", 0.004)
    prune(data, "step1", "step2", 0.02)
    train_one(data, "trained", setting, 0.02)
    assert without_complexity_of_leaves(data, "step2") == without_complexity_of_leaves(data, "trained")
    assert all(
        node["complexity"] <= 0.02 * (1 + 1e-12)
        for tree in read_nodes(data, "step2").values()
        for node in tree.values()
        if node["is_leaf"]
    )


def test_a_model_keeps_its_other_columns_and_its_owners_table(data: psycopg.Connection, schema: str) -> None:
    train_one(data, "whole", "gini", 0)
    data.execute("ALTER TABLE whole_nodes ADD note text")
    data.execute("UPDATE whole_nodes SET note = 'root' WHERE node_id = 0")
    before = read_model(data, "whole")
    data.execute('CREATE SCHEMA "Other ""Schema"""')
    try:
        line = prune(data, "whole", '"Other ""Schema"""."My Model"', 0.01)
        assert line.startswith('tree_prune: whole pruned at cp 0.01 into "Other ""Schema"""."My Model": 1 tree, ')
        data.execute('SET search_path = "Other ""Schema""", madtree')
        assert data.execute('SELECT note FROM "My Model_nodes" WHERE note IS NOT NULL').fetchall() == [("root",)]
        assert data.execute('SELECT model_table, input_cp FROM "My Model_summary"').fetchall() == [
            ('"Other ""Schema"""."My Model"', 0.01)
        ]
        data.execute("""SELECT madtree.tree_drop('"My Model"')""")
        data.execute(f"SET search_path = {schema}, madtree")
        assert read_model(data, "whole") == before
    finally:
        data.execute('DROP SCHEMA "Other ""Schema""" CASCADE')


def test_a_pruned_model_predicts(data: psycopg.Connection) -> None:
    train_one(data, "whole", "groups", 0)
    prune(data, "whole", "small", 0.05)
    data.execute("SELECT madtree.tree_predict('small', 'data', 'predicted', 'leaf')")
    assert data.execute("""SELECT count(*) FROM predicted p LEFT JOIN data d USING (id) LEFT JOIN small t USING (region)
        LEFT JOIN small_nodes n ON n.tree_id = t.tree_id AND n.node_id = p.node_id
        WHERE n.is_leaf IS NOT TRUE AND region <> 'd'""").fetchone() == (0,)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("setting", "surrogates"),
    [
        (setting, surrogates)
        for turn, setting in enumerate(["gini", "weighted classes", "regression", "groups"])
        for surrogates in share(["max_surrogates=2", "max_surrogates=5, null_as_category=true"], 2, turn)
    ],
)
def test_surrogates_of_the_nodes_that_stay(data: psycopg.Connection, setting: str, surrogates: str) -> None:
    """They count for importance by their adjusted agreement."""
    train_one(data, "whole", setting, 0, surrogates)
    for number, cp in enumerate([0, 0.002, 0.01, 0.05]):
        trained, pruned = f"trained{number}", f"pruned{number}"
        train_one(data, trained, setting, cp, surrogates)
        prune(data, "whole", pruned, cp)
        model = read_model(data, pruned)
        assert model == read_model(data, trained)
        assert model["_surrogates"]


def test_cross_validation_is_copied(data: psycopg.Connection) -> None:
    train_one(data, "whole", "gini", 0)
    data.execute("DROP TABLE IF EXISTS whole_cv")
    data.execute("""CREATE TABLE whole_cv AS SELECT cp, n_splits, 0.5::float8 AS rel_error, 0.1::float8 AS cv_error_avg,
        0.1::float8 AS cv_error_stddev, 0.6::float8 AS xerror, 0.01::float8 AS xstd, cp = 0.01 AS chosen
        FROM (VALUES (0.1::float8, 0), (0.01::float8, 3)) v(cp, n_splits)""")
    prune(data, "whole", "small", 0.01)
    cursor = data.cursor(row_factory=dict_row)
    assert cursor.execute("TABLE small_cv").fetchall() == cursor.execute("TABLE whole_cv").fetchall()


def test_trees_that_were_pruned_harder_stay_as_they_are(data: psycopg.Connection) -> None:
    """Of a model with a cp for each group, as cross-validation chooses them."""
    train_one(data, "mixed", "groups", 0.001)
    train_one(data, "harder", "groups", 0.02)
    for table in ("", "_nodes"):
        data.execute(f"DELETE FROM mixed{table} WHERE tree_id = 2")
        data.execute(f"INSERT INTO mixed{table} SELECT * FROM harder{table} WHERE tree_id = 2")
    prune(data, "mixed", "small", 0.01)
    trees = read_nodes(data, "small")
    assert trees[2] == read_nodes(data, "harder")[2]
    cps = data.execute("SELECT pruning_cp FROM small ORDER BY tree_id").fetchall()
    assert [cp for (cp,) in cps] == [0.01, 0.02, 0.01, 0.01]
    train_one(data, "trained", "groups", 0.01)
    assert trees[1].keys() == read_nodes(data, "trained")[1].keys()


def test_another_users_model_can_be_pruned_into_ones_own(data: psycopg.Connection, user_db: psycopg.Connection) -> None:
    train_one(data, "whole", "gini", 0)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table whole"):
        prune(user_db, "whole", "mine", 0.01)
    data.execute("GRANT SELECT ON whole, whole_nodes, whole_summary TO public")
    prune(user_db, "whole", "mine", 0.01)
    (owner,) = user_db.execute(
        "SELECT relowner = current_user::regrole FROM pg_class WHERE oid = 'mine_nodes'::regclass"
    ).fetchone()
    assert owner
    assert user_db.execute("SELECT to_regclass('mine_statistics')").fetchone() == (None,)
    user_db.execute("SELECT madtree.tree_drop('mine')")
    data.execute("GRANT SELECT ON whole_statistics TO public")
    prune(user_db, "whole", "mine", 0.01)
    assert user_db.execute("SELECT count(*) > 2 FROM mine_statistics").fetchone() == (True,)
    user_db.execute("SELECT madtree.tree_drop('mine')")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((None, "new", 0.1), "model must be the name of a model, not NULL"),
        (("nothing", "new", 0.1), "model: relation nothing does not exist"),
        (("data", "new", 0.1), "model: data is not a madtree model"),
        (("whole", "new", None), "cp must be a number, not NULL"),
        (("whole", "new", -5.0), "cp must be at least 0.01, at which whole was pruned already, not -5.0"),
        (("whole", "new", float("nan")), "cp must be a number, not nan"),
        (("whole", "new", float("inf")), "cp must be a number, not inf"),
        (("whole", "new", 0.0099), "cp must be at least 0.01, at which whole was pruned already, not 0.0099"),
    ],
)
def test_mistakes_are_named(data: psycopg.Connection, schema: str, arguments: tuple[Any, ...], sentence: str) -> None:
    train_one(data, "whole", "gini", 0.01)
    before = left_behind(data)
    with pytest.raises(psycopg.Error) as caught:
        data.execute("SELECT madtree.tree_prune(%s, %s, %s)", arguments)
    assert str(caught.value.diag.message_primary).removeprefix("madtree: ").startswith(sentence)
    assert left_behind(data) == before


@pytest.mark.parametrize("suffix", ["", "_nodes", "_summary", "_surrogates", "_cv"])
def test_nothing_is_overwritten(data: psycopg.Connection, schema: str, suffix: str) -> None:
    train_one(data, "whole", "gini", 0)
    data.execute(f"CREATE TABLE new{suffix} (mine int)")
    with pytest.raises(psycopg.errors.DuplicateTable, match=f'new_model: "{schema}"."new{suffix}" exists already'):
        prune(data, "whole", "new", 0.01)


def test_a_damaged_model_is_told(data: psycopg.Connection) -> None:
    train_one(data, "whole", "gini", 0)
    data.execute("DELETE FROM whole_nodes WHERE node_id = 2")
    with pytest.raises(InvalidParameterValue, match="whole is damaged: its nodes are not whole trees"):
        prune(data, "whole", "new", 0.01)


def test_help(db: psycopg.Connection) -> None:
    (text,) = db.execute("SELECT madtree.tree_prune()").fetchone()
    assert "SELECT madtree.tree_prune(" in text
    assert db.execute("SELECT madtree.tree_prune('usage')").fetchone() == (text,)
    with pytest.raises(
        InvalidParameterValue,
        match="tree_prune with one argument takes 'usage', 'help', 'example', '\\?', not 'model'",
    ):
        db.execute("SELECT madtree.tree_prune('model')")
