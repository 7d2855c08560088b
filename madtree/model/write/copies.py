"""What all copies of a model have in common: the tables that are copied, and what the summary says of the new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import ModelTables, UsableModel, make_tables
from madtree.records import dataclass
from madtree.request import check_new
from madtree.sqltext import copies as sql
from madtree.sqltext.copies import Columns, ModelCopy, Name
from madtree.sqltext.tables import SUFFIXES
from madtree.sqltext.values import Kept
from madtree.wording import BLANKS

Parts = dict[str, Columns]  # columns of tables, by these tables' suffixes


@dataclass(frozen=True)
class NewModel:
    """The model that a copy becomes.

    Attributes:
        at: its schema and name.
        given: the name as the user wrote it.
        argument: name of the argument that it came in, for errors.
        replace: whether a model of that name is dropped first.
    """

    at: Name
    given: str
    argument: str
    replace: bool

    @classmethod
    def check(cls, opened: UsableModel, given: str | None, argument: str, replace: bool | None) -> NewModel:
        """The new model by arguments; raises MadtreeError as `check_new`, and where it is the opened one itself."""
        at = check_new(opened.host, given, argument, "model", SUFFIXES, bool(replace))
        if at == opened.tables.at:
            raise MadtreeError(
                f"{argument}: {given} is the model itself, which is read until the new one is written",
                hint="Write it under another name. With madtree.model_alias that can get the name by which others ask "
                "for the model.",
            )
        if opened.tables.has("_statistics") and opened.tables.facts.tables["_statistics"].readable:
            opened.tables.hold_also(opened.host, "_statistics")  # which is copied
        return cls(at, str(given).strip(BLANKS), argument, bool(replace))

    def make(self, host: Host, statements: str) -> None:
        """Create its tables by these statements."""
        make_tables(host, *self.at, self.argument, statements, self.replace)

    def of(self, tables: ModelTables, left_out: frozenset[str] = frozenset(), summary: Sequence[str] = ()) -> ModelCopy:
        """The copy that it becomes, but for tables that are left out; `summary`: columns that its summary has in any
        case.

        How far the model's predictions may be off says nothing of the copy's. Statistics, which nothing that predicts
        asks for, are copied where the caller may read them.
        """
        left_out |= {"_conformal"}
        if tables.has("_statistics") and not tables.facts.tables["_statistics"].readable:
            left_out |= {"_statistics"}
        parts: Parts = {suffix: tables.kept_columns(suffix) for suffix in tables.facts.tables if suffix not in left_out}
        lacking = {name: Kept(sql.summary_type(name)) for name in summary if name not in parts["_summary"]}
        parts["_summary"] = {**parts["_summary"], **lacking}
        return ModelCopy(tables.at, self.at, parts)

    def write_summary(
        self, host: Host, copy: ModelCopy, given: Mapping[str, Any], values: Mapping[str, str] | None = None
    ) -> None:
        """Copy the summary.

        Args:
            given: what columns say of the new model, beside its name.
            values: SQL of other columns that become others, over `s`.
        """
        given = {"model_table": self.given, **given}
        statement = copy.fill_summary([*given], values or {})
        host.command(statement, [*map(sql.summary_type, given)], [*given.values()])
