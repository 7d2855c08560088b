"""boost_cut: the first rounds of a boosted model as a model of its own."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from boosted_data import HALF, MAKE, boost, score
from forest_data import rows
from shares import share
from training import left_behind, read_model

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbers": ("y", {}),
    "two classes, weights": ("late", {"weights": "w"}),
    "five classes": ("k", {"num_trees": 6}),
    "groups": ("y", {"grouping_cols": "g"}),
    "counts": ("n", {"loss": "poisson"}),
    "groups of classes": ("k", {"grouping_cols": "g", "boost_params": "subsample=0.6"}),
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def cut(db: psycopg.Connection, num_trees: int | None, model: str = "m", new_model: str = "short") -> str:
    (line,) = db.execute("SELECT madtree.boost_cut(%s, %s, %s)", [model, new_model, num_trees]).fetchone()  # type: ignore[misc]
    return str(line)


def tables(db: psycopg.Connection, model: str) -> dict[str, Any]:
    """All of a model's tables but what tells when it was trained and what it is called."""
    found: dict[str, Any] = dict(read_model(db, model))
    packed = rows(db, f"SELECT * FROM {model}_packed ORDER BY tree_id")
    for row in found["_summary"]:
        row["model_table"] = row["trained_at"] = None
    return {**found, "_packed": packed}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("training", TRAININGS)
def test_it_is_the_model_of_a_training_with_so_many_rounds(db: psycopg.Connection, training: str) -> None:
    target, more = TRAININGS[training]
    boost(db, target, **more)
    for num_trees in share((2, 1), 2, [*TRAININGS].index(training)):
        cut(db, num_trees, new_model=f"short_{num_trees}")
        boost(db, target, "trained", **{**more, "num_trees": num_trees})
        assert tables(db, f"short_{num_trees}") == tables(db, "trained"), num_trees


def test_it_predicts_as_the_first_rounds_do(db: psycopg.Connection) -> None:
    boost(db, "k", grouping_cols="g", **{**HALF, "num_trees": 20})
    lengths = [row["n_rounds"] for row in rows(db, "SELECT n_rounds FROM m_group")]
    assert len(set(lengths)) > 1
    for turn, num_trees in enumerate((1, min(lengths) + 1, max(lengths))):
        cut(db, num_trees, new_model=f"short_{num_trees}")
        for type_ in share(("response", "prob", "raw"), 3, turn):
            found = score(db, type_, f"short_{num_trees}")
            assert found == score(db, type_, num_trees=num_trees), type_
        leaves, whole = score(db, "leaf", f"short_{num_trees}"), score(db, "leaf")
        assert leaves == [{**row, "node_ids": row["node_ids"][: num_trees * 5]} for row in whole]


