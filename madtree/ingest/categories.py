"""The categories of text features, and the folds that a column tells of: what stands for them in packed rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.learn.data import Floats
from madtree.records import dataclass
from madtree.sqltext import profile as sql
from madtree.sqltext.rows import RowSource
from madtree.trees import MAX_CATEGORIES, MOST_EXPRESSION_BYTES, MOST_LIST_BYTES, Feature, FeatureKind
from madtree.wording import count_text

MAX_FOLDS = 255
BOOLEAN_CATEGORIES = ("false", "true")


@dataclass(frozen=True)
class Categories:
    """The categories of an unordered feature in SQL order, NULL last.

    Their texts (None for NULL), and the numbers that stand for them in packed
    rows.
    """

    labels: tuple[str | None, ...]
    keys: Floats


def read_categories(
    host: Host, source: RowSource, features: Sequence[Feature], null_as_category: bool
) -> list[Categories | None]:
    """The categories of each unordered feature, None for the others; with `null_as_category` NULL is one, NaN its key.

    Raises:
        MadtreeError: a feature has more categories than codes, or is volatile.
    """
    found: list[Categories | None] = []
    n_bytes = 0
    for feature in features:
        if feature.kind is not FeatureKind.UNORDERED:
            found.append(None)
        elif feature.type == "boolean":
            found.append(Categories(BOOLEAN_CATEGORIES, np.array([0.0, 1.0])))
        else:
            rows = host.query(sql.categories(source.relation, feature))
            n, longest, own_bytes = _sizes(rows)
            if n > MAX_CATEGORIES:
                raise MadtreeError(
                    f"list_of_features: {feature.name} has {n} categories; at most {MAX_CATEGORIES} are possible",
                    hint="Leave it out with list_of_features_to_exclude; a column that identifies rows is none.",
                )
            check_length("list_of_features", feature.name, longest)
            n_bytes += own_bytes
            check_bytes(f"list_of_features: the categories of features up to {feature.name[:100]}", n_bytes)
            if any(row["category"] is None for row in rows):  # it was not NULL there a moment before
                raise MadtreeError(
                    f"list_of_features: {feature.name[:100]} gives different values for the same row",
                    hint="It calls a volatile function: keep its values in a column, and take that as the feature.",
                    sqlstate="40001",
                )
            keys = np.array([float(row["key"]) for row in rows])
            found.append(Categories(tuple(row["category"] for row in rows), distinct_keys(keys, feature.name)))
    if null_as_category:
        return [
            categories and Categories((*categories.labels, None), np.append(categories.keys, np.nan))
            for categories in found
        ]
    return found


def check_labels(argument: str, what: str, labels: Iterable[str | None]) -> None:
    """Refuse classes or categories that are too long to be read from a model later; `what` has them, in `argument`.

    Raises:
        MadtreeError: there is one.
    """
    check_length(argument, what, max((len(label.encode()) for label in labels if label), default=0))


def check_length(argument: str, what: str, longest: int) -> None:
    """`check_labels`, where their greatest length in bytes is known."""
    if longest > MOST_EXPRESSION_BYTES:
        raise MadtreeError(
            f"{argument}: {what[:100]} has a value of {longest:,} bytes; at most {MOST_EXPRESSION_BYTES:,} are "
            "possible",
            hint="Take something shorter that tells them apart, for instance md5(...).",
            sqlstate="54000",
        )


def check_bytes(what: str, n_bytes: int) -> None:
    """Refuse classes, or the categories of some features together, that are too large to be fetched.

    Raises:
        MadtreeError: they have more bytes; `what` is an argument, and what of it has them.
    """
    if n_bytes > MOST_LIST_BYTES:
        raise MadtreeError(
            f"{what} have {n_bytes:,} bytes together; at most {MOST_LIST_BYTES:,} are possible",
            hint="Take something shorter that tells them apart, for instance md5(...).",
            sqlstate="54000",
        )


def _sizes(rows: Sequence[Row]) -> tuple[int, int, int]:
    """How many categories there are, the bytes of the longest, and of all."""
    return (int(rows[0]["n"]), int(rows[0]["longest"] or 0), int(rows[0]["bytes"] or 0)) if rows else (0, 0, 0)


def in_all_rows(column: str) -> tuple[str, str]:
    """What to say of a column that holds all rows out, and of one that holds none out."""
    some = "in all rows; some must be in training, and some held out"
    return f"{column} is true, or not 0, {some}", f"{column} is false, or 0, {some}"


def read_folds(
    host: Host, source: RowSource, fold: Feature, name: str, one_sided: tuple[str, str] | None = None
) -> Floats:
    """(n_folds,) the numbers that stand for the folds of a column in packed rows; of one that tells which rows are held
    out to stop by, those of false and true.

    Args:
        name: of the column, behind that of its argument.
        one_sided: of such a column, what to say where all rows are held out, and where none is.

    Raises:
        MadtreeError: the column has fewer than two values, or more than can be folds.
    """
    rows = host.query(sql.categories(source.relation, fold))
    if one_sided and len(rows) < 2:
        raise MadtreeError(one_sided[0 if rows and rows[0]["category"] == "true" else 1])
    n = _sizes(rows)[0]
    if not 2 <= n <= MAX_FOLDS:
        raise MadtreeError(
            f"{name} has {count_text(n, 'distinct value')}; there must be 2 to {MAX_FOLDS}, one for each fold"
        )
    return distinct_keys(np.array([float(row["key"]) for row in rows]), name)


def distinct_keys(keys: Floats, name: str) -> Floats:
    """`keys`, checked: two categories with the same hash could not be told apart."""
    if len(np.unique(keys)) < len(keys):
        raise MadtreeError(f"{name}: two categories have the same 53-bit hash", hint="Rename one of the categories.")
    return keys
