"""What each function does here. Names, arguments, defaults and columns are those of SQL's functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from madtree import explain, score
from madtree.host import Host, Row
from madtree.model import get_var_importance
from madtree.model import models as listed_models
from madtree.model import tree_drop as dropped
from madtree.model.write import tree_prune as pruned
from madtree.request import check_arguments, check_forest_arguments
from madtree.sqltext.listing import AS_IN_VIEW
from madtree.train import train

Columns = tuple[tuple[str, str], ...]

# As the server's functions have them: what values look like as text, and no jit for statements that are many and short.
_NO_JIT = {"jit": "off"}
TEXTS = {"datestyle": "ISO", "intervalstyle": "postgres", "extra_float_digits": "1"}
_FIGURES = {"jit": "off", "extra_float_digits": "1"}
_AS_THEY_ARE: Mapping[str, str] = {}
_LISTING = {"row_security": "off", "datestyle": "ISO", "intervalstyle": "postgres"}


@dataclass(frozen=True)
class Function:
    """A function.

    Attributes:
        run: takes the host and the arguments; returns a value, or a list of rows.
        columns: names and types of what it returns.
        settings: of the session, while it runs.
        takes: has the arguments that `run` takes, annotated with their types.
    """

    run: Callable[..., Any]
    columns: Columns
    settings: Mapping[str, str]

    @property
    def takes(self) -> Callable[..., Any]:
        return _TRAININGS.get(self.run, self.run)


def tree_train(host: Host, *arguments: Any, **named: Any) -> str:
    return train(host, check_arguments(host, *arguments, **named))


def forest_train(host: Host, *arguments: Any, **named: Any) -> str:
    if "replace" in named:
        named["replace_"] = named.pop("replace")
    task = check_forest_arguments(host, *arguments, **named)
    return train(host, task, partial(score.predict_out_of_bag, host, task) if task.oob_predictions else None)


_TRAININGS: dict[Callable[..., Any], Callable[..., Any]] = {
    tree_train: check_arguments,
    forest_train: check_forest_arguments,
}


def tree_predict(
    host: Host,
    tree_model: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type: str | None = "response",
    trust_owner: bool | None = False,
) -> str:
    return score.tree_predict(host, tree_model, new_data_table, output_table, type, trust_owner=trust_owner)


def forest_predict(
    host: Host,
    random_forest_model: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type: str | None = "response",
    trust_owner: bool | None = False,
) -> str:
    return score.forest_predict(host, random_forest_model, new_data_table, output_table, type, trust_owner=trust_owner)


def tree_sql(
    host: Host,
    model: str | None,
    type: str | None = "response",
    tree_id: int | None = None,
    trust_owner: bool | None = False,
) -> str:
    return score.tree_sql(host, model, type, tree_id, trust_owner)


def tree_display(
    host: Host,
    model: str | None,
    dot_format: bool | None = True,
    verbosity: bool | None = False,
    full: bool | None = False,
) -> str:
    return explain.tree_display(host, model, dot_format, verbosity, full)


def get_tree(
    host: Host,
    forest_model_table: str | None,
    gid: int | None,
    sample_id: int | None,
    dot_format: bool | None = True,
    verbose: bool | None = False,
) -> str:
    return explain.get_tree(host, forest_model_table, gid, sample_id, dot_format, verbose)


def tree_evaluate(
    host: Host, tree_model: str | None, test_table: str | None, trust_owner: bool | None = False
) -> list[Row]:
    return score.tree_evaluate(host, tree_model, test_table, trust_owner=trust_owner)


def tree_confusion(
    host: Host, tree_model: str | None, test_table: str | None, trust_owner: bool | None = False
) -> list[Row]:
    return score.tree_confusion(host, tree_model, test_table, trust_owner=trust_owner)


def tree_rules(
    host: Host,
    model: str | None,
    tree_id: int | None = None,
    trust_owner: bool | None = False,
    full: bool | None = False,
) -> list[Row]:
    return explain.tree_rules(host, model, tree_id, trust_owner, full)


def tree_path(
    host: Host,
    model: str | None,
    table_name: str | None,
    id: str | None,
    trust_owner: bool | None = False,
    full: bool | None = False,
    tree_id: int | None = None,
) -> list[Row]:
    return explain.tree_path(host, model, table_name, id, trust_owner, full, tree_id)


def tree_cp(host: Host, model: str | None) -> list[Row]:
    return explain.tree_cp(host, model)


def tree_surr_display(host: Host, model: str | None, full: bool | None = False) -> str:
    return explain.tree_surr_display(host, model, full)


def get_tree_surr(host: Host, forest_model_table: str | None, gid: int | None, sample_id: int | None) -> str:
    return explain.get_tree_surr(host, forest_model_table, gid, sample_id)


def tree_to_json(host: Host, model: str | None, tree_id: int | None = None) -> str:
    return explain.tree_to_json(host, model, tree_id)


def tree_to_pmml(host: Host, model: str | None, tree_id: int | None = None) -> str:
    return explain.tree_to_pmml(host, model, tree_id)


def tree_prune(
    host: Host, model: str | None, new_model: str | None, cp: float | None, trust_owner: bool | None = False
) -> str:
    return pruned(host, model, new_model, cp, trust_owner)


def tree_drop(host: Host, model: str | None) -> str:
    return dropped(host, model)


def models(host: Host) -> list[Row]:
    rows = listed_models(host)
    texts = [[row[column] for row in rows] for column in ("schema", "name", "trained_at", "age")]
    return [
        row | typed for row, typed in zip(rows, host.query(AS_IN_VIEW, ["pg_catalog.text[]"] * 4, texts), strict=True)
    ]


def _text(
    run: Callable[..., str], settings: Mapping[str, str] = _AS_THEY_ARE, type_: str = "text"
) -> tuple[str, Function]:
    return run.__name__, Function(run, ((run.__name__, type_),), settings)


def _rows(run: Callable[..., list[Row]], settings: Mapping[str, str], columns: str) -> tuple[str, Function]:
    """`columns`: as `name type, ...`."""
    pairs = (column.split() for column in columns.split(", "))
    return run.__name__, Function(run, tuple((name, type_) for name, type_ in pairs), settings)


FUNCTIONS: dict[str, Function] = dict(
    (
        _text(tree_train, _NO_JIT),
        _text(forest_train, _NO_JIT),
        _text(tree_predict, _NO_JIT),
        _text(forest_predict, _NO_JIT),
        _text(tree_sql, TEXTS),
        _text(tree_display, TEXTS),
        _text(tree_surr_display, TEXTS),
        _text(get_tree),
        _text(get_tree_surr),
        _text(tree_prune),
        _text(tree_drop),
        _text(get_var_importance),
        _text(tree_to_json, TEXTS, "json"),
        _text(tree_to_pmml, TEXTS),
        _rows(tree_evaluate, _FIGURES, "tree_id int4, group_values jsonb, metric text, value float8"),
        _rows(
            tree_confusion,
            _FIGURES,
            "tree_id int4, group_values jsonb, actual text, predicted text, n int8, weight float8",
        ),
        _rows(
            tree_rules,
            TEXTS,
            "tree_id int4, group_values jsonb, node_id int8, rule text, predicate text, n_rows int8, share float8, "
            "prediction text, confidence float8, mean float8, sd float8",
        ),
        _rows(
            tree_cp,
            TEXTS,
            "tree_id int4, group_values jsonb, cp float8, n_splits int4, rel_error float8, xerror float8, "
            "xstd float8, chosen bool, root_error float8",
        ),
        _rows(
            tree_path,
            TEXTS,
            "step int4, tree_id int4, node_id int8, feature text, condition text, value text, branch text, "
            "reason text, explanation text, n_rows int8, prediction text, confidence float8",
        ),
        _rows(
            models,
            _LISTING,
            "model text, schema text, name text, owner text, kind text, source_table text, dependent text, "
            "n_rows int8, n_trees int4, depth int4, n_leaves int8, parameters jsonb, version text, "
            "trained_at timestamptz, age interval",
        ),
    )
)
