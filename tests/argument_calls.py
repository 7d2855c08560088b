"""Calls of `tree_train` whose arguments are looked at: what is wrong with some, and what others are taken for.

They are checked without a server (`tests/unit/request`), and all of them again by a session of one
(`tests/sql/arguments/test_memory_host.py`), in which `SHOP` is made.
"""

from __future__ import annotations

from typing import Any

from memory_host import Catalogue, Enum, RefusedError, Table, Value

from madtree.sqltext.quote import EQUALS

N_ROWS = 20


def all_but(number: int, other: str) -> list[str]:
    """Arrays, one of which, in the row of that number, is another one."""
    return [other if i == number else "{1,2}" for i in range(1, N_ROWS + 1)]


COLUMNS = {
    "id": "integer",
    "y": "boolean",
    "v": "double precision",
    "x": "double precision",
    "n": "integer",
    "Mixed Case": "integer",
    "m": "mood",
    "doc": "json",
    "place": "point",
    "w": "numeric",
    "tree_id": "integer",
    "fold": "integer",
    "even": "double precision[]",
    "ragged": "double precision[]",
    "deep": "double precision[]",
    "late": "double precision[]",
    "hollow": "double precision[]",
    "unknown": "double precision[]",
    "docs": "json[]",
    "hashed": "xid",
    "order": "smallint",
    "code": "character(3)",
    "price": "numeric(5,2)",
    "tags": "character varying(7)[]",
    "day": "date",
}
NUMBERS = [str(i) for i in range(1, N_ROWS + 1)]
ROWS = {
    **dict.fromkeys(("id", "v", "x", "n", "Mixed Case", "w"), NUMBERS),
    "y": ["t", "f"] * (N_ROWS // 2),
    "m": ["sad"] * N_ROWS,
    "even": all_but(0, ""),
    "ragged": all_but(7, "{1}"),
    "deep": all_but(8, "{{1,2}}"),
    "late": all_but(9, "[0:1]={1,2}"),
    "hollow": ["{}"] * N_ROWS,
}
NUMBER, TRUTH = "double precision", "boolean"


def no_function(call: str) -> RefusedError:
    return RefusedError("42883", f"function {call} does not exist")


# What PostgreSQL says of expressions.
EXPRESSIONS: dict[str, Value | RefusedError] = {
    "x +": RefusedError("42601", 'syntax error at or near ")"'),
    "nope > 1": RefusedError("42703", 'column "nope" does not exist'),
    "max(w)": RefusedError("42803", "aggregate functions are not allowed in WHERE"),
    "nope(n)": no_function("nope(integer)"),
    "nope(x)": no_function("nope(double precision)"),
    "sum(n)": RefusedError("42803", "aggregate functions are not allowed in WHERE"),
    "row_number() over ()": RefusedError("42P20", "window functions are not allowed in WHERE"),
    "generate_series(1, n)": RefusedError("0A000", "set-returning functions are not allowed in WHERE"),
    "n / 'a'": RefusedError("22P02", 'invalid input syntax for type integer: "a"'),
    "(x, n)": Value("record", "row"),
    "(n, m)": Value("record", "row"),
    "max(n)": RefusedError("42803", "aggregate functions are not allowed in WHERE"),
    "n % 2": Value("integer"),
    "n + 2": Value("integer"),
    "ln(x)": Value(NUMBER, "ln"),
    "x * 2": Value(NUMBER),
    "n > 7": Value(TRUTH),
    "w*2": Value("numeric"),
    f"(m) {EQUALS.operator} (m)": Value(TRUTH),
    "(even)[2]": Value(NUMBER, "even"),
    "COALESCE(v, x)": Value(NUMBER, "coalesce"),
}


def shop(schema: str = "shop", **more: Any) -> Catalogue:
    """A table `data`, an empty one of the same columns, and what is no table."""
    tables = {
        "data": Table(COLUMNS, ROWS),
        "empty": Table(COLUMNS),
        "an_index": Table(kind="i"),
        "a_sequence": Table(kind="S"),
    }
    return Catalogue(tables, [Enum("mood", ("sad", "happy"))], EXPRESSIONS, schema, **more)


GOOD = {
    "training_table_name": "data",
    "output_table_name": "model",
    "id_col_name": "id",
    "dependent_variable": "y",
    "list_of_features": "x, n",
}
# By what they are about: arguments that take the place of good ones, and words of the sentence.
REQUIRED = [name for name in GOOD if name != "output_table_name"]
MISTAKES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "required": [
        *(({name: None}, f"{name} must not be NULL") for name in REQUIRED),
        *(({name: " "}, f"{name} must not be empty") for name in REQUIRED),
    ],
    "the training table": [
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
    ],
    "the output": [
        ({"output_table_name": "data", "replace": True}, '"data" exists and is not part of a madtree model'),
    ],
    "columns": [
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
        (
            {"weights": "max(w)"},
            "weights: max(w) is not a valid expression over the training table's columns: aggregate",
        ),
    ],
    "features": [
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
        (
            {"list_of_features": "late"},
            "must have one dimension that begins at 1, but that of the row with id 9 is [0:1]",
        ),
        ({"list_of_features": "hollow"}, "array column hollow is empty in every row"),
        ({"list_of_features": "unknown"}, "array column unknown is NULL in every row"),
        ({"list_of_features": "even", "training_table_name": "empty"}, "training_table_name: empty has no rows"),
        ({"list_of_features_to_exclude": "x, n"}, "list_of_features: no feature is left of 'x, n' in data"),
    ],
    "grouping": [
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
        (
            {"classification": True, "split_criterion": "mse"},
            "split_criterion mse is for regression, but classification",
        ),
        ({"grouping_cols": "m, M"}, "grouping_cols: m is listed twice"),
        ({"grouping_cols": "y"}, "grouping_cols: y is the dependent variable and cannot be a grouping column"),
        ({"grouping_cols": "tree_id"}, "grouping_cols: tree_id is also the name of a column of the output table"),
        (
            {"grouping_cols": "m, doc"},
            "grouping_cols: cannot group by doc: could not identify an ordering operator for type js",
        ),
        ({"grouping_cols": "hashed"}, "grouping_cols: cannot group by hashed: could not identify an ordering operator"),
    ],
    "numbers": [
        ({"max_depth": -1}, "max_depth must be from 0 to 60, not -1"),
        ({"min_split": 0}, "min_split must be at least 1, not 0"),
        ({"min_bucket": 0}, "min_bucket must be at least 1, not 0"),
        ({"n_bins": 1}, "n_bins must be 0 (every threshold) or 2 to 65000, not 1"),
        ({"n_bins": -1}, "n_bins must be 0 (every threshold) or 2 to 65000, not -1"),
        ({"n_bins": 65001}, "n_bins must be 0 (every threshold) or 2 to 65000, not 65001"),
        ({"memory_mb": 7}, "memory_mb must be from 8 to 1048576, not 7"),
        ({"parallel_workers": -1}, "parallel_workers must be from 0 to 1024, not -1"),
    ],
    "criterion": [
        (
            {"split_criterion": "ginny"},
            "split_criterion must be one of gini, entropy, gain_ratio, misclassification, mse, poisson, not 'ginny'",
        ),
        (
            {"split_criterion": "mse"},
            "split_criterion mse is for regression, but dependent_variable y is of type boolean",
        ),
        (
            {"split_criterion": "entropy", "dependent_variable": "v", "classification": False},
            "split_criterion entropy is for classification, but classification is false",
        ),
    ],
    "parameter strings": [
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
        (
            {"class_params": "0.5:0.5"},
            "class_params: '0.5:0.5' is not 'prior=0.5:0.5', 'loss=0 1 5 0' or 'class_weight=",
        ),
        (
            {"class_params": "priors=1"},
            "class_params: the key 'priors' is unknown; valid keys are prior, loss, class_w",
        ),
        (
            {"class_params": "prior=0.5:0.5, class_weight=balanced"},
            "class_params: prior and class_weight both say how m",
        ),
        (
            {"class_params": "prior=a:b"},
            "class_params: prior must be numbers with spaces or colons between them, not 'a:b'",
        ),
        ({"class_params": "prior=0:1"}, "class_params: prior must be at least 1e-09 for every class, not '0:1'"),
        ({"class_params": "prior=0.5:0.6"}, "class_params: prior must add up to 1, and '0.5:0.6' adds up to 1.1"),
        (
            {"class_params": "loss=0 1 2"},
            "class_params: loss must be a matrix, a row for each true class and a column f",
        ),
        (
            {"class_params": "loss=1 1 5 0"},
            "class_params: loss must be 0 where the true class is predicted, not '1 1 5 0'",
        ),
        ({"class_params": "loss=0 -1 5 0"}, "class_params: loss must be from 0 to 1e+09, not '0 -1 5 0'"),
        ({"class_params": "loss=0 0 5 0"}, "class_params: loss must have a cost above 0 in every row, not '0 0 5 0'"),
        (
            {"class_params": "class_weight=-1:1"},
            "class_params: class_weight must be balanced, or from 1e-09 to 1e+09 for",
        ),
        (
            {"class_params": "prior=1", "dependent_variable": "v"},
            "class_params are for classification, and dependent_variable v is a number here",
        ),
        ({"pruning_params": "fold_col=nope"}, "fold_col: column nope does not exist in data"),
    ],
}

