"""What a mistake looks like: a sentence and its hint, without a traceback; and what a defect of ours looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from function_calls import FIXED, MEANINGS

from madtree import __version__
from madtree.interface import FUNCTIONS
from madtree.trees import TREE

# By function: a call, the SQLSTATE, how its sentence begins, how its hint begins (None: it has none).
MISTAKES = {
    "tree_train": [
        ("tree_train('points', 'm', 'id', 'y', 'x')", "42P07", "madtree: output_table_name: ", "Choose another name"),
        (
            "tree_train('points', 'n', 'id', 'y', 'x, q')",
            "42703",
            "madtree: list_of_features: column q",
            None,
        ),
        ("tree_train('points', 'n', 'id', 'y', 'x', max_depth => -1)", "22023", "madtree: max_depth must be", None),
        (
            "tree_train('points', 'n', 'id', 'y', 'x, 1 / (x - 5)')",
            "22012",
            "madtree: division by zero, as rows of points were read",
            "Computed of each row: 1 / (x - 5). CASE",
        ),
        (
            "tree_train('points', 'n', 'id', 'y', 'x', weights => 'ln(x)')",
            "2201E",
            "madtree: cannot take logarithm of zero, as rows of points were read",
            "Computed of each row: ln(x). ",
        ),
        (
            "tree_train('points', 'n', 'id', 'y', 'x, ln(x + 1) AS logged')",
            "22023",
            "madtree: list_of_features: ln(x + 1) AS logged gives a name, and",
            "Write ln(x + 1). ",
        ),
        (
            "tree_train('points', 'n', 'id', 'make_interval(hours => x)', 'x')",
            "42804",
            "madtree: dependent_variable make_interval(hours => x) is of type interval",
            "Write extract(epoch FROM make_interval(hours => x))::float8.",
        ),
        ("tree_train('what')", "22023", "madtree: tree_train with one argument", "SELECT madtree.tree_train()"),
    ],
    "tree_tune": [
        ("tree_tune('points', 'm', 'id', 'y', 'x')", "42P07", "madtree: output_table_name: ", "Choose another name"),
        (
            "tree_tune('points', 'n', 'id', 'y', 'x', params => 'depth=3')",
            "22023",
            "madtree: params: the key 'depth' is unknown",
            None,
        ),
        (
            "tree_tune('points', 'n', 'id', 'y', 'x', params => 'max_depth=')",
            "22023",
            "madtree: params: max_depth has no value",
            "Write values behind =",
        ),
        (
            "tree_tune('points', 'n', 'id', 'y', 'x', params => 'Max_dept=3')",
            "22023",
            "madtree: params: the key 'Max_dept' is unknown",
            "Did you mean max_depth?",
        ),
        ("tree_tune('points', 'n', 'id', 'y', 'x', metric => 'f1')", "22023", "madtree: metric must be one of", None),
        (
            "tree_tune('points', 'n', 'id', 'y', 'x', metric => 'rmse')",
            "22023",
            "madtree: metric rmse is not for trees of classes",
            "Leave metric out",
        ),
    ],
    "tree_predict": [
        ("tree_predict('m', 'points', 'points')", "42P07", "madtree: output_table: ", "Choose another name"),
        ("tree_predict('m', 'points', 'p', 'what')", "22023", "madtree: type must be", None),
        (
            "tree_predict('m', 'points', 'p', 'conformal')",
            "42809",
            "madtree: model: m has no quantiles",
            "Keep them, by",
        ),
        ("tree_predict('m', 'points', 'p', 'interval')", "22023", "madtree: type must be", "Type 'conformal' has sets"),
        (
            "tree_predict('mean', 'points', 'p', 'interval')",
            "22023",
            "madtree: type must be",
            "Type 'conformal' has in",
        ),
        ("tree_predict('m', 'bare', 'p')", "42703", "madtree: ", None),
        ("tree_predict('what')", "22023", "madtree: tree_predict with one argument", "SELECT madtree.tree_predict()"),
    ],
    "tree_sql": [
        ("tree_sql('m', tree_id => 2)", "22023", "madtree: tree_id must be", None),
        ("tree_sql('points')", "42809", "madtree: model: ", None),
    ],
    "tree_display": [
        ("tree_display('nosuch.m')", "3F000", 'madtree: model: schema "nosuch"', None),
    ],
    "tree_prune": [
        ("tree_prune('m', 'n', -1)", "22023", "madtree: cp must be", None),
        ("tree_prune('m', 'points', 0.1)", "42P07", "madtree: new_model: ", "Choose another name"),
        ("tree_prune('what')", "22023", "madtree: tree_prune with one argument", "SELECT madtree.tree_prune()"),
    ],
    "tree_drop": [
        ("tree_drop('points')", "42809", "madtree: model: ", None),
    ],
    "get_var_importance": [
        ("get_var_importance('m', 'points')", "42P07", "madtree: output_table: ", "Choose another name"),
    ],
    "tree_curve": [
        ("tree_curve('mean', 'points')", "22023", "madtree: tree_model: ", "madtree.tree_evaluate"),
    ],
    "conformal_quantiles": [
        ("conformal_quantiles('m')", "22023", "madtree: calibration_table must be the name of a table", "Give a table"),
        (
            "conformal_quantiles('m', 'points', NULL)",
            "22023",
            "madtree: levels must be numbers between 0 and 1, separated by commas, not NULL",
            None,
        ),
        ("conformal_quantiles('m', 'points', '0.9, 1')", "22023", "madtree: levels must be numbers between", None),
        (
            "conformal_quantiles('m', 'points', '0.99999')",
            "22023",
            "madtree: levels: 0.99999 takes at least 99,9",
            "Take",
        ),
    ],
    "conformal_train": [
        ("conformal_train('m')", "22023", "madtree: calibration_table must be the name of a table", "Give a table"),
        ("conformal_train('m', 'points', '0.99999')", "22023", "madtree: levels: 0.99999 takes at least 99,9", "Take"),
        ("conformal_train('points', 'points')", "42809", "madtree: model: ", None),
    ],
    "calibrate": [
        ("calibrate('m', 'points', 'out', 'platt')", "22023", "madtree: method must be one of isotonic, sigmoid", None),
        (
            "calibrate('m', 'empty', 'out')",
            "P0002",
            "madtree: calibration_table: ",
            "Give a table or view that has rows",
        ),
        ("calibrate('m', 'bare', 'out')", "42703", "madtree: calibration_table: bare lacks", "It must"),
        ("calibrate('m', 'points', 'm')", "42P07", "madtree: output_model: ", "Choose"),
        ("calibrate('mean', 'points', 'out')", "42809", "madtree: model: mean predicts numbers", "madtree.conformal"),
    ],
    "tree_refresh": [
        ("tree_refresh('m', 'points', 'm')", "42P07", "madtree: output_model: ", "Choose"),
        ("tree_refresh('m', 'empty', 'out')", "P0002", "madtree: new_table: no row of empty", "Rows count that have"),
        ("tree_refresh('m', 'unknown', 'out')", "P0002", "madtree: new_table: no row of unknown", "Rows count that"),
        ("tree_refresh('m', 'bare', 'out')", "42703", "madtree: new_table: bare lacks", "It must"),
    ],
    "model_alias": [
        ("model_alias('second', 'nowhere')", "42P01", "madtree: model: relation nowhere", None),
        ("model_alias('points', 'm')", "42P07", "madtree: alias: ", "Choose"),
        ("model_alias('m', 'mean')", "42P07", "madtree: alias: ", "Choose another name: an alias"),
        ("model_alias('nobody', NULL)", "42P01", "madtree: alias: there is no alias nobody", None),
    ],
    "tree_statistics": [],
    "tree_drift": [
        ("tree_drift('m', 'empty')", "P0002", "madtree: new_data_table: empty has no rows", None),
    ],
    "tree_call": [
        ("tree_call('points')", "42809", "madtree: model: ", None),
    ],
    "tree_reliability": [
        ("tree_reliability('mean', 'points')", "22023", "madtree: tree_model: ", "madtree.tree_evaluate"),
        ("tree_reliability('m', 'points', n_bins => 0)", "22023", "madtree: n_bins must be at least 1, not 0", None),
    ],
    "tree_importance": [
        ("tree_importance('points')", "42809", "madtree: model: ", None),
    ],
    "tree_evaluate": [
        ("tree_evaluate('m', 'bare')", "42703", "madtree: ", None),
        (
            "tree_evaluate('what')",
            "22023",
            "madtree: tree_evaluate with one argument",
            "SELECT madtree.tree_evaluate()",
        ),
    ],
    "tree_confusion": [
        ("tree_confusion('mean', 'points')", "22023", "madtree: tree_model: ", None),
    ],
    "tree_rules": [
        ("tree_rules('m', 2)", "22023", "madtree: tree_id must be", None),
        ("tree_rules('help')", "22023", "madtree: model must be the name", None),
    ],
    "tree_cp": [
        ("tree_cp('help')", "22023", "madtree: model must be the name", None),
    ],
    "tree_path": [
        ("tree_path('m', 'points', 'x')", "22023", "madtree: id: 'x' cannot be looked up", None),
        ("tree_path('m', 'points', '-1')", "P0002", "madtree: id: no row has", "Give an id"),
        ("tree_path('what')", "22023", "madtree: tree_path with one argument", "SELECT madtree.tree_path()"),
    ],
    "tree_shap": [
        ("tree_shap('m', 'points', 'points')", "42P07", "madtree: output_table: ", "Choose another name"),
        ("tree_shap('m', 'points', 'w', type => 'raw')", "22023", "madtree: type must be prob for a tree of", None),
        ("tree_shap('mean', 'points', 'w', class => 'a')", "22023", "madtree: class: mean predicts numbers", None),
        ("tree_shap('m', 'points', 'w', class => 'odd')", "22023", "madtree: class must be one of", None),
        ("tree_shap('m', 'points', 'w', layout => 'tall')", "22023", "madtree: layout must be one of wide, long", None),
        ("tree_shap('m', 'points', 'w', top => 2)", "22023", "madtree: top is for layout => 'long'", None),
        ("tree_shap('m', 'points', 'w', layout => 'long', top => 0)", "22023", "madtree: top must be at least 1", None),
        ("tree_shap('m', 'points', 'w', features => 'x')", "22023", "madtree: features names those whose", None),
        (
            "tree_shap('m', 'points', 'w', interactions => true, features => 'y')",
            "22023",
            "madtree: features: y is no feature of m",
            "Its features are x",
        ),
        (
            "tree_shap('m', 'points', 'w', background => 'nowhere')",
            "42P01",
            "madtree: background: relation nowhere",
            None,
        ),
    ],
    "partial_dependence": [
        (
            "partial_dependence('m', 'points', 'y')",
            "22023",
            "madtree: features: y is no feature of m",
            "Its features are",
        ),
        ("partial_dependence('m', 'points', 'x, x')", "22023", "madtree: features: x is named twice", None),
        (
            "partial_dependence('m', 'points', 'x', type => 'raw')",
            "22023",
            "madtree: type must be prob for a tree",
            None,
        ),
        ("partial_dependence('mean', 'points', 'x', class => 'a')", "22023", "madtree: class: mean predicts", None),
        ("partial_dependence('m', 'points', 'x', grid_size => 1)", "22023", "madtree: grid_size must be from 2", None),
        ("partial_dependence('m', 'points', 'x', max_rows => 0)", "22023", "madtree: max_rows must be from 1", None),
        (
            "partial_dependence('m', 'points', 'x', accumulated => true, ice => true)",
            "22023",
            "madtree: ice is for single rows",
            None,
        ),
    ],
    "tree_explain": [
        ("tree_explain('m', 'bare', '1')", "42703", "madtree: table_name", "It must have"),
        ("tree_explain('m', 'points', '-1')", "P0002", "madtree: id: no row has", "Give an id"),
        ("tree_explain('m', 'points', NULL)", "22023", "madtree: id must be the id of a row", None),
        ("tree_explain('m', 'points', '1', 'raw')", "22023", "madtree: type must be prob for", None),
        ("tree_explain('m', 'points', '1', class => 'x')", "22023", "madtree: class must be one of", None),
    ],
    "permutation_importance": [
        ("permutation_importance('m', 'bare')", "42703", "madtree: test_table", "It must have"),
        ("permutation_importance('m', 'points', metric => 'mae')", "22023", "madtree: metric must be one of log", None),
        ("permutation_importance('m', 'points', '[x, y]')", "22023", "madtree: features: y is no feature", "Its"),
        ("permutation_importance('m', 'points', n_repeats => 0)", "22023", "madtree: n_repeats must be from 1", None),
        ("permutation_importance('m', 'unknown')", "P0002", "madtree: test_table: no row of unknown", "Rows count"),
        ("permutation_importance('m', 'points', seed => -1)", "22023", "madtree: seed must be at least 0", None),
    ],
    "tree_to_json": [
        ("tree_to_json('help')", "22023", "madtree: model must be the name", None),
    ],
    "forest_train": [
        (
            "forest_train('points', 'f', 'id', 'y', 'x', num_trees => -1)",
            "22023",
            "madtree: num_trees must be from",
            None,
        ),
        ("forest_train('help me')", "22023", "madtree: forest_train with one argument", None),
    ],
    "holdout": [("holdout(1, 25)", "22023", "madtree: fraction must be a number from 0 to 1", "A quarter")],
    "boost_predict": [
        ("boost_predict('m', 'points', 'out')", "42809", "madtree: boosted_model: m is a model", "Score by it"),
        ("boost_predict('m', 'points', 'out', num_trees => 0)", "22023", "madtree: num_trees must be at least 1", None),
    ],
    "boost_cut": [
        ("boost_cut('m', 'n', 1)", "42809", "madtree: model: m is a model", "Only a boosted model has rounds."),
    ],
    "boost_sql": [
        ("boost_sql('m')", "42809", "madtree: model: m is a model", "madtree.tree_sql writes a tree."),
    ],
    "boost_staged": [
        ("boost_staged('m', 'points')", "42809", "madtree: model: m is a model", "madtree.tree_evaluate"),
    ],
    "boost_train": [
        ("boost_train('points', 'b', 'id', 'x', 'x', loss => 'hinge')", "22023", "madtree: loss must be one of", None),
    ],
    "forest_predict": [
        ("forest_predict('m', 'points', 'out')", "42809", "madtree: random_forest_model: m is a model", "Score by it"),
    ],
    "get_tree": [
        ("get_tree('m', 1, 1)", "42809", "madtree: forest_model_table: m is not a forest", "tree_display"),
        ("get_tree('m', 1, 1, max_depth => -1)", "22023", "madtree: max_depth must be at least 0", None),
    ],
}


def _nowhere() -> Iterator[tuple[str, str, str, str, None]]:
    """Calls of every function with a model, and with a table, that is not there."""
    place = {**FIXED, "model": "m", "data": "points", "features": "x", "out": "n"}
    for function in FUNCTIONS.values():
        needed = {each.name: MEANINGS[each.name] for each in function.arguments if each.is_required}
        for name, meaning in needed.items():
            if meaning == "model" or (meaning == "data" and function.name not in ABOUT_THE_MODEL):
                given = {each: "nowhere" if each == name else place[stands_for] for each, stands_for in needed.items()}
                call = ", ".join(f"{each} => {value!r}" for each, value in given.items())
                yield function.name, f"{function.name}({call})", "42P01", f"madtree: {name}: relation nowhere", None


# Those that say first what is wrong with the model `m`: it is of another kind.
ABOUT_THE_MODEL = {each.name for each in FUNCTIONS.values() if each.takes and TREE not in each.takes.kinds}
CALLS = [*_nowhere(), *((function, *mistake) for function, mistakes in MISTAKES.items() for mistake in mistakes)]


def make_models(db: psycopg.Connection) -> None:
    """The table `points`, a table without its columns, and the models `m` of classes and `mean` of numbers."""
    db.execute(
        "CREATE TABLE points AS SELECT i AS id, i % 40 AS x, i % 7 AS z, i % 40 < 17 AS y, (i % 40)::float8 AS size "
        "FROM generate_series(1, 400) AS i"
    )
    db.execute("CREATE TABLE bare AS SELECT id FROM points; CREATE TABLE empty AS SELECT * FROM points LIMIT 0")
    db.execute("CREATE TABLE unknown AS SELECT id, x, z, NULL::boolean AS y, NULL::float8 AS size FROM points")
    db.execute("SELECT tree_train('points', 'm', 'id', 'y', 'x, z')")
    db.execute("SELECT tree_train('points', 'mean', 'id', 'size', 'x, z')")


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    """`make_models` for a test that changes them, or makes more."""
    make_models(db)
    return db


@pytest.fixture(scope="module")
def untouched(shared_db: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """`make_models` for calls that fail, and so change nothing."""
    make_models(shared_db)
    tables = "SELECT array_agg(oid ORDER BY oid) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    before = shared_db.execute(tables).fetchone()
    yield shared_db
    assert shared_db.execute(tables).fetchone() == before


def mistake(connection: psycopg.Connection, statement: str) -> psycopg.Error:
    """The error of a statement; it shows no Python."""
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement).fetchall()
    context = caught.value.diag.context or ""
    assert "Traceback" not in context + str(caught.value)
    assert "Python" not in context
    assert "spiexceptions" not in str(caught.value)
    return caught.value


def test_every_public_function_has_mistakes_here(db: psycopg.Connection) -> None:
    public = db.execute("SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'madtree'::regnamespace")
    # The only mistake to be made with the last one needs a schema madlib: sessions/test_madlib_names.py has it.
    assert {name for (name,) in public} == {*(call[0] for call in CALLS), "install_madlib_names"}


@pytest.mark.parametrize(("function", "call", "sqlstate", "sentence", "hint"), CALLS, ids=[each[1] for each in CALLS])
def test_a_mistake_is_a_sentence_and_a_hint(
    untouched: psycopg.Connection, function: str, call: str, sqlstate: str, sentence: str, hint: str | None
) -> None:
    for statement in (f"SELECT {call}", f"SELECT * FROM {call}"):
        said = mistake(untouched, statement)
        assert said.sqlstate == sqlstate
        assert (said.diag.message_primary or "").startswith(sentence)
        assert (said.diag.message_hint or "").startswith(hint or "")
        assert said.diag.message_detail is None


# What befalls a call for the user's own reasons: what is done before, the call, the SQLSTATE, the sentence.
BEFALLEN = [
    ("SET statement_timeout = '100ms'", "tree_train('points', 'n', 'id', 'y', 'x, slow(x)')", "57014", "canceling"),
    ("SET default_transaction_read_only = on", "tree_train('points', 'n', 'id', 'y', 'x')", "25006", "cannot execute"),
    ("SET default_transaction_read_only = on", "tree_drop('m')", "25006", "cannot execute"),
    ("SELECT", "tree_train('points', 'n', 'id', 'y', 'x, custom(x)')", "UX001", "five is refused"),
    ("SELECT", "tree_train('points', 'n', 'id', 'y', 'x, misspelt(x)')", "42601", "syntax error at or near"),
    ("SELECT", "tree_train('points', 'n', 'id', 'y', 'x, python(x)')", "38000", "ZeroDivisionError: "),
    ("SELECT", "tree_train('points', 'n', 'id', 'y', 'x, drawn(x)')", "42P01", "madtree: model: relation nowhere"),
    ("SELECT", "tree_train('points', 'n', 'id', 'y', 'x, losing(x)')", "42883", "madtree: function losing("),
    (
        "CREATE TABLE texts AS SELECT xmlelement(name i, id) AS id, x, y FROM points; "
        "SELECT madtree.tree_train('texts', 'n', 'id', 'y', 'x')",
        "tree_explain('n', 'texts', '<i>1</i>')",
        "42883",
        "madtree: id: id is of type xml, for which",
    ),
    (
        "CREATE TABLE dated AS TABLE points; ALTER TABLE dated ALTER y TYPE date USING '2020-01-01'",
        "tree_evaluate('m', 'dated')",
        "42846",
        "madtree: test_table: dated does not fit m: cannot cast type date to ",
    ),
    (
        "SELECT madtree.tree_train('points', 'n', 'id', 'y', 'x', grouping_cols => 'z'); "
        "CREATE TABLE listed AS TABLE points; ALTER TABLE listed ALTER z TYPE text[] USING ARRAY[z]",
        "tree_evaluate('n', 'listed')",
        "42883",
        "madtree: test_table: listed does not fit n: operator does not exist: ",
    ),
    (
        "CREATE TABLE blocks AS SELECT id, y, x, x % 2 AS z, x AS madtree_block FROM points; "
        "SELECT madtree.tree_train('blocks', 'n', 'id', 'y', 'x', grouping_cols => 'z')",
        "tree_train('blocks', 'o', 'id', 'y', 'madtree_block', grouping_cols => 'z')",
        "42702",
        'madtree: column reference "madtree_block" is ambiguous',
    ),
    *(
        (
            "SELECT",
            f"tree_train('many', 'n', 'id', 'y', 'x, 1 / (x - 5)', parallel_workers => 2, strategy => '{strategy}')",
            "22012",
            "madtree: division by zero, as rows of many were read",
        )
        for strategy in ("workers", "aggregate")
    ),
]


@pytest.fixture
def broken(data: psycopg.Connection) -> Iterator[Callable[..., None]]:
    """Replaces one of our functions in the session of `data`, until the test's end."""
    replaced: list[tuple[str, str]] = []

    def replace(where: str, name: str, body: str) -> None:
        data.execute(
            f"DO LANGUAGE plpython3u $python$\nimport {where} as module\ndef fail(*args):\n    {body}\n"
            f"fail.instead_of, module.{name} = module.{name}, fail\n$python$"
        )
        replaced.append((where, name))

    yield replace
    data.execute("SET statement_timeout = 0")
    for where, name in replaced:
        back = f"import {where} as module\nmodule.{name} = module.{name}.instead_of"
        data.execute(f"DO LANGUAGE plpython3u $python$\n{back}\n$python$")


