"""What there is to step into: tables with traps, models with traps, and who comes along."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import trap_calls
from left_tables import left_since
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from shares import ALL
from springs import make_marks, make_springs, sprung
from trap_objects import OBJECTS, put, spring
from trap_types import TYPES

WATCH = Path(__file__).parent / "watch.sql"
ROLES = {"boss": "LOGIN SUPERUSER", "attacker": "LOGIN", "plain": "LOGIN", "team": "NOLOGIN"}
N_ROWS = 120
_DATA = """
CREATE TABLE traps.t AS SELECT i AS id, i * 7919 % 100 AS x, (ARRAY['red', 'green', 'blue'])[1 + i % 3] AS k,
    CASE WHEN i * 7919 % 100 > 40 THEN 'yes' ELSE 'no' END AS y, (i * 7919 % 100)::float8 AS z, 1 + i % 3 AS w,
    i % 2 AS g FROM generate_series(1, {n_rows}) AS i
"""
# Relations to train on and to score, besides the table with the types: a trap each.
RELATIONS = {
    "view": "CREATE VIEW traps.v AS SELECT * FROM traps.t WHERE {spring} = 1",
    "parent": "CREATE TABLE traps.i AS SELECT * FROM traps.t; CREATE TABLE traps.i_child (CHECK ({spring} = 1)) "
    "INHERITS (traps.i)",
    "partitioned": "CREATE TABLE traps.p (LIKE traps.t) PARTITION BY RANGE ((id + {spring})); "
    "CREATE TABLE traps.p_1 PARTITION OF traps.p FOR VALUES FROM (MINVALUE) TO (60); "
    "CREATE TABLE traps.p_2 PARTITION OF traps.p DEFAULT; INSERT INTO traps.p SELECT * FROM traps.t",
    "materialized": "CREATE MATERIALIZED VIEW traps.mv AS SELECT * FROM traps.t WHERE {spring} = 1",
    "foreign": "CREATE FOREIGN TABLE traps.f (id int4, x int4, k text, y text, z float8, w int4, "
    "g int4 DEFAULT {spring}, CHECK ({spring} = 1)) SERVER elsewhere OPTIONS (schema_name 'traps', table_name 't')",
}
SOURCES = {
    "view": "traps.v",
    "parent": "traps.i",
    "partitioned": "traps.p",
    "materialized": "traps.mv",
    "foreign": "traps.f",
}
# The server of the foreign table is this one: in that session the attacker's own functions run as the attacker.
_UNPICKLED = """
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host {host}, port {port}, dbname {dbname});
CREATE USER MAPPING FOR public SERVER elsewhere OPTIONS (user {user}, password {password}, password_required 'false');
GRANT USAGE ON FOREIGN SERVER elsewhere TO public
"""


@dataclass(frozen=True)
class Caller:
    """Somebody who calls.

    Attributes:
        login: whose session it is.
        before, after: statements in that session.
        admin_before, admin_after: a superuser's statements.
        is_superuser: whether the login is one, or may become one.
    """

    login: str
    before: str = "SELECT 1"
    after: str = "SELECT 1"
    admin_before: str = "SELECT 1"
    admin_after: str = "SELECT 1"

    @property
    def is_superuser(self) -> bool:
        return self.login == "boss" or "GRANT {boss} TO" in self.admin_before


_TO_ROLE, _TO_SESSION = "SET ROLE {{{}}}", "SET SESSION AUTHORIZATION {{{}}}"
_BACK = "RESET SESSION AUTHORIZATION"
CALLERS = {
    "superuser": Caller("boss"),
    "superuser after SET ROLE": Caller("boss", _TO_ROLE.format("plain"), "RESET ROLE"),
    "superuser after SET SESSION AUTHORIZATION": Caller("boss", _TO_SESSION.format("plain"), _BACK),
    "member of a superuser": Caller(
        "plain",
        admin_before="ALTER ROLE {plain} NOINHERIT; GRANT {boss} TO {plain}",
        admin_after="REVOKE {boss} FROM {plain}; ALTER ROLE {plain} INHERIT",
    ),
    "superuser in the attacker's role": Caller(
        "boss", admin_before="GRANT {attacker} TO {boss}", admin_after="REVOKE {attacker} FROM {boss}"
    ),
    "superuser in a group": Caller(
        "boss", admin_before="GRANT {team} TO {boss}", admin_after="REVOKE {team} FROM {boss}"
    ),
    "ordinary role": Caller("plain"),
}
# Who has taken the attacker's own role makes tables that are the attacker's.
AS_ATTACKER = {
    "superuser after SET ROLE to the attacker": Caller("boss", _TO_ROLE.format("attacker"), "RESET ROLE"),
    "superuser after SET SESSION AUTHORIZATION to the attacker": Caller("boss", _TO_SESSION.format("attacker"), _BACK),
}


def ways(callers: Mapping[str, Caller]) -> list[tuple[str, str]]:
    """Callers and engines: a superuser by each engine, the others by one of them in turn."""
    return [
        (who, engine)
        for number, who in enumerate(callers)
        for turn, engine in enumerate(trap_calls.ENGINES)
        if ALL or number == 0 or (number + turn) % 2
    ]


@dataclass
class Ground:
    """A database, its roles, and what is seen there.

    Attributes:
        sessions: by role; `admin`'s is a superuser's who only looks on, `second` another one of the attacker's.
        names: of the roles.
        logins: connection strings by role.
        warnings: what the event trigger has said since it was asked.
    """

    sessions: Mapping[str, psycopg.Connection]
    names: Mapping[str, str]
    logins: Mapping[str, str]
    warnings: list[str] = field(default_factory=list)
    counter: int = 0
    last_analyzed: int = 0

    def text(self, statement: str) -> str:
        """A statement with the names of the roles."""
        return statement.format(**self.names)

    @contextmanager
    def calling(self, caller: Caller) -> Iterator[psycopg.Connection]:
        """The caller's session."""
        db, admin = self.sessions[caller.login], self.sessions["admin"]
        admin.execute(self.text(caller.admin_before))  # type: ignore[arg-type]
        try:
            db.execute(self.text(caller.before))  # type: ignore[arg-type]
            db.execute("SET search_path = public, traps")
            yield db
        finally:
            db.execute(self.text(caller.after))  # type: ignore[arg-type]
            admin.execute(self.text(caller.admin_after))  # type: ignore[arg-type]

    def run_by_a_select(self, caller: Caller, queries: Sequence[str]) -> set[str]:
        """The traps that run in queries of the caller's. A new session: what planning runs, it runs once in each."""
        admin = self.sessions["admin"]
        self.sprung()
        admin.execute(self.text(caller.admin_before))  # type: ignore[arg-type]
        with psycopg.connect(self.logins[caller.login], autocommit=True) as db:
            db.execute(self.text(caller.before))  # type: ignore[arg-type]
            for query in queries:
                db.execute(query).fetchall()  # type: ignore[arg-type]
        admin.execute(self.text(caller.admin_after))  # type: ignore[arg-type]
        return {*self.sprung()}

    def sprung(self) -> dict[str, bool]:
        return sprung(self.sessions["admin"])

    def new_name(self) -> str:
        self.counter += 1
        return f"work.out_{self.counter}"

    def quietly(self, statements: str) -> None:
        """As the superuser who looks on, without notices."""
        admin = self.sessions["admin"]
        admin.execute(f"SET client_min_messages = error; {statements}; RESET client_min_messages")  # type: ignore[arg-type]

    def clear(self) -> None:
        """Remove what calls left in the schema `work`, some tables at once: each takes a lock until the transaction
        ends, and there are thousands where all cases are tried.
        """
        admin = self.sessions["admin"]
        left = "SELECT format('work.%I', relname) FROM pg_class WHERE relnamespace = to_regnamespace('work')"
        while tables := admin.execute(f"{left} AND relkind = 'r' LIMIT 500").fetchall():
            self.quietly(f"DROP TABLE {', '.join(name for (name,) in tables)} CASCADE")
        self.quietly("DROP SCHEMA IF EXISTS work CASCADE; CREATE SCHEMA work; GRANT ALL ON SCHEMA work TO public")
        self.sprung()
        self.warnings.clear()


