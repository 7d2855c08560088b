"""The feature list: which columns and expressions, of what kind, with arrays taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import NUMERIC_COLUMNS
from madtree.records import dataclass
from madtree.request.catalog import SourceColumn, Type, find_column, spelling
from madtree.request.hints import as_number, did_you_mean
from madtree.sqltext import catalog as sql
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import columns_named, parse_name, split_alias, split_list
from madtree.trees import MOST_FEATURES, Feature, FeatureKind
from madtree.wording import BLANKS

FEATURES = "list_of_features"
EXCLUDED = "list_of_features_to_exclude"
FIT_TYPES = (
    "a feature must be numeric, boolean, text, an enum, a date, a time or an interval, or an array of one of these"
)

_ROLES = {
    "id_col_name": "the id",
    "dependent_variable": "the dependent variable",
    **{name: f"the {name}" for name in NUMERIC_COLUMNS},
    "grouping_cols": "a grouping column",
    "fold_col": "the folds",
    "fold_column": "the folds",
}
_ORDERED = frozenset({"smallint", "integer", "bigint"})
_CONTINUOUS = frozenset(
    {
        "real",
        "double precision",
        "numeric",
        "date",
        "timestamp without time zone",
        "timestamp with time zone",
        "time without time zone",
        "time with time zone",
        "interval",
    }
)


@dataclass(frozen=True)
class Item:
    """A column or an expression that the user named.

    Attributes:
        argument: in which argument.
        text: what users see: a column as SQL (quoted where needed), an expression as given.
        column: the column, or None for an expression.
        starred: it came in by `*`.
        alias: the name behind ``AS``, unquoted; None where there is none.
    """

    argument: str
    text: str
    column: SourceColumn | None
    starred: bool = False
    alias: str | None = None

    @property
    def sql(self) -> str:
        """SQL of its value: a column, or an expression in parentheses."""
        return self.text if self.column else f"({self.text})"


def kind_of(type_: Type) -> FeatureKind | None:
    """How a feature of that type (or, for an array, of its elements' type) may be split; None if it cannot be one."""
    if type_.base in _CONTINUOUS:
        return FeatureKind.CONTINUOUS
    if type_.base in _ORDERED or type_.typtype == "e":
        return FeatureKind.ORDERED
    if type_.base == "boolean" or is_text(type_):
        return FeatureKind.UNORDERED
    return None


def is_text(type_: Type) -> bool:
    """text, varchar, char, name, citext and their like; `"char"` too, which newer servers put in a class of its own."""
    return type_.typtype == "b" and (type_.category == "S" or type_.base == '"char"')


def list_items(
    tell: Callable[[str], None],
    columns: dict[str, SourceColumn],
    relation: str,
    given: str,
    excluded: str | None,
    taken: Sequence[Item],
) -> list[Item]:
    """The features as a list of columns and expressions, `*` replaced. Items that cannot be features, since they are
    listed before or are something else already, are left out with a notice.

    Args:
        tell: takes the notices.
        columns: of the training relation, by unquoted name.
        relation: its name, for errors.
        given, excluded: the two arguments.
        taken: id, dependent, weights, grouping columns, folds.

    Raises:
        MadtreeError: a listed column does not exist, or nothing is left.
    """
    items: list[Item] = []
    for part in split_list(given, FEATURES):
        if part == "*":
            items.append(Item(FEATURES, "*", None, starred=True))
            continue
        expression, alias = split_alias(part, FEATURES)
        if alias is not None:
            raise MadtreeError(
                f"{FEATURES}: {part} gives a name, and a feature is called what its expression is",
                hint=f"Write {expression}. In a view it may have a name.",
            )
        column = find_column(columns, part, FEATURES, relation)
        items.append(Item(FEATURES, column.sql if column else part, column))
    items = _without_taken(tell, items, taken)
    without = _excluded(tell, columns, relation, excluded)
    listed = {item.text for item in items}
    # `*` also leaves out what a dependent or weights expression is made of: a feature that gives the answer away.
    # What groups are made of does not: of a month's tree the day is a feature.
    made_of = [item for item in taken if not item.column and item.argument != "grouping_cols"]
    hidden = {item.column.name for item in taken if item.column}
    hidden = hidden.union(*(columns_named(item.text, columns) for item in made_of))
    result: list[Item] = []
    for item in items:
        if item.starred:
            rest = [c for c in columns.values() if c.name not in hidden and c.sql not in listed]
            result += [Item(FEATURES, c.sql, c, starred=True) for c in rest if c.name not in without]
        elif item.column is None or item.column.name not in without:
            result.append(item)
    if not result:
        raise MadtreeError(
            f"{FEATURES}: no feature is left of {given!r} in {relation} without the id, the dependent variable, "
            "weights, grouping columns and exclusions"
        )
    return result


def make_features(
    host: Host, relation: Relation, id_text: str, items: Sequence[Item], types: Sequence[Type]
) -> tuple[list[Feature], list[bool]]:
    """The features, and for each whether it is a bare column. Arrays are measured in one pass over the relation.

    Raises:
        MadtreeError: a listed item's type cannot be a feature; arrays differ in length, or are empty or all NULL.
    """
    fit: list[tuple[Item, Type]] = []
    skipped: list[str] = []
    for item, type_ in zip(items, types, strict=True):
        if kind_of(type_):
            fit.append((item, type_))
        elif item.starred:
            number = as_number(item.text, type_.base)
            skipped.append(f"{item.text} ({type_.name}{f', a number as {number}' if number else ''})")
        else:
            number = as_number(item.text, type_.base)
            raise MadtreeError(
                f"{FEATURES}: {item.text} is of type {type_.name}, but {FIT_TYPES}",
                hint=f"Write {number}." if number else "Cast it to such a type in the list, or leave it out.",
                sqlstate="42804",
            )
    if skipped:
        host.notice(f"{FEATURES}: '*' leaves out columns whose type cannot be a feature: {', '.join(skipped)}")
    if not fit:
        raise MadtreeError(f"{FEATURES}: no column of a suitable type is left; {FIT_TYPES}")
    lengths = _array_lengths(host, relation, id_text, [item for item, type_ in fit if type_.is_array])
    n_features = sum(lengths[item.text] if type_.is_array else 1 for item, type_ in fit)
    if n_features > MOST_FEATURES:
        raise MadtreeError(
            f"{FEATURES} has {n_features:,} features, of which elements of arrays are one each; at most "
            f"{MOST_FEATURES:,} are possible",
            sqlstate="54000",
        )
    features: list[Feature] = []
    bare: list[bool] = []
    for item, type_ in fit:
        names = [f"({item.text})[{i}]" for i in range(1, lengths[item.text] + 1)] if type_.is_array else [item.text]
        kind = kind_of(type_)
        assert kind is not None
        array = item.text if type_.is_array else None
        features += [Feature(name, type_.base, kind, type_.labels, array) for name in names]
        bare += [item.column is not None and not type_.is_array] * len(names)
    return _without_listed_elements(host, features, bare)


def _without_listed_elements(
    host: Host, features: Sequence[Feature], bare: Sequence[bool]
) -> tuple[list[Feature], list[bool]]:
    """The features without elements of arrays that are listed by themselves, too."""
    of_arrays = {feature.name for feature in features if feature.array is not None}
    twice = [feature.array is None and feature.name in of_arrays for feature in features]
    _notice_left_out(host.notice, {features[i].name: "listed twice" for i, is_twice in enumerate(twice) if is_twice})
    kept = [i for i, is_twice in enumerate(twice) if not is_twice]
    return [features[i] for i in kept], [bare[i] for i in kept]


def _without_taken(tell: Callable[[str], None], items: Sequence[Item], taken: Sequence[Item]) -> list[Item]:
    """The items, each once, without those that are `taken`."""
    roles = {item.text: _ROLES[item.argument] for item in taken}
    kept: dict[str, Item] = {}
    left_out: dict[str, str] = {}
    for item in items:
        if item.text in roles:
            left_out[item.text] = roles[item.text]
        elif item.text in kept:
            left_out[item.text] = "listed twice"
        else:
            kept[item.text] = item
    _notice_left_out(tell, left_out)
    return list(kept.values())


def _notice_left_out(tell: Callable[[str], None], reasons: Mapping[str, str]) -> None:
    if reasons:
        tell(f"{FEATURES}: left out: {', '.join(f'{text} ({why})' for text, why in reasons.items())}")


def _excluded(
    tell: Callable[[str], None], columns: dict[str, SourceColumn], relation: str, excluded: str | None
) -> set[str]:
    """The unquoted names of the excluded columns; a notice tells of those that do not exist."""
    if excluded is None or not excluded.strip(BLANKS):
        return set()
    names: set[str] = set()
    for part in split_list(excluded, EXCLUDED):
        parts = parse_name(part)
        if parts is not None and len(parts) == 1 and parts[0] not in columns:
            tell(
                f"{EXCLUDED}: column {part} does not exist in {relation}, and excludes nothing. "
                f"{did_you_mean(parts[0], spelling(columns.values())) or ''}".rstrip()
            )
            continue
        column = find_column(columns, part, EXCLUDED, relation)
        if column is None:
            raise MadtreeError(f"{EXCLUDED}: {part} is not the name of a column; it must list columns")
        names.add(column.name)
    return names


def _array_lengths(host: Host, relation: Relation, id_text: str, arrays: Sequence[Item]) -> dict[str, int]:
    """Length of each array, by the item's text."""
    if not arrays:
        return {}
    row = host.query(sql.array_lengths(relation.schema, relation.name, [item.sql for item in arrays]))[0]
    if not row["n_rows"]:
        raise MadtreeError(f"training_table_name: {relation.name} has no rows")
    lengths: dict[str, int] = {}
    for i, item in enumerate(arrays):
        shortest, longest = row[f"min_{i}"], row[f"max_{i}"]
        if longest is None:
            raise MadtreeError(
                f"{FEATURES}: array column {item.text} is NULL in every row", hint=f"List it in {EXCLUDED}."
            )
        if row[f"odd_{i}"]:
            example = _example(host, relation, id_text, item, None)
            raise MadtreeError(
                f"{FEATURES}: arrays in {item.text} must have one dimension that begins at 1, but that of the row with "
                f"id {example['id']} is {example['dims']}"
            )
        if shortest != longest:
            long, short = (_example(host, relation, id_text, item, n)["id"] for n in (longest, shortest))
            raise MadtreeError(
                f"{FEATURES}: arrays in {item.text} must all have the same length, but that of the row with id "
                f"{long} has {longest} elements, that of the row with id {short} has {shortest}"
            )
        if longest == 0:
            raise MadtreeError(
                f"{FEATURES}: array column {item.text} is empty in every row", hint=f"List it in {EXCLUDED}."
            )
        lengths[item.text] = longest
    return lengths


def _example(host: Host, relation: Relation, id_text: str, item: Item, length: int | None) -> dict[str, object]:
    return host.query(sql.array_example(relation.schema, relation.name, id_text, item.sql, length))[0]