@pytest.fixture
def functions(data: psycopg.Connection) -> psycopg.Connection:
    """A table for workers; functions of the user's that fail, each in its way, on the row where x is 5."""
    data.execute(
        "CREATE TABLE many AS SELECT i AS id, i % 40 AS x, i % 3 = 0 AS y FROM generate_series(1, 100000) AS i"
    )
    for name, body in {
        "custom": "RAISE EXCEPTION 'five is refused' USING ERRCODE = 'UX001', DETAIL = 'the detail', HINT = 'the hint'",
        "misspelt": "EXECUTE 'SELEC 5'",
        "slow": "PERFORM pg_sleep(10)",
        "drawn": "PERFORM madtree.tree_display('nowhere')",
        "losing": "SET search_path = ''",
    }.items():
        data.execute(
            f"CREATE FUNCTION {name}(i int) RETURNS int LANGUAGE plpgsql AS "
            f"$$ BEGIN IF i = 5 THEN {body}; END IF; RETURN i; END $$"
        )
    data.execute("CREATE FUNCTION python(i int) RETURNS float8 LANGUAGE plpython3u AS 'return 1 / (i - 5)'")
    return data


@pytest.mark.parametrize(("before", "call", "sqlstate", "sentence"), BEFALLEN, ids=[each[1] for each in BEFALLEN])
def test_what_postgresql_says_of_the_users_own_doings_is_left_as_it_is(
    functions: psycopg.Connection, before: str, call: str, sqlstate: str, sentence: str
) -> None:
    functions.execute(before)
    said = mistake(functions, f"SELECT {call}")
    assert said.sqlstate == sqlstate
    assert (said.diag.message_primary or "").startswith(sentence)
    if sqlstate == "UX001":
        assert (said.diag.message_detail, said.diag.message_hint) == ("the detail", "the hint")


