"""Statements that write a calibrated copy of a model: other weights of classes in a tree's leaves, or other numbers in
those of a boosted model, which a model of many trees becomes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.sqltext.copies import ModelCopy
from madtree.sqltext.inserts import unnested
from madtree.sqltext.models import just_so_many
from madtree.sqltext.quote import spelled_out, text_array
from madtree.sqltext.tables import model_table

# What is handed over for each leaf of a tree, and for each group of a boosted model.
LEAF_PARAMETERS: tuple[tuple[str, str], ...] = (
    ("tree_id", "int4"),
    ("node_id", "int8"),
    ("prediction", "int4"),
    ("class_weights", "float8[]"),
)
GROUP_PARAMETERS: tuple[tuple[str, str], ...] = (
    ("gid", "int4"),
    ("base_score", "float8[]"),
    ("point_scores", "float8[]"),
    ("point_probabilities", "float8[]"),
    ("point_ends", "int4[]"),
)
# And for each tree: its former number, and where its nodes are in the bytes behind.
PACKED_PARAMETERS: tuple[tuple[str, str], ...] = (
    ("tree_id", "int4"),
    ("former", "int4"),
    ("start", "int4"),
    ("length", "int4"),
)
TREE_PARAMETERS = PACKED_PARAMETERS[:2]


def leaves(schema: str, name: str, n_classes: int) -> str:
    """The leaves of all trees, with the weights of their classes; NULL where these are not so many."""
    return (
        f"SELECT n.tree_id, n.node_id, {just_so_many('n.class_weights', n_classes)} AS class_weights "
        f"FROM {model_table(schema, name, '_nodes')} AS n WHERE n.is_leaf ORDER BY n.tree_id, n.node_id"
    )


def groups(schema: str, name: str) -> str:
    """The numbers of a model's groups."""
    return f"SELECT g.gid FROM {model_table(schema, name, '_group')} AS g ORDER BY g.gid"


def fill_inner_nodes(copy: ModelCopy) -> str:
    """Copy the nodes that are no leaves."""
    return f"{copy.fill('_nodes', 'n')} WHERE NOT n.is_leaf"


def fill_leaves(copy: ModelCopy, classes: str) -> str:
    """Copy some leaves with other weights, from one array literal per column of `LEAF_PARAMETERS`; `classes`: SQL of
    their array, as the copy keeps predictions.
    """
    values = {"prediction": f"({classes})[k.prediction]", "class_weights": "k.class_weights::pg_catalog.float8[]"}
    match = spelled_out("n.tree_id `=` k.tree_id AND n.node_id `=` k.node_id")
    return f"{copy.fill('_nodes', 'n', values)} INNER JOIN {unnested('k', LEAF_PARAMETERS)} ON {match}"


def fill_renumbered(copy: ModelCopy, suffix: str, values: Mapping[str, str]) -> str:
    """Copy the rows of trees under other numbers, from one array literal per column of `TREE_PARAMETERS`; `values`: SQL
    of columns that are new, over `s`.
    """
    match = spelled_out("s.tree_id `=` k.former")
    filled = copy.fill(suffix, values={"tree_id": "k.tree_id", **values})
    return f"{filled} INNER JOIN {unnested('k', TREE_PARAMETERS)} ON {match}"


def copied_trees(classes: Sequence[str]) -> dict[str, str]:
    """SQL of columns of `<output>`, over `s` and `k`, where of each tree there is a copy for each class, which follow
    each other.
    """
    place = spelled_out(f"((k.tree_id `-` 1) `%` {len(classes)}) `+` 1")
    before = spelled_out(f"(s.sample_id `-` 1) `*` {len(classes)}")
    return {
        "sample_id": spelled_out(f"({before}) `+` ({place})"),
        "class": f"({text_array(list(classes))})[{place}]",
    }


def copied_trees_of_group(n_copies: int) -> str:
    """SQL of the trees of a group, over `s`, of each of which there are copies."""
    return spelled_out(f"s.n_trees `*` {n_copies}")


def fill_packed(copy: ModelCopy) -> str:
    """Copy the categories of some trees, with other nodes: from one array literal per column of `PACKED_PARAMETERS`,
    and the bytes behind.
    """
    whole = f"SELECT ${len(PACKED_PARAMETERS) + 1}::pg_catalog.bytea AS nodes OFFSET 0"
    cut = spelled_out("pg_catalog.substring(w.nodes, k.start `+` 1, k.length)")
    return (
        f"INSERT INTO {model_table(*copy.new, '_packed')} (tree_id, category_sets, nodes) "
        f"SELECT k.tree_id, s.category_sets, {cut} FROM {model_table(*copy.old, '_packed')} AS s INNER JOIN "
        f"{unnested('k', PACKED_PARAMETERS)} ON {spelled_out('s.tree_id `=` k.former')}, ({whole}) AS w"
    )


def fill_groups(copy: ModelCopy, values: Mapping[str, str]) -> str:
    """Copy the groups with what their scores mean, from one array literal per column of `GROUP_PARAMETERS`; `values`:
    SQL of columns that are new, over `s`.
    """
    own = {name: f"k.{name}::pg_catalog.{type_}" for name, type_ in GROUP_PARAMETERS if name != "gid"}
    filled = copy.fill("_group", values={**values, **own})
    return f"{filled} INNER JOIN {unnested('k', GROUP_PARAMETERS)} ON {spelled_out('s.gid `=` k.gid')}"