@dataclass
class Seen:
    """What has gone wrong, in a sentence each, and what went well.

    Attributes:
        done: the functions that answered at least once.
    """

    ground: Ground
    who: str
    engine: str
    wrong: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def call(
        self,
        db: psycopg.Connection,
        what: trap_calls.Call,
        place: Mapping[str, Any],
        position: str,
        permitted: Collection[str] = (),
    ) -> bool:
        """Make a call, and look what has run, and what it left behind; whether it answered.

        Args:
            permitted: traps that may run in the call.
        """
        answered = True
        try:
            trap_calls.MORE_ENGINES[self.engine](db, what, place)
            self.done.add(what.function)
        except trap_calls.REFUSED as error:
            answered = False
            if getattr(error, "sqlstate", "") in ("XX000", "38000", "57P01"):
                self._add(str(what), position, f"failed by a defect: {error}")
        self.look(str(what), position, permitted)
        return answered

    def look(self, what: str, position: str, permitted: Collection[str] = ()) -> None:
        """What has run since the last look, and what the tables hold that were made and left."""
        for trap, won in self.ground.sprung().items():
            if trap not in permitted:
                self._add(what, position, f"ran the {trap}" + (" as a superuser" if won else ""))
        for warning in dict.fromkeys(self.ground.warnings):
            self._add(what, position, f"made a table that {warning}")
        self.ground.warnings.clear()
        self._analyze_what_is_left(what, position)

    def _analyze_what_is_left(self, what: str, position: str) -> None:
        """As autovacuum will: the tables that were made since the last look."""
        admin = self.ground.sessions["admin"]
        tables, self.ground.last_analyzed = left_since(admin, self.ground.names["attacker"], self.ground.last_analyzed)
        if not tables:
            return
        admin.execute(f"ANALYZE {', '.join(tables)}")
        for trap, won in self.ground.sprung().items():
            by = " as a superuser" if won else ""
            self._add(what, position, f"left a table ({tables[0]}, ...) whose ANALYZE runs the {trap}{by}")

    def _add(self, what: str, position: str, how: str) -> None:
        self.wrong.append(f"{self.who}, by the {self.engine}: {what} with {position} {how}")


