-- A database of an older version after an upgrade: the extension is of the newest version, and new models can be trained.
SELECT madtree.tree_train('kept.rows', 'a_new_tree', 'id', 'y', 'x, k, b');
SELECT madtree.tree_predict('a_new_tree', 'kept.rows', 'scored');
DO $do$
BEGIN
    ASSERT (SELECT extversion = default_version FROM pg_extension JOIN pg_available_extensions ON name = extname
            WHERE extname = 'madtree'), 'not of the newest version';
    ASSERT (SELECT count(*) FROM kept.rows JOIN scored USING (id)) = 120, 'rows without a prediction';
END
$do$;
