"""The functions that predict."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.command_line import Flag
from madtree.interface.function import Argument, Function, Method, Takes
from madtree.interface.shared import (
    FIGURES,
    MODEL,
    NEW_DATA,
    ONE_TREE,
    OUTPUT,
    REPLACE,
    ROUNDS,
    SEE_BELOW,
    TEXTS,
    TRUST_OWNER,
    model_argument,
    model_of,
    whom_to_trust,
)
from madtree.interface.valid import OneOf
from madtree.trees import BOOSTED, FOREST, KINDS, TREE

# Of all kinds of model; the ensembles, which have more of them, first.
_OF_KINDS = [type_ for kind in reversed(KINDS.values()) for type_ in (*kind.class_types, *kind.number_types)]
_TYPE = Argument(
    "type",
    "text",
    "",
    defaults.PREDICTION_TYPE,
    valid=OneOf(tuple(dict.fromkeys([*_OF_KINDS, "conformal"]))),
    flag=Flag(
        help="the prediction; each class's probability, of a forest its share of votes (prob) or the mean of the "
        "trees' probabilities (prob_mean); of a forest of numbers the mean and between what the outcome lies "
        "(interval); the same of every model, or a set of classes, by what `madtree conformal` has kept (conformal); "
        "of a boosted model the score (raw); or the leaf that a row ends in, of many trees one for each "
        "(leaf)"
    ),
)
_TYPE_OF_SQL = replace(
    _TYPE, valid=None, flag=Flag(help="response, prob, leaf; of a forest prob_mean, of a boosted model raw")
)
_LEVEL = Argument(
    "level",
    "double precision",
    "with 'conformal': the share of outcomes that are to be covered, a level that conformal_train has kept",
    defaults.LEVEL,
    flag=Flag(help="with interval and conformal: the share of outcomes that are covered"),
)
_BY_QUANTILES = "'conformal': the number and between what an outcome lies, or a set of classes; see conformal_train"
_DIALECT = Argument(
    "dialect",
    "text",
    "the database that it is for: 'postgresql', 'duckdb', 'sqlite', 'bigquery', 'snowflake', 'redshift', 'mysql' or "
    "'sqlserver'; NULL: the first of these",
    None,
)
_OF_DIALECTS = """\
In another dialect names are in quotes, and features, grouping columns and classes are columns of plain types. The same
rows come to the same leaves there. An array is nowhere: of more than two classes, class says whose number is wanted.
Redshift lacks the sub-selects that some expressions have.
"""
_REPLACED = """\
replace => true leaves others the former rows until all is done. Where the columns are the same, the table is kept, with
its grants, its indexes and the views on it; else it is dropped and made anew, unless something depends on it. A table
that is another's, has a trigger, a rule or the like, or does not look like predictions is refused.
"""
_BY_ITS_OWN = "Score by it with madtree.{kind.predicts}."
TREE_PREDICT = Function(
    "tree_predict",
    "scores a table by a model into a new table",
    run="madtree.calls.answers:predict",
    shares_run=True,
    settings=FIGURES,
    arguments=(
        model_argument("tree_model", model_of(TREE)),
        replace(
            NEW_DATA,
            help="table, view, materialized, foreign or partitioned table with the id column, the features and the "
            "grouping columns of the training, under the same names",
        ),
        OUTPUT,
        replace(_TYPE, help=f"what to write, {SEE_BELOW}"),
        TRUST_OWNER,
        REPLACE,
        _LEVEL,
    ),
    madlib_names={"tree_model": "model", "new_data_table": "source", "output_table": "output", "type": "pred_type"},
    details=f"""\
type            columns of output_table beside the id column
response        estimated_<dependent>, of the dependent variable's own type (float8 for regression)
prob            estimated_prob_<class> float8 for each class; of more than 1000 classes estimated_prob float8[] in
                class order
leaf            node_id bigint: the leaf that the row ends in
conformal       by the quantiles of conformal_train. Of numbers estimated_<dependent>, estimated_<dependent>_low and
                estimated_<dependent>_high float8; of classes estimated_<dependent>_set, an array of the dependent
                variable's type
