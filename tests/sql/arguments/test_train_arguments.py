"""Every mistake in the arguments of `tree_train`: one clear sentence, before any work, and nothing left behind."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.errors import InvalidParameterValue
from training import call_train, left_behind

GOOD = {
    "training_table_name": "data",
    "output_table_name": "model",
    "id_col_name": "id",
    "dependent_variable": "y",
    "list_of_features": "x, n",
}


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("""
        CREATE TYPE mood AS ENUM ('sad', 'happy');
        CREATE TABLE data (
            id int, y boolean, v float8, x float8, n int, "Mixed Case" int, m mood, doc json, place point, w numeric,
            tree_id int, fold int, even float8[], ragged float8[], deep float8[], late float8[], hollow float8[],
            unknown float8[], docs json[], hashed xid
        );
        INSERT INTO data SELECT i, i % 2 = 0, i, i, i, i, 'sad', '{}', '(1,2)', 1, 1, 1, '{1,2}',
            CASE WHEN i = 7 THEN '{1}' ELSE '{1,2}'::float8[] END,
            CASE WHEN i = 8 THEN '{{1,2}}' ELSE '{1,2}'::float8[] END,
            CASE WHEN i = 9 THEN '[0:1]={1,2}' ELSE '{1,2}'::float8[] END,
            '{}', NULL, '{}'
        FROM generate_series(1, 20) i;
        CREATE TABLE empty (LIKE data);
        CREATE INDEX an_index ON data (id);
        CREATE SEQUENCE a_sequence;
    """)
    return db


def call(db: psycopg.Connection, **arguments: Any) -> None:
    """A good call, but for `arguments`."""
    call_train(db, **(GOOD | arguments))


def refusal(db: psycopg.Connection, **arguments: Any) -> psycopg.Error:
    """The error of a call; nothing must be left of it."""
    before = left_behind(db)
    with pytest.raises(psycopg.Error) as caught:  # which, is what the tests compare
        call(db, **arguments)
    assert left_behind(db) == before
    return caught.value


REQUIRED = [name for name in GOOD if name != "output_table_name"]
MISTAKES: list[tuple[dict[str, Any], str]] = [
    # required
    *(({name: None}, f"{name} must not be NULL") for name in REQUIRED),
    *(({name: " "}, f"{name} must not be empty") for name in REQUIRED),
    # the training table
    (
        {"training_table_name": "dat"},
        "training_table_name: relation dat does not exist in the schemas of the search_path",
    ),
    ({"training_table_name": "nope.data"}, 'training_table_name: schema "nope" of nope.data does not exist'),
    (
        {"training_table_name": "public.data"},
        'training_table_name: relation public.data does not exist in schema "public"',
    ),
    ({"training_table_name": "a.b.c"}, "training_table_name is not a valid relation name: 'a.b.c'"),
    ({"training_table_name": "my table"}, "training_table_name is not a valid relation name: 'my table'"),
    ({"training_table_name": "an_index"}, "training_table_name must be a table, partitioned table, view"),
    ({"training_table_name": "a_sequence"}, "training_table_name must be a table, partitioned table, view"),
    # the output; see also test_new_tables.py
    ({"output_table_name": "data", "replace": True}, '"data" exists and is not part of a madtree model'),
    # columns
    ({"id_col_name": "nope"}, "id_col_name: column nope does not exist in data"),
    ({"id_col_name": "id + 1"}, "id_col_name must be the name of a column of data, not an expression: id + 1"),
    ({"id_col_name": "id, x"}, "id_col_name must be one column or expression, not a list"),
    ({"id_col_name": "data.id"}, "id_col_name: name the column without its table, not as data.id"),
    ({"dependent_variable": "nope"}, "dependent_variable: column nope does not exist in data"),
    ({"dependent_variable": "x +"}, "dependent_variable: x + is not a valid expression"),
    (
        {"dependent_variable": "nope > 1"},
        "dependent_variable: nope > 1 is not a valid expression over the training table's",
    ),
    (
        {"dependent_variable": "place"},
        "dependent_variable place is of type point; it must be boolean, integer, text, an",
    ),
    ({"dependent_variable": "even"}, "dependent_variable even is of type double precision[]; it must be boolean"),
    ({"dependent_variable": "id; DROP TABLE data"}, "dependent_variable must not hold a comment or a semicolon"),
    ({"weights": "nope"}, "weights: column nope does not exist in data"),
    ({"weights": "m"}, "weights m is of type mood; it must be numeric"),
    ({"weights": "w, x"}, "weights must be one column or expression, not a list"),
    ({"weights": "max(w)"}, "weights: max(w) is not a valid expression over the training table's columns: aggregate"),
    # features
    ({"list_of_features": "x,,n"}, "list_of_features has an empty item (number 2 of 3)"),
    ({"list_of_features": "y, id"}, "list_of_features: no feature is left of 'y, id' in data"),
    ({"list_of_features": "x, nope"}, "list_of_features: column nope does not exist in data"),
    ({"list_of_features": "x, xmin"}, "list_of_features: column xmin does not exist in data"),
    ({"list_of_features": "x, nope(n)"}, "list_of_features: nope(n) is not a valid expression"),
    (
        {"list_of_features": "x, sum(n)"},
        "list_of_features: sum(n) is not a valid expression over the training table's col",
    ),
    (
        {"list_of_features": "x, row_number() over ()"},
        "list_of_features: row_number() over () is not a valid expression",
    ),
    (
        {"list_of_features": "x, generate_series(1, n)"},
        "list_of_features: generate_series(1, n) is not a valid expression",
    ),
    (
        {"list_of_features": "x, n / 'a'"},
        "list_of_features: n / 'a' is not a valid expression over the training table's col",
    ),
    (
        {"list_of_features": "x, doc"},
        "list_of_features: doc is of type json, but a feature must be numeric, boolean, text",
    ),
    ({"list_of_features": "x, place"}, "list_of_features: place is of type point, but a feature must be"),
    ({"list_of_features": "x, docs"}, "list_of_features: docs is of type json[], but a feature must be"),
    ({"list_of_features": "x, (x, n)"}, "list_of_features: (x, n) is of type record, but a feature must be"),
    ({"list_of_features": "x, f(n"}, "list_of_features has a bracket that is not closed"),
    ({"list_of_features": "x -- all"}, "list_of_features must not hold a comment or a semicolon"),
    ({"list_of_features": "ragged"}, "that of the row with id 7 has 1"),
    (
        {"list_of_features": "deep"},
        "must have one dimension that begins at 1, but that of the row with id 8 is [1:1][1:2]",
    ),
    ({"list_of_features": "late"}, "must have one dimension that begins at 1, but that of the row with id 9 is [0:1]"),
    ({"list_of_features": "hollow"}, "array column hollow is empty in every row"),
    ({"list_of_features": "unknown"}, "array column unknown is NULL in every row"),
    ({"list_of_features": "even", "training_table_name": "empty"}, "training_table_name: empty has no rows"),
    ({"list_of_features_to_exclude": "x, n"}, "list_of_features: no feature is left of 'x, n' in data"),
    # grouping
    ({"grouping_cols": "nope"}, "grouping_cols: column nope does not exist in data"),
    ({"grouping_cols": "n % 2, n + 2"}, "grouping_cols: n + 2 is called n_2, as another one"),
    ({"grouping_cols": "w AS m, m"}, "grouping_cols: m is called m, as another one"),
    ({"grouping_cols": "n % 2 AS n_rows"}, "grouping_cols: n % 2 is called n_rows, also the name of a column"),
    ({"grouping_cols": "w AS a.b"}, "grouping_cols: AS must stand between an expression and one name"),
    ({"grouping_cols": f"w AS {'b' * 64}"}, "has 64 bytes, but a name may have 63"),
    ({"grouping_cols": "max(n)"}, "grouping_cols: max(n) is not a valid expression"),
    ({"grouping_cols": "(n, m)"}, "grouping_cols: (n, m) is of type record, which a table's column cannot have"),
    ({"dependent_variable": "y AS"}, "dependent_variable: AS must stand between an expression and one name"),
    ({"classification": False, "dependent_variable": "m"}, "classification => false asks for a regression"),
    ({"classification": True, "split_criterion": "mse"}, "split_criterion mse is for regression, but classification"),
    ({"grouping_cols": "m, M"}, "grouping_cols: m is listed twice"),
    ({"grouping_cols": "y"}, "grouping_cols: y is the dependent variable and cannot be a grouping column"),
    ({"grouping_cols": "tree_id"}, "grouping_cols: tree_id is also the name of a column of the output table"),
    (
        {"grouping_cols": "m, doc"},
        "grouping_cols: cannot group by doc: could not identify an ordering operator for type js",
    ),
    ({"grouping_cols": "hashed"}, "grouping_cols: cannot group by hashed: could not identify an ordering operator"),
    # numbers
    ({"max_depth": -1}, "max_depth must be from 0 to 60, not -1"),
    ({"min_split": 0}, "min_split must be at least 1, not 0"),
    ({"min_bucket": 0}, "min_bucket must be at least 1, not 0"),
    ({"n_bins": 1}, "n_bins must be 0 (every threshold) or 2 to 65000, not 1"),
    ({"n_bins": -1}, "n_bins must be 0 (every threshold) or 2 to 65000, not -1"),
    ({"n_bins": 65001}, "n_bins must be 0 (every threshold) or 2 to 65000, not 65001"),
    ({"memory_mb": 7}, "memory_mb must be from 8 to 1048576, not 7"),
    ({"parallel_workers": -1}, "parallel_workers must be from 0 to 1024, not -1"),
    # criterion
    (
        {"split_criterion": "ginny"},
        "split_criterion must be one of gini, entropy, gain_ratio, misclassification, mse, poisson, not 'ginny'",
    ),
    ({"split_criterion": "mse"}, "split_criterion mse is for regression, but dependent_variable y is of type boolean"),
    (
        {"split_criterion": "entropy", "dependent_variable": "v", "classification": False},
        "split_criterion entropy is for classification, but classification is false",
    ),
    # parameter strings
    (
        {"pruning_params": "cpp=1"},
        "pruning_params: the key 'cpp' is unknown; valid keys are max_surrogates, null_as_cat",
    ),
    ({"surrogate_params": "2"}, "surrogate_params: '2' is not a pair key=value"),
    (
        {"pruning_params": "cp=no"},
        "pruning_params: cp must be a number, below 0 for trees that are not pruned, not 'no'",
    ),
    ({"max_leaf_nodes": 1}, "max_leaf_nodes must be at least 2, not 1"),
    ({"min_impurity_decrease": -0.5}, "min_impurity_decrease must be a number of at least 0, not -0.5"),
    ({"min_impurity_decrease": float("nan")}, "min_impurity_decrease must be a number of at least 0, not nan"),
    (
        {"pruning_params": "n_folds=-1"},
        "pruning_params: n_folds must be 0 (no cross-validation) or an integer from 2 to 255",
    ),
    ({"class_params": "0.5:0.5"}, "class_params: '0.5:0.5' is not 'prior=0.5:0.5', 'loss=0 1 5 0' or 'class_weight="),
    ({"class_params": "priors=1"}, "class_params: the key 'priors' is unknown; valid keys are prior, loss, class_w"),
    ({"class_params": "prior=0.5:0.5, class_weight=balanced"}, "class_params: prior and class_weight both say how m"),
    (
        {"class_params": "prior=a:b"},
        "class_params: prior must be numbers with spaces or colons between them, not 'a:b'",
    ),
    ({"class_params": "prior=0:1"}, "class_params: prior must be at least 1e-09 for every class, not '0:1'"),
    ({"class_params": "prior=0.5:0.6"}, "class_params: prior must add up to 1, and '0.5:0.6' adds up to 1.1"),
    ({"class_params": "loss=0 1 2"}, "class_params: loss must be a matrix, a row for each true class and a column f"),
    ({"class_params": "loss=1 1 5 0"}, "class_params: loss must be 0 where the true class is predicted, not '1 1 5 0'"),
    ({"class_params": "loss=0 -1 5 0"}, "class_params: loss must be from 0 to 1e+09, not '0 -1 5 0'"),
    ({"class_params": "loss=0 0 5 0"}, "class_params: loss must have a cost above 0 in every row, not '0 0 5 0'"),
    ({"class_params": "class_weight=-1:1"}, "class_params: class_weight must be balanced, or from 1e-09 to 1e+09 for"),
    (
        {"class_params": "prior=0.2:0.3:0.5"},
        "class_params: prior has 3 numbers, and there should be 2: dependent_variable y has 2 classes, in this order: "
        "false, true",
    ),
    (
        {"class_params": "prior=1", "dependent_variable": "v"},
        "class_params are for classification, and dependent_variable v is a number here",
    ),
    ({"pruning_params": "fold_col=nope"}, "fold_col: column nope does not exist in data"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_is_named_and_leaves_nothing(data: psycopg.Connection, arguments: dict[str, Any], words: str) -> None:
    message = refusal(data, **arguments).diag.message_primary or ""
    schema = schema_of(data)  # it has another name in each run
    assert words in message.replace(f'"{schema}".', "").replace(f"{schema}.", "")


def test_too_many_features_are_refused(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i % 2 = 0 AS y, i AS x, array_fill(i::float8, ARRAY[65536]) AS many "
        "FROM generate_series(1, 3) i"
    )
    error = refusal(db, list_of_features="x, many")
    assert error.sqlstate == "54000"
    assert "has 65,537 features" in str(error.diag.message_primary)


@pytest.mark.parametrize("argument", ["list_of_features", "grouping_cols", "weights"])
def test_an_expression_that_is_too_long_is_refused(data: psycopg.Connection, argument: str) -> None:
    around = "n + 0 * length('')"
    longest = around.replace("''", f"'{'x' * (262_144 - len(around))}'")
    call(data, **{argument: longest})
    error = refusal(data, **{argument: longest.replace("x", "xx", 1)}, output_table_name="other")
    assert error.sqlstate == "54000"
    assert f"{argument} has an expression of 262,145 bytes; at most 262,144" in str(error.diag.message_primary)


def schema_of(db: psycopg.Connection) -> str:
    row = db.execute("SELECT current_schema()").fetchone()
    assert row
    return str(row[0])


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"training_table_name": "dta"}, 'Did you mean "data"?'),
        ({"training_table_name": '"Data"'}, 'Did you mean "data"?'),
        ({"id_col_name": "Mixed Case"}, None),
        (
            {"list_of_features": '"mixed case"'},
            'Did you mean "Mixed Case"? A name with capitals must be in double quotes.',
        ),
        (
            {"output_table_name": "data"},
            "Choose another name, drop it, or, if it is a madtree model, call with replace",
        ),
        ({"split_criterion": "mse", "dependent_variable": "n", "list_of_features": "x"}, "cast it: (n)::float8"),
    ],
    ids=str,
)
def test_hints(data: psycopg.Connection, arguments: dict[str, Any], hint: str | None) -> None:
    found = refusal(data, **arguments).diag.message_hint
    assert (found is None) if hint is None else (hint in (found or ""))


@pytest.mark.parametrize(
    ("arguments", "sqlstate"),
    [
        ({"training_table_name": "nope"}, "42P01"),
        ({"training_table_name": "nope.nope"}, "3F000"),
        ({"id_col_name": "nope"}, "42703"),
        ({"list_of_features": "x +"}, "42601"),
        ({"list_of_features": "nope(x)"}, "42883"),
        ({"output_table_name": "data"}, "42P07"),
        ({"max_depth": -1}, "22023"),
    ],
    ids=str,
)
def test_sqlstates(data: psycopg.Connection, arguments: dict[str, Any], sqlstate: str) -> None:
    assert refusal(data, **arguments).sqlstate == sqlstate


@pytest.mark.parametrize("suffix", ["", "_nodes", "_summary", "_surrogates", "_cv"])
@pytest.mark.parametrize("name", ["model", "x" * 63])
def test_none_of_the_models_tables_may_exist(data: psycopg.Connection, suffix: str, name: str) -> None:
    from madtree.sqltext.tables import suffixed

    table = suffixed(name, suffix)
    data.execute(f"CREATE TABLE {table} (a int)")
    assert f'"{table}" exists already' in str(refusal(data, output_table_name=name))
    assert f'"{table}" exists and is not part of a madtree model' in str(
        refusal(data, output_table_name=name, replace=True)
    )


def test_help(db: psycopg.Connection) -> None:
    (text,) = db.execute("SELECT madtree.tree_train()").fetchone() or ("",)
    for argument in ("training_table_name", "grouping_cols", "pruning_params", "memory_mb"):
        assert argument in text
    for word in ("usage", "HELP", "?", "", None):
        assert db.execute("SELECT madtree.tree_train(%s)", [word]).fetchone() == (text,)
    with pytest.raises(
        InvalidParameterValue, match=r"tree_train with one argument takes 'usage', 'help', 'example', '\?', not 'data'"
    ):
        db.execute("SELECT madtree.tree_train('data')")


@pytest.mark.parametrize(
    "function",
    ["tree_train", "tree_predict", "tree_evaluate", "tree_confusion", "get_var_importance", "tree_path", "tree_prune"],
)
def test_the_example_of_a_help_text(db: psycopg.Connection, function: str) -> None:
    (text,) = db.execute(f"SELECT madtree.{function}()").fetchone() or ("",)
    (example,) = db.execute(f"SELECT madtree.{function}(' Example ')").fetchone() or ("",)
    assert example.startswith("Example")
    assert text.endswith(f"\n{example}")
    assert f"madtree.{function}(" in example


@pytest.mark.parametrize("function", ["tree_sql", "tree_display", "tree_surr_display", "tree_drop", "tree_to_pmml"])
def test_a_question_in_a_models_place_gives_help_unless_it_is_a_relations_name(
    db: psycopg.Connection, function: str
) -> None:
    (text,) = db.execute(f"SELECT madtree.{function}()").fetchone() or ("",)
    for word in ("usage", "Help", "?", "", " "):
        assert db.execute(f"SELECT madtree.{function}(%s)", [word]).fetchone() == (text,)
    (example,) = db.execute(f"SELECT madtree.{function}('example')").fetchone() or ("",)
    assert example.startswith("Example")
    assert text.endswith(f"\n{example}")
    db.execute("CREATE TABLE example (); CREATE TABLE usage ()")
    for word in ("Example", "usage"):
        with pytest.raises(psycopg.Error, match=f"model: .*{word}"):
            db.execute(f"SELECT madtree.{function}('{word}')")


@pytest.mark.parametrize("function", ["tree_rules", "tree_to_json"])
def test_a_question_where_the_answer_is_no_text_tells_where_the_help_is(db: psycopg.Connection, function: str) -> None:
    for word in ("help", "example", ""):
        with pytest.raises(InvalidParameterValue, match=rf"SELECT madtree.{function}\(\) shows how to use {function}"):
            db.execute(f"SELECT madtree.{function}('{word}')")


def test_a_user_without_rights_gets_postgresqls_own_error(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table data"):
        call(user_db)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for table data"):
        call(user_db, list_of_features="x + n")


@pytest.mark.parametrize("column", ["feeling", "easy"])
def test_a_type_that_has_no_operator_of_its_own_for_equals_is_grouped_by_its_text(
    db: psycopg.Connection, column: str
) -> None:
    """Of a domain over an enum PostgreSQL finds none, of an enum with implicit casts several: GROUP BY needs none."""
    db.execute("""
        CREATE TYPE mood AS ENUM ('sad', 'happy');
        CREATE DOMAIN feeling AS mood;
        CREATE TYPE easy AS ENUM ('sad', 'happy');
        CREATE FUNCTION as_text(v easy) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT CAST(enum_out(v) AS text)';
        CREATE FUNCTION as_int(v easy) RETURNS int4 LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE CAST (easy AS text) WITH FUNCTION as_text(easy) AS IMPLICIT;
        CREATE CAST (easy AS int4) WITH FUNCTION as_int(easy) AS IMPLICIT;
        CREATE TABLE data AS
        SELECT i AS id, i % 2 = 0 AS y, i AS x, i AS n, v.v::mood::feeling AS feeling, v.v::easy AS easy
        FROM generate_series(1, 20) i, LATERAL (SELECT CASE WHEN i < 9 THEN 'sad' ELSE 'happy' END) v(v);
    """)
    error = refusal(db, grouping_cols=column)
    assert error.sqlstate == "42883"
    assert "for which PostgreSQL finds no operator =, or more than one" in str(error.diag.message_primary)
    by_text = f"({column})::text AS {column}"
    assert error.diag.message_hint == f"Group by its text: {by_text}."
    call(db, grouping_cols=by_text)
    assert db.execute(f"SELECT {column}, n_rows FROM model ORDER BY 1").fetchall() == [("happy", 12), ("sad", 8)]


@pytest.mark.parametrize(("column", "argument"), [("y", "dependent_variable"), ("k", "list_of_features")])
def test_what_a_model_could_not_be_read_with_is_refused(db: psycopg.Connection, column: str, argument: str) -> None:
    db.execute("CREATE TABLE long AS SELECT i AS id, i % 2 = 0 AS z, 'a' AS k, 'a' AS y FROM generate_series(1, 20) i")
    db.execute(f"UPDATE long SET {column} = repeat('a', 262145) WHERE z")
    with pytest.raises(psycopg.Error, match=rf"{argument}: {column} has a value of 262,145 bytes; at most 262,144 are"):
        db.execute("SELECT tree_train('long', 'm', 'id', 'y', 'z, k')")
    db.execute(f"UPDATE long SET {column} = repeat('a', 262144) WHERE z")
    db.execute("SELECT tree_train('long', 'm', 'id', 'y', 'z, k')")
    db.execute("SELECT tree_display('m')")
