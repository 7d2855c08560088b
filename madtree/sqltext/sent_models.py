"""SQL that sends what numpy reads of a model, all nodes at once, a column of numbers each."""

from __future__ import annotations

from madtree.sqltext import sent_rows as sent
from madtree.sqltext.tables import model_table
from madtree.sqltext.values import Writer, text_of


def node_numbers(schema: str, name: str, prediction: str, writer: Writer | None) -> str:
    """All nodes in order of tree and id, as numbers sent (`madtree.sqltext.sent_numbers`), a column each.

    Parameters: $1 names of the features, $2 class labels. `feature` and, for a class, `prediction` are positions from 1
    in these; 0 where there is none. `majority_left` is 1 or 0. `threshold` and a mean are floats, all else integers.

    Args:
        prediction: ``number`` for a regression's means, ``class`` for positions of classes.
        writer: of the predictions' type.
    """
    is_number = prediction == "number"
    columns = {
        "tree_id": sent.ints("n.tree_id"),
        "node_id": sent.ints("n.node_id"),
        "feature": sent.ints(_position("$1", "n.feature")),
        "threshold": sent.floats("n.threshold"),
        "majority_left": sent.truths("n.majority_left"),
        "prediction": sent.floats("n.prediction", "0")
        if is_number
        else sent.ints(_position("$2", text_of("n.prediction", writer))),
    }
    return f"SELECT {sent.select(columns)} FROM {_ordered_nodes(schema, name)}"


def weight_numbers(schema: str, name: str) -> str:
    """Class weights of all nodes in order of tree and id, node by node, as floats sent."""
    weights = "pg_catalog.unnest(n.class_weights) WITH ORDINALITY AS w(weight, position)"
    return f"SELECT {sent.floats('w.weight')} AS weights FROM {_ordered_nodes(schema, name)}, {weights}"


def cover_numbers(schema: str, name: str) -> str:
    """Weights of the rows of all nodes in order of tree and id, as floats sent."""
    return f"SELECT {sent.floats('n.weight')} AS weights FROM {_ordered_nodes(schema, name)}"


def surrogate_numbers(schema: str, name: str, *, with_agreement: bool = False) -> str:
    """All surrogates in order of tree, node and rank; columns and parameter $1 are those of `node_numbers`, and
    `adjusted_agreement`, a float, if it is asked for.
    """
    columns = {
        "tree_id": sent.ints("s.tree_id"),
        "node_id": sent.ints("s.node_id"),
        "feature": sent.ints(_position("$1", "s.feature")),
        "threshold": sent.floats("s.threshold"),
        "low_goes_left": sent.truths("s.low_goes_left"),
        **({"adjusted_agreement": sent.floats("s.adjusted_agreement")} if with_agreement else {}),
    }
    return f"SELECT {sent.select(columns)} FROM ({_numbered_surrogates(schema, name)} ORDER BY number OFFSET 0) AS s"


def count_categories(schema: str, name: str, *, nodes: bool, surrogates: bool) -> str:
    """How many categories splits name, in all lists together; of `nodes`, of `surrogates`, or of both."""
    lists = "COALESCE(pg_catalog.cardinality(t.left_levels), 0), COALESCE(pg_catalog.cardinality(t.right_levels), 0)"
    parts = [
        f"SELECT {lists} FROM {model_table(schema, name, suffix)} AS t"
        for suffix, is_asked in (("_nodes", nodes), ("_surrogates", surrogates))
        if is_asked
    ]
    return (
        "SELECT COALESCE(pg_catalog.sum(l.n_left::pg_catalog.int8) OPERATOR(pg_catalog.+) "
        "pg_catalog.sum(l.n_right::pg_catalog.int8), 0)::pg_catalog.int8 AS n "
        f"FROM ({' UNION ALL '.join(parts)}) AS l(n_left, n_right)"
    )


