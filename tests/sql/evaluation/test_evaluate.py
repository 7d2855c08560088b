"""tree_evaluate and tree_confusion against scikit-learn's metrics of tree_predict's predictions."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.errors import InvalidParameterValue
from psycopg.rows import dict_row
from sklearn import metrics
from training import train

Row = dict[str, Any]
EPSILON = np.finfo(np.float64).eps
FEATURES = "a, b, c"
# Of a training: dependent, weights, grouping_cols.
MODELS = {
    "two classes": ("label", None, None),
    "three classes": ("kind", None, None),
    "weighted": ("label", "w", None),
    "three classes, weighted": ("kind", "w / 2", None),
    "groups": ("label", None, "region, shift"),
    "three classes in groups, weighted": ("kind", "w", "region"),
    "groups, weighted": ("label", "w", "region"),
    "regression": ("y", None, None),
    "weighted regression": ("y", "w", None),
    "regression in groups": ("y", None, "region, shift"),
    "weighted regression in groups": ("y", "w", "region"),
}


def load(db: psycopg.Connection, table: str, seed: int, n_rows: int, regions: str) -> None:
    """Noisy rows with missing values everywhere; y lies far from 0."""
    rng = np.random.default_rng(seed)
    db.execute(f"""CREATE TABLE {table} (id int, a float8, b int, c text, label boolean, kind text, y float8,
                   w float8, region text, shift int)""")
    with db.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for i in range(n_rows):
            a, b, c = rng.normal(), int(rng.integers(0, 9)), "abcde"[rng.integers(0, 5)]
            score = a + 0.3 * b * (c in "ace") + rng.normal(0, 1.5)
            values = [a, b, c, score > 1, ("low", "mid", "high")[int(np.clip(score, 0, 2))], 1e6 + score]
            values += [float(rng.integers(0, 5)), regions[rng.integers(0, len(regions))], int(rng.integers(0, 2))]
            copy.write_row((i, *(None if rng.random() < 0.05 else value for value in values)))


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    """Tables `train` and `test`, the latter with a region that the former has not."""
    load(db, "train", 1, 700, "abc")
    load(db, "test", 2, 900, "abcx")
    return db


def train_one(db: psycopg.Connection, setting: str, name: str = "model") -> None:
    """One of MODELS, of the table `train`."""
    dependent, weights, grouping = MODELS[setting]
    limits = {"min_split": 10, "max_depth": 6}
    train(db, "train", name, dependent, FEATURES, weights=weights, grouping_cols=grouping, **limits)


def metric_rows(db: psycopg.Connection, model: str = "model", table: str = "test") -> list[Row]:
    query = "SELECT * FROM madtree.tree_evaluate(%s, %s)"
    return db.cursor(row_factory=dict_row).execute(query, [model, table]).fetchall()


def evaluate(db: psycopg.Connection, model: str = "model", table: str = "test") -> list[Row]:
    """A row for each tree, in the order of the answer: tree_id, group_values, and its metrics by name."""
    found: dict[Any, Row] = {}
    for each in metric_rows(db, model, table):
        row = found.setdefault(each["tree_id"], {key: each[key] for key in ("tree_id", "group_values")})
        assert each["metric"] not in row
        row[each["metric"]] = each["value"]
    return list(found.values())


def confusion(db: psycopg.Connection, model: str = "model", table: str = "test") -> list[Row]:
    query = "SELECT * FROM madtree.tree_confusion(%s, %s)"
    return db.cursor(row_factory=dict_row).execute(query, [model, table]).fetchall()


def predicted(db: psycopg.Connection, setting: str) -> tuple[list[Row], int]:
    """The test rows that count, with tree, actual, response, probabilities and weight; and how many do not."""
    dependent, weights, grouping = MODELS[setting]
    db.execute("SELECT madtree.tree_predict('model', 'test', 'responses')")
    probabilities = "NULL::float8[]"
    if dependent != "y":
        db.execute("SELECT madtree.tree_predict('model', 'test', 'odds', 'prob')")
        names = db.execute("SELECT dependent_var_levels FROM model_summary").fetchone()[0]
        probabilities = "ARRAY[" + ", ".join(f'"estimated_prob_{name}"' for name in names) + "]"
    rows = (
        db.cursor(row_factory=dict_row)
        .execute(f"""
            SELECT {"m.tree_id" if grouping else "1"} AS tree, {dependent} AS actual,
                estimated_{dependent} AS response, {probabilities} AS probabilities, ({weights or 1})::float8 AS weight
            FROM test JOIN responses USING (id) {"JOIN odds USING (id)" if dependent != "y" else ""}
            {f"LEFT JOIN model m USING ({grouping})" if grouping else ""} ORDER BY id""")
        .fetchall()
    )
    counted = [row for row in rows if None not in (row["actual"], row["response"]) and row["weight"]]
    return counted, len(rows) - len(counted)


def expected(rows: list[Row], classes: list[Any]) -> Row:
    """Metrics by scikit-learn; classes in the model's order."""
    weight = np.array([row["weight"] for row in rows])
    actual, response = [row["actual"] for row in rows], [row["response"] for row in rows]
    result: Row = {}
    if not classes:
        squared = metrics.mean_squared_error(actual, response, sample_weight=weight)
        result["rmse"] = np.sqrt(squared)
        result["mae"] = metrics.mean_absolute_error(actual, response, sample_weight=weight)
        result["r2"] = metrics.r2_score(actual, response, sample_weight=weight)
        return result
    position = np.array([classes.index(value) for value in actual])
    probabilities = np.array([row["probabilities"] for row in rows])
    result["accuracy"] = metrics.accuracy_score(actual, response, sample_weight=weight)
    result["balanced_accuracy"] = metrics.balanced_accuracy_score(actual, response, sample_weight=weight)
    result["log_loss"] = metrics.log_loss(position, probabilities, sample_weight=weight, labels=range(len(classes)))
    if len(classes) == 2:
        result["auc"] = None
    if len(classes) == 2 and len(set(position)) == 2:
        result["auc"] = metrics.roc_auc_score(position == 0, probabilities[:, 0], sample_weight=weight)
    return result


