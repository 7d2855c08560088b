"""Packed nodes: the SQL that writes records and takes them apart again.

`<output>_packed` has a row for each tree with its nodes in one value, `nodes`: records of one size, big-endian, by node
id. Rows for the nodes would take longer to write than the trees to grow. `<output>_nodes` is a view that decodes them
by nothing but PostgreSQL's own functions, so that it does without the extension. It reads no other table: scripts
written for MADlib drop `<output>`, `<output>_group` and `<output>_summary` before they train again.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext import array_text
from madtree.sqltext import sent_rows as sent
from madtree.sqltext.inserts import unnested, with_arrays
from madtree.sqltext.models import stored_bytes
from madtree.sqltext.quote import is_temporary, literal, spelled_out
from madtree.sqltext.sent_models import category_hash
from madtree.sqltext.tables import NODE_COLUMNS, PACKED_COLUMNS, model_table
from madtree.sqltext.typenames import type_sql
from madtree.trees import FIELD_SIZES, NodeLayout

# What is handed over for each row of `<output>_packed`, beside one value with the nodes of all of them: where a tree's
# begin in it, from 0, and how many bytes they have.
PACKED_PARAMETERS = (*PACKED_COLUMNS[:2], ("start", "int4"), ("length", "int4"))


def create_view(schema: str, name: str, nodes: str) -> str:
    """Create the view `<output>_nodes`, or let it know the classes; `nodes`: of `decoded_nodes`."""
    view = model_table(schema, name, "_nodes")
    kind = "TEMPORARY VIEW" if is_temporary(schema) else "VIEW"  # else PostgreSQL says that it makes one
    return f"CREATE OR REPLACE {kind} {view} AS {nodes}"


def store_whole(schema: str, name: str) -> str:
    """Let PostgreSQL keep nodes as they are: who wants one tree of many should not wait for them to be unpacked."""
    return f"ALTER TABLE {model_table(schema, name, '_packed')} ALTER COLUMN nodes SET STORAGE EXTERNAL"


def insert_packed(schema: str, name: str) -> str:
    """Fill `<output>_packed`, in the order of the arrays: one literal per column of `PACKED_PARAMETERS`, and the bytes
    behind them. Those of a single tree are taken as they are: of a large one a copy would take much memory.
    """
    # Named once: PostgreSQL copies a parameter wherever a statement names it.
    whole = f"SELECT ${len(PACKED_PARAMETERS) + 1}::pg_catalog.bytea AS nodes OFFSET 0"
    return (
        f"INSERT INTO {model_table(schema, name, '_packed')} ({', '.join(column for column, _ in PACKED_COLUMNS)}) "
        f"SELECT {with_arrays(['t.tree_id', 't.category_sets'])}, "
        "CASE WHEN t.length OPERATOR(pg_catalog.=) pg_catalog.octet_length(w.nodes) THEN w.nodes "
        "ELSE pg_catalog.substring(w.nodes, t.start OPERATOR(pg_catalog.+) 1, t.length) END "
        f"FROM {unnested('t', PACKED_PARAMETERS)}, ({whole}) AS w"
    )


def decoded_nodes(
    schema: str,
    name: str,
    layout: NodeLayout,
    features: Sequence[str],
    class_type: str | None,
    classes: Sequence[str] = (),
) -> str:
    """A query of the nodes of all trees, with the columns of `NODE_COLUMNS`.

    Args:
        layout: of the records.
        features: their names.
        class_type: that the predictions are to have; None for numbers.
        classes: the labels as text.

    Each OFFSET 0 keeps the planner from computing what is inside more than once: a tree's value is fetched once, each
    number is cut out once. A condition on `tree_id` goes to the table all the same, and columns that nobody asks for
    are not decoded.
    """
    size = layout.size
    numbers = ", ".join(f"{value} AS {name}" for name, value in _numbers(layout).items())
    values = {column: f"x.{column}" for column, _ in NODE_COLUMNS if column != "tree_id"} | {
        "parent_id": "CASE WHEN x.node_id `>` 0 THEN (x.node_id `-` 1) `/` 2 END",
        # All of its bits but the leading zeros: exact, where a logarithm is not.
        "depth": f"CASE WHEN x.node_id `<` {2**63 - 1}::pg_catalog.int8 THEN pg_catalog.length("
        "pg_catalog.ltrim((x.node_id `+` 1)::pg_catalog.bit(64)::pg_catalog.text, '0')) `-` 1 END",
        "is_leaf": "x.feature `=` 0",
        "left_levels": "NULL::pg_catalog.text[]",
        "right_levels": "NULL::pg_catalog.text[]",
        # The least integer has no absolute value.
        "feature": "pg_catalog.abs(GREATEST(x.feature, '-2147483647'::pg_catalog.int4))",
        "majority_left": "CASE WHEN x.feature `<>` 0 THEN x.feature `>` 0 END",
        "weight": "x.n_rows::pg_catalog.float8",
        # A leaf that no row of a refreshed model comes to has the classes' weights of before.
        "risk": "GREATEST(x.n_rows::pg_catalog.float8 `-` x.of_prediction::pg_catalog.float8, 0::pg_catalog.float8)",
        "class_weights": _class_weights(layout) if layout.is_classification else "NULL::pg_catalog.float8[]",
    }
    values |= {column: _float(f"x.{column}") for column, kind in layout.fields if kind == "f8"}
    if layout.has_categories:
        values["left_levels"] = _levels("x.categories", "x.n_left")
        values["right_levels"] = _levels("x.categories `+` x.n_left", "x.n_right")
    inner = ", ".join(f"{value} AS {column}" for column, value in values.items())
    named = {"tree_id": "t.tree_id", "feature": "({features})[n.feature]"}
    if layout.is_classification:
        named["prediction"] = "({classes})[n.prediction]"
    outer = ", ".join(f"{named.get(column, f'n.{column}')} AS {column}" for column, _ in NODE_COLUMNS)
    template = spelled_out(
        f"""SELECT {outer}
