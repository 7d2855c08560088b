"""Every kind of run that a fault can hit, and its outcome as one text."""

from __future__ import annotations

import psycopg
from training import read_model

N_ROWS = 70_000  # more than a block
TABLES = (
    f"""CREATE TABLE data AS SELECT
        i AS id, i % 200 AS g, sin(i) AS x, cos(i * 1.7) AS z, i * 7919 % 1009 AS n, 'word ' || i * 31 % 17 AS word,
        (sin(i) + cos(i * 1.7) > 0.3) <> (i % 11 = 0) AS y, sin(i) * 2 + i % 11 AS target
    FROM generate_series(1, {N_ROWS}) i""",
    "CREATE VIEW viewed AS SELECT * FROM data",
    """CREATE TABLE wide AS SELECT i AS id, sin(i) > 0.3 AS y,
        ARRAY(SELECT sin(i * k)::real FROM generate_series(1, 160) AS k) AS xs FROM generate_series(1, 60000) AS i""",
    "ANALYZE data, wide",
)
MODELS = (
    "SELECT tree_train('data', 'small', 'id', 'y', 'x, z, n, word', max_depth => 4)",
    "SELECT tree_train('data', 'large', 'id', 'target', 'x, z, n', max_depth => 15, min_bucket => 5, min_split => 10)",
    "SELECT tree_train('data', 'grouped', 'id', 'y', 'x, z', grouping_cols => 'g', max_depth => 3)",
    "SELECT forest_train('data', 'trees', 'id', 'y', 'x, z, n, word', num_trees => 5, max_tree_depth => 9)",
    "SELECT boost_train('data', 'boosted', 'id', 'y', 'x, z, n, word', num_trees => 10)",
    "SELECT tree_statistics('boosted', 'data'), conformal_train('boosted', 'data')",
)


def _train(options: str, table: str = "data") -> str:
    return _train_on(f"'{table}', 'out', 'id', 'y', 'x, z, n, word', max_depth => 7", options)


def _train_on(what: str, options: str) -> str:
    return f"SELECT tree_train({what}, verbose => true, {options})"


def _tune(options: str) -> str:
    return f"SELECT tree_tune('data', 'out', 'id', 'y', 'x, z, n, word', {options}, n_folds => 3)"


FOREST = "SELECT forest_train('data', 'out', 'id', 'y', 'x, z, n, word', num_trees => 6, max_tree_depth => 8"
BOOSTED = "SELECT boost_train('data', 'out', 'id', 'y', 'x, z, n, word', num_trees => 10"
DRAWN = "validation_params => 'fraction=0.2', boost_params => 'subsample=0.5'"
WIDE = "'wide', 'out', 'id', 'y', 'xs', max_depth => 4"

