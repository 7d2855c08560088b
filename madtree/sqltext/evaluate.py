"""Statements that compare a model's predictions with known outcomes.

Each is a chain of common table expressions: *cells*, the test table's rows counted by tree, leaf and outcome; and what
follows from the cells, which are few. In the templates below, text between backticks is an operator of pg_catalog's:
`` `+` `` stands for ``OPERATOR(pg_catalog.+)``. All operators that are written so bind alike, hence the brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.array_text import texts
from madtree.sqltext.cells import Question, class_cells, number_cells, number_errors
from madtree.sqltext.quote import literal

COUNTS = ("n", "n_skipped")
CLASS_METRICS = ("accuracy", "balanced_accuracy", "log_loss", "auc")
NUMBER_METRICS = ("rmse", "mae", "r2")
COUNT_METRICS = (*NUMBER_METRICS, "poisson_deviance")
ALL = -1  # scope of the metrics over all trees of a grouped model; the scope of a tree's own is its id

# Whether the transaction may not write, as on a standby.
READ_ONLY = "SELECT pg_catalog.current_setting('transaction_read_only')::pg_catalog.bool AS read_only"


def metric_names(is_classification: bool, n_classes: int, of_counts: bool = False) -> tuple[str, ...]:
    """The metrics that a model of that kind has, those that count rows first."""
    if not is_classification:
        return (*COUNTS, *(COUNT_METRICS if of_counts else NUMBER_METRICS))
    return (*COUNTS, *(name for name in CLASS_METRICS if name != "auc" or n_classes == 2))


def class_metrics(question: Question) -> str:
    """Metrics of a classification by scope."""
    template = f"WITH {_CELLS}{_judged(question)}{_SCOPES}{_CLASS_METRICS}{_RESULT}"
    metrics = _of_metrics(CLASS_METRICS)
    return question.fill(template, cells=class_cells(question), metrics=metrics, **_whole(question, "judged"))


def number_metrics(question: Question) -> str:
    """Metrics of a regression by scope."""
    template = f"WITH {_CELLS}{_SCOPES}{_NUMBER_METRICS}{_RESULT}"
    metrics = _of_metrics(COUNT_METRICS if question.of_counts else NUMBER_METRICS)
    return question.fill(template, cells=number_cells(question), metrics=metrics, **_whole(question, "cells"))


def confusion(question: Question) -> str:
    """Rows of the confusion matrix of each tree."""
    return question.fill(f"WITH {_CELLS}{_judged(question)}{_CONFUSION}", cells=class_cells(question))


def curve(question: Question, most: int) -> str:
    """Points of the curve of the chosen class by scope, at most `most` of each; see `tree_curve`."""
    template = f"WITH {_CELLS}{_judged(question)}{_SCOPES}{_CURVE}"
    cells = class_cells(question)
    return question.fill(template, cells=cells, most=str(most), **_whole(question, "judged"))


def reliability(question: Question, n_bins: int) -> str:
    """Bins of the probability of the chosen class by scope; see `tree_reliability`."""
    template = f"WITH {_CELLS}{_judged(question)}{_SCOPES}{_RELIABILITY}"
    cells, bins = class_cells(question), f"{n_bins}::pg_catalog.float8"
    return question.fill(template, cells=cells, bins=bins, **_whole(question, "judged"))


def conformal(question: Question, levels: Sequence[str]) -> str:
    """Quantiles of how wrong the model is by scope, for levels as decimals; see `conformal_quantiles`."""
    if question.classes:
        cells, errors, scores = class_cells(question), "", f"{_judged(question)}{_CLASS_ERRORS}"
    else:
        cells, errors, scores = number_cells(question), number_errors(question), _NUMBER_ERRORS
    template = f"WITH {_CELLS}{scores}{_SCOPES}{_CONFORMAL}"
    of_levels = f"{literal(texts(levels))}::pg_catalog.numeric[]"
    return question.fill(template, cells=cells, errors=errors, levels=of_levels, **_whole(question, "scores"))


def _judged(question: Question) -> str:
    return _JUDGED_BY_ROW if question.said else _JUDGED


def _of_metrics(names: Sequence[str]) -> str:
    return ", ".join(f"m.{name}" for name in names)


def _whole(question: Question, judged: str) -> dict[str, str]:
    """What `_SCOPES` needs: the name of the cells that count, and where there may be several trees, the whole."""
    parts = {"judged": judged, "all_cells": "", "all_totals": "", "all_scopes": ""}
    if question.grouping:
        parts["all_cells"] = f" UNION ALL SELECT {ALL}, j.* FROM {judged} AS j"
        parts["all_totals"] = f" UNION ALL SELECT {ALL}, {_SUMS} FROM cells AS c"
        parts["all_scopes"] = f" UNION ALL SELECT {ALL}, NULL"
    return parts


_CELLS = "cells AS ({cells}),"

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
_SCOPES = f"""
scoped AS (SELECT j.tree AS scope, j.* FROM {{judged}} AS j{{all_cells}}),
totals (scope, total, bad_weights, bad_actuals) AS (
    SELECT c.tree, {_SUMS} FROM cells AS c GROUP BY c.tree{{all_totals}}
),
scopes AS (SELECT t.{{number}} AS scope, {{group}} AS group_values FROM {{trees}} AS t{{all_scopes}}),"""

# Probabilities are kept as far from 0 and 1 as scikit-learn does it: by float64's machine epsilon.
_EPSILON = f"{2.0**-52!r}::pg_catalog.float8"
_CLASS_METRICS = f"""
summed AS (
    SELECT s.scope, pg_catalog.sum(s.n) AS n,
        COALESCE(pg_catalog.sum(s.weight) FILTER (WHERE s.actual `=` s.predicted), 0) `/` pg_catalog.sum(s.weight)
            AS accuracy,
        pg_catalog.sum(s.weight `*` (`-` pg_catalog.ln(
            GREATEST(LEAST(s.p_actual, 1::pg_catalog.float8 `-` {_EPSILON}), {_EPSILON})
        ))) `/` pg_catalog.sum(s.weight) AS log_loss
    FROM scoped AS s GROUP BY s.scope
),
recalls AS (
    SELECT s.scope, COALESCE(pg_catalog.sum(s.weight) FILTER (WHERE s.actual `=` s.predicted), 0)
        `/` pg_catalog.sum(s.weight) AS recall
    FROM scoped AS s GROUP BY s.scope, s.actual
),
balanced AS (SELECT r.scope, pg_catalog.avg(r.recall) AS balanced_accuracy FROM recalls AS r GROUP BY r.scope),
ties AS (
    SELECT s.scope, s.p_chosen,
        COALESCE(pg_catalog.sum(s.weight) FILTER (WHERE s.class `=` 1), 0) AS of_first,
        COALESCE(pg_catalog.sum(s.weight) FILTER (WHERE s.class `=` 2), 0) AS of_second
    FROM scoped AS s WHERE pg_catalog.cardinality({{classes}}) `=` 2 GROUP BY s.scope, s.p_chosen
),
ranks AS (
    SELECT t.scope, t.of_first, t.of_second,
        (pg_catalog.sum(t.of_second) OVER (PARTITION BY t.scope ORDER BY t.p_chosen))
            `-` (t.of_second `/` 2::pg_catalog.float8) AS below
    FROM ties AS t
),
areas AS (
    SELECT r.scope, pg_catalog.sum(r.of_first `*` r.below)
        `/` (pg_catalog.sum(r.of_first) `*` pg_catalog.sum(r.of_second)) AS auc
    FROM ranks AS r GROUP BY r.scope
    HAVING pg_catalog.sum(r.of_first) `>` 0 AND pg_catalog.sum(r.of_second) `>` 0
),
metrics AS (
    SELECT s.scope, s.n, s.accuracy, b.balanced_accuracy, s.log_loss, a.auc
    FROM summed AS s
    INNER JOIN balanced AS b ON b.scope `=` s.scope
    LEFT JOIN areas AS a ON a.scope `=` s.scope
)"""

# The sum of squares about the mean comes from each leaf's, whose values lie close to its prediction, and from the
# distances between the leaves' means and the whole's: sums of squares of the values themselves would cancel.
_NUMBER_METRICS = """
summed AS (
    SELECT s.scope, pg_catalog.sum(s.n) AS n, pg_catalog.sum(s.weight) AS weight,
        pg_catalog.sum((s.weight `*` s.prediction) `+` s.errors) `/` pg_catalog.sum(s.weight) AS mean,
        pg_catalog.sum(s.squares) AS squares, pg_catalog.sum(s.sizes) AS sizes,
        pg_catalog.sum(s.deviances) AS deviances,
        pg_catalog.max(s.high) `>` pg_catalog.min(s.low) AS varies
    FROM scoped AS s WHERE s.n `>` 0 GROUP BY s.scope
),
spreads AS (
    SELECT s.scope, pg_catalog.sum(
        GREATEST(s.distances `-` (pg_catalog.power(s.errors, 2) `/` s.weight), 0)
            `+` (s.weight `*` pg_catalog.power(d.distance, 2))
    ) AS spread
    FROM scoped AS s
    INNER JOIN summed AS m ON m.scope `=` s.scope
    CROSS JOIN LATERAL (SELECT (s.prediction `-` m.mean) `+` (s.errors `/` s.weight) AS distance) AS d
    WHERE s.n `>` 0
    GROUP BY s.scope
),
metrics AS (
    SELECT s.scope, s.n, pg_catalog.sqrt(s.squares `/` s.weight) AS rmse, s.sizes `/` s.weight AS mae,
        CASE WHEN s.varies AND p.spread `>` 0 THEN 1::pg_catalog.float8 `-` (s.squares `/` p.spread) END AS r2,
        s.deviances `/` s.weight AS poisson_deviance
    FROM summed AS s INNER JOIN spreads AS p ON p.scope `=` s.scope
)"""
_RESULT = """
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, s.group_values, COALESCE(m.n, 0)::pg_catalog.int8 AS n,
    (COALESCE(t.total, 0) `-` COALESCE(m.n, 0))::pg_catalog.int8 AS n_skipped,
    {metrics},
    COALESCE(t.bad_weights, 0)::pg_catalog.int8 AS bad_weights,
    COALESCE(t.bad_actuals, 0)::pg_catalog.int8 AS bad_actuals
