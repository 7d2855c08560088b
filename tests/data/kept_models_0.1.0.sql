
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA kept;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE kept.arrivals (
    id integer,
    x double precision,
    k text,
    b boolean,
    estimated text GENERATED ALWAYS AS (
CASE
    WHEN (x <= '49.05'::double precision) THEN
    CASE
        WHEN COALESCE((NOT b), ((x > '46.25'::double precision) AND ((x < 'NaN'::double precision) OR NULL::boolean))) THEN
        CASE
            WHEN ((k COLLATE "C") = 'red'::text) THEN 'late'::text
            ELSE 'in time'::text
        END
        ELSE
        CASE
            WHEN ((k COLLATE "C") = 'red'::text) THEN 'late'::text
            ELSE 'early'::text
        END
    END
    ELSE
    CASE
        WHEN ((k COLLATE "C") = 'red'::text) THEN
        CASE
            WHEN (NOT b) THEN 'in time'::text
            ELSE 'early'::text
        END
        ELSE 'late'::text
    END
END) STORED
);

CREATE TABLE kept.classes (
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    tree_depth integer,
    pruning_cp double precision,
    root_risk double precision,
    impurity_var_importance double precision[],
    success boolean,
    message text
);

CREATE TABLE kept.classes_cv (
    cp double precision,
    n_splits integer,
    rel_error double precision,
    cv_error_avg double precision,
    cv_error_stddev double precision,
    xerror double precision,
    xstd double precision,
    chosen boolean
);

CREATE TABLE kept.classes_nodes (
    tree_id integer NOT NULL,
    node_id bigint NOT NULL,
    parent_id bigint,
    depth integer,
    is_leaf boolean,
    feature text,
    threshold double precision,
    left_levels text[],
    majority_left boolean,
    n_rows bigint,
    weight double precision,
    impurity double precision,
    risk double precision,
    complexity double precision,
    improvement double precision,
    prediction text,
    class_weights double precision[],
    right_levels text[]
);

CREATE TABLE kept.classes_summary (
    method text,
    is_classification boolean,
    source_table text,
    model_table text,
    id_col_name text,
    list_of_features text,
    list_of_features_to_exclude text,
    dependent_varname text,
    independent_varnames text,
    cat_features text,
    con_features text,
    grouping_cols text,
    num_all_groups integer,
    num_failed_groups integer,
    total_rows_processed bigint,
    total_rows_skipped bigint,
    dependent_var_levels text[],
    dependent_var_type text,
    independent_var_types text,
    input_cp double precision,
    n_folds integer,
    null_proxy text,
    madtree_version text,
    seed bigint,
    split_criterion text,
    weights text,
    max_depth integer,
    min_split integer,
    min_bucket integer,
    n_bins integer,
    max_surrogates integer,
    surrogate_style integer,
    null_as_category boolean,
    rule text,
    fold_col text,
    features text[],
    feature_types text[],
    feature_kinds text[],
    enum_labels jsonb,
    grouping_columns text[],
    grouping_types text[],
    levels jsonb,
    trained_at timestamp with time zone
);

CREATE TABLE kept.classes_surrogates (
    tree_id integer NOT NULL,
    node_id bigint NOT NULL,
    rank integer NOT NULL,
    feature text,
    threshold double precision,
    left_levels text[],
    low_goes_left boolean,
    agreement double precision,
    adjusted_agreement double precision,
    right_levels text[]
);

CREATE TABLE kept.classes_then (
    id integer,
    estimated_y text
);

CREATE TABLE kept.rows (
    id integer NOT NULL,
    g integer,
    x double precision,
    k text,
    b boolean,
    y text,
    z double precision
);

CREATE VIEW kept.classes_view AS
 SELECT rows.id,
        CASE
            WHEN (rows.x <= '49.05'::double precision) THEN
            CASE
                WHEN COALESCE((NOT rows.b), ((rows.x > '46.25'::double precision) AND ((rows.x < 'NaN'::double precision) OR NULL::boolean))) THEN
                CASE
                    WHEN ((rows.k COLLATE "C") = 'red'::text) THEN 'late'::text
                    ELSE 'in time'::text
                END
                ELSE
                CASE
                    WHEN ((rows.k COLLATE "C") = 'red'::text) THEN 'late'::text
                    ELSE 'early'::text
                END
            END
            ELSE
            CASE
                WHEN ((rows.k COLLATE "C") = 'red'::text) THEN
                CASE
                    WHEN (NOT rows.b) THEN 'in time'::text
                    ELSE 'early'::text
                END
                ELSE 'late'::text
            END
        END AS estimated
   FROM kept.rows;

CREATE TABLE kept.means (
    g integer,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    tree_depth integer,
    pruning_cp double precision,
    root_risk double precision,
    impurity_var_importance double precision[],
    success boolean,
    message text
);

CREATE TABLE kept.means_nodes (
    tree_id integer NOT NULL,
    node_id bigint NOT NULL,
    parent_id bigint,
    depth integer,
    is_leaf boolean,
    feature text,
    threshold double precision,
    left_levels text[],
    majority_left boolean,
    n_rows bigint,
    weight double precision,
    impurity double precision,
    risk double precision,
    complexity double precision,
    improvement double precision,
    prediction double precision,
    class_weights double precision[],
    right_levels text[]
);

