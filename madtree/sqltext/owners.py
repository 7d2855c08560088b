"""Whom the caller trusts, and which types: those of which no function belongs to anybody else.

A superuser trusts superusers and herself, and an ordinary caller does the same; being a member of an owner's role says
nothing, since whoever may administer a role can make anybody a member unasked. Whoever has logged in as a superuser
stays one after SET ROLE and SET SESSION AUTHORIZATION: what runs in her session could take either back. So could it
take the role of a superuser whose member the caller is: who may become a superuser counts as one. And so does who has
been made none since she has logged in: up to version 16 PostgreSQL lets that session take any role still.
"""

from __future__ import annotations

from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import binary, spelled_out


def _of(catalogue: str) -> str:
    return f"'pg_catalog.{catalogue}'::pg_catalog.regclass::pg_catalog.oid"


def is_superuser(role: str) -> str:
    """Whether that role, by its OID or name, is a superuser now, also where the transaction sees the past: to others
    PostgreSQL grants no right to change its catalogues, whatever is written there.
    """
    return f"pg_catalog.has_table_privilege({role}, {_of('pg_authid')}, 'TRUNCATE')"


_SEES_PAST = "pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.~) '^(repeatable|serializable)'"

# `asking`: the roles that act in this session: the current one, the session's, and the one that has logged in, each
# with the superuser that it is, may become or was when the session began: `is_superuser` tells what the session's role
# was then, but for SET ROLE, and superusers alone could take another session's role than their own. The one that has
# logged in may be dropped by now. Superusers alone make anybody a member of one.
# `me`: the role whose code the caller runs anyhow: the current one. None where another of these roles is, or may
# become, a superuser, who may have taken this one. The role that calls a SECURITY DEFINER function is never `me`.
CALLER = f"""
asking AS MATERIALIZED (
    SELECT COALESCE(r.oid, l.usesysid) AS oid, r.rolname AS name, {is_superuser("r.oid")} AS rolsuper, COALESCE((
            SELECT b.rolname FROM pg_catalog.pg_roles AS b
            WHERE (b.rolsuper OR {_SEES_PAST}) AND {is_superuser("b.oid")}
                AND pg_catalog.pg_has_role(r.oid, b.oid, 'MEMBER')
            ORDER BY b.oid OPERATOR(pg_catalog.<>) r.oid, b.oid LIMIT 1
        ), CASE WHEN r.rolname OPERATOR(pg_catalog.=) session_user
            THEN CASE WHEN pg_catalog.current_setting('is_superuser') OPERATOR(pg_catalog.=) 'on' THEN r.rolname END
            WHEN l.usesysid IS NOT NULL THEN COALESCE(r.rolname, '-'::pg_catalog.name) END) AS superuser,
        r.rolname OPERATOR(pg_catalog.=) current_user AS is_current,
        r.rolname OPERATOR(pg_catalog.=) session_user AS is_session,
        l.usesysid IS NOT NULL AS is_login
    FROM pg_catalog.pg_roles AS r
    FULL JOIN pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS l
        ON r.oid OPERATOR(pg_catalog.=) l.usesysid
    WHERE r.rolname OPERATOR(pg_catalog.=) ANY (ARRAY[current_user, session_user]) OR l.usesysid IS NOT NULL
),
me (oid) AS MATERIALIZED (
    SELECT a.oid FROM asking AS a WHERE a.is_current AND NOT EXISTS (
        SELECT FROM asking AS s WHERE s.superuser IS NOT NULL AND s.oid OPERATOR(pg_catalog.<>) a.oid)
)"""

# In a query with `CALLER`: whether a superuser asks, by whichever of her roles, or somebody who may become one.
SUPERUSER_ASKS = (
    f"({is_superuser('current_user')} OR {is_superuser('session_user')} "  # may have been made since
    "OR EXISTS (SELECT FROM asking AS s WHERE s.superuser IS NOT NULL))"
)

BY_SUPERUSER = f"WITH {CALLER} SELECT {SUPERUSER_ASKS} AS by_superuser"

_PG_CATALOG = "'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid"


def is_trusted(owner: str) -> str:
    """Whether the role of that OID is the caller or a superuser; in a query with `CALLER`."""
    return f"({owner} OPERATOR(pg_catalog.=) ANY (SELECT m.oid FROM me AS m) OR COALESCE({is_superuser(owner)}, false))"


