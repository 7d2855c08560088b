"""What a model predicts on average by the values of a feature (partial dependence), for a page to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.host.psycopg import together
from madtree.report.figures import partial_dependence
from madtree.report.page import finite
from madtree.report.trees import Choice
from madtree.trees import Feature, FeatureKind

MOST_ROWS = 500  # that a prediction is asked of, for each value
VALUES, CATEGORIES = 25, 60  # of a feature


def dependence(
    host: Host, choice: Choice, table: str, feature: Feature, classes: Sequence[str | None]
) -> dict[str, Any] | None:
    """The values of a feature as `texts`, and as `numbers` where they have an order; and what is predicted where all
    rows have one, by class, as `outputs`. None where it has too many categories, or none of the rows has a value.

    Args:
        table: as the user or the model names it.
        classes: whose probabilities are wanted; one that is None of a model of numbers.
    """
    has_order = feature.kind is not FeatureKind.UNORDERED
    size = VALUES if has_order else CATEGORIES
    try:
        with together(host):
            rows = partial_dependence(host, choice, table, feature.name, size, MOST_ROWS)
    except (MadtreeError, psycopg.Error):
        return None
    by_class = {class_: [row for row in rows if row["class"] in (class_, None)] for class_ in classes}
    first = by_class[classes[0]]
    return {
        "texts": [row["value"] for row in first],
        "numbers": [finite(row["number"]) for row in first] if has_order else None,
        "outputs": [[finite(float(f"{row['estimated']:.5g}")) for row in by_class[class_]] for class_ in classes],
    }
