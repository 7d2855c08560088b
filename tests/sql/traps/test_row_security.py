"""Rows that a policy hides from a role are not there for it: each function answers as if the table had none of them;
nothing of them is in tables that it makes, in messages or in errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from anothers_models import FULL, TRAINS
from function_calls import FIXED, SMALL
from ground import CALLERS, Ground
from psycopg import sql
from shares import share
from trap_calls import ENGINES, REFUSED, Call, all_calls

# Two schemas with a table each of the same rows, as far as the ordinary role sees; one has others, too, which are of
# other categories, classes, ranges and groups.
SCHEMAS = ("hiding", "without")
N_ROWS = 500
MAKE = """
CREATE SCHEMA {schema}; GRANT ALL ON SCHEMA {schema} TO public; SET search_path = {schema};
CREATE TABLE d AS SELECT i AS id, i * 7919 % 1000 + CASE WHEN i % 2 = 0 THEN 0 ELSE 1000000 END AS x,
    CASE WHEN i % 2 = 0 THEN (ARRAY['red', 'green', 'blue'])[1 + i % 3] ELSE 'secret' END AS k,
    CASE WHEN i % 2 = 1 THEN 'secret class' WHEN i * 7919 % 1000 + i % 300 > 500 THEN 'yes' ELSE 'no' END AS y,
    (i * 7919 % 1000)::float8 * CASE WHEN i % 2 = 0 THEN 1 ELSE 1e9 END AS z, 1 + i % 3 AS w,
    CASE WHEN i % 2 = 0 THEN i % 4 ELSE 77 END AS g, i % 2 = 0 AS shown
FROM generate_series(1, 2 * {n_rows}) AS i;
GRANT SELECT ON d TO public; ALTER TABLE d SET (parallel_workers = 2); RESET search_path
"""
HIDE = "CREATE POLICY own ON hiding.d USING (shown); ALTER TABLE hiding.d ENABLE ROW LEVEL SECURITY; ANALYZE hiding.d"
REMOVE = "DELETE FROM without.d WHERE NOT shown; VACUUM FULL ANALYZE without.d"
MODELS = {"tree": FULL["tree"], "forest": FULL["forest"], "boost": FULL["boost"], "between": FULL["between"]}
STRATEGIES = [
    (kind, {"strategy": strategy, "parallel_workers": 1})
    for kind in ("tree", "forest", "boost")
    for strategy in ("memory", "workers", "aggregate")
]
PARALLEL_CALLS = 12  # of so many one has workers
LEFT = ("tree_drop", "models")  # that would end the test, or tell of models in both schemas
# What differs from call to call: seconds, and names that are drawn.
DRAWN = re.compile(r"\d+(?:\.\d+)? s\b|[\w.]*out_\d+|madtree_\w+_[0-9a-f]{16}|hiding|without")
NUMBERS = re.compile(r"\d+\.\d{9,}(?:e[-+]\d+)?")  # sums that are taken in any order
APART = {"trained_at", "seconds", "model_table"}


@pytest.fixture(scope="module")
def reader(ground: Ground) -> Iterator[psycopg.Connection]:
    """The ordinary role's session."""
    owner, db = ground.sessions["attacker"], ground.sessions["plain"]
    for schema in SCHEMAS:
        owner.execute(MAKE.format(schema=schema, n_rows=N_ROWS))  # type: ignore[arg-type]
    for statement in (HIDE, *REMOVE.split(";")):
        owner.execute(statement)  # type: ignore[arg-type]
    with ground.calling(CALLERS["ordinary role"]):
        yield db
        db.execute("RESET ALL")
    ground.quietly(f"DROP SCHEMA {', '.join(SCHEMAS)} CASCADE")


def trainings() -> Iterator[tuple[str, Call]]:
    """By the model's name."""
    named = {"id_col_name": "id", "dependent_variable": "y", "list_of_features": "x, k"}
    given = {"training_table_name": "data", "output_table_name": "out"}
    for kind, more in MODELS.items():
        yield kind, Call(f"{TRAINS.get(kind, kind)}_train", given, {**named, **more})
    for kind, more in share(STRATEGIES, 4):
        function = f"{kind}_train"
        yield f"{kind}_{more['strategy']}", Call(function, given, {**named, **SMALL[function], **more})


