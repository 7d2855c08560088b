"""`madtree models`."""

from __future__ import annotations

from typing import Annotated, Any

import psycopg
import typer
from psycopg.rows import dict_row

from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import rows, without_empty
from madtree.cli.session import session
from madtree.sqltext import modellist as sql
from madtree.sqltext.tables import SIGNATURES, suffixed

EPILOG = examples("$ madtree models", "$ madtree models --json | jq -r '.[].model'")


def models_command(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="The parameters that each was trained with.")
    ] = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """List every model that you can see, in any schema.

    Ages are known where the server keeps the times of commits (track_commit_timestamp).
    """
    with session(dsn) as opened:
        found = opened.run(lambda: models(opened.connection), "asking")
    if json:
        rows(found, machine=True)
        return
    hidden = {"schema", "name"} | (set() if verbose else {"parameters"})  # `model` has the names
    shown = [{name: value for name, value in row.items() if name not in hidden} for row in found]
    rows(without_empty(shown), machine=False, empty="no models")


def models(connection: psycopg.Connection) -> list[dict[str, Any]]:
    """Every model that the session can read, by schema and name."""
    with connection.cursor(row_factory=dict_row) as cursor:
        tables = {(r["schema"], r["table"]): set(r["columns"]) for r in cursor.execute(sql.CANDIDATES).fetchall()}
        found = [
            (schema, name)
            for (schema, name), columns in tables.items()
            if SIGNATURES[""] <= columns
            and SIGNATURES["_summary"] <= tables.get((schema, suffixed(name, "_summary")), set())
        ]
        return cursor.execute(sql.models(found).encode()).fetchall() if found else []
