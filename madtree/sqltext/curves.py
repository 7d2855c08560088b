"""Statements about the probabilities of a class, and about how far predictions may be off. For the templates see
`sqltext.evaluate`.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.sqltext.array_text import texts
from madtree.sqltext.cells import Question, class_cells, number_cells, number_errors
from madtree.sqltext.quote import float_literal, literal, spelled_out
from madtree.sqltext.scopes import CELLS, SCOPES, cells_with_predictions, whole
from madtree.sqltext.tables import model_table


def curve(question: Question, most: int) -> str:
    """Points of the curve of the chosen class by scope, at most `most` of each; see `tree_curve`."""
    template = f"WITH {CELLS}{cells_with_predictions(question)}{SCOPES}{_CURVE}"
    cells = class_cells(question)
    return question.fill(template, cells=cells, most=str(most), **whole(question, "judged"))


def reliability(question: Question, n_bins: int) -> str:
    """Bins of the probability of the chosen class by scope; see `tree_reliability`."""
    template = f"WITH {CELLS}{cells_with_predictions(question)}{SCOPES}{_RELIABILITY}"
    cells, bins = class_cells(question), f"{n_bins}::pg_catalog.float8"
    return question.fill(template, cells=cells, bins=bins, **whole(question, "judged"))


def conformal(question: Question, levels: Sequence[str]) -> str:
    """Quantiles of how wrong the model is by scope, for levels as decimals; see `conformal_quantiles`."""
    if question.classes:
        cells, errors, parts = class_cells(question), "", f"{cells_with_predictions(question)}{_CLASS_ERRORS}"
    else:
        cells, errors, parts = number_cells(question), number_errors(question), _NUMBER_ERRORS
    template = f"WITH {CELLS}{parts}{SCOPES}{_CONFORMAL}"
    of_levels = f"{literal(texts(levels))}::pg_catalog.numeric[]"
    return question.fill(template, cells=cells, errors=errors, levels=of_levels, **whole(question, "errors"))


def kept_quantiles(schema: str, name: str, level: float, most: int) -> str:
    """The quantiles of a level that `<output>_conformal` keeps, that of all groups together first."""
    return spelled_out("""SELECT c.tree_id, c.quantile FROM {table} AS c WHERE c.level `=` {level}
ORDER BY c.tree_id NULLS FIRST LIMIT {most}""").format(
        table=model_table(schema, name, "_conformal"), level=float_literal(level), most=most + 1
    )


def kept_levels(schema: str, name: str, most: int) -> str:
    """The levels that it keeps, so many at most."""
    return f"""SELECT DISTINCT c.level FROM {model_table(schema, name, "_conformal")} AS c
WHERE c.level IS NOT NULL ORDER BY c.level LIMIT {most}"""


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
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, u.threshold, u.n::pg_catalog.int8 AS n,
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
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id,
    (u.bin `-` 1::pg_catalog.float8) `/` {bins} AS low, u.bin `/` {bins} AS high, u.n::pg_catalog.int8 AS n,
    u.said `/` u.weight AS estimated, u.found `/` u.weight AS actual, u.weight `/` u.total AS share,
    u.apart `/` u.total AS expected_calibration_error, b.bad_weights
FROM scopes AS s
INNER JOIN summed AS u ON u.scope `=` s.scope
CROSS JOIN (SELECT pg_catalog.sum(c.bad_weights)::pg_catalog.int8 AS bad_weights FROM cells AS c) AS b
ORDER BY s.scope, u.bin"""

# The k-th least error of n, where k is the least integer from (n + 1) times the level on; NULL where k is above n.
_CLASS_ERRORS = """
errors AS (SELECT j.tree, 1::pg_catalog.float8 `-` j.p_actual AS error, j.n FROM judged AS j),"""
_NUMBER_ERRORS = """
errors AS ({errors}),"""
_CONFORMAL = """
ranked AS (
    SELECT s.scope, s.error, pg_catalog.sum(s.n) OVER (PARTITION BY s.scope ORDER BY s.error) AS place
    FROM scoped AS s
),
counted AS (SELECT s.scope, pg_catalog.sum(s.n) AS n FROM scoped AS s GROUP BY s.scope)
SELECT CASE WHEN s.scope `>=` 0 THEN s.scope END AS tree_id, l.level::pg_catalog.float8 AS level,
    COALESCE(c.n, 0)::pg_catalog.int8 AS n, (
        SELECT pg_catalog.min(r.error) FROM ranked AS r
        WHERE r.scope `=` s.scope AND r.place `>=` pg_catalog.ceil((c.n `+` 1::pg_catalog.numeric) `*` l.level)
    ) AS quantile,
    COALESCE(t.bad_weights, 0)::pg_catalog.int8 AS bad_weights,
    COALESCE(t.bad_actuals, 0)::pg_catalog.int8 AS bad_actuals
FROM scopes AS s
CROSS JOIN pg_catalog.unnest({levels}) AS l(level)
LEFT JOIN counted AS c ON c.scope `=` s.scope
LEFT JOIN totals AS t ON t.scope `=` s.scope
ORDER BY s.scope, l.level"""