def test_a_right_that_is_missing_is_a_sentence(data: psycopg.Connection, user_db: psycopg.Connection) -> None:
    for call in ("tree_train('points', 'n', 'id', 'y', 'x')", "tree_display('m')", "tree_predict('m', 'points', 'p')"):
        assert mistake(user_db, f"SELECT {call}").sqlstate == "42501"


def test_a_lock_that_is_not_to_be_had_is_a_sentence(
    data: psycopg.Connection, connect: Callable[[], psycopg.Connection]
) -> None:
    reader = connect()
    reader.execute("SET lock_timeout = '50ms'")
    with data.transaction():
        data.execute("LOCK TABLE m_nodes")
        for call in ("tree_display('m')", "tree_to_json('m')", "tree_rules('m')", "tree_prune('m', 'n', 0.1)"):
            assert mistake(reader, f"SELECT {call}").sqlstate == "55P03"
        data.execute("LOCK TABLE m_summary")
        reader.execute("SET lock_timeout = 0; SET statement_timeout = '100ms'")
        said = mistake(reader, "SELECT * FROM madtree.models")
    assert (said.sqlstate, said.diag.message_primary) == ("57014", "canceling statement due to statement timeout")


def test_no_exception_block_holds_a_cancel_back(functions: psycopg.Connection) -> None:
    functions.execute("SET statement_timeout = '100ms'")
    said = mistake(
        functions,
        "DO $$ BEGIN PERFORM madtree.tree_train('points', 'n', 'id', 'y', 'x, slow(x)'); "
        "EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'held back'; END $$; SELECT",
    )
    assert said.sqlstate == "57014"