FROM scopes AS s
LEFT JOIN totals AS t ON t.scope `=` s.scope
LEFT JOIN metrics AS m ON m.scope `=` s.scope
ORDER BY s.scope"""

_CONFUSION = """
labels AS (
    SELECT l.label COLLATE pg_catalog."C" AS label, l.position
    FROM pg_catalog.unnest({classes}) WITH ORDINALITY AS l(label, position)
),
outcomes AS (
    SELECT t.{number} AS tree, l.label, l.position FROM {trees} AS t CROSS JOIN labels AS l
    UNION ALL
    SELECT DISTINCT j.tree, j.actual, NULL::pg_catalog.int8 FROM judged AS j WHERE j.class IS NULL
),
counts AS (
    SELECT j.tree, j.actual, j.predicted, pg_catalog.sum(j.n)::pg_catalog.int8 AS n, pg_catalog.sum(j.weight) AS weight
    FROM judged AS j GROUP BY j.tree, j.actual, j.predicted
)
SELECT o.tree AS tree_id, {group} AS group_values, o.label AS actual, p.label AS predicted,
    COALESCE(s.n, 0) AS n, COALESCE(s.weight, 0) AS weight, b.bad_weights
FROM outcomes AS o
CROSS JOIN labels AS p
CROSS JOIN (SELECT pg_catalog.sum(c.bad_weights)::pg_catalog.int8 AS bad_weights FROM cells AS c) AS b
INNER JOIN {trees} AS t ON t.{number} `=` o.tree
LEFT JOIN counts AS s ON s.tree `=` o.tree AND s.actual `=` o.label AND s.predicted `=` p.label
ORDER BY o.tree, o.position NULLS LAST, o.label, p.position"""

# Rows of one probability stand together, those of the greatest first; where there are more probabilities than points,
# neighbours make a point, of about as much weight as any other.
_CURVE = """
bands AS (
    SELECT s.scope, s.p_chosen AS p, pg_catalog.sum(s.n) AS n, pg_catalog.sum(s.weight) AS weight,
        COALESCE(pg_catalog.sum(s.weight) FILTER (WHERE s.class `=` {chosen}), 0) AS found
    FROM scoped AS s GROUP BY s.scope, s.p_chosen
),
ranked AS (
    SELECT b.*, pg_catalog.row_number() OVER (PARTITION BY b.scope ORDER BY b.p DESC) AS place,
        pg_catalog.count(*) OVER (PARTITION BY b.scope) AS n_bands,
        (pg_catalog.sum(b.weight) OVER (PARTITION BY b.scope ORDER BY b.p DESC))
            `/` (pg_catalog.sum(b.weight) OVER (PARTITION BY b.scope)) AS share
    FROM bands AS b
),
points AS (
    SELECT r.scope, pg_catalog.min(r.p) AS threshold, pg_catalog.sum(r.n) AS n, pg_catalog.sum(r.weight) AS weight,
        pg_catalog.sum(r.found) AS found, pg_catalog.sum(r.p `*` r.weight) `/` pg_catalog.sum(r.weight) AS estimated
    FROM ranked AS r
    GROUP BY r.scope, CASE WHEN r.n_bands `<=` {most} THEN r.place::pg_catalog.float8
        ELSE pg_catalog.ceil(r.share `*` {most}::pg_catalog.float8) END
),
summed AS (
    SELECT p.*, pg_catalog.sum(p.weight) OVER up AS above, pg_catalog.sum(p.found) OVER up AS above_found,
        pg_catalog.sum(p.weight) OVER (PARTITION BY p.scope) AS total,
        pg_catalog.sum(p.found) OVER (PARTITION BY p.scope) AS total_found
    FROM points AS p WINDOW up AS (PARTITION BY p.scope ORDER BY p.threshold DESC)
)
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, s.group_values, u.threshold, u.n::pg_catalog.int8 AS n,
    u.estimated, u.found `/` u.weight AS actual, u.above `/` u.total AS share,
    CASE WHEN u.total_found `>` 0 THEN u.above_found `/` u.total_found END AS recall,
    CASE WHEN u.total `>` u.total_found THEN (u.above `-` u.above_found) `/` (u.total `-` u.total_found) END
        AS false_positive_rate,
    u.above_found `/` u.above AS precision,
    CASE WHEN u.total_found `>` 0 THEN (u.above_found `/` u.above) `/` (u.total_found `/` u.total) END AS lift,
    b.bad_weights