def category_numbers(schema: str, name: str, *, nodes: bool = True, surrogates: bool) -> str:
    """The categories that splits name, as integers sent, equally many in each; of `nodes`, of `surrogates`, or of both.

    Parameters: $1 names of the features, $2 for each whether it is boolean. Of each category the `split`'s position
    from 0 (the nodes in order of tree and id, then the surrogates in order of tree, node and rank), the `feature`'s
    position from 1, its `key`, as `madtree.sqltext.values.category_key` makes it of a value, whether it `is_null`, and
    whether it `goes_left`.
    """
    parts, n_nodes = [], "0::pg_catalog.int8"
    if nodes:
        numbered = _numbered_nodes(schema, name)
        parts.append(f"SELECT n.node AS split, n.feature, n.left_levels, n.right_levels FROM ({numbered}) AS n")
        n_nodes = f"(SELECT pg_catalog.count(*) FROM {model_table(schema, name, '_nodes')})"
    if surrogates:
        numbered = _numbered_surrogates(schema, name)
        parts.append(
            f"SELECT {n_nodes} OPERATOR(pg_catalog.+) s.number AS split, s.feature, s.left_levels, s.right_levels "
            f"FROM ({numbered}) AS s"
        )
    splits = " UNION ALL ".join(parts)
    columns = {
        "split": sent.ints("l.split"),
        "feature": sent.ints("l.feature"),
        "key": sent.ints(_category_key("l.feature", "l.category")),
        "is_null": sent.truths("l.category IS NULL"),
        "goes_left": sent.truths("l.goes_left"),
    }
    return f"""SELECT {sent.select(columns)}
FROM (
    SELECT p.split, p.feature, v.category, v.goes_left
    FROM (SELECT q.split, {_position("$1", "q.feature")} AS feature, q.left_levels, q.right_levels
          FROM ({splits}) AS q) AS p,
    LATERAL (
        SELECT a.category, true AS goes_left FROM pg_catalog.unnest(p.left_levels) AS a(category)
        UNION ALL SELECT b.category, false FROM pg_catalog.unnest(p.right_levels) AS b(category)
    ) AS v
    OFFSET 0
) AS l"""


def key_numbers() -> str:
    """Keys of categories as integers sent.

    Parameters: $1 the features' positions from 1, $2 as in `category_numbers`, $3 the categories.
    """
    # Unqualified on purpose, as in `madtree.sqltext.inserts`: only so the grammar takes several arguments.
    rows = "unnest($1::pg_catalog.int4[], $3::pg_catalog.text[]) WITH ORDINALITY AS l(feature, category, number)"
    key = sent.ints(_category_key("l.feature", "l.category"))
    return f"SELECT {key} AS key FROM (SELECT * FROM {rows} ORDER BY number OFFSET 0) AS l"


def _category_key(feature: str, category: str) -> str:
    return (
        f"CASE WHEN ($2::pg_catalog.bool[])[{feature}] THEN ({category} OPERATOR(pg_catalog.=) 'true')"
        f"::pg_catalog.int4::pg_catalog.int8 ELSE {category_hash(category)} END"
    )


def category_hash(category: str) -> str:
    """The key of a category that is a text."""
    return f'pg_catalog.hashtextextended({category} COLLATE pg_catalog."C", 0)'


def _numbered_nodes(schema: str, name: str) -> str:
    return (
        "SELECT m.*, pg_catalog.row_number() OVER (ORDER BY m.tree_id, m.node_id) OPERATOR(pg_catalog.-) 1 AS node "
        f"FROM {model_table(schema, name, '_nodes')} AS m"
    )


def _numbered_surrogates(schema: str, name: str) -> str:
    """Surrogates with their `number` from 0."""
    return (
        "SELECT r.*, pg_catalog.row_number() OVER (ORDER BY r.tree_id, r.node_id, r.rank) "
        f"OPERATOR(pg_catalog.-) 1 AS number FROM {model_table(schema, name, '_surrogates')} AS r"
    )


def _position(array: str, element: str) -> str:
    return f"COALESCE(pg_catalog.array_position({array}::pg_catalog.text[], {element}), 0)"


def _ordered_nodes(schema: str, name: str) -> str:
    # Aggregates take a sub-select's rows in its order; an ORDER BY in each of them would sort once for each.
    return f"(SELECT m.* FROM {model_table(schema, name, '_nodes')} AS m ORDER BY m.tree_id, m.node_id OFFSET 0) AS n"


def outcome_counts(schema: str, name: str) -> str:
    """The trees' ids in order, and how many outcomes each has, as integers sent."""
    table = model_table(schema, name, "_outcomes")
    columns = {
        "tree_id": sent.ints("t.tree_id"),
        "size": sent.ints("pg_catalog.cardinality(t.outcomes)"),
    }
    rows = f"(SELECT m.tree_id, m.outcomes FROM {table} AS m ORDER BY m.tree_id OFFSET 0)"
    return f"SELECT {sent.select(columns)} FROM {rows} AS t"


def outcomes_between(schema: str, name: str) -> str:
    """The outcomes of the trees from $1 to $2, one tree's behind the other's, as floats sent."""
    rows = (
        f"(SELECT m.outcomes FROM {model_table(schema, name, '_outcomes')} AS m "
        "WHERE m.tree_id OPERATOR(pg_catalog.>=) $1 AND m.tree_id OPERATOR(pg_catalog.<=) $2 "
        "ORDER BY m.tree_id OFFSET 0)"
    )
    each = "pg_catalog.unnest(t.outcomes) WITH ORDINALITY AS o(outcome, place)"
    return f"SELECT {sent.floats('o.outcome')} AS outcomes FROM {rows} AS t, {each}"
