"""tree_drop removes a model's tables and nothing else."""

from __future__ import annotations

import psycopg
import pytest
from datasets import load_golf
from training import train


@pytest.fixture
def golf(db: psycopg.Connection) -> psycopg.Connection:
    load_golf(db)
    return db


def tables(db: psycopg.Connection, schema: str) -> set[str]:
    rows = db.execute("SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'", [schema])
    return {name for (name,) in rows.fetchall()}


@pytest.mark.parametrize("name", ["model", '"My ""Model"""', "x" * 63, '"' + "木" * 21 + '"'])
def test_it_drops_all_tables_of_a_model(golf: psycopg.Connection, schema: str, name: str) -> None:
    train(golf, "golf", name, "class", "temperature")
    assert len(tables(golf, schema)) == 5
    (line,) = golf.execute("SELECT madtree.tree_drop(%s)", [name]).fetchone()
    assert line.startswith("tree_drop: dropped ")
    assert tables(golf, schema) == {"golf"}


def test_it_finds_a_model_in_another_schema(golf: psycopg.Connection, schema: str) -> None:
    train(golf, "golf", "model", "class", "temperature")
    golf.execute("SET search_path = public")
    golf.execute("SELECT madtree.tree_drop(%s)", [f"{schema}.model"])
    assert tables(golf, schema) == {"golf"}


def test_other_tables_with_a_companions_name_stay(golf: psycopg.Connection, schema: str) -> None:
    train(golf, "golf", "model", "class", "temperature")
    golf.execute("CREATE TABLE model_cv (mine int)")
    golf.execute("SELECT madtree.tree_drop('model')")
    assert tables(golf, schema) == {"golf", "model_cv"}


def test_what_another_role_has_under_a_companions_name_stays(
    golf: psycopg.Connection, schema: str, ordinary_user: tuple[str, str]
) -> None:
    """Where others may create they could else make a model of which your table would be a part, and an administrator
    dropped it; or a table that keeps you from dropping yours.
    """
    train(golf, "golf", "model", "class", "temperature")
    golf.execute("CREATE TABLE model_cv (cp float8, cv_error_avg float8, xerror float8)")
    golf.execute(f"ALTER TABLE model_cv OWNER TO {ordinary_user[0]}")
    golf.execute("SELECT madtree.tree_drop('model')")
    assert tables(golf, schema) == {"golf", "model_cv"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("golf", 'model: golf is not a madtree model: no table "golf" or "golf_nodes" or "golf_summary" has'),
        ("nothing", "model: relation nothing does not exist"),
        (None, "model must be the name of a model, not NULL"),
    ],
)
def test_it_drops_models_only(golf: psycopg.Connection, schema: str, name: str | None, sentence: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        golf.execute("SELECT madtree.tree_drop(%s)", [name])
    assert str(caught.value).removeprefix("madtree: ").startswith(sentence)
    assert tables(golf, schema) == {"golf"}


def test_what_depends_on_a_model_keeps_it(golf: psycopg.Connection, schema: str) -> None:
    train(golf, "golf", "model", "class", "temperature")
    golf.execute("CREATE VIEW leaves AS SELECT * FROM model_nodes WHERE is_leaf")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist, match="view leaves depends on table model_nodes"):
        golf.execute("SELECT madtree.tree_drop('model')")
    assert len(tables(golf, schema)) == 5


def test_another_users_model_stays(golf: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> None:
    train(golf, "golf", "model", "class", "temperature")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="must be owner of table model_summary"):
        user_db.execute("SELECT madtree.tree_drop('model')")
    golf.execute("GRANT SELECT ON model, model_nodes, model_summary TO PUBLIC")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="must be owner of table model_summary"):
        user_db.execute("SELECT madtree.tree_drop('model')")
    assert len(tables(golf, schema)) == 5
