"""The functions that predict, and say how well."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.function import Argument, Function, Takes, columns
from madtree.interface.shared import (
    ANY_MODEL,
    BOOSTED_MODEL,
    FIGURES,
    FOREST_MODEL,
    SEE_BELOW,
    TEXTS,
    TREE_MODEL,
    TRUST_OWNER,
    whom_to_trust,
)
from madtree.interface.valid import at_least
from madtree.trees import BOOSTED, FOREST, TREE

_TYPE = Argument("type", "text", "", defaults.PREDICTION_TYPE)
_OUTPUT = Argument("output_table", "text", "table to create; must not exist, unless replace is true")
_REPLACE = Argument(
    "replace",
    "boolean",
    "true: where output_table is a table of predictions of your own, replace its rows",
    defaults.REPLACE,
)
_REPLACED = """\
replace => true leaves others the former rows until all is done. Where the columns are the same, the table is kept, with
its grants, its indexes and the views on it; else it is dropped and made anew, unless something depends on it. A table
that is another's, has a trigger, a rule or the like, or does not look like predictions is refused.
"""
_BY_ITS_OWN = "Score by it with madtree.{kind.predicts}."
_TEST_TABLE = Argument(
    "test_table",
    "text",
    "table, view, ... with the dependent variable, the features, the grouping columns and the weights of the training, "
    "under the same names",
)

TREE_PREDICT = Function(
    "tree_predict",
    "scores a table by a model into a new table",
    run="madtree.calls.answers:predict",
    shares_run=True,
    settings=FIGURES,
    arguments=(
        Argument("tree_model", "text", TREE_MODEL),
        Argument(
            "new_data_table",
            "text",
            "table, view, materialized, foreign or partitioned table with the id column, the features and the grouping "
            "columns of the training, under the same names",
        ),
        _OUTPUT,
        replace(_TYPE, help=f"what to write, {SEE_BELOW}"),
        TRUST_OWNER,
        _REPLACE,
    ),
    madlib_names={"tree_model": "model", "new_data_table": "source", "output_table": "output", "type": "pred_type"},
    details=f"""\
type            columns of output_table beside the id column
response        estimated_<dependent>, of the dependent variable's own type (float8 for regression)
prob            estimated_prob_<class> float8 for each class; of more than 1000 classes estimated_prob float8[] in
                class order
leaf            node_id bigint: the leaf that the row ends in
Regression models have response and leaf. The former name prob_columns means prob.

Rows with missing values, and with categories unknown to the model, follow the majority at that split. Rows of an
unknown group stay, with NULL. Returns one line that says what was done.
{_REPLACED}{whom_to_trust()}""",
    example="SELECT madtree.tree_predict('delay_tree', 'new_flights', 'predicted');",
    takes=Takes((TREE,), _BY_ITS_OWN),
)

FOREST_PREDICT = Function(
    "forest_predict",
    "scores a table by a forest into a new table",
    run="madtree.calls.answers:predict",
    shares_run=True,
    settings=FIGURES,
    arguments=(
        Argument("random_forest_model", "text", FOREST_MODEL),
        Argument("new_data_table", "text", "table or view with the id, the features and the grouping columns"),
        _OUTPUT,
        replace(
            _TYPE,
            help="'response': the class with most votes, or the mean\n"
            "'prob': for each class the share of the trees that vote for it\n"
            "'prob_mean': for each class the mean of its shares in the trees' leaves\n"
            "'leaf': the leaf's node_id in each tree, as an array",
        ),
        replace(TRUST_OWNER, help="true: use another role's model although it holds expressions of that role's"),
        _REPLACE,
    ),
    details=f"Rows of an unknown group get NULL.\n{_REPLACED}",
    example="SELECT madtree.forest_predict('delay_forest', 'new_flights', 'predicted', 'prob');",
    takes=Takes((FOREST,), _BY_ITS_OWN, "is {kind.described}, not a forest"),
)

BOOST_PREDICT = Function(
    "boost_predict",
    "scores a table by a boosted model into a new table",
    run="madtree.calls.answers:predict_by_rounds",
    settings=FIGURES,
    arguments=(
        Argument("boosted_model", "text", BOOSTED_MODEL),
        Argument("new_data_table", "text", "table or view with the id, the features and the grouping columns"),
        _OUTPUT,
        replace(
            _TYPE,
            help="'response': the class that is most probable, or the number\n"
            "'prob': the probability of each class\n"
            "'raw': the score, or with more than two classes that of each: the base score and what the trees add\n"
            "'leaf': the leaf's node_id in each tree, as an array",
        ),
        Argument(
            "num_trees", "integer", "rounds to predict by, from the first one on; NULL: all", None, valid=at_least(1)
        ),
        replace(TRUST_OWNER, help="true: use another role's model although it holds expressions of that role's"),
        _REPLACE,
    ),
    details=f"Rows of an unknown group get NULL.\n{_REPLACED}",
    example="SELECT madtree.boost_predict('delay_boost', 'new_flights', 'predicted', 'prob');",
    takes=Takes((BOOSTED,), _BY_ITS_OWN, "is {kind.described}, not a boosted model"),
)

BOOST_STAGED = Function(
    "boost_staged",
    "measures a boosted model on a table whose outcomes are known, by the number of its rounds",
    run="madtree.score:boost_staged",
    settings=FIGURES,
    arguments=(Argument("model", "text", BOOSTED_MODEL), _TEST_TABLE, TRUST_OWNER),
    returns=columns(
        "tree_id integer, group_values jsonb, num_trees integer, n bigint, loss double precision, metric text, "
        "value double precision"
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
                              of the mean squared error; NULL where no row counts
Where the model has weights, rows count by theirs. Left out are rows of an unknown group, of a class that the model has
not seen, with the dependent variable NULL, or with a weight of 0 or NULL. All rounds are measured in one pass.
{whom_to_trust()}""",
    example="""\
SELECT num_trees, loss, value FROM madtree.boost_staged('delay_boost', 'flights_of_may') ORDER BY loss LIMIT 1;""",
    takes=Takes((BOOSTED,), "madtree.tree_evaluate measures {kind.in_words} as a whole."),
)

