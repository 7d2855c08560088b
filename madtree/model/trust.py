"""Whose a model is, and whether it may be read and used: decided from the catalogue before anything of it is read.

A model is like a view: who uses it may run what its owner wrote. docs/security.md has the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model.facts import Facts, TableFacts
from madtree.sqltext.check import faulty_key
from madtree.sqltext.kinds import EXPECTED, columns_of_kind
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import KEYS, MEMBER_COLUMNS
from madtree.trees import ModelKind

NOT_ALLOWED = "42501"
TRUST_HINT = "Look at it as you would at that role's views; if you trust it, say trust_owner => true."


def check_harmless(given: str, facts: Facts, argument: str) -> None:
    """Refuse tables on which something of another role's would run as soon as they are planned or read.

    Raises:
        MadtreeError: there is such a thing; it is named.
    """
    for table in facts.tables.values():
        # A view is a rule. Nothing of madtree's reads it.
        if table.hazards and table.kind != "v":
            owner = ident(facts.schema_owner if table.trusted else table.owner)
            whose = f"lies in a schema of {owner}'s" if table.trusted else f"is {owner}'s"
            raise MadtreeError(
                f"{argument}: {given} {whose}, and its table {ident(table.name)} has {table.hazards[0]}: PostgreSQL "
                f"would run what {owner} wrote there with your rights as soon as the table is read",
                hint="A model's tables have nothing of the kind when they are trained. Ask the owner to drop it.",
                sqlstate=NOT_ALLOWED,
            )


def check_columns(given: str, facts: Facts, grouping: Iterable[str] | None = None) -> None:
    """A model's tables must have the columns that are read, of the very types that training gives them, and with a
    collation by which no texts are equal but the same: what a query has found to be a feature's name must be that.

    A column that is not there could be a function of its owner's that takes the table's row.

    Raises:
        MadtreeError: a column is missing, or of another type or such a collation.
    """
    blurred = [(each.name, name) for each in facts.tables.values() for name, c in each.columns.items() if c.blurred]
    for name, column in blurred:
        raise MadtreeError(
            f"{given} is damaged: by the collation of the column {ident(column)} of its table {ident(name)} different "
            "texts are equal"
        )
    for suffix, columns, optional in _EXPECTED:
        table = facts.tables.get(suffix)
        if table is None:
            continue
        for column, type_ in columns:
            found = table.columns.get(column)
            if found is None and column in optional:
                continue
            if found is None:
                cause = "; was the type of the dependent variable dropped?" if column == "prediction" else ""
                raise MadtreeError(
                    f"{given} is damaged: its table {ident(table.name)} lacks the column {column}{cause}",
                    hint="Train the model again, or restore its tables.",
                    sqlstate="42703",
                )
            _check_type(given, table, column, type_)
    if "_group" in facts.tables:
        trees = facts.tables[""]
        for column, _ in MEMBER_COLUMNS:
            if column not in trees.columns or trees.columns[column].type != "integer":
                raise MadtreeError(
                    f"{given} is damaged: its table {ident(trees.name)} has no column {column} of type integer",
                    hint="Train the model again, or restore its tables.",
                    sqlstate="42703",
                )
    for column in grouping or ():
        for suffix in ("", "_group", "_cv", "_rounds"):
            table = facts.tables.get(suffix)
            if table is not None and column not in table.columns:
                raise MadtreeError(
                    f"{given} is damaged: its table {ident(table.name)} lacks the grouping column "
                    f"{ident(column)}; was its type dropped?"
                )
            if table is not None and table.columns[column].type != facts.tables[""].columns[column].type:
                raise MadtreeError(
                    f"{given} is damaged: the grouping column {ident(column)} of its table {ident(table.name)} is of "
                    f"type {table.columns[column].type}, not {facts.tables[''].columns[column].type}"
                )


def check_columns_of_kind(given: str, facts: Facts, kind: ModelKind) -> None:
    """Columns that models of that kind alone have must be of the very types that training gives them.

    Raises:
        MadtreeError: one of them is not.
    """
    for suffix, columns in columns_of_kind(kind):
        for column, type_ in columns:
            if suffix in facts.tables and column in facts.tables[suffix].columns:
                _check_type(given, facts.tables[suffix], column, _spelled(type_))


def _check_type(given: str, table: TableFacts, column: str, type_: str | None) -> None:
    found = table.columns[column]
    if type_ is not None and not (found.own and found.type.removeprefix("pg_catalog.") == type_):
        raise MadtreeError(
            f"{given} is damaged: column {column} of its table {ident(table.name)} is of type {found.type}, not {type_}"
        )


def check_owners_code(
    given: str, facts: Facts, argument: str, expressions: Sequence[str], types: Mapping[str, bool], trust_owner: bool
) -> None:
    """Refuse to run for a superuser what another role wrote into a model, unless she trusts that role.

    Args:
        expressions: what the model names that is no plain column.
        types: by its name, whether each type that the model uses is trusted.

    Raises:
        MadtreeError: there is such a thing.
    """
    role = facts.foreign_role
    if role is None or trust_owner or not facts.by_superuser:
        return
    untrusted = [name for name, trusted in types.items() if not trusted]
    if not expressions and not untrusted:
        return
    what = f"the expression {_shown(expressions[0])}" if expressions else f"the type {_shown(untrusted[0])}"
    raise MadtreeError(
        f"{argument}: {facts.whose(given)}, and it has {what}: like a view of that role's it would run what {role} "
        "wrote, or had others write, with the rights of a superuser",
        hint=TRUST_HINT,
        sqlstate=NOT_ALLOWED,
    )


def _shown(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}..."


_SPELLED = {
    "int4": "integer",
    "int8": "bigint",
    "float8": "double precision",
    "bool": "boolean",
    "timestamptz": "timestamp with time zone",
}


def _spelled(type_: str | None) -> str | None:
    """A type's name as `format_type` prints it."""
    if type_ is None:
        return None
    element = type_.removesuffix("[]")
    return _SPELLED.get(element, element) + type_[len(element) :]


# As `kinds.EXPECTED`, types spelled as the catalogue spells them.
_EXPECTED = tuple(
    (suffix, tuple((column, _spelled(type_)) for column, type_ in columns), optional)
    for suffix, columns, optional in EXPECTED
)


def check_keys(host: Host, given: str, schema: str, name: str, facts: Facts) -> None:
    """Look at the keys of a model's tables, but of those whose primary key keeps them: a table that was copied without
    it, or made to deceive, has none.

    Raises:
        MadtreeError: rows of a table have the same key, or a row has none.
    """
    for suffix, columns in KEYS.items():
        table = facts.tables.get(suffix)
        if table is None or table.kind != "r" or (table.primary_key and table.primary_key <= {*columns}):
            continue
        for row in _faulty(host, faulty_key(schema, name, suffix)):
            key = ", ".join(
                f"{column} {'NULL' if number is None else number}"
                for column, number in zip(columns, row["numbers"], strict=True)
            )
            what = "a row without a whole key" if None in row["numbers"] else "several rows with the key"
            raise MadtreeError(f"{given} is damaged: its table {ident(table.name)} has {what}, {key}")


def _faulty(host: Host, statement: str) -> list[Row]:
    try:
        return host.query(statement)
    except Exception as error:  # who may not read a table finds out when it is read
        if str(getattr(error, "sqlstate", "")) != NOT_ALLOWED:
            raise
        return []
