"""What stands on a table and can carry a function: how an ordinary role puts it there and takes it away.

Event triggers are for superusers only, and so is a trap in one.
"""

from __future__ import annotations

from dataclasses import dataclass

_SPRING = "traps.spring('{trap}')"


@dataclass(frozen=True)
class TrapObject:
    """An object on a table.

    Attributes:
        put, drop: statements; {table} is the table as SQL, {name} a name of the object's own, {column} one of the
            table's columns, {spring} what springs the trap, a number.
    """

    put: str
    drop: str


OBJECTS = {
    "index on an expression": TrapObject("CREATE INDEX {name} ON {table} (({spring}))", "DROP INDEX traps.{name}"),
    "index predicate": TrapObject(
        "CREATE INDEX {name} ON {table} ({column}) WHERE {spring} = 1", "DROP INDEX traps.{name}"
    ),
    "statistics on an expression": TrapObject(
        "CREATE STATISTICS traps.{name} ON ({spring}), {column} FROM {table}", "DROP STATISTICS traps.{name}"
    ),
    "check constraint": TrapObject(
        "ALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({spring} = 1 OR {column} IS NULL)",
        "ALTER TABLE {table} DROP CONSTRAINT {name}",
    ),
    "policy": TrapObject(
        "CREATE POLICY {name} ON {table} USING ({spring} = 1); ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        "DROP POLICY {name} ON {table}; ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
    ),
    "rule": TrapObject(
        "CREATE RULE {name} AS ON INSERT TO {table} DO ALSO SELECT {spring}", "DROP RULE {name} ON {table}"
    ),
    "trigger": TrapObject(
        "CREATE FUNCTION traps.{name}() RETURNS trigger LANGUAGE plpgsql AS "
        "$f$ BEGIN PERFORM {spring}; RETURN NULL; END $f$; "
        "CREATE TRIGGER {name} BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table} "
        "EXECUTE FUNCTION traps.{name}()",
        "DROP FUNCTION traps.{name}() CASCADE",
    ),
    "default": TrapObject(
        "ALTER TABLE {table} ADD {name} int4; ALTER TABLE {table} ALTER {name} SET DEFAULT {spring}",
        "ALTER TABLE {table} DROP {name}",
    ),
    "generated column": TrapObject(
        "ALTER TABLE {table} ADD {name} int4 GENERATED ALWAYS AS ({spring}) STORED", "ALTER TABLE {table} DROP {name}"
    ),
    "child": TrapObject(
        "CREATE TABLE traps.{name} () INHERITS ({table}); CREATE INDEX ON traps.{name} (({spring}))",
        "DROP TABLE traps.{name}",
    ),
    "parent": TrapObject(
        "CREATE TABLE traps.{name} (LIKE {table}, CONSTRAINT {name} CHECK ({spring} = 1)); "
        "ALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({spring} = 1), INHERIT traps.{name}",
        "ALTER TABLE {table} NO INHERIT traps.{name}; ALTER TABLE {table} DROP CONSTRAINT {name}; "
        "DROP TABLE traps.{name}",
    ),
    "partition": TrapObject(
        "CREATE TABLE traps.{name} (LIKE {table}) PARTITION BY LIST (({spring} + ({column} IS NULL)::int4)); "
        "ALTER TABLE traps.{name} ATTACH PARTITION {table} DEFAULT",
        "ALTER TABLE traps.{name} DETACH PARTITION {table}; DROP TABLE traps.{name}",
    ),
    "collation": TrapObject(
        "CREATE COLLATION traps.{name} FROM \"C\"; ALTER TABLE {table} ADD {name} text COLLATE traps.{name}; "
        "CREATE INDEX ON {table} (({name} COLLATE traps.{name} || {spring}::text))",
        "ALTER TABLE {table} DROP {name}; DROP COLLATION traps.{name}",
    ),
}  # fmt: skip


def spring(trap: str) -> str:
    """SQL that springs a trap; a number."""
    return _SPRING.format(trap=trap)


def put(kind: str, table: str, column: str, trap: str, name: str) -> str:
    return OBJECTS[kind].put.format(table=table, column=column, spring=spring(trap), name=name)


def drop(kind: str, table: str, name: str) -> str:
    return OBJECTS[kind].drop.format(table=table, name=name)
