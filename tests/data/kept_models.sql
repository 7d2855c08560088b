-- What a user makes with madtree and keeps in a schema `kept`: models, predictions, views and a generated column from
-- tree_sql, a view on madtree.models. Runs on every version; migrations/README.md says what for.

CREATE SCHEMA kept;

CREATE TABLE kept.rows AS
SELECT
    i AS id,
    i % 3 AS g,
    CASE WHEN i % 11 <> 0 THEN round((i * 7919 % 1000)::numeric / 10, 1)::double precision END AS x,
    CASE WHEN i % 7 <> 0 THEN (ARRAY['red', 'green', 'blue', 'it''s \odd'])[1 + i * 31 % 4] END AS k,
    i % 5 > 1 AS b
FROM generate_series(1, 120) AS i;
ALTER TABLE kept.rows ADD PRIMARY KEY (id), ADD y text, ADD z double precision;
UPDATE kept.rows SET
    y = CASE WHEN (coalesce(x, 60) > 50) <> (coalesce(k, '') = 'red') THEN 'late' WHEN b THEN 'early' ELSE 'in time' END,
    z = coalesce(x, 10) * (1 + g) + CASE WHEN k IN ('red', 'blue') THEN 40 ELSE 0 END;

SELECT madtree.tree_train(
    'kept.rows', 'kept.classes', 'id', 'y', 'x, k, b', min_split => 6, surrogate_params => 'max_surrogates=2',
    pruning_params => 'n_folds=3'
);
SELECT madtree.tree_train(
    'kept.rows', 'kept.means', 'id', 'z', 'x, k, b', split_criterion => 'mse', grouping_cols => 'g', max_depth => 4,
    surrogate_params => 'null_as_category=true'
);
SELECT madtree.tree_predict('kept.classes', 'kept.rows', 'kept.classes_then');
SELECT madtree.tree_predict('kept.classes', 'kept.rows', 'kept.shares_then', 'prob');
SELECT madtree.tree_predict('kept.means', 'kept.rows', 'kept.means_then');

DO $do$
BEGIN
    EXECUTE format(
        'CREATE VIEW kept.classes_view AS SELECT id, %s AS estimated FROM kept.rows', madtree.tree_sql('kept.classes')
    );
    EXECUTE format(
        'CREATE VIEW kept.means_view AS SELECT id, %s AS estimated FROM kept.rows', madtree.tree_sql('kept.means')
    );
    EXECUTE format(
        'CREATE TABLE kept.arrivals (id integer, x double precision, k text, b boolean, '
        'estimated text GENERATED ALWAYS AS (%s) STORED)', madtree.tree_sql('kept.classes')
    );
END
$do$;
INSERT INTO kept.arrivals SELECT id, x, k, b FROM kept.rows WHERE id <= 20;

-- Kinds of models that not every version has.
DO $do$
BEGIN
    IF EXISTS (SELECT FROM pg_proc WHERE proname = 'forest_train' AND pronamespace = 'madtree'::regnamespace) THEN
        PERFORM madtree.forest_train(
            'kept.rows', 'kept.forest', 'id', 'y', 'x, k, b', num_trees => 3, max_tree_depth => 4,
            null_handling_params => 'max_surrogates=2'
        );
        PERFORM madtree.forest_train(
            'kept.rows', 'kept.forests', 'id', 'z', 'x, k, b', grouping_cols => 'g', num_trees => 2, max_tree_depth => 3
        );
        PERFORM madtree.forest_predict('kept.forest', 'kept.rows', 'kept.forest_then');
        PERFORM madtree.forest_predict('kept.forest', 'kept.rows', 'kept.forest_shares_then', 'prob_mean');
        PERFORM madtree.forest_predict('kept.forests', 'kept.rows', 'kept.forests_then');
    END IF;
    IF EXISTS (SELECT FROM pg_proc WHERE proname = 'boost_train' AND pronamespace = 'madtree'::regnamespace) THEN
        PERFORM madtree.boost_train(
            'kept.rows', 'kept.boosted', 'id', 'y', 'x, k, b', num_trees => 3, max_leaf_nodes => 5, min_bucket => 5
        );
        PERFORM madtree.boost_train(
            'kept.rows', 'kept.boosts', 'id', 'z', 'x, k, b', grouping_cols => 'g', num_trees => 3,
            max_leaf_nodes => 5, min_bucket => 5
        );
        PERFORM madtree.boost_predict('kept.boosted', 'kept.rows', 'kept.boosted_then');
        PERFORM madtree.boost_predict('kept.boosted', 'kept.rows', 'kept.boosted_shares_then', 'prob');
        PERFORM madtree.boost_predict('kept.boosts', 'kept.rows', 'kept.boosts_then', 'raw');
    END IF;
END
$do$;

DO $do$
BEGIN
    IF EXISTS (SELECT FROM pg_proc WHERE proname = 'calibrate' AND pronamespace = 'madtree'::regnamespace) THEN
        PERFORM madtree.boost_train(
            'kept.rows', 'kept.ordered', 'id', 'b', 'x, k', num_trees => 3, max_leaf_nodes => 5, min_bucket => 5,
            boost_params => 'category_encoding=ordered'
        );
        PERFORM madtree.boost_train(
            'kept.rows', 'kept.sure', 'id', 'b', 'x, k', num_trees => 3, max_leaf_nodes => 5, min_bucket => 5
        );
        PERFORM madtree.forest_train(
            'kept.rows', 'kept.between', 'id', 'z', 'x, k, b', num_trees => 3, max_tree_depth => 3, intervals => true
        );
        PERFORM madtree.calibrate('kept.classes', 'kept.rows', 'kept.classes_calibrated', method => 'sigmoid');
        PERFORM madtree.calibrate('kept.sure', 'kept.rows', 'kept.sure_calibrated');
        PERFORM madtree.tree_refresh('kept.means', 'kept.rows', 'kept.means_refreshed');
        PERFORM madtree.tree_statistics('kept.means', 'kept.rows');
        PERFORM madtree.model_alias('kept.champion', 'kept.boosted');
        PERFORM madtree.boost_predict('kept.ordered', 'kept.rows', 'kept.ordered_then', 'raw');
        PERFORM madtree.forest_predict('kept.between', 'kept.rows', 'kept.between_then', 'interval');
        PERFORM madtree.tree_predict('kept.classes_calibrated', 'kept.rows', 'kept.classes_calibrated_then', 'prob');
        PERFORM madtree.boost_predict('kept.sure_calibrated', 'kept.rows', 'kept.sure_calibrated_then', 'prob');
        PERFORM madtree.tree_predict('kept.means_refreshed', 'kept.rows', 'kept.means_refreshed_then');
        PERFORM madtree.boost_predict('kept.champion', 'kept.rows', 'kept.champion_then');
        CREATE TABLE kept.drift_then AS SELECT * FROM madtree.tree_drift('kept.means', 'kept.rows');
    END IF;
END
$do$;

CREATE VIEW kept.my_models AS SELECT name, kind, n_trees FROM madtree.models WHERE schema = 'kept';
CREATE TABLE kept.my_models_then AS TABLE kept.my_models;
