"""Objects that an ordinary user plants in a schema on others' search path, each of which tells when it is run.

PostgreSQL takes an operator or function of the very types of its arguments before one that it must convert them for,
wherever on the search path it is. So of a bare `real >= integer`, for which pg_catalog has nothing exact, a planted
operator is taken; and where the path names pg_catalog behind the planter's schema, of every bare name.
"""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
from psycopg import sql

SCHEMA = "alice_s"
PACKAGE = Path(__file__).parent.parent / "madtree"
# The types of which tables and models are made, and those that queries on the catalogue meet.
TYPES = [
    '"char"', "bool", "bpchar", "bytea", "date", "float4", "float8", "int2", "int4", "int8", "interval", "json",
    "jsonb", "name", "numeric", "oid", "regclass", "regnamespace", "regproc", "regtype", "text", "tid", "time",
    "timestamp", "timestamptz", "timetz", "uuid", "varchar", "xid",
]  # fmt: skip
ARRAYS = ["bool[]", '"char"[]', "float4[]", "float8[]", "int2[]", "int4[]", "int8[]", "name[]", "numeric[]", "oid[]",
          "text[]", "tid[]", "varchar[]"]  # fmt: skip
COMPARISONS = ["=", "<>", "<", "<=", ">", ">=", "~", "~*", "!~", "!~*", "~~", "!~~", "~~*", "!~~*", "@>", "<@", "&&",
               "?", "^@", "<->"]  # fmt: skip
ARITHMETIC = ["+", "-", "*", "/", "%", "^", "||", "&", "|", "#", "<<", ">>", "->", "->>", "#>>"]
PREFIXES = ["+", "-", "~", "@", "!!", "|/", "||/"]
AGGREGATES = ["array_agg", "avg", "bool_and", "bool_or", "count", "max", "min", "string_agg", "sum"]

# Whatever runs leaves a mark, also where its error is caught or its transaction rolled back, and raises an error.
_BODY = """BEGIN PERFORM pg_catalog.nextval('{schema}.marks'); RAISE EXCEPTION 'planted: {what}'; END"""


def plant(db: psycopg.Connection, *, everything: bool, own_types: list[str]) -> int:
    """Plant what is not there yet, as the owner of the schema, and return how many objects there are now.

    Args:
        db: a session of the planter's, who owns the schema `SCHEMA`, with PostgreSQL's default search path.
        everything: also what pg_catalog has, for a search path that names pg_catalog last, and names of types.
        own_types: further types, as SQL, beside PostgreSQL's own.
    """
    db.execute(f"CREATE SEQUENCE IF NOT EXISTS {SCHEMA}.marks")
    db.execute("SET check_function_bodies = off")
    db.execute(_MAKERS.format(schema=SCHEMA, body=_BODY.format(schema=SCHEMA, what="%s").replace("'", "''")))
    scalars = [*TYPES, *own_types]
    db.execute(
        f"SELECT {SCHEMA}.plant_operators(%s, %s, %s, %s, %s)", [scalars, ARRAYS, COMPARISONS, ARITHMETIC, everything]
    )
    db.execute(f"SELECT {SCHEMA}.plant_prefixes(%s, %s, %s)", [scalars, PREFIXES, everything])
    db.execute(f"SELECT {SCHEMA}.plant_aggregates(%s, %s, %s)", [[*scalars, *ARRAYS], AGGREGATES, everything])
    db.execute(f"SELECT {SCHEMA}.plant_functions(%s, %s, %s, %s)", [called(), AGGREGATES, scalars, everything])
    if everything:
        db.execute(f"SELECT {SCHEMA}.plant_types(%s)", [[*TYPES, "bit", "record", "void", "cstring"]])
    db.execute(f"DROP FUNCTION {', '.join(f'{SCHEMA}.{name}' for name in _MAKER_NAMES)}")
    (count,) = db.execute(
        "SELECT (SELECT count(*) FROM pg_operator WHERE oprnamespace = to_regnamespace(%(schema)s)) "
        "+ (SELECT count(*) FROM pg_proc WHERE pronamespace = to_regnamespace(%(schema)s))",
        {"schema": SCHEMA},
    ).fetchone() or (0,)
    db.execute(sql.SQL("GRANT USAGE ON SCHEMA {0} TO public").format(sql.Identifier(SCHEMA)))
    db.execute(sql.SQL("GRANT USAGE ON SEQUENCE {0}.marks TO public").format(sql.Identifier(SCHEMA)))
    return int(count)


