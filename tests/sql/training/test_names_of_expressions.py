"""Expressions as the dependent variable and to group by: the names of their columns, and that all functions follow."""

from __future__ import annotations

import psycopg
import pytest
from training import read_model, train

KEPT = "n_rows", "n_nodes", "root_risk"


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("""
        CREATE TABLE flights AS SELECT i AS id, i * 7919 % 24 AS hour, (ARRAY['UA', 'AA', 'B6'])[1 + i % 3] AS carrier,
            (i * 7919 % 24) * 10 + i % 37 AS delay, date '2024-01-01' + i % 60 AS "Day", i % 24 AS gate
        FROM generate_series(1, 900) AS i""")
    return db


def columns(db: psycopg.Connection, table: str) -> list[str]:
    return [column.name for column in db.execute(f"SELECT * FROM {table} LIMIT 0").description or ()]


@pytest.mark.parametrize(
    ("dependent", "name"),
    [
        ("(delay > 180) AS very_late", "very_late"),
        ('delay > 180 as "Very Late"', "Very Late"),
        ("carrier AS line", "line"),
        ("lower(carrier)", "lower"),  # as PostgreSQL calls them in a select list
        ("(delay::float8)", "delay"),
        ("CASE WHEN hour > 3 THEN 'a' ELSE 'b' END", "case"),
        ("delay > 180", "delay_180"),  # where it has no name
        ("carrier = 'U A' AND NOT hour = 7", "carrier_u_a_and_not_hour_7"),
    ],
)
def test_predictions_are_called_after_the_dependent(data: psycopg.Connection, dependent: str, name: str) -> None:
    train(data, "flights", "m", dependent, "gate", max_depth=1)
    data.execute("SELECT madtree.tree_predict('m', 'flights', 'scored')")
    assert columns(data, "scored") == ["id", f"estimated_{name}"]
    assert data.execute("SELECT dependent_name FROM m_summary").fetchone() == (name,)
    told = data.execute("SELECT madtree.tree_to_json('m')->'dependent'").fetchone()[0]
    assert told["name"] == name
    assert told["expression"] in dependent  # without its alias
    assert f'<OutputField name="estimated_{name}"' in str(data.execute("SELECT madtree.tree_to_pmml('m')").fetchone())


def test_groups_by_expression_are_those_of_a_column(data: psycopg.Connection) -> None:
    """A view that computes the groups gives the same trees, predictions and metrics."""
    data.execute("""CREATE VIEW computed AS
        SELECT *, hour / 6 AS hour_6, extract(month from "Day") AS extract, lower(carrier) AS line FROM flights""")
    by = 'hour / 6, extract(month from "Day"), lower(carrier) AS line'
    features = {"list_of_features_to_exclude": "hour_6, extract, line", "max_depth": 3}
    train(data, "computed", "columns", "delay > 180 AS late", "*", grouping_cols="hour_6, extract, line", **features)
    train(data, "flights", "expressions", "delay > 180 AS late", "*", grouping_cols=by, max_depth=3)
    one, other = read_model(data, "columns"), read_model(data, "expressions")
    assert (one[""], one["_nodes"]) == (other[""], other["_nodes"])
    assert columns(data, "expressions")[:3] == ["hour_6", "extract", "line"]
    recorded = "SELECT grouping_columns, grouping_expressions FROM expressions_summary"
    assert data.execute(recorded).fetchone() == (
        ["hour_6", '"extract"', "line"],
        ["(hour / 6)", '(extract(month from "Day"))', "(lower(carrier))"],
    )
    for name in ("columns", "expressions"):
        data.execute(f"SELECT madtree.tree_predict('{name}', 'computed', '{name}_scored', 'leaf')")
    differ = "SELECT count(*) FROM columns_scored JOIN expressions_scored e USING (id) WHERE e.node_id IS NULL"
    assert data.execute(differ).fetchone() == (0,)
    data.execute("SELECT madtree.tree_predict('expressions', 'flights', 'scored', 'leaf')")
    assert data.execute("TABLE scored EXCEPT TABLE columns_scored").fetchall() == []
    # all of these compute the groups from the table's own columns
    metrics = [
        data.execute("SELECT * FROM madtree.tree_evaluate(%s, %s)", pair).fetchall()
        for pair in (("columns", "computed"), ("expressions", "flights"))
    ]
    assert metrics[0] == metrics[1] != []
    (text,) = data.execute("SELECT madtree.tree_sql('expressions')").fetchone()
    data.execute("SELECT madtree.tree_predict('expressions', 'flights', 'responses')")
    same = f"SELECT bool_and(estimated_late = ({text})) FROM flights JOIN responses USING (id)"
    assert data.execute(same).fetchone() == (True,)
    rules = data.execute("SELECT tree_id, predicate, n_rows FROM madtree.tree_rules('expressions') LIMIT 5").fetchall()
    for _, predicate, n_rows in rules:
        assert data.execute(f"SELECT count(*) FROM flights WHERE {predicate}").fetchone() == (n_rows,)
    (tree,) = data.execute("SELECT tree_id FROM madtree.tree_path('expressions', 'flights', '7') LIMIT 1").fetchone()
    group = "SELECT line FROM expressions WHERE tree_id = %s"
    assert (
        data.execute(group, [tree]).fetchone()
        == data.execute("SELECT lower(carrier) FROM flights WHERE id = 7").fetchone()
    )
    assert 'hour_6 = 0, "extract" = 1, line = aa' in str(
        data.execute("SELECT madtree.tree_display('expressions', false)").fetchone()
    )
    grouping = data.execute("SELECT madtree.tree_to_json('expressions')->'grouping'->0").fetchone()[0]
    assert grouping == {"name": "hour_6", "expression": "(hour / 6)", "type": "integer"}
    data.execute("SELECT madtree.tree_prune('expressions', 'pruned', 0.5)")
    assert data.execute(recorded.replace("expressions_summary", "pruned_summary")).fetchone() is not None


