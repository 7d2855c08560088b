"""The functions that show what a model says and why, or write it for other programs."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface.command_line import Command, Flag
from madtree.interface.function import Argument, Function, Method, Takes, columns
from madtree.interface.shared import FULL, MODEL, ONE_TREE, TEXTS, TRUST_OWNER, model_argument, model_of, whom_to_trust
from madtree.interface.valid import at_least
from madtree.trees import BOOSTED, FOREST, TREE

_GID = Argument("gid", "integer", "number of the group, from 1")
_SAMPLE = Argument("sample_id", "integer", "number of the tree in the group's forest, from 1")
_DOWN_TO = Argument(
    "max_depth", "integer", "draw nodes down to this depth, and say how many leaves are below", None, valid=at_least(0)
)
_ONE_OF_ITS_TREES = (
    "madtree.{{kind.{}}}({{model}}, gid, sample_id) shows one of its trees, for instance that of gid 1 and sample_id 1."
)
_ENSEMBLES = Takes((FOREST, BOOSTED), "{kind.draws} draws it.", "is not a forest")

GET_VAR_IMPORTANCE = Function(
    "get_var_importance",
    "writes how much each feature contributes to each tree of a model",
    run="madtree.calls.answers:get_var_importance",
    arguments=(
        Argument("model_name", "text", model_of(TREE)),
        Argument("output_table", "text", "table to create; must not exist"),
    ),
    madlib_names={"model_name": "model_table"},
    details="""\
The output table has the grouping columns, if there are any, and a row for each feature of each tree:
    feature                  as listed in <model>_summary.features
    impurity_var_importance  share of the tree's total in percent; 0 for all where no feature has any
    raw_importance           impurity decrease, summed over the rows of the feature's splits, plus for each of its
                             surrogate splits the decrease of the split that it stands in for, times its adjusted
                             agreement
""",
    example="""\
SELECT madtree.get_var_importance('delay_tree', 'delay_importance');
SELECT * FROM delay_importance ORDER BY impurity_var_importance DESC;
""",
)

TREE_IMPORTANCE = Function(
    "tree_importance",
    "tells how much each feature contributes to each tree of a model, as rows",
    run="madtree.model:tree_importance",
    settings=TEXTS,
    arguments=(MODEL,),
    returns=columns(
        "tree_id integer, group_values jsonb?, feature text, impurity_var_importance double precision, "
        "raw_importance double precision, oob_var_importance double precision?, raw_oob_importance double precision?, "
        "oob_importance_sd double precision?"
    ),
    details="""\
A row for each feature of each tree, tree by tree, the most important first:
    tree_id, group_values     the tree, and its group as a JSON object (NULL where the model is not grouped); of a
                              forest the gid of its group
    feature                   as listed in <model>_summary.features
    impurity_var_importance, raw_importance
                              what splits by it gain, in percent and as it is, as get_var_importance writes them
    oob_var_importance, raw_oob_importance, oob_importance_sd
                              of a forest: by how much the error on out-of-bag rows grows where the feature is permuted,
                              in percent and as it is, and how that differs between trees; by these they are ordered
""",
    example="""\
SELECT feature, impurity_var_importance FROM madtree.tree_importance('delay_tree');""",
)

TREE_DISPLAY = Function(
    "tree_display",
    "draws a model, as a graph for graphviz or as text",
    run="madtree.explain.display:tree_display",
    settings=TEXTS,
    arguments=(
        model_argument("model", model_of(TREE)),
        Argument(
            "dot_format", "boolean", "true: a graph for graphviz (dot -Tsvg); false: indented text", True, flag=None
        ),
        Argument(
            "verbosity",
            "boolean",
            "true: also impurity, rows, class weights and class of every node",
            False,
            flag=Flag(names=("--verbose", "-v")),
        ),
        FULL,
        _DOWN_TO,
    ),
    madlib_names={"model": "model_table", "verbosity": "verbose"},
    example="""\
