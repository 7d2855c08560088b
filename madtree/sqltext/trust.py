"""What the catalogue says of a model's tables: whose they are, and what of their owner's would run on reading them.

Planning a query on a table already evaluates constant expressions of its indexes, of its extended statistics and of its
constraints, with the rights of whoever asks. So these queries read the system catalogues and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from madtree.sqltext.catalog import equality, type_name
from madtree.sqltext.owners import (
    CALLER,
    OTHERS_KIN,
    SCHEMA_OWNER,
    SCHEMA_TRUSTED,
    STILL_OWNED,
    SUPERUSER_ASKS,
    TRIGGERS_SINCE,
    WRITER,
    is_trusted,
    is_trusted_type,
    owner_of,
)
from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import literal, with_needed_quotes


def _exists(catalogue: str, condition: str) -> str:
    return f"EXISTS (SELECT FROM pg_catalog.{catalogue} AS h WHERE {condition})"


_OF_TABLE = "h.{} OPERATOR(pg_catalog.=) c.oid"
_BLURS = (
    "h.oid OPERATOR(pg_catalog.=) a.attcollation AND NOT h.collisdeterministic "
    "AND a.attcollation OPERATOR(pg_catalog.<>) t.typcollation"
)
# What planning or reading a table runs of its owner's, in the words of an error.
_HAZARDS = {
    "an index with an expression or a condition": _exists(
        "pg_index", f"{_OF_TABLE.format('indrelid')} AND (h.indexprs IS NOT NULL OR h.indpred IS NOT NULL)"
    ),
    "statistics on an expression": _exists(
        "pg_statistic_ext", f"{_OF_TABLE.format('stxrelid')} AND h.stxexprs IS NOT NULL"
    ),
    "a check constraint": _exists(
        "pg_constraint", f"{_OF_TABLE.format('conrelid')} AND h.contype OPERATOR(pg_catalog.=) 'c'"
    ),
    "a policy": f"c.relrowsecurity OR c.relforcerowsecurity OR {_exists('pg_policy', _OF_TABLE.format('polrelid'))}",
    "a rule": _exists("pg_rewrite", _OF_TABLE.format("ev_class")),
    "a table that inherits from it, or from which it inherits": _exists(
        "pg_inherits", f"{_OF_TABLE.format('inhparent')} OR {_OF_TABLE.format('inhrelid')}"
    ),
    "a generated column": _exists(
        "pg_attribute",
        f"{_OF_TABLE.format('attrelid')} AND NOT h.attisdropped AND h.attgenerated OPERATOR(pg_catalog.<>) ''",
    ),
}


# And what else filling it runs. PostgreSQL looks into the table of a foreign key by the rights of that table's owner,
# who can put off other things until the transaction ends: those are done by the rights of whoever has filled this one.
_HAZARDS_OF_FILLING = {
    "a trigger": _exists("pg_trigger", f"{_OF_TABLE.format('tgrelid')} AND NOT h.tgisinternal"),
    "perhaps a trigger that others have made since the transaction began": TRIGGERS_SINCE,
    "a foreign key of another role's table": "EXISTS (SELECT FROM pg_catalog.pg_constraint AS h "
    "JOIN pg_catalog.pg_class AS k ON k.oid OPERATOR(pg_catalog.=) h.confrelid "  # which foreign keys alone have
    f"WHERE {_OF_TABLE.format('conrelid')} AND NOT {is_trusted('k.relowner')})",
}


def hazards(*, filled: bool = False) -> str:
    """Text array of what is on relation `c` that runs when it is planned or read, or also when it is `filled`; empty
    for an ordinary model's. In a query with `CALLER` where it is filled.
    """
    listed = _HAZARDS | _HAZARDS_OF_FILLING if filled else _HAZARDS
    found = ", ".join(f"({literal(what)}, {condition})" for what, condition in listed.items())
    return f"ARRAY(SELECT z.what::pg_catalog.text FROM (VALUES {found}) AS z(what, found) WHERE z.found)"


# The type below all domains, which is what a cast to text would start from.
_BARE = f"""
    WITH RECURSIVE bare (oid) AS (
        SELECT t.oid
        UNION
        SELECT y.typbasetype FROM bare AS b INNER JOIN pg_catalog.pg_type AS y ON y.oid OPERATOR(pg_catalog.=) b.oid
        WHERE y.typtype OPERATOR(pg_catalog.=) 'd'
    )
    SELECT {type_name("y.oid", "-1", "n.nspname", "y.typelem")} AS bare,
        {is_trusted_type("y")} AS bare_trusted, n.nspname OPERATOR(pg_catalog.=) 'pg_catalog' AS bare_own
    FROM bare AS b
    INNER JOIN pg_catalog.pg_type AS y ON y.oid OPERATOR(pg_catalog.=) b.oid
    INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) y.typnamespace
    WHERE y.typtype OPERATOR(pg_catalog.<>) 'd'"""

# A row for each column of the relations in schema $1 whose names are in $2, the summary's $3, in order: what the
# relation is, and the column's name and type. `type` is printed so that it resolves under the search path of this very
# session, `full_type` under any, if it is not PostgreSQL's own; `own` tells whether the type is PostgreSQL's;
# `blurred`, whether the column has a collation, not its type's, by which different texts are equal. Relations without
# columns have no row.
MODEL_COLUMNS = Lasting(f"""
WITH RECURSIVE {CALLER},
tables AS MATERIALIZED (
    SELECT c.oid, c.relname, c.relkind::pg_catalog.text AS kind,
        pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text AS owner, {is_trusted("c.relowner")} AS trusted,
        CASE WHEN c.relname OPERATOR(pg_catalog.=) $3::pg_catalog.name THEN {WRITER} END AS writer,
        pg_catalog.has_table_privilege(c.oid, 'SELECT') AS readable,
        CASE WHEN {is_trusted("c.relowner")} AND NOT {OTHERS_KIN}
            THEN '{{}}'::pg_catalog.text[] ELSE {hazards()} END AS hazards,
        ARRAY(SELECT b.attname::pg_catalog.text FROM pg_catalog.pg_index AS h
            JOIN pg_catalog.pg_attribute AS b ON b.attrelid OPERATOR(pg_catalog.=) h.indrelid
                AND b.attnum OPERATOR(pg_catalog.=) ANY (h.indkey::pg_catalog.int2[])
            WHERE h.indrelid OPERATOR(pg_catalog.=) c.oid AND h.indisprimary AND h.indimmediate
                AND NOT c.relhassubclass) AS primary_key
    FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace OPERATOR(pg_catalog.=) (
            SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name)
        AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])
),
home AS MATERIALIZED (
    SELECT n.oid, {SUPERUSER_ASKS} AS by_superuser, {SCHEMA_TRUSTED} AS schema_trusted,
        pg_catalog.pg_get_userbyid({SCHEMA_OWNER})::pg_catalog.text AS schema_owner
    FROM pg_catalog.pg_namespace AS n WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
)
SELECT c.relname::pg_catalog.text AS "table", c.oid, c.kind, c.owner, c.trusted, c.writer, c.readable, c.hazards,
    c.primary_key, a.attname::pg_catalog.text AS "column", a.atttypid AS type_oid,
    {with_needed_quotes("pg_catalog.format_type(a.atttypid, a.atttypmod)")} AS type,
    s.nspname OPERATOR(pg_catalog.=) 'pg_catalog' AS own, CASE WHEN s.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'
        THEN {type_name("a.atttypid", "a.atttypmod", "s.nspname", "t.typelem")} END AS full_type,
    {_exists("pg_collation", _BLURS)} AS blurred,
    home.by_superuser, home.schema_trusted, home.schema_owner, home.oid AS schema_oid
