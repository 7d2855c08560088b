"""model_alias: a second name for a model, taken by every function, given to another model and back."""

from __future__ import annotations

import psycopg
import pytest
from forest_data import rows

MAKE = """
CREATE TABLE data AS SELECT i AS id, i % 10 AS x, i % 3 = 0 AS y FROM generate_series(1, 200) AS i;
SELECT madtree.tree_train('data', 'm_1', 'id', 'y', 'x');
SELECT madtree.forest_train('data', 'M 2', 'id', 'y', 'x', num_trees => 2);
"""


@pytest.fixture(autouse=True)
def _models(db: psycopg.Connection) -> None:
    db.execute(MAKE.replace("'M 2'", "'\"M 2\"'"))


def said(db: psycopg.Connection, call: str) -> str:
    found = db.execute(f"SELECT madtree.{call}").fetchone()  # type: ignore[arg-type]
    assert found is not None
    return str(found[0])


def test_an_alias_is_taken_for_its_model(db: psycopg.Connection) -> None:
    assert said(db, "model_alias('champion', 'm_1')") == 'model_alias: champion is "m_1"'
    said(db, "tree_predict('champion', 'data', 'by_alias'), madtree.tree_predict('m_1', 'data', 'by_name')")
    assert rows(db, "SELECT * FROM by_alias EXCEPT SELECT * FROM by_name") == []
    assert said(db, "tree_display('champion')").replace("champion", "m_1") == said(db, "tree_display('m_1')")
    assert said(db, "tree_sql('champion')") == said(db, "tree_sql('m_1')")
    assert rows(db, "SELECT * FROM madtree.tree_evaluate('champion', 'data')") == rows(
        db, "SELECT * FROM madtree.tree_evaluate('m_1', 'data')"
    )
    said(db, "tree_prune('champion', 'small', 0.5)")


def test_it_goes_to_another_model_and_back(db: psycopg.Connection) -> None:
    said(db, "model_alias('champion', 'm_1')")
    with db.transaction(force_rollback=True):
        now = said(db, "model_alias('champion', '\"M 2\"')")
        assert now == 'model_alias: champion is "M 2", and was "m_1"'
        said(db, "forest_predict('champion', 'data', 'scored')")
    said(db, "tree_predict('champion', 'data', 'scored')")
    said(db, "model_alias('second', 'champion')")  # of the model, not of the alias
    said(db, "model_alias('champion', '\"M 2\"')")
    said(db, "tree_predict('second', 'data', 'again')")
    assert said(db, "model_alias('champion', NULL)") == 'model_alias: champion removed, and was "M 2"'
    with pytest.raises(psycopg.errors.UndefinedTable):
        said(db, "tree_display('champion')")


def test_mistakes_are_told(db: psycopg.Connection) -> None:
    said(db, "model_alias('champion', 'm_1')")
    for call, message in (
        ("model_alias('champion', 'nowhere')", "relation nowhere"),
        ("model_alias('champion', 'data')", "data is not a madtree model"),
        ("model_alias('data', 'm_1')", "exists already, and is no alias"),
        ("model_alias('m_1', 'm_1')", "exists already, and is no alias"),
        ("model_alias(NULL, 'm_1')", "alias must be a name, not NULL"),
        ("model_alias('nobody', NULL)", "there is no alias nobody"),
        ("tree_drop('champion')", "champion is an alias of"),
        ("tree_train('data', 'champion', 'id', 'y', 'x', replace => true)", 'is an alias of the model .*m_1", and'),
    ):
        with pytest.raises(psycopg.Error, match=message):
            said(db, call)


def test_an_alias_of_a_dropped_model_says_so(db: psycopg.Connection, schema: str) -> None:
    said(db, "model_alias('champion', 'm_1')")
    heard: list[str] = []
    db.add_notice_handler(lambda notice: heard.append(notice.message_primary or ""))
    said(db, "tree_drop('\"M 2\"')")
    assert heard == []
    said(db, "tree_drop('m_1')")
    assert len(heard) == 1
    assert "champion names it, and names nothing now" in heard[0]
    gone = f'champion is an alias of "{schema}"."m_1", which does not exist any more'
    with pytest.raises(psycopg.errors.UndefinedTable, match=gone) as refused:
        said(db, "tree_display('champion')")
    assert "model_alias('champion', '...')" in (refused.value.diag.message_hint or "")
    said(db, "model_alias('champion', NULL)")


def test_others_use_an_alias_and_only_its_owner_changes_it(db: psycopg.Connection, schema: str) -> None:
    role = f"{schema}_reader"
    said(db, "model_alias('champion', 'm_1')")
    db.execute(f'CREATE ROLE "{role}"')
    try:
        db.execute(f'GRANT USAGE, CREATE ON SCHEMA "{schema}" TO "{role}"')
        db.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "{role}"')
        db.execute(f'SET ROLE "{role}"')
        assert said(db, "tree_display('champion', false)")
        for call in ("model_alias('champion', 'm_1')", "model_alias('champion', NULL)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                said(db, call)
        said(db, "model_alias('mine', 'm_1')")
        db.execute("RESET ROLE")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="is an alias of"):
            said(db, "tree_display('mine')")
        said(db, "tree_sql('mine', trust_owner => true)")
    finally:
        db.execute("RESET ROLE")
        db.execute(f'DROP OWNED BY "{role}"')
        db.execute(f'DROP ROLE "{role}"')


def test_what_only_looks_like_an_alias_is_none(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE one (madtree_alias text); COMMENT ON TABLE one IS 'alias of the madtree model m_1; DROP'")
    db.execute("CREATE TABLE two (madtree_alias text, other int)")
    db.execute("COMMENT ON TABLE two IS 'alias of the madtree model public.m_1'")
    db.execute("CREATE VIEW three AS SELECT 'x'::text AS madtree_alias")
    db.execute("COMMENT ON VIEW three IS 'alias of the madtree model public.m_1'")
    for name in ("one", "two", "three"):
        with pytest.raises(psycopg.Error, match="is not a madtree model"):
            said(db, f"tree_display('{name}')")
