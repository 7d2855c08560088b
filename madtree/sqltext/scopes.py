"""What statements about known outcomes begin with: the cells, what the model says of them, and over which trees it is
summed up. For the templates see `sqltext.evaluate`.
"""

from __future__ import annotations

from madtree.sqltext.cells import Question

ALL = -1  # scope of the metrics over all trees of a grouped model; the scope of a tree's own is its id


def cells_with_predictions(question: Question) -> str:
    return _JUDGED_BY_ROW if question.is_prediction else _JUDGED


def whole(question: Question, judged: str) -> dict[str, str]:
    """What `SCOPES` needs: the name of the cells that count, and where there may be several trees, the whole."""
    parts = {"judged": judged, "all_cells": "", "all_totals": "", "all_scopes": ""}
    if question.grouped:
        parts["all_cells"] = f" UNION ALL SELECT {ALL}, j.* FROM {judged} AS j"
        parts["all_totals"] = f" UNION ALL SELECT {ALL}, {_SUMS} FROM cells AS c"
        parts["all_scopes"] = f" UNION ALL SELECT {ALL}"
    return parts


CELLS = "cells AS ({cells}),"

_JUDGED = """
judged AS (
    SELECT c.tree, c.actual, c.n, c.weight, k.class, {predicted} COLLATE pg_catalog."C" AS predicted,
        n.class_weights[{chosen}] `/` s.total AS p_chosen, COALESCE(n.class_weights[k.class], 0) `/` s.total AS p_actual
    FROM cells AS c
    INNER JOIN {nodes} AS n ON n.tree_id `=` c.tree AND n.node_id `=` c.leaf
    CROSS JOIN LATERAL (
        SELECT pg_catalog.array_position({classes}, c.actual COLLATE pg_catalog."C") AS class
    ) AS k
    CROSS JOIN LATERAL (
        SELECT pg_catalog.sum(u.weight) AS total FROM pg_catalog.unnest(n.class_weights) AS u(weight)
    ) AS s
    WHERE c.actual IS NOT NULL AND c.n `>` 0
),"""

# What the model says is in the rows, and a cell is what rows have in common.
_JUDGED_BY_ROW = """
judged AS (
    SELECT c.tree, c.actual, c.n, c.weight, c.class,
        ({classes})[c.predicted] COLLATE pg_catalog."C" AS predicted, c.p_chosen, c.p_actual
    FROM cells AS c WHERE c.predicted IS NOT NULL AND c.actual IS NOT NULL AND c.n `>` 0
),"""

_SUMS = "pg_catalog.sum(c.total), pg_catalog.sum(c.bad_weights), pg_catalog.sum(c.bad_actuals)"
SCOPES = f"""
scoped AS (SELECT j.tree AS scope, j.* FROM {{judged}} AS j{{all_cells}}),
totals (scope, total, bad_weights, bad_actuals) AS (
    SELECT c.tree, {_SUMS} FROM cells AS c GROUP BY c.tree{{all_totals}}
),
scopes AS (SELECT t.{{number}} AS scope FROM {{trees}} AS t{{all_scopes}}),"""