FROM tables AS c
CROSS JOIN home
INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
INNER JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
INNER JOIN pg_catalog.pg_namespace AS s ON s.oid OPERATOR(pg_catalog.=) t.typnamespace
WHERE a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum""")

# What is called $1, a name as SQL: what it is, whose, what runs when it is filled, and its columns in order.
RELATION_FACTS = Lasting(f"""
WITH {CALLER}
SELECT c.relkind::pg_catalog.text AS kind, pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text AS owner,
    pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.=) CURRENT_USER AS is_own,
    {hazards(filled=True)} AS hazards,
    ARRAY(SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
        ORDER BY a.attnum) AS columns
FROM pg_catalog.pg_class AS c
WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)::pg_catalog.oid""")

# The tables in schema $1 with names in $2 of which others than the owner may do more than read them: these, and what
# they may do, as SQL. What there is to be done differs between versions: MAINTAIN is new in PostgreSQL 17.
MORE_THAN_READERS = Lasting("""
SELECT c.relname::pg_catalog.text AS name, pg_catalog.string_agg(DISTINCT CASE WHEN e.grantee
    OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC'
    ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(e.grantee)) END, ', ') AS roles,
    pg_catalog.string_agg(DISTINCT e.privilege_type, ', ') AS privileges
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS e
WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
    AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])
    AND e.grantee OPERATOR(pg_catalog.<>) c.relowner AND e.privilege_type OPERATOR(pg_catalog.<>) 'SELECT'
