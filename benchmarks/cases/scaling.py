"""The scaling law: seconds against rows, and against columns."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import ColumnSums, Train
from measure.outside import ScikitLearn, lightgbm_at_its_best
from measure.table import uniform

SCAN, ONE, AUTOMATIC = "column sums, one process", "madtree, one process", "madtree"
LIGHTGBM, SCIKIT_LEARN = "LightGBM after ADBC", "scikit-learn after ADBC"
ROW_COUNTS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
COLUMN_COUNTS = (5, 10, 20, 50, 100, 200, 500, 1_000)
OF_COLUMNS = 100_000  # rows
_LONG = 10_000_000  # cells from which a case is long
_SLOW = 50_000_000  # cells from which scikit-learn and others run once


def _case(name: str, n_rows: int, n_columns: int) -> Case:
    table = uniform(n_rows, n_columns)
    slow = {SCIKIT_LEARN: 1} | ({ONE: 1, AUTOMATIC: 1} if table.total_bins >= _SLOW else {})
    return Case(
        name,
        {
            SCAN: ColumnSums(table),
            ONE: Train(table),
            AUTOMATIC: Train(table, None),
            LIGHTGBM: lightgbm_at_its_best(table),
            SCIKIT_LEARN: ScikitLearn(table, "ADBC"),
        },
        [Ratio(ONE, SCAN), Ratio(AUTOMATIC, LIGHTGBM)] if n_rows >= OF_COLUMNS else (),
        rounds=3 if table.total_bins >= _LONG else 5,
        fewer=slow if table.total_bins >= _LONG else None,
        long=table.total_bins > _LONG,
    )


ROWS = Suite("rows", "Seconds against rows, 10 columns", [_case(f"{n}", n, 10) for n in ROW_COUNTS])
COLUMNS = Suite(
    "columns", f"Seconds against columns, {OF_COLUMNS:,} rows", [_case(f"{n}", OF_COLUMNS, n) for n in COLUMN_COUNTS]
)