FROM {{packed}} AS t
CROSS JOIN LATERAL (
    SELECT {inner}
    FROM (
        SELECT r.record, r.category_sets, {numbers}
        FROM (
            SELECT pg_catalog.substring(b.nodes, i.number `*` {size} `+` 1, {size}) AS record, b.category_sets
            FROM (
                SELECT t.nodes `||` ''::pg_catalog.bytea AS nodes,
                    pg_catalog.array_cat(t.category_sets, ARRAY[]::pg_catalog.text[]) AS category_sets
                OFFSET 0
            ) AS b
            CROSS JOIN LATERAL pg_catalog.generate_series(
                0, pg_catalog.octet_length(b.nodes) `/` {size} `-` 1
            ) AS i(number)
            OFFSET 0
        ) AS r
        OFFSET 0
    ) AS x
    OFFSET 0
) AS n"""
    )
    # What others named comes last: it may have backticks and braces. A literal of an array is read once, when the view
    # is made, and runs nothing of the type's later.
    return template.format(
        packed=model_table(schema, name, "_packed"),
        features=f"{literal(array_text.texts(features))}::pg_catalog.text[]",
        classes=f"{literal(array_text.texts(classes))}::{type_sql(class_type)}[]" if class_type else "",
    )


def _numbers(layout: NodeLayout) -> dict[str, str]:
    """Of each field its number or bits, out of `r.record`. Where the risk follows from the weight of the predicted
    class, a whole number then, that is `of_prediction`.
    """
    found, offset = {}, 1
    for field, kind in layout.fields:
        found[field] = _cut("r.record", str(offset), kind)
        offset += FIELD_SIZES[kind]
    if not layout.has_risk:
        # Damaged bytes may say any number.
        number = f"(LEAST(GREATEST({found['prediction']}, 1), {layout.n_classes}) `-` 1)"
        found["of_prediction"] = _class_weight(layout, "r.record", number)
    return found


def _cut(record: str, offset: str, kind: str) -> str:
    """An integer out of a record, or the bits of a float8 as one."""
    size = FIELD_SIZES[kind]
    text = f"pg_catalog.encode(pg_catalog.substring({record}, {offset}, {size}), 'hex')"
    # As many bits in a larger integer are a number without a sign.
    return f"('x' `||` {text})::pg_catalog.bit({8 * size})::pg_catalog.int{8 if kind == 'u4' else size}"


def _float(bits: str) -> str:
    """The float8 of these 64 bits, NULL for NaN: 2 to the exponent, times the mantissa, each of them exact.

    Below the least normal number the exponent stays, and the mantissa loses its leading one. All factors are normal
    numbers, which no platform's power() finds too small.
    """
    exponent = f"({bits} `>>` 52 `&` 2047)"
    fraction = f"(({bits} `&` 4503599627370495)::pg_catalog.float8 `/` 4503599627370496::pg_catalog.float8)"
    sign = f"CASE WHEN {bits} `<` 0 THEN '-1'::pg_catalog.float8 ELSE '1'::pg_catalog.float8 END"
    leading = f"CASE WHEN {exponent} `=` 0 THEN '0'::pg_catalog.float8 ELSE '1'::pg_catalog.float8 END"
    power = f"(GREATEST({exponent}, 1::pg_catalog.int8) `-` 1023::pg_catalog.int8)::pg_catalog.float8"
    infinite = f"({bits} `&` 4503599627370495) `=` 0"
    return (
        f"CASE WHEN {exponent} `<` 2047 "
        f"THEN ({sign}) `*` pg_catalog.power('2'::pg_catalog.float8, {power}) `*` (({leading}) `+` {fraction}) "
        f"WHEN {infinite} THEN CASE WHEN {bits} `<` 0 THEN '-Infinity'::pg_catalog.float8 "
        "ELSE 'Infinity'::pg_catalog.float8 END END"
    )


def _levels(start: str, count: str) -> str:
    """Some of the tree's categories; NULL where the node does not split by any, or the tree has not so many."""
    end = "x.categories::pg_catalog.int8 `+` x.n_left `+` x.n_right"
    return (
        "CASE WHEN x.categories `>=` 0 AND x.n_left `>=` 0 AND x.n_right `>=` 0 "
        f"AND {end} `<=` pg_catalog.cardinality(x.category_sets) "
        f"THEN x.category_sets[{start} `+` 1:{start} `+` {count}] END"
    )


