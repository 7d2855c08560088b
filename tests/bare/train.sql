-- What any package of madtree must be able to do on a server: create the extension, train each kind of model, predict.
-- Ends in an error if a prediction is not what it must be.
CREATE EXTENSION madtree CASCADE;
CREATE TABLE visits AS
SELECT i AS id, i * 37 % 90 AS age, (ARRAY['web', 'shop', 'mail'])[1 + i % 3] AS channel,
       i * 37 % 90 > 40 AND i % 3 <> 1 AS bought
FROM generate_series(1, 900) AS i;
SELECT madtree.tree_train('visits', 'a_tree', 'id', 'bought', 'age, channel');
SELECT madtree.forest_train('visits', 'a_forest', 'id', 'bought', 'age, channel', num_trees => 5);
SELECT madtree.boost_train('visits', 'a_boosted_model', 'id', 'bought', 'age, channel', num_trees => 5);
SELECT madtree.tree_predict('a_tree', 'visits', 'scored');
DO $do$
BEGIN
    ASSERT (SELECT count(*) FROM visits JOIN scored USING (id) WHERE bought = estimated_bought) = 900, 'wrong predictions';
END
$do$;
