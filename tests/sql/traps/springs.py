"""A function that tells that it has run, as whom, and whether it could become superuser; and who has run since."""

from __future__ import annotations

import psycopg

SCHEMA = "traps"

# A sequence's value outlives a rollback and a caught error. Whoever could alter the role has won; that is undone. A
# function that says it is IMMUTABLE may change nothing, but call one that does.
_SPRING = f"""
CREATE FUNCTION {SCHEMA}.take_over(trap text) RETURNS void LANGUAGE plpgsql AS $take_over$
DECLARE
    way text;
BEGIN
    PERFORM pg_catalog.nextval('{SCHEMA}.any');
    PERFORM pg_catalog.nextval(pg_catalog.format('{SCHEMA}.%I', pg_catalog.concat('ran ', trap)));
    FOREACH way IN ARRAY ARRAY['SELECT 1', 'RESET ROLE', 'SET SESSION AUTHORIZATION DEFAULT'] LOOP
        BEGIN
            EXECUTE way;
            ALTER ROLE {{attacker}} SUPERUSER;
            PERFORM pg_catalog.nextval(pg_catalog.format('{SCHEMA}.%I', pg_catalog.concat('won ', trap)));
            RAISE EXCEPTION 'undone';
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
END
$take_over$;
CREATE FUNCTION {SCHEMA}.note(trap text) RETURNS void LANGUAGE plpgsql AS $note$
DECLARE
    has_run bool;
BEGIN
    -- As the attacker in the attacker's own sessions: not a superuser who has taken that role, nor one whose function
    -- the attacker calls; autovacuum has no login, and comes to the attacker's tables when it likes: tests analyze what
    -- a call has left.
    IF COALESCE((SELECT a.usesysid FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS a)
        OPERATOR(pg_catalog.=) '{{attacker}}'::pg_catalog.regrole::pg_catalog.oid
        AND current_user OPERATOR(pg_catalog.=) '{{attacker}}', true) THEN
        RETURN;
    END IF;
    EXECUTE pg_catalog.format('SELECT is_called FROM {SCHEMA}.%I', pg_catalog.concat('ran ', trap)) INTO has_run;
    IF NOT has_run THEN
        PERFORM {SCHEMA}.take_over(trap);
    END IF;
END
$note$;
CREATE FUNCTION {SCHEMA}.spring(trap text) RETURNS int4 LANGUAGE plpgsql IMMUTABLE AS $spring$
BEGIN
    PERFORM {SCHEMA}.note(trap);
    RETURN 1;
END
$spring$
"""
# Most looks find nothing: one mark is for all, and set before the others.
_ANY = f"SELECT is_called FROM {SCHEMA}.any"
_SPRUNG = """
SELECT sequencename FROM pg_catalog.pg_sequences
WHERE schemaname = %s AND last_value IS NOT NULL AND (sequencename LIKE 'ran %%' OR sequencename LIKE 'won %%')
"""


def make_springs(db: psycopg.Connection, attacker: str) -> None:
    """The schema and the function, as the attacker, who owns the schema."""
    db.execute(_SPRING.format(attacker=attacker))  # type: ignore[arg-type]


def make_marks(db: psycopg.Connection, traps: list[str]) -> None:
    """Room for the marks of these traps."""
    made = [f'CREATE SEQUENCE {SCHEMA}."{mark} {trap}"' for trap in traps for mark in ("ran", "won")]
    made.append(f"CREATE SEQUENCE {SCHEMA}.any")
    db.execute("; ".join(made))  # type: ignore[arg-type]
    db.execute(f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO public")  # type: ignore[arg-type]


def sprung(db: psycopg.Connection) -> dict[str, bool]:
    """The traps that have run since the last call, and whether each could make its owner a superuser.

    `db` is the session of a role that may reset the marks.
    """
    if db.execute(_ANY, prepare=True).fetchone() == (False,):
        return {}
    db.execute(f"SELECT pg_catalog.setval('{SCHEMA}.any', 1, false)")
    found = [str(name) for (name,) in db.execute(_SPRUNG, [SCHEMA]).fetchall()]
    for name in found:
        db.execute("SELECT pg_catalog.setval(%s, 1, false)", [f'{SCHEMA}."{name}"'])
    ran = {name.removeprefix("ran ") for name in found if name.startswith("ran ")}
    won = {name.removeprefix("won ") for name in found if name.startswith("won ")}
    return {trap: trap in won for trap in ran | won}