def changed_since(row: str) -> str:
    """Whether the transaction sees the past, and somebody has changed or removed that row of a system catalogue since.

    The row that is seen tells which transaction has replaced, removed or locked it last. One that had ended before the
    snapshot was made has merely locked it, as this row would not be seen otherwise.
    """
    oldest = "pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::pg_catalog.text::pg_catalog.int8"
    xid = _xid(f"{row}.xmax")
    return spelled_out(f"({_SEES_PAST} AND {xid} `>=` {oldest} AND COALESCE({_status(xid)} `=` 'committed', false))")


def made_here(row: str) -> str:
    """Whether this transaction itself has made that row of a system catalogue, which is seen. A row of long ago may
    have a number that looks like one to come, of which PostgreSQL must not be asked: while this transaction lasts,
    others have begun no more than so many.
    """
    own, xid = "pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.text::pg_catalog.int8", _xid(f"{row}.xmin")
    may_be = f"{xid} `>=` {own} AND {xid} `-` {own} `<` 10000000"
    return spelled_out(f"CASE WHEN {may_be} THEN {_status(xid)} `=` 'in progress' ELSE false END")


def _xid(stored: str) -> str:
    """The number of a transaction, of which a row has the last 32 bits; it is near that of the snapshot."""
    now = "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::pg_catalog.text::pg_catalog.int8"
    behind = f"(({stored}::pg_catalog.text::pg_catalog.int8 `-` {now} `+` 2147483648) `&` 4294967295) `-` 2147483648"
    return f"({now} `+` {behind})"


def _status(xid: str) -> str:
    return f"pg_catalog.pg_xact_status({xid}::pg_catalog.text::pg_catalog.xid8)"


def owner_of(row: str, column: str) -> str:
    """The owner of what row `row` of a system catalogue is about; no role, 0, where that may be another by now than one
    whom the caller trusts. Others' rows are not asked: several may lock one, which then tells no transaction's number.
    """
    owner = f"{row}.{column}"
    return f"(CASE WHEN {is_trusted(owner)} AND {changed_since(row)} THEN 0::pg_catalog.oid ELSE {owner} END)"


# Whether others whom the caller does not trust may put a trigger on table `c`, or may have while the transaction sees
# the past; members of its owner only where another role acts here, too, whose rights code of theirs could take: that of
# a superuser who has taken the owner's. PostgreSQL answers such questions by what is now. In a query with `CALLER`.
TRIGGERS_SINCE = f"""({changed_since("c")} OR ({_SEES_PAST} AND EXISTS (
    SELECT FROM pg_catalog.pg_roles AS w WHERE NOT {is_trusted("w.oid")}
        AND CASE WHEN pg_catalog.pg_has_role(w.oid, c.relowner, 'MEMBER')
            THEN EXISTS (SELECT FROM asking AS s
                WHERE s.oid OPERATOR(pg_catalog.<>) c.relowner AND s.oid OPERATOR(pg_catalog.<>) w.oid)
            ELSE pg_catalog.has_table_privilege(w.oid, c.oid, 'TRIGGER') END)))"""

# Whether table `c` is surely not another role's since the transaction began, where a superuser asks. And whether the
# caller trusts its owner, too. In a query with `CALLER`.
STILL_OWNED = f"NOT ({SUPERUSER_ASKS} AND {changed_since('c')})"
STILL_TRUSTED = f"({is_trusted('c.relowner')} AND {STILL_OWNED})"

