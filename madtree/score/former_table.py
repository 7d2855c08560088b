"""A table of ours that is replaced: which one may be, and how its rows make way for new ones.

The new rows are made in a temporary table first, by whichever route, so that others read the former ones until all is
done. Then they are put in the place of these. The table stays the one that it is, with its grants, its indexes and the
views on it, as long as it has the columns that the new rows have.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row, has_citus, local_settings
from madtree.ingest import refuse_others_schema
from madtree.records import dataclass
from madtree.sqltext import predict as sql
from madtree.sqltext import shards as shards_sql
from madtree.sqltext import trust as trust_sql
from madtree.sqltext.distributed import OF_CITUS
from madtree.sqltext.quote import ident, qualified
from madtree.trees import KINDS

_KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table", "p": "partitioned"}


@dataclass(frozen=True)
class TableSignature:
    """By which columns tables of some kind are known.

    Attributes:
        what: "predictions".
        columns: these in words.
        fits: whether names of columns, in their order, are those of such a table.
        argument: that names the table, for errors.
    """

    what: str
    columns: str
    fits: Callable[[Sequence[str]], bool]
    argument: str = "output_table"


_PROBABILITY = "estimated_prob"
_LEAVES = frozenset(kind.leaf_column for kind in KINDS.values())


def contributions(known: Collection[Sequence[str]]) -> TableSignature:
    """Tables of contributions by a model whose tables of these have one of some lists of columns beside the id's."""
    return TableSignature(
        "contributions",
        "an id, expected and the model's features; or an id, feature, value, contribution and rank; or with class "
        "before these",
        lambda columns: columns[1:] in known,
    )


def predictions(response: str, scores: Collection[str], *whole: Sequence[str]) -> TableSignature:
    """Tables of predictions by a model that has this column of responses, and these of raw scores; `whole` are its
    columns of intervals and sets of classes.

    They are given whole, since the prefixes that they have are in the names of many other tables. Of probabilities only
    the prefix counts, so that a model that has learned of other classes may replace what the former one said.
    """

    def fits(columns: Sequence[str]) -> bool:
        names = columns[1:]
        known = names in ([response], *map(list, whole), [_PROBABILITY]) or {*names} <= _LEAVES or {*names} <= {*scores}
        return bool(names) and (known or all(name.startswith(f"{_PROBABILITY}_") for name in names))

    known = " or ".join([*sorted(scores)[:1], *sorted(_LEAVES)])
    return TableSignature("predictions", f"an id and {response}, {_PROBABILITY}..., or {known}", fits)


@dataclass(frozen=True)
class FormerTable:
    """A table that the rows of a call replace, and the one in which they are made.

    Attributes:
        table: as SQL.
        scratch: as SQL; temporary.
        signature: by whose columns it is known.
    """

    table: str
    scratch: str
    signature: TableSignature

    def replace(self, host: Host) -> int:
        """Put the scratch's rows in the place of the table's; returns their number.

        Raises:
            MadtreeError: it is no longer a table that may be replaced.
        """
        # What it was before it was locked says nothing. A view that the schema's owner has put in its place would be
        # locked with all that it reads, and by the caller's rights: so first in a way that is little in others' way.
        for lightly in (True, False):
            host.command(sql.lock_whole(self.table, lightly=lightly))
            (found,) = host.query(trust_sql.RELATION_FACTS, ["pg_catalog.text"], [self.table])
            _check(found, self.table, self.signature)
        keep = _columns(host, self.table) == _columns(host, self.scratch)
        make_room, add_rows, tidy_up = sql.replacing(self.table, self.scratch, keep=keep)
        host.command(make_room)
        n_rows = host.command(add_rows)
        host.command(tidy_up)
        if not keep:
            host.notice(
                f"{self.signature.argument}: {self.table} had other columns and was made anew, without its grants and "
                "indexes"
            )
        return n_rows


def find_former(
    host: Host, schema: str, name: str, signature: TableSignature, *, replace: bool | None
) -> FormerTable | None:
    """The table of that name, unquoted, that is to be replaced by one of that `signature`; None if there is none.

    Raises:
        MadtreeError: there is one and it may not be replaced: by the arguments, or since it is not such a table of the
            caller's, or something on it would run other code.
    """
    table = qualified(schema, name)
    found = host.query(trust_sql.RELATION_FACTS, ["pg_catalog.text"], [table])
    if not found:
        return None
    if not replace:
        raise MadtreeError(
            f"{signature.argument}: {table} exists already",
            hint=f"Choose another name, drop it, or, if it is a table of {signature.what}, call with replace => true.",
            sqlstate="42P07",
        )
    _check(found[0], table, signature)
    _check_shards(host, schema, table, signature)
    return FormerTable(table, f"pg_temp.{ident(f'madtree_rows_{secrets.token_hex(8)}')}", signature)


def _check(found: Row, table: str, signature: TableSignature) -> None:
    """`found`: of `RELATION_FACTS`."""
    if found["kind"] != "r" or not signature.fits(found["columns"]):
        what = f"is {_KINDS[found['kind']]}" if found["kind"] in _KINDS else "has other columns"
        raise MadtreeError(
            f"{signature.argument}: {table} exists and {what}, and replace => true replaces tables of "
            f"{signature.what} only: {signature.columns}",
            hint="Choose another name.",
            sqlstate="42P07",
        )
    if not found["is_own"]:
        raise MadtreeError(
            f"{signature.argument}: {table} belongs to {ident(found['owner'])}, and replace => true replaces your own "
            "tables only",
            hint=f"Choose another name, or SET ROLE {ident(found['owner'])}.",
            sqlstate="42501",
        )
    if found["hazards"]:
        raise MadtreeError(
            f"{signature.argument}: {table} has {found['hazards'][0]}, which would run while it is filled",
            hint="Drop that, or choose another name.",
            sqlstate="42501",
        )


def _check_shards(host: Host, schema: str, table: str, signature: TableSignature) -> None:
    """As `_check`, of the tables on other servers that have the rows where Citus holds a table."""
    found = host.query(shards_sql.IS_OPEN_TO_TRIGGERS, ["pg_catalog.text"], [table]) if has_citus(host) else []
    # Other connections to the servers, by which these are asked, see nothing of a new table.
    if found and (found[0]["is_open"] or not (found[0]["is_new"] or _has_no_triggers(host, schema, table))):
        raise MadtreeError(
            f"{signature.argument}: {table} is held by Citus, and others may put a trigger on its shards, or there is "
            "one, which would run while it is filled",
            hint="Drop the table, or choose another name.",
            sqlstate="42501",
        )
    if found:
        refuse_others_schema(host, table)


def _has_no_triggers(host: Host, schema: str, table: str) -> bool:
    # Citus leaves the schema "public" out of shards' names.
    where = [table, "public." if schema == "public" else ""]
    with local_settings(host, OF_CITUS):
        return bool(host.query(shards_sql.NO_TRIGGERS, ["pg_catalog.text"] * 2, where)[0]["none"])


def _columns(host: Host, table: str) -> list[tuple[str, int, int]]:
    rows = host.query(sql.COLUMNS_OF, ["pg_catalog.text"], [table])
    return [(row["name"], row["type"], row["modifier"]) for row in rows]
