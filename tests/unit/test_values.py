"""A feature's value as a number in SQL."""

from __future__ import annotations

from madtree.sqltext import rows, values
from madtree.trees import Feature, FeatureKind


def test_an_enum_is_numbered_by_a_constant_not_by_a_look_at_its_type_for_each_row() -> None:
    size = Feature("size", '"Odd".size', FeatureKind.ORDERED, labels=("s", "it's"))
    number = "pg_catalog.width_bucket((size), ARRAY['s'::\"Odd\".size, 'it''s'::\"Odd\".size])"
    assert values.number(size) == number
    assert rows.as_number(size) == f"({number})::pg_catalog.float8"
