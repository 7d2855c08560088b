"""The functions that try a model: what it predicts where values of features are others."""

from __future__ import annotations

from madtree.interface import defaults
from madtree.interface.command_line import Command, Flag
from madtree.interface.function import Argument, Function, Method, columns
from madtree.interface.shared import FIGURES, MODEL, NEW_DATA, TEXTS, TRUST_OWNER, whom_to_trust
from madtree.interface.valid import Range, at_least

_MOST_ROWS = Argument(
    "max_rows",
    "integer",
    "rows to take at most, drawn by the hash of the id",
    defaults.MAX_ROWS,
    valid=Range(1, 1_000_000),
)

PARTIAL_DEPENDENCE = Function(
    "partial_dependence",
    "tells what a model predicts by the values of one feature or two",
    run="madtree.explain.dependence:partial_dependence",
    method=Method("partial_dependence", table="new_data_table"),
    settings=FIGURES | TEXTS,
    arguments=(
        MODEL,
        NEW_DATA,
        Argument("features", "text", "one feature, or two: 'income', 'income, age'"),
        Argument("type", "text", "the scale; NULL: prob of classes, response of numbers", None),
        Argument(
            "class", "text", "whose prediction is told, as text; NULL: of two classes the last one, of more all", None
        ),
        Argument(
            "accumulated",
            "boolean",
            "true: accumulated local effects, of features whose values have an order",
            defaults.ACCUMULATED,
        ),
        Argument("ice", "boolean", "true: a curve for each row", defaults.ICE),
        Argument("grid_size", "integer", "values of a feature at most", defaults.GRID_SIZE, valid=Range(2, 1_000)),
        _MOST_ROWS,
        TRUST_OWNER,
    ),
    by_name_from="type",
    returns=columns(
        "class text?, value text, number double precision?, value_2 text?, number_2 double precision?, id text?, "
        "estimated double precision, n bigint"
    ),
    n_rows=50,
    details=f"""\
A row for each class and each value of the grid, or each pair of values:
    class                     of classes, whose prediction it is
    value, number             the feature's value as text, and as trees compare it (dates in seconds)
    value_2, number_2         those of the second feature, if there is one
    id                        with ice, the row's id
    estimated                 what is predicted on average where all rows have that value (partial dependence); with
                              ice, for that row
    n                         rows that count
type: prob of classes, response of numbers, or prob_mean or raw where the model's predictions have it.
The grid has all values of the feature in the rows. Of more than grid_size values it has equal steps between the
quantiles 0.05 and 0.95, as scikit-learn's; of integers and dates it has as many of the values themselves.
accumulated => true adds up what changes from one value of the grid to the next, for the rows that lie between them, so
that no row is asked that cannot be; where features go together, take this one. Its grid are values of the rows, with as
many rows from each to the next. On average over the rows it is 0, and n are those between a value and the one before.
Of two features it is what they do together beyond what each does alone, so 0 where they do not interact; add the
effects of each, from two calls, for the whole. Rows count that have both values. A pair takes the cell that it ends;
where no row is in a cell (n is 0), what changes in it is that of the nearest cell that has rows.
Rows of an unknown group do not count. Of a grouped model each row is predicted by the tree of its group: take a view of
the rows of one group to see that alone.
{whom_to_trust()}""",
    example="""\
SELECT value, estimated FROM madtree.partial_dependence('delay_tree', 'flights', 'hour') ORDER BY number;
SELECT value, estimated FROM madtree.partial_dependence('delay_boost', 'flights', 'distance', accumulated => true);""",
    command=Command(
        "dependence",
        "asking",
        "Show what a model predicts by the values of one feature or two (partial dependence).",
        (
            "madtree dependence delay_tree flights_today hour",
            "madtree dependence delay_boost flights_today 'hour, carrier' --class true --grid-size 10",
            "madtree dependence delay_boost flights_today hour --accumulated",
        ),
    ),
)

PERMUTATION_IMPORTANCE = Function(
    "permutation_importance",
    "measures how much worse a model predicts a table where values of a feature are exchanged among its rows",
    run="madtree.score.permuted:permutation_importance",
    method=Method("permutation_importance", table="test_table"),
    settings=FIGURES,
    arguments=(
        MODEL,
        Argument(
            "test_table",
            "text",
            "table, view, ... with the id, the dependent variable, the features, the grouping columns and the weights "
            "of the training, under the same names",
            flag=Flag(names=("--data",), help="table with known outcomes, whose values are exchanged among its rows"),
        ),
        Argument("features", "text", "NULL: each one; else some, and some together: 'age, [lat, lon]'", None),
        Argument("metric", "text", "of classes log_loss or accuracy, of numbers rmse or mae; NULL: the first", None),
        Argument(
            "n_repeats",
            "integer",
            "times that values are exchanged",
            defaults.REPEATS,
            valid=Range(1, 1_000),
            flag=Flag(names=("--repeats",)),
        ),
        Argument("seed", "integer", "another one exchanges others", defaults.SEED, valid=at_least(0)),
        _MOST_ROWS,
        TRUST_OWNER,
    ),
    returns=columns(
        "features text, metric text, value double precision, importance double precision, stddev double precision, "
        "n bigint"
    ),
    n_rows=20,
    details=f"""\
A row for each feature, or for those that are named together in brackets, the most important first:
    features                  as they are named
    metric, value             what is measured, and what it is as the rows are
    importance                by how much it is worse where the values are exchanged (accuracy: less), on average
    stddev                    of that, from one exchange to the next
    n                         rows that count
Take a table that the training has not seen: on its own rows a model finds important what it has learned by heart.
Features that tell the same hide each other, as the model can do without one of them; name them together.
Of grouped models values are exchanged within each group. Rows count by the model's weights, and are left out where the
group or the class is unknown, or the dependent variable or the weight is NULL. Metrics are those of tree_evaluate.
{whom_to_trust()}""",
    example="""\
SELECT features, importance FROM madtree.permutation_importance('delay_tree', 'flights_of_may');
SELECT features, importance
FROM madtree.permutation_importance('delay_tree', 'flights_of_may', '[hour, weekday], carrier');""",
)