def test_a_timeout_that_the_server_sees_while_it_sends_a_message_is_one(
    data: psycopg.Connection, broken: Callable[..., None]
) -> None:
    broken("madtree.explain.display", "tree_display", "import time; time.sleep(0.2); args[0].info('said')")
    data.execute("SET statement_timeout = '50ms'")
    said = mistake(data, "SELECT tree_display('m')")
    assert (said.sqlstate, said.diag.message_primary) == ("57014", "canceling statement due to statement timeout")


@pytest.mark.parametrize("call", ["tree_display('nowhere')", "tree_rules('nowhere')", "tree_evaluate('m', 'nowhere')"])
def test_a_mistake_is_over_with_its_call(data: psycopg.Connection, call: str) -> None:
    """In a savepoint, and in an exception block."""
    with data.transaction():
        data.execute("SAVEPOINT before")
        with pytest.raises(psycopg.errors.UndefinedTable):
            data.execute(f"SELECT {call}")
        data.execute("ROLLBACK TO before")
        assert data.execute("SELECT count(*) FROM tree_rules('m')").fetchone() != (0,)
        assert data.execute("SELECT tree_display('m') <> ''").fetchone() == (True,)
    data.execute(
        f"DO $$ BEGIN PERFORM {call}; EXCEPTION WHEN undefined_table THEN "
        "PERFORM tree_drop('mean'); PERFORM * FROM tree_rules('m'); END $$"
    )