Regression models have response, leaf and conformal. The former name prob_columns means prob.

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
        model_argument("random_forest_model", model_of(FOREST)),
        NEW_DATA,
        OUTPUT,
        replace(
            _TYPE,
            help="'response': the class with most votes, or the mean\n"
            "'prob': for each class the share of the trees that vote for it\n"
            "'prob_mean': for each class the mean of its shares in the trees' leaves\n"
            "'interval': the mean, and between what an outcome lies, of a forest trained with intervals => true\n"
            "'leaf': the leaf's node_id in each tree, as an array\n"
            f"{_BY_QUANTILES}",
        ),
        replace(TRUST_OWNER, help="true: use another role's model although it holds expressions of that role's"),
        REPLACE,
        replace(
            _LEVEL,
            help="with 'interval': the share of outcomes that lie between, above 0 and below 1; with 'conformal': the "
            "same, a level that conformal_train has kept",
        ),
    ),
    details=f"""\
Rows of an unknown group get NULL. With 'interval' the columns are estimated_<dependent>, estimated_<dependent>_low and
estimated_<dependent>_high: quantiles of one outcome of each leaf that the row comes to.
{_REPLACED}""",
    example="SELECT madtree.forest_predict('delay_forest', 'new_flights', 'predicted', 'prob');",
    takes=Takes((FOREST,), _BY_ITS_OWN, "is {kind.described}, not a forest"),
)

BOOST_PREDICT = Function(
    "boost_predict",
    "scores a table by a boosted model into a new table",
    run="madtree.calls.answers:predict_by_rounds",
    settings=FIGURES,
    arguments=(
        model_argument("boosted_model", model_of(BOOSTED)),
        NEW_DATA,
        OUTPUT,
        replace(
            _TYPE,
            help="'response': the class that is most probable, or the number\n"
            "'prob': the probability of each class\n"
            "'raw': the score, or with more than two classes that of each: the base score and what the trees add\n"
            "'leaf': the leaf's node_id in each tree, as an array\n"
            f"{_BY_QUANTILES}",
        ),
        ROUNDS,
        replace(TRUST_OWNER, help="true: use another role's model although it holds expressions of that role's"),
        REPLACE,
        _LEVEL,
    ),
    details=f"Rows of an unknown group get NULL.\n{_REPLACED}",
    example="SELECT madtree.boost_predict('delay_boost', 'new_flights', 'predicted', 'prob');",
    takes=Takes((BOOSTED,), _BY_ITS_OWN, "is {kind.described}, not a boosted model"),
)

BOOST_SQL = Function(
    "boost_sql",
    "writes a small boosted model as an SQL expression, for a view or a generated column",
    run="madtree.score.sum_expression:boost_sql",
    method=Method("to_sql"),
    settings=TEXTS,
    arguments=(
        model_argument("model", model_of(BOOSTED)),
        replace(
            _TYPE_OF_SQL,
            help="'response', 'raw' or 'prob'; 'prob': of two classes the last one's probability, of more a float8[]; "
            "'raw': of more than two classes a float8[]",
        ),
        TRUST_OWNER,
        Argument("class", "text", "with 'prob' and 'raw': the class that is asked for, as text", None),
        _DIALECT,
    ),
    details=f"""\
The expression is the sum of the trees, and names the columns of the training table. Of more than two classes 'response'
and 'prob' have a sub-select, which a generated column may not have. Scores are those of boost_predict to the bit;
probabilities and exponentials are computed by PostgreSQL, and agree to 1e-12. A model of more than 20,000 leaves or
1,000 rounds is refused: boost_cut makes a smaller one.
{_OF_DIALECTS}{whom_to_trust()}""",
    example="SELECT format('CREATE VIEW late_flights AS SELECT id, %s AS late FROM flights', "
    "madtree.boost_sql('delay_boost')) \\gexec",
    takes=Takes((BOOSTED,), "madtree.tree_sql writes a tree."),
)

TREE_SQL = Function(
    "tree_sql",
    "writes a model as an SQL expression, for a view or a generated column",
    run="madtree.score.predict:tree_sql",
    method=Method("to_sql"),
    settings=TEXTS,
    arguments=(
        MODEL,
        replace(
            _TYPE_OF_SQL,
            help="or 'leaf'; 'prob': of two classes the last one's probability, of more a float8[]; of a forest as "
            "forest_predict has them, but for 'leaf'",
        ),
        replace(
            ONE_TREE,
            help="that tree; NULL: the model, where it is grouped in a CASE over the grouping columns. Of a boosted "
            "model, which boost_sql writes, that tree",
        ),
        TRUST_OWNER,
        Argument("class", "text", "with 'prob': the class whose probability is wanted, as text", None),
        _DIALECT,
    ),
    details=f"""\
The expression names the columns of the training table. It gives the same answers as tree_predict.
A forest is the mean of its trees, or how many vote for a class, and gives what forest_predict does. Of more than two
classes 'response' has a sub-select, which a generated column may not have. A forest of more than 20,000 leaves, for all
classes that are asked for together, or of more than 1,000 trees is refused.
{_OF_DIALECTS}{whom_to_trust()}""",
    example="SELECT format('CREATE VIEW late_flights AS SELECT id FROM flights WHERE %s', "
    "madtree.tree_sql('delay_tree')) \\gexec",
    takes=Takes((TREE, FOREST), "madtree.{kind.writes_sql} writes it; tree_id says which of its trees."),
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
