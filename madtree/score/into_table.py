"""A new table of what is said of each row of another one: what is checked before rows are read, and done after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from madtree.errors import MadtreeError
from madtree.host import bare_message
from madtree.ingest import distribution_column, warn_of_repeated_ids, warn_of_repeats
from madtree.model import UsableModel
from madtree.records import dataclass
from madtree.request import Type, check_new, find_source, may_be_swapped, warn_of_texts
from madtree.score.former_table import FormerTable, TableSignature, find_former
from madtree.score.new_rows import NewRows, id_name_of
from madtree.sqltext.predict import Scan
from madtree.sqltext.quote import ident, is_temporary, qualified
from madtree.sqltext.split import parse_name

_NAME_INDEX = "_nsp_index"  # of PostgreSQL's catalogues: a name is there once in a schema


@dataclass(frozen=True)
class IntoTable:
    """The new data, and the table that is made of them.

    Attributes:
        rows: the new data.
        scan: how they are read, and the table that is created. Where one is replaced, that is a temporary one.
        former: the table that is replaced; None of a new one.
        is_new: whether the table is a new one that stays.
    """

    rows: NewRows
    scan: Scan
    former: FormerTable | None
    is_new: bool

    @classmethod
    def checked(
        cls,
        opened: UsableModel,
        new_data_table: str | None,
        output_table: str | None,
        signature: TableSignature,
        *,
        replace: bool | None,
    ) -> IntoTable:
        """The arguments `new_data_table`, `output_table` and `replace`, for a table of that `signature`.

        Raises:
            MadtreeError: one of them is NULL or not valid, or the new data lacks a column.
        """
        host = opened.host
        source = find_source(host.source, new_data_table, "new_data_table")
        schema, name = check_new(host, output_table, "output_table", suffixes=())
        former = find_former(host, schema, name, signature, replace=replace)
        target = former.scratch if former else qualified(schema, name)
        rows = NewRows.of(opened, source, str(new_data_table))
        is_new = former is None and not is_temporary(schema)
        return cls(rows, rows.scan(target, id_name_of(opened.model)), former, is_new)

    @property
    def kept_id(self) -> Type:
        """The type of the id in the table."""
        return self.rows.id_type.as_kept

    @property
    def is_spread_by_id(self) -> bool:
        """Whether the table is to be distributed beside the new data, which are by their ids, so that what is said of a
        row stays where the row is. Not in a schema of which others could put another one in place there, with a table
        of its name that has triggers, before it is filled.
        """
        host = self.rows.opened.host
        schema, *_ = parse_name(self.scan.target) or ("",)
        if not self.is_new or host.source is not host or may_be_swapped(host, schema):
            return False
        column = distribution_column(host, self.rows.source.oid)
        return column is not None and parse_name(self.scan.id_sql) == (column,)

    def send_notices(self) -> None:
        """Tell of ids that do not tell rows apart, or are kept as another type."""
        rows, host = self.rows, self.rows.opened.host
        id_column, type_ = rows.opened.model.id_column, rows.id_type
        warn_of_repeated_ids(host.source, rows.source, id_column, type_.name, rows.argument, rows.given)
        warn_of_texts(host, "output_table", id_column, type_.name, type_.kept)

    @contextmanager
    def making(self) -> Iterator[None]:
        """Says of a table that another session has made meanwhile what is said of one that was there before."""
        try:
            yield
        except Exception as error:
            state, words = getattr(error, "sqlstate", ""), bare_message(error)
            if not self.is_new or not (state == "42P07" or (state == "23505" and _NAME_INDEX in words)):
                raise
            raise MadtreeError(
                f"output_table: {self.scan.target} exists already: another session has made it meanwhile",
                hint="Choose another name, or call again with replace => true.",
                sqlstate="42P07",
            ) from error

    def finished(self, n_rows: int, *, tells_repeated: bool = True) -> int:
        """Put the rows in their place, of which the table has that many; returns their number.

        Args:
            tells_repeated: whether each id is there once, if it tells rows apart.
        """
        rows, host = self.rows, self.rows.opened.host
        if tells_repeated and not rows.source.is_stored:
            id_sql, type_ = ident(self.scan.id_name), self.kept_id.name
            warn_of_repeats(host, self.scan.target, id_sql, type_, rows.argument, rows.given)
        return n_rows if self.former is None else self.former.replace(host)
