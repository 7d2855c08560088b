"""Features that are computed from the dependent variable, which a model would only repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.host import Host
from madtree.request.catalog import OID, SourceColumn
from madtree.request.features import FEATURES, Item
from madtree.sqltext import catalog as sql
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import columns_named


def warn_of_derived_features(
    host: Host, relation: Relation, columns: Mapping[str, SourceColumn], dependent: Item, items: Sequence[Item]
) -> None:
    """A notice that names the features that are computed from the dependent variable: generated columns, expressions.

    Where the dependent is made of several columns, each of them alone may well be known before it, and nothing is told.
    """
    outcome = _columns_used(dependent, columns)
    if len(outcome) != 1:
        return
    generated: dict[str, set[str]] = {}
    for row in host.query(sql.GENERATED_FROM, [OID], [relation.oid]):
        generated.setdefault(row["name"], set()).add(row["source"])
    derived = [
        item.text for item in items if _depends(_columns_used(item, columns), outcome, generated, item.column is None)
    ]
    if derived:
        host.notice(
            f"{FEATURES}: computed from {columns[outcome.pop()].sql}, which is to be predicted: {', '.join(derived)}; "
            f"a model of these repeats what is known already"
        )


def _columns_used(item: Item, columns: Mapping[str, SourceColumn]) -> set[str]:
    """The unquoted names of the columns that an item uses."""
    return {item.column.name} if item.column else columns_named(item.text, columns)


def _depends(made_of: set[str], outcome: set[str], generated: Mapping[str, set[str]], is_expression: bool) -> bool:
    sources: set[str] = set().union(*(generated.get(name, ()) for name in made_of))
    return bool(outcome & (sources | made_of if is_expression else sources))
