"""tree_predict and tree_sql: output columns, names, relations, groups; both scoring routes where it matters."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from datasets import load_golf, load_iris, load_mtcars
from make_model import Sketch, inner, leaf, random_tree, write_model
from psycopg import sql
from training import columns_of, left_behind, train

from madtree.sqltext.relation import Column
from madtree.trees import Feature, FeatureKind, Node

BOTH = [("estimated_prob_Don't Play", "double precision"), ("estimated_prob_Play", "double precision")]
X = Feature("x", "double precision", FeatureKind.CONTINUOUS)
LETTER = Feature("letter", "text", FeatureKind.UNORDERED)


def tree(*nodes: Node) -> dict[int, Node]:
    return {node.node_id: node for node in nodes}


def stump(left: str | float, right: str | float, weights: tuple[float, ...] | None = (1, 1)) -> dict[int, Node]:
    return tree(inner(0, "x", 1.5, class_weights=weights), leaf(1, left, weights), leaf(2, right, weights))


@pytest.fixture(params=["case", "blocks"])
def predict(db: psycopg.Connection, request: pytest.FixtureRequest) -> str:
    """Name of a function like tree_predict that takes one of the two routes, whatever the model's size, and tells how
    many rows it scored.
    """
    db.execute("SELECT madtree.tree_predict()")  # loads the Python half
    db.execute(f"""
        CREATE FUNCTION predict(model text, source text, target text, type text DEFAULT 'response') RETURNS text
        LANGUAGE plpython3u SET jit = off AS $$
        from madtree.host.plpy import PlpyHost
        from madtree.score.predict import tree_predict
        scored = tree_predict(PlpyHost(plpy), model, source, target, type, in_blocks={request.param == "blocks"})
        return f"{{scored.n_rows}} rows"
        $$""")
    return "predict"


def fetch(db: psycopg.Connection, table: str = "scored") -> list[tuple[Any, ...]]:
    return db.execute(f"SELECT * FROM {table} ORDER BY 1", prepare=False).fetchall()


def test_it_says_what_it_did(db: psycopg.Connection) -> None:
    load_golf(db)
    train(db, "golf", "model", "class", '"OUTLOOK", temperature, windy')
    (line,) = db.execute("SELECT madtree.tree_predict('model', 'golf', 'scored')").fetchone()
    assert line.startswith("tree_predict: 14 rows of golf scored with model (response) into scored in 0.")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("type_", "columns"),
    [
        ("response", [("estimated_class", "text")]),
        ("prob", BOTH),
        ("leaf", [("node_id", "bigint")]),
        (" PROB ", BOTH),
        ("prob_columns", BOTH),
    ],
)
def test_columns_for_two_classes(
    db: psycopg.Connection, predict: str, type_: str, columns: list[tuple[str, str]]
) -> None:
    load_golf(db)
    train(db, "golf", "model", "class", "temperature, windy", min_split=3)
    db.execute(f"SELECT {predict}('model', 'golf', 'scored', %s)", [type_])
    assert columns_of(db, "scored") == [("id", "integer"), *columns]


def test_probabilities_of_three_classes(db: psycopg.Connection, predict: str) -> None:
    load_iris(db)
    train(db, "iris", "model", "species", "petal_length, petal_width", max_depth=2)
    db.execute(f"SELECT {predict}('model', 'iris', 'scored', 'prob')")

    names = [f"estimated_prob_{species}" for species in ("setosa", "versicolor", "virginica")]
    assert columns_of(db, "scored") == [("id", "integer"), *((name, "double precision") for name in names)]
    (expression,) = db.execute("SELECT madtree.tree_sql('model', 'prob')").fetchone()
    in_order = dict(db.execute(f"SELECT id, {expression} FROM iris").fetchall())
    assert all(sum(shares) == pytest.approx(1) for shares in in_order.values())
    assert {number: shares for number, *shares in fetch(db)} == in_order


def test_the_probability_of_one_class_as_an_expression(db: psycopg.Connection, notices: list[str]) -> None:
    load_golf(db)
    train(db, "golf", "model", "windy", "temperature, humidity", min_split=3)
    db.execute("SELECT madtree.tree_predict('model', 'golf', 'scored', 'prob')")

    def scores(arguments: str) -> dict[int, float]:
        (expression,) = db.execute(f"SELECT madtree.tree_sql('model', {arguments})").fetchone() or ()
        return dict(db.execute(f"SELECT id, {expression} FROM golf").fetchall())

    true = {number: share for number, _, share in fetch(db)}
    false = {number: share for number, share, _ in fetch(db)}
    notices.clear()
    assert scores("'prob'") == scores("'prob', class => 'true'") == true != false
    assert notices == [
        "type 'prob': the expression gives the probability that windy is true; class => 'false' gives the other one's"
    ]
    assert scores("'prob', class => 'false'") == false
    with pytest.raises(psycopg.Error, match="class must be one of 'false', 'true', not 'no'"):
        scores("'prob', class => 'no'")
    with pytest.raises(psycopg.Error, match="which takes type 'prob', not 'response'"):
        scores("'response', class => 'true'")
    load_iris(db)
    train(db, "iris", "model", "species", "petal_length", max_depth=2, replace=True)
    (text,) = db.execute("SELECT madtree.tree_sql('model', 'prob', class => 'virginica')").fetchone() or ()
    assert {type(each) for (each,) in db.execute(f"SELECT {text} FROM iris")} == {float}


@pytest.mark.parametrize("n_classes", [1000, 1001])
def test_as_many_columns_as_a_row_has_room_for_and_beyond_an_array(
    db: psycopg.Connection, schema: str, predict: str, n_classes: int
) -> None:
    classes = [f"c{number:04}" for number in range(n_classes)]
    weights = tuple(float(number) for number in range(n_classes))
    write_model(db, schema, "m", Sketch([X], [tree(leaf(0, classes[-1], weights))], classes=classes))
    db.execute("CREATE TABLE data AS SELECT gen_random_uuid() AS id, 1.0::float8 AS x FROM generate_series(1, 3)")
    db.execute(f"SELECT {predict}('m', 'data', 'scored', 'prob')")
    shares = [weight / sum(weights) for weight in weights]
    if n_classes == 1000:
        assert [name for name, _ in columns_of(db, "scored")][1:] == [f"estimated_prob_{name}" for name in classes]
        assert [list(row[1:]) for row in fetch(db)] == [shares] * 3
    else:
        assert columns_of(db, "scored") == [("id", "uuid"), ("estimated_prob", "double precision[]")]
        assert [row[1] for row in fetch(db)] == [shares] * 3


def test_regression_predicts_the_leafs_mean(db: psycopg.Connection, predict: str) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "wt, hp", max_depth=2)
    db.execute(f"SELECT {predict}('model', 'mtcars', 'scored'), {predict}('model', 'mtcars', 'leaves', 'leaf')")

    assert columns_of(db, "scored")[1] == ("estimated_mpg", "double precision")
    (wrong,) = db.execute("""
        SELECT count(*) FROM scored JOIN leaves USING (id) JOIN model_nodes USING (node_id)
        WHERE estimated_mpg <> prediction""").fetchone()
    assert wrong == 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("boolean", [True, False]),
        ("smallint", [1, 2]),
        ("bigint", [-5, 2**40]),
        ("character varying(5)", ["ab", "it's"]),
        ("character(3)", ["a  ", "bcd"]),
        ("mood", ["sad", "very \\ happy"]),
        ("percent", [1, 99]),
        ("short", ["ab", "c"]),
    ],
)
def test_response_has_the_dependents_own_type(
    db: psycopg.Connection, schema: str, predict: str, type_: str, values: list[Any]
) -> None:
    db.execute("CREATE TYPE mood AS ENUM ('sad', E'very \\\\ happy')")
    db.execute("CREATE DOMAIN percent AS int CHECK (value BETWEEN 0 AND 100); CREATE DOMAIN short AS varchar(3)")
    db.execute(f"CREATE TABLE data (id int, x int, y {type_})")
    for number in range(40):
        db.execute(f"INSERT INTO data VALUES (%s, %s, %s::text::{type_})", [number, number, str(values[number // 20])])
    classes = [label for (label,) in db.execute("SELECT DISTINCT y::text FROM data ORDER BY 1").fetchall()]
    nodes = tree(inner(0, "x", 19.5), leaf(1, str(values[0]).lower()), leaf(2, str(values[1]).lower()))
    feature = Feature("x", "integer", FeatureKind.ORDERED)
    full_type = f"{schema}.{type_}" if type_ in ("mood", "percent", "short") else type_
    write_model(db, schema, "model", Sketch([feature], [nodes], dependent_type=full_type, classes=classes))
    db.execute(f"SELECT {predict}('model', 'data', 'scored')")

    assert columns_of(db, "scored") == [("id", "integer"), ("estimated_y", type_)]
    assert fetch(db) == db.execute("SELECT id, y FROM data ORDER BY 1").fetchall()


def test_type_from_a_schema_off_the_search_path(db: psycopg.Connection, schema: str, predict: str) -> None:
    db.execute("CREATE TYPE mood AS ENUM ('sad', 'happy')")
    db.execute("CREATE TABLE data AS SELECT i AS id, i AS x, (ARRAY['sad','happy'])[1 + i / 30]::mood AS y, "
               "(ARRAY['happy','sad'])[1 + i / 30]::mood AS z FROM generate_series(1, 59) i")  # fmt: skip
    train(db, "data", "model", "y", "z")
    function = sql.Identifier(schema, predict)
    db.execute("SET search_path = public")
    db.execute(
        sql.SQL("SELECT {}({}, {}, {})").format(function, f"{schema}.model", f"{schema}.data", f"{schema}.scored")
    )
    wrong = db.execute(f"SELECT count(*) FROM {schema}.scored JOIN {schema}.data USING (id) WHERE estimated_y <> y")
    assert wrong.fetchone() == (0,)


def test_names_of_every_sort(db: psycopg.Connection, predict: str) -> None:
    long = "é" * 31
    db.execute(f"""CREATE TABLE "New ""Data" AS SELECT i AS "Id %s", i AS "select", i % 2 AS "a.b", i / 20 AS "{long}"
                   FROM generate_series(0, 39) i""".replace("%s", "%"))  # fmt: skip
    train(db, '"New ""Data"', '"Model Ü"', f'"{long}"', '"select", "a.b"', id_column='"Id %"')
    db.execute(f"SELECT {predict}(%s, %s, %s)", ['"Model Ü"', '"New ""Data"', '"Sco.red"'])

    names = [name for name, _ in columns_of(db, '"Sco.red"')]
    assert names == ["Id %", "estimated_" + "é" * 26]  # 62 of the 63 bytes; no half character
    assert fetch(db, '"Sco.red"') == [(i, i // 20) for i in range(40)]


def test_output_columns_never_collide(db: psycopg.Connection, schema: str, predict: str) -> None:
    classes = ["p" * 60 + "a", "p" * 60 + "b", "c"]
    sketch = Sketch([X], [stump(classes[0], classes[1], (1, 2, 3))], "y", "text", classes, id_column="estimated_y")
    write_model(db, schema, "m", sketch)
    db.execute("CREATE TABLE data AS SELECT 7 AS estimated_y, 1.0::float8 AS x")
    db.execute(f"SELECT {predict}('m', 'data', 'scored'), {predict}('m', 'data', 'by_class', 'prob')")

    assert [name for name, _ in columns_of(db, "scored")] == ["estimated_y", "estimated_y_2"]
    names = [name for name, _ in columns_of(db, "by_class")]
    assert len(set(names)) == 4
    assert all(len(name) <= 63 for name in names)


@pytest.mark.parametrize(
    ("id_column", "ids"), [("id", [[1, 2], [3], None]), ("id[1] + 1", [2, 4, None])], ids=["array", "expression"]
)
def test_ids_may_be_arrays_or_expressions(
    db: psycopg.Connection, schema: str, predict: str, id_column: str, ids: list[Any]
) -> None:
    write_model(db, schema, "m", Sketch([X], [stump("no", "yes")], id_column=id_column))
    db.execute("CREATE TABLE data (id int[], x float8)")
    db.execute("INSERT INTO data VALUES ('{1,2}', 1), ('{3}', 2), (NULL, NULL)")
    db.execute(f"SELECT {predict}('m', 'data', 'scored')")
    assert fetch(db) == list(zip(ids, ["no", "yes", "no"], strict=True))


@pytest.mark.parametrize(
    "source",
    [
        "CREATE VIEW source AS SELECT * FROM data",
        "CREATE MATERIALIZED VIEW source AS SELECT * FROM data",
        "CREATE TEMPORARY TABLE source AS SELECT * FROM data",
        "CREATE TABLE source (LIKE data) PARTITION BY RANGE (id);"
        "CREATE TABLE source_1 PARTITION OF source FOR VALUES FROM (1) TO (50);"
        "CREATE TABLE source_2 PARTITION OF source DEFAULT; INSERT INTO source SELECT * FROM data",
        "CREATE TABLE source () INHERITS (data)",
        "CREATE TABLE child () INHERITS (data); INSERT INTO child VALUES (101, 1), (102, 2);"
        "ALTER TABLE data RENAME TO source",
    ],
    ids=["view", "materialized", "temporary", "partitioned", "empty", "inherited"],
)  # fmt: skip
def test_new_data_may_be_any_relation(db: psycopg.Connection, schema: str, predict: str, source: str) -> None:
    write_model(db, schema, "m", Sketch([X], [stump("no", "yes")]))
    db.execute("CREATE TABLE data AS SELECT i AS id, (i % 3)::float8 AS x FROM generate_series(1, 100) i")
    db.execute(source)
    db.execute(f"SELECT {predict}('m', 'source', 'scored')")
    assert (
        fetch(db)
        == db.execute("SELECT id, CASE WHEN x < 1.5 THEN 'no' ELSE 'yes' END FROM source ORDER BY id").fetchall()
    )


def test_new_data_may_have_other_types_than_the_training_table(
    db: psycopg.Connection, schema: str, predict: str
) -> None:
    features = [X, Feature("n", "integer", FeatureKind.ORDERED), LETTER, Feature("b", "boolean", FeatureKind.UNORDERED),
                Feature("d", "date", FeatureKind.CONTINUOUS)]  # fmt: skip
    nodes = tree(
        inner(0, "x", 0.5), inner(1, "n", 2.5), inner(2, "letter", left_levels=("a",), right_levels=("b",)),
        inner(3, "b", left_levels=("false",), right_levels=("true",)), leaf(4, "no"),
        leaf(5, "yes"), inner(6, "d", 86_400.0), leaf(7, "yes"), leaf(8, "no"), leaf(13, "no"), leaf(14, "yes"),
    )  # fmt: skip
    write_model(db, schema, "m", Sketch(features, [nodes]))
    values = "(1, 0.25, 1, 'a', true, '1970-01-02'), (2, 0.75, 3, 'b', false, '1970-01-03')"
    rows = f"(VALUES {values}) AS v(id, x, n, letter, b, d)"
    db.execute(f"CREATE TABLE same AS SELECT id, x::float8, n::int, letter, b, d::date FROM {rows}")
    db.execute(f"""CREATE TABLE other AS SELECT id, x::numeric, n::real, letter::char(3), b::text, d::timestamptz
                   FROM {rows}""")  # fmt: skip
    db.execute("SET timezone = 'UTC'")
    db.execute(f"SELECT {predict}('m', 'same', 'one', 'leaf'), {predict}('m', 'other', 'two', 'leaf')")
    assert fetch(db, "one") == fetch(db, "two") == [(1, 8), (2, 14)]


def test_groups_are_found_and_others_stay(db: psycopg.Connection, schema: str, predict: str) -> None:
    grouping = [Column("G 1", '"G 1"', "text"), Column("g2", "g2", "numeric")]
    trees = [stump("a", "b"), {}, stump("b", "a")]
    groups = [("x", 1), ("x", 2), ("y", 1)]
    sketch = Sketch([X], trees, classes=["a", "b"], grouping=grouping, groups=groups)
    write_model(db, schema, "m", sketch)
    db.execute("""CREATE TABLE data (id int, "G 1" varchar(9), g2 numeric, x float8, tree_id int, message text)""")
    db.execute("""INSERT INTO data (id, "G 1", g2, x) VALUES (1, 'x', 1.00, 1), (2, 'x', 2, 1), (3, 'y', 1, 1),
                  (4, 'y', 3, 1), (5, NULL, 1, 1), (6, 'y', NULL, 1)""")  # fmt: skip
    db.execute(f"SELECT {predict}('m', 'data', 'scored'), {predict}('m', 'data', 'p', 'prob')")
    assert fetch(db) == [(1, "a"), (2, None), (3, "b"), (4, None), (5, None), (6, None)]
    assert [row[1] is None for row in fetch(db, "p")] == [False, True, False, True, True, True]


def test_columns_of_the_model_table_do_not_hide_features(db: psycopg.Connection, schema: str, predict: str) -> None:
    features = [Feature("tree_id", "integer", FeatureKind.ORDERED), Feature("message", "text", FeatureKind.UNORDERED)]
    nodes = tree(
        inner(0, "tree_id", 10.5), inner(1, "message", left_levels=("hi",), right_levels=("ho",)),
        leaf(2, "yes"), leaf(3, "no"), leaf(4, "yes"),
    )  # fmt: skip
    write_model(db, schema, "m", Sketch(features, [nodes], grouping=[Column("g", "g", "integer")], groups=[(0,)]))
    db.execute("CREATE TABLE data AS SELECT 1 AS id, 0 AS g, 5 AS tree_id, 'ho' AS message, 9 AS n_rows")
    db.execute(f"SELECT {predict}('m', 'data', 'scored', 'leaf')")
    assert fetch(db) == [(1, 4)]


def test_features_may_be_expressions(db: psycopg.Connection, predict: str) -> None:
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i % 10 AS a, i % 7 AS b, i % 10 > i % 7 AS y "
        "FROM generate_series(1, 200) i"
    )
    train(db, "data", "model", "y", "a - b, a + b, CASE WHEN a > 5 THEN 'x' END")
    db.execute(f"SELECT {predict}('model', 'data', 'scored')")
    assert fetch(db) == db.execute("SELECT id, y FROM data ORDER BY id").fetchall()


def test_equal_text_under_a_collation_is_still_another_level(db: psycopg.Connection, schema: str, predict: str) -> None:
    db.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    nodes = tree(
        inner(0, "letter", left_levels=("a",), right_levels=("b",), majority_left=False), leaf(1, "no"), leaf(2, "yes")
    )
    write_model(db, schema, "m", Sketch([LETTER], [nodes]))
    db.execute("CREATE TABLE data (id int, letter text COLLATE loose); INSERT INTO data VALUES (1, 'a'), (2, 'A')")
    db.execute(f"SELECT {predict}('m', 'data', 'scored')")
    assert fetch(db) == [(1, "no"), (2, "yes")]


def test_a_label_added_to_the_enum_since(db: psycopg.Connection, schema: str, predict: str) -> None:
    db.execute("CREATE TYPE size AS ENUM ('s', 'l')")
    feature = Feature("size", f"{schema}.size", FeatureKind.ORDERED, ("s", "l"))
    write_model(db, schema, "m", Sketch([feature], [tree(inner(0, "size", 1.5), leaf(1, "no"), leaf(2, "yes"))]))
    db.execute("ALTER TYPE size ADD VALUE 'xs' BEFORE 's'; ")
    db.execute("ALTER TYPE size ADD VALUE 'm' BEFORE 'l'")
    db.execute("ALTER TYPE size ADD VALUE 'xl' AFTER 'l'")
    db.execute(
        "CREATE TABLE data AS SELECT row_number() OVER () AS id, v AS size FROM unnest(enum_range(NULL::size)) v"
    )
    db.execute(f"SELECT {predict}('m', 'data', 'scored')")
    assert [label for _, label in fetch(db)] == ["no", "no", "no", "yes", "yes"]  # xs s m | l xl


def test_a_hostile_search_path_changes_nothing(db: psycopg.Connection, schema: str, predict: str) -> None:
    write_model(db, schema, "m", Sketch([X, LETTER], [tree(
        inner(0, "x", 1.5), inner(1, "letter", left_levels=("a",), right_levels=("b",)), leaf(2, "yes"),
        leaf(3, "no"), leaf(4, "yes"))], grouping=[Column("g", "g", "integer")], groups=[(0,)]))  # fmt: skip
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, 0 AS g, i::float8 AS x, 'b' AS letter FROM generate_series(0, 3) i"
    )
    db.execute(f"SELECT {predict}('m', 'data', 'before', 'leaf')")
    db.execute("CREATE FUNCTION lie(float8, float8) RETURNS boolean LANGUAGE sql AS 'SELECT true'")
    db.execute("CREATE FUNCTION lie(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'")
    db.execute("CREATE FUNCTION lie(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT true'")
    db.execute("CREATE FUNCTION array_agg(int) RETURNS int[] LANGUAGE sql AS 'SELECT NULL::int[]'")
    for operator in ("<", "<=", ">", ">=", "="):
        for type_ in ("float8", "text", "int"):
            db.execute(f"CREATE OPERATOR {operator} (LEFTARG = {type_}, RIGHTARG = {type_}, FUNCTION = lie)")
    db.execute(f"SET search_path = {schema}, pg_catalog")
    db.execute(f"SELECT {predict}('m', 'data', 'after', 'leaf')")
    db.execute("RESET search_path")
    assert fetch(db, f"{schema}.after") == fetch(db, f"{schema}.before") == [(0, 4), (1, 4), (2, 2), (3, 2)]


def test_empty_new_data_gives_an_empty_table(db: psycopg.Connection, schema: str, predict: str) -> None:
    write_model(db, schema, "m", Sketch([X], [stump("no", "yes")]))
    db.execute("CREATE TABLE data (id int, x float8)")
    (line,) = db.execute(f"SELECT {predict}('m', 'data', 'scored')").fetchone()
    assert line == "0 rows"
    assert fetch(db) == []


def test_a_tree_of_one_leaf(db: psycopg.Connection, schema: str, predict: str) -> None:
    write_model(db, schema, "m", Sketch([X], [tree(leaf(0, "yes", (1, 3)))]))
    db.execute("CREATE TABLE data (id int, x float8); INSERT INTO data VALUES (1, 1), (2, NULL)")
    db.execute(f"SELECT {predict}('m', 'data', 'scored', 'prob')")
    assert fetch(db) == [(1, 0.25, 0.75), (2, 0.25, 0.75)]


def test_an_error_while_scoring_leaves_nothing(db: psycopg.Connection, schema: str, predict: str) -> None:
    feature = Feature("1 / n", "integer", FeatureKind.ORDERED)
    write_model(db, schema, "m", Sketch([feature], [tree(inner(0, "1 / n", 0.5), leaf(1, "no"), leaf(2, "yes"))]))
    db.execute("CREATE TABLE data AS SELECT i AS id, i - 90000 AS n FROM generate_series(1, 100000) i")
    before = left_behind(db)
    with pytest.raises(psycopg.Error, match="division by zero, as rows of data were read"):
        db.execute(f"SELECT {predict}('m', 'data', 'scored')")
    assert left_behind(db) == before


def test_a_large_model_is_scored_by_blocks(db: psycopg.Connection, schema: str) -> None:
    rng = random.Random(0)
    features = [X, LETTER]
    thresholds = {"x": [i / 1000 for i in range(1000)]}
    nodes = random_tree(rng, features, 14, thresholds, {"letter": list("abcdefg")}, [], 0.97)
    assert 8192 < sum(node.is_leaf for node in nodes.values()) < 12_000
    write_model(db, schema, "m", Sketch(features, [nodes], classes=[]))
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, random() AS x, chr(96 + i % 9) AS letter FROM generate_series(1, 999) i"
    )
    db.execute("SELECT madtree.tree_predict('m', 'data', 'scored')")
    (expression,) = db.execute("SELECT madtree.tree_sql('m')").fetchone()
    assert fetch(db) == db.execute(f"SELECT id, {expression} FROM data ORDER BY id").fetchall()


def test_readers_rights_are_enough(db: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> None:
    write_model(db, schema, "m", Sketch([X], [stump("no", "yes")]))
    db.execute("CREATE TABLE data AS SELECT 1 AS id, 1.0::float8 AS x")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table m"):
        user_db.execute("SELECT madtree.tree_predict('m', 'data', 'scored')")
    db.execute("GRANT SELECT ON m, m_nodes, m_summary TO PUBLIC")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table data"):
        user_db.execute("SELECT madtree.tree_predict('m', 'data', 'scored')")
    db.execute("GRANT SELECT ON data TO PUBLIC")
    user_db.execute("SELECT madtree.tree_predict('m', 'data', 'scored')")
    assert fetch(user_db) == [(1, "no")]


def test_row_level_security_holds(db: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> None:
    write_model(db, schema, "m", Sketch([X], [stump("no", "yes")]))
    db.execute("CREATE TABLE data AS SELECT i AS id, 1.0::float8 AS x FROM generate_series(1, 10) i")
    db.execute("GRANT SELECT ON data, m, m_nodes, m_summary TO PUBLIC")
    db.execute("ALTER TABLE data ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON data USING (id <= 3)")
    user_db.execute("SELECT madtree.tree_predict('m', 'data', 'scored')")
    assert [number for number, _ in fetch(user_db)] == [1, 2, 3]


def test_tree_sql_makes_a_view_and_a_generated_column(db: psycopg.Connection) -> None:
    load_golf(db)
    train(db, "golf", "model", "class", '"OUTLOOK", temperature, windy', min_split=3)
    db.execute("SELECT madtree.tree_predict('model', 'golf', 'scored')")
    (expression,) = db.execute("SELECT madtree.tree_sql('model')").fetchone()
    db.execute(f"CREATE VIEW live AS SELECT id, {expression} AS estimated_class FROM golf")
    db.execute(f"ALTER TABLE golf ADD guess text GENERATED ALWAYS AS ({expression}) STORED")
    assert fetch(db, "live") == fetch(db) == db.execute("SELECT id, guess FROM golf ORDER BY id").fetchall()


def test_tree_sql_of_dates_is_immutable(db: psycopg.Connection, schema: str) -> None:
    features = [
        Feature("d", "date", FeatureKind.CONTINUOUS),
        Feature("t", "timestamp with time zone", FeatureKind.CONTINUOUS),
    ]
    nodes = tree(inner(0, "d", 86_400.0 * 365.5), inner(1, "t", 1e9), leaf(2, "yes"), leaf(3, "no"), leaf(4, "yes"))
    write_model(db, schema, "m", Sketch(features, [nodes]))
    db.execute("SET datestyle = 'SQL, DMY'")
    (expression,) = db.execute("SELECT madtree.tree_sql('m')").fetchone()
    assert "'1971-01-01'::date" in expression
    db.execute(f"CREATE TABLE data (d date, t timestamptz, y text GENERATED ALWAYS AS ({expression}) STORED)")


def test_tree_sql_of_groups(db: psycopg.Connection, schema: str) -> None:
    grouping = [Column("day", "day", "date"), Column("share", "share", "double precision")]
    trees, groups = [stump("no", "yes"), stump("yes", "no")], [("2024-02-03", 0.1 + 0.2), ("2024-02-03", 0.3)]
    write_model(db, schema, "m", Sketch([X], trees, grouping=grouping, groups=groups))
    db.execute("CREATE TABLE data (id int, day date, share float8, x float8)")
    db.execute(
        "INSERT INTO data VALUES (1, '2024-02-03', 0.30000000000000004, 1), (2, '2024-02-03', 0.3, 1), (3, NULL, 1, 1)"
    )
    db.execute("SET datestyle = 'SQL, DMY'; SET extra_float_digits = 0")
    (expression,) = db.execute("SELECT madtree.tree_sql('m')").fetchone()
    assert db.execute(f"SELECT id, {expression} FROM data ORDER BY id").fetchall() == [(1, "no"), (2, "yes"), (3, None)]

    (expression,) = db.execute("SELECT madtree.tree_sql('m', tree_id => 1)").fetchone()
    assert "share" not in expression
    assert db.execute(f"SELECT id, {expression} FROM data ORDER BY id").fetchall() == [
        (1, "yes"),
        (2, "yes"),
        (3, "yes"),
    ]


def test_what_is_predicted_may_have_a_name_of_blanks(db: psycopg.Connection) -> None:
    db.execute('CREATE TABLE data AS SELECT i AS id, i AS x, i > 9 AS " " FROM generate_series(1, 20) AS i')
    db.execute("SELECT madtree.tree_train('data', 'm', 'id', '\" \"', 'x'), madtree.tree_predict('m', 'data', 'p')")
    assert db.execute('SELECT count(*) FROM p NATURAL JOIN data WHERE "estimated_ " = " "').fetchone() == (20,)
