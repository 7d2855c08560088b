"""Many groups: a tree for each."""

from __future__ import annotations

from measure.case import Case, Ratio, Seconds, Suite
from measure.inside import Train
from measure.table import derived, names, uniform

MILLION = uniform(1_000_000, 10)
BY_GROUP = "grouping_cols => 'g'"
TEN_THOUSAND = derived("ten_thousand_groups", MILLION, "*, id % 10000 AS g", names(10))
FIFTY_ROWS = uniform(5_000_000, 10, "groups_of_50", ", id % 100000 AS g")
UNEVEN = derived(
    "uneven_groups",
    uniform(2_000_000, 10),
    "*, CASE WHEN id <= 1000000 THEN 0 ELSE 1 + id % 10000 END AS g",
    names(10),
)
ONE, SHARED, AUTOMATIC = "one process", "3 workers", "automatic"

SUITE = Suite(
    "groups",
    "Many groups",
    (
        Case(
            "10000x100",
            {
                "no groups": Train(MILLION),
                ONE: Train(TEN_THOUSAND, 0, BY_GROUP, model="groups_0"),
                SHARED: Train(TEN_THOUSAND, 3, BY_GROUP, model="groups_3"),
                AUTOMATIC: Train(TEN_THOUSAND, None, BY_GROUP, model="groups_auto"),
            },
            [
                Seconds(ONE, 6),
                Seconds(SHARED, 2.5),
                Ratio(ONE, "no groups", per="cell"),
                Ratio(ONE, SHARED),
                Ratio(AUTOMATIC, SHARED, 1.1),
            ],
            rounds=3,
            peaks=[ONE, AUTOMATIC],
            same_trees=[ONE, SHARED, AUTOMATIC],
        ),
        Case(
            "100000x50",
            {"no groups": Train(MILLION), AUTOMATIC: Train(FIFTY_ROWS, None, BY_GROUP)},
            [Ratio(AUTOMATIC, "no groups", per="cell")],
            rounds=1,
            peaks=[AUTOMATIC],
            long=True,
        ),
        Case(
            "one-large-among-10000",
            {
                "the large one alone": Train(MILLION),
                "the small ones alone": Train(TEN_THOUSAND, 0, BY_GROUP),
                ONE: Train(UNEVEN, 0, BY_GROUP, model="uneven_0"),
                AUTOMATIC: Train(UNEVEN, None, BY_GROUP, model="uneven_auto"),
            },
            [Ratio(ONE, "the small ones alone", 1.5), Ratio(AUTOMATIC, ONE, 1.1)],
            rounds=2,
            peaks=[ONE],
            same_trees=[ONE, AUTOMATIC],
        ),
    ),
)
