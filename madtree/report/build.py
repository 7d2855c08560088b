"""build_report: a trained model as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from html import escape
from typing import Any

from madtree.host.psycopg import as_host, together
from madtree.interface import NUMERIC_COLUMNS, labels
from madtree.model import check_own_table, find_to_show
from madtree.render.labels import category_text, one_line
from madtree.render.mark import NUMBERS, class_colours
from madtree.render.svg import tree_svg
from madtree.report.contributions import contributions
from madtree.report.distributions import distributions
from madtree.report.figures import cp_tables, evaluation, or_note, refusal, shown_sql
from madtree.report.function_calls import row_paths
from madtree.report.kinds import PAGES
from madtree.report.page import options, page, table
from madtree.report.provenance import folds_text
from madtree.report.trees import Choice, Limits, choose_trees, room_for_lists, tree_name, tree_values
from madtree.sqltext.quote import ident, is_plain_name, literal
from madtree.sqltext.split import parse_name
from madtree.trees import Joining, Model
from madtree.wording import count_text

# Columns of `<output>_summary` that the page lists, and what it calls them: these, and the settings of the training.
ABOUT = (
    ("source_table", "training table"), ("dependent_varname", "dependent variable"),
    ("dependent_var_type", "its type"),
    ("list_of_features_to_exclude", "excluded"), ("grouping_cols", "grouping columns"),
    *((name, name) for name in NUMERIC_COLUMNS),
    ("id_col_name", "id column"), ("total_rows_processed", "rows used"), ("total_rows_skipped", "rows left out"),
    ("num_all_groups", "groups"), ("num_failed_groups", "groups without a tree"),
)  # fmt: skip
VERSION = ("madtree_version", "madtree version")
LISTED = 60  # features or classes that the page names among the parameters
TOO_LARGE = "The model is too large to be shown as SQL here."
GROUPED_ONLY = ("grouping_cols", "num_all_groups", "num_failed_groups")


def build_report(
    connection: Any,
    model: str,
    *,
    data: str | None = None,
    trees: Sequence[int] | None = None,
    max_trees: int = 200,
    evaluate: bool = True,
    trust_owner: bool = False,
    row: object = None,
) -> str:
    """A page that shows a model: its trees drawn, importance, cp table, errors on a table, parameters and scoring SQL;
    how the values of a split's feature are distributed in the table, and what features contribute to the predictions of
    some of its rows; of an ensemble its out-of-bag error by the number of trees, or its losses by round.

    The page is one file: it loads nothing, and shows the same in ten years. It writes nothing in the database.

    Args:
        connection: a psycopg connection, or a client of madtree's; what it may read is read with its rights.
        model: its name.
        data: a table or view with known outcomes to try the model on, best of rows that it was not trained on; by
            default the training table, of which the page of a model that is tested out of bag only counts the values at
            splits. Where that is gone or not to be read, the page says so and shows the rest.
        trees: of a model of several trees those to show, by tree_id; by default, of groups those with the most rows, of
            an ensemble the first ones.
        evaluate: False leaves out how the model does on a table, and so any look at the rows.
        trust_owner: as a superuser, use another role's model although it runs what that role wrote; without it the page
            of such a model says so in the place of what would run.
        max_trees: most trees on the page. It takes at least one, and no more of them than have 20,000 nodes together; a
            tree that has more is drawn down to the depth where it has no more. The page says so.
        row: the id of a row of `data`, or else of the training table, whose path is marked in the trees, and whose
            contributions are drawn.

    Returns:
        The HTML text.

    Raises:
        MadtreeError: there is no such model, or it has none of `trees`.
        TypeError: `connection` is none.
        ValueError: `max_trees` is less than 1.
        psycopg.Error: the server refuses a query: among others, `data` lacks a column.
    """
    if max_trees < 1:
        raise ValueError(f"max_trees must be 1 or more, not {max_trees}")
    host = as_host(connection)
    with together(host):
        opened = find_to_show(host, model, trust_owner=trust_owner)
        choice = choose_trees(opened, trees, Limits(trees=max_trees))
        return _page_of(choice, model, data, evaluate, None if row is None else str(row))


def _page_of(choice: Choice, model: str, data: str | None, evaluate: bool, row: str | None) -> str:
    """The page; arguments as for `build_report`; in one transaction, in which the model is held as it is."""
    opened, is_given = choice.opened, data is not None
    if not is_given or not evaluate:  # where a table is given that cannot be used, the server says so
        by_own_table = not is_given and (evaluate or row is not None)
        choice = replace(choice, refusal=refusal(opened, by_own_table=by_own_table))
    table_name = data or opened.model.source_table
    of_kind = PAGES[opened.model.kind]
    # Trees have seen the rows of the training: where there is an out-of-bag error, it says more.
    is_evaluated = evaluate and (is_given or opened.model.kind.unseen_in is None)
    figures = evaluation(choice, table_name, is_given) if is_evaluated else {"table": table_name}
    whole = of_kind.whole(opened, choice.gids)
    paths: dict[int, list[str]] = {}
    if row is not None and choice.refusal is None:
        if not is_given:
            check_own_table(opened, "data")
        paths = row_paths(choice, table_name, row)
    choice = replace(choice, row=f"{row} of {table_name}" if paths else None)
    values = _values(choice, figures) | {"paths": paths, "cv": cp_tables(choice), "ensembles": whole}
    if evaluate:
        values["contributions"] = or_note(choice, is_given, lambda: contributions(choice, table_name, row))
        colours, first = values["colours"], paths.keys()
        values["distributions"] = or_note(choice, is_given, lambda: distributions(choice, table_name, colours, first))
    return page(f"{model} · madtree", values, _parts(choice, figures, model))


def _values(choice: Choice, figures: dict[str, Any]) -> dict[str, Any]:
    model = choice.model
    room = room_for_lists(model)
    trees = [tree_values(model, tree, row, room) for tree, row in zip(model.trees, choice.rows, strict=True)]
    return {
        "isClassification": model.has_class_leaves,
        "ofCounts": model.of_counts,
        "dependent": one_line(model.target),
        "addsScores": model.adds_scores,
        "features": [one_line(feature.name) for feature in model.features],
        "classes": [category_text(name) for name in model.classes],
        "colours": class_colours(_class_weights(choice)),
        "ramp": ["#" + "".join(f"{part:02X}" for part in end) for end in NUMBERS],
        "weighted": model.weighted,
        "grouped": bool(model.grouping_columns),
        "folds": folds_text(model.summary),
        "cut": choice.cut,
        "trees": trees,
        "figures": figures,
    }


def _class_weights(choice: Choice) -> list[float]:
    """Of the trees on the page together: every tree shows a class in the same colour."""
    weights = [0.0] * len(choice.model.classes)
    for tree in choice.model.trees:
        for position, weight in enumerate(tree.nodes[0].class_weights or () if tree.nodes else ()):
            weights[position] += weight
    return weights


def _parts(choice: Choice, figures: dict[str, Any], name: str) -> dict[str, str]:
    model = choice.model
    of_kind = PAGES[model.kind]
    task = "Classification" if model.is_classification else "Regression"
    kind = " ".join(filter(None, (task, model.kind.label)))
    what = f"{kind} of {one_line(model.target)}, trained on {model.source_table}"
    made = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    expression = shown_sql(choice)
    return {
        "name": escape(one_line(name)),
        "what": escape(one_line(what)),
        "made": escape(f"madtree {model.summary['madtree_version']} · {made}"),
        "tiles": "".join(map(_tile, *zip(*_facts(choice), strict=True))),
        "picker": _picker(choice),
        "heading": of_kind.heading,
        "picked": of_kind.picked,
        "listed": of_kind.listed,
        "notes": "".join(f'<p class="note">{escape(note)}</p>' for note in _notes(choice)),
        "parameters": table(_parameters(model)),
        "predict": escape(_predict_sql(name, str(figures["table"]), model.kind.predicts)),
        "expression": escape(expression or _how_to_get(choice, name)),
        "expression_note": "" if expression else f'<p class="note">{escape(_no_expression(choice))}</p>',
        "picture": tree_svg(model),
    }


def _facts(choice: Choice) -> list[tuple[str, str]]:
    totals = choice.totals
    # Each of a group's many trees has some or all of the same rows.
    joined = choice.model.kind.joining is not Joining.NONE
    rows = choice.model.summary["total_rows_processed"] if joined else totals["rows"]
    facts = [("rows", f"{rows:,}"), ("leaves", f"{totals['leaves']:,}"), ("depth", f"{totals['depth']}")]
    return facts if totals["trees"] == 1 else [("trees", f"{totals['trees']:,}"), *facts]


def _tile(name: str, value: str) -> str:
    return f'<div class="tile"><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>'


def _picker(choice: Choice) -> str:
    """The selection of a tree; hidden where there is but one."""
    listed = [
        (position, f"{text} · {count_text(row['n_rows'] or 0, 'row', ',')}")
        for position, (text, row) in enumerate(zip(_groups(choice), choice.rows, strict=True))
    ]
    return options(listed)


def _groups(choice: Choice) -> Iterator[str]:
    for tree, row in zip(choice.model.trees, choice.rows, strict=True):
        yield tree_name(choice.model, tree, row) or f"tree {tree.tree_id}"


def _notes(choice: Choice) -> Iterator[str]:
    shown, all_trees = len(choice.rows), choice.totals["trees"]
    if shown < all_trees:
        which = PAGES[choice.model.kind].which
        if shown == 1:  # which no list of trees names
            which = f"{next(_groups(choice))}."
        yield f"{shown:,} of {all_trees:,} trees {'is' if shown == 1 else 'are'} on this page: {which}"
    if choice.cut is not None:
        yield f"The tree has {choice.rows[0]['n_nodes']:,} nodes; this page has those down to depth {choice.cut}."
    if choice.row is not None:
        yield f"The path of the row {one_line(choice.row)} is marked."
    if choice.full_at is not None:
        yield f"A page has room for {choice.full_at:,} nodes of all its trees together."


def _parameters(model: Model) -> Iterator[tuple[str, str]]:
    for column, title in (*ABOUT, *labels(model.kind), VERSION):
        value = model.summary.get(column)
        if column in GROUPED_ONLY and not model.grouping_columns:
            continue
        if value is not None and value not in ("", "None"):
            yield title, _value_text(value)
    yield "features", _listed(model.feature_names)
    if model.is_classification:
        yield "classes", _listed([category_text(name) for name in model.classes])


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(one_line, names[:LISTED]))
    return f"{shown} and {len(names) - LISTED:,} more" if len(names) > LISTED else shown


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else one_line(str(value))


def _predict_sql(model: str, source: str, function: str) -> str:
    parts = parse_name(model) or (model,)
    output = ".".join(
        part if is_plain_name(part) else ident(part) for part in (*parts[:-1], f"{parts[-1][:40]}_scored")
    )
    return f"SELECT madtree.{function}({literal(model)}, {literal(source)}, {literal(output)});"


def _no_expression(choice: Choice) -> str:
    return choice.refusal or PAGES[choice.model.kind].no_expression or TOO_LARGE


def _how_to_get(choice: Choice, model: str) -> str:
    kind = choice.model.kind
    if kind.is_expression or kind.joining is Joining.SUM:
        return f"SELECT madtree.{kind.writes_sql}({literal(model)});"
    return f"SELECT madtree.tree_sql({literal(model)}, tree_id => {choice.tree_ids[0]});"