GROUP BY c.relname""")


def keep_to_readers(table: str, roles: str, privileges: str) -> str:
    """Leave roles the right to read a table; all as SQL: roles, and what more they may do, separated by commas."""
    return f"REVOKE {privileges} ON {table} FROM {roles}"


# Of each type in $1: `bare`, the type below all domains, and whether that is PostgreSQL's own; `equals`, the operator
# by which groups of the type are told apart; whether tables that the caller makes may have columns of the type, or of
# the one below: whether these are trusted.
OTHER_TYPES = Lasting(f"""
WITH RECURSIVE {CALLER}
SELECT t.oid, {type_name("t.oid", "-1", "s.nspname", "t.typelem")} AS name, w.bare, w.bare_own,
    {equality("t.oid", "s.nspname")} AS equals, {is_trusted_type()} AS trusted,
    w.bare_trusted
FROM pg_catalog.pg_type AS t
INNER JOIN pg_catalog.pg_namespace AS s ON s.oid OPERATOR(pg_catalog.=) t.typnamespace
CROSS JOIN LATERAL ({_BARE}) AS w
WHERE t.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.oid[])""")

# Where a superuser asks: of the types in $1, and of what they are domains over or arrays of, those whose owners she
# does not trust, and the schemas of such owners that they lie in; and to which of $1 either applies.
OTHERS_TYPES = Lasting(f"""
WITH RECURSIVE {CALLER},
part (asked, oid) AS (
    SELECT g.oid, g.oid FROM pg_catalog.unnest((SELECT $1::pg_catalog.oid[])) AS g(oid)
    UNION
    SELECT p.asked, CASE WHEN t.typtype OPERATOR(pg_catalog.=) 'd' THEN t.typbasetype ELSE t.typelem END
    FROM part AS p INNER JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) p.oid
),
named AS (
    SELECT p.asked, t.oid, n.oid AS schema, NOT {is_trusted(owner_of("t", "typowner"))} AS others,
        NOT {SCHEMA_TRUSTED} AS in_others
    FROM part AS p INNER JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) p.oid
    INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
)
SELECT ARRAY(SELECT DISTINCT t.oid FROM named AS t WHERE t.others ORDER BY t.oid) AS types,
    ARRAY(SELECT DISTINCT t.schema FROM named AS t WHERE t.in_others ORDER BY t.schema) AS schemas,
    ARRAY(SELECT DISTINCT t.asked FROM named AS t WHERE t.others OR t.in_others ORDER BY t.asked) AS asked
WHERE {SUPERUSER_ASKS}""")

# The types that a model names in $1, as the catalogue has them; one that is not there has NULLs. `position` is from 1.
NAMED_TYPES = Lasting(f"""
WITH RECURSIVE {CALLER}
SELECT g.position, t.oid, CASE WHEN t.oid IS NULL THEN NULL ELSE {is_trusted_type()} END AS trusted,
    t.typtype OPERATOR(pg_catalog.=) 'e' AS is_enum