def classes_of(db: psycopg.Connection, setting: str) -> list[Any]:
    return {"label": [False, True], "kind": ["high", "low", "mid"], "y": []}[MODELS[setting][0]]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("setting", MODELS)
def test_metrics_are_scikit_learns(data: psycopg.Connection, setting: str) -> None:
    train_one(data, setting)
    rows, n_skipped = predicted(data, setting)
    trees = sorted({row["tree"] for row in rows})
    found = evaluate(data)
    grouped = MODELS[setting][2] is not None
    assert [row["tree_id"] for row in found] == ([None, *trees] if grouped else [1])
    assert found[0]["n_skipped"] == n_skipped
    for row in found:
        counted = [other for other in rows if row["tree_id"] in (None, other["tree"])]
        assert row["n"] == len(counted)
        wanted = expected(counted, classes_of(data, setting))
        assert row.keys() == {"tree_id", "group_values", "n", "n_skipped", *wanted}
        for name, value in wanted.items():
            assert row[name] == (None if value is None else pytest.approx(value, rel=1e-9)), name


@pytest.mark.one_in(4)
@pytest.mark.parametrize("setting", [name for name in MODELS if MODELS[name][0] != "y"])
def test_confusion_is_scikit_learns(data: psycopg.Connection, setting: str) -> None:
    train_one(data, setting)
    rows, _ = predicted(data, setting)
    classes = classes_of(data, setting)
    texts = {value: str(value).lower() for value in classes}
    found = confusion(data)
    trees = sorted({row["tree"] for row in rows})
    assert [(row["tree_id"], row["actual"], row["predicted"]) for row in found] == [
        (tree, texts[actual], texts[response]) for tree in trees for actual in classes for response in classes
    ]
    counts, weights = [], []
    for tree in trees:
        of_tree = [row for row in rows if row["tree"] == tree]
        actual, response = ([texts[row[name]] for row in of_tree] for name in ("actual", "response"))
        labels = [texts[value] for value in classes]
        counts += metrics.confusion_matrix(actual, response, labels=labels).ravel().tolist()
        weight = [row["weight"] for row in of_tree]
        matrix = metrics.confusion_matrix(actual, response, labels=labels, sample_weight=weight)
        weights += matrix.ravel().tolist()
    assert [row["n"] for row in found] == counts
    assert [row["weight"] for row in found] == pytest.approx(weights)