def test_what_a_caught_mistake_had_done_is_taken_back(data: psycopg.Connection) -> None:
    tables = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    before = data.execute(tables).fetchone()
    data.execute(
        "DO $$ BEGIN PERFORM tree_train('points', 'n', 'id', 'y', 'x, 1 / (x - 5)'); "
        "EXCEPTION WHEN division_by_zero THEN NULL; END $$"
    )
    assert data.execute(tables).fetchone() == before


def test_a_mistake_within_a_call_is_not_taken_for_the_calls_own(functions: psycopg.Connection) -> None:
    """A feature whose function calls madtree, gets an error and goes on."""
    functions.execute(
        "CREATE FUNCTION careless(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM tree_display('nowhere'); RETURN 0; EXCEPTION WHEN undefined_table THEN RETURN i; END $$"
    )
    functions.execute("SELECT tree_train('points', 'n', 'id', 'y', 'x, careless(x)')")
    assert functions.execute("SELECT count(*) FROM tree_rules('n')").fetchone() != (0,)
    said = mistake(functions, "SELECT tree_train('points', 'o', 'id', 'y', 'x, careless(x), 1 / (x - 5)')")
    assert said.sqlstate == "22012"


def test_calls_within_one_another_come_to_an_end(functions: psycopg.Connection) -> None:
    functions.execute("SELECT tree_train('points', 'n', 'id', 'y', 'x')")
    functions.execute(
        "CREATE FUNCTION again(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM FROM tree_evaluate('n', 'mirrored'); RETURN i; END $$"
    )
    functions.execute("CREATE VIEW mirrored AS SELECT id, again(x) AS x, y FROM points")
    assert mistake(functions, "SELECT FROM tree_evaluate('n', 'mirrored')").sqlstate == "54001"


