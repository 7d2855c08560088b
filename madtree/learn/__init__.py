"""The learner: numpy only, no database, no SQL, no files.

Its rooms in the order of the data: `data` (blocks and exact numbers), `binning` (bins and codes), `problem` (what there
is to learn from), `route` (the way of a row down growing trees), `histogram` (what is counted), `split` (the best split
of a node), `grow` (trees, from request to request), `prune` (risk, cross-validation and pruning).
"""
