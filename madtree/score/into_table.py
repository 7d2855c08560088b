"""A new table of what is said of each row of another one: what is checked before rows are read, and done after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from madtree.errors import MadtreeError
from madtree.host import Host, bare_message
from madtree.ingest import distribution_column, warn_of_repeated_ids, warn_of_repeats
from madtree.model import ModelTables, NewData
from madtree.records import dataclass
from madtree.request import Type, check_new, find_source, warn_of_texts
from madtree.score.former_table import FormerTable, TableSignature, find_former
from madtree.score.new_rows import fit_to_source, id_name_of, scan_of
from madtree.sqltext.predict import Scan
from madtree.sqltext.quote import ident, is_temporary, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.trees import Model

_NAME_INDEX = "_nsp_index"  # of PostgreSQL's catalogues: a name is there once in a schema


@dataclass(frozen=True)
class IntoTable:
    """The new data, and the table that is made of them.

    Attributes:
        model: by which rows are read.
        given: the new data, as the user wrote it.
        source, data: these.
        scan: how they are read, and the table that is created. Where one is replaced, that is a temporary one.
        id_type: of the id.
        former: the table that is replaced; None of a new one.
        is_new: whether the table is a new one that stays.
    """

    host: Host
    model: Model
    given: str
    source: Relation
    data: NewData
    scan: Scan
    id_type: Type
    former: FormerTable | None
    is_new: bool

    @classmethod
    def checked(
        cls,
        host: Host,
        tables: ModelTables,
        model: Model,
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
        if new_data_table is None:
            raise MadtreeError("new_data_table must be the name of a table or view, not NULL")
        source = find_source(host.source, new_data_table, "new_data_table")
        schema, name = check_new(host, output_table, "output_table", suffixes=())
        former = find_former(host, schema, name, signature, replace=replace)
        target = former.scratch if former else qualified(schema, name)
        data = fit_to_source(host, model, source, new_data_table)
        scan = scan_of(host, tables, model, source, data, target, id_name_of(model))
        is_new = former is None and not is_temporary(schema)
        return cls(host, model, new_data_table, source, data, scan, data.types[model.id_column], former, is_new)

    @property
    def kept_id(self) -> Type:
        """The type of the id in the table."""
        return self.id_type.as_kept

    @property
    def is_spread_by_id(self) -> bool:
        """Whether the table is to be distributed beside the new data, which are by their ids, so that what is said of a
        row stays where the row is.
        """
        if not self.is_new or self.host.source is not self.host:
            return False
        column = distribution_column(self.host, self.source.oid)
        return column is not None and parse_name(self.scan.id_sql) == (column,)

    def send_notices(self) -> None:
        """Tell of ids that do not tell rows apart, or are kept as another type."""
        id_column, type_ = self.model.id_column, self.id_type
        warn_of_repeated_ids(self.host.source, self.source, id_column, type_.name, "new_data_table", self.given)
        warn_of_texts(self.host, "output_table", id_column, type_.name, type_.kept)

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
        if tells_repeated and not self.source.is_stored:
            id_sql, type_ = ident(self.scan.id_name), self.kept_id.name
            warn_of_repeats(self.host, self.scan.target, id_sql, type_, "new_data_table", self.given)
        return n_rows if self.former is None else self.former.replace(self.host)