def answer(db: psycopg.Connection, engine: str, call: Call, place: dict[str, Any]) -> list[str]:
    """What a call says and makes, of what it says in each schema, without what differs from call to call."""
    heard: list[str] = []
    db.add_notice_handler(hear := lambda notice: heard.append(notice.message_primary or ""))
    try:
        said = [str(row) for row in ENGINES[engine](db, call, place)]
    except REFUSED as error:
        said = [f"{type(error).__name__}: {error}"]
    finally:
        db.remove_notice_handler(hear)
    found = (*said, *heard, *rows_of(db, place["out"]))
    return [NUMBERS.sub(lambda number: f"{float(number[0]):.9g}", DRAWN.sub("...", text)) for text in found]


def rows_of(db: psycopg.Connection, model: str) -> list[str]:
    """All rows of the tables whose names begin so, less what differs."""
    schema, name = model.split(".")
    tables = db.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r' AND relname ~ %s "
        "ORDER BY 1",
        [schema, f"^{name}(_|$)"],
    ).fetchall()
    found = []
    for (table,) in tables:
        rows = db.execute(sql.SQL("SELECT to_jsonb(t) FROM {} AS t").format(sql.Identifier(schema, table))).fetchall()
        found += sorted(str({key: value for key, value in row.items() if key not in APART}) for (row,) in rows)
    return found


PARALLEL = ("parallel_setup_cost", "parallel_tuple_cost")


def share_scans(reader: psycopg.Connection, *, wanted: bool) -> None:
    """Whether PostgreSQL's workers share scans of the tables, small as they are; but not those of the catalogue."""
    reader.execute("; ".join(f"SET {name} TO {0 if wanted else 'DEFAULT'}" for name in PARALLEL))  # type: ignore[arg-type]


def both(reader: psycopg.Connection, engine: str, call: Call, place: dict[str, str], out: str) -> list[list[str]]:
    found = []
    for schema in SCHEMAS:
        reader.execute(sql.SQL("SET search_path = {}, public").format(sql.Identifier(schema)))
        found.append(answer(reader, engine, call, {**FIXED, "data": "d", **place, "out": f"{schema}.{out}"}))
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_hidden_rows_are_not_there(ground: Ground, reader: psycopg.Connection, engine: str) -> None:
    wrong, number, models = [], 0, [f"{engine}_{kind}" for kind in MODELS]
    share_scans(reader, wanted=True)
    for name, call in trainings():
        if engine == "client" and call.named.get("strategy", "memory") != "memory":
            continue
        hiding, without = both(reader, engine, call, {}, f"{engine}_{name}")
        assert len(without) > 5, without
        wrong += [str(call)] * (hiding != without or "secret" in str(hiding))
    others = [call for call in all_calls(reader, engine) if call.function not in LEFT and "_train" not in call.function]
    for turn, call in enumerate(share(others, 24, 5 * [*ENGINES].index(engine))):
        share_scans(reader, wanted=turn % PARALLEL_CALLS == 0)
        for model in share(models, 4, turn):
            hiding, without = both(reader, engine, call, {"model": model}, f"out_{(number := number + 1)}")
            if hiding != without or "secret" in str(hiding):
                wrong.append(f"{call} of {model}: {hiding} and not {without}")
    assert not wrong, "\n".join(each[:2000] for each in wrong)


def test_the_owner_sees_them(ground: Ground, reader: psycopg.Connection) -> None:
    """So they are there, and would be seen."""
    owner = ground.sessions["attacker"]
    (said,) = (
        owner.execute("SELECT madtree.tree_train('hiding.d', 'hiding.owners', 'id', 'y', 'x, k')").fetchone() or ""
    )
    assert "secret" in str(rows_of(owner, "hiding.owners")), said