# Somebody else who may write to table `c`, rows of which are a model's expressions: to whom that is granted, on it, on
# its parents, on tables whose changes go on to it by a foreign key, or on what has a rule that names it, as views do,
# of an owner whom the caller trusts, whose rights count there; who owns one of these; or who is a member of the role
# that may write to all tables. A rule may turn a DELETE into an UPDATE, so the right to delete counts on all but the
# table itself. NULL for nobody. In a query with `CALLER`.
WRITER = f"""(
    WITH RECURSIVE way (oid) AS (
        SELECT c.oid
        UNION SELECT q.oid FROM way AS v CROSS JOIN LATERAL (
            SELECT h.inhparent FROM pg_catalog.pg_inherits AS h WHERE {binary("h.inhrelid", "=", "v.oid")}
            UNION ALL SELECT f.confrelid FROM pg_catalog.pg_constraint AS f
            WHERE {binary("f.conrelid", "=", "v.oid")} AND f.confupdtype OPERATOR(pg_catalog.=) 'c'
            UNION ALL SELECT k.oid FROM pg_catalog.pg_depend AS d
            INNER JOIN pg_catalog.pg_rewrite AS r ON {binary("r.oid", "=", "d.objid")}
            INNER JOIN pg_catalog.pg_class AS k ON {binary("k.oid", "=", "r.ev_class")}
            WHERE {binary("d.refclassid", "=", _of("pg_class"))} AND {binary("d.refobjid", "=", "v.oid")}
                AND {binary("d.classid", "=", _of("pg_rewrite"))} AND {is_trusted("k.relowner")}
        ) AS q (oid)
    ),
    granted (role, privilege) AS (
        SELECT e.grantee, CASE WHEN {binary("k.oid", "=", "c.oid")} THEN e.privilege_type
            ELSE pg_catalog.replace(e.privilege_type, 'DELETE', 'UPDATE') END
        FROM way AS v INNER JOIN pg_catalog.pg_class AS k ON {binary("k.oid", "=", "v.oid")}
        CROSS JOIN LATERAL (SELECT k.relacl UNION ALL SELECT b.attacl FROM pg_catalog.pg_attribute AS b
            WHERE {binary("b.attrelid", "=", "k.oid")}) AS a (acl)
        CROSS JOIN LATERAL pg_catalog.aclexplode(a.acl) AS e
        UNION ALL SELECT k.relowner, 'INSERT' FROM way AS v
        INNER JOIN pg_catalog.pg_class AS k ON {binary("k.oid", "=", "v.oid")} AND k.oid OPERATOR(pg_catalog.<>) c.oid
        UNION ALL SELECT g.member, 'INSERT' FROM pg_catalog.pg_auth_members AS g
        WHERE pg_catalog.pg_get_userbyid(g.roleid) OPERATOR(pg_catalog.=) 'pg_write_all_data'::pg_catalog.name
    )
    SELECT CASE WHEN w.role OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC'
        ELSE pg_catalog.pg_get_userbyid(w.role)::pg_catalog.text END
    FROM granted AS w
    WHERE w.privilege OPERATOR(pg_catalog.=) ANY ('{{INSERT,UPDATE}}'::pg_catalog.text[]) AND NOT {is_trusted("w.role")}
    LIMIT 1
)"""

# Children of relation `b`, which are planned and read with it, and parents: whose owner can put indexes on their parts.
_KIN = f"""SELECT h.inhrelid AS oid FROM pg_catalog.pg_inherits AS h WHERE {binary("h.inhparent", "=", "b.oid")}
        UNION ALL SELECT h.inhparent FROM pg_catalog.pg_inherits AS h WHERE {binary("h.inhrelid", "=", "b.oid")}"""
# Whether table `c` has children of somebody else's, or is a part of somebody else's. In a query with `CALLER`.
OTHERS_KIN = f"""((c.relhassubclass OR c.relispartition) AND EXISTS (
    WITH RECURSIVE kin (oid) AS (
        SELECT c.oid UNION SELECT q.oid FROM kin AS b CROSS JOIN LATERAL ({_KIN}) AS q
    )
    SELECT FROM kin AS b INNER JOIN pg_catalog.pg_class AS k ON {binary("k.oid", "=", "b.oid")}
    WHERE NOT {is_trusted("k.relowner")}))"""

# The role behind schema `n`: for `pg_database_owner`, as `public` has it from PostgreSQL 15 on, the database's owner.
SCHEMA_OWNER = f"""(CASE WHEN pg_catalog.pg_get_userbyid(n.nspowner) OPERATOR(pg_catalog.=) 'pg_database_owner' THEN (
        SELECT {owner_of("d", "datdba")} FROM pg_catalog.pg_database AS d
        WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
    ) ELSE n.nspowner END)"""
# Whether the caller trusts that role, as in `owner_of`. In a query with `CALLER`.
SCHEMA_TRUSTED = f"(CASE WHEN {is_trusted(SCHEMA_OWNER)} THEN NOT {changed_since('n')} ELSE false END)"