@pytest.fixture
def by_blocks(data: psycopg.Connection) -> str:
    """Name of a function that evaluates as for models that are too large for one expression; as JSON."""
    data.execute("SELECT madtree.tree_evaluate()")  # loads the Python half
    data.execute("""
        CREATE FUNCTION by_blocks(function text, model text, test_table text) RETURNS json
        LANGUAGE plpython3u SET jit = off AS $$
        import json
        from madtree.score import evaluate
        from madtree.host.plpy import PlpyHost
        return json.dumps(getattr(evaluate, function)(PlpyHost(plpy), model, test_table, in_blocks=True))
        $$""")
    return "by_blocks"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("setting", MODELS)
def test_blocks_give_the_same(data: psycopg.Connection, by_blocks: str, setting: str) -> None:
    train_one(data, setting)
    data.execute("CREATE VIEW seen AS SELECT * FROM test")
    functions = [metric_rows] if MODELS[setting][0] == "y" else [metric_rows, confusion]
    for function in functions:
        expected_rows = function(data)
        for table, access in itertools.product(("test", "seen"), ("READ WRITE", "READ ONLY")):
            query = f"SELECT {by_blocks}(%s, 'model', %s)"
            name = f"tree_{'evaluate' if function is metric_rows else 'confusion'}"
            data.execute(f"SET default_transaction_read_only = {'on' if access == 'READ ONLY' else 'off'}")
            (found,) = data.execute(query, [name, table]).fetchone()
            data.execute("RESET default_transaction_read_only")
            for row, other in zip(found, expected_rows, strict=True):
                row["group_values"] = json.loads(row["group_values"] or "null")
                assert row == {k: pytest.approx(v) if isinstance(v, float) else v for k, v in other.items()}
    assert data.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'madtree_rows_%'").fetchone() == (0,)


def test_groups_are_named(data: psycopg.Connection) -> None:
    train_one(data, "regression in groups")
    groups = [{"region": region, "shift": shift} for region in "abc" for shift in (0, 1)]
    assert [row["group_values"] for row in evaluate(data)] == [None, *groups]
    train_one(data, "groups", "classes")
    assert [row["group_values"] for row in confusion(data, "classes")[::4]] == groups


def test_rows_without_an_id_will_do(data: psycopg.Connection) -> None:
    train_one(data, "weighted")
    whole = evaluate(data)
    data.execute("ALTER TABLE test DROP id")
    assert evaluate(data) == whole


def test_a_perfect_model(data: psycopg.Connection) -> None:
    data.execute(
        "CREATE TABLE plain AS SELECT i AS id, i AS x, i > 10 AS late, i * 2.5 AS y FROM generate_series(1, 20) i"
    )
    train(data, "plain", "classes", "late", "x", min_split=2)
    train(data, "plain", "numbers", "y", "x", min_split=2)
    (row,) = evaluate(data, "classes", "plain")
    assert (row["accuracy"], row["balanced_accuracy"], row["auc"]) == (1, 1, 1)
    assert row["log_loss"] == pytest.approx(EPSILON)
    (row,) = evaluate(data, "numbers", "plain")
    assert (row["rmse"], row["mae"], row["r2"]) == (0, 0, 1)