def _class_weight(layout: NodeLayout, record: str, number: str) -> str:
    """A class's weight as a whole number, or the bits of one that is a float8; `number` of the class from 0."""
    kind = layout.weight_of_class
    return _cut(record, f"({layout.fixed_size + 1} `+` ({FIELD_SIZES[kind]} `*` {number}))", kind)


def _class_weights(layout: NodeLayout) -> str:
    value = _float("w.stored") if layout.weighted else "w.stored::pg_catalog.float8"
    return (
        f"ARRAY(SELECT {value} FROM (SELECT {_class_weight(layout, 'x.record', 'c.number')} AS stored "
        f"FROM pg_catalog.generate_series(0, {layout.n_classes - 1}) AS c(number) OFFSET 0) AS w)"
    )


def packed_sizes(schema: str, name: str) -> str:
    """The trees' ids in order, and the bytes of their nodes, as integers sent; -1 where there are none."""
    rows = f"(SELECT m.tree_id, m.nodes FROM {model_table(schema, name, '_packed')} AS m ORDER BY m.tree_id OFFSET 0)"
    columns = {
        "tree_id": sent.ints("t.tree_id"),
        "size": sent.ints("pg_catalog.octet_length(t.nodes)", null=-1),
    }
    return f"SELECT {sent.select(columns)} FROM {rows} AS t"


def packed_between(schema: str, name: str) -> str:
    """The nodes of the trees from $1 to $2, one tree's behind the other's."""
    return (
        "SELECT pg_catalog.string_agg(t.nodes, ''::pg_catalog.bytea ORDER BY t.tree_id) AS nodes "
        f"FROM {model_table(schema, name, '_packed')} AS t WHERE t.tree_id OPERATOR(pg_catalog.>=) $1 "
        "AND t.tree_id OPERATOR(pg_catalog.<=) $2"
    )


def packed_lengths(schema: str, name: str) -> str:
    """Of each tree in order its id, the bytes of its nodes as `size`, about those of its categories before they are
    compressed as `size_of_categories`, and how many these are as `n_categories`.
    """
    return (
        "SELECT m.tree_id, COALESCE(pg_catalog.octet_length(m.nodes), 0) AS size, "
        f"COALESCE({stored_bytes('m.category_sets')}, 0) AS size_of_categories, "
        "COALESCE(pg_catalog.cardinality(m.category_sets), 0) AS n_categories "
        f"FROM {model_table(schema, name, '_packed')} AS m ORDER BY m.tree_id"
    )


