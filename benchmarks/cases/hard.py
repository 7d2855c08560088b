"""Wide and deep: shapes that cost more than the plain case, which runs in turn with each of them."""

from __future__ import annotations

from measure.case import Case, Ratio, Suite
from measure.inside import SHAPE, Train
from measure.table import Table, derived, names, uniform

PLAIN = "plain"
MILLION = uniform(1_000_000, 10)
WIDE = uniform(100_000, 1_000)
GOAL = 2.0  # times the plain case's cost per cell
DEEP = "max_depth => 30, n_bins => 100, min_split => 2, min_bucket => 1"
CLASSES = derived("thousand_classes", MILLION, "*, (1000 * x1 * x2)::int % 1000 AS k", names(10))
LEVELS = derived(
    "levels",
    MILLION,
    "*, 'level ' || (hashint4(id) & 1073741823) % 20000 AS t",
    ("t", *names(9)),
)
DISTINCT = derived(
    "distinct",
    MILLION,
    "id, y, " + ", ".join(f"(floor({x} * 60000) / 7)::float8 AS {x}" for x in names(10)),
    names(10),
)
ARRAY = derived("wide_array", WIDE, f"id, y, ARRAY[{', '.join(WIDE.features)}] AS x", ("x",), WIDE.total_bins)


def _case(name: str, what: str, table: Table, *more: Ratio, rounds: int = 2, **changes: str) -> Case:
    return Case(
        name,
        {PLAIN: Train(MILLION), what: Train(table, **changes)},
        [Ratio(what, PLAIN, GOAL, per="cell"), *more],
        rounds=rounds,
        peaks=[what],
        long=table.total_bins > MILLION.total_bins,
    )


SUITE = Suite(
    "hard",
    "Wide and deep",
    (
        _case("1000-columns", "1,000 columns", WIDE),
        _case("float8-array", "a float8[] of 1,000", ARRAY),
        _case(
            "depth-30",
            "depth 30, min_bucket 1",
            MILLION,
            Ratio(
                "depth 30, min_bucket 1", PLAIN, scale=3.0, name="depth 30, min_bucket 1 / plain, per cell and level"
            ),
            shape=DEEP,
        ),
        _case("1000-classes", "1,000 classes", CLASSES, dependent="k", rounds=1),
        _case("20000-levels", "a text of 20,000 levels, nine columns", LEVELS),
        _case(
            "60000-values", "60,000 values, n_bins => 0", DISTINCT, shape=SHAPE.replace("n_bins => 100", "n_bins => 0")
        ),
    ),
)
