"""The functions that say how well a model predicts."""

from __future__ import annotations

from madtree.interface import defaults
from madtree.interface.command_line import Command, Flag
from madtree.interface.function import Argument, Function, Method, Takes, columns
from madtree.interface.shared import ANY_MODEL, FIGURES, MODEL, TRUST_OWNER, model_argument, model_of, whom_to_trust
from madtree.interface.valid import at_least
from madtree.trees import BOOSTED

_TEST_TABLE = Argument(
    "test_table",
    "text",
    "table, view, ... with the dependent variable, the features, the grouping columns and the weights of the training, "
    "under the same names",
    flag=Flag(names=("table",), help="table with known outcomes"),
)
_TREE_MODEL = model_argument("tree_model", ANY_MODEL)

TREE_EVALUATE = Function(
    "tree_evaluate",
    "measures how well a model predicts a table whose outcomes are known",
    run="madtree.score.evaluate:tree_evaluate",
    method=Method("evaluate", table="test_table"),
    settings=FIGURES,
    arguments=(_TREE_MODEL, _TEST_TABLE, TRUST_OWNER),
    returns=columns("tree_id integer?, group_values jsonb?, metric text, value double precision?"),
    details=f"""\
A row for each metric; of a grouped model first those of all rows (tree_id is NULL), then those of each group:
    tree_id, group_values     the tree, and its group as a JSON object
    metric, value             its name, and what it is; NULL where the table does not say
The metrics of a classification are n, n_skipped, accuracy, balanced_accuracy, log_loss and, of two classes, auc; those
of a regression n, n_skipped, rmse, mae and r2, and of counts poisson_deviance besides:
    n, n_skipped              rows that count, and rows left out: of an unknown group, with the dependent variable NULL,
                              with a weight of 0 or NULL
    accuracy                  share of rows whose class is predicted
    balanced_accuracy         that share for each class that occurs, averaged over classes
    log_loss                  mean of -ln of the probability that the model gave to the actual class
    auc                       two classes: area under the ROC curve, ties counted half; NULL if only one class occurs
    rmse, mae, r2             regression: root mean squared error, mean absolute error, share of variance explained
    poisson_deviance          split_criterion poisson: mean deviance of the counts from the expected ones, which are
                              rate * exposure
Of a forest tree_id is the gid of its group. Its classes are those with most votes (forest_predict's 'response'), its
probabilities the means of the leaves' shares ('prob_mean').
Where the model has weights, rows count by theirs. A class that the model has not seen is predicted wrongly with
probability 0, and does not count for auc. Probabilities are kept 2.2e-16 away from 0 and 1.
Metrics are sums of double precision in the order in which the server meets the rows: where weights or errors are no
whole numbers, the last digits may differ from one call to the next. Trees and predictions never do.
{whom_to_trust()}""",
    example="SELECT metric, value FROM madtree.tree_evaluate('delay_tree', 'flights_of_may');",
)

TREE_CONFUSION = Function(
    "tree_confusion",
    "counts how often a classification model predicts each class for each actual class",
    run="madtree.score.evaluate:tree_confusion",
    method=Method("confusion", table="test_table"),
    settings=FIGURES,
    arguments=(_TREE_MODEL, _TEST_TABLE, TRUST_OWNER),
    returns=columns(
        "tree_id integer, group_values jsonb?, actual text, predicted text, n bigint, weight double precision"
    ),
    details=f"""\
A row for each tree, actual class and predicted class, in the order of the classes, also where nothing was counted:
    tree_id, group_values     the tree, and its group as a JSON object
    actual, predicted         classes as text; one that the model has not seen comes after the others
    n, weight                 rows, and their weights where the model has weights
Rows are left out as by tree_evaluate.
{whom_to_trust()}""",
    example="SELECT actual, predicted, n FROM madtree.tree_confusion('delay_tree', 'flights_of_may');",
)

_CLASS = Argument("class", "text", "whose probability is looked at, as text; of two classes the last one", None)