CREATE TABLE kept.means_summary (
    method text,
    is_classification boolean,
    source_table text,
    model_table text,
    id_col_name text,
    list_of_features text,
    list_of_features_to_exclude text,
    dependent_varname text,
    independent_varnames text,
    cat_features text,
    con_features text,
    grouping_cols text,
    num_all_groups integer,
    num_failed_groups integer,
    total_rows_processed bigint,
    total_rows_skipped bigint,
    dependent_var_levels text[],
    dependent_var_type text,
    independent_var_types text,
    input_cp double precision,
    n_folds integer,
    null_proxy text,
    madtree_version text,
    seed bigint,
    split_criterion text,
    weights text,
    max_depth integer,
    min_split integer,
    min_bucket integer,
    n_bins integer,
    max_surrogates integer,
    surrogate_style integer,
    null_as_category boolean,
    rule text,
    fold_col text,
    features text[],
    feature_types text[],
    feature_kinds text[],
    enum_labels jsonb,
    grouping_columns text[],
    grouping_types text[],
    levels jsonb,
    trained_at timestamp with time zone
);

CREATE TABLE kept.means_then (
    id integer,
    estimated_z double precision
);

CREATE VIEW kept.means_view AS
 SELECT rows.id,
        CASE
            WHEN (rows.g = 0) THEN
            CASE
                WHEN ((rows.x > '50.45'::double precision) AND (rows.x < 'NaN'::double precision)) THEN '90.60555555555555'::double precision
                ELSE
                CASE
                    WHEN ((rows.k COLLATE "C") = ANY (ARRAY['blue'::text, 'red'::text])) THEN '54.44'::double precision
                    ELSE '29.375'::double precision
                END
            END
            WHEN (rows.g = 1) THEN
            CASE
                WHEN ((rows.x > '64.3'::double precision) AND (rows.x < 'NaN'::double precision)) THEN '181.87142857142857'::double precision
                ELSE
                CASE
                    WHEN (rows.x <= '18.05'::double precision) THEN '17.4'::double precision
                    ELSE '94.15789473684211'::double precision
                END
            END
            WHEN (rows.g = 2) THEN
            CASE
                WHEN (rows.x <= '47.8'::double precision) THEN '86.50625'::double precision
                ELSE
                CASE
                    WHEN (((rows.k COLLATE "C") = ANY (ARRAY['blue'::text, 'it''s \odd'::text])) IS NOT TRUE) THEN '156.86666666666667'::double precision
                    ELSE '238.57999999999998'::double precision
                END
            END
            ELSE NULL::double precision
        END AS estimated
   FROM kept.rows;

CREATE VIEW kept.my_models AS
 SELECT models.name,
    models.kind,
    models.n_trees
   FROM madtree.models
  WHERE (models.schema = 'kept'::text);

CREATE TABLE kept.shares_then (
    id integer,
    estimated_prob double precision[]
);

INSERT INTO kept.arrivals VALUES
	(1, 91.9, 'it''s \odd', false, DEFAULT),
	(2, 83.8, 'blue', true, DEFAULT),
	(3, 75.7, 'green', true, DEFAULT),
	(4, 67.6, 'red', true, DEFAULT),
	(5, 59.5, 'it''s \odd', false, DEFAULT),
	(6, 51.4, 'blue', false, DEFAULT),
	(7, 43.3, NULL, true, DEFAULT),
	(8, 35.2, 'red', true, DEFAULT),
	(9, 27.1, 'it''s \odd', true, DEFAULT),
	(10, 19, 'blue', false, DEFAULT),
	(11, NULL, 'green', false, DEFAULT),
	(12, 2.8, 'red', true, DEFAULT),
	(13, 94.7, 'it''s \odd', true, DEFAULT),
	(14, 86.6, NULL, true, DEFAULT),
	(15, 78.5, 'green', false, DEFAULT),
	(16, 70.4, 'red', false, DEFAULT),
	(17, 62.3, 'it''s \odd', true, DEFAULT),
	(18, 54.2, 'blue', true, DEFAULT),
	(19, 46.1, 'green', true, DEFAULT),
	(20, 38, 'red', false, DEFAULT);

INSERT INTO kept.classes VALUES
	(1, 120, 13, 7, 3, 0, 55, '{14.356141305338003,31.266966296876564,21.2109725965858}', true, NULL);

INSERT INTO kept.classes_cv VALUES
	(0.2636363636363636, 0, 1, 0.4583333333333333, 0.03818813079129867, 1, 0.09923953268977463, false),
	(0.12727272727272726, 2, 0.4727272727272727, 0.3499999999999999, 0.07499999999999998, 0.7636363636363637, 0.09499891256445914, false),
	(0.10909090909090909, 3, 0.34545454545454546, 0.26666666666666666, 0.11273124382057237, 0.5818181818181818, 0.08807710121010885, false),
	(0.09090909090909091, 5, 0.12727272727272726, 0.25, 0.125, 0.5454545454545454, 0.08624393618641035, false),
	(0, 6, 0.03636363636363636, 0.09166666666666667, 0.09464847243000457, 0.2, 0.057471995815617044, true);