def test_what_cannot_be_told_is_null(data: psycopg.Connection) -> None:
    """AUC of one class, R² of equal values, anything of no row."""
    train_one(data, "two classes", "classes")
    train_one(data, "regression", "numbers")
    data.execute("CREATE VIEW ones AS SELECT a, b, c, true AS label, 0.1::float8 AS y FROM test")
    (row,) = evaluate(data, "classes", "ones")
    assert row["auc"] is None
    assert row["accuracy"] == row["balanced_accuracy"] > 0
    (row,) = evaluate(data, "numbers", "ones")
    assert row["r2"] is None
    assert row["rmse"] > 1e5
    data.execute("CREATE VIEW nothing AS SELECT * FROM test WHERE false")
    for model in ("classes", "numbers"):
        (row,) = evaluate(data, model, "nothing")
        assert set(row.values()) == {1, 0, None}
    assert [row["n"] for row in confusion(data, "classes", "nothing")] == [0] * 4


def test_classes_that_the_model_does_not_know(data: psycopg.Connection) -> None:
    """They are predicted wrongly, with probability 0; auc is that of the others."""
    data.execute("CREATE VIEW known AS SELECT a, b, c, label::text AS label FROM test WHERE label IS NOT NULL")
    data.execute("CREATE VIEW more AS TABLE known UNION ALL VALUES (0, 1, 'a', 'perhaps'), (1, 2, 'b', 'perhaps')")
    data.execute("ALTER TABLE train ALTER label TYPE text")
    train_one(data, "two classes")
    (known,), (more,) = evaluate(data, table="known"), evaluate(data, table="more")
    n = known["n"]
    assert more["n"] == n + 2
    assert more["accuracy"] == pytest.approx(known["accuracy"] * n / (n + 2))
    assert more["balanced_accuracy"] == pytest.approx(known["balanced_accuracy"] * 2 / 3)
    assert more["log_loss"] == pytest.approx((known["log_loss"] * n - 2 * np.log(EPSILON)) / (n + 2))
    assert more["auc"] == known["auc"]
    rows = confusion(data, table="more")
    assert rows[:4] == confusion(data, table="known")
    assert [(row["actual"], row["predicted"]) for row in rows[4:]] == [("perhaps", "false"), ("perhaps", "true")]
    assert sum(row["n"] for row in rows[4:]) == 2


def test_auc_counts_ties_half(db: psycopg.Connection) -> None:
    """Three leaves; between rows of the same leaf it is a draw."""
    db.execute("CREATE TABLE plain (id int, x float8, y text)")
    db.execute("""INSERT INTO plain SELECT row_number() OVER (), x, y FROM (VALUES (1, 'a', 4), (1, 'b', 1),
                  (2, 'a', 2), (2, 'b', 5), (3, 'a', 5), (3, 'b', 2)) v(x, y, n), generate_series(1, n)""")
    train(db, "plain", "model", "y", "x", min_split=2)
    assert db.execute("SELECT n_leaves FROM model").fetchone() == (3,)
    (row,) = evaluate(db, table="plain")
    best, least, middle = 4 / 5, 2 / 7, 5 / 7
    pairs = [
        (a > b) + 0.5 * (a == b)
        for a in [best] * 4 + [least] * 2 + [middle] * 5
        for b in [best] + [least] * 5 + [middle] * 2
    ]
    assert row["auc"] == pytest.approx(sum(pairs) / len(pairs), rel=1e-15)


