-- Whether all that kept_models.sql made says what it said, after an update, a dump and a restore, or pg_upgrade: ends in an
-- error if not. Each table called <..>_then is what a function or a view said then. Rows are compared as text, which shows
-- every bit of a number.
DO $do$
DECLARE
    -- The table, and what says the same now. Versions have the models whose kinds they know.
    answers CONSTANT text[] := ARRAY[
        ['classes_then', $$tree_predict('kept.classes', 'kept.rows', 'kept.now')$$],
        ['shares_then', $$tree_predict('kept.classes', 'kept.rows', 'kept.now', 'prob')$$],
        ['means_then', $$tree_predict('kept.means', 'kept.rows', 'kept.now')$$],
        ['forest_then', $$forest_predict('kept.forest', 'kept.rows', 'kept.now')$$],
        ['forest_shares_then', $$forest_predict('kept.forest', 'kept.rows', 'kept.now', 'prob_mean')$$],
        ['forests_then', $$forest_predict('kept.forests', 'kept.rows', 'kept.now')$$],
        ['boosted_then', $$boost_predict('kept.boosted', 'kept.rows', 'kept.now')$$],
        ['boosted_shares_then', $$boost_predict('kept.boosted', 'kept.rows', 'kept.now', 'prob')$$],
        ['boosts_then', $$boost_predict('kept.boosts', 'kept.rows', 'kept.now', 'raw')$$],
        ['ordered_then', $$boost_predict('kept.ordered', 'kept.rows', 'kept.now', 'raw')$$],
        ['between_then', $$forest_predict('kept.between', 'kept.rows', 'kept.now', 'interval')$$],
        ['classes_calibrated_then', $$tree_predict('kept.classes_calibrated', 'kept.rows', 'kept.now', 'prob')$$],
        ['sure_calibrated_then', $$boost_predict('kept.sure_calibrated', 'kept.rows', 'kept.now', 'prob')$$],
        ['means_refreshed_then', $$tree_predict('kept.means_refreshed', 'kept.rows', 'kept.now')$$],
        ['champion_then', $$boost_predict('kept.champion', 'kept.rows', 'kept.now')$$]
    ];
    queries CONSTANT text[] := ARRAY[
        ['drift_then', $$SELECT * FROM madtree.tree_drift('kept.means', 'kept.rows')$$],
        ['my_models_then', 'TABLE kept.my_models']
    ];
    -- Views and a generated column of older expressions, the table and its column that say the same, the rows.
    expressions CONSTANT text[] := ARRAY[
        ['classes_view', 'classes_then', 'estimated_y', '120'],
        ['arrivals', 'classes_then', 'estimated_y', '20'],
        ['means_view', 'means_then', 'estimated_z', '120']
    ];
    place text[];
    now text;
    was_array boolean;
    n bigint;
    compared integer := 0;
BEGIN
    FOREACH place SLICE 1 IN ARRAY answers || queries LOOP
        CONTINUE WHEN pg_catalog.to_regclass('kept.' || place[1]) IS NULL;
        IF place[2] LIKE '%kept.now%' THEN
            EXECUTE 'SELECT madtree.' || place[2];
            now := 'TABLE kept.now';
        ELSE
            now := place[2];
        END IF;
        -- 0.1.0 wrote one array of probabilities, where there is a column for each class since.
        SELECT count(*) = 1 INTO was_array FROM pg_catalog.pg_attribute
        WHERE attrelid = ('kept.' || place[1])::regclass AND attnum > 0 AND atttypid = 'float8[]'::regtype;
        IF was_array THEN
            now := 'SELECT id, ARRAY["estimated_prob_early", "estimated_prob_in time", "estimated_prob_late"] FROM kept.now';
        END IF;
        EXECUTE format(
            'SELECT count(*) FROM ((SELECT a::text FROM kept.%1$I AS a EXCEPT ALL SELECT b::text FROM (%2$s) AS b) UNION ALL '
            '(SELECT b::text FROM (%2$s) AS b EXCEPT ALL SELECT a::text FROM kept.%1$I AS a)) AS differing', place[1], now
        ) INTO n;
        IF n > 0 THEN
            RAISE EXCEPTION '% of rows of kept.% and of what is said now differ', n, place[1];
        END IF;
        IF now LIKE '%kept.now' THEN
            DROP TABLE kept.now;
        END IF;
        compared := compared + 1;
    END LOOP;
    SELECT count(*) INTO n FROM pg_catalog.pg_class
    WHERE relnamespace = 'kept'::regnamespace AND relkind = 'r' AND relname LIKE '%\_then';
    IF compared <> n THEN
        RAISE EXCEPTION '% tables of what was said then, and % were compared', n, compared;
    END IF;
    SELECT count(*) - (SELECT count(*) FROM kept.my_models) INTO n FROM pg_catalog.pg_class
    WHERE relnamespace = 'kept'::regnamespace AND relname LIKE '%\_summary';
    IF n <> 0 THEN
        RAISE EXCEPTION '% models are not listed', n;
    END IF;
    FOREACH place SLICE 1 IN ARRAY expressions LOOP
        EXECUTE format(
            'SELECT count(*) FROM kept.%I AS p JOIN kept.%I AS t ON t.id = p.id AND t.%I::text = p.estimated::text',
            place[1], place[2], place[3]
        ) INTO n;
        IF n <> place[4]::bigint THEN
            RAISE EXCEPTION 'kept.% says the same of % rows, not of %', place[1], n, place[4];
        END IF;
    END LOOP;
    RAISE NOTICE '% tables of what was said are the same to the bit', compared;
END
$do$;
