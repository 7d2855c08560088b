"""The functions that hold new rows against those of the training."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface.command_line import Flag
from madtree.interface.function import Argument, Function, Method, columns
from madtree.interface.shared import FIGURES, MODEL, NEW_DATA, TRUST_OWNER, whom_to_trust

TREE_STATISTICS = Function(
    "tree_statistics",
    "keeps with a model how the values of all rows of a table are distributed, in place of what its training has kept",
    run="madtree.calls.answers:tree_statistics",
    settings=FIGURES,
    arguments=(
        MODEL,
        Argument(
            "training_table",
            "text",
            "the table or view that the model was trained on",
            flag=Flag(
                names=("--training",),
                help="the table that it was trained on: keep first how its values are distributed",
            ),
        ),
        TRUST_OWNER,
    ),
    details=f"""\
It makes the table <output>_statistics anew: for each feature the rows without a value, those in each of up to ten
ranges of about equally many rows, or those of each category. Of models of many trees and at most 1,000 classes also how
their predictions are distributed, in rows without a feature: of numbers and of the probability of the last of two
classes over such ranges, of more over the most probable classes; of at most 20,000 rows, drawn by a hash of their ids.
Copies of the model (tree_prune, boost_cut, calibrate) have what is of features, and tree_drop removes it.

A training keeps the same of its own rows, those with an outcome and a weight above 0: of all of them up to 20,000, of
more about 10,000 from pages all over the table; and nothing where its trees have seen more than 10,000 categories. So
this function is for models of older versions, for copies, and where all rows are to be counted.
{whom_to_trust()}""",
    example="SELECT madtree.tree_statistics('delay_tree', 'flights');",
)

TREE_DRIFT = Function(
    "tree_drift",
    "tells how far the values of new rows, and what a model says of them, have moved from those of its training",
    run="madtree.score.drift:tree_drift",
    method=Method("drift", table="new_data_table"),
    settings=FIGURES,
    arguments=(MODEL, replace(NEW_DATA, help="table or view with the features and the grouping columns"), TRUST_OWNER),
    returns=columns(
        "feature text?, psi double precision, missing double precision?, missing_before double precision?, "
        "outside double precision?, n bigint"
    ),
    n_rows=10,
    details=f"""\
A row for each feature, those that have moved most first, and one whose feature is NULL: of the leaves of single trees,
in which many rows may come where few did, though each feature is as it was; of the predictions of models of many
trees, of at most 20,000 rows, drawn by a hash of their ids. There is none where all rows are of unknown groups; of
predictions also where the table has no id, or none were kept (a notice says so):
    psi                       the population stability index: 0 where all is as before; by a rule of thumb below 0.1
                              nothing has changed, and above 0.25 the model should be looked at
    missing, missing_before   the shares of the new rows, and of those of the training, without a value
    outside                   the share of the new rows with a value below the least or above the largest one of the
                              training, or with a category that the training has not seen
    n                         the new rows; of predictions, those that were drawn
The index is the sum of (a - e) * ln(a / e) over the ranges, or the twenty most frequent categories and all others, and
the rows without a value; a is the share of the new rows and e that of the training rows. Of a share of none half a row
is taken. Rows do not count by weights.
{whom_to_trust()}""",
    example="""\
SELECT feature, round(psi::numeric, 3) AS psi, missing, outside FROM madtree.tree_drift('delay_tree', 'flights_of_may');
""",
)
