"""Queries that find what cannot be in a model's tables: the first fault of a row, as a sentence.

Whatever is read of a row later has been looked at here, so that no route of prediction has to.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.models import NodeRelation
from madtree.sqltext.quote import ident, literal
from madtree.sqltext.tables import KEYS, model_table
from madtree.sqltext.values import text_of
from madtree.trees import MAX_CATEGORIES, MOST_EXPRESSION_BYTES

MAX_DEPTH = 62  # of a node whose id is a bigint
_LARGEST = "'1e300'::pg_catalog.float8"  # weights add up to less than the largest float8


def faulty_trees(schema: str, model: str, grouping: Sequence[str]) -> str:
    """Trees that are none: `tree_id` and `fault`; $1 is the number of features."""
    faults = [
        (_below("t.tree_id", 0), "has a negative tree_id"),
        (f"COALESCE({_below('t.n_rows', 0)}, false)", "has a negative number of rows"),
        (f"COALESCE({_below('t.n_nodes', 0)} OR {_below('t.n_leaves', 0)}, true)", "has no number of nodes"),
        (f"COALESCE({_below('t.tree_depth', 0)}, true)", "has no depth"),
        (f"COALESCE({_not_a_number('t.pruning_cp')}, false)", "has an unfit pruning_cp"),
        (
            "t.impurity_var_importance IS NOT NULL AND ("
            f"{_length('t.impurity_var_importance')} OPERATOR(pg_catalog.<>) $1::pg_catalog.int4 "
            f"OR {_bad_numbers('t.impurity_var_importance')})",
            "has no importance for each feature",
        ),
        (
            f"pg_catalog.octet_length(t.message) OPERATOR(pg_catalog.>) {MOST_EXPRESSION_BYTES}",
            f"has a message of more than {MOST_EXPRESSION_BYTES:,} bytes",
        ),
        *_no_nulls("t", grouping),
    ]
    table = model_table(schema, model)
    return (
        f"{_first_fault(faults, f'{table} AS t', 't.tree_id, NULL::pg_catalog.int8 AS node_id')} UNION ALL "
        f"SELECT NULL, NULL, 'is not there, nor any other' WHERE NOT EXISTS (SELECT FROM {table}) LIMIT 1"
    )


def faulty_members(schema: str, model: str) -> str:
    """Trees that are not in their place: `tree_id`, `node_id` and `fault`; $1 trees that each group has."""
    place = f"{_below('t.gid', 1)} OR {_below('t.sample_id', 1)} OR t.sample_id OPERATOR(pg_catalog.>) $1"
    number = "((t.gid::pg_catalog.int8 OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog.*) $1) OPERATOR(pg_catalog.+)"
    group = f"SELECT FROM {model_table(schema, model, '_group')} AS g WHERE g.gid OPERATOR(pg_catalog.=) t.gid"
    faults = [
        (
            f"COALESCE({place} OR ({number} t.sample_id) OPERATOR(pg_catalog.<>) t.tree_id, true)",
            "has another gid or sample_id than its number",
        ),
        (f"NOT EXISTS ({group})", "is of a group that is not there"),
    ]
    rows = f"{model_table(schema, model)} AS t"
    return f"{_first_fault(faults, rows, 't.tree_id, NULL::pg_catalog.int8 AS node_id')} LIMIT 1"


def faulty_own_members(schema: str, model: str) -> str:
    """As `faulty_members`, where each group says how many trees it has; and a group that has not so many."""
    groups, trees = model_table(schema, model, "_group"), model_table(schema, model)
    places = (
        "SELECT g.gid, g.n_trees, pg_catalog.sum(g.n_trees) OVER (ORDER BY g.gid) "
        f"OPERATOR(pg_catalog.-) g.n_trees::pg_catalog.int8 AS before FROM {groups} AS g"
    )
    found = (
        f"SELECT t.tree_id, t.gid, t.sample_id, p.gid AS of_group, p.n_trees, p.before FROM {trees} AS t "
        f"LEFT JOIN ({places}) AS p ON p.gid OPERATOR(pg_catalog.=) t.gid"
    )
    # Counted once: to count each group's trees apart would read all of them for each group.
    counts = f"SELECT t.gid, pg_catalog.count(*) AS n FROM {trees} AS t GROUP BY t.gid"
    place = f"{_below('t.sample_id', 1)} OR t.sample_id OPERATOR(pg_catalog.>) t.n_trees"
    faults = [
        ("t.of_group IS NULL", "is of a group that is not there"),
        (
            f"COALESCE({place} OR (t.before OPERATOR(pg_catalog.+) t.sample_id) OPERATOR(pg_catalog.<>) t.tree_id, "
            "true)",
            "has another gid or sample_id than its number",
        ),
    ]
    return (
        f"{_first_fault(faults, f'({found}) AS t', 't.tree_id, NULL::pg_catalog.int8 AS node_id')} UNION ALL "
        "SELECT p.before::pg_catalog.int4 OPERATOR(pg_catalog.+) p.n_trees, NULL, 'is not there' "
        f"FROM ({places}) AS p LEFT JOIN ({counts}) AS c ON c.gid OPERATOR(pg_catalog.=) p.gid "
        "WHERE p.n_trees OPERATOR(pg_catalog.<>) COALESCE(c.n, 0) LIMIT 1"
    )


def faulty_packed(schema: str, model: str, record_bytes: int) -> str:
    """Trees without nodes, or with more categories than these can name; and nodes of no tree: `tree_id`, `node_id` and
    `fault`.
    """
    packed = model_table(schema, model, "_packed")
    nodes = f"(COALESCE(pg_catalog.octet_length(p.nodes), 0) OPERATOR(pg_catalog./) {record_bytes})"
    most = f"({nodes}::pg_catalog.int8 OPERATOR(pg_catalog.*) {MAX_CATEGORIES + 1}::pg_catalog.int8)"
    categories = "pg_catalog.cardinality(p.category_sets)::pg_catalog.int8"
    faults = [
        ("t.tree_id IS NULL", "is not there, but nodes of it are"),
        ("COALESCE(pg_catalog.octet_length(p.nodes), 0) OPERATOR(pg_catalog.=) 0", "has no nodes"),
        (f"{categories} OPERATOR(pg_catalog.>) {most}", "has more categories than its nodes can name"),
    ]
    rows = f"{model_table(schema, model)} AS t FULL JOIN {packed} AS p ON p.tree_id OPERATOR(pg_catalog.=) t.tree_id"
    key = "COALESCE(p.tree_id, t.tree_id) AS tree_id, NULL::pg_catalog.int8 AS node_id"
    return f"{_first_fault(faults, rows, key)} LIMIT 1"


def faulty_groups(schema: str, model: str, grouping: Sequence[str], importances: Sequence[str]) -> str:
    """Groups that are none: `gid` and `fault`; $1 is the number of features, $2 that of groups.

    `importances`: columns that have a number for each feature.
    """
    faults = [
        (f"{_below('g.gid', 1)} OR g.gid OPERATOR(pg_catalog.>) $2", "has a gid that no group has"),
        *(
            (
                f"g.{column} IS NOT NULL AND {_length(f'g.{column}')} OPERATOR(pg_catalog.<>) $1",
                f"has no {column} of each feature",
            )
            for column in importances
        ),
        *(
            (f"pg_catalog.num_nulls(g.{ident(column)}) OPERATOR(pg_catalog.>) 0", f"has no {column}")
            for column in grouping
        ),
    ]
    cases = " WHEN ".join(f"{condition} THEN {literal(what)}" for condition, what in faults)
    table = model_table(schema, model, "_group")
    return (
        f"SELECT f.gid, f.fault FROM (SELECT g.gid, CASE WHEN {cases} END AS fault FROM {table} AS g) AS f "
        "WHERE f.fault IS NOT NULL LIMIT 1"
    )


def faulty_nodes(schema: str, name: str, nodes: NodeRelation, *, is_classification: bool, one_tree: bool) -> str:
    """Nodes that are none: `tree_id`, `node_id` and `fault`, at most one.

    Parameters: $1 names of the features, $2 of those that are unordered, $3 of those that are boolean, $4 the class
    labels; $5 is the tree to look at, if `one_tree`.
    """
    inner = "n.feature IS NOT NULL"
    unordered = "n.feature OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.text[])"
    its_tree = f"SELECT FROM {model_table(schema, name)} AS t WHERE t.tree_id OPERATOR(pg_catalog.=) n.tree_id"
    faults = [
        ("n.tree_id IS NULL OR n.node_id IS NULL OR n.depth IS NULL", "has no number or depth"),
        (
            f"{_below('n.node_id', 0)} OR {_below('n.depth', 0)} OR n.depth OPERATOR(pg_catalog.>) {MAX_DEPTH} "
            "OR n.node_id OPERATOR(pg_catalog.>=) 9223372036854775807::pg_catalog.int8",
            "has a number that no node has",
        ),
        (
            "((n.node_id OPERATOR(pg_catalog.+) 1::pg_catalog.int8) OPERATOR(pg_catalog.>>) n.depth) "
            "OPERATOR(pg_catalog.<>) 1::pg_catalog.int8",
            "has another depth than its number",
        ),
        (
            f"COALESCE(n.is_leaf OPERATOR(pg_catalog.=) ({inner}), true)",
            "is a leaf with a feature, or another node without",
        ),
        (
            f"{inner} AND NOT n.feature OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[])",
            "asks what is no feature of the model",
        ),
        (f"NOT EXISTS ({its_tree})", "is of a tree that is not there"),
        (f"{inner} AND n.majority_left IS NULL", "has no majority"),
        (f"{inner} AND NOT {unordered} AND {_not_a_number('n.threshold')}", "has no threshold"),
        *_category_faults("n", unordered),
        (f"COALESCE({_below('n.n_rows', 0)}, true)", "has no number of rows"),
        *(
            (_not_a_number(f"n.{column}"), f"has an unfit {column}")
            for column in ("weight", "impurity", "risk", "complexity")
        ),
        ("n.weight OPERATOR(pg_catalog.<) 0", "has a negative weight"),
        (f"{inner} AND {_not_a_number('n.improvement')}", "has an unfit improvement"),
    ]
    if is_classification:
        among = f"{text_of('n.prediction', nodes.writer)} OPERATOR(pg_catalog.=) ANY ($4::pg_catalog.text[])"
        faults += [
            (f"{_unless_untold('n.prediction')} AND COALESCE(NOT {among}, true)", "predicts no class of the model"),
            (
                f"{_unless_untold('n.class_weights')} AND ("
                f"COALESCE({_length('n.class_weights')} OPERATOR(pg_catalog.<>) "
                "pg_catalog.cardinality($4::pg_catalog.text[]), true) "
                f"OR {_bad_numbers('n.class_weights')} OR NOT 0::pg_catalog.float8 OPERATOR(pg_catalog.<) "
                "ANY (n.class_weights))",
                "has no weight for each class",
            ),
        ]
    else:
        faults += [
            (f"{_unless_untold('n.prediction')} AND {_not_a_number('n.prediction')}", "predicts no number"),
            ("n.class_weights IS NOT NULL", "has weights of classes"),
        ]
    where = " WHERE n.tree_id OPERATOR(pg_catalog.=) $5" if one_tree else ""
    rows = f"(SELECT n.* FROM {nodes.sql} AS n{where}) AS n"
    return f"{_first_fault(faults, rows, 'n.tree_id, n.node_id')} LIMIT 1"


def faulty_surrogates(schema: str, name: str) -> str:
    """Surrogates that are none: `tree_id`, `node_id` and `fault`, at most one; $1 to $3 as for `faulty_nodes`."""
    agreements = ("agreement", "adjusted_agreement")
    return _faulty_splits(
        model_table(schema, name, "_surrogates"),
        "a surrogate",
        [("s.low_goes_left IS NULL", "has a surrogate without a direction")],
        [(_not_a_number(f"s.{column}"), f"has an unfit {column}") for column in agreements],
    )


def faulty_competitors(schema: str, name: str) -> str:
    """Competitors that are none: `tree_id`, `node_id` and `fault`, at most one; $1 to $3 as for `faulty_nodes`."""
    unfit = (_not_a_number("s.improvement"), "has a competitor with an unfit improvement")
    return _faulty_splits(model_table(schema, name, "_competitors"), "a competitor", [], [unfit])


def _faulty_splits(table: str, noun: str, first: Sequence[tuple[str, str]], last: Sequence[tuple[str, str]]) -> str:
    """Of splits beside those of the nodes; `first` and `last`: faults that only they have, the graver ones first."""
    unordered = "s.feature OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.text[])"
    faults = [
        (
            "COALESCE(NOT s.feature OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[]), true)",
            f"has {noun} that asks what is no feature of the model",
        ),
        *first,
        (f"NOT {unordered} AND {_not_a_number('s.threshold')}", f"has {noun} without a threshold"),
        *_category_faults("s", unordered),
        *last,
    ]
    return f"{_first_fault(faults, f'{table} AS s', 's.tree_id, s.node_id')} LIMIT 1"


def faulty_key(schema: str, name: str, suffix: str) -> str:
    """A key that is there twice in one of the tables, or lacks a number: the `numbers` in it."""
    columns = [f"k.{column}" for column in KEYS[suffix]]
    key = ", ".join(columns)
    numbers = ", ".join(f"{column}::pg_catalog.int8" for column in columns)
    return (
        f"SELECT ARRAY[{numbers}] AS numbers FROM {model_table(schema, name, suffix)} AS k GROUP BY {key} "
        "HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 OR "
        f"pg_catalog.num_nulls({key}) OPERATOR(pg_catalog.>) 0 LIMIT 1"
    )


def _first_fault(faults: Sequence[tuple[str, str]], rows: str, key: str) -> str:
    cases = " WHEN ".join(f"{condition} THEN {literal(what)}" for condition, what in faults)
    names = "f.tree_id, f.node_id, f.fault"
    return (
        f"SELECT {names} FROM (SELECT {key}, CASE WHEN {cases} END AS fault FROM {rows}) AS f WHERE f.fault IS NOT NULL"
    )


def _no_nulls(alias: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    return [
        (f"pg_catalog.num_nulls({alias}.{ident(column)}) OPERATOR(pg_catalog.>) 0", f"has no {column}")
        for column in columns
    ]


def _category_faults(alias: str, unordered: str) -> list[tuple[str, str]]:
    sides = f"{alias}.left_levels", f"{alias}.right_levels"
    boolean = f"{alias}.feature OPERATOR(pg_catalog.=) ANY ($3::pg_catalog.text[])"
    odd = " OR ".join(
        f"{side} IS NULL OR COALESCE(pg_catalog.array_ndims({side}), 1) OPERATOR(pg_catalog.<>) 1" for side in sides
    )
    booleans = "'{true,false,NULL}'::pg_catalog.text[]"
    others = " OR ".join(
        f"EXISTS (SELECT FROM pg_catalog.unnest({side}) AS u(v) "
        f"WHERE pg_catalog.array_position({booleans}, u.v) IS NULL)"
        for side in sides
    )
    told = f"{sides[0]} IS NOT NULL OR {sides[1]} IS NOT NULL"
    long = " OR ".join(f"pg_catalog.cardinality({side}) OPERATOR(pg_catalog.>) {MAX_CATEGORIES + 1}" for side in sides)
    return [
        (long, "names more categories than a feature can have"),
        (f"NOT COALESCE({unordered}, false) AND ({told})", "has categories of what has none"),
        (f"{unordered} AND ({odd})", "has no lists of categories"),
        (f"{unordered} AND {alias}.threshold IS NOT NULL", "has a threshold besides its categories"),
        (f"{boolean} AND ({others})", "has categories that are no booleans"),
    ]


def _unless_untold(column: str) -> str:
    """Of a leaf all must be there; of an inner node what is there is looked at."""
    return f"NOT (n.feature IS NOT NULL AND pg_catalog.num_nulls({column}) OPERATOR(pg_catalog.=) 1)"


def _below(column: str, least: int) -> str:
    return f"{column} OPERATOR(pg_catalog.<) {least}"


def _not_a_number(column: str) -> str:
    return f"COALESCE({column} OPERATOR(pg_catalog.=) 'NaN'::pg_catalog.float8, true)"


def _length(array: str) -> str:
    """Elements of an array of one dimension that begins at 1; -1 of another one."""
    return (
        f"CASE WHEN pg_catalog.array_ndims({array}) OPERATOR(pg_catalog.=) 1 AND "
        f"pg_catalog.array_lower({array}, 1) OPERATOR(pg_catalog.=) 1 THEN pg_catalog.cardinality({array}) "
        "ELSE '-1'::pg_catalog.int4 END"
    )


def _bad_numbers(array: str) -> str:
    """Whether a float8 array has a NULL, NaN, a negative or an enormous number."""
    return (
        f"NOT COALESCE(0::pg_catalog.float8 OPERATOR(pg_catalog.<=) ALL ({array}) "
        f"AND {_LARGEST} OPERATOR(pg_catalog.>) ALL ({array}), false)"
    )
