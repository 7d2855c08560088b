"""The functions that prune, cut and drop a model."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.command_line import Command, Flag
from madtree.interface.function import REQUIRED, Argument, Function, Method, Takes
from madtree.interface.shared import (
    ANY_MODEL,
    FIGURES,
    MODEL,
    ROUNDS,
    TRUST_OWNER,
    model_argument,
    model_of,
    whom_to_trust,
)
from madtree.interface.valid import OneOf
from madtree.trees import BOOSTED, ISOTONIC, SIGMOID, TREE

_NEW_MODEL = Argument("new_model", "text", "name of the new model; its tables must not exist, unless replace => true")
_OUTPUT_MODEL = replace(_NEW_MODEL, name="output_model", flag=Flag(names=("new_model",)))
_REPLACE = Argument(
    "replace", "boolean", "true: drop a model of your own of that name, another one than this", defaults.REPLACE
)

TREE_PRUNE = Function(
    "tree_prune",
    "prunes a trained model further, without the data, into a new model",
    run="madtree.calls.answers:tree_prune",
    method=Method("prune"),
    makes="new_model",
    arguments=(
        model_argument("model", model_of(TREE)),
        _NEW_MODEL,
        Argument(
            "cp",
            "double precision",
            "complexity parameter: a split stays if it lowers the tree's risk by more than cp times the root's",
            flag=Flag(names=("--cp",)),
        ),
        TRUST_OWNER,
        _REPLACE,
    ),
    details=f"""\
The new model is the one that a training with 'cp=<cp>' would have given: the same nodes, and importance of the splits
that remain. A model cannot be pruned at a smaller cp than it was trained with, as what has been cut off is not stored.
With cross-validation, a grouped model's trees have a cp each: those whose own is larger stay as they are. The
cross-validation table is copied as it is.
{whom_to_trust("prune", "the new model, which is the superuser's, runs what that role wrote")}""",
    example="SELECT madtree.tree_prune('delay_tree', 'small_tree', 0.01);",
    takes=Takes((TREE,), "The trees of {kind.in_words} are left as they are grown."),
    command=Command(
        "prune",
        "pruning",
        "Prune a model further, without the data, into a new model.",
        ("madtree prune delay_tree delay_small --cp 0.005",),
        facts={"model": "new_model", "pruned_from": "model", "cp": "cp"},
    ),
)

BOOST_CUT = Function(
    "boost_cut",
    "cuts a boosted model to its first rounds, without the data, into a new model",
    run="madtree.calls.answers:boost_cut",
    method=Method("cut"),
    makes="new_model",
    arguments=(
        model_argument("model", model_of(BOOSTED)),
        _NEW_MODEL,
        replace(ROUNDS, help="rounds to keep, from the first one on; of a group that has fewer, all", default=REQUIRED),
        TRUST_OWNER,
        _REPLACE,
    ),
    details=f"""\
The new model predicts as boost_predict does with the same num_trees. Without rows that were held out it is the model
that a training with so many rounds would have given.
{whom_to_trust("cut", "the new model, which is the superuser's, runs what that role wrote")}""",
    example="SELECT madtree.boost_cut('delay_boost', 'short_boost', 50);",
    takes=Takes((BOOSTED,), "Only a boosted model has rounds."),
    command=Command(
        "cut",
        "cutting",
        "Cut a boosted model to its first rounds, without the data, into a new model.",
        ("madtree cut delay_boost delay_short --trees 50",),
        facts={"model": "new_model", "cut_from": "model", "num_trees": "num_trees"},
    ),
)

CALIBRATE = Function(
    "calibrate",
    "makes probabilities true: writes a calibrated model, by rows with known outcomes that training has not seen",
    run="madtree.calls.other_rows:calibrate",
    settings=FIGURES,
    arguments=(
        model_argument("model", f"{ANY_MODEL}, of classes"),
        Argument(
            "calibration_table",
            "text",
            "table or view with known outcomes, which training has not seen",
            flag=Flag(names=("table",)),
        ),
        _OUTPUT_MODEL,
        Argument(
            "method",
            "text",
            "'isotonic': a function that never falls, from a thousand rows on; 'sigmoid': Platt's curve, for fewer",
            defaults.CALIBRATION_METHOD,
            valid=OneOf((ISOTONIC, SIGMOID)),
        ),
        TRUST_OWNER,
        _REPLACE,
    ),
    details=f"""\
The new model is a model like any other: it is scored, shown, explained and exported as these are.
    of tree_train     it stays one; its leaves have other probabilities
    of forest_train   it becomes a boosted model, which boost_predict scores: the mean of the trees' shares is its raw
                      score, and the calibrated probability what follows from that. With more than two classes it has
                      each tree once for each class
    of boost_train    it stays one; 'sigmoid' multiplies the leaves, 'isotonic' keeps them, and point_scores and
                      point_probabilities of <output>_group say what a raw score means
