"""Statements that compare a model's predictions with known outcomes.

Each is a chain of common table expressions: *cells*, the test table's rows counted by tree, leaf and outcome; and what
follows from the cells, which are few. In the templates below, text between backticks is an operator of pg_catalog's:
`` `+` `` stands for ``OPERATOR(pg_catalog.+)``. All operators that are written so bind alike, hence the brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.cells import Question, class_cells, number_cells
from madtree.sqltext.quote import float_literal
from madtree.sqltext.scopes import CELLS, SCOPES, cells_with_predictions, whole

COUNTS = ("n", "n_skipped")
CLASS_METRICS = ("accuracy", "balanced_accuracy", "log_loss", "auc")
NUMBER_METRICS = ("rmse", "mae", "r2")
COUNT_METRICS = (*NUMBER_METRICS, "poisson_deviance")

# Whether the transaction may not write, as on a standby.
READ_ONLY = "SELECT pg_catalog.current_setting('transaction_read_only')::pg_catalog.bool AS read_only"


def metric_names(is_classification: bool, n_classes: int, of_counts: bool = False) -> tuple[str, ...]:
    """The metrics that a model of that kind has, those that count rows first."""
    if not is_classification:
        return (*COUNTS, *(COUNT_METRICS if of_counts else NUMBER_METRICS))
    return (*COUNTS, *(name for name in CLASS_METRICS if name != "auc" or n_classes == 2))


def class_metrics(question: Question) -> str:
    """Metrics of a classification by scope."""
    template = f"WITH {CELLS}{cells_with_predictions(question)}{SCOPES}{_CLASS_METRICS}{_RESULT}"
    metrics = _of_metrics(CLASS_METRICS)
    return question.fill(template, cells=class_cells(question), metrics=metrics, **whole(question, "judged"))


def number_metrics(question: Question) -> str:
    """Metrics of a regression by scope."""
    template = f"WITH {CELLS}{SCOPES}{_NUMBER_METRICS}{_RESULT}"
    metrics = _of_metrics(COUNT_METRICS if question.of_counts else NUMBER_METRICS)
    return question.fill(template, cells=number_cells(question), metrics=metrics, **whole(question, "cells"))


def confusion(question: Question) -> str:
    """Rows of the confusion matrix of each tree."""
    return question.fill(f"WITH {CELLS}{cells_with_predictions(question)}{_CONFUSION}", cells=class_cells(question))


def _of_metrics(names: Sequence[str]) -> str:
    return ", ".join(f"m.{name}" for name in names)


# Probabilities are kept as far from 0 and 1 as scikit-learn does it: by float64's machine epsilon.
_EPSILON = float_literal(2.0**-52)
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
centred AS (
    SELECT s.scope, pg_catalog.sum(
        GREATEST(s.distances `-` (pg_catalog.power(s.errors, 2) `/` s.weight), 0)
            `+` (s.weight `*` pg_catalog.power(d.distance, 2))
    ) AS squares
    FROM scoped AS s
    INNER JOIN summed AS m ON m.scope `=` s.scope
    CROSS JOIN LATERAL (SELECT (s.prediction `-` m.mean) `+` (s.errors `/` s.weight) AS distance) AS d
    WHERE s.n `>` 0
    GROUP BY s.scope
),
metrics AS (
    SELECT s.scope, s.n, pg_catalog.sqrt(s.squares `/` s.weight) AS rmse, s.sizes `/` s.weight AS mae,
        CASE WHEN s.varies AND p.squares `>` 0 THEN 1::pg_catalog.float8 `-` (s.squares `/` p.squares) END AS r2,
        s.deviances `/` s.weight AS poisson_deviance
    FROM summed AS s INNER JOIN centred AS p ON p.scope `=` s.scope
)"""
_RESULT = """
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, COALESCE(m.n, 0)::pg_catalog.int8 AS n,
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
SELECT o.tree AS tree_id, o.label AS actual, p.label AS predicted,
    COALESCE(s.n, 0) AS n, COALESCE(s.weight, 0) AS weight, b.bad_weights
FROM outcomes AS o
CROSS JOIN labels AS p
CROSS JOIN (SELECT pg_catalog.sum(c.bad_weights)::pg_catalog.int8 AS bad_weights FROM cells AS c) AS b
LEFT JOIN counts AS s ON s.tree `=` o.tree AND s.actual `=` o.label AND s.predicted `=` p.label
ORDER BY o.tree, o.position NULLS LAST, o.label, p.position"""