TREE_SQL = Function(
    "tree_sql",
    "writes a model as an SQL expression, for a view or a generated column",
    run="madtree.score:tree_sql",
    settings=TEXTS,
    arguments=(
        Argument("model", "text", ANY_MODEL),
        replace(_TYPE, help="or 'leaf'; 'prob': of two classes the last one's probability, of more a float8[]"),
        Argument(
            "tree_id",
            "integer",
            "of a grouped model all trees, in a CASE over the grouping columns; else that tree. Of a forest, which has "
            "no expression of its own, that tree",
            None,
        ),
        TRUST_OWNER,
        Argument("class", "text", "with 'prob': the class whose probability is wanted, as text", None),
    ),
    details=f"""\
The expression names the columns of the training table. It gives the same answers as tree_predict.
{whom_to_trust()}""",
    example="SELECT format('CREATE VIEW late_flights AS SELECT id FROM flights WHERE %s', "
    "madtree.tree_sql('delay_tree')) \\gexec",
    takes=Takes((TREE,), "Give tree_id, for one of its trees."),
)

# A hash that PostgreSQL keeps as it is, since tables are partitioned by it. Of the 64 bits the lower half is a number.
_DRAWN = """\
CASE
    WHEN fraction OPERATOR(pg_catalog.>=) 0 AND fraction OPERATOR(pg_catalog.<=) 1 THEN
        ({hash} OPERATOR(pg_catalog.&) 4294967295)::pg_catalog.float8
            OPERATOR(pg_catalog.<) (fraction OPERATOR(pg_catalog.*) 4294967296)
    ELSE madtree_internal.refuse_fraction(fraction)
END"""

HOLDOUT = Function(
    "holdout",
    "says whether a row is held out of training, by a hash of its id",
    run="",
    arguments=(
        Argument("id", "bigint", "what tells rows apart: an integer, a text or a uuid; others as id::text"),
        Argument("fraction", "double precision", "about how many of the rows are held out, 0 to 1", defaults.HOLDOUT),
        Argument("seed", "bigint", "another one holds out other rows", defaults.SEED),
    ),
    details="""\
Returns true for rows to judge a model by, false for rows to train on, NULL where the id is NULL. It depends on its
arguments alone: the same rows are held out each time, in whatever order they lie, on every server, and a row that comes
later changes none. What a smaller fraction holds out is part of what a larger one does. Rows of one id stay together:
where several rows are of one customer, and new customers are to be predicted, hold out by the customer's column.
""",
    example="""\
CREATE VIEW flights_train AS SELECT * FROM flights WHERE NOT madtree.holdout(id);
CREATE VIEW flights_test AS SELECT * FROM flights WHERE madtree.holdout(id);
SELECT madtree.tree_train('flights_train', 'delay_tree', 'id', 'late', 'carrier, hour');
SELECT metric, value FROM madtree.tree_evaluate('delay_tree', 'flights_test');""",
    returns="boolean",
    of_rows={
        "bigint": _DRAWN.format(hash="pg_catalog.hashint8extended(id, seed)"),
        "text": _DRAWN.format(hash='pg_catalog.hashtextextended(id COLLATE pg_catalog."C", seed)'),
        "uuid": _DRAWN.format(hash="pg_catalog.uuid_hash_extended(id, seed)"),
    },
)

TREE_EVALUATE = Function(
    "tree_evaluate",
    "measures how well a model predicts a table whose outcomes are known",
    run="madtree.score:tree_evaluate",
    settings=FIGURES,
    arguments=(Argument("tree_model", "text", ANY_MODEL), _TEST_TABLE, TRUST_OWNER),
    returns=columns("tree_id integer, group_values jsonb, metric text, value double precision"),
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
    run="madtree.score:tree_confusion",
    settings=FIGURES,
    arguments=(Argument("tree_model", "text", ANY_MODEL), _TEST_TABLE, TRUST_OWNER),
    returns=columns(
        "tree_id integer, group_values jsonb, actual text, predicted text, n bigint, weight double precision"
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

TREE_CURVE = Function(
    "tree_curve",
    "tells how well a model's probabilities of a class put rows in order: ROC, lift, calibration",
    run="madtree.score:tree_curve",
    settings=FIGURES,
    arguments=(
        Argument("tree_model", "text", ANY_MODEL),
        _TEST_TABLE,
        TRUST_OWNER,
        Argument("class", "text", "whose probability is looked at, as text; of two classes the last one", None),
        Argument("max_points", "integer", "rows at most, of each group; 10 for deciles", defaults.MAX_POINTS),
    ),
    returns=columns(
        "tree_id integer, group_values jsonb, threshold double precision, n bigint, estimated double precision, "
        "actual double precision, share double precision, recall double precision, "
        "false_positive_rate double precision, precision double precision, lift double precision"
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
