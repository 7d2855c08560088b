"""Statements that write a pruned copy of a model, without the data that it was trained on."""

from __future__ import annotations

from madtree.sqltext import sent_rows as sent
from madtree.sqltext.copies import ModelCopy, Name
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import model_table

# What only an inner node has.
_SPLIT_COLUMNS = ("feature", "threshold", "left_levels", "right_levels", "majority_left", "improvement")


def node_numbers(model: Name) -> str:
    """What pruning must know of the nodes, by tree and id, a column each, as `madtree.sqltext.sent_numbers` sends it.

    `risk` and `complexity` are floats, all else integers; `is_leaf` is 1 or 0.
    """
    columns = {column: sent.ints(f"n.{column}") for column in ("tree_id", "node_id", "depth", "n_rows")}
    columns |= {"is_leaf": sent.truths("n.is_leaf")}
    columns |= {column: sent.floats(f"n.{column}") for column in ("risk", "complexity")}
    # Aggregates take a sub-select's rows in its order; an ORDER BY in each of them would sort once for each.
    nodes = f"SELECT m.* FROM {model_table(*model, '_nodes')} AS m ORDER BY m.tree_id, m.node_id OFFSET 0"
    return f"SELECT {sent.select(columns)} FROM ({nodes}) AS n"


def tree_cps(model: Name) -> str:
    """The complexity parameter at which each tree was pruned."""
    return f"SELECT t.tree_id, t.pruning_cp FROM {model_table(*model)} AS t ORDER BY t.tree_id"


def fill_nodes(copy: ModelCopy) -> str:
    """Copy the nodes that are kept: $1 tree ids, $2 node ids, $3 whether a leaf now, $4 complexities, as literals."""
    values = {column: f"CASE WHEN NOT k.is_leaf THEN n.{ident(column)} END" for column in _SPLIT_COLUMNS}
    values |= {"is_leaf": "k.is_leaf", "complexity": "k.complexity"}
    # Unqualified on purpose: only so the grammar takes several arguments, and then it means pg_catalog's.
    kept = (
        "unnest($1::pg_catalog.int4[], $2::pg_catalog.int8[], $3::pg_catalog.bool[], $4::pg_catalog.float8[]) "
        "AS k(tree_id, node_id, is_leaf, complexity)"
    )
    match = "n.tree_id OPERATOR(pg_catalog.=) k.tree_id AND n.node_id OPERATOR(pg_catalog.=) k.node_id"
    return f"{copy.fill('_nodes', 'n', values)} INNER JOIN {kept} ON {match} ORDER BY n.tree_id, n.node_id"


def fill_of_splits(copy: ModelCopy, suffix: str) -> str:
    """Copy the rows of `_surrogates` or `_competitors` that are of nodes that are still split."""
    match = "n.tree_id OPERATOR(pg_catalog.=) s.tree_id AND n.node_id OPERATOR(pg_catalog.=) s.node_id"
    return (
        f"{copy.fill(suffix)} INNER JOIN {model_table(*copy.new, '_nodes')} AS n ON {match} AND NOT n.is_leaf "
        "ORDER BY s.tree_id, s.node_id, s.rank"
    )


def fill_trees(copy: ModelCopy) -> str:
    """Copy the trees and count anew what has changed, from the nodes and surrogates of the new model; $1 is the cp.

    Gains are added up in training's order, the splits' before the surrogates', so that the sums are equal to the bit.
    """
    values = {
        "n_nodes": "COALESCE(c.n_nodes, 0)",
        "n_leaves": "COALESCE(c.n_leaves, 0)",
        "tree_depth": "COALESCE(c.tree_depth, 0)",
        "pruning_cp": "GREATEST(t.pruning_cp, $1::pg_catalog.float8)",
        "impurity_var_importance": "i.importance",
    }
    old, new = copy.old, copy.new
    nodes = model_table(*new, "_nodes")
    gains = (
        "SELECT n.tree_id, n.node_id, n.feature, n.improvement AS gain, 0 AS rank "
        f"FROM {nodes} AS n WHERE NOT n.is_leaf"
    )
    if "_surrogates" in copy.parts:
        match = "n.tree_id OPERATOR(pg_catalog.=) s.tree_id AND n.node_id OPERATOR(pg_catalog.=) s.node_id"
        gains += (
            " UNION ALL SELECT s.tree_id, s.node_id, s.feature, "
            "n.improvement OPERATOR(pg_catalog.*) s.adjusted_agreement, s.rank "
            f"FROM {model_table(*new, '_surrogates')} AS s INNER JOIN {nodes} AS n ON {match}"
        )
    return f"""WITH gains AS ({gains}),
counts AS (
    SELECT n.tree_id, pg_catalog.count(*)::pg_catalog.int4 AS n_nodes, pg_catalog.max(n.depth) AS tree_depth,
        pg_catalog.count(*) FILTER (WHERE n.is_leaf)::pg_catalog.int4 AS n_leaves
    FROM {nodes} AS n GROUP BY n.tree_id
),
sums AS (
    SELECT g.tree_id, g.feature,
        pg_catalog.sum(g.gain ORDER BY g.rank OPERATOR(pg_catalog.>) 0, g.node_id, g.rank) AS raw
    FROM gains AS g GROUP BY g.tree_id, g.feature
),
importances AS (
    SELECT t.tree_id, pg_catalog.array_agg(COALESCE(s.raw, 0) ORDER BY f.position) AS importance
    FROM {model_table(*old)} AS t
    CROSS JOIN {model_table(*old, "_summary")} AS m
    CROSS JOIN LATERAL pg_catalog.unnest(m.features) WITH ORDINALITY AS f(feature, position)
    LEFT JOIN sums AS s ON s.tree_id OPERATOR(pg_catalog.=) t.tree_id AND s.feature OPERATOR(pg_catalog.=) f.feature
    GROUP BY t.tree_id
)
{copy.fill("", "t", values)}
LEFT JOIN counts AS c ON c.tree_id OPERATOR(pg_catalog.=) t.tree_id
LEFT JOIN importances AS i ON i.tree_id OPERATOR(pg_catalog.=) t.tree_id
ORDER BY t.tree_id"""