# The schema of the relation $1, where a superuser asks and does not trust the schema's owner, who could put another one
# there. Where she sees the past, also that of a relation whose owner she does not trust, who has perhaps changed it.
OTHERS_SCHEMA = Lasting(f"""
WITH {CALLER}
SELECT n.oid, pg_catalog.pg_get_userbyid({SCHEMA_OWNER})::pg_catalog.text AS owner, {_SEES_PAST} AS sees_past
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE c.oid OPERATOR(pg_catalog.=) $1 AND {SUPERUSER_ASKS}
    AND NOT ({SCHEMA_TRUSTED} AND ({STILL_TRUSTED} OR NOT {_SEES_PAST}))""")

# A row for each schema of the search path in which others may create things; none in those that nobody else can name.
OTHERS_IN_PATH = f"""
WITH {CALLER}
SELECT FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) AS g (name)
INNER JOIN pg_catalog.pg_namespace AS n ON n.nspname OPERATOR(pg_catalog.=) g.name
WHERE n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'
    AND n.oid OPERATOR(pg_catalog.<>) pg_catalog.pg_my_temp_schema()
    AND (NOT {SCHEMA_TRUSTED} OR EXISTS (
        SELECT FROM pg_catalog.aclexplode(n.nspacl) AS e
        WHERE e.privilege_type OPERATOR(pg_catalog.=) 'CREATE'
            AND e.grantee OPERATOR(pg_catalog.<>) n.nspowner AND NOT {is_trusted("e.grantee")}
    ))"""


def _parts(type_: str) -> str:
    """Type `type_` and all objects that it needs, or that come with it: what a domain is over, an array's elements, a
    row's columns, a range's bounds, its own functions; and its domain's checks, its casts from and to types of
    PostgreSQL's own (others are the other type's owner's, too), its operator classes with their functions.

    What a function needs in its turn is its owner's doing. Objects of PostgreSQL's own are not listed.
    """
    return f"""
    WITH RECURSIVE part (classid, objid) AS (
        SELECT {_of("pg_type")}, {type_}.oid
        UNION
        SELECT q.classid, q.objid FROM part AS p CROSS JOIN LATERAL (
            SELECT d.refclassid AS classid, d.refobjid AS objid FROM pg_catalog.pg_depend AS d
            WHERE {binary("d.classid", "=", "p.classid")} AND {binary("d.objid", "=", "p.objid")}
                AND d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY[{_of("pg_type")}, {_of("pg_class")},
                    {_of("pg_proc")}, {_of("pg_operator")}, {_of("pg_opclass")}, {_of("pg_opfamily")}])
            UNION ALL SELECT {_of("pg_constraint")}, k.oid FROM pg_catalog.pg_constraint AS k
                WHERE {binary("p.classid", "=", _of("pg_type"))} AND {binary("k.contypid", "=", "p.objid")}
            UNION ALL SELECT {_of("pg_cast")}, k.oid FROM pg_catalog.pg_cast AS k
                INNER JOIN pg_catalog.pg_type AS y ON {binary("y.typnamespace", "=", _PG_CATALOG)}
                    AND (({binary("k.castsource", "=", "p.objid")} AND {binary("k.casttarget", "=", "y.oid")})
                    OR ({binary("k.casttarget", "=", "p.objid")} AND {binary("k.castsource", "=", "y.oid")}))
                WHERE {binary("p.classid", "=", _of("pg_type"))}
            UNION ALL SELECT {_of("pg_opclass")}, k.oid FROM pg_catalog.pg_opclass AS k
                WHERE {binary("p.classid", "=", _of("pg_type"))} AND {binary("k.opcintype", "=", "p.objid")}
            UNION ALL SELECT {_of("pg_proc")}, k.amproc::pg_catalog.oid FROM pg_catalog.pg_amproc AS k
                WHERE {binary("p.classid", "=", _of("pg_opfamily"))} AND {binary("k.amprocfamily", "=", "p.objid")}
            UNION ALL SELECT {_of("pg_operator")}, k.amopopr FROM pg_catalog.pg_amop AS k
                WHERE {binary("p.classid", "=", _of("pg_opfamily"))} AND {binary("k.amopfamily", "=", "p.objid")}
        ) AS q
        WHERE p.classid OPERATOR(pg_catalog.<>) {_of("pg_proc")}
    )"""


