"""Features with categories by the thousand: nodes do not name those of a side that all others take."""

from __future__ import annotations

import psycopg
import pytest
from forest_data import rows

from madtree.engine import call
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost

N_CATEGORIES = 4_000
MAKE = f"""
    CREATE TABLE t AS SELECT i AS id, 'c' || c AS x, i % 11 AS a,
        sin(c) + CASE WHEN i % 11 > 5 THEN cos(3 * c) ELSE 0 END + (i % 7) / 20.0::float8 AS y, sin(c) > 0.2 AS late
    FROM (SELECT i, CASE WHEN i <= {N_CATEGORIES} THEN i ELSE (i::int8 * i % 97 * i) % 300 END AS c
          FROM generate_series(1, 16000) i) AS q;
    ANALYZE t
"""
LARGE = "min_bucket => 5, replace => true"


def leaves(db: psycopg.Connection, predict: str) -> None:
    """In each leaf of each tree there are as many rows of the training table as training has brought to it."""
    db.execute(f"SELECT madtree.{predict}('m', 't', 'said', 'leaf', replace => true)")
    differ = rows(
        db,
        "SELECT n.tree_id, n.node_id, n.n_rows, count(s.id) AS found FROM m_nodes n LEFT JOIN "
        "(SELECT id, u.tree_id, u.node_id FROM said, unnest(node_ids) WITH ORDINALITY AS u(node_id, tree_id)) s "
        "USING (tree_id, node_id) WHERE n.is_leaf GROUP BY 1, 2, 3 HAVING n.n_rows <> count(s.id)",
    )
    assert differ == []


def named(db: psycopg.Connection) -> int:
    (found,) = rows(db, "SELECT max(cardinality(left_levels) + cardinality(right_levels)) AS n FROM m_nodes")
    return int(found["n"])


@pytest.mark.in_turn
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("target", ["y", "late"])
def test_rows_find_the_leaves_of_their_training(db: psycopg.Connection, target: str, missing: bool) -> None:
    """Where rows lack a category they may go with the few: then the many are named."""
    db.execute(MAKE)
    if missing:
        db.execute("UPDATE t SET x = NULL WHERE id % 5 = 0")
    db.execute(
        f"SELECT madtree.boost_train('t', 'm', 'id', '{target}', 'x, a', num_trees => 8, {LARGE}, "
        "boost_params => 'min_data_per_group=10, cat_smooth=1')"
    )
    leaves(db, "boost_predict")
    assert rows(db, "SELECT count(*) AS n FROM m_nodes WHERE feature = 'x'")[0]["n"] > 20
    if not missing:
        assert named(db) <= 1_032  # the few, and as many others as are named
        (sizes,) = rows(db, "SELECT max(cardinality(category_sets)) AS n FROM m_packed")
        assert sizes["n"] < N_CATEGORIES
    (staged,) = rows(db, "SELECT loss FROM madtree.boost_staged('m', 't') ORDER BY num_trees DESC LIMIT 1")
    (trained,) = rows(db, "SELECT training_loss FROM m_group")
    assert staged["loss"] == pytest.approx(trained["training_loss"], rel=1e-12)


@pytest.mark.parametrize("surrogates", [0, 2])
def test_forests_do_the_same_but_with_surrogates(db: psycopg.Connection, surrogates: int) -> None:
    db.execute(MAKE)
    db.execute(
        "SELECT madtree.forest_train('t', 'm', 'id', 'late', 'x, a', num_trees => 2, sampling => 'none', "
        f"max_tree_depth => 4, num_random_features => 2, null_handling_params => 'max_surrogates={surrogates}')"
    )
    leaves(db, "forest_predict")
    root = rows(db, "SELECT left_levels, right_levels, majority_left FROM m_nodes WHERE tree_id = 1 AND node_id = 0")
    of_majority = root[0]["left_levels" if root[0]["majority_left"] else "right_levels"]
    assert (len(of_majority) == 0) == (surrogates == 0)


def test_what_shows_a_tree_says_that_all_others_go_there(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute(
        "SELECT madtree.boost_train('t', 'm', 'id', 'y', 'x', num_trees => 1, max_leaf_nodes => 2, min_bucket => 5, "
        "boost_params => 'min_data_per_group=10, max_cat_threshold=3')"
    )
    (root,) = rows(db, "SELECT left_levels, right_levels, majority_left FROM m_nodes WHERE node_id = 0")
    few, others = root["left_levels"], root["right_levels"]
    if root["majority_left"]:
        few, others = others, few
    assert (0 < len(few) <= 3, others) == (True, [])
    listed = ",".join(few)
    rules = [row["rule"] for row in rows(db, "SELECT rule FROM madtree.tree_rules('m', tree_id => 1)")]
    assert sorted(rules) == sorted([f"x in {{{listed}}}", f"(x not in {{{listed}}} or missing)"])
    (drawn,) = rows(db, "SELECT madtree.get_tree('m', 1, 1) AS text")
    assert f"x {'not in' if root['majority_left'] else 'in'} {{{listed}}}" in drawn["text"]


def test_categories_are_read_in_parts(db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    db.execute(MAKE)
    db.execute(f"SELECT madtree.boost_train('t', 'm', 'id', 'y', 'x, a', num_trees => 9, {LARGE})")
    db.execute("SELECT madtree.boost_predict('m', 't', 'at_once', 'leaf')")
    (named,) = rows(db, "SELECT sum(cardinality(category_sets)) AS n FROM m_packed")
    monkeypatch.setattr("madtree.model.arrays.packed_nodes.CHUNK_CATEGORIES", int(named["n"]) // 4)
    with db.transaction():
        call(PsycopgHost(db), "boost_predict", ("m", "t", "in_parts", "leaf"), {})
    assert rows(db, "SELECT * FROM in_parts ORDER BY id") == rows(db, "SELECT * FROM at_once ORDER BY id")


def test_more_than_can_be_read_are_refused(db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    db.execute(MAKE)
    monkeypatch.setattr("madtree.train.tables.MOST_STORED", 2_000)
    said = r"the splits of the first \d+ trees name 2,000 categories"
    with pytest.raises(MadtreeError, match=said) as caught, db.transaction():
        call(PsycopgHost(db), "boost_train", ("t", "m", "id", "y", "x, a"), {"num_trees": 5})
    assert "coalesce(column, 'none')" in str(caught.value.hint)
    assert db.execute("SELECT to_regclass('m')").fetchone() == (None,)
