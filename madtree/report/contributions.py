"""What features contribute to the predictions of some rows of a table (SHAP values), for a page to draw."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import psycopg

from madtree.errors import MadtreeError
from madtree.host import Row
from madtree.host.psycopg import together
from madtree.render.labels import category_text, one_line
from madtree.report.function_calls import partial_dependence
from madtree.report.page import finite
from madtree.report.trees import Choice
from madtree.request import find_source
from madtree.trees import Feature, FeatureKind, Model

if TYPE_CHECKING:
    from madtree.score import ExplainedRows

MOST_ROWS = 600  # that are drawn, once for each class; of models with more leaves fewer, but so many at least:
FEWEST_ROWS, MOST_WAYS = 100, 20_000_000  # rows; rows times leaves
MOST_CLASSES = 4  # that can be chosen from
MOST_FEATURES = 12  # that are drawn: those that contribute most; the others are told together
MOST_ASKED = 300  # features of a model whose rows are explained
MOST_PROBED = 6  # features by whose values predictions are drawn
PROBED_ROWS = 500  # that are predicted by each value
VALUES, CATEGORIES = 25, 60  # of a feature
LONGEST = 40  # characters of a value
_TOO_LARGE = "54000"


def contributions(choice: Choice, table: str, row: str | None) -> dict[str, Any]:
    """What the page's script draws, or a `note` that says why there is nothing.

    Args:
        table: as the user or the model names it.
        row: the id of a row that is drawn, too.

    Returns:
        `rows`, `type` and `hasOffsets`; `features`, the positions of those that contribute most, and how many `others`
        there are; of each row `ids`; of each feature and row `texts`, and `numbers`, None of one whose values have no
        order; by class `outputs`: `class`, and of each row `expected`, `terms` by feature, and `rest`, what all others
        contribute. The row that was asked for is the last one, and `chosen` is true. `dependences` of the first
        features: what is
        predicted by their values (`_dependence`).

    Raises:
        MadtreeError, psycopg.Error: the table does not fit, or the model may not be run.
    """
    if find_spec("numpy") is None:
        return {"note": "What features contribute is computed here, which needs numpy: pip install numpy."}
    opened = choice.opened.to_use()
    model = opened.model
    if len(model.features) > MOST_ASKED:
        return {"note": f"What features contribute is drawn for models of at most {MOST_ASKED} features."}
    from madtree.score import explain_row, explain_some  # numpy comes with it

    n_outputs = min(len(model.classes), MOST_CLASSES) if len(model.classes) > 2 else 1
    n_rows = min(MOST_ROWS, max(FEWEST_ROWS, MOST_WAYS // max(choice.totals["leaves"], 1)))
    source = find_source(choice.host.source, table, "data")
    try:
        found = explain_some(opened, source, table, "data", n_rows // n_outputs)
        common = choice.host, choice.model.name, table
        of_row = [] if row is None else explain_row(*common, row, trust_owner=choice.trust_owner)
    except MadtreeError as error:
        if error.sqlstate != _TOO_LARGE:
            raise
        return {"note": f"What features contribute is not drawn: {error.message}."}
    if not len(found.ids):
        return {"note": f"No row of {table} has a tree that predicts it."}
    outputs, features = _strongest(found, n_outputs)
    classes = [found.classes[output] for output in outputs]
    probed = [_dependence(choice, table, model.features[place], classes) for place in features[:MOST_PROBED]]
    drawn = _drawn(model, found, outputs, features, row, of_row)
    return {"table": table, **drawn, "dependences": probed}


def _dependence(choice: Choice, table: str, feature: Feature, classes: Sequence[str | None]) -> dict[str, Any] | None:
    """The values of a feature as `texts`, and as `numbers` where they have an order; and what is predicted where all
    rows have one, by class, as `outputs`. None where it has too many categories, or none of the rows has a value.

    Where they have an order, `effects` are the accumulated ones: `numbers`, and by class `outputs`.

    Args:
        table: as the user or the model names it.
        classes: whose probabilities are wanted; one that is None of a model of numbers.
    """
    has_order = feature.kind is not FeatureKind.UNORDERED
    size = VALUES if has_order else CATEGORIES
    try:
        with together(choice.host):
            common = choice, table, feature.name, size, PROBED_ROWS
            rows = partial_dependence(*common, accumulated=False)
            effects = partial_dependence(*common, accumulated=True) if has_order else []
    except (MadtreeError, psycopg.errors.InvalidParameterValue, psycopg.errors.ProgramLimitExceeded):
        return None
    first = _of_class(rows, classes[0])
    return {
        "texts": [row["value"] for row in first],
        **_by_number(rows, classes),
        **({"effects": _by_number(effects, classes)} if has_order else {"numbers": None}),
    }


def _of_class(rows: Sequence[Row], class_: str | None) -> list[Row]:
    return [row for row in rows if row["class"] in (class_, None)]


def _by_number(rows: Sequence[Row], classes: Sequence[str | None]) -> dict[str, Any]:
    """The values of a feature as `numbers`, and by class what is predicted, or changes, by them, as `outputs`."""
    return {
        "numbers": [finite(row["number"]) for row in _of_class(rows, classes[0])],
        "outputs": [[_digits(row["estimated"]) for row in _of_class(rows, class_)] for class_ in classes],
    }


def _strongest(found: ExplainedRows, n_outputs: int) -> tuple[list[int], list[int]]:
    """The classes that contributions tell most of, in their order, and the features that contribute most to these."""
    sizes = abs(found.terms).mean(axis=0)
    outputs = sorted(sizes.sum(axis=1).argsort(kind="stable")[::-1][:n_outputs].tolist())
    features = sizes[outputs].sum(axis=0).argsort(kind="stable")[::-1][:MOST_FEATURES].tolist()
    return outputs, [place for place in features if sizes[outputs][:, place].any()] or features[:1]


def _drawn(
    model: Model,
    found: ExplainedRows,
    outputs: Sequence[int],
    features: Sequence[int],
    row: str | None,
    of_row: Sequence[Row],
) -> dict[str, Any]:
    """The rows by column."""
    names = [model.features[place].name for place in features]
    by_class = _by_class(of_row)
    values_by_row = [[*values] for values in found.values]
    ids = [*found.ids]
    if row is not None:
        ids.append(row)
        values_by_row.append([by_class[found.classes[0]][feature.name]["value"] for feature in model.features])
    return {
        "rows": len(found.ids),
        "chosen": row is not None,
        "type": found.type_,
        "hasOffsets": model.offsets is not None,
        "features": features,
        "others": len(model.features) - len(features),
        "ids": [_short(id_) for id_ in ids],
        "texts": [[_short(values[place]) for values in values_by_row] for place in features],
        "numbers": [_numbers(model, found, place, row is not None) for place in features],
        "outputs": [_output(found, output, features, by_class.get(found.classes[output]), names) for output in outputs],
    }


def _by_class(of_row: Sequence[Row]) -> dict[str | None, dict[str | None, Row]]:
    """The rows of tree_explain by class and feature; that without a feature is what is expected."""
    by_class: dict[str | None, dict[str | None, Row]] = {}
    for each in of_row:
        by_class.setdefault(each["class"], {})[each["feature"]] = each
    return by_class


def _numbers(model: Model, found: ExplainedRows, place: int, has_chosen: bool) -> list[float | None] | None:
    """A feature's values as numbers; the row that was asked for has none."""
    if model.features[place].kind is FeatureKind.UNORDERED:
        return None
    return [*map(finite, found.numbers[:, place].tolist()), *[None] * has_chosen]


