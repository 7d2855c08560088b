-- The same database after the package is upgraded: the model predicts what it must, and new ones can be trained.
ALTER EXTENSION madtree UPDATE;
SELECT madtree.tree_predict('a_tree', 'visits', 'scored');
SELECT madtree.tree_train('visits', 'a_new_tree', 'id', 'bought', 'age, channel');
DO $do$
BEGIN
    ASSERT (SELECT extversion = default_version FROM pg_extension JOIN pg_available_extensions ON name = extname
            WHERE extname = 'madtree'), 'not of the newest version';
    ASSERT (SELECT count(*) FROM visits JOIN scored USING (id) WHERE bought = estimated_bought) = 900, 'wrong predictions';
END
$do$;