SELECT madtree.tree_display('delay_tree', false);
SELECT madtree.tree_display('delay_tree', false, max_depth => 3);
psql -XAt -c "SELECT madtree.tree_display('delay_tree')" | dot -Tsvg > delay_tree.svg
""",
    takes=Takes((TREE,), _ONE_OF_ITS_TREES.format("draws")),
)

TREE_SURR_DISPLAY = Function(
    "tree_surr_display",
    "lists the surrogates of every internal node of a model",
    run="madtree.explain.display:tree_surr_display",
    settings=TEXTS,
    arguments=(Argument("model", "text", f"{model_of(TREE)} with surrogate_params => 'max_surrogates=...'"), FULL),
    madlib_names={"model": "model_table"},
    example="SELECT madtree.tree_surr_display('delay_tree');",
    takes=Takes((TREE,), _ONE_OF_ITS_TREES.format("lists_surrogates")),
)

TREE_RULES = Function(
    "tree_rules",
    "lists a model as rules, one for each leaf, as text and as SQL predicate",
    run="madtree.explain.rules:tree_rules",
    method=Method("rules"),
    settings=TEXTS,
    arguments=(
        MODEL,
        replace(ONE_TREE, help="all trees of a grouped model, or of a forest; else that tree"),
        TRUST_OWNER,
        replace(FULL, help="true: name all categories in a rule, however many"),
    ),
    returns=columns(
        "tree_id integer, group_values jsonb?, node_id bigint, rule text, predicate text, n_rows bigint, "
        "share double precision, prediction text, confidence double precision?, mean double precision?, "
        "sd double precision?"
    ),
    n_rows=30,
    details=f"""\
A row for each leaf, from left to right, tree by tree:
    tree_id, group_values     the tree, and its group as a JSON object (NULL where the model is not grouped)
    node_id                   the leaf
    rule                      what its rows have in common: x > 3 and x <= 5 and (carrier in {{AA,UA}} or missing);
                              long lists are shortened, unless full: carrier in {{AA,DL, ... 312 more}}
    predicate                 SQL over the training table's columns, true for just the rows that tree_predict sends
                              here, those with NULLs and unknown categories included
    n_rows, share             rows of training, and their share of the tree's
    prediction                class, or mean, as text; of a boosted model what the leaf adds to the raw score
    confidence                classification: share of the predicted class, by weight
    mean, sd                  regression: mean and standard deviation of the rows, by weight
"or missing": rows to which the splits on that feature do not apply (NULL, NaN, unknown category) come here too, with
the majority; "or surrogates if missing": surrogate splits are tried first.
{whom_to_trust(runs="its predicates run what its owner wrote")}""",
    example="SELECT rule, prediction, confidence FROM madtree.tree_rules('delay_tree') ORDER BY n_rows DESC LIMIT 5;",
)

TREE_PATH = Function(
    "tree_path",
    "shows the path that one row takes through a model, and why",
    run="madtree.explain.path:tree_path",
    method=Method("path", table="table_name"),
    settings=TEXTS,
    arguments=(
        MODEL,
        Argument(
            "table_name",
            "text",
            "table, view, ... with the id column, the features and the grouping columns of the training",
        ),
        Argument("id", "text", "the row's id, as text", form="any"),
        TRUST_OWNER,
        FULL,
        replace(
            ONE_TREE, help="of a forest: show the path through this tree only; NULL: through all of the row's group"
        ),
    ),
    returns=columns(
        "step integer, tree_id integer, node_id bigint, feature text?, condition text?, value text?, branch text?, "
        "reason text, explanation text, n_rows bigint, prediction text, confidence double precision?"
    ),
    n_rows=7,
    details=f"""\
A row for each node from the root to the leaf, by a forest tree after tree:
    step, tree_id, node_id    step from 1; of a grouped model the row's tree
    feature, condition        what the node asks (NULL at the leaf): hour <= 11
    value                     the row's value of the feature, as text
    branch                    left (the condition is true) or right
    reason                    split: the row's value decides; surrogate: it is missing or unknown, another feature
                              decides; majority: no feature decides; leaf: the end
    explanation               the same in words
    n_rows, prediction        the node's rows of training, and its class or mean; of a boosted model what it adds to
                              the raw score
    confidence                classification: share of that class, by weight
{whom_to_trust()}""",
    example="SELECT condition, value, explanation FROM madtree.tree_path('delay_tree', 'flights_today', '4711');",
)

TREE_CALL = Function(
    "tree_call",
    "writes the statement that trains a model again",
    run="madtree.explain.call:tree_call",
    settings=TEXTS,
    arguments=(MODEL, TRUST_OWNER),
    details=f"""\
The statement has the arguments of the training that are not at their defaults, as the model's summary keeps them: of
the same rows it makes the same model. What changes no model is left out: replace, strategy, parallel_workers,
memory_mb, verbose. Names of tables are as they were given. Of a model that was
pruned or cut, it is the training that would have made it.
{whom_to_trust()}""",
    example="""\
