-- A database of an older version: its extension and a model.
CREATE EXTENSION madtree VERSION :'version' CASCADE;
CREATE TABLE visits AS
SELECT i AS id, i * 37 % 90 AS age, (ARRAY['web', 'shop', 'mail'])[1 + i % 3] AS channel,
       i * 37 % 90 > 40 AND i % 3 <> 1 AS bought
FROM generate_series(1, 900) AS i;
SELECT madtree.tree_train('visits', 'a_tree', 'id', 'bought', 'age, channel');