@pytest.mark.parametrize(
    ("where", "name", "body", "call", "sqlstate", "said"),
    [
        ("madtree.explain.display", "tree_display", "{}['x']", "tree_display('m')", "XX000", "KeyError: 'x'"),
        ("madtree.explain.rules", "tree_rules", "{}['x']", "tree_rules('m')", "XX000", "KeyError: 'x'"),
        ("madtree.model", "models", "{}['x']", "name FROM madtree.models", "XX000", "KeyError: 'x'"),
        (
            "madtree.explain.display", "tree_display", "args[0].query('SELEC')", "tree_display('m')", "42601",
            "syntax error",
        ),
        (
            "madtree.explain.display", "tree_display", "args[0].query('SELECT q')", "tree_display('m')", "42703",
            'column "q"',
        ),
        ("madtree.storage.aggregate_functions", "node_statistics_transition", "{}['x']",
         "tree_train('points', 'n', 'id', 'y', 'x', strategy => 'aggregate')", "XX000", "KeyError: 'x'"),
    ],
)  # fmt: skip
def test_a_defect_shows_its_traceback_and_asks_for_a_report(
    data: psycopg.Connection,
    broken: Callable[..., None],
    where: str,
    name: str,
    body: str,
    call: str,
    sqlstate: str,
    said: str,
) -> None:
    broken(where, name, body)
    with pytest.raises(psycopg.Error) as caught:
        data.execute(f"SELECT {call}")
    shown = caught.value.diag
    assert caught.value.sqlstate == sqlstate
    assert said in (shown.message_primary or "")
    assert (shown.message_hint or "").startswith(f"This is a defect of madtree {__version__}. Please report it")
    assert "Traceback" in (shown.context or "")
    assert "madtree/entry/functions.py, line " in (shown.message_detail or "")
    assert ", in fail" in (shown.message_detail or "")