def make_ground(ground: Ground, watch: str) -> None:
    """Make all tables and traps; called once."""
    admin, attacker = ground.sessions["admin"], ground.sessions["attacker"]
    admin.execute(ground.text("CREATE SCHEMA traps AUTHORIZATION {attacker}; GRANT {team} TO {attacker}"))  # type: ignore[arg-type]
    admin.execute(ground.text(f"GRANT CREATE ON DATABASE {admin.info.dbname} TO {{attacker}}"))  # type: ignore[arg-type]
    for session in ground.sessions.values():
        session.add_notice_handler(lambda notice: _keep(ground, notice.message_primary or ""))
    make_springs(attacker, ground.names["attacker"])
    make_marks(attacker, all_traps())
    attacker.execute(ground.text("GRANT ALL ON SCHEMA traps TO public, {team}"))  # type: ignore[arg-type]
    attacker.execute("; ".join(statement for type_ in TYPES.values() for statement in type_.make))  # type: ignore[arg-type]
    attacker.execute(_DATA.format(n_rows=N_ROWS))  # type: ignore[arg-type]
    columns = ", ".join(f"ADD {column} {type_.sql}" for column, type_ in TYPES.items())
    attacker.execute(f"ALTER TABLE traps.t {columns}")  # type: ignore[arg-type]
    values = ", ".join(
        f"{column} = CASE g WHEN 0 THEN '{type_.low}' ELSE '{type_.high}' END::{type_.sql}"
        for column, type_ in TYPES.items()
    )
    attacker.execute(f"UPDATE traps.t SET {values}")  # type: ignore[arg-type]
    admin.execute(_elsewhere(admin, ground.logins["attacker"]))
    for kind, statement in RELATIONS.items():
        attacker.execute(statement.format(spring=spring(f"source: {kind}")))  # type: ignore[arg-type]
    for number, kind in enumerate(OBJECTS):
        name = f"o_{number}"
        attacker.execute(f"CREATE TABLE traps.{name} AS SELECT id, x, k, y, z, w, g FROM traps.t")  # type: ignore[arg-type]
        attacker.execute(put(kind, f"traps.{name}", "x", f"object: {kind}", f"{name}_trap"))  # type: ignore[arg-type]
    attacker.execute("CREATE TABLE traps.d AS SELECT id, x, k, y, z, w, g FROM traps.t")
    attacker.execute("GRANT SELECT ON ALL TABLES IN SCHEMA traps TO public")
    admin.execute(_HERS)
    admin.execute("REVOKE CREATE ON SCHEMA public FROM public")
    admin.execute(watch)  # type: ignore[arg-type]
    ground.clear()


_HERS = """
CREATE SCHEMA hers; GRANT USAGE ON SCHEMA hers TO public;
CREATE FUNCTION hers.run(query text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, traps AS
$$ DECLARE n bigint; BEGIN EXECUTE format('SELECT count(*) FROM (%s) AS q', query) INTO n; RETURN n; END $$
"""


def _elsewhere(admin: psycopg.Connection, login: str) -> sql.Composed:
    """The server reached as it reaches itself, by its socket."""
    ((sockets, port),) = admin.execute(
        "SELECT split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')"
    ).fetchall()
    known = {"host": sockets or "localhost", "port": port, "dbname": admin.info.dbname}
    known |= {name: conninfo_to_dict(login)[name] for name in ("user", "password")}
    return sql.SQL(_UNPICKLED).format(**{name: sql.Literal(str(value)) for name, value in known.items()})


def _keep(ground: Ground, message: str) -> None:
    if message.startswith("watch: ") and " has the column " in message:
        ground.warnings.append(message.removeprefix("watch: ").partition(" has ")[2].join(["has ", ""]))


def all_traps() -> list[str]:
    """Names of all traps, each of which has its marks."""
    of_types = [trap for type_ in TYPES.values() for trap in type_.traps]
    of_sources = [f"source: {kind}" for kind in RELATIONS]
    of_objects = [f"object: {kind}" for kind in OBJECTS]
    return [*of_types, *of_sources, *of_objects, "expression", "planted"]