def marks(db: psycopg.Connection) -> int:
    """How many planted objects have been run."""
    row = db.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {SCHEMA}.marks").fetchone()
    assert row is not None
    return int(row[0])


def called() -> list[str]:
    """Names that madtree's SQL calls as functions, and all others that stand before a bracket in its sources."""
    texts = [path.read_text() for path in (*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "sql").glob("*.sql"))]
    return sorted(set(re.findall(r"\b([a-z_][a-z0-9_]*)\(", "\n".join(texts))))


_MAKER_NAMES = ["plant_operators", "plant_prefixes", "plant_aggregates", "plant_functions", "plant_types", "trap"]
_MAKERS = """
-- A function of these argument types, unless there is one; IMMUTABLE, so that even planning a statement runs it.
CREATE FUNCTION {schema}.trap(name text, arguments text, result text, what text) RETURNS void LANGUAGE plpgsql AS $make$
BEGIN
    EXECUTE format('CREATE FUNCTION {schema}.%I(%s) RETURNS %s LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS %L',
        name, arguments, result, format('{body}', replace(what, '%', '%%')));
EXCEPTION WHEN duplicate_function OR invalid_function_definition OR feature_not_supported THEN NULL;
END $make$;

CREATE FUNCTION {schema}.plant_operators(
    scalars text[], arrays text[], comparisons text[], arithmetic text[], everything bool
) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE o record;
BEGIN
    FOR o IN
        SELECT l AS lefty, r AS righty, p.types, string_agg(format(
            'CREATE OPERATOR {schema}.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = {schema}.%I)',
            name, l, r, CASE WHEN name = ANY (comparisons) THEN 'is_' ELSE 'of_' END || p.types), '; ') AS statements
        FROM unnest(scalars || arrays) AS l, unnest(scalars || arrays) AS r, unnest(comparisons || arithmetic) AS name,
            format('%s_%s', l::regtype::oid, r::regtype::oid) AS p (types)
        WHERE (l = ANY (scalars) AND r = ANY (scalars) OR l = r OR l = r || '[]' OR r = l || '[]')
        AND NOT EXISTS (
            SELECT FROM pg_operator WHERE oprname = name AND oprleft = l::regtype AND oprright = r::regtype
            AND (oprnamespace = '{schema}'::regnamespace
                OR NOT everything AND oprnamespace = 'pg_catalog'::regnamespace))
        GROUP BY l, r, p.types
    LOOP
        IF to_regproc(format('{schema}.is_%s', o.types)) IS NULL THEN
            PERFORM {schema}.trap('is_' || o.types, o.lefty || ', ' || o.righty, 'bool',
                format('a comparison of %s and %s', o.lefty, o.righty));
            PERFORM {schema}.trap('of_' || o.types, o.lefty || ', ' || o.righty, o.lefty,
                format('an operation on %s and %s', o.lefty, o.righty));
        END IF;
        EXECUTE o.statements;
    END LOOP;
END $make$;

CREATE FUNCTION {schema}.plant_prefixes(scalars text[], prefixes text[], everything bool)
RETURNS void LANGUAGE plpgsql AS $make$
DECLARE o record;
BEGIN
    FOR o IN
        SELECT t AS type, name, 'prefix_' || t::regtype::oid AS function
        FROM unnest(scalars) AS t, unnest(prefixes) AS name
        WHERE NOT EXISTS (
            SELECT FROM pg_operator WHERE oprname = name AND oprleft = 0 AND oprright = t::regtype
            AND (oprnamespace = '{schema}'::regnamespace
                OR NOT everything AND oprnamespace = 'pg_catalog'::regnamespace))
    LOOP
        PERFORM {schema}.trap(o.function, o.type, o.type, 'a prefix of ' || o.type);
        EXECUTE format('CREATE OPERATOR {schema}.%s (RIGHTARG = %s, FUNCTION = {schema}.%I)',
            o.name, o.type, o.function);
    END LOOP;
END $make$;

CREATE FUNCTION {schema}.plant_aggregates(types text[], names text[], everything bool)
RETURNS void LANGUAGE plpgsql AS $make$
DECLARE a record;
BEGIN
    PERFORM {schema}.trap('step', 'int8', 'int8', 'count(*)');
    IF everything THEN
        CREATE AGGREGATE {schema}.count(*) (SFUNC = {schema}.step, STYPE = int8, INITCOND = '0', PARALLEL = SAFE);
    END IF;
    FOR a IN
        SELECT t AS type, name, CASE WHEN name = 'string_agg' THEN t || ', ' || t ELSE t END AS arguments
        FROM unnest(types) AS t, unnest(names) AS name
        WHERE NOT EXISTS (
            SELECT FROM pg_proc WHERE proname = name AND proargtypes[0] = t::regtype AND prokind = 'a'
            AND (pronamespace = '{schema}'::regnamespace
                OR NOT everything AND pronamespace = 'pg_catalog'::regnamespace))
    LOOP
        PERFORM {schema}.trap('step', 'int8, ' || a.arguments, 'int8', 'an aggregate over ' || a.type);
        EXECUTE format('CREATE AGGREGATE {schema}.%I(%s) '
            '(SFUNC = {schema}.step, STYPE = int8, INITCOND = %L, PARALLEL = SAFE)', a.name, a.arguments, 0);
    END LOOP;
END $make$;

CREATE FUNCTION {schema}.plant_functions(names text[], aggregates text[], types text[], everything bool)
RETURNS void LANGUAGE plpgsql AS $make$
DECLARE f record;
BEGIN
    FOR f IN
        SELECT DISTINCT proname, a.arguments
        FROM pg_proc, LATERAL (
            SELECT replace(pg_get_function_identity_arguments(oid), 'VARIADIC ', '') AS arguments WHERE everything
            UNION ALL SELECT array_to_string(array_fill(t, ARRAY[pronargs::int]), ', ')
                FROM unnest(types || '{{anyelement}}'::text[]) AS t WHERE pronargs BETWEEN 1 AND 3
            UNION ALL SELECT 'anyelement, anyelement, anyelement, anyelement' WHERE provariadic <> 0
        ) AS a
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (names) AND prokind IN ('f', 'w', 'a')
        AND a.arguments !~ '\\m(internal|cstring|trigger|OUT|ORDER)\\M'
        AND (prokind <> 'a' OR NOT proname = ANY (aggregates))
        AND NOT EXISTS (
            SELECT FROM pg_proc AS own
            WHERE own.proname = pg_proc.proname AND oidvectortypes(own.proargtypes) = a.arguments
            AND (own.pronamespace = '{schema}'::regnamespace
                OR NOT everything AND own.pronamespace = 'pg_catalog'::regnamespace))
    LOOP
        PERFORM {schema}.trap(f.proname, replace(f.arguments, '"any"', 'anyelement'), 'text',
            format('%s(%s)', f.proname, f.arguments));
    END LOOP;
END $make$;

CREATE FUNCTION {schema}.plant_types(names text[]) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY names LOOP
        PERFORM {schema}.trap('spring', 'what ' || 'pg_catalog.text', 'pg_catalog.bool', 'a name of a type');
        EXECUTE format('CREATE DOMAIN {schema}.%s AS %s CHECK ({schema}.spring(%L))',
            t, CASE WHEN t IN ('record', 'void', 'cstring') THEN 'pg_catalog.text' ELSE 'pg_catalog.' || t END, t);
    END LOOP;
END $make$;
"""
