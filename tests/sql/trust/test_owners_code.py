"""Another role's model: of plain columns and built-in types it runs nothing of its owner's; else it is like a view."""

from __future__ import annotations

import re
from collections.abc import Callable

import psycopg
import pytest
from fix_server import Server
from psycopg.conninfo import make_conninfo

from madtree.report import build_report

RUNS = (
    "SELECT tree_predict('m', 'mine', 'out')",
    "SELECT tree_sql('m')",
    "SELECT count(*) FROM tree_rules('m')",
    "SELECT count(*) FROM tree_path('m', 'mine', '1')",
    "SELECT count(*) FROM tree_evaluate('m', 'mine')",
    "SELECT count(*) FROM tree_confusion('m', 'mine')",
    "SELECT tree_prune('m', 'pruned', 0.2)",
)
SHOWS = (
    "SELECT tree_display('m')",
    "SELECT tree_surr_display('m')",
    "SELECT tree_to_json('m')",
    "SELECT tree_to_pmml('m')",
    "SELECT get_var_importance('m', 'importance')",
    "SELECT count(*) FROM tree_importance('m')",
)
ALL = (*RUNS, *SHOWS, "SELECT * FROM models")
# What alice may make of types that are hers: casts in every direction that text output, JSON or comparing could take.
CASTS = "text", "json", "jsonb", "int4", "float8", "varchar"


@pytest.fixture
def mine(data: psycopg.Connection) -> psycopg.Connection:
    """The caller's own table to score."""
    data.execute("CREATE TABLE mine AS TABLE data; GRANT SELECT ON mine TO PUBLIC")
    return data


def hostile_types(user_db: psycopg.Connection) -> None:
    """An enum and a composite type of the ordinary user's, and casts of theirs that spring."""
    user_db.execute("CREATE TYPE color AS ENUM ('blue', 'green', 'red'); CREATE TYPE pair AS (a int, b color)")
    for type_ in ("color", "pair"):
        for target in CASTS:
            user_db.execute(
                f"CREATE FUNCTION to_{target}({type_}) RETURNS {target} LANGUAGE plpgsql IMMUTABLE AS "
                "$$ BEGIN PERFORM spring(); RETURN NULL; END $$; "
                f"CREATE CAST ({type_} AS {target}) WITH FUNCTION to_{target}({type_}) AS ASSIGNMENT"
            )
    user_db.execute(
        "CREATE FUNCTION from_text(text) RETURNS color LANGUAGE plpgsql IMMUTABLE AS "
        "$$ BEGIN PERFORM spring(); RETURN NULL; END $$; CREATE CAST (text AS color) WITH FUNCTION from_text(text)"
    )
    user_db.execute(
        "CREATE TABLE colors AS SELECT id, x, g, w, y, array_position(ARRAY['blue', 'green', 'red'], k) AS p, "
        "(enum_range(NULL::color))[array_position(ARRAY['blue', 'green', 'red'], k)] AS c FROM data"
    )
    user_db.execute("ALTER TABLE colors ADD r pair; UPDATE colors SET r = ROW(g, c)::pair")
    user_db.execute("GRANT SELECT ON colors TO PUBLIC")


def test_a_model_of_plain_columns_runs_nothing_of_its_owners(
    mine: psycopg.Connection,
    user_db: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
) -> None:
    train_as("m", surrogate_params="max_surrogates=1", pruning_params="n_folds=2", grouping_cols="g", weights="w")
    hostile_types(user_db)
    # All that she can put on the tables that is no reason to refuse them.
    user_db.execute(
        "CREATE FUNCTION trip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM spring(); RETURN NEW; END $$"
    )
    for part in ("m", "m_nodes", "m_summary", "m_surrogates"):
        user_db.execute(f"CREATE TRIGGER t BEFORE INSERT OR UPDATE ON {part} FOR EACH ROW EXECUTE FUNCTION trip()")
        user_db.execute(f"ALTER TABLE {part} ADD extra color, ALTER extra SET DEFAULT from_text('x')")
        # A column that is not there would be a function of the row.
        body = "BEGIN PERFORM spring(); RETURN NULL; END"
        user_db.execute(f"CREATE FUNCTION levels({part}) RETURNS jsonb LANGUAGE plpgsql AS $$ {body} $$")
    user_db.execute("ALTER TABLE m_summary DROP levels, DROP trained_at")
    canary()
    for call in ALL:
        mine.execute(call.encode())
    assert canary() == set()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "wrong",
    [
        "ALTER TABLE m_summary DROP method, ADD method text",
        "ALTER TABLE m DROP n_leaves; CREATE FUNCTION n_leaves(m) RETURNS int LANGUAGE sql AS 'SELECT spring()'",
        "ALTER TABLE m_nodes ALTER feature TYPE color USING NULL",
        "ALTER TABLE m_summary ALTER enum_labels TYPE pair USING NULL",
        "CREATE DOMAIN d AS float8 CHECK (spring() = 1); ALTER TABLE m_nodes ALTER risk TYPE d",
        *(
            "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level1-ka-shifted', deterministic = false); "
            f"ALTER TABLE m{table} ALTER {column} TYPE {type_} COLLATE blind"
            for table, column, type_ in (("_nodes", "feature", "text"), ("_surrogates", "left_levels", "text[]"))
        ),
    ],
)
def test_columns_are_of_the_types_that_training_gives_them(
    mine: psycopg.Connection,
    user_db: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    wrong: str,
) -> None:
    train_as("m", surrogate_params="max_surrogates=1")
    hostile_types(user_db)
    user_db.execute(wrong.encode())
    canary()
    for call in (*RUNS, *SHOWS) if "DROP method" not in wrong else ():
        with pytest.raises(psycopg.Error, match="m is damaged"):
            mine.execute(call.encode())
    mine.execute("SELECT * FROM models")
    assert canary() == set()