# All of them make `out`, but for those that return rows.
RUNS = {
    "memory": _train("strategy => 'memory'"),
    "workers": _train("strategy => 'workers', parallel_workers => 2, pruning_params => 'n_folds=3'"),
    "aggregate": _train("strategy => 'aggregate', parallel_workers => 2"),
    # Half of the memory holds 4 MiB of packed rows; there are 9.6 MB.
    "spilled": _train_on(WIDE, "memory_mb => 8, parallel_workers => 0"),
    "spilled by workers": _train_on(WIDE, "memory_mb => 8, strategy => 'workers', parallel_workers => 1"),
    "view": _train("parallel_workers => 0", "viewed"),
    "groups": _train("grouping_cols => 'g', parallel_workers => 2"),
    "surrogates": _train("surrogate_params => 'max_surrogates=2'"),
    "predict": "SELECT tree_predict('small', 'data', 'out', 'prob')",
    "predict by blocks": "SELECT tree_predict('large', 'data', 'out')",
    "predict groups": "SELECT tree_predict('grouped', 'data', 'out')",
    "evaluate": "SELECT e::text FROM tree_evaluate('small', 'data') AS e",
    "evaluate by blocks": "SELECT e::text FROM tree_evaluate('large', 'data') AS e",
    "forest": f"{FOREST}, parallel_workers => 0)",
    "forest by workers": f"{FOREST}, parallel_workers => 2, oob_predictions => true)",
    "predict by a forest": "SELECT forest_predict('trees', 'data', 'out', 'prob')",
    "boosted": f"{BOOSTED}, parallel_workers => 0)",
    "boosted by workers": f"{BOOSTED}, parallel_workers => 2, {DRAWN})",
    "predict by a boosted model": "SELECT boost_predict('boosted', 'data', 'out', 'prob')",
    "settings": _tune("'tree', 'max_depth=3,5', parallel_workers => 0"),
    "settings by workers": _tune("'tree', 'max_depth=3,5', strategy => 'workers', parallel_workers => 2"),
    "settings of boosting": _tune("'boost', 'num_trees=3,5; max_leaf_nodes=9'"),
    "contributions": "SELECT tree_shap('boosted', 'data', 'out')",
    "contributions of a forest": "SELECT tree_shap('trees', 'data', 'out', layout => 'long', top => 2)",
    "contributions of one tree": "SELECT tree_shap('large', 'data', 'out')",
    "partial dependence": "SELECT p::text FROM partial_dependence('boosted', 'data', 'x') AS p",
    "permutation importance": "SELECT p::text FROM permutation_importance('boosted', 'data') AS p",
    "calibrate": "SELECT calibrate('boosted', 'data', 'out')",
    "calibrate a forest": "SELECT calibrate('trees', 'data', 'out', 'sigmoid')",
    "refresh": "SELECT tree_refresh('large', 'data', 'out')",
    "refresh a boosted model": "SELECT tree_refresh('boosted', 'data', 'out')",
    "statistics": "SELECT tree_statistics('boosted', 'data')",
    "drift": "SELECT d::text FROM tree_drift('boosted', 'data') AS d",
    "conformal quantiles": "SELECT q::text FROM conformal_quantiles('trees', 'data') AS q",
    "kept quantiles": "SELECT conformal_train('boosted', 'data')",
    "predict by quantiles": "SELECT boost_predict('boosted', 'data', 'out', 'conformal')",
    "intervals": "SELECT forest_train('data', 'out', 'id', 'target', 'x, z, n', num_trees => 2, intervals => true)",
    "ordered categories": f"{BOOSTED}, parallel_workers => 0, boost_params => 'category_encoding=ordered')",
    "prune": "SELECT tree_prune('large', 'out', 0.0005)",
}
TRAININGS = [name for name, text in RUNS.items() if "tree_train" in text]


def outcome(session: psycopg.Connection, name: str) -> str:
    """Run it and remove what it made; all rows of that, or that it returned, to the bit."""
    return outcome_of(session, RUNS[name])


def outcome_of(session: psycopg.Connection, run: str) -> str:
    """The same of a statement like those of `RUNS`."""
    if "tree_statistics(" in run or "conformal_train(" in run:
        with session.transaction(force_rollback=True):  # the model's table is to stay where it is
            return repr(session.execute(run).fetchall())
    rows = session.execute(run).fetchall()
    if any(function in run for function in ("_train(", "tree_prune(", "calibrate(", "tree_refresh(")):
        text = repr(read_model(session, "out"))
        session.execute("SELECT tree_drop('out')")
        return text
    if "_tune(" in run:
        text = repr(session.execute("SELECT setting, fold, score, is_best FROM out ORDER BY 1, 2").fetchall())
        text += repr(read_model(session, "out_model"))
        session.execute("DROP TABLE out; SELECT tree_drop('out_model')")
        return text
    if "_predict(" in run or "tree_shap(" in run:
        text = repr(session.execute("SELECT md5(string_agg(o::text, ';' ORDER BY id)) FROM out AS o").fetchall())
        session.execute("DROP TABLE out")
        return text
    return repr(rows)