# A type of another's may be asked for more than it has now: its owner can add a check to a domain, a column to a row,
# casts to an enum and to arrays of it.
_OWNER_OF_TYPE = f"""
    SELECT {owner_of("y", "typowner")} FROM pg_catalog.pg_type AS y
    WHERE {binary("p.classid", "=", _of("pg_type"))} AND {binary("y.oid", "=", "p.objid")}
        AND y.typnamespace OPERATOR(pg_catalog.<>) {_PG_CATALOG}
        AND NOT (y.typlen OPERATOR(pg_catalog.=) '-1'::pg_catalog.int2 AND y.typelem OPERATOR(pg_catalog.<>)
            0::pg_catalog.oid AND y.typcategory OPERATOR(pg_catalog.=) 'A')"""
_OWNERS = f"""
    UNION ALL SELECT {owner_of("y", "proowner")} FROM pg_catalog.pg_proc AS y
    WHERE {binary("p.classid", "=", _of("pg_proc"))} AND {binary("y.oid", "=", "p.objid")}
    UNION ALL SELECT {owner_of("y", "oprowner")} FROM pg_catalog.pg_operator AS y
    WHERE {binary("p.classid", "=", _of("pg_operator"))} AND {binary("y.oid", "=", "p.objid")}
    UNION ALL SELECT {owner_of("y", "opcowner")} FROM pg_catalog.pg_opclass AS y
    WHERE {binary("p.classid", "=", _of("pg_opclass"))} AND {binary("y.oid", "=", "p.objid")}"""


# The owner of the relation of oid $1, its children and parents and, of a view, of all that it names: one whom the
# caller does not trust, if there is one. Whether there is none; and the rows' type of the relation. PostgreSQL looks at
# the indexes and checks of parts while it plans, and runs what they call as whoever asks.
OWNER = f"""
WITH RECURSIVE {CALLER},
behind (classid, oid) AS (
    SELECT {_of("pg_class")}, $1::pg_catalog.oid
    UNION
    SELECT q.classid, q.oid FROM behind AS b CROSS JOIN LATERAL (
        SELECT b.classid, k.oid FROM ({_KIN}) AS k
        UNION ALL SELECT d.refclassid, d.refobjid FROM pg_catalog.pg_rewrite AS r
        INNER JOIN pg_catalog.pg_class AS v ON {binary("v.oid", "=", "r.ev_class")}
            AND v.relkind OPERATOR(pg_catalog.=) 'v'
        INNER JOIN pg_catalog.pg_depend AS d ON {binary("d.classid", "=", _of("pg_rewrite"))}
            AND {binary("d.objid", "=", "r.oid")}
        WHERE {binary("r.ev_class", "=", "b.oid")}
    ) AS q
    WHERE {binary("b.classid", "=", _of("pg_class"))}
),
owners (oid) AS (
    SELECT o.role FROM (SELECT b.classid, b.oid AS objid FROM behind AS b) AS p CROSS JOIN LATERAL (
        SELECT {owner_of("y", "relowner")} FROM pg_catalog.pg_class AS y
        WHERE {binary("p.classid", "=", _of("pg_class"))} AND {binary("y.oid", "=", "p.objid")}
        UNION ALL {_OWNER_OF_TYPE}{_OWNERS}
    ) AS o (role)
    WHERE NOT {is_trusted("o.role")}
)
SELECT pg_catalog.pg_get_userbyid(CASE WHEN o.oid OPERATOR(pg_catalog.>) 0::pg_catalog.oid THEN o.oid
    ELSE c.relowner END)::pg_catalog.text AS owner, o.oid IS NULL AS trusted, c.reltype AS row_type
FROM pg_catalog.pg_class AS c LEFT JOIN (SELECT w.oid FROM owners AS w LIMIT 1) AS o ON true
WHERE c.oid OPERATOR(pg_catalog.=) $1"""


def is_trusted_type(type_: str = "t") -> str:
    """Whether type `type_`, a row of pg_type, and all that it is made of are PostgreSQL's own, or belong to roles that
    are trusted; in a query with `CALLER`.
    """
    return (
        f"({type_}.typnamespace OPERATOR(pg_catalog.=) {_PG_CATALOG} OR NOT EXISTS ("
        f"{_parts(type_)} SELECT FROM part AS p CROSS JOIN LATERAL ({_OWNER_OF_TYPE}{_OWNERS}) AS o (role) "
        f"WHERE NOT {is_trusted('o.role')}))"
    )