@pytest.mark.parametrize(
    ("body", "sqlstate", "sentence"),
    [
        ("raise MemoryError('Unable to allocate 9 GiB')", "53200", "madtree: there is not enough memory: Unable to"),
        ("raise OSError(28, 'No space left on device')", "53100", "madtree: a temporary file cannot be used: No space"),
    ],
)
def test_a_machine_that_is_full_is_no_defect(
    data: psycopg.Connection, broken: Callable[..., None], body: str, sqlstate: str, sentence: str
) -> None:
    broken("madtree.explain.display", "tree_display", body)
    said = mistake(data, "SELECT tree_display('m')")
    assert said.sqlstate == sqlstate
    assert (said.diag.message_primary or "").startswith(sentence)
    assert said.diag.message_hint


@pytest.mark.parametrize("function", ["tree_predict", "tree_shap"])
def test_a_value_of_new_rows_that_an_expression_refuses_is_told_with_it(
    functions: psycopg.Connection, function: str
) -> None:
    functions.execute("SELECT tree_train('points', 'logged', 'id', 'y', 'ln(x + 1), z', max_depth => 2)")
    functions.execute("CREATE TABLE below AS SELECT id, x - 40 AS x, z FROM points")
    said = mistake(functions, f"SELECT {function}('logged', 'below', 'n')")
    assert (said.sqlstate, said.diag.message_primary, said.diag.message_hint) == (
        "2201E",
        "madtree: cannot take logarithm of a negative number, as rows of below were read",
        "Computed of each row: ln(x + 1). CASE or NULLIF can leave a value out.",
    )


def test_a_value_that_no_expression_makes_is_told_as_it_is(functions: psycopg.Connection) -> None:
    functions.execute("CREATE VIEW divided AS SELECT id, y, 1 / (x - 5) AS x FROM points")
    said = mistake(functions, "SELECT tree_train('divided', 'n', 'id', 'y', 'x')")
    assert (said.sqlstate, said.diag.message_primary, said.diag.message_hint) == ("22012", "division by zero", None)