TREE_CURVE = Function(
    "tree_curve",
    "tells how well a model's probabilities of a class put rows in order: ROC, lift, calibration",
    run="madtree.score.evaluate:tree_curve",
    method=Method("curve", table="test_table"),
    settings=FIGURES,
    arguments=(
        _TREE_MODEL,
        _TEST_TABLE,
        TRUST_OWNER,
        _CLASS,
        Argument(
            "max_points",
            "integer",
            "rows at most, of each group; 10 for deciles",
            defaults.MAX_POINTS,
            valid=at_least(1),
            flag=Flag(names=("--points",)),
        ),
    ),
    returns=columns(
        "tree_id integer?, group_values jsonb?, threshold double precision, n bigint, estimated double precision, "
        "actual double precision, share double precision, recall double precision?, "
        "false_positive_rate double precision?, precision double precision, lift double precision?"
    ),
    n_rows=100,
    details=f"""\
A row for each probability that the model gives to the class, the greatest first; where these are more than max_points,
neighbours are taken together, about as many rows each. Of a grouped model first the curve of all rows (tree_id is
NULL), then that of each group:
    tree_id, group_values     the tree, and its group as a JSON object
    threshold                 the least probability of the row's own rows of the table
    n, estimated, actual      how many these are, the mean of their probabilities, and the share that is of the class
and of all rows of the table whose probability is at least the threshold:
    share                     how large a part of the table they are
    recall                    how large a part of the class is among them (true positive rate)
    false_positive_rate       how large a part of the other classes
    precision, lift           the share of them that is of the class, and how many times that of the whole table it is
ROC is recall by false_positive_rate, and begins at 0, 0; the area below it is tree_evaluate's auc. NULL where the table
has no row of the class, or no other. Rows are left out, and count by their weights, as by tree_evaluate.
{whom_to_trust()}""",
    example="""\
SELECT threshold, recall, false_positive_rate FROM madtree.tree_curve('delay_tree', 'flights_of_may');
SELECT n, estimated, actual, lift FROM madtree.tree_curve('delay_tree', 'flights_of_may', max_points => 10);""",
)

TREE_RELIABILITY = Function(
    "tree_reliability",
    "tells how far a model's probabilities of a class are from what happens: the reliability curve",
    run="madtree.score.evaluate:tree_reliability",
    method=Method("reliability", table="test_table"),
    settings=FIGURES,
    arguments=(
        _TREE_MODEL,
        _TEST_TABLE,
        TRUST_OWNER,
        _CLASS,
        Argument(
            "n_bins",
            "integer",
            "bins of one width that probabilities are put into",
            defaults.RELIABILITY_BINS,
            valid=at_least(1),
            flag=Flag(names=("--bins",)),
        ),
    ),
    returns=columns(
        "tree_id integer?, group_values jsonb?, low double precision, high double precision, n bigint, "
        "estimated double precision, actual double precision, share double precision, "
        "expected_calibration_error double precision"
    ),
    n_rows=10,
    details=f"""\
A row for each bin that has rows of the table, the least probabilities first. Of a grouped model first the bins of all
rows (tree_id is NULL), then those of each group:
    tree_id, group_values     the tree, and its group as a JSON object
    low, high                 between which its probabilities are; high belongs to it, and low to the bin before
    n, estimated, actual      its rows, the mean of their probabilities, and the share that is of the class
    share                     how large a part of the table they are
    expected_calibration_error  how far actual is from estimated on average, over all bins, each with its share
Bins of as many rows each are those of tree_curve. Rows are left out, and count by their weights, as by tree_evaluate.
{whom_to_trust()}""",
    example="""\
SELECT low, high, n, estimated, actual FROM madtree.tree_reliability('delay_tree', 'flights_of_may');
SELECT DISTINCT expected_calibration_error FROM madtree.tree_reliability('delay_tree', 'flights_of_may');""",
)

_CALIBRATION_TABLE = Argument(
    "calibration_table",
    "text",
    "table or view with known outcomes, which training has not seen; NULL: of a forest the table that it was trained "
    "on, each row by the trees whose samples lack it",
    None,
    flag=Flag(names=("table",)),
)

CONFORMAL_QUANTILES = Function(
    "conformal_quantiles",
    "tells how far predictions of new rows may be off, by rows that training has not seen (split conformal prediction)",
    run="madtree.score.conformal:conformal_quantiles",
    method=Method("conformal_quantiles", table="calibration_table"),
    settings=FIGURES,
    arguments=(
        MODEL,
        _CALIBRATION_TABLE,
        Argument(
            "levels",
            "text",
            "how many of the new rows are to be covered: numbers between 0 and 1",
            defaults.LEVELS,
            flag=Flag(
                names=("--conformal",),
                metavar="LEVELS",
                help="how far predictions may be off at these levels instead, as for intervals",
            ),
        ),
        TRUST_OWNER,
    ),
    returns=columns(
        "tree_id integer?, group_values jsonb?, level double precision, n bigint, quantile double precision?"
    ),
    n_rows=10,
    details=f"""\
A row for each level; of a grouped model first those of all rows (tree_id is NULL), then those of each group:
    tree_id, group_values     the tree, and its group as a JSON object
    level, n                  the level, and the rows of the table that count
    quantile                  of numbers: as far from the prediction are the outcomes of new rows in at least that share
                              of cases, so that prediction - quantile to prediction + quantile is an interval; of
                              classes: the set of those for which 1 - probability is at most the quantile has the
                              outcome; of a forest 'prob_mean'
It is the k-th least of n errors, where k is (n + 1) * level, rounded up: so a level needs level / (1 - level) rows. An
error is the distance of the outcome from the prediction (of counts, from the rate times the exposure), or 1 less the
probability of the outcome. That holds on average over tables and new rows that are drawn alike, whatever the model; the
quantile of a group holds for its rows. A group with too few rows has NULL. Weights only leave rows out. conformal_train
keeps the quantiles, and predictions by them follow.
A forest's own rows are judged out of bag, by fewer trees than new rows are; these are covered about as often as the
level says, which no theorem promises. They must be the rows of the training still.
{whom_to_trust()}""",
    example="""\
SELECT level, n, quantile FROM madtree.conformal_quantiles('delays', 'flights_of_may', '0.9, 0.99');""",
)