INSERT INTO kept.classes_nodes VALUES
	(1, 0, NULL, 0, false, 'x', 49.05, NULL, false, 120, 120, 0.5987500000000001, 55, 0.2636363636363636, 13.636911317745481, 'late', '{32,23,65}', NULL),
	(1, 1, 0, 1, false, 'b', NULL, '{false}', false, 53, 53, 0.6351014595941616, 28, 0.2636363636363636, 15.103829739442945, 'early', '{25,16,12}', '{true}'),
	(1, 2, 0, 1, false, 'k', NULL, '{blue,green,"it''s \\odd"}', true, 67, 67, 0.3524170193807084, 14, 0.10909090909090909, 13.837772397094431, 'late', '{7,7,53}', '{red}'),
	(1, 3, 1, 2, false, 'k', NULL, '{blue,green,"it''s \\odd"}', true, 21, 21, 0.36281179138321995, 5, 0.09090909090909091, 7.0588235294117645, 'in time', '{0,16,5}', '{red}'),
	(1, 4, 1, 2, false, 'k', NULL, '{blue,green,"it''s \\odd"}', true, 32, 32, 0.341796875, 7, 0.12727272727272726, 10.37037037037037, 'early', '{25,0,7}', '{red}'),
	(1, 5, 2, 2, true, NULL, NULL, NULL, NULL, 53, 53, 0.037023851904592384, 1, 0, NULL, 'late', '{0,1,52}', NULL),
	(1, 6, 2, 2, false, 'b', NULL, '{false}', false, 14, 14, 0.5612244897959183, 7, 0.10909090909090909, 6.107142857142857, 'early', '{7,6,1}', '{true}'),
	(1, 7, 3, 3, true, NULL, NULL, NULL, NULL, 16, 16, 0, 0, 0, NULL, 'in time', '{0,16,0}', NULL),
	(1, 8, 3, 3, true, NULL, NULL, NULL, NULL, 5, 5, 0, 0, 0, NULL, 'late', '{0,0,5}', NULL),
	(1, 9, 4, 3, true, NULL, NULL, NULL, NULL, 25, 25, 0, 0, 0, NULL, 'early', '{25,0,0}', NULL),
	(1, 10, 4, 3, true, NULL, NULL, NULL, NULL, 7, 7, 0, 0, 0, NULL, 'late', '{0,0,7}', NULL),
	(1, 13, 6, 3, true, NULL, NULL, NULL, NULL, 6, 6, 0, 0, 0, NULL, 'in time', '{0,6,0}', NULL),
	(1, 14, 6, 3, true, NULL, NULL, NULL, NULL, 8, 8, 0.21875, 1, 0, NULL, 'early', '{7,0,1}', NULL);

