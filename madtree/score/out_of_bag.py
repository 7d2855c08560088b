"""The table of a forest's out-of-bag predictions: of each row, what the trees say whose samples lack it."""

from __future__ import annotations

from dataclasses import replace

from madtree.host import Host
from madtree.learn.data import Bools
from madtree.learn.problem import Bootstrap
from madtree.model import distinct_names, find_model, output_columns, read_summary
from madtree.request import TrainingTask
from madtree.score.block_plan import Drawn
from madtree.score.case_or_blocks import measure
from madtree.score.forest_outcomes import OUT_OF_BAG
from madtree.score.new_rows import fit_to_source, id_name_of, scan_of
from madtree.score.score_by_blocks import BlockScoring
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import Output
from madtree.sqltext.quote import qualified
from madtree.sqltext.rows import identity_number
from madtree.sqltext.tables import OOB_TREES, model_table
from madtree.trees import ForestParameters

_TRUSTED = True  # the caller has made the model in this transaction


def predict_out_of_bag(host: Host, task: TrainingTask, is_tested: Bools) -> None:
    """Create `<output>_oob` of a forest that `task` has just trained, with a row for each row of the training table.

    Samples are a hash of the rows' ids, so they are drawn again. A row that all trees have in bag gets NULL, as one
    whose group has no forest.

    Args:
        is_tested: (n_trees,) whether each tree takes part. One for which no row was drawn has seen all of them.
    """
    forest = task.ensemble
    assert isinstance(forest, ForestParameters)
    at = task.output_schema, task.output_name
    tables = find_model(host, qualified(*at), "output_table_name", trust_owner=_TRUSTED)
    model = read_summary(host, tables)
    data = fit_to_source(host, model, task.source, task.arguments.training_table_name)
    id_name = id_name_of(model)
    outputs = output_columns(model, "response", QUALIFIED, id_name)
    if model.is_classification:
        outputs += output_columns(model, "prob", QUALIFIED, id_name)
    # The last column, by which the table is known, keeps its name.
    taken = distinct_names([id_name, *(output.name for output in outputs)], OOB_TREES)
    outputs = [replace(output, name=name) for output, name in zip(outputs, taken[1:], strict=True)]
    outputs.append(Output(OOB_TREES, "pg_catalog.int4", lambda node: ""))
    scan = scan_of(host, tables, model, task.source, data, model_table(*at, "_oob"), taken[0])
    id_type = data.types[model.id_column].as_kept
    work = measure(host, task.source, tables, model, len(outputs), task.tuning.costs)
    samples = Bootstrap(task.parameters.seed, 0, forest.n_trees, forest.sampling, forest.kept)
    drawn = Drawn(samples, is_tested, identity_number(task.id_sql, task.id_type, task.id_writer))
    BlockScoring(host, tables, model, OUT_OF_BAG, task.source, scan, id_type, outputs, work, drawn).create()