def test_groups_with_fewer_rounds_stay_as_they_are(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET late = NULL WHERE g = 3")
    boost(db, "late", grouping_cols="g", num_trees=40, max_leaf_nodes=12, **{**HALF, "min_bucket": 3})
    groups = {row["gid"]: row for row in rows(db, "SELECT * FROM m_group")}
    lengths = sorted({group["n_rounds"] for group in groups.values() if group["success"]})
    assert len(lengths) > 1
    assert not all(group["success"] for group in groups.values())
    line = cut(db, lengths[0] + 1)
    short = {row["gid"]: row for row in rows(db, "SELECT * FROM short_group")}
    losses = {(row["gid"], row["round"]): row for row in rows(db, "SELECT * FROM m_rounds")}
    for gid, group in groups.items():
        if group["n_rounds"] <= lengths[0] + 1:
            assert short[gid] == group
            continue
        last = losses[gid, lengths[0] + 1]
        assert short[gid]["n_rounds"] == short[gid]["n_trees"] == lengths[0] + 1
        assert [short[gid][name] for name in ("training_loss", "validation_loss")] == [
            last["training_loss"],
            last["validation_loss"],
        ]
    n_trees = sum(group["n_trees"] for group in short.values())
    of_all = sum(group["n_trees"] for group in groups.values())
    assert line == f"boost_cut: m cut to {lengths[0] + 1} rounds of 4 groups into short: {n_trees} of {of_all} trees"
    assert [row["tree_id"] for row in rows(db, "SELECT tree_id FROM short ORDER BY gid, sample_id")] == [
        *range(1, n_trees + 1)
    ]
    assert rows(db, "SELECT max(round) AS last FROM short_rounds") == [{"last": lengths[0] + 1}]


def test_what_reads_models_reads_it(db: psycopg.Connection) -> None:
    boost(db, "k", grouping_cols="g")
    cut(db, 2)
    assert cut(db, 1, "short", "shorter") == "boost_cut: short cut to 1 round of 4 groups into shorter: 20 of 40 trees"
    (listed,) = rows(db, "SELECT n_trees, parameters FROM madtree.models WHERE model ~ '[.]short$'")
    assert (listed["n_trees"], listed["parameters"]["num_trees"]) == (40, 2)
    found = {tuple(row.values()) for row in rows(db, "SELECT metric, value FROM madtree.tree_evaluate('short', 't')")}
    assert {metric for metric, _ in found} >= {"accuracy", "log_loss"}
    of_views = "SELECT n.node_id, n.prediction FROM {0} t JOIN {0}_nodes n USING (tree_id) WHERE sample_id <= 10"
    of_views += " ORDER BY gid, sample_id, node_id"
    assert rows(db, of_views.format("short")) == rows(db, of_views.format("m"))
    dropped = db.execute("SELECT madtree.tree_drop('short')").fetchone()[0]  # type: ignore[index]
    assert '"short_rounds"' in dropped


def test_a_model_keeps_its_other_columns(db: psycopg.Connection, schema: str) -> None:
    boost(db, "late")
    db.execute("ALTER TABLE m ADD note text; UPDATE m SET note = 'first' WHERE round = 1; DROP TABLE m_rounds")
    db.execute('CREATE SCHEMA "Other ""Schema"""')
    try:
        cut(db, 2, new_model='"Other ""Schema"""."My Model"')
        db.execute('SET search_path = "Other ""Schema""", madtree')
        assert rows(db, 'SELECT round, note FROM "My Model" ORDER BY 1') == [
            {"round": 1, "note": "first"},
            {"round": 2, "note": None},
        ]
        # What is lost after two rounds the model does not tell any more.
        assert rows(db, 'SELECT n_rounds, training_loss FROM "My Model_group"') == [
            {"n_rounds": 2, "training_loss": None}
        ]
        assert rows(db, 'SELECT model_table FROM "My Model_summary"') == [
            {"model_table": '"Other ""Schema"""."My Model"'}
        ]
    finally:
        db.execute(f"SET search_path = {schema}, madtree")
        db.execute('DROP SCHEMA "Other ""Schema""" CASCADE')


def test_another_users_model_can_be_cut_into_ones_own(db: psycopg.Connection, user_db: psycopg.Connection) -> None:
    boost(db, "late")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table m"):
        cut(user_db, 2)
    db.execute("GRANT SELECT ON m, m_packed, m_summary, m_group, m_rounds TO public")
    cut(user_db, 2)
    owners = rows(
        user_db,
        "SELECT DISTINCT relowner = current_user::regrole AS mine FROM pg_class WHERE oid IN ('short'::regclass, "
        "'short_packed'::regclass, 'short_nodes'::regclass, 'short_group'::regclass, 'short_rounds'::regclass)",
    )
    assert owners == [{"mine": True}]
    user_db.execute("SELECT madtree.tree_drop('short')")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((None, "new", 1), "model must be the name of a model, not NULL"),
        (("nothing", "new", 1), "model: relation nothing does not exist"),
        (("t", "new", 1), "model: t is not a madtree model"),
        (("one", "new", 1), "model: one is a model of single trees"),
        (("m", "new", None), "num_trees must be from 1 to 3, the rounds of m, not NULL"),
        (("m", "new", 0), "num_trees must be at least 1, not 0"),
        (("m", "new", 6), "num_trees must be from 1 to 3, the rounds of m, not 6"),
        (("m", None, 1), "new_model must be the name of a model to create, not NULL"),
    ],
)
def test_mistakes_are_named(db: psycopg.Connection, arguments: tuple[Any, ...], sentence: str) -> None:
    boost(db, "late")
    db.execute("SELECT madtree.tree_train('t', 'one', 'id', 'late', 'a')")
    before = left_behind(db)
    with pytest.raises(psycopg.Error) as caught:
        db.execute("SELECT madtree.boost_cut(%s, %s, %s)", arguments)
    assert str(caught.value.diag.message_primary).removeprefix("madtree: ").startswith(sentence)
    assert left_behind(db) == before


@pytest.mark.parametrize("suffix", ["", "_nodes", "_summary", "_group", "_packed", "_rounds"])
def test_nothing_is_overwritten(db: psycopg.Connection, schema: str, suffix: str) -> None:
    boost(db, "late")
    db.execute(f"CREATE TABLE short{suffix} (mine int)")
    with pytest.raises(psycopg.errors.DuplicateTable, match=f'new_model: "{schema}"."short{suffix}" exists already'):
        cut(db, 2)


def test_a_damaged_model_is_told(db: psycopg.Connection) -> None:
    boost(db, "late", num_trees=5)
    db.execute("DELETE FROM m WHERE tree_id = 3")
    with pytest.raises(psycopg.Error, match="m is damaged: tree 5 is not there"):
        cut(db, 2)
