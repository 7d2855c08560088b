"""Tables of contributions: what is in them, and which tables make way for them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forest_data import rows

from madtree.engine import call
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost

MAKE = '''
CREATE TABLE t AS SELECT n AS id, CASE WHEN n % 10 < 7 THEN 'A' ELSE 'B' END AS g, sin(n * 7.1) AS x,
    CASE WHEN n % 17 > 0 THEN 'c' || n * 13 % 6 END AS "Odd, ""name""", date '2024-01-01' + n * 53 % 17 AS expected,
    NULL::text AS k, NULL::boolean AS late
FROM generate_series(1, 400) AS n;
UPDATE t SET late = x > 0.2 OR "Odd, ""name""" = 'c3',
    k = CASE WHEN x > 0.5 THEN 'high' WHEN expected > '2024-01-09' THEN 'late' ELSE 'low' END;
'''
ODD = '''"Odd, ""name"""'''
IDS = ["id::text || ' \"id\", {1}'", "ARRAY[id, 7]", "id / 3.0::float8", "'2024-01-01'::date + id"]
FEATURES = f"x, {ODD}, expected, g"


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def train(db: psycopg.Connection, dependent: str, **more: Any) -> None:
    names = "".join(f", {name} => %s" for name in more)
    features = FEATURES.removesuffix(", g") if "grouping_cols" in more else FEATURES
    db.execute(
        f"SELECT madtree.tree_train('t', 'm', 'id', %s, %s{names})",  # type: ignore[arg-type]
        [dependent, features, *more.values()],
    )


def explain(db: psycopg.Connection, source: str = "t", output: str = "why", **more: Any) -> str:
    names = "".join(f", {name} => %s" for name in more)
    call = f"SELECT madtree.tree_shap('m', %s, %s{names})"
    return str(db.execute(call, [source, output, *more.values()]).fetchone()[0])  # type: ignore[arg-type, index]


def columns(db: psycopg.Connection, table: str = "why") -> list[str]:
    description = db.execute(f"SELECT * FROM {table} LIMIT 0").description  # type: ignore[arg-type]
    return [column.name for column in description or ()]


def test_a_wide_table_has_a_column_for_each_feature(db: psycopg.Connection) -> None:
    train(db, "late")
    assert explain(db).startswith("tree_shap: t explained with m (prob of true) into why, 400 rows, in ")
    assert columns(db) == ["id", "expected", "x", 'Odd, "name"', "expected_2", "g"]
    assert db.execute("SELECT count(DISTINCT expected), max(abs(g)) FROM why").fetchone() == (1, 0.0)


def test_all_classes_are_explained_where_none_is_named(db: psycopg.Connection) -> None:
    train(db, "k")
    assert "1200 rows" in explain(db)
    assert columns(db) == ["id", "class", "expected", "x", 'Odd, "name"', "expected_2", "g"]
    assert db.execute("SELECT DISTINCT sum(x) OVER (PARTITION BY id) < 1e-12 FROM why").fetchall() == [(True,)]
    assert "(prob of low)" in explain(db, output="low", **{"class": "low"})
    assert columns(db, "low") == ["id", "expected", "x", 'Odd, "name"', "expected_2", "g"]
    of_low = "SELECT id, expected, x, expected_2 FROM why WHERE class = 'low'"
    assert db.execute(f"{of_low} EXCEPT SELECT id, expected, x, expected_2 FROM low").fetchall() == []


@pytest.mark.parametrize("top", [None, 1, 2, 99])
def test_a_long_table_has_the_strongest_first(db: psycopg.Connection, top: int | None) -> None:
    train(db, "k")
    explain(db, output="wide")
    explain(db, layout="long", top=top)
    names = ["x", ODD, "expected", "g"]
    shown = f"jsonb_build_object('x', t.x::text, '{ODD}', t.{ODD}, 'expected', t.expected::text, 'g', t.g)"
    wide = {
        (row["id"], row["class"]): row
        for row in rows(db, f"SELECT w.*, {shown} AS shown FROM wide AS w INNER JOIN t USING (id)")
    }
    found = rows(db, "SELECT * FROM why ORDER BY id, class, rank")
    n = min(top or 4, 4)
    assert len(found) == n * len(wide) == n * 1200
    for number in range(0, len(found), n):
        entries = found[number : number + n]
        row = wide[entries[0]["id"], entries[0]["class"]]
        values = dict(zip(names, [row["x"], row['Odd, "name"'], row["expected_2"], row["g"]], strict=True))
        strongest = sorted(names, key=lambda name: -abs(values[name]))[:n]
        assert [entry["feature"] for entry in entries] == strongest
        assert [entry["rank"] for entry in entries] == [*range(1, n + 1)]
        assert [entry["contribution"] for entry in entries] == [values[name] for name in strongest]
        assert [entry["value"] for entry in entries] == [row["shown"][name] for name in strongest]


@pytest.mark.parametrize("classes", [["late", 1], ["k", 3]])
def test_a_row_of_an_unknown_group_has_nulls(db: psycopg.Connection, classes: list[Any]) -> None:
    dependent, n_classes = classes
    train(db, dependent, grouping_cols="g")
    db.execute("INSERT INTO t (id, g, x) VALUES (501, 'Z', 1), (502, NULL, 1)")
    explain(db)
    explain(db, output="long", layout="long", top=2)
    found = rows(db, "SELECT * FROM why WHERE id > 500")
    assert len(found) == 2 * n_classes
    assert {value for row in found for name, value in row.items() if name != "id"} == {None}
    found = rows(db, "SELECT * FROM long WHERE id > 500")
    assert sorted(row["id"] for row in found) == [501, 502]
    assert {value for row in found for name, value in row.items() if name != "id"} == {None}
    assert db.execute("SELECT count(*), count(rank) FROM long").fetchone() == (
        2 + 800 * n_classes, 800 * n_classes,
    )  # fmt: skip
    assert db.execute("SELECT count(DISTINCT expected) FROM why").fetchone() == (2 * n_classes,)


@pytest.mark.parametrize("id_", IDS)
def test_ids_come_back_as_they_were(db: psycopg.Connection, id_: str) -> None:
    db.execute(f"CREATE TABLE u AS SELECT {id_} AS id, x, g, expected, {ODD}, late FROM t")  # type: ignore[arg-type]
    db.execute(f"SELECT madtree.tree_train('u', 'm', 'id', 'late', '{FEATURES}')")  # type: ignore[arg-type]
    for layout in ("wide", "long"):
        explain(db, "u", replace=True, layout=layout)
        assert db.execute("SELECT count(*) FROM u WHERE id NOT IN (SELECT id FROM why)").fetchone() == (0,)


def test_contributions_make_way_for_new_ones(db: psycopg.Connection) -> None:
    train(db, "k")
    for layout in ("wide", "long", "long", "wide"):
        explain(db, layout=layout, replace=True)
    db.execute("CREATE VIEW on_it AS SELECT * FROM why; DELETE FROM t WHERE id > 10")
    explain(db, replace=True)
    assert db.execute("SELECT count(*) FROM on_it").fetchone() == (30,)
    with pytest.raises(psycopg.errors.DuplicateTable, match="tables of contributions only"):
        explain(db, output="t", replace=True)
    db.execute("SELECT madtree.tree_predict('m', 't', 'predicted')")
    with pytest.raises(psycopg.errors.DuplicateTable, match="tables of contributions only"):
        explain(db, output="predicted", replace=True)
    with pytest.raises(psycopg.errors.DuplicateTable, match="tables of predictions only"):
        db.execute("SELECT madtree.tree_predict('m', 't', 'why', replace => true)")


def test_contributions_of_pairs_and_of_features_make_way_for_each_other(db: psycopg.Connection) -> None:
    train(db, "late")
    pairs = {"interactions": True}
    for more in ({}, pairs, {"layout": "long"}, {"layout": "long", **pairs}, {"features": "x, g", **pairs}):
        explain(db, replace=True, **more)
        explain(db, replace=True, **more)
        if "features" not in more:
            explain(db, replace=True)
    assert columns(db) == ["id", "expected", "x", "g", "x:g"]
    explain(db, output="long", layout="long", **pairs)
    assert columns(db, "long") == ["id", "feature", "value", "feature_2", "value_2", "contribution", "rank"]
    db.execute("SELECT madtree.tree_shap('m', 't', 'wide', interactions => true)")
    total = 'expected + x + "Odd, ""name""" + expected_2 + g'
    of_pairs = [name for name in columns(db, "wide") if ":" in name]
    assert of_pairs == ['x:Odd, "name"', "x:expected", "x:g", 'Odd, "name":expected', 'Odd, "name":g', "expected:g"]
    db.execute("SELECT madtree.tree_predict('m', 't', 'predicted', 'prob')")
    beside = " + ".join('"' + name.replace('"', '""') + '"' for name in of_pairs)
    query = f"SELECT max(abs({total} + {beside} - estimated_prob_true)) FROM wide JOIN predicted USING (id)"
    assert db.execute(query).fetchone()[0] < 1e-12  # type: ignore[arg-type, index]
    values = "SELECT id, value, value_2, w.x FROM long JOIN t AS w USING (id) WHERE feature = 'x' AND feature_2 = 'g'"
    for id_, value, second, x in db.execute(values).fetchall():
        assert (float(value), second) == (x, "A" if id_ % 10 < 7 else "B")
    (n_null,) = db.execute("SELECT count(*) FROM long WHERE feature_2 IS NULL AND value_2 IS NULL").fetchone()  # type: ignore[misc]
    assert n_null == 4 * 400


def test_another_models_long_table_makes_way_and_its_wide_one_does_not(db: psycopg.Connection) -> None:
    train(db, "late")
    explain(db, layout="long")
    explain(db, output="wide")
    db.execute("DROP TABLE m, m_nodes, m_summary")
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'late', 'x, g')")
    explain(db, replace=True, layout="long")
    with pytest.raises(psycopg.errors.DuplicateTable, match="the model's features"):
        explain(db, output="wide", replace=True)


@pytest.mark.parametrize(
    "own",
    [
        "id int, expected date, delivered date",
        "id int, expected float8",
        "id int, class text, expected float8, grade int",
        "id int, shop text, feature text, value text, contribution float8, rank int",
        'id int, expected float8, x float8, expected_2 float8, "Odd, ""name""" float8, g float8',
    ],
)
def test_a_table_of_ones_own_is_not_lost(db: psycopg.Connection, own: str) -> None:
    train(db, "late")
    db.execute(f"CREATE TABLE why ({own}); INSERT INTO why (id) VALUES (7)")  # type: ignore[arg-type]
    with pytest.raises(psycopg.errors.DuplicateTable, match="tables of contributions only"):
        explain(db, replace=True)
    assert db.execute("SELECT id FROM why").fetchall() == [(7,)]


def test_too_many_terms_of_a_row_are_refused(db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    train(db, "k")
    monkeypatch.setattr("madtree.score.shap_columns.MOST_TERMS", 12)
    with db.transaction():
        assert "1200 rows" in str(call(PsycopgHost(db), "tree_shap", ("m", "t", "why"), {}))
    with pytest.raises(MadtreeError, match=r"has 3 classes and 4 .* takes 15 numbers, more than 12") as caught:
        call(PsycopgHost(db), "tree_shap", ("m", "t", "long"), {"layout": "long", "top": 1})
    assert caught.value.hint == "Ask for one class."


def test_an_empty_table_is_explained(db: psycopg.Connection) -> None:
    train(db, "late")
    db.execute("DELETE FROM t")
    assert "0 rows" in explain(db)
    assert "0 rows" in explain(db, output="long", layout="long")
    assert columns(db, "long") == ["id", "feature", "value", "contribution", "rank"]


def test_a_tree_that_is_a_leaf_expects_what_it_says(db: psycopg.Connection) -> None:
    train(db, "late", min_split=1000)
    explain(db)
    assert db.execute("SELECT count(DISTINCT expected), max(abs(x)) FROM why").fetchone() == (1, 0.0)