FROM scopes AS s
INNER JOIN summed AS u ON u.scope `=` s.scope
CROSS JOIN (SELECT pg_catalog.sum(c.bad_weights)::pg_catalog.int8 AS bad_weights FROM cells AS c) AS b
ORDER BY s.scope, u.threshold DESC"""

# Bins of one width, each with its upper end, the first with both.
_RELIABILITY = """
placed AS (
    SELECT s.*, LEAST(GREATEST(pg_catalog.ceil(s.p_chosen `*` {bins}), 1::pg_catalog.float8), {bins}) AS bin
    FROM scoped AS s
),
binned AS (
    SELECT p.scope, p.bin, pg_catalog.sum(p.n) AS n, pg_catalog.sum(p.weight) AS weight,
        pg_catalog.sum(p.p_chosen `*` p.weight) AS said,
        COALESCE(pg_catalog.sum(p.weight) FILTER (WHERE p.class `=` {chosen}), 0) AS found
    FROM placed AS p GROUP BY p.scope, p.bin
),
summed AS (
    SELECT b.*, pg_catalog.sum(b.weight) OVER of_scope AS total,
        pg_catalog.sum(pg_catalog.abs(b.found `-` b.said)) OVER of_scope AS apart
    FROM binned AS b WINDOW of_scope AS (PARTITION BY b.scope)
)
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, s.group_values,
    (u.bin `-` 1::pg_catalog.float8) `/` {bins} AS low, u.bin `/` {bins} AS high, u.n::pg_catalog.int8 AS n,
    u.said `/` u.weight AS estimated, u.found `/` u.weight AS actual, u.weight `/` u.total AS share,
    u.apart `/` u.total AS expected_calibration_error, b.bad_weights
