"""madtree.holdout: which rows are held out, and what evaluating on the training table says."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from training import train

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

HELD = "SELECT array_agg(id ORDER BY id) FROM generate_series(1, 1000) AS id WHERE madtree.holdout({})"


def held(db: psycopg.Connection, arguments: str) -> list[int]:
    ((found,),) = db.execute(HELD.format(arguments)).fetchall()
    return found or []


def notices_of(db: psycopg.Connection, statement: str) -> list[str]:
    told: list[str] = []
    handler = lambda found: told.append(found.message_primary or "")  # noqa: E731
    db.add_notice_handler(handler)
    db.execute(statement)
    db.remove_notice_handler(handler)
    return told


def test_the_rows_are_the_same_on_every_server(db: psycopg.Connection) -> None:
    """These, whatever the version, the settings and the collation are."""
    assert held(db, "id")[:8] == FIRST_OF_INTEGERS
    assert held(db, "id::text")[:8] == FIRST_OF_TEXTS
    assert held(db, "md5(id::text)::uuid")[:8] == FIRST_OF_UUIDS


def test_it_is_a_hash_that_any_server_has(db: psycopg.Connection) -> None:
    """What docs/managed.md says where there is no extension."""
    plain = "(hashint8extended(id, 1) & 4294967295) < 0.25 * 4294967296"
    ((differ,),) = db.execute(
        f"SELECT count(*) FROM generate_series(1, 1000) AS id WHERE madtree.holdout(id) IS DISTINCT FROM ({plain})"
    ).fetchall()
    assert differ == 0


@pytest.mark.parametrize("id", ["id", "id::text", "md5(id::text)::uuid", "id::smallint", "id::bigint", "'k' || id"])
def test_the_share_of_rows_is_the_fraction(db: psycopg.Connection, id: str) -> None:
    smaller, larger = held(db, f"{id}, 0.1"), held(db, f"{id}, 0.4")
    assert 70 < len(smaller) < 130  # 100 give or take three standard deviations
    assert 350 < len(larger) < 450
    assert {*smaller} <= {*larger}
    assert held(db, f"{id}, 0") == []
    assert len(held(db, f"{id}, 1")) == 1000


def test_another_seed_holds_out_other_rows(db: psycopg.Connection) -> None:
    one, other = {*held(db, "id, 0.25")}, {*held(db, "id, 0.25, 2")}
    assert one == {*held(db, "id, seed => 1")}
    assert 30 < len(one & other) < 95  # a sixteenth of 1,000 is 62


def test_integers_of_all_widths_are_one(db: psycopg.Connection) -> None:
    assert held(db, "id::smallint") == held(db, "id::integer") == held(db, "id::bigint")


def test_no_id_is_neither_held_out_nor_not(db: psycopg.Connection) -> None:
    assert db.execute("SELECT madtree.holdout(NULL::bigint), madtree.holdout(NULL::text)").fetchone() == (None, None)


@pytest.mark.parametrize("fraction", ["25", "-0.1", "'NaN'", "NULL"])
def test_a_fraction_that_is_none_is_refused(db: psycopg.Connection, fraction: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        db.execute(f"SELECT madtree.holdout(g, {fraction}) FROM generate_series(1, 3) AS g")
    said = caught.value.diag
    assert said.message_primary == f"madtree: fraction must be a number from 0 to 1, not {fraction.strip(chr(39))}"
    assert said.message_hint == "A quarter of the rows is 0.25."


def test_the_planner_puts_it_into_the_query(db: psycopg.Connection) -> None:
    """So that it costs what a hash costs, and workers share it."""
    db.execute("CREATE TABLE t AS SELECT g AS id FROM generate_series(1, 10) AS g")
    plan = "\n".join(row for (row,) in db.execute("EXPLAIN (VERBOSE) SELECT FROM t WHERE madtree.holdout(id)"))
    assert "hashint8extended" in plan
    assert "holdout" not in plan


def test_nobodys_operators_take_part(db: psycopg.Connection, schema: str) -> None:
    db.execute(
        "CREATE FUNCTION mine(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'; "
        "CREATE OPERATOR & (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = mine)"
    )
    before = held(db, "id")
    db.execute(f"SET search_path = {schema}, pg_catalog")
    assert held(db, "id") == before
    assert 200 < len(before) < 300


def test_views_of_both_parts_train_and_evaluate(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT g AS id, g * 7 % 100 AS x, g * 7 % 100 > 60 AS y FROM generate_series(1, 2000) AS g; "
        "CREATE VIEW a AS SELECT * FROM t WHERE NOT madtree.holdout(id); "
        "CREATE VIEW b AS SELECT * FROM t WHERE madtree.holdout(id)"
    )
    assert db.execute("SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b)").fetchone() == (2000,)
    train(db, "a", "m", "y", "x")
    assert notices_of(db, "SELECT madtree.tree_evaluate('m', 'b')") == []


@pytest.mark.parametrize("function", ["tree_evaluate", "tree_confusion"])
@pytest.mark.parametrize(
    ("arguments", "whose"),
    [
        ({}, "it has seen these rows, and predicts"),
        ({"grouping_cols": "g"}, "its trees have seen these rows, and predict"),
    ],
)
def test_who_measures_a_tree_on_its_own_rows_is_told(
    db: psycopg.Connection, function: str, arguments: dict[str, Any], whose: str
) -> None:
    db.execute(
        'CREATE TABLE t AS SELECT g AS "Id", g % 7 AS x, g % 7 > 3 AS y, g % 2 AS g FROM generate_series(1, 100) AS g; '
        "CREATE TABLE other AS TABLE t"
    )
    train(db, "t", "m", "y", "x", id_column='"Id"', **arguments)
    (said,) = notices_of(db, f"SELECT madtree.{function}('m', 't')")
    assert said == (
        f'm was trained on t: {whose} others less well; train on the rows WHERE NOT madtree.holdout("Id"), and '
        'evaluate on those WHERE madtree.holdout("Id")'
    )
    assert notices_of(db, f"SELECT madtree.{function}('m', 'other')") == []


def test_the_client_engine_says_what_it_needs(db: psycopg.Connection) -> None:
    with pytest.raises(Exception, match="holdout is not there by the client engine") as caught:
        call(PsycopgHost(db), "holdout", [1])
    assert "extension" in str(caught.value.hint)  # type: ignore[attr-defined]


# Written down once, from PostgreSQL 15.
FIRST_OF_INTEGERS = [10, 11, 12, 13, 28, 29, 46, 49]
FIRST_OF_TEXTS = [21, 23, 30, 44, 54, 57, 60, 62]
FIRST_OF_UUIDS = [1, 4, 9, 12, 13, 18, 24, 25]