def packed_rows(schema: str, name: str) -> str:
    """`<output>_packed` from tree $1 to tree $2, in order of the trees; and `n_categories`, how many category_sets has,
    which is NULL where these are more than $3.
    """
    number = "COALESCE(pg_catalog.cardinality(t.category_sets), 0)"
    sets = f"CASE WHEN {number} OPERATOR(pg_catalog.<=) $3 THEN t.category_sets END"
    return (
        f"SELECT t.tree_id, {sets} AS category_sets, {number} AS n_categories, t.nodes "
        f"FROM {model_table(schema, name, '_packed')} AS t WHERE t.tree_id OPERATOR(pg_catalog.>=) $1 "
        "AND t.tree_id OPERATOR(pg_catalog.<=) $2 ORDER BY t.tree_id"
    )


def some_categories(schema: str, name: str) -> str:
    """Of tree $1 the elements $2 to $3 of category_sets, counted from 1."""
    return (
        f"SELECT t.category_sets[$2:$3] AS some FROM {model_table(schema, name, '_packed')} AS t "
        "WHERE t.tree_id OPERATOR(pg_catalog.=) $1"
    )


def category_sizes(schema: str, name: str) -> str:
    """Of each tree in order its id, and the `size` of its list of categories, as integers sent."""
    packed = model_table(schema, name, "_packed")
    number = "pg_catalog.cardinality(m.category_sets) AS size"
    rows = f"(SELECT m.tree_id, {number} FROM {packed} AS m ORDER BY m.tree_id OFFSET 0) AS t"
    return f"SELECT {sent.select({'tree_id': sent.ints('t.tree_id'), 'size': sent.ints('t.size')})} FROM {rows}"


def category_keys(schema: str, name: str) -> str:
    """The categories of the trees from $1 to $2 in order of the trees, as integers sent.

    Of each its `hash`, which is the key of a text, its `truth`, which is that of a boolean: 1, 0, or -1 where it is
    none; and whether it `is_null`.
    """
    packed = model_table(schema, name, "_packed")
    rows = (
        f"(SELECT m.tree_id, m.category_sets FROM {packed} AS m WHERE m.tree_id OPERATOR(pg_catalog.>=) $1 "
        "AND m.tree_id OPERATOR(pg_catalog.<=) $2 ORDER BY m.tree_id OFFSET 0) AS t"
    )
    truth = (
        "CASE WHEN c.category OPERATOR(pg_catalog.=) 'true' THEN 1 WHEN c.category OPERATOR(pg_catalog.=) 'false' "
        "THEN 0 ELSE '-1'::pg_catalog.int4 END"
    )
    each = {
        "hash": sent.ints(category_hash("c.category")),
        "truth": sent.ints(truth),
        "is_null": sent.truths("c.category IS NULL"),
    }
    categories = f"{rows}, pg_catalog.unnest(t.category_sets) WITH ORDINALITY AS c(category, number)"
    return f"SELECT {sent.select(each)} FROM {categories}"


def category_texts(schema: str, name: str, *, surrogates: bool) -> str:
    """Each category that packed nodes, or `surrogates`, name, or that is among the texts $1, once, with its `key` as a
    text. NULL is left out.
    """
    lists = ["pg_catalog.unnest($1::pg_catalog.text[]) AS c(category)"]
    lists.append(f"{model_table(schema, name, '_packed')} AS t, pg_catalog.unnest(t.category_sets) AS c(category)")
    if surrogates:
        of_surrogates = model_table(schema, name, "_surrogates")
        lists += [
            f"{of_surrogates} AS t, pg_catalog.unnest(t.{side}) AS c(category)"
            for side in ("left_levels", "right_levels")
        ]
    every = " UNION ALL ".join(f"SELECT c.category FROM {each}" for each in lists)
    return (
        f"SELECT d.category, {category_hash('d.category')} AS key FROM (SELECT DISTINCT e.category "
        f'COLLATE pg_catalog."C" AS category FROM ({every}) AS e WHERE e.category IS NOT NULL) AS d'
    )
