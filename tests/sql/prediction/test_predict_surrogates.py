"""Surrogates and NULL levels in scoring: CASE, blocks and tree_sql end in the leaves that training counted."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from psycopg.errors import InvalidParameterValue
from training import train


@pytest.fixture
def table(db: psycopg.Connection) -> psycopg.Connection:
    """Table data: features of all kinds that stand in for each other, each often missing."""
    rng = np.random.default_rng(11)
    db.execute("CREATE TABLE data (id int, x float8, n int, level text, flag boolean, y float8, label text, g int)")
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for i in range(3_000):
            x = rng.normal()
            n = int(10 * x + rng.normal(0, 2))
            level = "abcdef"[int(np.clip(x + 3 + rng.normal(0, 0.4), 0, 5))]
            flag = bool(x + rng.normal(0, 0.3) > 0)
            y = 3 * x + rng.normal()
            values = [None if rng.random() < 0.2 else value for value in (x, n, level, flag)]
            copy.write_row((i, *values, y, "low" if y < -1 else "mid" if y < 2 else "high", i % 3))
    return db


FEATURES = "x, n, level, flag"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("dependent", ["label", "y"])
@pytest.mark.parametrize("grouping", [None, "g"])
@pytest.mark.parametrize(
    "surrogates", ["max_surrogates=3", "max_surrogates=3, null_as_category=true", "null_as_category=true"]
)
@pytest.mark.parametrize("in_blocks", [False, True], ids=["case", "blocks"])
def test_every_training_row_ends_in_the_leaf_that_counted_it(
    table: psycopg.Connection, dependent: str, grouping: str | None, surrogates: str, in_blocks: bool
) -> None:
    options = {"grouping_cols": grouping, "surrogate_params": surrogates}
    train(table, "data", "model", dependent, FEATURES, max_depth=6, **options)
    table.execute("SELECT madtree.tree_predict()")  # loads the Python half
    table.execute(f"""
        CREATE FUNCTION score() RETURNS text LANGUAGE plpython3u SET jit = off AS $$
        from madtree.host.plpy import PlpyHost
        from madtree.score.predict import tree_predict
        return tree_predict(PlpyHost(plpy), 'model', 'data', 'scored', 'leaf', in_blocks={in_blocks})
        $$""")
    table.execute("SELECT score()")
    # A row without any feature is not trained on, unless NULL is one.
    trained_on = "true" if "null_as_category" in surrogates else "num_nonnulls(x, n, level, flag) > 0"
    differing = table.execute(
        "SELECT count(*) FROM (SELECT tree_id, node_id, n_rows FROM model_nodes WHERE is_leaf) AS n FULL JOIN ("
        "SELECT m.tree_id, s.node_id, count(*) AS n_rows FROM scored s JOIN data USING (id) "
        f"JOIN model m ON {'m.g = data.g' if grouping else 'true'} "
        f"WHERE {trained_on} GROUP BY 1, 2) AS p USING (tree_id, node_id) WHERE n.n_rows IS DISTINCT FROM p.n_rows"
    ).fetchone()
    assert differing == (0,)


def test_the_expression_says_the_same(table: psycopg.Connection) -> None:
    train(table, "data", "model", "label", FEATURES, max_depth=6, surrogate_params="max_surrogates=3")
    table.execute("SELECT tree_predict('model', 'data', 'scored')")
    expression = table.execute("SELECT tree_sql('model')").fetchone()[0]
    wrong = table.execute(
        f"SELECT count(*) FROM (SELECT id, {expression} AS said FROM data) AS e JOIN scored USING (id) "
        "WHERE said IS DISTINCT FROM estimated_label"
    ).fetchone()
    assert wrong == (0,)


def test_an_unseen_level_goes_the_way_of_null_where_null_is_a_level(table: psycopg.Connection) -> None:
    train(table, "data", "model", "y", "level", max_depth=4, surrogate_params="null_as_category=true")
    table.execute("CREATE TABLE new AS SELECT * FROM (VALUES (1, NULL), (2, 'never seen')) AS v(id, level)")
    table.execute("SELECT tree_predict('model', 'new', 'scored')")
    (one,), (two,) = table.execute("SELECT estimated_y FROM scored ORDER BY id").fetchall()
    assert one == two


def test_a_group_knows_its_own_levels_only(table: psycopg.Connection) -> None:
    """A level that only another group has goes the way of NULL, as one that nobody has."""
    table.execute("UPDATE data SET level = 'zz' WHERE g = 1 AND level = 'a'")
    options = {"max_depth": 4, "surrogate_params": "null_as_category=true"}
    train(table, "data", "model", "y", "level", grouping_cols="g", **options)
    table.execute(
        "CREATE TABLE new AS SELECT * FROM (VALUES (1, NULL, 0), (2, 'zz', 0), (3, 'none', 0)) AS v(id, level, g)"
    )
    table.execute("SELECT tree_predict('model', 'new', 'scored')")
    answers = table.execute("SELECT DISTINCT estimated_y FROM scored").fetchall()
    assert len(answers) == 1


def test_surrogates_are_listed_in_their_order(table: psycopg.Connection) -> None:
    train(table, "data", "model", "y", FEATURES, max_depth=6, surrogate_params="max_surrogates=2")
    text = table.execute("SELECT tree_surr_display('model')").fetchone()[0]
    for node_id, rank, feature, agreement in table.execute(
        "SELECT node_id, rank, feature, agreement FROM model_surrogates"
    ).fetchall():
        of_node = text.split(f" ({node_id})  ")[1].split("majority")[0].splitlines()
        line = of_node[rank].strip()
        assert line.startswith((f"{rank}: {feature} ", f"{rank}: not {feature} "))
        assert f"[{agreement:g}, " in line


def test_a_model_without_surrogates_has_none_to_list(table: psycopg.Connection) -> None:
    train(table, "data", "model", "y", FEATURES, max_depth=6)
    with pytest.raises(InvalidParameterValue, match="has no surrogates: it was trained with max_surrogates=0"):
        table.execute("SELECT tree_surr_display('model')")
    assert "max_surrogates" in table.execute("SELECT tree_surr_display()").fetchone()[0]