def test_a_feature_that_groups_are_computed_from_stays_a_feature(data: psycopg.Connection) -> None:
    train(data, "flights", "m", "delay > 180", "*", grouping_cols="hour / 6, gate AS place")
    (features,) = data.execute("SELECT features FROM m_summary").fetchone()
    assert features == ["hour", "carrier", '"Day"']  # the dependent's column is left out, and a column to group by


def test_a_group_that_is_null_has_no_tree(data: psycopg.Connection) -> None:
    train(data, "flights", "m", "delay", "gate", grouping_cols="nullif(hour / 12, 1) AS half", classification=False)
    assert data.execute("SELECT half, n_rows FROM m").fetchall() == [
        (0, data.execute("SELECT count(*) FROM flights WHERE hour < 12").fetchone()[0])
    ]
    data.execute("SELECT madtree.tree_predict('m', 'flights', 'scored')")
    unknown = "SELECT count(*) FROM scored JOIN flights USING (id) WHERE (estimated_delay IS NULL) <> (hour >= 12)"
    assert data.execute(unknown).fetchone() == (0,)


def test_a_superuser_is_not_made_to_run_anothers_expressions(
    data: psycopg.Connection, user_db: psycopg.Connection, ordinary_user: tuple[str, str]
) -> None:
    data.execute(f"GRANT SELECT ON flights TO {ordinary_user[0]}")
    train(user_db, "flights", "theirs", "delay", "gate", grouping_cols="hour / 12", classification=False)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"has the expression \(hour / 12\)"):
        data.execute("SELECT madtree.tree_predict('theirs', 'flights', 'scored')")
    data.execute("SELECT madtree.tree_predict('theirs', 'flights', 'scored', trust_owner => true)")
    assert data.execute("SELECT count(estimated_delay) FROM scored").fetchone() == (900,)


def test_a_model_of_an_older_version_groups_by_columns(data: psycopg.Connection) -> None:
    train(data, "flights", "m", "\"Day\" > '2024-02-01'", "hour", grouping_cols="carrier")
    data.execute("ALTER TABLE m_summary DROP dependent_name, DROP grouping_expressions")
    data.execute("SELECT madtree.tree_predict('m', 'flights', 'scored')")
    assert columns(data, "scored") == ["id", "estimated_\"Day\" > '2024-02-01'"]
    assert data.execute(
        'SELECT count(*) FROM scored WHERE "estimated_""Day"" > \'2024-02-01\'" IS NULL'
    ).fetchone() == (0,)
