"""Another role's forest: it is trusted as other models are, and its table of groups runs nothing of its owner's."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

RUNS = (
    "SELECT forest_predict('m', 'data', 'out')",
    "SELECT forest_predict('m', 'data', 'out', 'prob')",
    "SELECT tree_sql('m', tree_id => 1)",
    "SELECT count(*) FROM tree_rules('m')",
    "SELECT count(*) FROM tree_path('m', 'data', '1')",
    "SELECT count(*) FROM tree_evaluate('m', 'data')",
    "SELECT count(*) FROM tree_confusion('m', 'data')",
    "SELECT count(*) FROM tree_curve('m', 'data')",
)
SHOWS = (
    "SELECT get_tree('m', 1, 1)",
    "SELECT get_tree_surr('m', 1, 1)",
    "SELECT tree_to_json('m')",
    "SELECT tree_to_pmml('m')",
    "SELECT get_var_importance('m', 'importance')",
    "SELECT count(*) FROM tree_importance('m')",
)
PARTS = ("m", "m_group", "m_packed", "m_summary", "m_surrogates")
Grow = Callable[..., None]


@pytest.fixture
def grow_as(data: psycopg.Connection, user_db: psycopg.Connection) -> Grow:
    """Train the forest `m` as the ordinary user, and let everybody read it."""

    def grow(features: str = "x, k", grouping_cols: str | None = "g") -> None:
        user_db.execute(
            "SELECT forest_train('data', 'm', 'id', 'y', %s, grouping_cols => %s, num_trees => 2, "
            "null_handling_params => 'max_surrogates=1')",
            [features, grouping_cols],
        )
        user_db.execute(f"GRANT SELECT ON {', '.join(PARTS)} TO PUBLIC")

    return grow


def scored_anew(db: psycopg.Connection, call: str) -> None:
    db.execute("DROP TABLE IF EXISTS out, importance")
    db.execute(call.encode())


def test_one_of_plain_columns_runs_nothing_of_its_owners(
    data: psycopg.Connection, user_db: psycopg.Connection, grow_as: Grow, canary: Callable[[], set[str]]
) -> None:
    grow_as()
    user_db.execute("CREATE TYPE color AS ENUM ('red')")
    user_db.execute("CREATE FUNCTION to_text(color) RETURNS text LANGUAGE sql AS $$ SELECT spring()::text $$")
    user_db.execute("CREATE CAST (color AS text) WITH FUNCTION to_text(color) AS ASSIGNMENT")
    for part in PARTS:
        user_db.execute(f"ALTER TABLE {part} ADD extra color")
        user_db.execute(f"CREATE FUNCTION levels({part}) RETURNS int LANGUAGE sql AS 'SELECT spring()'")
    canary()
    for call in (*RUNS, *SHOWS, "SELECT * FROM models"):
        scored_anew(data, call)
    assert canary() == set()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (
            "CREATE DOMAIN d AS int CHECK (spring() = 1); ALTER TABLE m_group ALTER g TYPE d",
            "grouping column .g. of its",
        ),
        ("ALTER TABLE m_group DROP g", "lacks the grouping column .g."),
        ("ALTER TABLE m_group DROP oob_score", "lacks the column oob_score"),
        ("ALTER TABLE m_group ALTER n_trees TYPE text", "column n_trees of its table .m_group. is of type"),
        ("DROP TABLE m_group", "a forest without its groups"),
        (
            "ALTER TABLE m_group RENAME TO real; CREATE VIEW m_group AS SELECT * FROM real",
            "a forest without its groups",
        ),
    ],
)
def test_its_groups_are_as_training_makes_them(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    grow_as: Grow,
    canary: Callable[[], set[str]],
    wrong: str,
    problem: str,
) -> None:
    grow_as()
    user_db.execute(wrong.encode())
    canary()
    for call in (*RUNS, *SHOWS):
        with pytest.raises(psycopg.Error, match=f"m is damaged: .*{problem}"):
            scored_anew(data, call)
    assert canary() == set()


def test_what_planning_its_groups_would_run_is_refused(
    data: psycopg.Connection, user_db: psycopg.Connection, grow_as: Grow, canary: Callable[[], set[str]]
) -> None:
    grow_as()
    user_db.execute("CREATE INDEX ON m_group ((spring()))")
    canary()
    for call in (*RUNS, *SHOWS):
        with pytest.raises(psycopg.Error, match='and its table "m_group" has') as caught:
            scored_anew(data, call)
        assert caught.value.sqlstate == "42501"
    assert canary() == set()
    scored_anew(data, "SELECT forest_predict('m', 'data', 'out', trust_owner => true)")


def test_what_its_owner_wrote_is_refused_to_a_superuser_unless_she_says_so(
    data: psycopg.Connection, grow_as: Grow, canary: Callable[[], set[str]]
) -> None:
    grow_as("x, abs(spring() * x)", None)
    canary()
    for call in RUNS:
        with pytest.raises(psycopg.Error, match="with the rights of a superuser") as caught:
            scored_anew(data, call)
        assert caught.value.sqlstate == "42501"
    for call in SHOWS:
        scored_anew(data, call)
    assert canary() == set()
    for call in RUNS:
        scored_anew(data, f"{call[:-1]}, trust_owner => true)")
    assert canary() == {"boss"}


def test_a_table_that_another_role_puts_beside_a_model_does_nothing_to_it(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    data.execute("SELECT forest_train('data', 'f', 'id', 'y', 'x', num_trees => 2)")
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x'); GRANT SELECT ON f_group TO PUBLIC")
    user_db.execute("CREATE TABLE m_group AS TABLE f_group; CREATE INDEX ON m_group ((spring()))")
    user_db.execute("GRANT SELECT ON m_group TO PUBLIC")
    canary()
    for call in ("tree_predict('m', 'data', 'out')", "tree_display('m')", "tree_to_json('m')"):
        scored_anew(data, f"SELECT {call}")
    assert canary() == set()