SELECT madtree.tree_call('delay_tree');
SELECT replace(madtree.tree_call('delay_tree'), 'delay_tree', 'delay_tree_2') \\gexec""",
)

TREE_CP = Function(
    "tree_cp",
    "lists the cp table of a model: the trees that pruning makes of it, from the root alone to the whole tree",
    run="madtree.explain.complexity:tree_cp",
    method=Method("cp_table"),
    settings=TEXTS,
    arguments=(model_argument("model", model_of(TREE)),),
    returns=columns(
        "tree_id integer, group_values jsonb?, cp double precision, n_splits integer, rel_error double precision?, "
        "xerror double precision?, xstd double precision?, chosen boolean, root_error double precision"
    ),
    details="""\
A row for each tree of the sequence, by falling cp, tree by tree:
    tree_id, group_values     the tree, and its group as a JSON object (NULL where the model is not grouped)
    cp                        the least cp that prunes to it; tree_prune takes it
    n_splits                  its splits
    rel_error                 its risk on the training rows, relative to the root's
    xerror, xstd              with n_folds or fold_col: its cross-validated risk, relative to the root's, and that one's
                              standard error; else NULL
    chosen                    whether it is the model's own tree
    root_error                the root's risk divided by the number of rows: wrong predictions, what mistakes cost, or
                              the variance

With cross-validation the table goes down to the cp that was asked for, without it to the tree that is left.
""",
    example="SELECT cp, n_splits, rel_error, xerror, xstd FROM madtree.tree_cp('delay_cv');",
    command=Command(
        "cp",
        "reading",
        "Show the cp table of a model: the trees that pruning makes of it, and their errors; of a grouped model, by "
        "group.",
        ("madtree cp delay_cv", "madtree cp delay_cv --json"),
        empty="no tree could be trained",
    ),
    takes=Takes((TREE,), "The trees of {kind.in_words} are left as they are grown, and have no cp table."),
)

TREE_TO_JSON = Function(
    "tree_to_json",
    "writes a model as a JSON document that has all it takes to predict in another language",
    run="madtree.explain.export:tree_to_json",
    settings=TEXTS,
    arguments=(MODEL, replace(ONE_TREE, help="of a grouped model, or of a forest: write only this tree")),
    returns="json",
    details="""\
The format has a name and a version ("format": "madtree-tree", "format_version": 1, of whole forests "madtree-forest",
of boosted models "madtree-boosted"); docs/json.md describes it, and docs/madtree-tree-1.schema.json,
docs/madtree-forest-1.schema.json and docs/madtree-boosted-1.schema.json are its JSON schemas.
Numbers read back to the same bits.
""",
    example="""psql -XAt -c "SELECT madtree.tree_to_json('delay_tree')" > delay_tree.json""",
)

TREE_TO_PMML = Function(
    "tree_to_pmml",
    "writes a model as a PMML 4.4 document, for any scoring engine that reads PMML",
    run="madtree.explain.export:tree_to_pmml",
    method=Method("to_pmml"),
    settings=TEXTS,
    arguments=(
        MODEL,
        replace(ONE_TREE, help="of a grouped model, or of a forest: write only this tree, for rows of its group"),
    ),
    details="""\
A TreeModel; of a forest a MiningModel whose trees vote, or whose means are averaged, as forest_predict does it; of a
boosted model one whose trees are added up, with a RegressionModel behind it that says what the scores mean; of a
grouped model a MiningModel with a segment for each group. Fields are named as the model's features.
Numbers are doubles; dates, times and intervals are doubles, too, as date_part('epoch', ...) gives them in seconds;
booleans are booleans; text and enums are strings, and so are the classes of a boosted model. NULL and NaN are missing
values.
""",
    example="""psql -XAt -c "SELECT madtree.tree_to_pmml('delay_tree')" > delay_tree.pmml""",
)

GET_TREE = Function(
    "get_tree",
    "draws one tree of a forest",
    run="madtree.explain.display:get_tree",
    arguments=(
        Argument("forest_model_table", "text", model_of(FOREST)),
        replace(_GID, help=f"{_GID.help}; see <output>_group"),
        _SAMPLE,
        Argument("dot_format", "boolean", "true: a graph in the dot language; false: text", True),
        Argument("verbose", "boolean", "true: with impurities and weights", False),
        _DOWN_TO,
    ),
    example="""\
SELECT madtree.get_tree('delay_forest', 1, 7, false);
SELECT madtree.get_tree('delay_forest', 1, 7, false, max_depth => 3);
""",
    takes=_ENSEMBLES,
)

GET_TREE_SURR = Function(
    "get_tree_surr",
    "lists the surrogates of one tree of a forest that was trained with max_surrogates",
    run="madtree.explain.display:get_tree_surr",
    arguments=(Argument("forest_model_table", "text", model_of(FOREST)), _GID, _SAMPLE),
    example="SELECT madtree.get_tree_surr('delay_forest', 1, 7);",
    takes=_ENSEMBLES,
)