def _output(
    found: ExplainedRows,
    output: int,
    features: Sequence[int],
    chosen: dict[str | None, Row] | None,
    names: Sequence[str],
) -> dict[str, Any]:
    """What is drawn of one class, or of the number; `chosen`: the contributions of the row that was asked for."""
    expected = found.expected[:, output].tolist()
    terms = [found.terms[:, output, place].tolist() for place in features]
    whole = found.terms[:, output].sum(axis=1).tolist()
    if chosen is not None:
        expected.append(chosen[None]["contribution"])
        for own, name in zip(terms, names, strict=True):
            own.append(chosen[name]["contribution"])
        whole.append(sum(each["contribution"] for feature, each in chosen.items() if feature is not None))
    rest = [_rest(together, each) for together, each in zip(whole, zip(*terms, strict=True), strict=True)]
    class_ = found.classes[output]
    return {
        "class": None if class_ is None else category_text(class_),
        "expected": [*map(_digits, expected)],
        "terms": [[*map(_digits, own)] for own in terms],
        "rest": [*map(_digits, rest)],
    }


def _rest(together: float, own: Sequence[float]) -> float:
    """What is left of a sum, 0 where that is rounding alone."""
    rest = together - sum(own)
    return rest if abs(rest) > 1e-12 * sum(map(abs, own)) else 0.0


def _digits(value: float) -> float | None:
    return finite(float(f"{value:.5g}"))


def _short(text: str | None) -> str | None:
    if text is None:
        return None
    line = one_line(text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
