"""The function that says what each feature contributes to a prediction."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.command_line import Command, Flag
from madtree.interface.function import Argument, Function, Method, columns
from madtree.interface.shared import FIGURES, MODEL, NEW_DATA, OUTPUT, REPLACE, TEXTS, TRUST_OWNER, whom_to_trust
from madtree.interface.valid import OneOf, at_least

_TYPE = Argument(
    "type",
    "text",
    "the scale; NULL: the first one that is listed below",
    None,
    flag=Flag(help="the scale: prob, prob_mean, response or raw; by default the usual one"),
)
_CLASS = Argument(
    "class", "text", "whose prediction is explained, as text; NULL: of two classes the last one, of more all", None
)
_TYPES = """\
type            of       what is explained
prob            trees, forests
                         the probability of the class, as tree_predict and forest_predict give it
prob_mean       forests  the mean of the class's shares in the leaves
response        trees, forests of numbers
                         the number
raw             boosted models
                         the score; of two classes that of the last one is the log odds
"""

TREE_SHAP = Function(
    "tree_shap",
    "writes what each feature contributes to the predictions of a table's rows (SHAP values) into a new table",
    run="madtree.calls.answers:explain",
    method=Method("shap", table="new_data_table"),
    settings=FIGURES | TEXTS,
    arguments=(
        MODEL,
        NEW_DATA,
        OUTPUT,
        _TYPE,
        _CLASS,
        Argument(
            "layout",
            "text",
            "'wide': a column for each feature; 'long': a row for each",
            defaults.LAYOUT,
            valid=OneOf(("wide", "long")),
        ),
        Argument(
            "top",
            "integer",
            "with 'long': keep so many of each row's features, those that contribute most",
            None,
            valid=at_least(1),
        ),
        Argument("interactions", "boolean", "true: also what each two features contribute together", False),
        Argument(
            "features", "text", "with interactions => true: tell of these and their pairs only; NULL: of all", None
        ),
        Argument(
            "background",
            "text",
            "table or view whose rows stand for what is not known; NULL: the rows of training do",
            None,
        ),
        TRUST_OWNER,
        replace(REPLACE, help="true: where output_table is a table of contributions of your own, replace its rows"),
    ),
    by_name_from="type",
    details=f"""\
{_TYPES}\
The contributions of a row and what is expected of any row add up to its prediction. Expected is the mean over the rows
of training, by their weight; by boosted models, the score to begin with and the trees' means over their rows.
Contributions are Shapley values of the features, where a feature that is not known goes both ways of each split, by the
rows of training that went there (path-dependent TreeSHAP). Where a value is missing, or unknown, it counts as it does
for predictions: with surrogates or the majority.

layout  columns of output_table beside the id column
wide    class, expected, and a float8 for each feature by its name
long    class, feature, value (the row's, as text), contribution, rank (from 1, by the size of the contribution)
There is a column class where all classes are explained: each has rows of its own. Rows of an unknown group get NULL.

interactions => true tells what a feature contributes alone, and what each two contribute together beyond that: the
Shapley interaction index, of which other programs give one half to (a, b) and the other to (b, a). All together add up
to the prediction as before, where features leaves none out. Layout wide has a column "a:b" for each pair, long has the
columns feature_2 and value_2, NULL where it tells of one feature.

background => 'table' takes the mean over rows of that table, at most 10,000, in whose place the row's own values come
one after the other (interventional values). Expected is the mean of the predictions of these rows. It needs the columns
that new_data_table needs, and, by groups, rows of each. With interactions => true pairs are against these rows, too.
{whom_to_trust()}""",
    example="""\
SELECT madtree.tree_shap('delay_tree', 'new_flights', 'reasons', layout => 'long', top => 3);
SELECT feature, value, contribution FROM reasons WHERE id = 4711 ORDER BY rank;""",
    command=Command(
        "shap",
        "explaining",
        "Write what each feature contributes to the prediction of each row (SHAP values) into a new table.",
        (
            "madtree shap delay_tree flights_today reasons",
            "madtree shap delay_boost flights_today reasons --layout long --top 3 --replace",
            "madtree shap delay_boost flights_today against --background flights_last_year",
        ),
        facts={"model": "model", "output": "output_table"},
    ),
)

TREE_EXPLAIN = Function(
    "tree_explain",
    "tells what each feature contributes to the prediction of one row (SHAP values)",
    run="madtree.score.shap_row:explain_row",
    method=Method("explain", table="table_name"),
    settings=FIGURES | TEXTS,
    arguments=(
        MODEL,
        replace(NEW_DATA, name="table_name"),
        Argument("id", "text", "the row's id, as text", form="any", flag=Flag(names=("--id",))),
        _TYPE,
        _CLASS,
        TRUST_OWNER,
    ),
    by_name_from="type",
    returns=columns(
        "class text?, rank integer, feature text?, value text?, contribution double precision, "
        "estimated double precision"
    ),
    n_rows=7,
    details=f"""\
{_TYPES}\
A row for what is expected of any row, and one for each feature, the strongest first; where all classes are explained,
so many for each class:
    class                     of classes, whose prediction it is
    rank                      from 1, by the size of the contribution; 0 of what is expected
    feature, value            the feature, and the row's value as text
    contribution              what it adds; of rank 0 what is expected
    estimated                 what is expected and the contributions so far; the last one is the prediction
The contributions are those of tree_shap, which explains all rows of a table.
{whom_to_trust()}""",
    example="""\
SELECT feature, value, contribution FROM madtree.tree_explain('delay_tree', 'new_flights', '4711');""",
)