HINTS: list[tuple[dict[str, Any], str | None]] = [
    ({"training_table_name": "dta"}, 'Did you mean "data"?'),
    ({"training_table_name": '"Data"'}, 'Did you mean "data"?'),
    ({"id_col_name": "Mixed Case"}, 'Did you mean "Mixed Case"? A name with blanks, dots, capitals or other'),
    ({"training_table_name": "public.data"}, 'Did you mean "'),
    (
        {"list_of_features": '"mixed case"'},
        'Did you mean "Mixed Case"? A name with capitals must be in double quotes.',
    ),
    ({"output_table_name": "data"}, "Choose another name, drop it, or, if it is a madtree model, call with replace"),
    ({"split_criterion": "mse", "dependent_variable": "n", "list_of_features": "x"}, "cast it: (n)::float8"),
]
SQLSTATES: list[tuple[dict[str, Any], str]] = [
    ({"training_table_name": "nope"}, "42P01"),
    ({"training_table_name": "nope.nope"}, "3F000"),
    ({"id_col_name": "nope"}, "42703"),
    ({"list_of_features": "x +"}, "42601"),
    ({"list_of_features": "nope(x)"}, "42883"),
    ({"output_table_name": "data"}, "42P07"),
    ({"max_depth": -1}, "22023"),
]
# What cannot be a feature, in which words that is told, and what is left.
LEFT_OUT: list[tuple[dict[str, Any], str, list[str]]] = [
    ({"list_of_features": "x, n, X"}, "x (listed twice)", ["x", "n"]),
    ({"list_of_features": "v, x", "dependent_variable": "v"}, "v (the dependent variable)", ["x"]),
    ({"list_of_features": "x, id"}, "id (the id)", ["x"]),
    ({"list_of_features": "x, n", "grouping_cols": "n"}, "n (a grouping column)", ["x"]),
    ({"list_of_features": "x, w", "weights": "w"}, "w (the weights)", ["x"]),
    ({"list_of_features": "x, fold", "pruning_params": "fold_col=fold"}, "fold (the folds)", ["x"]),
    ({"list_of_features": "(even)[2], even"}, "(even)[2] (listed twice)", ["(even)[1]", "(even)[2]"]),
]
# What is taken, silently or not.
TAKEN: list[dict[str, Any]] = [
    {},
    {"list_of_features": "*", "list_of_features_to_exclude": "nn, ragged, deep, late, hollow, unknown"},
    {"list_of_features": ' ORDER,"Mixed Case" , ln(x) ', "dependent_variable": " v ", "weights": "w*2"},
    {"grouping_cols": "m, code, price, tags, day"},
    {"grouping_cols": "n > 7 AS late_ones", "dependent_variable": "n % 2 AS odd"},
    {"grouping_cols": "n > 7, n % 2"},
    {"dependent_variable": "m", "list_of_features": "even, day, n"},
    {"dependent_variable": "day"},
    {"dependent_variable": "v", "split_criterion": "entropy"},
    {"dependent_variable": "v", "list_of_features": "x * 2, COALESCE(v, x)"},
    {"dependent_variable": "n", "split_criterion": "poisson", "exposure": "w", "list_of_features": "x"},
    {"dependent_variable": "n", "classification": True, "class_params": "class_weight=balanced"},
    {"max_depth": 99, "pruning_params": "n_folds=1"},
    {"output_table_name": "public.elsewhere", "replace": True},
    *(condition for condition, _, _ in LEFT_OUT),
]
