"""Values of types whose functions are another role's are kept as the type below, or as text; a notice says so."""

from __future__ import annotations

import psycopg
import pytest

KEPT = {
    "CREATE TYPE t AS RANGE (subtype = int4, subtype_diff = difference)": ("int4range(0, g + 1)::text::t", "text"),
    "CREATE DOMAIN t AS int CHECK (VALUE >= 0)": ("g", "integer"),
    "CREATE DOMAIN t AS text": ("g", "text"),
    "CREATE TYPE t AS (a int, b text)": ("ROW(g, 'x')::t", "text"),
    "CREATE TYPE t AS ENUM ('0', '1', '2')": ("g::text::t", "text"),
    "CREATE TYPE t AS ENUM ('0', '1', '2'); CREATE FUNCTION text(t) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$; "
    "CREATE CAST (t AS text) WITH FUNCTION text(t)": ("(enum_range(NULL::t))[1 + g]", "text"),
}


@pytest.fixture
def hers(data: psycopg.Connection, user_db: psycopg.Connection, request: pytest.FixtureRequest) -> psycopg.Connection:
    """The other role's table, with a column g of a type of hers; a session of a superuser's."""
    user_db.execute("CREATE FUNCTION difference(int, int) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT $1 - $2'")
    user_db.execute(request.param.encode())
    value = KEPT[request.param][0]
    user_db.execute(f"CREATE TABLE hers AS SELECT id, x, y, ({value})::t AS g FROM data".encode())
    user_db.execute("GRANT SELECT ON hers TO PUBLIC")
    return data


def types(db: psycopg.Connection, tables: str) -> set[str]:
    found = db.execute(
        "SELECT DISTINCT format_type(a.atttypid, NULL) FROM pg_attribute a INNER JOIN pg_class c ON a.attrelid = c.oid "
        "WHERE c.relname ~ %s AND c.relkind IN ('r', 'v') AND a.attname = 'g' "
        "AND c.relnamespace = current_schema::regnamespace",
        [tables],
    )
    return {type_ for (type_,) in found}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("hers", "kept"), [(made, kept) for made, (_, kept) in KEPT.items()], indirect=["hers"])
def test_groups_and_ids_are_kept(hers: psycopg.Connection, user_db: psycopg.Connection, kept: str) -> None:
    notices: list[str] = []
    hers.add_notice_handler(lambda diagnostic: notices.append(str(diagnostic.message_primary)))
    hers.execute("SELECT tree_train('hers', 'm', 'id', 'y', 'x', grouping_cols => 'g')")
    hers.execute("SELECT forest_train('hers', 'f', 'id', 'y', 'x', grouping_cols => 'g', num_trees => 2)")
    assert any(f"grouping_cols: values of g are kept as {kept}" in said for said in notices)
    hers.execute("SELECT get_var_importance('m', 'i'); SELECT tree_prune('m', 'p', 0.5)")
    hers.execute("SELECT tree_train('hers', 'b', 'g', 'y', 'x'); SELECT tree_predict('b', 'hers', 'out')")
    assert types(hers, "^([mfpi](_.*)?|out)$") == {kept}
    # Rows find their groups again.
    scored = hers.execute("SELECT tree_predict('m', 'hers', 'of_groups')").fetchone()
    assert scored is not None
    assert hers.execute("SELECT count(*) FROM of_groups WHERE estimated_y IS NULL").fetchone() == (0,)
    # Her own types are hers.
    user_db.execute("SELECT tree_train('hers', 'own', 'id', 'y', 'x', grouping_cols => 'g')")
    assert types(hers, "^own$") == {"t"}


@pytest.mark.parametrize("hers", [[*KEPT][-1]], indirect=True)
def test_classes_are_kept(hers: psycopg.Connection) -> None:
    hers.execute("SELECT tree_train('hers', 'm', 'id', 'g', 'x')")
    hers.execute("SELECT tree_predict('m', 'hers', 'out')")
    assert hers.execute("SELECT pg_typeof(estimated_g)::text FROM out LIMIT 1").fetchone() == ("text",)
    assert hers.execute("SELECT dependent_var_levels FROM m_summary").fetchone() == (["0", "1", "2"],)
