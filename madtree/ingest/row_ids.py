"""Whether ids tell rows apart: a notice where they do not, or are NULL, since predictions are joined by them.

Where the catalogue has a unique index on the column nothing is read. Else a few thousand rows are, a few milliseconds
whatever the table's size; of a small table that is all of it.
"""

from __future__ import annotations

from madtree.host import Host
from madtree.sqltext import profile as sql
from madtree.sqltext.quote import qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.wording import count_text

ROWS = 4_000
# Of a larger table as many times the square root of its rows: where each id is there twice, some 8 pairs are found.
ROOTS = 4
# Types whose values PostgreSQL compares by functions of its own.
_COMPARABLE = frozenset(
    {
        "smallint", "integer", "bigint", "numeric", "text", "character varying", "bpchar", "uuid", "date",
        "timestamp without time zone", "timestamp with time zone",
    }
)  # fmt: skip


def warn_of_repeated_ids(host: Host, relation: Relation, id_sql: str, id_type: str, argument: str, given: str) -> None:
    """A notice where rows of a stored table share an id, or have none.

    Args:
        host: which has the table.
        id_sql: a column; of an expression, nothing is told.
        id_type: its type. Of types that are not PostgreSQL's own nothing is told: their functions are others'.
        argument: where the id, or the table, was given.
        given: the table's name as the user wrote it.
    """
    parts = parse_name(id_sql)
    if parts is None or len(parts) > 1 or not relation.is_stored:
        return
    facts = host.query(sql.ROW_IDS, ["pg_catalog.oid", "pg_catalog.text"], [relation.oid, parts[0]])
    if not facts or facts[0]["is_unique"] or not facts[0]["may_read"]:
        return
    n_rows = facts[0]["n_rows"]
    rows, percent = ROWS, None
    if facts[0]["is_heap"] and n_rows > ROWS:
        rows = max(ROWS, round(ROOTS * n_rows**0.5))
        percent = 100 * rows / n_rows
    warn_of_repeats(host, qualified(relation.schema, relation.name), id_sql, id_type, argument, given, rows, percent)


def warn_of_repeats(
    host: Host,
    table: str,
    id_sql: str,
    id_type: str,
    argument: str,
    given: str,
    rows: int = ROWS,
    percent: float | None = None,
) -> None:
    """The notices, from rows of a table that is given as SQL.

    Args:
        rows: that are looked at.
        percent: of its pages, to be looked at; None for its first rows.
    """
    if id_type not in _COMPARABLE:
        return
    (found,) = host.query(sql.sample_of_ids(table, id_sql, rows, percent))
    total = found["n_rows"] + found["n_without"]
    whole = "" if total < rows and percent is None else " of a sample"
    if found["n_without"]:
        drawn = "folds and samples have such rows all together, and " if argument == "id_col_name" else ""
        host.notice(
            f"{argument}: {id_sql} is NULL in {found['n_without']} of {total} rows{whole} of {given}: {drawn}"
            "predictions of them cannot be joined to rows"
        )
    if found["n_ids"] == found["n_rows"]:
        return
    values = count_text(found["n_ids"], "distinct value")
    host.notice(
        f"{argument}: {id_sql} does not tell rows of {given} apart: {found['n_rows']} rows{whole} have {values}; each "
        "row has a prediction of its own, so that to join predictions to rows by it makes more rows than there are"
    )