With more than two classes each is calibrated against the others, and their probabilities are divided by the sum.
Each group is calibrated by its own rows; one whose rows in the table are of one class by all. Where the model has
weights, rows count by theirs. Of more than 1,000,000 rows as many are drawn, by their ids. It takes the rows that
training has not seen: madtree.holdout tells them. tree_reliability shows what it is good for.
{whom_to_trust("calibrate", "the new model, which is the superuser's, runs what that role wrote")}""",
    example="SELECT madtree.calibrate('delay_boost', 'flights_of_may', 'delay_calibrated');",
    command=Command(
        "calibrate",
        "calibrating",
        "Write a model whose probabilities are true, by rows that training has not seen.",
        (
            "madtree calibrate delay_boost flights_of_may delay_true",
            "madtree calibrate delay_tree flights_of_may delay_true --method sigmoid",
        ),
        facts={"model": "output_model", "calibrated_from": "model", "method": "method"},
    ),
)

TREE_REFRESH = Function(
    "tree_refresh",
    "writes a model anew by other rows: the same splits, and in the nodes what these rows say",
    run="madtree.calls.other_rows:tree_refresh",
    settings=FIGURES,
    arguments=(
        MODEL,
        Argument(
            "new_table",
            "text",
            "table or view with the outcomes, under the names of the training table",
            flag=Flag(names=("table",)),
        ),
        _OUTPUT_MODEL,
        TRUST_OWNER,
        _REPLACE,
    ),
    details=f"""\
Of each node n_rows, weight, prediction and class_weights become those of the rows that come to it. A leaf to which none
comes says what it said, with n_rows 0. What the training has found stays as it was: splits, improvement, impurity,
risk, complexity and importance. What it has measured on its own rows is not copied: cross-validation, statistics,
out-of-bag errors, losses by round, and the outcomes that intervals are made of.
All trees of a forest are asked for all of the rows, whatever samples they were grown on.
The leaves of a boosted model are found round by round, as by LightGBM's refit with decay_rate=0: the new rows begin
with the base score of their own outcomes; the gradients of the model's loss at their scores so far give each leaf its
value, with the model's learning_rate, l2_regularization and cat_l2, or as a quantile of residuals; and that is added to
their scores. All rows count in each round, also where the training drew some, or held some out. The rows are held in
memory.
Refused, and to be trained anew, are models with class_params, trees of counts, calibrated models, monotone ones, those
with offsets, and boosted models of the methods adaboost and real.
{whom_to_trust("refresh", "the new model, which is the superuser's, runs what that role wrote")}""",
    example="SELECT madtree.tree_refresh('delay_tree', 'flights_of_may', 'delay_of_may');",
    command=Command(
        "refresh",
        "refreshing",
        "Write a model anew by other rows: the same splits, and what these rows say.",
        (
            "madtree refresh delay_tree flights_of_may delay_of_may",
            "madtree refresh delay_tree flights_of_may delay_now --replace",
        ),
        facts={"model": "output_model", "refreshed_from": "model"},
    ),
)

MODEL_ALIAS = Function(
    "model_alias",
    "gives a model a second name, which can be given to another model in one step, and back",
    run="madtree.calls.answers:model_alias",
    arguments=(
        Argument("alias", "text", "the second name; an alias that is there names the model from now on"),
        Argument(
            "model",
            "text",
            f"{ANY_MODEL}; NULL: remove the alias",
            means_null=True,
            flag=Flag(help="the model that it names"),
        ),
        TRUST_OWNER,
    ),
    details="""\
Every function that takes a model takes an alias, but for tree_drop. So queries and programs name the alias, and a new
model takes the place of another one in a transaction, which can be rolled back. An alias names a model, not an alias,
and goes on to do so if the other alias changes. It is an empty table whose comment names the model: so it is dumped and
restored with the models, and who may use its schema may use it. A superuser does not follow the alias of a role that
she does not trust, unless she says trust_owner => true.
""",
    example="""\
SELECT madtree.model_alias('champion', 'delay_boost');
SELECT madtree.boost_predict('champion', 'flights_of_may', 'scored');""",
)

TREE_DROP = Function(
    "tree_drop",
    "removes a model: its tables <output>, <output>_nodes, <output>_summary, and the others that belong to it",
    run="madtree.calls.answers:tree_drop",
    method=Method("drop"),
    arguments=(MODEL,),
    details="""\
Tables that are not a madtree model's are never touched; what depends on a model's table (a view) must be dropped first.
""",
    example="SELECT madtree.tree_drop('delay_tree');",
)
