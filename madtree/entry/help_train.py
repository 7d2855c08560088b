"""The usage text of `tree_train`."""

from __future__ import annotations

from madtree.errors import MadtreeError

MESSAGES = ("usage", "help", "?")

USAGE = """\
tree_train trains a decision tree, or one tree per group, on the rows of a table.

SELECT madtree.tree_train(
    training_table_name,          -- table, partitioned table, view, materialized or foreign table; "Quoted"."Names" too
    output_table_name,            -- the model: tables <output>, <output>_nodes, <output>_summary and, where asked for,
                                  --   <output>_surrogates and <output>_cv; must not exist
    id_col_name,                  -- column that tells rows apart
    dependent_variable,           -- column or expression: boolean, integer, text, enum -> classification;
                                  --   float, numeric -> regression
    list_of_features,             -- '*', or columns and expressions separated by commas; an array column is taken apart
    list_of_features_to_exclude,  -- NULL, or columns that '*' leaves out
    split_criterion,              -- 'gini' (default), 'entropy', 'misclassification'; regression uses 'mse'
    grouping_cols,                -- NULL, or columns: one tree for each combination of their values
    weights,                      -- NULL, or a numeric column or expression; rows of weight 0 are skipped
    max_depth,                    -- 10: levels below the root, 0 to 60
    min_split,                    -- 20: rows that a node needs to be split
    min_bucket,                   -- min_split / 3: rows that each side must keep (if only min_bucket is given,
                                  --   min_split is 3 * min_bucket)
    n_bins,                       -- 100: candidate boundaries of a continuous feature; 0: all of them
    surrogate_params,             -- 'max_surrogates=0, null_as_category=false, surrogate_style=0'
    pruning_params,               -- 'cp=0, n_folds=0, rule=min, fold_col=...'
    verbose,                      -- false; true: one INFO line a level, and the stages' seconds
    -- from here on best by name:
    seed => 1,                    -- of the sample that bin edges are taken from, and of the folds
    replace => false,             -- true: overwrite a madtree model of that name
    parallel_workers => NULL,     -- workers beside this process; NULL: as many as pay; 0: none
    memory_mb => 64,              -- memory for histograms
    strategy => 'auto'            -- who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest
);

It returns one line that tells what was trained. Either of the two ..._params strings may hold any of their keys.
rule is min (the cp with the least cross-validated error) or 1se (the largest within one standard error of it).

Example:
    SELECT madtree.tree_train('flights', 'delay_tree', 'id', 'late', 'carrier, origin, hour, distance', max_depth => 6);
    SELECT madtree.tree_display('delay_tree', false);
"""


def usage(message: str | None) -> str:
    """The usage text. Raises MadtreeError if `message` does not ask for it."""
    if message is None or message.strip().lower() not in MESSAGES:
        raise MadtreeError(
            f"tree_train with one argument takes {', '.join(map(repr, MESSAGES))}, not {message!r}",
            hint="SELECT tree_train() tells how to train.",
        )
    return USAGE
