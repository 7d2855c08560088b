"""What stands on another role's tables and runs as soon as a query on them is planned, does not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from function_calls import model_calls
from psycopg.rows import dict_row

from madtree.trees import TREE

# By what is on the table `m_summary`: how to put it there, given the ordinary user's function spring().
TRAPS = {
    "an index with an expression": "CREATE INDEX ON m_summary ((spring()))",
    "a partial index": "CREATE INDEX ON m_summary (method) WHERE spring() = 1",
    "statistics on an expression": "CREATE STATISTICS s ON (spring()), method FROM m_summary",
    "an index on a child": "CREATE TABLE child () INHERITS (m_summary); CREATE INDEX ON child ((spring()))",
    "a check constraint": "ALTER TABLE m_summary ADD CHECK (spring() = 1 AND method = 'tree_train')",
    "a policy": "CREATE POLICY p ON m_summary USING (spring() = 1); "
    "ALTER TABLE m_summary ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    "an index on the trees": "CREATE INDEX ON m ((spring()))",
    "an index on the nodes": "CREATE INDEX ON m_nodes ((spring()))",
    "an index on the cp table": "CREATE INDEX ON m_cv ((spring()))",
    "an index on the surrogates": "CREATE INDEX ON m_surrogates ((spring()))",
}
CALLS = model_calls(TREE, leave_out=("tree_drop",))  # which does not read a model


@pytest.fixture
def m(train_as: Callable[..., None]) -> None:
    train_as("m", surrogate_params="max_surrogates=2", pruning_params="n_folds=3")


@pytest.fixture
def trapped(
    m: None, user_db: psycopg.Connection, canary: Callable[[], set[str]], request: pytest.FixtureRequest
) -> None:
    user_db.execute(TRAPS[request.param])
    canary()


all_traps = pytest.mark.parametrize("trapped", TRAPS, indirect=True)


@pytest.mark.one_in(2)
@all_traps
def test_the_view_of_models_tells_of_them_from_the_catalogue_alone(
    trapped: None, db: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], schema: str
) -> None:
    db.execute("SET constraint_exclusion = on")
    rows = db.cursor(row_factory=dict_row).execute("SELECT * FROM models WHERE schema = %s", [schema]).fetchall()
    assert canary() == set()
    assert [(row["name"], row["owner"]) for row in rows] == [("m", user_db.info.user)]
    told = {key for key, value in rows[0].items() if value is not None}
    assert told == {"model", "schema", "name", "owner"}


@pytest.mark.one_in(4)
@all_traps
def test_no_function_reads_them_and_the_error_says_why(
    trapped: None, db: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    db.execute("SET constraint_exclusion = on")
    for call in CALLS:
        with pytest.raises(psycopg.Error) as caught:
            db.execute(call)
        assert (caught.value.sqlstate, call) == ("42501", call)
        assert f'"{user_db.info.user}"\'s, and its table' in str(caught.value), call
    assert canary() == set()
    user_db.execute("DROP TABLE IF EXISTS child")
    db.execute("SELECT tree_drop('m')")
    assert canary() == set()


@pytest.mark.one_in(2)
@all_traps
def test_a_superuser_may_say_that_she_trusts_the_owner(trapped: None, db: psycopg.Connection) -> None:
    assert db.execute("SELECT tree_predict('m', 'data', 'out', trust_owner => true)").fetchone()


def test_their_owner_may_have_them(m: None, user_db: psycopg.Connection, canary: Callable[[], set[str]]) -> None:
    user_db.execute(TRAPS["an index with an expression"])
    canary()
    assert user_db.execute("SELECT tree_predict('m', 'data', 'out')").fetchone()
    assert user_db.execute("SELECT kind FROM models WHERE name = 'm'").fetchall() == [("classification",)]
    assert canary() == {"alice"}


def test_a_superusers_models_are_listed_with_all_that_they_tell(
    data: psycopg.Connection, user_db: psycopg.Connection
) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x')")
    data.execute("GRANT SELECT ON m, m_nodes, m_summary TO PUBLIC")
    assert user_db.execute("SELECT kind, n_rows FROM models WHERE name = 'm'").fetchall() == [("classification", 300)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["VIEW", "MATERIALIZED VIEW"])
@pytest.mark.parametrize("part", ["m", "m_nodes", "m_summary", "m_surrogates"])
def test_a_view_in_the_place_of_a_table_is_no_model(
    m: None, db: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], kind: str, part: str
) -> None:
    user_db.execute(f"ALTER TABLE {part} RENAME TO real; CREATE {kind} {part} AS SELECT * FROM real WHERE spring() = 1")
    user_db.execute(f"GRANT SELECT ON {part} TO PUBLIC")
    canary()
    problem = "m is damaged: its surrogates" if part == "m_surrogates" else "m is not a madtree model"
    with pytest.raises(psycopg.Error, match=problem):
        db.execute("SELECT tree_predict('m', 'data', 'out')")
    db.execute("SELECT * FROM models").fetchall()
    assert canary() == set()


def test_what_a_superusers_transaction_cannot_see_is_not_read(
    m: None, db: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    """In a transaction that sees the past, she cannot check; so it is refused there."""
    db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
    user_db.execute(TRAPS["an index with an expression"])
    canary()
    with pytest.raises(psycopg.Error, match="in a transaction that is repeatable read"):
        db.execute("SELECT tree_predict('m', 'data', 'out')")
    db.execute("ROLLBACK")
    assert canary() == set()


def test_while_a_superuser_reads_nothing_can_be_put_on_the_tables(
    m: None, db: psycopg.Connection, user_db: psycopg.Connection
) -> None:
    user_db.execute("SET lock_timeout = '100ms'")
    with db.transaction():
        db.execute("SELECT tree_display('m')")
        for trap in (
            "CREATE INDEX ON m_nodes (feature)",
            "CREATE STATISTICS s ON feature, depth FROM m_nodes",
            "CREATE TABLE child () INHERITS (m)",
            "ALTER TABLE m_surrogates ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE m_summary RENAME TO other",
        ):
            with pytest.raises(psycopg.errors.LockNotAvailable):
                user_db.execute(trap)
        # Others read it meanwhile.
        assert user_db.execute("SELECT tree_display('m')").fetchone()


@pytest.fixture
def group(db: psycopg.Connection, user_db: psycopg.Connection) -> Iterator[str]:
    """A role of which both the superuser and the ordinary user are members."""
    name = f"{user_db.info.user}_group"
    db.execute(f"CREATE ROLE {name}; GRANT {name} TO {user_db.info.user}, CURRENT_USER")
    yield name
    db.execute(f"REASSIGN OWNED BY {name} TO CURRENT_USER; DROP OWNED BY {name}; DROP ROLE {name}")


def test_a_role_of_the_callers_is_another_role_since_it_may_have_been_granted_unasked(
    m: None, db: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], group: str
) -> None:
    for part in ("m", "m_nodes", "m_summary", "m_surrogates", "m_cv"):
        db.execute(f"ALTER TABLE {part} OWNER TO {group}")
    assert db.execute("SELECT owner, kind FROM models WHERE name = 'm'").fetchall() == [(group, None)]
    assert db.execute("SELECT tree_display('m')").fetchone()
    user_db.execute("CREATE INDEX ON m_summary ((spring()))")
    canary()
    assert db.execute("SELECT kind FROM models WHERE name = 'm'").fetchall() == [(None,)]
    with pytest.raises(psycopg.Error, match="an index with an expression"):
        db.execute("SELECT tree_display('m')")
    assert canary() == set()


def test_a_table_that_somebody_adds_to_anothers_model_does_not_belong_to_it(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k')")
    before = data.execute("SELECT tree_sql('m')").fetchone()
    data.execute("SELECT tree_train('data', 'o', 'id', 'y', 'x, k', surrogate_params => 'max_surrogates=2')")
    data.execute("GRANT SELECT ON o_surrogates TO PUBLIC")
    user_db.execute("CREATE TABLE m_surrogates AS TABLE o_surrogates; CREATE INDEX ON m_surrogates ((spring()))")
    user_db.execute("GRANT SELECT ON m_surrogates TO PUBLIC")
    canary()
    assert data.execute("SELECT tree_sql('m')").fetchone() == before
    assert canary() == set()


KIN = {
    "a child": "CREATE TABLE kin () INHERITS (m_summary)",
    "what it is a part of": "CREATE TABLE kin (LIKE m_summary) PARTITION BY LIST (method);"
    "ALTER TABLE kin ATTACH PARTITION m_summary DEFAULT",
}


@pytest.mark.parametrize("kin", KIN)
def test_what_is_read_with_a_table_of_ones_own_may_be_anothers(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], kin: str
) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k')")
    data.execute(f"{KIN[kin]}; ALTER TABLE kin OWNER TO {user_db.info.user}")
    user_db.execute("CREATE INDEX ON kin ((spring()))")
    canary()
    assert data.execute("SELECT kind FROM models WHERE name = 'm'").fetchall() == [(None,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"\"m_summary\" has an? (table|index)"):
        data.execute("SELECT tree_display('m')")
    assert canary() == set()