def test_a_group_that_failed_and_one_without_rows(data: psycopg.Connection) -> None:
    data.execute("INSERT INTO train (id, a, region) VALUES (-1, 1, 'x')")
    data.execute("INSERT INTO train SELECT id, a, b, c, label, kind, y, w, 'y' FROM train WHERE region = 'a'")
    train(data, "train", "model", "label", "a, b", grouping_cols="region")
    (n,) = data.execute("SELECT count(*) FROM test WHERE region = 'x'").fetchone()
    found = {row["group_values"]["region"]: row for row in evaluate(data)[1:]}
    assert (found["x"]["n"], found["x"]["n_skipped"], found["x"]["accuracy"]) == (0, n, None)
    assert (found["y"]["n"], found["y"]["n_skipped"], found["y"]["accuracy"]) == (0, 0, None)
    assert found["a"]["n"] > 0


def test_it_only_reads(data: psycopg.Connection) -> None:
    train_one(data, "groups")
    data.execute("BEGIN READ ONLY")
    assert len(evaluate(data)) == 7
    assert len(confusion(data)) == 24
    data.execute("ROLLBACK")


def test_a_large_model_may_be_evaluated_where_nothing_may_be_written(db: psycopg.Connection) -> None:
    """So large, and by so few rows, that it is scored by blocks of itself."""
    db.execute("CREATE TABLE many AS SELECT i AS id, i AS x, i * 7919 % 10007 AS n FROM generate_series(1, 20000) i")
    train(db, "many", "large", "n::float8", "x", max_depth=20, min_split=2, min_bucket=1)
    train(db, "many", "classes", "n > 5000", "x", max_depth=20, min_split=2, min_bucket=1)
    metrics_of = {name: evaluate(db, name, "many") for name in ("large", "classes")}
    matrix = confusion(db, "classes", "many")
    for begin in ("BEGIN READ ONLY", "SET default_transaction_read_only = on; BEGIN"):
        db.execute(begin)
        for name, rows in metrics_of.items():
            assert evaluate(db, name, "many") == [pytest.approx(row) for row in rows]
        assert confusion(db, "classes", "many") == matrix
        db.execute("ROLLBACK; RESET default_transaction_read_only")


def test_names_of_all_kinds(data: psycopg.Connection, schema: str) -> None:
    """Braces, backticks and operators of the user's own are not taken for madtree's."""
    data.execute('ALTER TABLE test RENAME region TO "re`+`gi{on}"')
    data.execute('ALTER TABLE test RENAME kind TO "ki{nd}`*`"')
    data.execute('CREATE TABLE "te{st}`/`" AS TABLE test')
    train(
        data,
        '"te{st}`/`"',
        '"mo{del}`-`"',
        '"ki{nd}`*`"',
        "a, (c = '`+`{x}'), b",
        grouping_cols='"re`+`gi{on}"',
        weights="w * length('{`+`}')",
    )
    found = evaluate(data, '"mo{del}`-`"', '"te{st}`/`"')
    assert found[1]["group_values"] == {"re`+`gi{on}": "a"}
    assert found[0]["accuracy"] > 0.3
    assert len(confusion(data, '"mo{del}`-`"', '"te{st}`/`"')) == 36


def test_a_hostile_search_path_changes_nothing(data: psycopg.Connection, schema: str) -> None:
    train_one(data, "weighted")
    train_one(data, "weighted regression", "numbers")
    before = [*evaluate(data), *evaluate(data, "numbers"), *confusion(data)]
    data.execute("""
        CREATE FUNCTION no(float8, float8) RETURNS float8 LANGUAGE sql AS 'SELECT 0::float8';
        CREATE FUNCTION never(float8, int) RETURNS boolean LANGUAGE sql AS 'SELECT false';
        CREATE FUNCTION ln(float8) RETURNS float8 LANGUAGE sql AS 'SELECT 0::float8';
        CREATE FUNCTION unnest(float8[]) RETURNS SETOF float8 LANGUAGE sql AS 'SELECT 0::float8';
        CREATE OPERATOR * (LEFTARG = float8, RIGHTARG = float8, FUNCTION = no);
        CREATE OPERATOR / (LEFTARG = float8, RIGHTARG = float8, FUNCTION = no);
        CREATE OPERATOR > (LEFTARG = float8, RIGHTARG = int, FUNCTION = never)""")
    data.execute(f"SET search_path = {schema}, pg_catalog, madtree")
    after = [*evaluate(data), *evaluate(data, "numbers"), *confusion(data)]
    # Once analysed, the table may be read by another plan, which sums fractional weights in another order.
    assert [[*row] for row in after] == [[*row] for row in before]
    for row, old in zip(after, before, strict=True):
        for name, value in old.items():
            assert row[name] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), name