CONFORMAL_TRAIN = Function(
    "conformal_train",
    "keeps with a model how far predictions of new rows may be off, for predictions of type 'conformal'",
    run="madtree.calls.answers:conformal_train",
    method=Method("conformal_train", table="calibration_table"),
    settings=FIGURES,
    arguments=(
        MODEL,
        _CALIBRATION_TABLE,
        Argument(
            "levels",
            "text",
            "how many of the new rows are to be covered: numbers between 0 and 1, any of which predictions take",
            defaults.KEPT_LEVELS,
        ),
        TRUST_OWNER,
    ),
    details=f"""\
It makes the table <output>_conformal, or makes it anew, with what conformal_quantiles tells: tree_id, level, n and
quantile. Where a group has too few rows for a quantile of its own, that of all rows stands in for it, and a notice says
so. tree_predict, forest_predict and boost_predict then answer type 'conformal', level => 0.9:
    estimated_<dependent>, estimated_<dependent>_low, estimated_<dependent>_high   of numbers: the prediction, and the
                              prediction - quantile and + quantile
    estimated_<dependent>_set of classes: those for which 1 - probability is at most the quantile, an array in class
                              order; it may have one class, several or none
Copies of the model (tree_prune, boost_cut, calibrate, tree_refresh) are off by other amounts, and do not have the
table; tree_drop removes it. A model of rates over exposures is refused.
{whom_to_trust()}""",
    example="""\
SELECT madtree.conformal_train('delay_boost', 'flights_of_may');
SELECT madtree.boost_predict('delay_boost', 'flights_of_june', 'between', 'conformal', level => 0.9);""",
    command=Command(
        "conformal",
        "calibrating",
        "Keep with a model how far its predictions may be off, for intervals and sets of classes.",
        (
            "madtree conformal delay_boost flights_of_may",
            "madtree conformal delay_boost flights_of_may --levels 0.5,0.9",
            "madtree predict delay_boost flights_of_june flights_between --type conformal",
        ),
        facts={"model": "model", "levels": "levels"},
    ),
)

BOOST_STAGED = Function(
    "boost_staged",
    "measures a boosted model on a table whose outcomes are known, by the number of its rounds",
    run="madtree.score.staged:boost_staged",
    method=Method("staged", table="test_table"),
    settings=FIGURES,
    arguments=(model_argument("model", model_of(BOOSTED)), _TEST_TABLE, TRUST_OWNER),
    returns=columns(
        "tree_id integer?, group_values jsonb?, num_trees integer, n bigint, loss double precision?, metric text, "
        "value double precision?"
    ),
    n_rows=100,
    details=f"""\
A row for each number of rounds, from 0, the score to begin with, to all; of a grouped model first those of all rows
(tree_id is NULL), where a group that has fewer rounds stays as it is after its last one, then those of each group:
    tree_id, group_values     the gid of the group, and the group as a JSON object
    num_trees                 the number of rounds, as boost_predict takes it
    n                         rows that count
    loss                      the mean of the loss that the training has lowered, as <output>_rounds has it
    metric, value             of classes accuracy, the share of rows whose class is predicted; of numbers rmse, the root
                              of the mean squared error (with an exposure, of rates); NULL where no row counts
Where the model has weights, rows count by theirs. Left out are rows of an unknown group, of a class that the model has
not seen, with the dependent variable NULL, or with a weight of 0 or NULL. All rounds are measured in one pass.
{whom_to_trust()}""",
    example="""\
SELECT num_trees, loss, value FROM madtree.boost_staged('delay_boost', 'flights_of_may') ORDER BY loss LIMIT 1;""",
    takes=Takes((BOOSTED,), "madtree.tree_evaluate measures {kind.in_words} as a whole."),
)

TESTED_ROWS = Function(
    "tested_rows",
    "tells what a report shows of how a model does on a table, which is scored once for all of it",
    run="madtree.score.evaluate:rows_of_report",
    settings=FIGURES,
    arguments=(
        _TREE_MODEL,
        _TEST_TABLE,
        TRUST_OWNER,
        Argument("with_cells", "boolean", "whether it shows a confusion matrix", True),
    ),
    example="",
)
