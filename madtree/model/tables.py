"""The tables of a model, created and dropped."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.host import Host
from madtree.model.find import find_model, missing_model
from madtree.model.turns import drop_model, make_tables
from madtree.records import dataclass
from madtree.request import TrainingTask
from madtree.sqltext import aliases as alias_sql
from madtree.sqltext import kinds, packed_nodes
from madtree.sqltext.quote import qualified
from madtree.trees import TREE, WEIGHT, ModelKind, node_layout


def create_tables(host: Host, task: TrainingTask, kind: ModelKind = TREE) -> None:
    """Create the model's empty tables; with `task.replace`, drop an existing model of that name first.

    Others who make or use a model of that name are waited for.

    Raises:
        MadtreeError: a table of that name has appeared since the arguments were checked.
    """
    at, parameters = (task.output_schema, task.output_name), task.parameters
    optional = {
        "_surrogates": parameters.max_surrogates > 0,
        "_competitors": parameters.has_competitors,
        "_outcomes": task.intervals,
        "_cv": parameters.n_folds > 0 or parameters.fold_col is not None,
        "_categories": bool(task.ordered),
    }
    wanted = [suffix for suffix, is_wanted in optional.items() if is_wanted]
    type_ = None if kind.is_packed else prediction_type(task)
    statements = kinds.create_tables(*at, kind, task.grouping, type_, wanted)
    if kind.is_packed:
        statements = ";\n".join([statements, packed_nodes.store_whole(*at), nodes_view(task, (), kind)])
    make_tables(host, *at, "output_table_name", statements, task.replace)


def nodes_view(task: TrainingTask, classes: Sequence[str], kind: ModelKind) -> str:
    """The statement that makes the view `<output>_nodes` of packed nodes, and then tells it the classes, when they are
    known.
    """
    of_classes = task.is_classification and not kind.says_numbers
    class_type = prediction_type(task) if of_classes else None
    n_classes = len(classes) if of_classes else None
    layout = node_layout(task.features, n_classes, weighted=WEIGHT.name in task.numbers or kind.says_numbers)
    features = [feature.name for feature in task.features]
    at = task.output_schema, task.output_name
    return packed_nodes.create_view(*at, packed_nodes.decoded_nodes(*at, layout, features, class_type, classes))


def prediction_type(task: TrainingTask) -> str:
    """Type of `<output>_nodes.prediction`."""
    return task.dependent_type if task.is_classification else "double precision"


@dataclass(frozen=True)
class Dropped:
    """The tables that were dropped: their schema and their names, unquoted."""

    schema: str
    names: list[str]


def tree_drop(host: Host, model_name: str | None) -> Dropped:
    """Drop a model's tables.

    Raises:
        MadtreeError: there is no such model.
    """
    tables = find_model(host, model_name, "model", to_drop=True)
    dropped = drop_model(host, *tables.at)
    if not dropped:  # by another session, after it was found and before it was locked
        raise missing_model(tables.given, tables.argument)
    name = qualified(*tables.at)
    if left := ", ".join(row["alias"] for row in host.query(alias_sql.OF_MODEL, ["pg_catalog.text"], [name])):
        host.notice(f"model: {left} names it, and names nothing now; madtree.model_alias lets it name another model")
    return Dropped(tables.schema, dropped)