@pytest.mark.in_turn
@pytest.mark.parametrize("function", ["tree_evaluate", "tree_confusion"])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((None, "test"), "tree_model must be the name of a model, not NULL"),
        (("nothing", "test"), "tree_model: relation nothing does not exist"),
        (("test", "test"), "tree_model: test is not a madtree model"),
        (("model", None), "test_table must be the name of a table or view, not NULL"),
        (("model", "nothing"), "test_table: relation nothing does not exist"),
        (("model", "a b"), "test_table is not a valid relation name: 'a b'; it must be name or schema.name"),
        (("model", "poor"), "test_table: poor lacks c, label, region, w, which the model needs"),
        (("model", "negative"), "test_table: weights w is negative, infinite or NaN in 3 rows of negative; a weight"),
    ],
)
def test_mistakes_are_named(data: psycopg.Connection, function: str, arguments: tuple[Any, ...], sentence: str) -> None:
    train_one(data, "groups, weighted")
    data.execute("CREATE VIEW poor AS SELECT id, a, b, kind FROM test")
    data.execute("""CREATE VIEW negative AS TABLE test UNION ALL SELECT -1, 1, 2, 'a', true, 'mid', 1, w, 'a', 1
                    FROM unnest('{-1,NaN,Infinity}'::float8[]) w""")
    with pytest.raises(psycopg.Error) as caught:
        data.execute(f"SELECT * FROM madtree.{function}(%s, %s)", arguments)
    assert str(caught.value.diag.message_primary).removeprefix("madtree: ").startswith(sentence)


def test_outcomes_must_be_finite(data: psycopg.Connection) -> None:
    train_one(data, "regression")
    data.execute("INSERT INTO test (y) VALUES ('NaN'), ('-Infinity')")
    with pytest.raises(InvalidParameterValue, match="test_table: y is infinite or NaN in 2 rows of test"):
        evaluate(data)


def test_there_is_no_confusion_of_numbers(data: psycopg.Connection) -> None:
    train_one(data, "regression")
    with pytest.raises(
        InvalidParameterValue,
        match="tree_model: model is a regression model, and a confusion matrix needs classes",
    ):
        confusion(data)


def test_rights_are_the_callers(data: psycopg.Connection, user_db: psycopg.Connection) -> None:
    train_one(data, "two classes")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table model"):
        evaluate(user_db)
    data.execute("GRANT SELECT ON model, model_nodes, model_summary TO public")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table test"):
        evaluate(user_db)
    data.execute("GRANT SELECT ON test TO public")
    assert evaluate(user_db) == evaluate(data)
    data.execute("ALTER TABLE test ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON test USING (region = 'a')")
    assert evaluate(user_db)[0]["n"] < evaluate(data)[0]["n"]


@pytest.mark.parametrize("function", ["tree_evaluate", "tree_confusion"])
def test_help(db: psycopg.Connection, function: str) -> None:
    (text,) = db.execute(f"SELECT madtree.{function}()").fetchone()
    assert f"SELECT * FROM madtree.{function}(" in text
    assert db.execute(f"SELECT madtree.{function}('usage')").fetchone() == (text,)
    with pytest.raises(InvalidParameterValue, match=f"{function} with one argument takes 'usage', 'help', 'example', "):
        db.execute(f"SELECT madtree.{function}('model')")
