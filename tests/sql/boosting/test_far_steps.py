"""Leaves whose rows are far from what they are predicted, where a step by gradient and hessian ends anywhere."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest
from forest_data import rows

# A count where x is large, and only there; and numbers of many sizes.
MAKE = """
CREATE TABLE t AS SELECT i AS id, i::float8 AS x, (i > 3960)::int AS n, exp(sin(i * 7.1) * 6) AS size,
    sin(i * 7.1)::float8 AS s
FROM generate_series(1, 4000) AS i
"""


def train(db: psycopg.Connection, outcome: str, features: str, **more: Any) -> None:
    names = "".join(f", {name} => %s" for name in more)
    db.execute(
        f"SELECT madtree.boost_train('t', 'm', 'id', %s, %s, replace => true{names})",  # type: ignore[arg-type]
        [outcome, features, *more.values()],
    )


def predicted(db: psycopg.Connection) -> dict[int, float]:
    db.execute("DROP TABLE IF EXISTS scored; SELECT madtree.boost_predict('m', 't', 'scored')")
    return dict(db.execute("SELECT * FROM scored").fetchall())  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_a_leaf_of_many_events_does_not_go_beyond_their_mean(db: psycopg.Connection, rate: float) -> None:
    db.execute(MAKE)
    given = {"loss": "poisson", "classification": False, "learning_rate": rate}
    train(db, "n", "x", **given, num_trees=1, max_leaf_nodes=2)
    (split,) = rows(db, "SELECT threshold FROM m_nodes WHERE node_id = 0")
    ((n_rows, events),) = db.execute("SELECT count(*), sum(n) FROM t WHERE x > %s", [split["threshold"]]).fetchall()
    assert n_rows < 100  # their mean is a hundred times that of all
    found = predicted(db)
    assert found[4000] == pytest.approx(events / n_rows)
    assert found[1] == pytest.approx(40 / 4000 * math.exp(-rate))
    train(db, "n", "x", **given, num_trees=60)
    found = predicted(db)
    assert found[4000] == pytest.approx(1, abs=0.01)
    assert found[1] < 0.001


@pytest.mark.parametrize(("rate", "rounds"), [(0.3, 30), (1.0, 15)])
def test_numbers_of_all_sizes_are_learned(db: psycopg.Connection, rate: float, rounds: int) -> None:
    db.execute(MAKE)
    train(db, "size", "s", loss="gamma", learning_rate=rate, num_trees=rounds)
    found, sizes = predicted(db), dict(db.execute("SELECT id, size FROM t").fetchall())
    off = [abs(math.log(found[i] / size)) for i, size in sizes.items()]
    assert max(off) < 0.3


def test_what_a_refresh_says_of_the_training_rows_is_limited_alike(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    for outcome, feature, loss in (("n::float8", "x", "poisson"), ("size", "s", "gamma")):
        train(db, outcome, feature, loss=loss, num_trees=3, max_leaf_nodes=4)
        db.execute("SELECT madtree.tree_refresh('m', 't', 'new')")
        pairs = db.execute(
            "SELECT m.prediction, n.prediction FROM m_nodes AS m JOIN new_nodes AS n USING (tree_id, node_id)"
        ).fetchall()
        assert len(pairs) >= 9
        for before, after in pairs:
            assert after == pytest.approx(before, abs=1e-6)
        db.execute("SELECT madtree.tree_drop('new')")


def test_scores_that_jump_from_sample_to_sample_do_not_run_away(db: psycopg.Connection) -> None:
    """Trees that cannot be split, on samples of a row or two: each step was the exponential of the one before."""
    db.execute("CREATE TABLE t AS SELECT i AS id, 1.5 AS x, i % 2 = 0 AS y FROM generate_series(1, 4) AS i")
    for seed in range(1, 6):
        train(db, "y", "x", num_trees=30, learning_rate=1, min_bucket=2, boost_params="subsample=0.3", seed=seed)
        losses = rows(db, "SELECT training_loss FROM m_rounds ORDER BY round")
        assert len(losses) == 31
        assert all(row["training_loss"] < 1e6 for row in losses)
        assert all(0 <= p <= 1 for p in _probabilities(db))


def _probabilities(db: psycopg.Connection) -> list[float]:
    db.execute("DROP TABLE IF EXISTS scored; SELECT madtree.boost_predict('m', 't', 'scored', 'prob')")
    return [value for row in db.execute("SELECT * FROM scored").fetchall() for value in row[1:]]


def test_scores_that_run_away_are_an_error_that_says_what_helps(db: psycopg.Connection) -> None:
    """Numbers of all sizes, of which each tree sees a few rows alone: what it says of the others is far off. Sums leave
    the range in which they are exact, and then there is no model; or they do not, and the losses told are right.
    """
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i * 7 % 10 AS a, i * 31 % 17 AS b, exp(sin(i * 7.1) * 3)::float8 AS y "
        "FROM generate_series(1, 20) AS i"
    )
    ended = []
    for seed in range(1, 5):
        given = {"loss": "gamma", "min_bucket": 2, "learning_rate": 0.3, "boost_params": "subsample=0.5", "seed": seed}
        try:
            train(db, "y", "a, b", **given, num_trees=60)
        except psycopg.errors.SerializationFailure as error:
            ended.append(error)
            continue
        ((told,),) = db.execute("SELECT training_loss FROM m_rounds ORDER BY round DESC LIMIT 1").fetchall()
        found = predicted(db)
        pairs = [(found[i], y) for i, y in db.execute("SELECT id, y FROM t").fetchall()]
        assert told == pytest.approx(sum(math.log(mean) + y / mean for mean, y in pairs) / 20, rel=1e-9)
        db.execute("SELECT madtree.tree_drop('m')")
    assert 0 < len(ended) < 4
    assert all("the scores of a boosted model have run away from its rows" in str(error) for error in ended)
    assert {error.diag.message_hint for error in ended} == {
        "Call again; a boosted model needs a smaller learning_rate, or a larger subsample."
    }
    assert db.execute("SELECT to_regclass('m')").fetchone() == (None,)