FROM pg_catalog.unnest((SELECT $1::pg_catalog.text[])) WITH ORDINALITY AS g(given, position)
LEFT JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) pg_catalog.to_regtype(g.given)::pg_catalog.oid
ORDER BY g.position""")

# `plain`: where it is false, a backslash in a plain string is an escape. `is_superuser`: the current role; `superuser`:
# whom the session's role is, or may become. `login`: who has logged in, if that is a superuser.
SESSION = Lasting(f"""\
WITH {CALLER}
SELECT pg_catalog.pg_is_in_recovery() AS standby, pg_catalog.current_setting('transaction_isolation') AS isolation,
    pg_catalog.current_setting('transaction_read_only') OPERATOR(pg_catalog.=) 'on' AS read_only,
    pg_catalog.current_setting('standard_conforming_strings') OPERATOR(pg_catalog.=) 'on' AS plain,
    pg_catalog.current_setting('role') AS role, session_user::pg_catalog.text AS session,
    pg_catalog.bool_or(a.rolsuper AND a.is_current) AS is_superuser,
    pg_catalog.max(CASE WHEN a.is_session THEN a.superuser::pg_catalog.text END) AS superuser,
    pg_catalog.max(CASE WHEN a.rolsuper AND a.is_login THEN a.name::pg_catalog.text END) AS login
FROM asking AS a""")


def by_own_rights(statements: str, session: Mapping[str, Any]) -> str:
    """Statements that run by the rights of the superuser who has logged in, also where she has taken a role by SET ROLE
    or SET SESSION AUTHORIZATION (by both, PostgreSQL's versions differ in what is left of them), or of the one whom the
    session's role may become. It is one command: if a part of it fails, the role is taken back with all else.
    `session`: of `SESSION`.
    """
    if session["is_superuser"]:
        return statements
    if session["superuser"]:
        setting, own, taken = "role", session["superuser"], session["role"]
    elif session["login"] and session["role"] == "none":
        setting, own, taken = "session_authorization", session["login"], session["session"]
    else:
        return statements
    set_to = f"SELECT pg_catalog.set_config({literal(setting)}, "
    return f"{set_to}{literal(own)}, true); {statements}; {set_to}{literal(taken)}, true)"


def keep_names(catalogue: str, oids: Sequence[int]) -> str:
    """Keep schemas (of `pg_namespace`) or types (of `pg_type`) from being renamed or dropped until the transaction
    ends; for superusers. By its name, one that is being renamed would not be found once that is done, nor the one that
    has the name then.
    """
    listed = ", ".join(map(str, oids))
    return (
        f"SELECT FROM pg_catalog.{catalogue} AS k WHERE k.oid OPERATOR(pg_catalog.=) "
        f"ANY (ARRAY[{listed}]::pg_catalog.oid[]) ORDER BY k.oid FOR SHARE"
    )


# Whether all tables with the OIDs $1 are the `same` as have the names $2 now, also where the transaction sees the past,
# and still their owners'; and whether all these are `trusted`.
ARE_HELD = Lasting(f"""
WITH {CALLER} SELECT pg_catalog.bool_and(COALESCE(
    pg_catalog.to_regclass(g.name)::pg_catalog.oid OPERATOR(pg_catalog.=) c.oid AND {STILL_OWNED}, false)) AS same,
    pg_catalog.bool_and({is_trusted("c.relowner")}) AS trusted
FROM ROWS FROM (
    pg_catalog.unnest((SELECT $1::pg_catalog.oid[])), pg_catalog.unnest((SELECT $2::pg_catalog.text[]))
) AS g (oid, name)
LEFT JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) g.oid""")


def lock(tables: Iterable[str], *, still: bool = False) -> str:
    """Keep tables, by their SQL names, as they are until the transaction ends; this neither plans nor reads them.

    `still` keeps others also from changing rows, as what was looked at in them is read again and copied, and from
    making indexes, statistics and children; for that one must own the tables or be a superuser.
    """
    alone = ", ".join(f"ONLY {table}" for table in tables)
    return f"LOCK TABLE {alone} IN {'SHARE ROW EXCLUSIVE' if still else 'ACCESS SHARE'} MODE"