FROM scopes AS s
INNER JOIN summed AS u ON u.scope `=` s.scope
CROSS JOIN (SELECT pg_catalog.sum(c.bad_weights)::pg_catalog.int8 AS bad_weights FROM cells AS c) AS b
ORDER BY s.scope, u.bin"""

# The k-th least score of n, where k is the least integer from (n + 1) times the level on; NULL where k is above n.
_CLASS_ERRORS = """
scores AS (SELECT j.tree, 1::pg_catalog.float8 `-` j.p_actual AS score, j.n FROM judged AS j),"""
_NUMBER_ERRORS = """
scores AS ({errors}),"""
_CONFORMAL = """
ranked AS (
    SELECT s.scope, s.score, pg_catalog.sum(s.n) OVER (PARTITION BY s.scope ORDER BY s.score) AS place
    FROM scoped AS s
),
counted AS (SELECT s.scope, pg_catalog.sum(s.n) AS n FROM scoped AS s GROUP BY s.scope)
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, s.group_values, l.level::pg_catalog.float8 AS level,
    COALESCE(c.n, 0)::pg_catalog.int8 AS n, (
        SELECT pg_catalog.min(r.score) FROM ranked AS r
        WHERE r.scope `=` s.scope AND r.place `>=` pg_catalog.ceil((c.n `+` 1::pg_catalog.numeric) `*` l.level)
    ) AS quantile,
    COALESCE(t.bad_weights, 0)::pg_catalog.int8 AS bad_weights,
    COALESCE(t.bad_actuals, 0)::pg_catalog.int8 AS bad_actuals
FROM scopes AS s
CROSS JOIN pg_catalog.unnest({levels}) AS l(level)
LEFT JOIN counted AS c ON c.scope `=` s.scope
LEFT JOIN totals AS t ON t.scope `=` s.scope
ORDER BY s.scope, l.level"""
