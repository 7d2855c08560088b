"""Statements that write the first rounds of a boosted model as a model of its own.

A group's trees follow those of the groups before it, so trees have other numbers where these have become shorter.
"""

from __future__ import annotations

from madtree.sqltext.copies import ModelCopy, Name
from madtree.sqltext.quote import spelled_out
from madtree.sqltext.tables import model_table


def fill_trees(copy: ModelCopy, most: int) -> str:
    """Copy the trees that stay: of each group the first `most`."""
    return f"{copy.fill('', 't', {'tree_id': 'k.tree_id'})} {_kept(copy.old, 't', most)} ORDER BY k.tree_id"


def fill_packed(copy: ModelCopy, most: int) -> str:
    """Copy their nodes as they are."""
    return f"{copy.fill('_packed', 's', {'tree_id': 'k.tree_id'})} {_kept(copy.old, 's', most)} ORDER BY k.tree_id"


def fill_rounds(copy: ModelCopy, n_rounds: int) -> str:
    """Copy the losses of rounds up to that one."""
    condition = spelled_out(f"s.round `<=` {n_rounds} ORDER BY s.gid, s.round")
    return f"{copy.fill('_rounds')} WHERE {condition}"


def fill_groups(copy: ModelCopy, most: int, n_rounds: int) -> str:
    """Copy the groups, once trees and rounds are copied. Of those that have become shorter gains are added up anew, in
    the order of the trees, as training does; and the losses are those after the last round that they keep, where there
    is a table of these.
    """
    new, has_rounds = copy.new, "_rounds" in copy.parts
    is_cut = spelled_out(f"s.n_trees `>` {most}")

    def anew(column: str, value: str) -> str:
        return f"CASE WHEN {is_cut} THEN {value} ELSE s.{column} END"

    losses = {column: f"r.{column}" if has_rounds else "NULL" for column in ("training_loss", "validation_loss")}
    values = {"impurity_var_importance": "i.gains", **losses}
    values = {column: anew(column, value) for column, value in values.items()}
    values |= {"n_trees": f"LEAST(s.n_trees, {most})", "n_rounds": f"LEAST(s.n_rounds, {n_rounds})"}
    gains = f"""SELECT g.gid, pg_catalog.array_agg(g.gain ORDER BY g.place) AS gains FROM (
    SELECT t.gid, v.place, pg_catalog.sum(v.gain ORDER BY t.tree_id) AS gain FROM {model_table(*new)} AS t
    CROSS JOIN LATERAL pg_catalog.unnest(t.impurity_var_importance) WITH ORDINALITY AS v(gain, place)
    GROUP BY t.gid, v.place
) AS g GROUP BY g.gid"""
    last = spelled_out(f"r.gid `=` s.gid AND r.round `=` {n_rounds}")
    rounds = f"LEFT JOIN {model_table(*new, '_rounds')} AS r ON {last} " if has_rounds else ""
    return (
        f"{copy.fill('_group', values=values)} {rounds}"
        f"LEFT JOIN ({gains}) AS i ON i.gid OPERATOR(pg_catalog.=) s.gid ORDER BY s.gid"
    )


def _kept(old: Name, alias: str, most: int) -> str:
    """A join of rows that have a `tree_id` with those trees that stay, and the number that each has then, as `k`."""
    kept = f"LEAST(g.n_trees, {most})"
    before = f"pg_catalog.sum({kept}) OVER (ORDER BY g.gid) `-` {kept}::pg_catalog.int8"
    join = spelled_out(
        f"""INNER JOIN (
    SELECT m.tree_id AS former, (p.before `+` m.sample_id)::pg_catalog.int4 AS tree_id FROM {{trees}} AS m
    INNER JOIN (SELECT g.gid, {before} AS before FROM {{groups}} AS g) AS p ON p.gid `=` m.gid
    WHERE m.sample_id `<=` {most}
) AS k ON k.former `=` {alias}.tree_id"""
    )
    return join.format(trees=model_table(*old), groups=model_table(*old, "_group"))