EXPRESSIONS = {
    "feature": {"features": "x, abs(spring() * x)"},
    "dependent": {"dependent": "(spring() = 1 AND y)"},
    "weights": {"weights": "w * spring()"},
    "feature of a type": {"features": "c, x", "table": "colors"},
    "dependent of a type": {"dependent": "c", "features": "x", "table": "colors"},
    "group of a type": {"grouping_cols": "c", "features": "x", "table": "colors"},
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_what_its_owner_wrote_is_refused_to_a_superuser_unless_she_says_so(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    kind: str,
) -> None:
    hostile_types(user_db)
    train_as("m", surrogate_params="max_surrogates=1", **EXPRESSIONS[kind])
    data.execute("CREATE TABLE mine AS SELECT * FROM data NATURAL JOIN colors")
    assert canary() <= {"alice"}
    for call in RUNS:
        with pytest.raises(psycopg.Error, match="with the rights of a superuser") as caught:
            data.execute(call.encode())
        assert caught.value.sqlstate == "42501"
        assert "trust_owner => true" in str(caught.value.diag.message_hint)
    for call in SHOWS:
        if "confusion" not in call:
            data.execute(call.encode())
    data.execute("SELECT * FROM models")
    assert canary() == set()
    page = build_report(data, "m")
    assert "with the rights of a superuser" in page
    assert canary() == set()
    for call in RUNS:
        if "tree_sql" not in call and "rules" not in call:
            data.execute(call.replace("')", "', trust_owner => true)").replace("0.2)", "0.2, true)").encode())
    assert canary() == ({"boss"} if "type" not in kind else set())


def test_a_pruned_copy_does_not_wash_expressions(
    mine: psycopg.Connection, train_as: Callable[..., None], canary: Callable[[], set[str]]
) -> None:
    train_as("m", features="x, abs(spring() * x)")
    canary()
    with pytest.raises(psycopg.Error, match="with the rights of a superuser"):
        mine.execute("SELECT tree_prune('m', 'washed', 0.01)")
    assert canary() == set()


def test_for_an_ordinary_caller_it_runs_as_a_view_would(
    mine: psycopg.Connection,
    user_db: psycopg.Connection,
    train_as: Callable[..., None],
    server: Server,
    dsn: str,
    schema: str,
    canary: Callable[[], set[str]],
) -> None:
    train_as("m", features="x, abs(spring() * x)")
    mine.execute("CREATE ROLE madtree_bob LOGIN PASSWORD 'bob'")
    try:
        with psycopg.connect(make_conninfo(dsn, user="madtree_bob", password="bob"), autocommit=True) as bob:
            bob.execute(f"SET search_path = {schema}, public, madtree")
            canary()
            assert bob.execute("SELECT tree_predict('m', 'mine', 'pg_temp.out')").fetchone()
            assert canary() == {"boss"}  # not as alice
    finally:
        mine.execute("DROP OWNED BY madtree_bob; DROP ROLE madtree_bob")


def test_training_on_columns_of_another_roles_types_runs_none_of_their_casts(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    hostile_types(user_db)
    canary()
    data.execute("SELECT tree_train('colors', 'a', 'id', 'c', 'x')")
    data.execute("SELECT tree_train('colors', 'b', 'id', 'y', 'x', pruning_params => 'fold_col=c')")
    data.execute("SELECT tree_train('colors', 'c', 'id', 'y', 'x', pruning_params => 'fold_col=r')")
    data.execute("SELECT tree_train('colors', 'd', 'id', 'y', 'x, c', surrogate_params => 'max_surrogates=2')")
    data.execute("SELECT tree_train('colors', 'e', 'id', 'y', 'x', grouping_cols => 'c')")
    data.execute("SELECT tree_train('colors', 'f', 'r', 'y', 'x', grouping_cols => 'r')")
    assert canary() == set()
    for model in "abcdef":
        ids = "(0,red)" if model == "f" else "1"
        for call in ALL:
            text = call.replace("'m'", f"'{model}'").replace("'mine'", "'colors'").replace("'1'", f"'{ids}'")
            with data.transaction(force_rollback=True):
                if model == "f" and "tree_path" in call:
                    with pytest.raises(psycopg.Error, match="several rows have"):
                        data.execute(text.encode())
                elif "tree_surr" not in call or model == "d":
                    data.execute(text.encode())
    assert canary() == set()


IMPLICIT = ("text", "float8")
OWN_MODELS = {
    "feature": {"list_of_features": "x, k"},
    "group": {"grouping_cols": "k"},
    "dependent": {"dependent_variable": "k"},
    "number": {"dependent_variable": "w"},
    "weights": {"weights": "w"},
    "number as feature": {"list_of_features": "x, w"},
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("place", OWN_MODELS)
def test_scoring_a_table_runs_no_casts_of_its_columns_types(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], place: str
) -> None:
    """A model of the caller's own, and another role's table whose columns have types of that role's."""
    user_db.execute("CREATE TYPE hue AS ENUM ('red', 'green', 'blue'); CREATE TYPE size AS ENUM ('0', '1', '2', '3')")
    for type_ in ("hue", "size"):
        for target in IMPLICIT:
            user_db.execute(
                f"CREATE FUNCTION to_{target}({type_}) RETURNS {target} LANGUAGE plpgsql IMMUTABLE AS "
                "$$ BEGIN PERFORM spring(); RETURN NULL; END $$; "
                f"CREATE CAST ({type_} AS {target}) WITH FUNCTION to_{target}({type_}) AS IMPLICIT"
            )
    user_db.execute(
        "CREATE TABLE hers AS SELECT id, x, g, y, (enum_range(NULL::size))[1 + id % 4] AS w, "
        "(enum_range(NULL::hue))[1 + id % 3] AS k FROM data; GRANT SELECT ON hers TO PUBLIC"
    )
    given = {"dependent_variable": "y", "list_of_features": "x", **OWN_MODELS[place]}
    named = ", ".join(f"{name} => '{value}'" for name, value in given.items())
    data.execute(f"SELECT tree_train('data', 'm', 'id', {named})".encode())
    data.execute(f"SELECT forest_train('data', 'f', 'id', num_trees => 2, {named})".encode())
    canary()
    calls = [
        "SELECT tree_predict('m', 'hers', 'out')",
        "SELECT forest_predict('f', 'hers', 'out_of_forest')",
        "SELECT count(*) FROM tree_path('m', 'hers', '7')",
        "SELECT count(*) FROM tree_evaluate('m', 'hers')",
        "SELECT count(*) FROM tree_evaluate('f', 'hers')",
    ]
    for call in calls + ["SELECT count(*) FROM tree_confusion('m', 'hers')"] * (place != "number"):
        assert data.execute(call.encode()).fetchone() is not None
    assert canary() == set()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("type_", "cast", "first", "shown"),
    [
        ("boolean", "y", False, "false"),
        ("yes", "y", False, "false"),
        ("char(8)", "k", "blue    ", "blue"),
        ("text", "k", "blue", "blue"),
        ("color", "k", "red", "red"),
        ("int[]", "ARRAY[g]", [0], '"{0}"'),
        ("numeric(8,2)", "g", 0.0, "0.00"),
    ],
)
def test_texts_are_what_they_were(data: psycopg.Connection, type_: str, cast: str, first: object, shown: str) -> None:
    data.execute("CREATE DOMAIN yes AS boolean; CREATE TYPE color AS ENUM ('red', 'green', 'blue')")
    data.execute("CREATE DOMAIN hue AS color")
    data.execute(f"CREATE TABLE odd AS SELECT id, x, id % 2 = 0 AS even, ({cast})::{type_} AS o FROM data".encode())
    data.execute("SELECT tree_train('odd', 'm', 'id', 'even', 'x', grouping_cols => 'o')")
    groups = data.execute("SELECT group_values FROM tree_rules('m') ORDER BY tree_id LIMIT 1").fetchone()
    assert groups == ({"o": first},)
    (text,) = data.execute("SELECT tree_display('m', false)").fetchone() or ("",)
    assert re.search(rf"o = {re.escape(shown)}\b|o = {re.escape(shown)}\s", text), text[:600]
