"""A model that a call has opened: found, held as it is, looked at, and read so far as its summary goes.

Whoever reads more of it, or has rows scored by it, takes this one value: so the tables are those that the description
is of, and both are as they were found for the session that asks.
"""

from __future__ import annotations

from madtree.host import Host, Row
from madtree.model.facts import ColumnFacts
from madtree.model.find import ModelTables, find_model, find_trained
from madtree.model.summary import read_summary, unquoted
from madtree.records import dataclass
from madtree.sqltext import models as sql
from madtree.sqltext.models import NodeRelation
from madtree.sqltext.packed_nodes import decoded_nodes
from madtree.sqltext.values import Writer
from madtree.trees import Model


@dataclass(frozen=True)
class OpenModel:
    """A model of which names and numbers are shown: nothing of it is run. `find_to_show` makes one.

    Attributes:
        host: who asks; its transaction holds the tables.
        tables: where the model is kept.
        model: what its summary says; it has no trees.
    """

    host: Host
    tables: ModelTables
    model: Model

    @property
    def grouping(self) -> dict[str, ColumnFacts]:
        """The grouping columns of `<output>` by their unquoted names."""
        columns = self.tables.facts.tables[""].columns
        return {name: columns[name] for name in map(unquoted, self.model.grouping_columns)}

    @property
    def group_writers(self) -> list[tuple[str, Writer | None]]:
        """The names of the grouping columns, and how their values are written as text."""
        return [(name, column.writer) for name, column in self.grouping.items()]

    @property
    def nodes(self) -> NodeRelation:
        """Where the nodes are read from. Never from a view, which would run what its owner wrote."""
        tables, model = self.tables, self.model
        if not tables.is_packed:
            return NodeRelation(tables.part("_nodes"), tables.prediction_writer)
        text = "text" if model.has_class_leaves else None
        return NodeRelation(
            f"({decoded_nodes(*tables.at, model.node_layout, model.feature_names, text, model.classes)})", None
        )

    def size(self) -> Row:
        """How many `trees` there are, how many of these are a `single` leaf, and how many `leaves` all have together,
        where a tree that failed counts as one.
        """
        return self.host.query(sql.size(*self.tables.at))[0]

    def look_again_at(self, suffix: str) -> None:
        """Hold a table that is there, and that not every reader reads, and look at it once more when the call ends."""
        self.tables.hold_also(self.host, suffix)
        self.tables.look_again(self.host, [suffix])

    def to_use(self) -> UsableModel:
        """This model for whom may have its expressions run; raises as `read_summary`."""
        return UsableModel(self.host, self.tables, read_summary(self.host, self.tables))


@dataclass(frozen=True)
class UsableModel(OpenModel):
    """One whose expressions may be run or handed out, by the rights of who asks. `find_to_use` makes one."""


def find_to_use(host: Host, given: str | None, trust_owner: bool | None, argument: str = "model") -> UsableModel:
    """A model whose expressions will be run or handed out; errors as of `find_model` and `read_summary`."""
    tables = find_model(host, given, argument, trust_owner=trust_owner)
    return UsableModel(host, tables, read_summary(host, tables))


def find_to_show(
    host: Host, given: str | None, argument: str = "model", *, trust_owner: bool | None = False
) -> OpenModel:
    """A model of which names and numbers are shown: nothing of it is run. Otherwise as `find_to_use`."""
    tables = find_model(host, given, argument, trust_owner=trust_owner)
    return OpenModel(host, tables, read_summary(host, tables, to_run=False))


def find_own(host: Host, schema: str, name: str) -> UsableModel:
    """A model that this call has made itself, and may go on writing to."""
    tables = find_trained(host, schema, name)
    return UsableModel(host, tables, read_summary(host, tables))