INSERT INTO kept.classes_summary VALUES
	('tree_train', true, 'kept.rows', 'kept.classes', 'id', 'x, k, b', 'None', 'y', 'x,k,b', 'k,b', 'x', NULL, 1, 0, 120, 0, '{early,"in time",late}', 'text', 'double precision, text, boolean', 0, 3, NULL, '0.1.0', 1, 'gini', NULL, 10, 6, 2, 100, 2, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{}', '{}', NULL, '2026-11-21 22:42:31.007086+00');

INSERT INTO kept.classes_surrogates VALUES
	(1, 1, 1, 'x', 46.25, NULL, false, 0.6226415094339622, 0.0476190476190476, NULL);

INSERT INTO kept.classes_then VALUES
	(1, 'late'),
	(2, 'late'),
	(3, 'late'),
	(4, 'early'),
	(5, 'late'),
	(6, 'late'),
	(7, 'early'),
	(8, 'late'),
	(9, 'early'),
	(10, 'in time'),
	(11, 'late'),
	(12, 'late'),
	(13, 'late'),
	(14, 'late'),
	(15, 'late'),
	(16, 'in time'),
	(17, 'late'),
	(18, 'late'),
	(19, 'early'),
	(20, 'late'),
	(21, 'in time'),
	(22, 'late'),
	(23, 'early'),
	(24, 'late'),
	(25, 'late'),
	(26, 'late'),
	(77, 'late'),
	(27, 'late'),
	(28, 'late'),
	(29, 'late'),
	(30, 'late'),
	(31, 'in time'),
	(32, 'late'),
	(33, 'late'),
	(34, 'early'),
	(35, 'in time'),
	(36, 'late'),
	(37, 'early'),
	(38, 'late'),
	(39, 'late'),
	(40, 'in time'),
	(41, 'late'),
	(42, 'late'),
	(43, 'late'),
	(44, 'early'),
	(45, 'in time'),
	(46, 'in time'),
	(47, 'early'),
	(48, 'late'),
	(49, 'early'),
	(50, 'late'),
	(51, 'late'),
	(52, 'early'),
	(53, 'late'),
	(54, 'late'),
	(55, 'late'),
	(56, 'in time'),
	(57, 'early'),
	(58, 'early'),
	(59, 'early'),
	(60, 'late'),
	(61, 'in time'),
	(62, 'late'),
	(63, 'late'),
	(64, 'early'),
	(65, 'late'),
	(66, 'late'),
	(67, 'late'),
	(68, 'early'),
	(69, 'early'),
	(70, 'in time'),
	(71, 'in time'),
	(72, 'late'),
	(73, 'early'),
	(74, 'early'),
	(75, 'late'),
	(76, 'in time'),
	(78, 'late'),
	(79, 'late'),
	(80, 'in time'),
	(81, 'in time'),
	(82, 'early'),
	(83, 'early'),
	(84, 'early'),
	(85, 'in time'),
	(86, 'in time'),
	(87, 'late'),
	(88, 'early'),
	(89, 'late'),
	(90, 'late'),
	(91, 'late'),
	(92, 'early'),
	(93, 'early'),
	(94, 'early'),
	(95, 'in time'),
	(96, 'late'),
	(97, 'early'),
	(98, 'early'),
	(99, 'late'),
	(100, 'in time'),
	(101, 'late'),
	(102, 'late'),
	(103, 'late'),
	(104, 'early'),
	(105, 'late'),
	(106, 'in time'),
	(107, 'early'),
	(108, 'late'),
	(109, 'early'),
	(110, 'late'),
	(111, 'in time'),
	(112, 'late'),
	(113, 'late'),
	(114, 'late'),
	(115, 'late'),
	(116, 'in time'),
	(117, 'late'),
	(118, 'early'),
	(119, 'early'),
	(120, 'late');

INSERT INTO kept.means VALUES
	(0, 1, 40, 5, 3, 2, 0, 36590.219, '{20491.81194958116,3426.8412272727264,0}', true, NULL),
	(1, 2, 40, 5, 3, 2, 0, 161036.65499999997, '{131461.52203667953,0,0}', true, NULL),
	(2, 3, 40, 5, 3, 2, 0, 340743.931, '{208131.00312500002,37558.51224999998,0}', true, NULL);

INSERT INTO kept.means_nodes VALUES
	(1, 0, NULL, 0, false, 'x', 50.45, NULL, true, 40, 40, 914.7554749999999, 36590.219, 0.6720173450801928, 20491.81194958116, 63.195, NULL, NULL),
	(1, 1, 0, 1, false, 'k', NULL, '{green,"it''s \\odd",NULL}', true, 22, 22, 314.0612603305785, 6909.347727272727, 0.09365457001699626, 3426.8412272727264, 40.768181818181816, NULL, '{blue,red}'),
	(1, 2, 0, 1, true, NULL, NULL, NULL, NULL, 18, 18, 282.8671913580247, 5091.609444444444, 0, NULL, 90.60555555555555, NULL, NULL),
	(1, 3, 1, 2, true, NULL, NULL, NULL, NULL, 12, 12, 236.11687500000002, 2833.4025, 0, NULL, 29.375, NULL, NULL),
	(1, 4, 1, 2, true, NULL, NULL, NULL, NULL, 10, 10, 64.91040000000001, 649.104, 0, NULL, 54.44, NULL, NULL),
	(2, 0, NULL, 0, false, 'x', 64.3, NULL, true, 40, 40, 4025.9163749999993, 161036.65499999997, 0.6637551429954438, 95728.34127580996, 111.425, NULL, NULL),
	(2, 1, 0, 1, false, 'x', 18.05, NULL, false, 26, 26, 1732.7914792899408, 45052.57846153846, 0.18715423606972584, 35733.18076086956, 73.49230769230769, NULL, NULL),
	(2, 2, 0, 1, true, NULL, NULL, NULL, NULL, 14, 14, 649.6548979591836, 9095.16857142857, 0, NULL, 181.87142857142857, NULL, NULL),
	(2, 3, 1, 2, true, NULL, NULL, NULL, NULL, 7, 7, 125.44000000000001, 878.08, 0, NULL, 17.4, NULL, NULL),
	(2, 4, 1, 2, true, NULL, NULL, NULL, NULL, 19, 19, 738.726648199446, 14035.806315789474, 0, NULL, 94.15789473684211, NULL, NULL),
	(3, 0, NULL, 0, false, 'x', 47.8, NULL, false, 40, 40, 8518.598275, 340743.931, 0.4154359109480369, 208131.00312500002, 159.36499999999998, NULL, NULL),
	(3, 1, 0, 1, true, NULL, NULL, NULL, NULL, 16, 16, 1875.0068359375, 30000.109375, 0, NULL, 86.50625, NULL, NULL),
	(3, 2, 0, 1, false, 'k', NULL, '{green,red,NULL}', false, 24, 24, 7049.4398437499985, 169186.55624999997, 0.11022503655391583, 37558.51224999998, 207.9375, NULL, '{blue,"it''s \\odd"}'),
	(3, 5, 2, 2, true, NULL, NULL, NULL, NULL, 9, 9, 6926.008888888888, 62334.07999999999, 0, NULL, 156.86666666666667, NULL, NULL),
	(3, 6, 2, 2, true, NULL, NULL, NULL, NULL, 15, 15, 4619.5976, 69293.964, 0, NULL, 238.57999999999998, NULL, NULL);

INSERT INTO kept.means_summary VALUES
	('tree_train', false, 'kept.rows', 'kept.means', 'id', 'x, k, b', 'None', 'z', 'x,k,b', 'k,b', 'x', 'g', 3, 0, 120, 0, NULL, 'double precision', 'double precision, text, boolean', 0, 0, NULL, '0.1.0', 1, 'mse', NULL, 4, 20, 6, 100, 0, 0, true, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{g}', '{integer}', '{"b": {"1": ["false", "true"], "2": ["false", "true"], "3": ["false", "true"]}, "k": {"1": ["blue", "green", "it''s \\odd", "red", null], "2": ["blue", "green", "it''s \\odd", "red", null], "3": ["blue", "green", "it''s \\odd", "red", null]}}', '2026-11-21 22:42:31.135148+00');

INSERT INTO kept.means_then VALUES
	(120, 54.44),
	(117, 90.60555555555555),
	(114, 90.60555555555555),
	(111, 29.375),
	(108, 54.44),
	(105, 29.375),
	(102, 90.60555555555555),
	(99, 29.375),
	(96, 54.44),
	(93, 29.375),
	(90, 90.60555555555555),
	(87, 90.60555555555555),
	(84, 29.375),
	(81, 29.375),
	(78, 90.60555555555555),
	(75, 90.60555555555555),
	(72, 54.44),
	(69, 29.375),
	(66, 54.44),
	(63, 90.60555555555555),
	(60, 54.44),
	(57, 29.375),
	(54, 90.60555555555555),
	(51, 90.60555555555555),
	(48, 54.44),
	(45, 29.375),
	(42, 90.60555555555555),
	(39, 90.60555555555555),
	(36, 54.44),
	(33, 29.375),
	(30, 90.60555555555555),
	(27, 90.60555555555555),
	(24, 54.44),
	(21, 29.375),
	(18, 90.60555555555555),
	(15, 90.60555555555555),
	(12, 54.44),
	(9, 29.375),
	(6, 90.60555555555555),
	(3, 90.60555555555555),
	(118, 94.15789473684211),
	(115, 181.87142857142857),
	(112, 181.87142857142857),
	(109, 17.4),
	(106, 94.15789473684211),
	(103, 181.87142857142857),
	(100, 181.87142857142857),
	(97, 17.4),
	(94, 94.15789473684211),
	(91, 94.15789473684211),
	(88, 94.15789473684211),
	(85, 17.4),
	(82, 94.15789473684211),
	(79, 94.15789473684211),
	(76, 181.87142857142857),
	(73, 17.4),
	(70, 94.15789473684211),
	(67, 94.15789473684211),
	(64, 181.87142857142857),
	(61, 17.4),
	(58, 94.15789473684211),
	(55, 94.15789473684211),
	(52, 181.87142857142857),
	(49, 17.4),
	(46, 94.15789473684211),
	(43, 94.15789473684211),
	(40, 181.87142857142857),
	(37, 17.4),
	(34, 94.15789473684211),
	(31, 94.15789473684211),
	(28, 181.87142857142857),
	(25, 181.87142857142857),
	(22, 94.15789473684211),
	(19, 94.15789473684211),
	(16, 181.87142857142857),
	(13, 181.87142857142857),
	(10, 94.15789473684211),
	(7, 94.15789473684211),
	(4, 181.87142857142857),
	(1, 181.87142857142857),
	(119, 86.50625),
	(116, 156.86666666666667),
	(113, 238.57999999999998),
	(110, 238.57999999999998),
	(107, 86.50625),
	(104, 156.86666666666667),
	(101, 238.57999999999998),
	(98, 86.50625),
	(95, 86.50625),
	(92, 156.86666666666667),
	(89, 238.57999999999998),
	(86, 86.50625),
	(83, 86.50625),
	(80, 156.86666666666667),
	(74, 86.50625),
	(71, 86.50625),
	(68, 156.86666666666667),
	(65, 238.57999999999998),
	(62, 238.57999999999998),
	(59, 86.50625),
	(56, 86.50625),
	(53, 238.57999999999998),
	(50, 238.57999999999998),
	(47, 86.50625),
	(44, 156.86666666666667),
	(41, 238.57999999999998),
	(38, 238.57999999999998),
	(35, 86.50625),
	(32, 86.50625),
	(29, 238.57999999999998),
	(77, 156.86666666666667),
	(26, 238.57999999999998),
	(23, 86.50625),
	(20, 86.50625),
	(17, 238.57999999999998),
	(14, 156.86666666666667),
	(11, 156.86666666666667),
	(8, 86.50625),
	(5, 238.57999999999998),
	(2, 238.57999999999998);

INSERT INTO kept.rows VALUES
	(1, 1, 91.9, 'it''s \odd', false, 'late', 183.8),
	(2, 2, 83.8, 'blue', true, 'late', 291.4),
	(3, 0, 75.7, 'green', true, 'late', 75.7),
	(4, 1, 67.6, 'red', true, 'early', 175.2),
	(5, 2, 59.5, 'it''s \odd', false, 'late', 178.5),
	(6, 0, 51.4, 'blue', false, 'late', 91.4),
	(7, 1, 43.3, NULL, true, 'early', 86.6),
	(8, 2, 35.2, 'red', true, 'late', 145.60000000000002),
	(9, 0, 27.1, 'it''s \odd', true, 'early', 27.1),
	(10, 1, 19, 'blue', false, 'in time', 78),
	(11, 2, NULL, 'green', false, 'late', 30),
	(12, 0, 2.8, 'red', true, 'late', 42.8),
	(13, 1, 94.7, 'it''s \odd', true, 'late', 189.4),
	(14, 2, 86.6, NULL, true, 'late', 259.79999999999995),
	(15, 0, 78.5, 'green', false, 'late', 78.5),
	(16, 1, 70.4, 'red', false, 'in time', 180.8),
	(17, 2, 62.3, 'it''s \odd', true, 'late', 186.89999999999998),
	(18, 0, 54.2, 'blue', true, 'late', 94.2),
	(19, 1, 46.1, 'green', true, 'early', 92.2),
	(20, 2, 38, 'red', false, 'late', 154),
	(21, 0, 29.9, NULL, false, 'in time', 29.9),
	(22, 1, NULL, 'blue', true, 'late', 60),
	(23, 2, 13.7, 'green', true, 'early', 41.099999999999994),
	(24, 0, 5.6, 'red', true, 'late', 45.6),
	(25, 1, 97.5, 'it''s \odd', false, 'late', 195),
	(26, 2, 89.4, 'blue', false, 'late', 308.20000000000005),
	(77, 2, NULL, NULL, true, 'late', 30),
	(27, 0, 81.3, 'green', true, 'late', 81.3),
	(28, 1, 73.2, NULL, true, 'late', 146.4),
	(29, 2, 65.1, 'it''s \odd', true, 'late', 195.29999999999998),
	(30, 0, 57, 'blue', false, 'late', 97),
	(31, 1, 48.9, 'green', false, 'in time', 97.8),
	(32, 2, 40.8, 'red', true, 'late', 162.39999999999998),
	(33, 0, NULL, 'it''s \odd', true, 'late', 10),
	(34, 1, 24.6, 'blue', true, 'early', 89.2),
	(35, 2, 16.5, NULL, false, 'in time', 49.5),
	(36, 0, 8.4, 'red', false, 'late', 48.4),
	(37, 1, 0.3, 'it''s \odd', true, 'early', 0.6),
	(38, 2, 92.2, 'blue', true, 'late', 316.6),
	(39, 0, 84.1, 'green', true, 'late', 84.1),
	(40, 1, 76, 'red', false, 'in time', 192),
	(41, 2, 67.9, 'it''s \odd', false, 'late', 203.70000000000002),
	(42, 0, 59.8, NULL, true, 'late', 59.8),
	(43, 1, 51.7, 'green', true, 'late', 103.4),
	(44, 2, NULL, 'red', true, 'early', 70),
	(45, 0, 35.5, 'it''s \odd', false, 'in time', 35.5),
	(46, 1, 27.4, 'blue', false, 'in time', 94.8),
	(47, 2, 19.3, 'green', true, 'early', 57.900000000000006),
	(48, 0, 11.2, 'red', true, 'late', 51.2),
	(49, 1, 3.1, NULL, true, 'early', 6.2),
	(50, 2, 95, 'blue', false, 'late', 325),
	(51, 0, 86.9, 'green', false, 'late', 86.9),
	(52, 1, 78.8, 'red', true, 'early', 197.6),
	(53, 2, 70.7, 'it''s \odd', true, 'late', 212.10000000000002),
	(54, 0, 62.6, 'blue', true, 'late', 102.6),
	(55, 1, NULL, 'green', false, 'late', 20),
	(56, 2, 46.4, NULL, false, 'in time', 139.2),
	(57, 0, 38.3, 'it''s \odd', true, 'early', 38.3),
	(58, 1, 30.2, 'blue', true, 'early', 100.4),
	(59, 2, 22.1, 'green', true, 'early', 66.30000000000001),
	(60, 0, 14, 'red', false, 'late', 54),
	(61, 1, 5.9, 'it''s \odd', false, 'in time', 11.8),
	(62, 2, 97.8, 'blue', true, 'late', 333.4),
	(63, 0, 89.7, NULL, true, 'late', 89.7),
	(64, 1, 81.6, 'red', true, 'early', 203.2),
	(65, 2, 73.5, 'it''s \odd', false, 'late', 220.5),
	(66, 0, NULL, 'blue', false, 'late', 50),
	(67, 1, 57.3, 'green', true, 'late', 114.6),
	(68, 2, 49.2, 'red', true, 'late', 187.60000000000002),
	(69, 0, 41.1, 'it''s \odd', true, 'early', 41.1),
	(70, 1, 33, NULL, false, 'in time', 66),
	(71, 2, 24.9, 'green', false, 'in time', 74.69999999999999),
	(72, 0, 16.8, 'red', true, 'late', 56.8),
	(73, 1, 8.7, 'it''s \odd', true, 'early', 17.4),
	(74, 2, 0.6, 'blue', true, 'early', 41.8),
	(75, 0, 92.5, 'green', false, 'late', 92.5),
	(76, 1, 84.4, 'red', false, 'in time', 208.8),
	(78, 0, 68.2, 'blue', true, 'late', 108.2),
	(79, 1, 60.1, 'green', true, 'late', 120.2),
	(80, 2, 52, 'red', false, 'in time', 196),
	(81, 0, 43.9, 'it''s \odd', false, 'in time', 43.9),
	(82, 1, 35.8, 'blue', true, 'early', 111.6),
	(83, 2, 27.7, 'green', true, 'early', 83.1),
	(84, 0, 19.6, NULL, true, 'early', 19.6),
	(85, 1, 11.5, 'it''s \odd', false, 'in time', 23),
	(86, 2, 3.4, 'blue', false, 'in time', 50.2),
	(87, 0, 95.3, 'green', true, 'late', 95.3),
	(88, 1, NULL, 'red', true, 'early', 60),
	(89, 2, 79.1, 'it''s \odd', true, 'late', 237.29999999999998),
	(90, 0, 71, 'blue', false, 'late', 111),
	(91, 1, 62.9, NULL, false, 'late', 125.8),
	(92, 2, 54.8, 'red', true, 'early', 204.39999999999998),
	(93, 0, 46.7, 'it''s \odd', true, 'early', 46.7),
	(94, 1, 38.6, 'blue', true, 'early', 117.2),
	(95, 2, 30.5, 'green', false, 'in time', 91.5),
	(96, 0, 22.4, 'red', false, 'late', 62.4),
	(97, 1, 14.3, 'it''s \odd', true, 'early', 28.6),
	(98, 2, 6.2, NULL, true, 'early', 18.6),
	(99, 0, NULL, 'green', true, 'late', 10),
	(100, 1, 90, 'red', false, 'in time', 220),
	(101, 2, 81.9, 'it''s \odd', false, 'late', 245.70000000000002),
	(102, 0, 73.8, 'blue', true, 'late', 113.8),
	(103, 1, 65.7, 'green', true, 'late', 131.4),
	(104, 2, 57.6, 'red', true, 'early', 212.8),
	(105, 0, 49.5, NULL, false, 'in time', 49.5),
	(106, 1, 41.4, 'blue', false, 'in time', 122.8),
	(107, 2, 33.3, 'green', true, 'early', 99.89999999999999),
	(108, 0, 25.2, 'red', true, 'late', 65.2),
	(109, 1, 17.1, 'it''s \odd', true, 'early', 34.2),
	(110, 2, NULL, 'blue', false, 'late', 70),
	(111, 0, 0.9, 'green', false, 'in time', 0.9),
	(112, 1, 92.8, NULL, true, 'late', 185.6),
	(113, 2, 84.7, 'it''s \odd', true, 'late', 254.10000000000002),
	(114, 0, 76.6, 'blue', true, 'late', 116.6),
	(115, 1, 68.5, 'green', false, 'late', 137),
	(116, 2, 60.4, 'red', false, 'in time', 221.2),
	(117, 0, 52.3, 'it''s \odd', true, 'late', 52.3),
	(118, 1, 44.2, 'blue', true, 'early', 128.4),
	(119, 2, 36.1, NULL, true, 'early', 108.30000000000001),
	(120, 0, 28, 'red', false, 'late', 68);

INSERT INTO kept.shares_then VALUES
	(1, '{0,0.018867924528301886,0.9811320754716981}'),
	(2, '{0,0.018867924528301886,0.9811320754716981}'),
	(3, '{0,0.018867924528301886,0.9811320754716981}'),
	(4, '{0.875,0,0.125}'),
	(5, '{0,0.018867924528301886,0.9811320754716981}'),
	(6, '{0,0.018867924528301886,0.9811320754716981}'),
	(7, '{1,0,0}'),
	(8, '{0,0,1}'),
	(9, '{1,0,0}'),
	(10, '{0,1,0}'),
	(11, '{0,0.018867924528301886,0.9811320754716981}'),
	(12, '{0,0,1}'),
	(13, '{0,0.018867924528301886,0.9811320754716981}'),
	(14, '{0,0.018867924528301886,0.9811320754716981}'),
	(15, '{0,0.018867924528301886,0.9811320754716981}'),
	(16, '{0,1,0}'),
	(17, '{0,0.018867924528301886,0.9811320754716981}'),
	(18, '{0,0.018867924528301886,0.9811320754716981}'),
	(19, '{1,0,0}'),
	(20, '{0,0,1}'),
	(21, '{0,1,0}'),
	(22, '{0,0.018867924528301886,0.9811320754716981}'),
	(23, '{1,0,0}'),
	(24, '{0,0,1}'),
	(25, '{0,0.018867924528301886,0.9811320754716981}'),
	(26, '{0,0.018867924528301886,0.9811320754716981}'),
	(77, '{0,0.018867924528301886,0.9811320754716981}'),
	(27, '{0,0.018867924528301886,0.9811320754716981}'),
	(28, '{0,0.018867924528301886,0.9811320754716981}'),
	(29, '{0,0.018867924528301886,0.9811320754716981}'),
	(30, '{0,0.018867924528301886,0.9811320754716981}'),
	(31, '{0,1,0}'),
	(32, '{0,0,1}'),
	(33, '{0,0.018867924528301886,0.9811320754716981}'),
	(34, '{1,0,0}'),
	(35, '{0,1,0}'),
	(36, '{0,0,1}'),
	(37, '{1,0,0}'),
	(38, '{0,0.018867924528301886,0.9811320754716981}'),
	(39, '{0,0.018867924528301886,0.9811320754716981}'),
	(40, '{0,1,0}'),
	(41, '{0,0.018867924528301886,0.9811320754716981}'),
	(42, '{0,0.018867924528301886,0.9811320754716981}'),
	(43, '{0,0.018867924528301886,0.9811320754716981}'),
	(44, '{0.875,0,0.125}'),
	(45, '{0,1,0}'),
	(46, '{0,1,0}'),
	(47, '{1,0,0}'),
	(48, '{0,0,1}'),
	(49, '{1,0,0}'),
	(50, '{0,0.018867924528301886,0.9811320754716981}'),
	(51, '{0,0.018867924528301886,0.9811320754716981}'),
	(52, '{0.875,0,0.125}'),
	(53, '{0,0.018867924528301886,0.9811320754716981}'),
	(54, '{0,0.018867924528301886,0.9811320754716981}'),
	(55, '{0,0.018867924528301886,0.9811320754716981}'),
	(56, '{0,1,0}'),
	(57, '{1,0,0}'),
	(58, '{1,0,0}'),
	(59, '{1,0,0}'),
	(60, '{0,0,1}'),
	(61, '{0,1,0}'),
	(62, '{0,0.018867924528301886,0.9811320754716981}'),
	(63, '{0,0.018867924528301886,0.9811320754716981}'),
	(64, '{0.875,0,0.125}'),
	(65, '{0,0.018867924528301886,0.9811320754716981}'),
	(66, '{0,0.018867924528301886,0.9811320754716981}'),
	(67, '{0,0.018867924528301886,0.9811320754716981}'),
	(68, '{0.875,0,0.125}'),
	(69, '{1,0,0}'),
	(70, '{0,1,0}'),
	(71, '{0,1,0}'),
	(72, '{0,0,1}'),
	(73, '{1,0,0}'),
	(74, '{1,0,0}'),
	(75, '{0,0.018867924528301886,0.9811320754716981}'),
	(76, '{0,1,0}'),
	(78, '{0,0.018867924528301886,0.9811320754716981}'),
	(79, '{0,0.018867924528301886,0.9811320754716981}'),
	(80, '{0,1,0}'),
	(81, '{0,1,0}'),
	(82, '{1,0,0}'),
	(83, '{1,0,0}'),
	(84, '{1,0,0}'),
	(85, '{0,1,0}'),
	(86, '{0,1,0}'),
	(87, '{0,0.018867924528301886,0.9811320754716981}'),
	(88, '{0.875,0,0.125}'),
	(89, '{0,0.018867924528301886,0.9811320754716981}'),
	(90, '{0,0.018867924528301886,0.9811320754716981}'),
	(91, '{0,0.018867924528301886,0.9811320754716981}'),
	(92, '{0.875,0,0.125}'),
	(93, '{1,0,0}'),
	(94, '{1,0,0}'),
	(95, '{0,1,0}'),
	(96, '{0,0,1}'),
	(97, '{1,0,0}'),
	(98, '{1,0,0}'),
	(99, '{0,0.018867924528301886,0.9811320754716981}'),
	(100, '{0,1,0}'),
	(101, '{0,0.018867924528301886,0.9811320754716981}'),
	(102, '{0,0.018867924528301886,0.9811320754716981}'),
	(103, '{0,0.018867924528301886,0.9811320754716981}'),
	(104, '{0.875,0,0.125}'),
	(105, '{0,0.018867924528301886,0.9811320754716981}'),
	(106, '{0,1,0}'),
	(107, '{1,0,0}'),
	(108, '{0,0,1}'),
	(109, '{1,0,0}'),
	(110, '{0,0.018867924528301886,0.9811320754716981}'),
	(111, '{0,1,0}'),
	(112, '{0,0.018867924528301886,0.9811320754716981}'),
	(113, '{0,0.018867924528301886,0.9811320754716981}'),
	(114, '{0,0.018867924528301886,0.9811320754716981}'),
	(115, '{0,0.018867924528301886,0.9811320754716981}'),
	(116, '{0,1,0}'),
	(117, '{0,0.018867924528301886,0.9811320754716981}'),
	(118, '{1,0,0}'),
	(119, '{1,0,0}'),
	(120, '{0,0,1}');

ALTER TABLE ONLY kept.classes_nodes
    ADD CONSTRAINT classes_nodes_pkey PRIMARY KEY (tree_id, node_id);

ALTER TABLE ONLY kept.classes
    ADD CONSTRAINT classes_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.classes_surrogates
    ADD CONSTRAINT classes_surrogates_pkey PRIMARY KEY (tree_id, node_id, rank);

ALTER TABLE ONLY kept.means_nodes
    ADD CONSTRAINT means_nodes_pkey PRIMARY KEY (tree_id, node_id);

ALTER TABLE ONLY kept.means
    ADD CONSTRAINT means_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.rows
    ADD CONSTRAINT rows_pkey PRIMARY KEY (id);

