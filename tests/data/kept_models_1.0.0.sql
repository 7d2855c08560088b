
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

CREATE TABLE kept."between" (
    gid integer,
    sample_id integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    oob_error double precision
);

CREATE TABLE kept.between_group (
    gid integer NOT NULL,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    oob_error double precision,
    oob_var_importance double precision[],
    impurity_var_importance double precision[],
    oob_score double precision,
    oob_var_importance_sd double precision[],
    n_trees integer,
    message text
);

CREATE TABLE kept.between_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.between_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.between_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k,b}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.between_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
            (x.n_rows)::double precision AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 65, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 69, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 76) + 1), 76) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 76) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.between_outcomes (
    tree_id integer NOT NULL,
    outcomes double precision[]
);

CREATE TABLE kept.between_summary (
    method text,
    is_classification boolean,
    source_table text,
    model_table text,
    id_col_name text,
    dependent_varname text,
    independent_varnames text,
    cat_features text,
    con_features text,
    grouping_cols text,
    num_trees integer,
    num_random_features integer,
    max_tree_depth integer,
    min_split integer,
    min_bucket integer,
    num_splits integer,
    "verbose" boolean,
    importance boolean,
    num_permutations integer,
    num_all_groups integer,
    num_failed_groups integer,
    total_rows_processed bigint,
    total_rows_skipped bigint,
    dependent_var_levels text[],
    dependent_var_type text,
    independent_var_types text,
    null_proxy text,
    sample_ratio double precision,
    sampling text,
    split_rule text,
    list_of_features text,
    list_of_features_to_exclude text,
    input_cp double precision,
    n_folds integer,
    madtree_version text,
    seed bigint,
    split_criterion text,
    weights text,
    max_depth integer,
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer
);

CREATE TABLE kept.between_then (
    id integer,
    estimated_z double precision,
    estimated_z_low double precision,
    estimated_z_high double precision
);

CREATE TABLE kept.boosted (
    gid integer,
    sample_id integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    round integer,
    class text
);

CREATE TABLE kept.boosted_group (
    gid integer NOT NULL,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    impurity_var_importance double precision[],
    n_trees integer,
    n_rounds integer,
    base_score double precision[],
    loss_threshold double precision,
    n_rows bigint,
    n_held_out bigint,
    training_loss double precision,
    validation_loss double precision,
    message text
);

CREATE TABLE kept.boosted_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.boosted_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.boosted_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k,b}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.boosted_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
                CASE
                    WHEN (((x.weight >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.weight < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.weight >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.weight >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.weight & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.weight & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.weight < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS weight,
                    ((('x'::text || encode("substring"(r.record, 65, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 77, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 81, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 84) + 1), 84) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 84) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.boosted_rounds (
    gid integer NOT NULL,
    round integer NOT NULL,
    training_loss double precision,
    validation_loss double precision
);

CREATE TABLE kept.boosted_shares_then (
    id integer,
    estimated_prob_early double precision,
    "estimated_prob_in time" double precision,
    estimated_prob_late double precision
);

CREATE TABLE kept.boosted_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    loss text,
    num_trees integer,
    learning_rate double precision,
    l2_regularization double precision,
    min_gain double precision,
    subsample double precision,
    feature_fraction double precision,
    cat_smooth double precision,
    quantile double precision,
    cat_l2 double precision,
    max_cat_threshold integer,
    min_data_per_group integer,
    top_rate double precision,
    other_rate double precision,
    boost_method text,
    category_encoding text,
    prior_weight double precision,
    validation_fraction double precision,
    validation_table text,
    n_iter_no_change integer,
    tol double precision,
    correct_prior boolean,
    monotone text,
    interaction_constraints text
);

CREATE TABLE kept.boosted_then (
    id integer,
    estimated_y text
);

CREATE TABLE kept.boosts (
    gid integer,
    sample_id integer,
    g integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    round integer,
    class text
);

CREATE TABLE kept.boosts_group (
    gid integer NOT NULL,
    g integer,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    impurity_var_importance double precision[],
    n_trees integer,
    n_rounds integer,
    base_score double precision[],
    loss_threshold double precision,
    n_rows bigint,
    n_held_out bigint,
    training_loss double precision,
    validation_loss double precision,
    message text
);

CREATE TABLE kept.boosts_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.boosts_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.boosts_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k,b}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.boosts_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
                CASE
                    WHEN (((x.weight >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.weight < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.weight >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.weight >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.weight & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.weight & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.weight < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS weight,
                    ((('x'::text || encode("substring"(r.record, 65, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 77, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 81, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 84) + 1), 84) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 84) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.boosts_rounds (
    gid integer NOT NULL,
    round integer NOT NULL,
    training_loss double precision,
    validation_loss double precision,
    g integer
);

CREATE TABLE kept.boosts_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    loss text,
    num_trees integer,
    learning_rate double precision,
    l2_regularization double precision,
    min_gain double precision,
    subsample double precision,
    feature_fraction double precision,
    cat_smooth double precision,
    quantile double precision,
    cat_l2 double precision,
    max_cat_threshold integer,
    min_data_per_group integer,
    top_rate double precision,
    other_rate double precision,
    boost_method text,
    category_encoding text,
    prior_weight double precision,
    validation_fraction double precision,
    validation_table text,
    n_iter_no_change integer,
    tol double precision,
    correct_prior boolean,
    monotone text,
    interaction_constraints text
);

CREATE TABLE kept.boosts_then (
    id integer,
    raw_z double precision
);

CREATE TABLE kept.champion (
    madtree_alias text
);

COMMENT ON TABLE kept.champion IS 'alias of the madtree model "kept"."boosted"';

CREATE TABLE kept.champion_then (
    id integer,
    estimated_y text
);

CREATE TABLE kept.classes (
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text
);

CREATE TABLE kept.classes_calibrated (
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text
);

CREATE TABLE kept.classes_calibrated_nodes (
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

CREATE TABLE kept.classes_calibrated_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    calibration text,
    calibrated_model text,
    calibration_table text
);

CREATE TABLE kept.classes_calibrated_surrogates (
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

CREATE TABLE kept.classes_calibrated_then (
    id integer,
    estimated_prob_early double precision,
    "estimated_prob_in time" double precision,
    estimated_prob_late double precision
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer
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

CREATE TABLE kept.drift_then (
    feature text,
    psi double precision,
    missing double precision,
    missing_before double precision,
    outside double precision,
    n bigint
);

CREATE TABLE kept.forest (
    gid integer,
    sample_id integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    oob_error double precision
);

CREATE TABLE kept.forest_group (
    gid integer NOT NULL,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    oob_error double precision,
    oob_var_importance double precision[],
    impurity_var_importance double precision[],
    oob_score double precision,
    oob_var_importance_sd double precision[],
    n_trees integer,
    message text
);

CREATE TABLE kept.forest_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.forest_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.forest_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k,b}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    ('{early,"in time",late}'::text[])[n.prediction] AS prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.forest_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
            (x.n_rows)::double precision AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
            ((x.n_rows)::double precision - (x.of_prediction)::double precision) AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
            x.prediction,
            ARRAY( SELECT (w.stored)::double precision AS stored
                   FROM ( SELECT ((('x'::text || encode("substring"(x.record, (65 + (4 * c.number)), 4), 'hex'::text)))::bit(32))::bigint AS stored
                           FROM generate_series(0, 2) c(number)
                         OFFSET 0) w) AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 4), 'hex'::text)))::bit(32))::integer AS prediction,
                    ((('x'::text || encode("substring"(r.record, 21, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 29, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 37, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 45, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 53, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 57, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 61, 4), 'hex'::text)))::bit(32))::integer AS n_right,
                    ((('x'::text || encode("substring"(r.record, (65 + (4 * (LEAST(GREATEST(((('x'::text || encode("substring"(r.record, 17, 4), 'hex'::text)))::bit(32))::integer, 1), 3) - 1))), 4), 'hex'::text)))::bit(32))::bigint AS of_prediction
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 76) + 1), 76) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 76) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.forest_shares_then (
    id integer,
    estimated_prob_early double precision,
    "estimated_prob_in time" double precision,
    estimated_prob_late double precision
);

CREATE TABLE kept.forest_summary (
    method text,
    is_classification boolean,
    source_table text,
    model_table text,
    id_col_name text,
    dependent_varname text,
    independent_varnames text,
    cat_features text,
    con_features text,
    grouping_cols text,
    num_trees integer,
    num_random_features integer,
    max_tree_depth integer,
    min_split integer,
    min_bucket integer,
    num_splits integer,
    "verbose" boolean,
    importance boolean,
    num_permutations integer,
    num_all_groups integer,
    num_failed_groups integer,
    total_rows_processed bigint,
    total_rows_skipped bigint,
    dependent_var_levels text[],
    dependent_var_type text,
    independent_var_types text,
    null_proxy text,
    sample_ratio double precision,
    sampling text,
    split_rule text,
    list_of_features text,
    list_of_features_to_exclude text,
    input_cp double precision,
    n_folds integer,
    madtree_version text,
    seed bigint,
    split_criterion text,
    weights text,
    max_depth integer,
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer
);

CREATE TABLE kept.forest_surrogates (
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

CREATE TABLE kept.forest_then (
    id integer,
    estimated_y text
);

CREATE TABLE kept.forests (
    gid integer,
    sample_id integer,
    g integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    oob_error double precision
);

CREATE TABLE kept.forests_group (
    gid integer NOT NULL,
    g integer,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    oob_error double precision,
    oob_var_importance double precision[],
    impurity_var_importance double precision[],
    oob_score double precision,
    oob_var_importance_sd double precision[],
    n_trees integer,
    message text
);

CREATE TABLE kept.forests_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.forests_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.forests_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k,b}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.forests_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
            (x.n_rows)::double precision AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 65, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 69, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 76) + 1), 76) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 76) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.forests_summary (
    method text,
    is_classification boolean,
    source_table text,
    model_table text,
    id_col_name text,
    dependent_varname text,
    independent_varnames text,
    cat_features text,
    con_features text,
    grouping_cols text,
    num_trees integer,
    num_random_features integer,
    max_tree_depth integer,
    min_split integer,
    min_bucket integer,
    num_splits integer,
    "verbose" boolean,
    importance boolean,
    num_permutations integer,
    num_all_groups integer,
    num_failed_groups integer,
    total_rows_processed bigint,
    total_rows_skipped bigint,
    dependent_var_levels text[],
    dependent_var_type text,
    independent_var_types text,
    null_proxy text,
    sample_ratio double precision,
    sampling text,
    split_rule text,
    list_of_features text,
    list_of_features_to_exclude text,
    input_cp double precision,
    n_folds integer,
    madtree_version text,
    seed bigint,
    split_criterion text,
    weights text,
    max_depth integer,
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer
);

CREATE TABLE kept.forests_then (
    id integer,
    estimated_z double precision
);

CREATE TABLE kept.means (
    g integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
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

CREATE TABLE kept.means_refreshed (
    g integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text
);

CREATE TABLE kept.means_refreshed_nodes (
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

CREATE TABLE kept.means_refreshed_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    refreshed_model text,
    refresh_table text
);

CREATE TABLE kept.means_refreshed_then (
    id integer,
    estimated_z double precision
);

CREATE TABLE kept.means_statistics (
    feature text,
    kind text,
    place integer,
    low double precision,
    high double precision,
    category text,
    n bigint
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer
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

CREATE TABLE kept.my_models_then (
    name text,
    kind text,
    n_trees integer
);

CREATE TABLE kept.ordered (
    gid integer,
    sample_id integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    round integer,
    class text
);

CREATE TABLE kept.ordered_categories (
    gid integer,
    feature text,
    category text,
    n_rows bigint,
    weight double precision,
    total double precision,
    prior double precision,
    encoded double precision
);

CREATE TABLE kept.ordered_group (
    gid integer NOT NULL,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    impurity_var_importance double precision[],
    n_trees integer,
    n_rounds integer,
    base_score double precision[],
    loss_threshold double precision,
    n_rows bigint,
    n_held_out bigint,
    training_loss double precision,
    validation_loss double precision,
    message text
);

CREATE TABLE kept.ordered_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.ordered_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.ordered_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.ordered_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
                CASE
                    WHEN (((x.weight >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.weight < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.weight >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.weight >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.weight & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.weight & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.weight < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS weight,
                    ((('x'::text || encode("substring"(r.record, 65, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 77, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 81, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 84) + 1), 84) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 84) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.ordered_rounds (
    gid integer NOT NULL,
    round integer NOT NULL,
    training_loss double precision,
    validation_loss double precision
);

CREATE TABLE kept.ordered_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    loss text,
    num_trees integer,
    learning_rate double precision,
    l2_regularization double precision,
    min_gain double precision,
    subsample double precision,
    feature_fraction double precision,
    cat_smooth double precision,
    quantile double precision,
    cat_l2 double precision,
    max_cat_threshold integer,
    min_data_per_group integer,
    top_rate double precision,
    other_rate double precision,
    boost_method text,
    category_encoding text,
    prior_weight double precision,
    validation_fraction double precision,
    validation_table text,
    n_iter_no_change integer,
    tol double precision,
    correct_prior boolean,
    monotone text,
    interaction_constraints text
);

CREATE TABLE kept.ordered_then (
    id integer,
    raw_b double precision
);

CREATE TABLE kept.shares_then (
    id integer,
    estimated_prob_early double precision,
    "estimated_prob_in time" double precision,
    estimated_prob_late double precision
);

CREATE TABLE kept.sure (
    gid integer,
    sample_id integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    round integer,
    class text
);

CREATE TABLE kept.sure_calibrated (
    gid integer,
    sample_id integer,
    cat_levels_in_text text[],
    cat_n_levels integer[],
    impurity_var_importance double precision[],
    tree_depth integer,
    pruning_cp double precision,
    tree_id integer NOT NULL,
    n_rows bigint,
    n_nodes integer,
    n_leaves integer,
    root_risk double precision,
    success boolean,
    message text,
    round integer,
    class text
);

CREATE TABLE kept.sure_calibrated_group (
    gid integer NOT NULL,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    impurity_var_importance double precision[],
    n_trees integer,
    n_rounds integer,
    base_score double precision[],
    loss_threshold double precision,
    n_rows bigint,
    n_held_out bigint,
    training_loss double precision,
    validation_loss double precision,
    message text,
    point_scores double precision[],
    point_probabilities double precision[]
);

CREATE TABLE kept.sure_calibrated_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.sure_calibrated_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.sure_calibrated_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.sure_calibrated_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
                CASE
                    WHEN (((x.weight >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.weight < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.weight >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.weight >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.weight & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.weight & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.weight < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS weight,
                    ((('x'::text || encode("substring"(r.record, 65, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 77, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 81, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 84) + 1), 84) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 84) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.sure_calibrated_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    loss text,
    num_trees integer,
    learning_rate double precision,
    l2_regularization double precision,
    min_gain double precision,
    subsample double precision,
    feature_fraction double precision,
    cat_smooth double precision,
    quantile double precision,
    cat_l2 double precision,
    max_cat_threshold integer,
    min_data_per_group integer,
    top_rate double precision,
    other_rate double precision,
    boost_method text,
    category_encoding text,
    prior_weight double precision,
    validation_fraction double precision,
    validation_table text,
    n_iter_no_change integer,
    tol double precision,
    correct_prior boolean,
    monotone text,
    interaction_constraints text,
    calibration text,
    calibrated_model text,
    calibration_table text
);

CREATE TABLE kept.sure_calibrated_then (
    id integer,
    estimated_prob_false double precision,
    estimated_prob_true double precision
);

CREATE TABLE kept.sure_group (
    gid integer NOT NULL,
    success boolean,
    cat_n_levels integer[],
    cat_levels_in_text text[],
    impurity_var_importance double precision[],
    n_trees integer,
    n_rounds integer,
    base_score double precision[],
    loss_threshold double precision,
    n_rows bigint,
    n_held_out bigint,
    training_loss double precision,
    validation_loss double precision,
    message text
);

CREATE TABLE kept.sure_packed (
    tree_id integer NOT NULL,
    category_sets text[],
    nodes bytea
);
ALTER TABLE ONLY kept.sure_packed ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE VIEW kept.sure_nodes AS
 SELECT t.tree_id,
    n.node_id,
    n.parent_id,
    n.depth,
    n.is_leaf,
    ('{x,k}'::text[])[n.feature] AS feature,
    n.threshold,
    n.left_levels,
    n.majority_left,
    n.n_rows,
    n.weight,
    n.impurity,
    n.risk,
    n.complexity,
    n.improvement,
    n.prediction,
    n.class_weights,
    n.right_levels
   FROM (kept.sure_packed t
     CROSS JOIN LATERAL ( SELECT x.node_id,
                CASE
                    WHEN (x.node_id > 0) THEN ((x.node_id - 1) / 2)
                    ELSE NULL::bigint
                END AS parent_id,
                CASE
                    WHEN (x.node_id < '9223372036854775807'::bigint) THEN (length(ltrim((((x.node_id + 1))::bit(64))::text, '0'::text)) - 1)
                    ELSE NULL::integer
                END AS depth,
            (x.feature = 0) AS is_leaf,
            abs(GREATEST(x.feature, '-2147483647'::integer)) AS feature,
                CASE
                    WHEN (((x.threshold >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.threshold < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.threshold >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.threshold >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.threshold & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.threshold & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.threshold < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS threshold,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[(x.categories + 1):(x.categories + x.n_left)]
                    ELSE NULL::text[]
                END AS left_levels,
                CASE
                    WHEN (x.feature <> 0) THEN (x.feature > 0)
                    ELSE NULL::boolean
                END AS majority_left,
            x.n_rows,
                CASE
                    WHEN (((x.weight >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.weight < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.weight >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.weight >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.weight & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.weight & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.weight < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS weight,
                CASE
                    WHEN (((x.impurity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.impurity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.impurity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.impurity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.impurity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.impurity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.impurity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS impurity,
                CASE
                    WHEN (((x.risk >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.risk < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.risk >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.risk >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.risk & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.risk & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.risk < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS risk,
                CASE
                    WHEN (((x.complexity >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.complexity < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.complexity >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.complexity >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.complexity & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.complexity & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.complexity < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS complexity,
                CASE
                    WHEN (((x.improvement >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.improvement < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.improvement >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.improvement >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.improvement & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.improvement & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.improvement < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS improvement,
                CASE
                    WHEN (((x.prediction >> 52) & (2047)::bigint) < 2047) THEN ((
                    CASE
                        WHEN (x.prediction < 0) THEN '-1'::double precision
                        ELSE '1'::double precision
                    END * power('2'::double precision, ((GREATEST(((x.prediction >> 52) & (2047)::bigint), (1)::bigint) - (1023)::bigint))::double precision)) * (
                    CASE
                        WHEN (((x.prediction >> 52) & (2047)::bigint) = 0) THEN '0'::double precision
                        ELSE '1'::double precision
                    END + (((x.prediction & '4503599627370495'::bigint))::double precision / ('4503599627370496'::bigint)::double precision)))
                    WHEN ((x.prediction & '4503599627370495'::bigint) = 0) THEN
                    CASE
                        WHEN (x.prediction < 0) THEN '-Infinity'::double precision
                        ELSE 'Infinity'::double precision
                    END
                    ELSE NULL::double precision
                END AS prediction,
            NULL::double precision[] AS class_weights,
                CASE
                    WHEN ((x.categories >= 0) AND (x.n_left >= 0) AND (x.n_right >= 0) AND ((((x.categories)::bigint + x.n_left) + x.n_right) <= cardinality(x.category_sets))) THEN x.category_sets[((x.categories + x.n_left) + 1):((x.categories + x.n_left) + x.n_right)]
                    ELSE NULL::text[]
                END AS right_levels
           FROM ( SELECT r.record,
                    r.category_sets,
                    ((('x'::text || encode("substring"(r.record, 1, 8), 'hex'::text)))::bit(64))::bigint AS node_id,
                    ((('x'::text || encode("substring"(r.record, 9, 4), 'hex'::text)))::bit(32))::bigint AS n_rows,
                    ((('x'::text || encode("substring"(r.record, 13, 4), 'hex'::text)))::bit(32))::integer AS feature,
                    ((('x'::text || encode("substring"(r.record, 17, 8), 'hex'::text)))::bit(64))::bigint AS prediction,
                    ((('x'::text || encode("substring"(r.record, 25, 8), 'hex'::text)))::bit(64))::bigint AS threshold,
                    ((('x'::text || encode("substring"(r.record, 33, 8), 'hex'::text)))::bit(64))::bigint AS improvement,
                    ((('x'::text || encode("substring"(r.record, 41, 8), 'hex'::text)))::bit(64))::bigint AS impurity,
                    ((('x'::text || encode("substring"(r.record, 49, 8), 'hex'::text)))::bit(64))::bigint AS complexity,
                    ((('x'::text || encode("substring"(r.record, 57, 8), 'hex'::text)))::bit(64))::bigint AS weight,
                    ((('x'::text || encode("substring"(r.record, 65, 8), 'hex'::text)))::bit(64))::bigint AS risk,
                    ((('x'::text || encode("substring"(r.record, 73, 4), 'hex'::text)))::bit(32))::integer AS categories,
                    ((('x'::text || encode("substring"(r.record, 77, 4), 'hex'::text)))::bit(32))::integer AS n_left,
                    ((('x'::text || encode("substring"(r.record, 81, 4), 'hex'::text)))::bit(32))::integer AS n_right
                   FROM ( SELECT "substring"(b.nodes, ((i.number * 84) + 1), 84) AS record,
                            b.category_sets
                           FROM (( SELECT (t.nodes || '\x'::bytea) AS nodes,
                                    array_cat(t.category_sets, ARRAY[]::text[]) AS category_sets
                                 OFFSET 0) b
                             CROSS JOIN LATERAL generate_series(0, ((octet_length(b.nodes) / 84) - 1)) i(number))
                         OFFSET 0) r
                 OFFSET 0) x
         OFFSET 0) n);

CREATE TABLE kept.sure_rounds (
    gid integer NOT NULL,
    round integer NOT NULL,
    training_loss double precision,
    validation_loss double precision
);

CREATE TABLE kept.sure_summary (
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
    trained_at timestamp with time zone,
    dependent_name text,
    grouping_expressions text[],
    max_leaf_nodes integer,
    min_impurity_decrease double precision,
    class_params text,
    exposure text,
    shrink double precision,
    feature_costs text,
    max_competitors integer,
    loss text,
    num_trees integer,
    learning_rate double precision,
    l2_regularization double precision,
    min_gain double precision,
    subsample double precision,
    feature_fraction double precision,
    cat_smooth double precision,
    quantile double precision,
    cat_l2 double precision,
    max_cat_threshold integer,
    min_data_per_group integer,
    top_rate double precision,
    other_rate double precision,
    boost_method text,
    category_encoding text,
    prior_weight double precision,
    validation_fraction double precision,
    validation_table text,
    n_iter_no_change integer,
    tol double precision,
    correct_prior boolean,
    monotone text,
    interaction_constraints text
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

INSERT INTO kept."between" VALUES
	(1, 1, NULL, NULL, '{453436.05507766997,140160.3377309942,25.184472696687596}', 3, -1, 1, 138, 15, 8, 918897.4041304347, true, NULL, 3721.2559821394984),
	(1, 2, NULL, NULL, '{110162.02538509746,76830.35479321492,9712.39387716857}', 3, -1, 2, 116, 15, 8, 675344.3719827586, true, NULL, 5007.945355726458),
	(1, 3, NULL, NULL, '{123071.83895597082,161189.6118152174,1934.1971658595592}', 3, -1, 3, 119, 15, 8, 736239.6914285714, true, NULL, 5014.124009485222);

INSERT INTO kept.between_group VALUES
	(1, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', 5014.124009485222, '{1862.9609049037217,714.1228690262146,-436.74586562301414}', '{228889.9731395794,126060.10144647548,3890.591838574939}', 0.14756276669771196, '{1092.3203682421686,697.0989779992681,697.2120785061536}', 3, NULL);

INSERT INTO kept.between_outcomes VALUES
	(1, '{66.30000000000001,120.2,100.4,316.6,11.8,139.2,137,180.8}'),
	(2, '{0.9,91.5,11.8,54,99.89999999999999,146.4,45.6,100.4}'),
	(3, '{49.5,62.4,325,180.8,131.4,0.6,6.2,316.6}');

INSERT INTO kept.between_packed VALUES
	(1, '{true,false,green,"it''s \\odd",blue,red,green,blue,"it''s \\odd",red}', '\x00000000000000000000008a00000003405d3a0473c1ab697ff800000000000040392f399a47473540ba02ad457c75fa3fc1483d8fa48ea1412c0ae2ceea2f31000000000000000100000001000000000000000100000060fffffffe405d27eeeeeeeeef7ff800000000000040f499ab5d11fa1840b9ca93fc83fb713fc1483d8fa48ea1412357eefd62fc9500000002000000020000000200000000000000020000002a00000001405d635a35a35a36404bb9999999999a4101150e50d7943640ba824d8f79e1ac3fc1483d8fa48ea141116582e627fc19ffffffff0000000000000000000000000000000300000024000000014054b3e93e93e93e404b66666666666640ebc773c96b8daf40acb5ab74f032903fb23ba63f9491834100263071c71c71ffffffff000000000000000000000000000000040000003c0000000140611d2c5f92c5f940536ccccccccccc410e3c5d293355b740bc5da5cf7c33253fc1483d8fa48ea1411a97cb72846ff3ffffffff0000000000000000000000000000000500000017ffffffff404e1f2a4bafdc62402980000000000040c16980466c26164091321a8ee53a973f7ebdcedb6e9f7940d8b8062d698439ffffffff0000000000000000000000000000000600000013fffffffe40675da46102b1da7ff800000000000040eb3cb4148d46ad40b3109949b8ea6a3faf14b85b02438340f6a3b6078b965e0000000600000001000000030000000000000007000000140000000040465666666666667ff80000000000007ff8000000000000408fc451a9fbe76bbff000000000000040d3dab30a3d70a3ffffffff00000000000000000000000000000008000000100000000040604f66666666667ff80000000000007ff800000000000040a6b69d947ae147bff000000000000040e6b69d947ae147ffffffff000000000000000000000000000000090000002e00000000405916f4de9bd37a7ff80000000000007ff800000000000040a665b31b0ac831bff000000000000041001918bb6fbfe3ffffffff0000000000000000000000000000000a0000000e000000004070103a83a83a837ff80000000000007ff800000000000040a68de706e575a7bff000000000000040e3bc2a2608c6f2ffffffff0000000000000000000000000000000b0000000300000000402f1111111111117ff80000000000007ff8000000000000403be02468acf135bff00000000000004054e81b4e81b4e8ffffffff0000000000000000000000000000000c00000014000000004050bccccccccccc7ff80000000000007ff8000000000000408ca4c5a1cac082bff000000000000040d1e6fb851eb851ffffffff0000000000000000000000000000000d000000040000000040548000000000007ff80000000000007ff80000000000004042600000000000bff00000000000004062600000000000ffffffff0000000000000000000000000000000e0000000f00000000406add0369d0369d7ff80000000000007ff800000000000040a32b0882b539abbff000000000000040e1f857fa89e610ffffffff0000000000000000'),
	(2, '{false,true,green,blue,"it''s \\odd",red,green,"it''s \\odd",blue,red,blue,"it''s \\odd",red,red,blue}', '\x000000000000000000000074fffffffd4059078f01c3f8f07ff800000000000040c2f8326a912ad340b6bdef2a6eec563fb5204740e5662641249c20be74862e00000000000000010000000100000000000000010000002efffffffe40563525d7ee30f97ff800000000000040d879babdcf2c6440b1861c7ab9a2e43fa27eef5c4d53f3410930c8f06ada2800000002000000010000000300000000000000020000004600000002405ae249249249257ff800000000000040e500af837c6c8d40b9a10325d347443fb5204740e56626411c081b715f15f200000006000000020000000200000000000000030000000dffffffff404a11b91b91b91c4029cccccccccccc40cd04f94556e4cb40956621ee6dabc53f8f0ccc03e82f1c40d162fb91b91b90ffffffff0000000000000000000000000000000400000021000000024059d23af523af527ff800000000000040a69613001585be40b36e9027917e983f7557483583a68241040a04a8ce0a8d0000000a000000020000000100000000000000050000002e000000014055d50239e0d5b5404c19999999999a40f744813f4f579d40b091fea078ca163fb5204740e566264107d1de06ada280ffffffff00000000000000000000000000000006000000180000000240624888888888897ff800000000000040b6e6ea408f8e1640c109871c71c71d3f81c789e4521c8a41098e4aaaaaaaab0000000d0000000100000001000000000000000700000003000000003feccccccccccccd7ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff000000000000000000000000000000080000000a000000004050e0a3d70a3d707ff80000000000007ff80000000000004087a3f58e219652bff000000000000040bd8cf2f1a9fbe7ffffffff00000000000000000000000000000009000000130000000040579af286bca1b07ff80000000000007ff800000000000040b3242b4594b89cbff000000000000040f6baf362a09b39ffffffff0000000000000000000000000000000a0000000e00000000405cd41d41d41d417ff80000000000007ff800000000000040b2d83151b6056fbff000000000000040f07d2b277f44c1ffffffff0000000000000000000000000000000b0000001d000000004049936bb25136bb7ff80000000000007ff80000000000004091d1ecaa1f7039bff000000000000040e0263e7a2c7db4ffffffff0000000000000000000000000000000c00000011000000004062a151515151517ff80000000000007ff800000000000040ab47895f350ae0bff000000000000040ecfc01f5285b8effffffff0000000000000000000000000000000d0000000e000000004060a1d41d41d41d7ff80000000000007ff800000000000040b2e92245cc974dbff000000000000040f08bfdfd130463ffffffff0000000000000000000000000000000e0000000a0000000040649851eb851eb87ff80000000000007ff800000000000040ca81ba29c779a6bff0000000000000410091145a1cac08ffffffff0000000000000000'),
	(3, '{false,true,green,"it''s \\odd",blue,red,green,"it''s \\odd",blue,red,blue,green,"it''s \\odd",red,green,"it''s \\odd",red,blue}', '\x000000000000000000000077fffffffd405df6db6db6db6d7ff8000000000000409e38c9e5d8dac740b82ae35eaaf1ff3fb2f037095bdc9c412677df6202ecfb00000000000000010000000100000000000000010000003bffffffff405cf2a85a40378a4041c0000000000040fe0bfd6c5d189740b0efff283ec3873fb2f037095bdc9c410f3a7e7233b880ffffffff000000000000000000000000000000020000003cfffffffe405ef6b851eb851e7ff800000000000040e862e27437195740bf26b1def57ca73f9e02f32e5705a1411d3446c10624dd00000002000000020000000200000000000000030000000e000000024043b8af8af8af8b7ff800000000000040acbd006d3a06d6408303b02b77becd3f6e3f82280464fc40c0a33a2608c6f300000006000000020000000200000000000000040000002d000000024061716c16c16c177ff800000000000040f76950e666666840a85bf06cd276b03fb2f037095bdc9c410120a50c83fb740000000a0000000200000002000000000000000500000016fffffffe405982e8ba2e8ba37ff800000000000040c434f2bc8a456540b7b3c54a0cb1b93f8cc77a39d441a741004b97a2e8ba2f0000000e00000001000000010000000000000006000000260000000240610f691840ac767ff80000000000004094c453a06d3a0140c0e1f25080708d3f9e02f32e5705a141140c4fbf9885a800000010000000010000000100000000000000070000000800000000403b6000000000007ff80000000000007ff800000000000040860c1333333332bff000000000000040b60c1333333332ffffffff000000000000000000000000000000080000000600000000404bc444444444457ff80000000000007ff80000000000004039fb72ea61d94cbff000000000000040637c962fc962f9ffffffff0000000000000000000000000000000900000019000000004058d126e978d4fe7ff80000000000007ff80000000000004086b7a8b4bf8fcdbff000000000000040d1bf7bcd35a858ffffffff0000000000000000000000000000000a00000014000000004067bc7ae147ae157ff80000000000007ff80000000000004098214793dd97f6bff000000000000040de299978d4fdf3ffffffff0000000000000000000000000000000b0000000a000000004053928f5c28f5c27ff80000000000007ff8000000000000408a37e52bd3c360bff000000000000040c062ef3b645a1cffffffff0000000000000000000000000000000c0000000c00000000405e75ddddddddde7ff80000000000007ff800000000000040c2ad7759e26af4bff000000000000040fc043306d3a06effffffff0000000000000000000000000000000d0000001a00000000405d9fc0fc0fc0fb7ff80000000000007ff800000000000040b70bba94b12b8fbff00000000000004102b98798cff364ffffffff0000000000000000000000000000000e0000000c000000004065ee66666666667ff80000000000007ff800000000000040c82917258bf258bff000000000000041021ed15c28f5c2ffffffff0000000000000000');

INSERT INTO kept.between_summary VALUES
	('forest_train', false, 'kept.rows', 'kept.between', 'id', 'z', 'x,k,b', 'k,b', 'x', NULL, 3, 1, 3, 5, 1, 100, false, true, 1, 1, 0, 120, 0, NULL, 'double precision', 'double precision, text, boolean', NULL, 1, 'poisson', 'best', 'x, k, b', 'None', -1, 0, '1.0.0', 1, 'mse', NULL, 3, 100, 0, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:49.663191+00', 'z', '{}', NULL, 0, NULL, NULL, NULL, NULL, 0);

INSERT INTO kept.between_then VALUES
	(1, 166.40590643274854, 28.699999999999996, 180.8),
	(2, 199.07476190476189, 122.02000000000001, 316.6),
	(3, 119.2708088235294, 121.32000000000001, 144.9),
	(4, 117.30399745182353, 10.139999999999999, 94.92),
	(5, 166.40590643274854, 28.699999999999996, 180.8),
	(6, 86.8796842105263, 24.54, 306.41999999999996),
	(7, 90.00219121208626, 15.569999999999997, 100.35000000000001),
	(8, 117.30399745182353, 10.139999999999999, 94.92),
	(9, 72.55613026819923, 7.17, 96.53999999999999),
	(10, 72.3014619883041, 16.86, 131.51999999999998),
	(11, 77.90933333333332, 96.27, 306.41999999999996),
	(12, 117.30399745182353, 10.139999999999999, 94.92),
	(13, 133.78803104575164, 12.559999999999999, 143.78),
	(14, 174.85053867700924, 20.22, 299.58),
	(15, 82.926, 96.05, 306.2),
	(16, 173.37031746031747, 66.67999999999999, 180.8),
	(17, 133.78803104575164, 12.559999999999999, 143.78),
	(18, 146.85623188405796, 100.4, 294.98),
	(19, 58.038908045977, 69.66000000000001, 128.25),
	(20, 124.05142857142857, 62.519999999999996, 176.64000000000001),
	(21, 62.915350877192985, 15.57, 130.23),
	(22, 146.85623188405796, 100.4, 294.98),
	(23, 58.038908045977, 69.66000000000001, 128.25),
	(24, 117.30399745182353, 10.139999999999999, 94.92),
	(25, 166.40590643274854, 28.699999999999996, 180.8),
	(26, 136.1985730994152, 28.699999999999996, 310.58),
	(77, 90.00219121208626, 15.569999999999997, 100.35000000000001),
	(27, 119.2708088235294, 121.32000000000001, 144.9),
	(28, 122.63200865630533, 15.619999999999997, 141.8),
	(29, 133.78803104575164, 12.559999999999999, 143.78),
	(30, 136.1985730994152, 28.699999999999996, 310.58),
	(31, 77.90933333333332, 96.27, 306.41999999999996),
	(32, 117.30399745182353, 10.139999999999999, 94.92),
	(33, 72.55613026819923, 7.17, 96.53999999999999),
	(34, 146.85623188405796, 100.4, 294.98),
	(35, 62.915350877192985, 15.57, 130.23),
	(36, 62.12698412698413, 16.02, 61.559999999999995),
	(37, 72.55613026819923, 7.17, 96.53999999999999),
	(38, 199.07476190476189, 122.02000000000001, 316.6),
	(39, 119.2708088235294, 121.32000000000001, 144.9),
	(40, 173.37031746031747, 66.67999999999999, 180.8),
	(41, 166.40590643274854, 28.699999999999996, 180.8),
	(42, 122.63200865630533, 15.619999999999997, 141.8),
	(43, 58.038908045977, 69.66000000000001, 128.25),
	(44, 117.30399745182353, 10.139999999999999, 94.92),
	(45, 62.915350877192985, 15.57, 130.23),
	(46, 72.3014619883041, 16.86, 131.51999999999998),
	(47, 58.038908045977, 69.66000000000001, 128.25),
	(48, 117.30399745182353, 10.139999999999999, 94.92),
	(49, 90.00219121208626, 15.569999999999997, 100.35000000000001),
	(50, 136.1985730994152, 28.699999999999996, 310.58),
	(51, 82.926, 96.05, 306.2),
	(52, 169.52252747252746, 10.139999999999999, 289.5),
	(53, 133.78803104575164, 12.559999999999999, 143.78),
	(54, 146.85623188405796, 100.4, 294.98),
	(55, 77.90933333333332, 96.27, 306.41999999999996),
	(56, 86.8796842105263, 24.54, 306.41999999999996),
	(57, 72.55613026819923, 7.17, 96.53999999999999),
	(58, 146.85623188405796, 100.4, 294.98),
	(59, 58.038908045977, 69.66000000000001, 128.25),
	(60, 79.265873015873, 54.839999999999996, 131.51999999999998),
	(61, 45.7764619883041, 11.8, 45.73),
	(62, 199.07476190476189, 122.02000000000001, 316.6),
	(63, 174.85053867700924, 20.22, 299.58),
	(64, 169.52252747252746, 10.139999999999999, 289.5),
	(65, 166.40590643274854, 28.699999999999996, 180.8),
	(66, 86.8796842105263, 24.54, 306.41999999999996),
	(67, 119.2708088235294, 121.32000000000001, 144.9),
	(68, 117.30399745182353, 10.139999999999999, 94.92),
	(69, 72.55613026819923, 7.17, 96.53999999999999),
	(70, 62.915350877192985, 15.57, 130.23),
	(71, 53.94499999999999, 53.7, 134.42999999999998),
	(72, 117.30399745182353, 10.139999999999999, 94.92),
	(73, 72.55613026819923, 7.17, 96.53999999999999),
	(74, 146.85623188405796, 100.4, 294.98),
	(75, 82.926, 96.05, 306.2),
	(76, 173.37031746031747, 66.67999999999999, 180.8),
	(78, 146.85623188405796, 100.4, 294.98),
	(79, 119.2708088235294, 121.32000000000001, 144.9),
	(80, 124.05142857142857, 62.519999999999996, 176.64000000000001),
	(81, 117.08701754385966, 24.54, 176.64000000000001),
	(82, 146.85623188405796, 100.4, 294.98),
	(83, 58.038908045977, 69.66000000000001, 128.25),
	(84, 90.00219121208626, 15.569999999999997, 100.35000000000001),
	(85, 45.7764619883041, 11.8, 45.73),
	(86, 55.162573099415205, 11.8, 57.339999999999996),
	(87, 119.2708088235294, 121.32000000000001, 144.9),
	(88, 117.30399745182353, 10.139999999999999, 94.92),
	(89, 133.78803104575164, 12.559999999999999, 143.78),
	(90, 136.1985730994152, 28.699999999999996, 310.58),
	(91, 136.1985730994152, 28.699999999999996, 310.58),
	(92, 117.30399745182353, 10.139999999999999, 94.92),
	(93, 72.55613026819923, 7.17, 96.53999999999999),
	(94, 146.85623188405796, 100.4, 294.98),
	(95, 53.94499999999999, 53.7, 134.42999999999998),
	(96, 79.265873015873, 54.839999999999996, 131.51999999999998),
	(97, 72.55613026819923, 7.17, 96.53999999999999),
	(98, 90.00219121208626, 15.569999999999997, 100.35000000000001),
	(99, 58.038908045977, 69.66000000000001, 128.25),
	(100, 173.37031746031747, 66.67999999999999, 180.8),
	(101, 166.40590643274854, 28.699999999999996, 180.8),
	(102, 146.85623188405796, 100.4, 294.98),
	(103, 119.2708088235294, 121.32000000000001, 144.9),
	(104, 117.30399745182353, 10.139999999999999, 94.92),
	(105, 86.8796842105263, 24.54, 306.41999999999996),
	(106, 86.8796842105263, 24.54, 306.41999999999996),
	(107, 58.038908045977, 69.66000000000001, 128.25),
	(108, 117.30399745182353, 10.139999999999999, 94.92),
	(109, 72.55613026819923, 7.17, 96.53999999999999),
	(110, 86.8796842105263, 24.54, 306.41999999999996),
	(111, 14.60277777777778, 1.9899999999999998, 45.73),
	(112, 174.85053867700924, 20.22, 299.58),
	(113, 133.78803104575164, 12.559999999999999, 143.78),
	(114, 146.85623188405796, 100.4, 294.98),
	(115, 82.926, 96.05, 306.2),
	(116, 173.37031746031747, 66.67999999999999, 180.8),
	(117, 72.55613026819923, 7.17, 96.53999999999999),
	(118, 146.85623188405796, 100.4, 294.98),
	(119, 90.00219121208626, 15.569999999999997, 100.35000000000001),
	(120, 79.265873015873, 54.839999999999996, 131.51999999999998);

INSERT INTO kept.boosted VALUES
	(1, 1, NULL, NULL, '{33.41264204545417,53.02201704545396,29.090909090908767}', 3, -1, 1, 120, 9, 5, 0, true, NULL, 1, 'early'),
	(1, 2, NULL, NULL, '{22.725235320484607,43.119677274765664,42.68041237113499}', 3, -1, 2, 120, 9, 5, 0, true, NULL, 1, 'in time'),
	(1, 3, NULL, NULL, '{38.12231404958727,81.87768595041426,0}', 2, -1, 3, 120, 7, 4, 0, true, NULL, 1, 'late'),
	(1, 4, NULL, NULL, '{19.53584251977689,31.535445634188363,22.063662371880987}', 3, -1, 4, 120, 9, 5, 0, true, NULL, 2, 'early'),
	(1, 5, NULL, NULL, '{10.640936275670986,20.648475349506796,30.065841492724175}', 3, -1, 5, 120, 9, 5, 0, true, NULL, 2, 'in time'),
	(1, 6, NULL, NULL, '{26.789895325010857,52.24472653036725,0}', 3, -1, 6, 120, 9, 5, 0, true, NULL, 2, 'late'),
	(1, 7, NULL, NULL, '{13.101923368135335,21.40709443989628,17.1177017262194}', 3, -1, 7, 120, 9, 5, 0, true, NULL, 3, 'early'),
	(1, 8, NULL, NULL, '{6.227642740350452,13.120552172136135,22.866230694271337}', 3, -1, 8, 120, 9, 5, 0, true, NULL, 3, 'in time'),
	(1, 9, NULL, NULL, '{19.567529026087144,38.73810610834347,0}', 3, -1, 9, 120, 9, 5, 0, true, NULL, 3, 'late');

INSERT INTO kept.boosted_group VALUES
	(1, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', '{190.12396067055772,355.7137805050721,163.88475774713967}', 9, 3, '{-0.1261365600751112,-0.45637824694568785,0.5825148070207993}', NULL, 120, 0, 0.458117082801546, NULL, NULL);

INSERT INTO kept.boosted_packed VALUES
	(1, '{true,false,blue,green,"it''s \\odd",red,red,blue,green,"it''s \\odd"}', '\x00000000000000000000007800000003bcfe8ba2e8ba2e2d7ff8000000000000403d1745d1745cbc0000000000000000000000000000000040377777777777c00000000000000000000000000000000100000001000000000000000100000048ffffffff3fb745d1745d15154047f9999999999a4040b4d1745d171100000000000000000000000000000000402c28f5c28f5c800000000000000000ffffffff000000000000000000000000000000020000003000000000bfc1745d1745d2337ff80000000000007ff8000000000000000000000000000000000000000000004022c5f92c5f93000000000000000000ffffffff0000000000000000000000000000000300000020000000023fd0d745d1745c697ff8000000000000403bf71745d1740600000000000000000000000000000000401907f6e5d4c4000000000000000000000000020000000300000001000000000000000400000028fffffffebfa80000000003887ff800000000000040390e8ba2e8b9e000000000000000000000000000000000401f49f49f49f5000000000000000000000000060000000100000003000000000000000700000019000000003fd7ffffffffff3c7ff80000000000007ff80000000000000000000000000000000000000000000040138e38e38e39200000000000000000ffffffff000000000000000000000000000000080000000700000000bfc1745d1745d2337ff80000000000007ff8000000000000000000000000000000000000000000003ff5e6f8091a2b800000000000000000ffffffff0000000000000000000000000000000900000008000000003fd3e8ba2e8ba2317ff80000000000007ff8000000000000000000000000000000000000000000003ff907f6e5d4c4000000000000000000ffffffff0000000000000000000000000000000a0000002000000000bfc1745d1745d2337ff80000000000007ff800000000000000000000000000000000000000000000401907f6e5d4c4000000000000000000ffffffff0000000000000000'),
	(2, '{false,true,blue,green,"it''s \\odd",red,red,blue,green,"it''s \\odd"}', '\x000000000000000000000078fffffffd3ce60808430319af7ff800000000000040455717c0a8e8c80000000000000000000000000000000040329777777777000000000000000000000000000000000100000001000000000000000100000030ffffffff3fc7c0a8e83f5809404b4000000000004036b9a9059f62ae00000000000000000000000000000000401dbf258bf258000000000000000000ffffffff000000000000000000000000000000020000004800000000bfbfab8be054743c7ff80000000000007ff80000000000000000000000000000000000000000000040264f5c28f5c2000000000000000000ffffffff0000000000000000000000000000000300000018000000023fd71068a6273f107ff80000000000004031921296c6f8fc00000000000000000000000000000000400dbf258bf258000000000000000000000000020000000300000001000000000000000400000018fffffffe3f86080843031f317ff800000000000040398c9094b6386800000000000000000000000000000000400dbf258bf258000000000000000000000000060000000100000003000000000000000700000012000000003fdf18aba940606d7ff80000000000007ff80000000000000000000000000000000000000000000040064f5c28f5c2000000000000000000ffffffff000000000000000000000000000000080000000600000000bf908606324250837ff80000000000007ff8000000000000000000000000000000000000000000003fedbf258bf258000000000000000000ffffffff0000000000000000000000000000000900000005000000003fe0b21642c8598d7ff80000000000007ff8000000000000000000000000000000000000000000003fe8c9f49f49f4000000000000000000ffffffff0000000000000000000000000000000a0000001300000000bfbfab8be054743c7ff80000000000007ff80000000000000000000000000000000000000000000040078ca8641fdb000000000000000000ffffffff0000000000000000'),
	(3, '{red,blue,green,"it''s \\odd",blue,green,"it''s \\odd",red}', '\x000000000000000000000078ffffffff3cf12f9e9cd28795404939999999999a40430fa7fc9d68c900000000000000000000000000000000403dcaaaaaaaaa400000000000000000ffffffff0000000000000000000000000000000100000037fffffffebfbf7b4d9a9d93377ff80000000000004043fe4eb44202d100000000000000000000000000000000402b4f1c71c71c100000000000000000000000000000000100000003000000000000000200000041000000023fbaa3690cacb9a07ff80000000000004044f2094f20953d000000000000000000000000000000004030231c71c71c38000000000000000000000004000000030000000100000000000000030000000d000000003fc7a17a17a17af67ff80000000000007ff8000000000000000000000000000000000000000000004009d1c71c71c6c00000000000000000ffffffff000000000000000000000000000000040000002a00000000bfcbed61bed61bc87ff80000000000007ff8000000000000000000000000000000000000000000004024daaaaaaaaa600000000000000000ffffffff0000000000000000000000000000000500000034000000003fc7a17a17a17af67ff80000000000007ff8000000000000000000000000000000000000000000004029d1c71c71c6c00000000000000000ffffffff000000000000000000000000000000060000000d00000000bfcbed61bed61bc87ff80000000000007ff8000000000000000000000000000000000000000000004009d1c71c71c6c00000000000000000ffffffff0000000000000000'),
	(4, '{true,false,blue,green,"it''s \\odd",red,red,blue,green,"it''s \\odd"}', '\x00000000000000000000007800000003bf53d1d8a0eab1d07ff80000000000004036104c2d5d36f2000000000000000000000000000000004036f7a6ef88f5820000000000000000000000000000000100000001000000000000000100000048ffffffff3fb2d54481eee4b74047f9999999999a4033892cf9b23f7b00000000000000000000000000000000402d08ef650423900000000000000000ffffffff000000000000000000000000000000020000003000000000bfc0995741f541c77ff80000000000007ff8000000000000000000000000000000000000000000004020e65e7a0dc7740000000000000000ffffffff0000000000000000000000000000000300000020000000023fc879d15558f5fa7ff8000000000000402d948e549b66b000000000000000000000000000000000401ca0200c1f44c80000000000000000000000020000000300000001000000000000000400000028fffffffebfa4e55c0b3e00237ff80000000000004030becbccc1eca800000000000000000000000000000000401d71bebde902580000000000000000000000060000000100000003000000000000000700000019000000003fd0608321c6d0e67ff80000000000007ff8000000000000000000000000000000000000000000004017ceaf25699cf80000000000000000ffffffff000000000000000000000000000000080000000700000000bfc06d9db2499e797ff80000000000007ff8000000000000000000000000000000000000000000003ff345c39ad69f400000000000000000ffffffff0000000000000000000000000000000900000008000000003fcc0a8e0affaba57ff80000000000007ff8000000000000000000000000000000000000000000003ffdaca1586131600000000000000000ffffffff0000000000000000000000000000000a0000002000000000bfc06d9db2499e797ff80000000000007ff8000000000000000000000000000000000000000000004016069667d0b6000000000000000000ffffffff0000000000000000'),
	(5, '{false,true,blue,green,"it''s \\odd",red,red,blue,green,"it''s \\odd"}', '\x000000000000000000000078fffffffdbf5f42562574543f7ff8000000000000403e10dafcf1f85c0000000000000000000000000000000040325e6069e5b1400000000000000000000000000000000100000001000000000000000100000030ffffffff3fc185a80dfe85ae404b40000000000040254828ccada763000000000000000000000000000000004020e00a865562140000000000000000ffffffff000000000000000000000000000000020000004800000000bfbead6b6f87fd707ff80000000000007ff8000000000000000000000000000000000000000000004023dcb64d76006c0000000000000000ffffffff0000000000000000000000000000000300000018000000023fce1bd50c7d22d77ff8000000000000401ac44123e7c09e0000000000000000000000000000000040131a77314a92400000000000000000000000020000000300000001000000000000000400000018fffffffe3f81b1c0d375c2c57ff8000000000000402be9e46410e95900000000000000000000000000000000400d4b3bb6c063d00000000000000000000000060000000100000003000000000000000700000012000000003fd2b2015d4afbbb7ff80000000000007ff800000000000000000000000000000000000000000000400f09960611f1600000000000000000ffffffff000000000000000000000000000000080000000600000000bf86a943812ae9b37ff80000000000007ff8000000000000000000000000000000000000000000003fecad61720ccc800000000000000000ffffffff0000000000000000000000000000000900000005000000003fd3a424adfd0f457ff80000000000007ff8000000000000000000000000000000000000000000003ff192d953fe63400000000000000000ffffffff0000000000000000000000000000000a0000001300000000bfbe80f3b35719ea7ff80000000000007ff800000000000000000000000000000000000000000000400481cf0cc132300000000000000000ffffffff0000000000000000'),
	(6, '{red,blue,green,"it''s \\odd",blue,green,"it''s \\odd",red}', '\x000000000000000000000078ffffffff3f61c89e506045134048866666666666403a523e58fa956900000000000000000000000000000000403cf1313a1cd27a0000000000000000ffffffff0000000000000000000000000000000100000035fffffffebfba928b6bd82af87ff80000000000004039ef21d3d815fa000000000000000000000000000000004029e6d62c2f91ec0000000000000000000000000000000100000003000000000000000200000043000000023fb686a7a60dc9957ff8000000000000403a4f8492044e1800000000000000000000000000000000402ffb8c480a1308000000000000000000000004000000030000000100000000000000030000000c000000003fc4db79e74a58f77ff80000000000007ff8000000000000000000000000000000000000000000004006c12910d2fb800000000000000000ffffffff000000000000000000000000000000040000002900000000bfc6e535ef34e7847ff80000000000007ff8000000000000000000000000000000000000000000004024368be7fad30c0000000000000000ffffffff0000000000000000000000000000000500000035ffffffff3fc3e468d1f991ca404bcccccccccccd3fddfe0ee0667b7e0000000000000000000000000000000040290f660ab4618c0000000000000000ffffffff000000000000000000000000000000060000000e00000000bfc3f9d22fd1e6877ff80000000000007ff800000000000000000000000000000000000000000000400bb098f556c5f00000000000000000ffffffff0000000000000000000000000000000b00000005000000003fb8978143daab077ff80000000000007ff8000000000000000000000000000000000000000000003ff33ee9586b0e600000000000000000ffffffff0000000000000000000000000000000c00000030000000003fc4b2ea983ef3d47ff80000000000007ff8000000000000000000000000000000000000000000004026a788dfa6ffc00000000000000000ffffffff0000000000000000'),
	(7, '{true,false,blue,green,"it''s \\odd",red,red,blue,green,"it''s \\odd"}', '\x00000000000000000000007800000003bf5e6621534729aa7ff800000000000040311e21b348cb8a000000000000000000000000000000004035889af43b43320000000000000000000000000000000100000001000000000000000100000048ffffffff3fb028bc10de94634047f9999999999a402a342f4cb9adca00000000000000000000000000000000402c20c3215faec80000000000000000ffffffff000000000000000000000000000000020000003000000000bfbfcb480ec8efea7ff80000000000007ff800000000000000000000000000000000000000000000401de0e58e2daf380000000000000000ffffffff0000000000000000000000000000000300000020000000023fc3fbc99821e6e57ff80000000000004022e5157395fa6100000000000000000000000000000000401d2c185727fe300000000000000000000000020000000300000001000000000000000400000028fffffffebfa2f8356560c7ab7ff80000000000004027eb593b1d7f7500000000000000000000000000000000401b156deb975f600000000000000000000000060000000100000003000000000000000700000019000000003fc9f047c441c41c7ff80000000000007ff8000000000000000000000000000000000000000000004018fee8d142df480000000000000000ffffffff000000000000000000000000000000080000000700000000bfbf502127f45b547ff80000000000007ff8000000000000000000000000000000000000000000003ff0b4be17947ba00000000000000000ffffffff0000000000000000000000000000000900000008000000003fc5ba7d3662ee3a7ff80000000000007ff8000000000000000000000000000000000000000000003fffaa3c1d59a8600000000000000000ffffffff0000000000000000000000000000000a0000002000000000bfbf5995f04aeb8c7ff80000000000007ff80000000000000000000000000000000000000000000040132adee440f5480000000000000000ffffffff0000000000000000'),
	(8, '{false,true,blue,green,"it''s \\odd",red,red,blue,green,"it''s \\odd"}', '\x000000000000000000000078fffffffdbf61a02dfefe49637ff80000000000004036ddc14b76afd00000000000000000000000000000000040315da4a51d8fd40000000000000000000000000000000100000001000000000000000100000030ffffffff3fbcef9485db94e5404b4000000000004018e91b2db3e8760000000000000000000000000000000040214ce6474a7df00000000000000000ffffffff000000000000000000000000000000020000004800000000bfbdd0f1bd2197387ff80000000000007ff80000000000000000000000000000000000000000000040216e6302f0a1b80000000000000000ffffffff0000000000000000000000000000000300000018000000023fc747bc3009bca07ff8000000000000400d08a83ffd01ab000000000000000000000000000000004014dd520d9ac8200000000000000000000000020000000300000001000000000000000400000018fffffffe3f81525013f511947ff80000000000004022fb8ef3aa524000000000000000000000000000000000400b78f501f467800000000000000000000000060000000100000003000000000000000700000012000000003fcc068a7d7e17b77ff80000000000007ff80000000000000000000000000000000000000000000040116c4152077cf00000000000000000ffffffff000000000000000000000000000000080000000600000000bf77c0ed99f7111c7ff80000000000007ff8000000000000000000000000000000000000000000003feb8885dc9a59800000000000000000ffffffff0000000000000000000000000000000900000005000000003fcd9facc0e4419d7ff80000000000007ff8000000000000000000000000000000000000000000003ff3a18a3b39e7000000000000000000ffffffff0000000000000000000000000000000a0000001300000000bfbd911ad05eb7477ff80000000000007ff8000000000000000000000000000000000000000000004001a82fe45774000000000000000000ffffffff0000000000000000'),
	(9, '{red,blue,green,"it''s \\odd",blue,green,"it''s \\odd",red}', '\x000000000000000000000078ffffffff3f677cccb5d78c304048866666666666403334675edd320900000000000000000000000000000000403af7839613c59e0000000000000000ffffffff0000000000000000000000000000000100000035fffffffebfb73221bf8b3e687ff800000000000040333174de1d60340000000000000000000000000000000040283804142c2b0c0000000000000000000000000000000100000003000000000000000200000043000000023fb43cdbbf4b82487ff800000000000040338b7fa77eeff000000000000000000000000000000000402db70317fb6030000000000000000000000004000000030000000100000000000000030000000c000000003fc2fabdf30ac9327ff80000000000007ff80000000000000000000000000000000000000000000040050ecc0d6b35900000000000000000ffffffff000000000000000000000000000000040000002900000000bfc417303e2562997ff80000000000007ff8000000000000000000000000000000000000000000004022f45110d15da80000000000000000ffffffff0000000000000000000000000000000500000035000000003fc1fbb2c1a925157ff80000000000007ff800000000000000000000000000000000000000000000402716dc2cc20ed40000000000000000ffffffff000000000000000000000000000000060000000effffffffbfc1498a72fda05140500000000000003fd7388d8c584ac300000000000000000000000000000000400a809bace545700000000000000000ffffffff0000000000000000000000000000000d0000000500000000bfb75c3cc1a4e8e67ff80000000000007ff8000000000000000000000000000000000000000000003ff342860cc02ae00000000000000000ffffffff0000000000000000000000000000000e0000000900000000bfc47cce6b262d187ff80000000000007ff8000000000000000000000000000000000000000000004000df58a68530000000000000000000ffffffff0000000000000000');

INSERT INTO kept.boosted_rounds VALUES
	(1, 0, 1.0011993394555618, NULL),
	(1, 1, 0.7376209075054654, NULL),
	(1, 2, 0.5743174714095216, NULL),
	(1, 3, 0.458117082801546, NULL);

INSERT INTO kept.boosted_shares_then VALUES
	(1, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(2, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(3, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(4, 0.5434010000985038, 0.13532590756417728, 0.32127309233731893),
	(5, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(6, 0.11834231858244998, 0.34053690978349643, 0.5411207716340536),
	(7, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(8, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(9, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(10, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(11, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(12, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(13, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(14, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(15, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(16, 0.17170986662601442, 0.5262999937690294, 0.30199013960495624),
	(17, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(18, 0.1588051012532573, 0.11728314505969754, 0.7239117536870452),
	(19, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(20, 0.14379457520718958, 0.14772941463405137, 0.708476010158759),
	(21, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(22, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(23, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(24, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(25, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(26, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(77, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(27, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(28, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(29, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(30, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(31, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(32, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(33, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(34, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(35, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(36, 0.14379457520718958, 0.14772941463405137, 0.708476010158759),
	(37, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(38, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(39, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(40, 0.17170986662601442, 0.5262999937690294, 0.30199013960495624),
	(41, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(42, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(43, 0.1588051012532573, 0.11728314505969754, 0.7239117536870452),
	(44, 0.5434010000985038, 0.13532590756417728, 0.32127309233731893),
	(45, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(46, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(47, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(48, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(49, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(50, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(51, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(52, 0.5434010000985038, 0.13532590756417728, 0.32127309233731893),
	(53, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(54, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(55, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(56, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(57, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(58, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(59, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(60, 0.14379457520718958, 0.14772941463405137, 0.708476010158759),
	(61, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(62, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(63, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(64, 0.5434010000985038, 0.13532590756417728, 0.32127309233731893),
	(65, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(66, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(67, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(68, 0.45526696906583064, 0.11337744273870981, 0.4313555881954596),
	(69, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(70, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(71, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(72, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(73, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(74, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(75, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(76, 0.17170986662601442, 0.5262999937690294, 0.30199013960495624),
	(78, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(79, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(80, 0.2556654433190837, 0.2626615519345061, 0.4816730047464104),
	(81, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(82, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(83, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(84, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(85, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(86, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(87, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(88, 0.5434010000985038, 0.13532590756417728, 0.32127309233731893),
	(89, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(90, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(91, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(92, 0.5312438501462347, 0.1322983508420027, 0.33645779901176265),
	(93, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(94, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(95, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(96, 0.14379457520718958, 0.14772941463405137, 0.708476010158759),
	(97, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(98, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(99, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(100, 0.17170986662601442, 0.5262999937690294, 0.30199013960495624),
	(101, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(102, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(103, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(104, 0.5312438501462347, 0.1322983508420027, 0.33645779901176265),
	(105, 0.14421611193305559, 0.4149902561226029, 0.4407936319443415),
	(106, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(107, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(108, 0.1503844904117656, 0.1110482039036539, 0.7385673056845805),
	(109, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(110, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(111, 0.17850892073519437, 0.5136698094485798, 0.30782126981622593),
	(112, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(113, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(114, 0.15137007417153056, 0.11179211641598734, 0.7368378094124821),
	(115, 0.1509483064793856, 0.11200826839114872, 0.7370434251294657),
	(116, 0.1680940319791726, 0.5152172657377541, 0.31668870228307344),
	(117, 0.1588051012532573, 0.11728314505969754, 0.7239117536870452),
	(118, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(119, 0.5796894059932445, 0.1263050928245528, 0.29400550118220276),
	(120, 0.14379457520718958, 0.14772941463405137, 0.708476010158759);

INSERT INTO kept.boosted_summary VALUES
	('boost_train', true, 'kept.rows', 'kept.boosted', 'id', 'x, k, b', 'None', 'y', 'x,k,b', 'k,b', 'x', NULL, 1, 0, 120, 0, '{early,"in time",late}', 'text', 'double precision, text, boolean', -1, 0, NULL, '1.0.0', 1, 'gini', NULL, 60, 10, 5, 255, 0, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:48.755912+00', 'y', '{}', 5, 0, NULL, NULL, NULL, NULL, 0, 'log_loss', 3, 0.1, 0, 0, 1, 1, 10, NULL, 10, 32, 100, 1, 0.1, 'gradient', 'none', NULL, 0, NULL, 10, 1e-07, false, NULL, NULL);

INSERT INTO kept.boosted_then VALUES
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
	(80, 'late'),
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

INSERT INTO kept.boosts VALUES
	(1, 1, 0, NULL, NULL, '{26743.956328282726,6147.141671717223,0}', 3, -1, 1, 40, 9, 5, 0, true, NULL, 1, NULL),
	(1, 2, 0, NULL, NULL, '{21662.604625909276,4979.184754090777,0}', 3, -1, 2, 40, 9, 5, 0, true, NULL, 2, NULL),
	(1, 3, 0, NULL, NULL, '{17577.961272285855,4033.139650813547,0}', 3, -1, 3, 40, 9, 5, 0, true, NULL, 3, NULL),
	(2, 1, 1, NULL, NULL, '{151433.99354545472,0,0}', 3, -1, 4, 40, 9, 5, 0, true, NULL, 1, NULL),
	(2, 2, 1, NULL, NULL, '{116386.15281479631,7019.540210053674,0}', 3, -1, 5, 40, 9, 5, 0, true, NULL, 2, NULL),
	(2, 3, 1, NULL, NULL, '{100125.82237376936,0,0}', 3, -1, 6, 40, 9, 5, 0, true, NULL, 3, NULL),
	(3, 1, 2, NULL, NULL, '{289958.27769048116,37896.04016666782,0}', 3, -1, 7, 40, 9, 5, 0, true, NULL, 1, NULL),
	(3, 2, 2, NULL, NULL, '{262270.3916911563,0,0}', 3, -1, 8, 40, 9, 5, 0, true, NULL, 2, NULL),
	(3, 3, 2, NULL, NULL, '{191354.83187179395,26389.419929643438,0}', 3, -1, 9, 40, 9, 5, 0, true, NULL, 3, NULL);

INSERT INTO kept.boosts_group VALUES
	(1, 0, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', '{65984.52222647786,15159.466076621547,0}', 3, 3, '{63.195}', NULL, 40, 0, 264.66076528013815, NULL, NULL),
	(2, 1, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', '{367945.96873402037,7019.540210053674,0}', 3, 3, '{111.425}', NULL, 40, 0, 1122.4151037578263, NULL, NULL),
	(3, 2, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', '{743583.5012534314,64285.46009631126,0}', 3, 3, '{159.36499999999998}', NULL, 40, 0, 2340.61035429437, NULL, NULL);

INSERT INTO kept.boosts_packed VALUES
	(1, '{blue,red,green,"it''s \\odd",blue,green,"it''s \\odd"}', '\x000000000000000000000028000000013d1eb851eb851eb8404939999999999a40d80350c1cb69c90000000000000000000000000000000040440000000000000000000000000000ffffffff0000000000000000000000000000000100000016fffffffec001f1032a4365877ff800000000000040aac5aeb55752140000000000000000000000000000000040360000000000000000000000000000000000000000000200000002000000000000000200000012fffffffe4005edae88fd0ad87ff800000000000040a54099d3daae69000000000000000000000000000000004032000000000000000000000000000000000004000000010000000200000000000000030000000a00000000bfec04189374bae27ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000040000000c00000001c00b0e5604189334403c80000000000040a0d563958106d20000000000000000000000000000000040280000000000000000000000000000ffffffff00000000000000000000000000000005000000080000000040107645a1cac09a7ff80000000000007ff80000000000000000000000000000000000000000000040200000000000000000000000000000ffffffff000000000000000000000000000000060000000a000000003ffa43958106251f7ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000090000000500000000c013deb851eb851f7ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000000000000000000a0000000700000000c001fef9db22d0757ff80000000000007ff800000000000000000000000000000000000000000000401c0000000000000000000000000000ffffffff0000000000000000'),
	(2, '{blue,red,green,"it''s \\odd",blue,green,"it''s \\odd"}', '\x000000000000000000000028000000018000000000000000404939999999999a40d37353554b2aa00000000000000000000000000000000040440000000000000000000000000000ffffffff0000000000000000000000000000000100000016fffffffec00025b60c6fdbc87ff800000000000040a5af7b98019b9f0000000000000000000000000000000040360000000000000000000000000000000000000000000200000002000000000000000200000012fffffffe4003bc504816f02e7ff800000000000040a136e30014f7c2000000000000000000000000000000004032000000000000000000000000000000000004000000010000000200000000000000030000000a00000000bfe936e2eb1c43d87ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000040000000c00000001c00859b3d07c84cd403c800000000000409b4535ce5b40a00000000000000000000000000000000040280000000000000000000000000000ffffffff000000000000000000000000000000050000000800000000400da1b089a027347ff80000000000007ff80000000000000000000000000000000000000000000040200000000000000000000000000000ffffffff000000000000000000000000000000060000000a000000003ff7a339c0ebeeb87ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000090000000500000000c011e20c49ba5e157ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000000000000000000a0000000700000000c00032474538ef8b7ff80000000000007ff800000000000000000000000000000000000000000000401c0000000000000000000000000000ffffffff0000000000000000'),
	(3, '{blue,red,green,"it''s \\odd",blue,green,"it''s \\odd"}', '\x000000000000000000000028000000013d1eb851eb851eb8404939999999999a40cf8281e13734460000000000000000000000000000000040440000000000000000000000000000ffffffff0000000000000000000000000000000100000016fffffffebffd10ae1662f0e07ff800000000000040a190b37890a97a0000000000000000000000000000000040360000000000000000000000000000000000000000000200000002000000000000000200000012fffffffe4001c3150dae3e677ff8000000000000409be3280f7e213a000000000000000000000000000000004032000000000000000000000000000000000004000000010000000200000000000000030000000a00000000bfe6b165d3996e157ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000040000000c00000001c005ea5508701089404059999999999a409693c94e0976f90000000000000000000000000000000040280000000000000000000000000000ffffffff000000000000000000000000000000050000000800000000400aab1ee24356677ff80000000000007ff80000000000000000000000000000000000000000000040200000000000000000000000000000ffffffff000000000000000000000000000000060000000a000000003ff5461a60d456677ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000090000000600000000c00eb1a75cd0baac7ff80000000000007ff80000000000000000000000000000000000000000000040180000000000000000000000000000ffffffff0000000000000000000000000000000a0000000600000000bffa4605681ecccd7ff80000000000007ff80000000000000000000000000000000000000000000040180000000000000000000000000000ffffffff0000000000000000'),
	(4, '{}', '\x00000000000000000000002800000001bd147ae147ae147c405013333333333340fa188e870870410000000000000000000000000000000040440000000000000000000000000000ffffffff000000000000000000000000000000010000001a00000001c00e589d89d89d8a40320ccccccccccd40e1c2dc519adc9900000000000000000000000000000000403a0000000000000000000000000000ffffffff000000000000000000000000000000020000000effffffff401c2db6db6db6a24052a6666666666640b754bc8ff1f58a00000000000000000000000000000000402c0000000000000000000000000000ffffffff000000000000000000000000000000030000000a00000000c0210c8b4395811f7ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff0000000000000000000000000000000400000010ffffffffbfeac28f5c28f4cd404133333333333340a12aed975da9620000000000000000000000000000000040300000000000000000000000000000ffffffff00000000000000000000000000000005000000050000000040111810624dd28f7ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff00000000000000000000000000000006000000090000000040212b17e4b17e397ff80000000000007ff80000000000000000000000000000000000000000000040220000000000000000000000000000ffffffff000000000000000000000000000000090000000500000000c004989374bc6b857ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000000000000000000a0000000b00000000bfa79f2f79f2c37e7ff80000000000007ff80000000000000000000000000000000000000000000040260000000000000000000000000000ffffffff0000000000000000'),
	(5, '{"it''s \\odd",red,green}', '\x000000000000000000000028000000018000000000000000404ec0000000000040f53094e04c6c4d0000000000000000000000000000000040440000000000000000000000000000ffffffff000000000000000000000000000000010000001900000001c00cdd8fdbe547f040320ccccccccccd40dae140426d71990000000000000000000000000000000040390000000000000000000000000000ffffffff000000000000000000000000000000020000000ffffffffe40180df7e1e9bbf37ff800000000000040bb6b8a4b34c18000000000000000000000000000000000402e000000000000000000000000000000000000000000020000000100000000000000030000000affffffffc01eb02de00d1bd74029cccccccccccd40a027b020c49a910000000000000000000000000000000040240000000000000000000000000000ffffffff000000000000000000000000000000040000000f00000000bfecc41fb9b2a06d7ff80000000000007ff800000000000000000000000000000000000000000000402e0000000000000000000000000000ffffffff000000000000000000000000000000050000000a00000000401e2c55f61d70007ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff0000000000000000000000000000000600000005000000004007a2777304a7af7ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff000000000000000000000000000000070000000500000000c0223858793dd99a7ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff000000000000000000000000000000080000000500000000c018efaacd9e847c7ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000'),
	(6, '{}', '\x000000000000000000000028000000013d2eb851eb851eb84050a9999999999a40f1427f8b3fddf60000000000000000000000000000000040440000000000000000000000000000ffffffff000000000000000000000000000000010000001b00000001c007564d005f3e1b40320ccccccccccd40d8a9f3113d19f900000000000000000000000000000000403b0000000000000000000000000000ffffffff000000000000000000000000000000020000000dffffffff40183c14e2d91000405359999999999a40a1706a1089aedd00000000000000000000000000000000402a0000000000000000000000000000ffffffff000000000000000000000000000000030000000a00000000c01b9e8fb00bcb857ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff0000000000000000000000000000000400000011ffffffffbfe24926e40772734041333333333333409e5762177cf7420000000000000000000000000000000040310000000000000000000000000000ffffffff00000000000000000000000000000005000000050000000040119acb2dcaed717ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff000000000000000000000000000000060000000800000000401c60e2f401e59a7ff80000000000007ff80000000000000000000000000000000000000000000040200000000000000000000000000000ffffffff000000000000000000000000000000090000000500000000c001d1371e051ae27ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000000000000000000a0000000c000000003fbe5326229a55557ff80000000000007ff80000000000000000000000000000000000000000000040280000000000000000000000000000ffffffff0000000000000000'),
	(7, '{blue,"it''s \\odd",red}', '\x0000000000000000000000280000000180000000000000004047e66666666666410f60083126e9f90000000000000000000000000000000040440000000000000000000000000000ffffffff000000000000000000000000000000010000001400000001c020083126e978f6403fe6666666666640d9f6ffd4b30f700000000000000000000000000000000040340000000000000000000000000000ffffffff0000000000000000000000000000000200000014fffffffe4020083126e978f67ff800000000000040e28101490b9b96000000000000000000000000000000004034000000000000000000000000000000000000000000010000000200000000000000030000000e00000000c024ce4ca759d20f7ff80000000000007ff800000000000000000000000000000000000000000000402c0000000000000000000000000000ffffffff000000000000000000000000000000040000000600000000c003926e978d4ef07ff80000000000007ff80000000000000000000000000000000000000000000040180000000000000000000000000000ffffffff000000000000000000000000000000050000000500000000402f1c6a7ef9db857ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff000000000000000000000000000000060000000f00000001401602e6bdc8058c405206666666666640b8c9419f0fb21500000000000000000000000000000000402e0000000000000000000000000000ffffffff0000000000000000000000000000000d0000000a00000000401031a9fbe76ccd7ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff0000000000000000000000000000000e00000005000000004020d2b020c49b857ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000'),
	(8, '{}', '\x000000000000000000000028000000013d347ae147ae147c40428666666666664109749d808acadd0000000000000000000000000000000040440000000000000000000000000000ffffffff000000000000000000000000000000010000001100000001c020cbf862e1db4b403780000000000040c20a067358a6290000000000000000000000000000000040310000000000000000000000000000ffffffff0000000000000000000000000000000200000017000000014018d47a4f642358405420000000000040e3c6459fea19f60000000000000000000000000000000040370000000000000000000000000000ffffffff000000000000000000000000000000030000000b00000000c0243d5c20ca0dac7ff80000000000007ff80000000000000000000000000000000000000000000040260000000000000000000000000000ffffffff000000000000000000000000000000040000000600000000c014f82db81afdde7ff80000000000007ff80000000000000000000000000000000000000000000040180000000000000000000000000000ffffffff000000000000000000000000000000050000000fffffffff400924f3e7349dde404ab3333333333340af48f49d07554a00000000000000000000000000000000402e0000000000000000000000000000ffffffff0000000000000000000000000000000600000008000000004027e81d7dbf48cd7ff80000000000007ff80000000000000000000000000000000000000000000040200000000000000000000000000000ffffffff0000000000000000000000000000000b00000005000000003feaa29c779a66677ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000000000000000000c0000000a000000004011318d25edd0007ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff0000000000000000'),
	(9, '{blue,"it''s \\odd",red}', '\x00000000000000000000002800000001bd347ae147ae147c4047e666666666664104b66efec257d50000000000000000000000000000000040440000000000000000000000000000ffffffff000000000000000000000000000000010000001400000001c01a0d55e6bc6290403d19999999999a40d168fe29a168400000000000000000000000000000000040340000000000000000000000000000ffffffff0000000000000000000000000000000200000014fffffffe401a0d55e6bc61ec7ff800000000000040d9c55ae020954c000000000000000000000000000000004034000000000000000000000000000000000000000000010000000200000000000000030000000d00000000c02168627b4cfb537ff80000000000007ff800000000000000000000000000000000000000000000402a0000000000000000000000000000ffffffff000000000000000000000000000000040000000700000000c0038deab71d31607ff80000000000007ff800000000000000000000000000000000000000000000401c0000000000000000000000000000ffffffff00000000000000000000000000000005000000050000000040299bf67f4dbe157ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff000000000000000000000000000000060000000f000000014011a9ce341cae82405206666666666640ae11f8ed7853c700000000000000000000000000000000402e0000000000000000000000000000ffffffff0000000000000000000000000000000d0000000a00000000400a43da9aeba8f77ff80000000000007ff80000000000000000000000000000000000000000000040240000000000000000000000000000ffffffff0000000000000000000000000000000e0000000500000000401ab990016a62907ff80000000000007ff80000000000000000000000000000000000000000000040140000000000000000000000000000ffffffff0000000000000000');

INSERT INTO kept.boosts_rounds VALUES
	(1, 0, 457.37773749999997, NULL, 0),
	(1, 1, 379.26137975000006, NULL, 0),
	(1, 2, 315.98712997249993, NULL, 0),
	(1, 3, 264.66076528013815, NULL, 0),
	(2, 0, 2012.9581875, NULL, 1),
	(2, 1, 1653.3024528295452, NULL, 1),
	(2, 2, 1360.2139318955299, NULL, 1),
	(2, 3, 1122.4151037578263, NULL, 1),
	(3, 0, 4259.2991375, NULL, 2),
	(3, 1, 3480.645132589279, NULL, 2),
	(3, 2, 2857.7529523227786, NULL, 2),
	(3, 3, 2340.61035429437, NULL, 2);

INSERT INTO kept.boosts_summary VALUES
	('boost_train', false, 'kept.rows', 'kept.boosts', 'id', 'x, k, b', 'None', 'z', 'x,k,b', 'k,b', 'x', 'g', 3, 0, 120, 0, NULL, 'double precision', 'double precision, text, boolean', -1, 0, NULL, '1.0.0', 1, 'mse', NULL, 60, 10, 5, 255, 0, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{g}', '{integer}', NULL, '2026-11-28 04:00:49.003203+00', 'z', '{g}', 5, 0, NULL, NULL, NULL, NULL, 0, 'squared_error', 3, 0.1, 0, 0, 1, 1, 10, NULL, 10, 32, 100, 1, 0.1, 'gradient', 'none', NULL, 0, NULL, 10, 1e-07, false, NULL, NULL);

INSERT INTO kept.boosts_then VALUES
	(120, 60.82239500000007),
	(117, 67.64346500000008),
	(114, 74.34800499999999),
	(111, 49.92000500000011),
	(108, 60.82239500000007),
	(105, 57.27885500000004),
	(102, 74.34800499999999),
	(99, 49.92000500000011),
	(96, 60.82239500000007),
	(93, 57.27885500000004),
	(90, 74.34800499999999),
	(87, 67.64346500000008),
	(84, 49.92000500000011),
	(81, 57.27885500000004),
	(78, 74.34800499999999),
	(75, 67.64346500000008),
	(72, 60.82239500000007),
	(69, 57.27885500000004),
	(66, 60.82239500000007),
	(63, 67.64346500000008),
	(60, 60.82239500000007),
	(57, 57.27885500000004),
	(54, 74.34800499999999),
	(51, 67.64346500000008),
	(48, 60.82239500000007),
	(45, 57.27885500000004),
	(42, 67.64346500000008),
	(39, 67.64346500000008),
	(36, 60.82239500000007),
	(33, 49.92000500000011),
	(30, 74.34800499999999),
	(27, 67.64346500000008),
	(24, 60.82239500000007),
	(21, 55.0842050000001),
	(18, 74.34800499999999),
	(15, 67.64346500000008),
	(12, 60.82239500000007),
	(9, 49.92000500000011),
	(6, 74.34800499999999),
	(3, 67.64346500000008),
	(118, 110.59837897979808),
	(115, 123.05399508484857),
	(112, 130.05811181818194),
	(109, 89.7616049999999),
	(106, 110.59837897979808),
	(103, 118.77128564646475),
	(100, 134.64707909090913),
	(97, 89.7616049999999),
	(94, 110.59837897979808),
	(91, 114.45164928282857),
	(88, 89.7616049999999),
	(85, 86.885605),
	(82, 110.59837897979808),
	(79, 110.59837897979808),
	(76, 134.64707909090913),
	(73, 86.885605),
	(70, 105.72440318181815),
	(67, 110.59837897979808),
	(64, 134.64707909090913),
	(61, 86.885605),
	(58, 105.72440318181815),
	(55, 89.7616049999999),
	(52, 134.64707909090913),
	(49, 86.885605),
	(46, 105.72440318181815),
	(43, 110.59837897979808),
	(40, 131.95362902424247),
	(37, 86.885605),
	(34, 105.72440318181815),
	(31, 110.59837897979808),
	(28, 123.05399508484857),
	(25, 134.64707909090913),
	(22, 89.7616049999999),
	(19, 110.59837897979808),
	(16, 127.64296235757574),
	(13, 134.64707909090913),
	(10, 105.72440318181815),
	(7, 110.59837897979808),
	(4, 127.64296235757574),
	(1, 134.64707909090913),
	(119, 149.23184275510238),
	(116, 170.99502179999993),
	(113, 186.41106339999988),
	(110, 130.1383515667664),
	(107, 149.23184275510238),
	(104, 170.99502179999993),
	(101, 186.41106339999988),
	(98, 130.1383515667664),
	(95, 141.2754141836736),
	(92, 170.99502179999993),
	(89, 178.7561033999997),
	(86, 130.1383515667664),
	(83, 135.01583316849798),
	(80, 167.52898179999985),
	(74, 130.1383515667664),
	(71, 135.01583316849798),
	(68, 167.52898179999985),
	(65, 178.7561033999997),
	(62, 199.67846500000033),
	(59, 130.1383515667664),
	(56, 155.306554659864),
	(53, 170.99502179999993),
	(50, 199.67846500000033),
	(47, 130.1383515667664),
	(44, 130.1383515667664),
	(41, 170.99502179999993),
	(38, 199.67846500000033),
	(35, 130.1383515667664),
	(32, 155.306554659864),
	(29, 170.99502179999993),
	(77, 130.1383515667664),
	(26, 199.67846500000033),
	(23, 130.1383515667664),
	(20, 155.306554659864),
	(17, 170.99502179999993),
	(14, 186.41106339999988),
	(11, 130.1383515667664),
	(8, 149.23184275510238),
	(5, 170.99502179999993),
	(2, 199.67846500000033);

INSERT INTO kept.champion_then VALUES
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
	(80, 'late'),
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

INSERT INTO kept.classes VALUES
	('{blue,green,"it''s \\odd",red,false,true}', '{4,2}', '{14.356141305338003,31.266966296876564,21.2109725965858}', 3, 0, 1, 120, 13, 7, 55, true, NULL);

INSERT INTO kept.classes_calibrated VALUES
	('{blue,green,"it''s \\odd",red,false,true}', '{4,2}', '{14.356141305338003,31.266966296876564,21.2109725965858}', 3, 0, 1, 120, 13, 7, 55, true, NULL);

INSERT INTO kept.classes_calibrated_nodes VALUES
	(1, 0, NULL, 0, false, 'x', 49.05, NULL, false, 120, 120, 0.5987500000000001, 55, 0.2636363636363636, 13.636911317745481, 'late', '{32,23,65}', NULL),
	(1, 1, 0, 1, false, 'b', NULL, '{false}', false, 53, 53, 0.6351014595941616, 28, 0.2636363636363636, 15.103829739442945, 'early', '{25,16,12}', '{true}'),
	(1, 2, 0, 1, false, 'k', NULL, '{blue,green,"it''s \\odd"}', true, 67, 67, 0.3524170193807084, 14, 0.10909090909090909, 13.837772397094431, 'late', '{7,7,53}', '{red}'),
	(1, 3, 1, 2, false, 'k', NULL, '{blue,green,"it''s \\odd"}', true, 21, 21, 0.36281179138321995, 5, 0.09090909090909091, 7.0588235294117645, 'in time', '{0,16,5}', '{red}'),
	(1, 4, 1, 2, false, 'k', NULL, '{blue,green,"it''s \\odd"}', true, 32, 32, 0.341796875, 7, 0.12727272727272726, 10.37037037037037, 'early', '{25,0,7}', '{red}'),
	(1, 6, 2, 2, false, 'b', NULL, '{false}', false, 14, 14, 0.5612244897959183, 7, 0.10909090909090909, 6.107142857142857, 'early', '{7,6,1}', '{true}'),
	(1, 5, 2, 2, true, NULL, NULL, NULL, NULL, 53, 53, 0.037023851904592384, 1, 0, NULL, 'late', '{0.5595666889236178,1.1060174163734773,51.3344158947029}', NULL),
	(1, 7, 3, 3, true, NULL, NULL, NULL, NULL, 16, 16, 0, 0, 0, NULL, 'in time', '{0.1694475556031239,15.379025145015973,0.4515272993809018}', NULL),
	(1, 8, 3, 3, true, NULL, NULL, NULL, NULL, 5, 5, 0, 0, 0, NULL, 'late', '{0.05273570050135476,0.0912913002968552,4.855972999201789}', NULL),
	(1, 9, 4, 3, true, NULL, NULL, NULL, NULL, 25, 25, 0, 0, 0, NULL, 'early', '{23.842051087132994,0.45601058634237923,0.701938326524627}', NULL),
	(1, 10, 4, 3, true, NULL, NULL, NULL, NULL, 7, 7, 0, 0, 0, NULL, 'late', '{0.07382998070189666,0.1278078204155973,6.798362198882506}', NULL),
	(1, 13, 6, 3, true, NULL, NULL, NULL, NULL, 6, 6, 0, 0, 0, NULL, 'in time', '{0.06354283335117147,5.76713442938099,0.16932273726783817}', NULL),
	(1, 14, 6, 3, true, NULL, NULL, NULL, NULL, 8, 8, 0.21875, 1, 0, NULL, 'early', '{7.309360691954082,0.14929403173184824,0.5413452763140696}', NULL);

INSERT INTO kept.classes_calibrated_summary VALUES
	('tree_train', true, 'kept.rows', 'kept.classes_calibrated', 'id', 'x, k, b', 'None', 'y', 'x,k,b', 'k,b', 'x', NULL, 1, 0, 120, 0, '{early,"in time",late}', 'text', 'double precision, text, boolean', 0, 3, NULL, '1.0.0', 1, 'gini', NULL, 10, 6, 2, 100, 2, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:47.366612+00', 'y', '{}', NULL, 0, NULL, NULL, NULL, NULL, 0, 'sigmoid', 'kept.classes', 'kept.rows');

INSERT INTO kept.classes_calibrated_surrogates VALUES
	(1, 1, 1, 'x', 46.25, NULL, false, 0.6226415094339622, 0.0476190476190476, NULL);

INSERT INTO kept.classes_calibrated_then VALUES
	(1, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(2, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(3, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(4, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(5, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(6, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(7, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(8, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(9, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(10, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(11, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(12, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(13, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(14, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(15, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(16, 0.010590472225195248, 0.9611890715634984, 0.028220456211306366),
	(17, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(18, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(19, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(20, 0.010547140100270953, 0.018258260059371045, 0.971194599840358),
	(21, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(22, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(23, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(24, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(25, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(26, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(77, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(27, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(28, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(29, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(30, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(31, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(32, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(33, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(34, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(35, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(36, 0.010547140100270953, 0.018258260059371045, 0.971194599840358),
	(37, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(38, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(39, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(40, 0.010590472225195248, 0.9611890715634984, 0.028220456211306366),
	(41, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(42, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(43, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(44, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(45, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(46, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(47, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(48, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(49, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(50, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(51, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(52, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(53, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(54, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(55, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(56, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(57, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(58, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(59, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(60, 0.010547140100270953, 0.018258260059371045, 0.971194599840358),
	(61, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(62, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(63, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(64, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(65, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(66, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(67, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(68, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(69, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(70, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(71, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(72, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(73, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(74, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(75, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(76, 0.010590472225195248, 0.9611890715634984, 0.028220456211306366),
	(78, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(79, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(80, 0.010590472225195248, 0.9611890715634984, 0.028220456211306366),
	(81, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(82, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(83, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(84, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(85, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(86, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(87, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(88, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(89, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(90, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(91, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(92, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(93, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(94, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(95, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(96, 0.010547140100270953, 0.018258260059371045, 0.971194599840358),
	(97, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(98, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(99, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(100, 0.010590472225195248, 0.9611890715634984, 0.028220456211306366),
	(101, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(102, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(103, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(104, 0.9136700864942603, 0.01866175396648103, 0.0676681595392587),
	(105, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(106, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(107, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(108, 0.010547140100270951, 0.01825826005937104, 0.971194599840358),
	(109, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(110, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(111, 0.010590472225195246, 0.9611890715634984, 0.028220456211306366),
	(112, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(113, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(114, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(115, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(116, 0.010590472225195248, 0.9611890715634984, 0.028220456211306366),
	(117, 0.010557862055162601, 0.020868253139122217, 0.9685738848057153),
	(118, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(119, 0.9536820434853197, 0.01824042345369517, 0.02807753306098508),
	(120, 0.010547140100270953, 0.018258260059371045, 0.971194599840358);

INSERT INTO kept.classes_cv VALUES
	(0.2636363636363636, 0, 1, 0.4583333333333333, 0.12829003598617209, 1, 0.09923953268977463, false),
	(0.12727272727272726, 2, 0.4727272727272727, 0.26666666666666666, 0.08036375634160797, 0.5818181818181818, 0.08807710121010885, false),
	(0.10909090909090909, 3, 0.34545454545454546, 0.2583333333333333, 0.07216878364870323, 0.5636363636363636, 0.08718113880987864, false),
	(0.09090909090909091, 5, 0.12727272727272726, 0.20833333333333334, 0.057735026918962595, 0.45454545454545453, 0.08088695645478267, false),
	(0, 6, 0.03636363636363636, 0.05833333333333333, 0.05204164998665332, 0.12727272727272726, 0.04668043873917149, true);

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
	('tree_train', true, 'kept.rows', 'kept.classes', 'id', 'x, k, b', 'None', 'y', 'x,k,b', 'k,b', 'x', NULL, 1, 0, 120, 0, '{early,"in time",late}', 'text', 'double precision, text, boolean', 0, 3, NULL, '1.0.0', 1, 'gini', NULL, 10, 6, 2, 100, 2, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:47.366612+00', 'y', '{}', NULL, 0, NULL, NULL, NULL, NULL, 0);

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

INSERT INTO kept.drift_then VALUES
	('b', 0, 0, 0, 0, 120),
	('k', 0, 0.14166666666666666, 0.14166666666666666, 0, 120),
	('x', 0, 0.08333333333333333, 0.08333333333333333, 0, 120),
	(NULL, 0, NULL, NULL, NULL, 120);

INSERT INTO kept.forest VALUES
	(1, 1, NULL, NULL, '{42.679043610075624,14.587523587523586,10.863483436853002}', 4, -1, 1, 138, 23, 12, 58, true, NULL, 0.24324324324324326),
	(1, 2, NULL, NULL, '{38.15516107891842,2.01979916635089,10.590726065538657}', 4, -1, 2, 116, 23, 12, 51, true, NULL, 0.23529411764705882),
	(1, 3, NULL, NULL, '{32.462755337888765,20.39782221188871,10.876247448131796}', 4, -1, 3, 119, 19, 10, 50, true, NULL, 0.1797752808988764);

INSERT INTO kept.forest_group VALUES
	(1, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', 0.1797752808988764, '{0.32740992989440193,0.18703885784631127,0.20619199501187077}', '{37.76565334229427,12.335048321921063,10.776818983507818}', 0.8202247191011236, '{0.02351409676059656,0.11309341080950122,0.06561288703094632}', 3, NULL);

INSERT INTO kept.forest_packed VALUES
	(1, '{false,true,blue,green,"it''s \\odd",red,blue,green,"it''s \\odd",red,blue,"it''s \\odd",red}', '\x00000000000000000000008afffffffd000000037ff80000000000004025ba1a8043d7b83fe215668a3080303fca7b9611a7b96100000000000000010000000100000027000000130000005000000000000000010000002afffffffe000000037ff80000000000003ff2c62c62c62c633fdfb5b236911fee3fb3dcb08d3dcb09000000020000000200000002000000000000001300000017000000000000000200000060ffffffff000000034047f9999999999a4035d97a86a006593fdee000000000003fca7b9611a7b961ffffffff0000000000000000000000270000000000000039000000000000000300000012ffffffff0000000340473333333333334019b6db6db6db6e3fd9add3c0ca45883fb3dcb08d3dcb09ffffffff000000000000000000000000000000050000000d000000000000000400000018ffffffff0000000240298000000000003ff30c30c30c30c33fdf1c71c71c71c63fa611a7b9611a7cffffffff0000000000000000000000000000000e0000000a000000000000000500000026ffffffff000000014028e666666666663fefe5de851a8a003fd33c46ea04413e3f91a7b9611a7b96ffffffff00000000000000000000001f000000000000000700000000000000060000003a00000002000000037ff80000000000004021f07c1f07c1f03fce70a0b9132d5c3fb611a7b9611a7c00000006000000030000000100000008000000000000003200000000000000070000000500000000000000027ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000050000000000000000000000080000000d00000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000d00000000000000090000000300000000000000027ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000300000000000000000000000a00000015ffffffff00000002403cf33333333333400ccf3cf3cf3cf33fdfed6c8da447fb3fa611a7b9611a7cffffffff0000000000000000000000000000000b0000000a000000000000000b0000000b00000002000000017ff80000000000004011c71c71c71c723fdd9ead7cd391fc3f91a7b9611a7b960000000a0000000200000001000000070000000000000004000000000000000c0000001bffffffff000000014038e666666666663fd55555555555543fc948b0fcd6e9e20000000000000000ffffffff0000000000000000000000180000000000000003000000000000000d0000002f00000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000002f000000000000000e0000000bffffffff00000001404a00000000000040100000000000003fd9637021d9ead73faa7b9611a7b961ffffffff000000000000000000000008000000000000000300000000000000150000000500000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000500000000000000160000001000000000000000027ff80000000000007ff80000000000003fdb800000000000bff0000000000000ffffffff0000000000000000000000000000000b0000000500000000000000170000000500000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000005000000000000000000000000000000180000000600000000000000037ff80000000000007ff80000000000003fdc71c71c71c71dbff0000000000000ffffffff000000000000000000000002000000000000000400000000000000190000000900000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000090000000000000000000000000000001a0000001200000000000000017ff80000000000007ff80000000000003fd1c71c71c71c72bff0000000000000ffffffff00000000000000000000000f0000000000000003000000000000001d0000000300000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000000000003000000000000001e0000000800000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000080000000000000000'),
	(2, '{false,true,"it''s \\odd",blue,green,red,blue,"it''s \\odd",green,red,blue,green,red,green,red,green,red}', '\x000000000000000000000074fffffffd000000037ff800000000000040252e73a598c43e3fe2a8a3287c31ec3fbc71c71c71c71d00000000000000010000000100000020000000130000004100000000000000010000002efffffffe000000037ff80000000000003fe16dd8985916dd3fdf083a1263b0a23f9e1e1e1e1e1e1e00000002000000010000000300000000000000130000001b000000000000000200000046fffffffe000000037ff80000000000003ff56c2e635a86aa3fdfc3d05a4778963fbc71c71c71c71d00000006000000020000000200000020000000000000002600000000000000030000000500000001000000024047c0000000000040033333333333333fdeb851eb851eb83f9e1e1e1e1e1e1effffffff0000000000000000000000000000000300000002000000000000000400000029fffffffe000000037ff80000000000003fb2806f85d128013fde754376f050693f9e1e1e1e1e1e1e0000000a000000010000000200000000000000100000001900000000000000050000001c00000001000000014048c00000000000402ab6db6db6db6e3fde87d6343eb1a23fbc71c71c71c71dffffffff000000000000000000000011000000000000000b00000000000000060000002a00000002000000037ff80000000000003fab89401b8940113fdd6343eb1a1f583fb91919191919190000000d00000001000000010000000f000000000000001b00000000000000070000000300000000000000027ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000030000000000000000000000080000000200000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000200000000000000090000000affffffff00000003403e333333333333400b6db6db6db6db3fdae147ae147ae23f9e1e1e1e1e1e1effffffff0000000000000000000000000000000300000007000000000000000a0000001ffffffffe000000037ff80000000000003f84d6a2bf814d6f3fdf2ae37f1150b700000000000000000000000f0000000100000001000000000000000d00000012000000000000000b0000001100000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000110000000000000000000000000000000c0000000b00000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000b000000000000000d0000001cffffffff000000034047c0000000000040289d89d89d89d93fdd6343eb1a1f583fb9191919191919ffffffff00000000000000000000000a0000000000000012000000000000000e0000000e0000000100000003404a0000000000004019b6db6db6db6e3fdd6343eb1a1f583fb9191919191919ffffffff000000000000000000000005000000000000000900000000000000130000000300000000000000027ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000030000000000000000000000140000000700000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000700000000000000150000000d00000000000000037ff80000000000007ff80000000000003fde4bbd595f6e94bff0000000000000ffffffff000000000000000000000000000000050000000800000000000000160000001200000000000000037ff80000000000007ff80000000000003fdf9add3c0ca458bff0000000000000ffffffff000000000000000000000000000000080000000a000000000000001b0000000a00000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff00000000000000000000000a0000000000000000000000000000001c0000001200000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000000000012000000000000001d0000000900000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000000000009000000000000001e0000000500000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000050000000000000000'),
	(3, '{false,true,blue,green,"it''s \\odd",red,blue,green,"it''s \\odd",red,blue,green,"it''s \\odd",red,blue,green,"it''s \\odd"}', '\x000000000000000000000077fffffffd000000037ff80000000000004025c0a38169dbea3fe260484fafe10d3fbcac083126e9780000000000000001000000010000001c000000160000004500000000000000010000003bffffffff000000034049d9999999999a401eccccccccccce3fddee7f3a51a1b83fbcac083126e978ffffffff000000000000000000000000000000160000002500000000000000020000003c00000002000000037ff80000000000003ffbef69d92710cf3fdfdb97530eca863fbcac083126e9780000000200000003000000010000001c000000000000002000000000000000030000001400000002000000027ff8000000000000401c3c3c3c3c3c3c3fd80000000000003fb999999999999a000000060000000300000001000000000000000f0000000500000000000000040000002700000002000000037ff800000000000040266666666666663fd2d9cb268b063a3fbcac083126e9780000000a0000000300000001000000000000000700000020000000000000000500000030fffffffe000000037ff80000000000003fd927b3563ef9273fdf1c71c71c71c63fbcac083126e9780000000e000000010000000200000014000000000000001c00000000000000060000000cffffffff000000014047e6666666666640145d1745d1745d3fdc71c71c71c71d3fb47ae147ae147bffffffff000000000000000000000008000000000000000400000000000000070000000f00000000000000027ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000f0000000000000000000000080000000500000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000500000000000000090000002000000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000000000020000000000000000a0000000700000000000000027ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000700000000000000000000000b00000010ffffffff0000000340494ccccccccccd40133333333333333fd38000000000003faeb851eb851eb8ffffffff000000000000000000000003000000000000000d000000000000000c000000200000000100000001404899999999999a402c234f72c234f73fdfe000000000003fbcac083126e978ffffffff000000000000000000000011000000000000000f000000000000000d0000000400000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff0000000000000000000000000000000000000004000000000000000e0000000800000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000008000000000000000000000000000000170000000300000000000000017ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000003000000000000000000000000000000180000000d00000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000d00000000000000190000001400000000000000017ff80000000000007ff80000000000003fd051eb851eb852bff0000000000000ffffffff0000000000000000000000110000000000000003000000000000001a0000000c00000000000000037ff80000000000007ff80000000000000000000000000000bff0000000000000ffffffff000000000000000000000000000000000000000c');

INSERT INTO kept.forest_shares_then VALUES
	(1, 0, 0.22916666666666666, 0.7708333333333334),
	(2, 0, 0, 1),
	(3, 0, 0, 1),
	(4, 1, 0, 0),
	(5, 0, 0.22916666666666666, 0.7708333333333334),
	(6, 0, 0.3333333333333333, 0.6666666666666666),
	(7, 0.8944444444444445, 0, 0.10555555555555556),
	(8, 0.2777777777777778, 0, 0.7222222222222223),
	(9, 0.8944444444444445, 0, 0.10555555555555556),
	(10, 0, 1, 0),
	(11, 0, 0.12820512820512822, 0.8717948717948718),
	(12, 0.1111111111111111, 0, 0.8888888888888888),
	(13, 0, 0, 1),
	(14, 0, 0, 1),
	(15, 0, 0.12820512820512822, 0.8717948717948718),
	(16, 0, 0.7106481481481483, 0.28935185185185186),
	(17, 0, 0, 1),
	(18, 0, 0, 1),
	(19, 0.8944444444444445, 0, 0.10555555555555556),
	(20, 0, 0.3773148148148148, 0.6226851851851852),
	(21, 0, 0.7106481481481483, 0.28935185185185186),
	(22, 0.3333333333333333, 0, 0.6666666666666666),
	(23, 0.9500000000000001, 0, 0.049999999999999996),
	(24, 0.1111111111111111, 0, 0.8888888888888888),
	(25, 0, 0.22916666666666666, 0.7708333333333334),
	(26, 0, 0, 1),
	(77, 0.2833333333333333, 0, 0.7166666666666667),
	(27, 0, 0, 1),
	(28, 0, 0, 1),
	(29, 0, 0, 1),
	(30, 0, 0, 1),
	(31, 0, 0.4615384615384615, 0.5384615384615384),
	(32, 0.2777777777777778, 0, 0.7222222222222223),
	(33, 0.6166666666666667, 0, 0.3833333333333333),
	(34, 1, 0, 0),
	(35, 0, 0.48148148148148145, 0.5185185185185185),
	(36, 0, 0.48148148148148145, 0.5185185185185185),
	(37, 0.9500000000000001, 0, 0.049999999999999996),
	(38, 0, 0, 1),
	(39, 0, 0, 1),
	(40, 0, 0.7106481481481483, 0.28935185185185186),
	(41, 0, 0.22916666666666666, 0.7708333333333334),
	(42, 0, 0, 1),
	(43, 0, 0, 1),
	(44, 0.6666666666666666, 0, 0.3333333333333333),
	(45, 0, 0.8958333333333334, 0.10416666666666667),
	(46, 0, 1, 0),
	(47, 0.9500000000000001, 0, 0.049999999999999996),
	(48, 0.1111111111111111, 0, 0.8888888888888888),
	(49, 0.7277777777777777, 0, 0.2722222222222222),
	(50, 0, 0, 1),
	(51, 0, 0.12820512820512822, 0.8717948717948718),
	(52, 1, 0, 0),
	(53, 0, 0, 1),
	(54, 0, 0, 1),
	(55, 0, 0.12820512820512822, 0.8717948717948718),
	(56, 0, 0.7106481481481483, 0.28935185185185186),
	(57, 0.8944444444444445, 0, 0.10555555555555556),
	(58, 0.9444444444444445, 0, 0.05555555555555555),
	(59, 0.9500000000000001, 0, 0.049999999999999996),
	(60, 0, 0.14814814814814814, 0.8518518518518517),
	(61, 0, 1, 0),
	(62, 0, 0, 1),
	(63, 0, 0, 1),
	(64, 1, 0, 0),
	(65, 0, 0.22916666666666666, 0.7708333333333334),
	(66, 0, 0, 1),
	(67, 0, 0, 1),
	(68, 0.3333333333333333, 0, 0.6666666666666666),
	(69, 0.8944444444444445, 0, 0.10555555555555556),
	(70, 0, 0.7106481481481483, 0.28935185185185186),
	(71, 0, 0.7948717948717948, 0.20512820512820515),
	(72, 0.3333333333333333, 0, 0.6666666666666666),
	(73, 0.9500000000000001, 0, 0.049999999999999996),
	(74, 1, 0, 0),
	(75, 0, 0.12820512820512822, 0.8717948717948718),
	(76, 0, 0.7106481481481483, 0.28935185185185186),
	(78, 0, 0, 1),
	(79, 0, 0, 1),
	(80, 0, 0.7106481481481483, 0.28935185185185186),
	(81, 0, 0.8958333333333334, 0.10416666666666667),
	(82, 0.9444444444444445, 0, 0.05555555555555555),
	(83, 0.8944444444444445, 0, 0.10555555555555556),
	(84, 0.9500000000000001, 0, 0.049999999999999996),
	(85, 0, 1, 0),
	(86, 0, 1, 0),
	(87, 0, 0, 1),
	(88, 0.6666666666666666, 0, 0.3333333333333333),
	(89, 0, 0, 1),
	(90, 0, 0, 1),
	(91, 0, 0.3773148148148148, 0.6226851851851852),
	(92, 1, 0, 0),
	(93, 0.8944444444444445, 0, 0.10555555555555556),
	(94, 0.9444444444444445, 0, 0.05555555555555555),
	(95, 0, 0.7948717948717948, 0.20512820512820515),
	(96, 0, 0.14814814814814814, 0.8518518518518517),
	(97, 0.9500000000000001, 0, 0.049999999999999996),
	(98, 0.7277777777777777, 0, 0.2722222222222222),
	(99, 0.2833333333333333, 0, 0.7166666666666667),
	(100, 0, 0.7106481481481483, 0.28935185185185186),
	(101, 0, 0.22916666666666666, 0.7708333333333334),
	(102, 0, 0, 1),
	(103, 0, 0, 1),
	(104, 1, 0, 0),
	(105, 0, 0.7106481481481483, 0.28935185185185186),
	(106, 0, 0.6666666666666666, 0.3333333333333333),
	(107, 0.8944444444444445, 0, 0.10555555555555556),
	(108, 0.2777777777777778, 0, 0.7222222222222223),
	(109, 0.9500000000000001, 0, 0.049999999999999996),
	(110, 0, 0, 1),
	(111, 0, 0.7948717948717948, 0.20512820512820515),
	(112, 0, 0, 1),
	(113, 0, 0, 1),
	(114, 0, 0, 1),
	(115, 0, 0.12820512820512822, 0.8717948717948718),
	(116, 0, 0.7106481481481483, 0.28935185185185186),
	(117, 0, 0, 1),
	(118, 0.9444444444444445, 0, 0.05555555555555555),
	(119, 0.8944444444444445, 0, 0.10555555555555556),
	(120, 0, 0.14814814814814814, 0.8518518518518517);

INSERT INTO kept.forest_summary VALUES
	('forest_train', true, 'kept.rows', 'kept.forest', 'id', 'y', 'x,k,b', 'k,b', 'x', NULL, 3, 1, 4, 2, 1, 100, false, true, 1, 1, 0, 120, 0, '{early,"in time",late}', 'text', 'double precision, text, boolean', NULL, 1, 'poisson', 'best', 'x, k, b', 'None', -1, 0, '1.0.0', 1, 'gini', NULL, 4, 100, 2, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:48.138388+00', 'y', '{}', NULL, 0, NULL, NULL, NULL, NULL, 0);

INSERT INTO kept.forest_surrogates VALUES
	(1, 1, 1, 'x', 77.25, NULL, false, 0.5897435897435898, 0.11111111111111119, NULL),
	(1, 6, 1, 'x', 50.75, NULL, false, 0.7916666666666666, 0.0909090909090906, NULL),
	(1, 11, 1, 'x', 1.85, NULL, true, 0.8888888888888888, 0.7499999999999999, NULL),
	(2, 2, 1, 'x', 9.95, NULL, true, 0.6551724137931034, 0.1666666666666667, NULL),
	(2, 6, 1, 'x', 12.45, NULL, false, 0.6470588235294118, 0.1428571428571429, NULL),
	(2, 10, 1, 'x', 4.65, NULL, true, 0.6296296296296297, 0.23076923076923087, NULL),
	(3, 0, 1, 'x', 75.05, NULL, true, 0.5378151260504201, 0.06779661016949151, NULL),
	(3, 5, 1, 'x', 85.65, NULL, false, 0.7058823529411765, 0.1666666666666667, NULL);

INSERT INTO kept.forest_then VALUES
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
	(31, 'late'),
	(32, 'late'),
	(33, 'early'),
	(34, 'early'),
	(35, 'late'),
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
	(68, 'late'),
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
	(105, 'in time'),
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

INSERT INTO kept.forests VALUES
	(1, 1, 0, NULL, NULL, '{17797.32326984127,4785.986333333332,205.3644991746695}', 3, -1, 1, 49, 15, 8, 34684.955510204076, true, NULL, 411.06677499999995),
	(1, 2, 0, NULL, NULL, '{9605.719342105263,9259.968423648246,3.7918987863792353}', 3, -1, 2, 41, 11, 6, 33531.479024390246, true, NULL, 337.6819532946655),
	(2, 1, 1, NULL, NULL, '{119488.85225108222,71865.8584126984,3038.878085470086}', 3, -1, 3, 45, 13, 7, 216686.86577777777, true, NULL, 2474.7494323717137),
	(2, 2, 1, NULL, NULL, '{28178.400000000005,69242.19403921568,11477.631337474118}', 3, -1, 4, 30, 13, 7, 120252.93866666667, true, NULL, 3698.7118200117784),
	(3, 1, 2, NULL, NULL, '{153986.0386309523,124435.23713688609,838.5236742424258}', 3, -1, 5, 44, 13, 7, 358603.111590909, true, NULL, 10926.491400213668),
	(3, 2, 2, NULL, NULL, '{2352,109728.36476190476,16190.775011973152}', 3, -1, 6, 45, 13, 7, 397254.1311111112, true, NULL, 10238.148139245935);

INSERT INTO kept.forests_group VALUES
	(1, 0, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', 337.6819532946655, '{143.047,867.9418473193474,62.855308006860525}', '{13701.521305973267,7022.977378490789,104.57819898052438}', 0.7101178456727557, '{202.29900745678412,242.18904208307137,145.38253260847523}', 2, NULL),
	(2, 1, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', 3698.7118200117784, '{2095.4050597170685,-927.3563854669144,-328.8108032051433}', '{73833.62612554111,70554.02622595704,7258.254711472102}', -0.23218857403371262, '{1525.4421863307737,228.4854291457352,1362.8893017151802}', 2, NULL),
	(3, 2, true, '{4,2}', '{blue,green,"it''s \\odd",red,false,true}', 10238.148139245935, '{-1016.249038888889,1500.8758919561255,-810.7690457719912}', '{78169.01931547615,117081.80094939543,8514.649343107789}', -0.20753844136782962, '{1437.1931735452897,3931.8430706068843,1942.7669532671316}', 2, NULL);

INSERT INTO kept.forests_packed VALUES
	(1, '{false,true,"it''s \\odd",red,blue,green,green,blue}', '\x000000000000000000000031fffffffd4051b7e6ec259dc77ff80000000000004069aba9fa2c53fc40861ed991af32883fcfe0340a95725040e0ef9e938a22b0000000000000000100000001000000000000000100000011fffffffe40510424242424247ff800000000000040988809374bc6a8407bf16df276fb803fa90c387eef2fcb40bdb084d19e6b38000000020000000200000002000000000000000200000020000000014052176666666666405000000000000040c874c604189375408a3fc49eb851ea3fcfe0340a95725040da3fc49eb851eaffffffff000000000000000000000000000000030000000600000001404da88888888889403fc0000000000040854571529a48624061511c71c71c753f94187c6555b98b4089f9aaaaaaaab0ffffffff000000000000000000000000000000040000000bffffffff40523586fb586fb5404939999999999a40ad55077a113aaf4081370b416ae2a33fa90c387eef2fcb40b7abaf79f2f7a0ffffffff000000000000000000000000000000050000001100000001404955d5d5d5d5d6404aa00000000000408a44a6921735ea4076d4d07c27d37e3faacc85d842d9a640b8421d83ea50b6ffffffff000000000000000000000000000000060000000ffffffffe40583d0369d0369d7ff800000000000040a91ff46508dfe8406dfe33caa935d33fb7bc79c9c0073640ac1e508dfea276000000060000000100000001000000000000000700000005000000004050051eb851eb867ff80000000000007ff8000000000000403e1b089a027525bff00000000000004062d0e560418937ffffffff0000000000000000000000000000000800000001000000004041c000000000007ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000900000002000000004043d9999999999a7ff80000000000007ff80000000000004058028f5c28f5c4bff00000000000004068028f5c28f5c4ffffffff0000000000000000000000000000000a000000090000000040540ccccccccccd7ff80000000000007ff800000000000040761ba987654322bff000000000000040a8df1eb851eb86ffffffff0000000000000000000000000000000b0000000c0000000040460000000000007ff80000000000007ff80000000000004071f547ae147ae1bff000000000000040aaefeb851eb852ffffffff0000000000000000000000000000000c00000005000000004050ab851eb851eb7ff80000000000007ff80000000000004067aacd9e83e428bff0000000000000408d95810624dd32ffffffff0000000000000000000000000000000d000000070000000040545333333333347ff80000000000007ff8000000000000404547ae147ae143bff000000000000040729eb851eb851bffffffff0000000000000000000000000000000e0000000800000000405ba9999999999a7ff80000000000007ff8000000000000402550a3d70a3d64bff0000000000000405550a3d70a3d64ffffffff0000000000000000'),
	(2, '{true,false,green,"it''s \\odd",red,blue,green,"it''s \\odd",red,blue,"it''s \\odd",red,green}', '\x000000000000000000000029fffffffd404d67063e7063e77ff8000000000000400e55cf07e9ed6040898eba44f1e2c03fc1a74e232f75de40e05f6f542af54300000000000000010000000100000000000000010000001200000002404d3b05b05b05b07ff800000000000040a9e50bc3c3c3c240856f1a7c24ea203fbb52f1bc8864da40c81cfdcba9876400000002000000030000000100000000000000020000001700000002404d8975fb8c3e557ff800000000000040b0542680e112b9408cc78ca17090063fc1a74e232f75de40d4af6d1408e78400000006000000030000000100000000000000030000001100000002404b8545454545457ff8000000000000409b952e1f67152940801da832bd47d23fb19e3f844cd60640c11f82b5e91c4f0000000a000000020000000100000000000000040000000100000000405d2666666666667ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000500000013ffffffff404a69c4b73dfa9d401299999999999a40c2c2dc1366f05f4088511e612e43ae3fc1a74e232f75de40cce0541366f05fffffffff00000000000000000000000000000006000000040000000040563000000000007ff80000000000007ff80000000000004080a98000000000bff000000000000040a0a98000000000ffffffff000000000000000000000000000000070000000b00000000404737dac37dac387ff80000000000007ff800000000000040648ac78d953308bff0000000000000409c3ed262ad262bffffffff0000000000000000000000000000000800000006000000004051b444444444447ff80000000000007ff800000000000040883a32a1907f6fbff000000000000040b22ba5f92c5f93ffffffff0000000000000000000000000000000b00000003000000003feccccccccccccd7ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000c0000001000000000404f4800000000007ff80000000000007ff800000000000040743af000000000bff000000000000040b43af000000000ffffffff0000000000000000'),
	(3, '{true,false,"it''s \\odd",blue,green,red,green,blue,"it''s \\odd",red}', '\x00000000000000000000002d0000000340597c048d159e277ff800000000000040a7bdc1946b323940b2cf4380ca98613fc25f2e2847a780410a7376ed1ce649000000000000000100000001000000000000000100000020fffffffe40582ccccccccccd7ff800000000000040dba429d0369d0240ae049eb851eb843fc25f2e2847a78040fe049eb851eb8400000002000000010000000300000000000000020000000dffffffff405cb52b52b52b53404133333333333340ecb694f319aa9f40bb40777ca31ce73fc25f2e2847a78040f624611544877cffffffff0000000000000000000000000000000300000008000000014044d9999999999a404bf3333333333440d858f0a3d70a3e40a99ffae147ae153fbd74809ad7440540d99ffae147ae15ffffffff000000000000000000000000000000040000001800000001405cc222222222224050a9999999999a40e1750e009ee00740a4fa9c71c71c713fc25f2e2847a78040ef77eaaaaaaaa9ffffffff0000000000000000000000000000000500000004000000004041accccccccccd7ff80000000000007ff80000000000004092bc07ae147ae1bff000000000000040b2bc07ae147ae1ffffffff0000000000000000000000000000000600000009fffffffe4062c4fa4fa4fa507ff800000000000040e54526900299c340b570bea417c4543fc25f2e2847a78040e81ed6789abcdf00000006000000010000000300000000000000070000000700000000403499999999999a7ff80000000000007ff800000000000040675c28f5c28f5dbff0000000000000409470a3d70a3d71ffffffff0000000000000000000000000000000800000001000000004067accccccccccd7ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000900000012000000004056db05b05b05b07ff80000000000007ff80000000000004094e1ef90c02874bff000000000000040d77e2d82d82d83ffffffff0000000000000000000000000000000a000000060000000040673bbbbbbbbbbb7ff80000000000007ff80000000000004044fa4fa4fa4fa7bff0000000000000406f77777777777bffffffff0000000000000000000000000000000d000000020000000040340000000000007ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000e000000070000000040676af8af8af8af7ff80000000000007ff8000000000000408a0f6ce0dcaeb6bff000000000000040b6cd7f44c118dfffffffff0000000000000000'),
	(4, '{true,false,"it''s \\odd",blue,green,red,green,"it''s \\odd",red,blue,green,red}', '\x00000000000000000000001e00000003405a317e4b17e4b17ff800000000000040c66ad0cfaa960a40af50dcd1e5b1d03fcb1d6f949caf2940fd5bcf04c756b3000000000000000100000001000000000000000100000017fffffffe40577ee30f9525d87ff800000000000040d1eaf079c8e98140a5b84ffbf943813fc4e13f1288352940ef38f2fa365109000000020000000100000003000000000000000200000007fffffffe40618750750750757ff800000000000040e57e7b4e81b4e840b90487d6343eb23fcb1d6f949caf2940e5e3f6db6db6dc000000060000000200000001000000000000000300000006000000014048e66666666666404b40000000000040d6d672b020c49d40aea570a3d70a3f3fc4e13f1288352940d6fc147ae147afffffffff000000000000000000000000000000040000001100000002405b64e4e4e4e4e57ff800000000000040bada95515c88464096930271e150c03fb18688148e4d5f40d7fc3298ff65cc0000000900000002000000010000000000000005000000020000000040358000000000007ff80000000000007ff80000000000004002000000000000bff00000000000004012000000000000ffffffff0000000000000000000000000000000600000005ffffffff4067770a3d70a3d740515ccccccccccd40b2b89ba5e353f74090bdab9f559b3d3fa467cb8ddbafde40b4ed16872b020cffffffff0000000000000000000000000000000700000005000000004035e147ae147ae27ff80000000000007ff8000000000000403e1b089a02752abff00000000000004062d0e56041893affffffff0000000000000000000000000000000800000001000000004067accccccccccd7ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff000000000000000000000000000000090000001000000000405a04cccccccccd7ff80000000000007ff8000000000000408fe431eb851eb9bff000000000000040cfe431eb851eb9ffffffff0000000000000000000000000000000a00000001000000004068b333333333337ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000d0000000100000000405f7333333333337ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000e000000040000000040696666666666667ff80000000000007ff80000000000004061a3d70a3d70a5bff00000000000004081a3d70a3d70a5ffffffff0000000000000000'),
	(5, '{true,false,green,blue,"it''s \\odd",red,"it''s \\odd",red,blue}', '\x00000000000000000000002c000000034066ef586fb586fb7ff8000000000000408a34307c1f07d040bfd6121a92bebf3fc829d2661added4115e32c7244e323000000000000000100000001000000000000000100000020fffffffe406699cccccccccd7ff800000000000040fa9c002ae2d22040c0e529466666653fc829d2661added4110e5294666666500000002000000010000000300000000000000020000000cffffffff4067d37777777778404a79999999999a40ed2b890369d03840ba5a3068acf1373fc552dffdf72adc40f3c3a44e81b4e9ffffffff0000000000000000000000000000000300000007ffffffff4053466666666666403a4ccccccccccc40b2f3d70a3d70a140867ffffffffffd3f8bb5875d9fba2740b3affffffffffdffffffff000000000000000000000000000000040000001900000001406a3b020c49ba5e4052b9999999999a40f5d31eabe2be2640bb6839c51dabdf3fc829d2661added4105696d21ff2e46ffffffff0000000000000000000000000000000500000004000000004056b4cccccccccc7ff80000000000007ff80000000000004088606000000000bff000000000000040a8606000000000ffffffff000000000000000000000000000000060000000800000002406e1000000000007ff800000000000040ce299d0369d03b40a1ab73333333353fa60c9c15f1248a40d1ab733333333500000006000000020000000100000000000000070000000300000000404759999999999a7ff80000000000007ff8000000000000404f5c28f5c28f68bff00000000000004067851eb851eb8effffffff0000000000000000000000000000000800000004000000004058f999999999997ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff000000000000000000000000000000090000000f000000004063969d0369d0377ff80000000000007ff800000000000040b0776c5ca91e8abff000000000000040eedfeb2dbd1942ffffffff0000000000000000000000000000000a0000000a00000000407218cccccccccc7ff80000000000007ff80000000000004083a825e353f7d2bff000000000000040b8922f5c28f5c6ffffffff0000000000000000000000000000000d0000000600000000406ae444444444447ff80000000000007ff8000000000000407a23e02468acf3bff000000000000040a39ae81b4e81b6ffffffff0000000000000000000000000000000e00000002000000004073c9999999999a7ff80000000000007ff80000000000004051a3d70a3d7089bff00000000000004061a3d70a3d7089ffffffff0000000000000000'),
	(6, '{false,true,blue,green,"it''s \\odd",red,green,blue,"it''s \\odd",red,green,blue,blue,red,"it''s \\odd"}', '\x00000000000000000000002dfffffffd4060d4fa4fa4fa4f7ff800000000000040cf9f633397a35940c13def4e67d0e03fb4ade6ce5acedb41183f188641fdbb00000000000000010000000100000000000000010000001000000002405b47999999999a7ff800000000000040dc35a50750750740b72b81ab851eba3fb2c920c34d12dc40f72b81ab851eba00000002000000020000000200000000000000020000001dfffffffe406297d5a0a97d597ff800000000000040f2166d5e6f809140c345c7bb53d4e73fb4ade6ce5acedb4111773d01c3f8f100000006000000010000000300000000000000030000000cfffffffe40551e66666666677ff800000000000040b189599999999c40b4eddb5c28f5c33f881f07d109020040ef64c90a3d70a50000000a0000000100000001000000000000000400000004000000004066e1999999999a7ff80000000000007ff80000000000004076caeb851eb855bff00000000000004096caeb851eb855ffffffff0000000000000000000000000000000500000006ffffffff40514666666666664031e6666666666640a2600000000000407e6147ae147ae03f78403e93d3fe9540a6c8f5c28f5c28ffffffff000000000000000000000000000000060000001700000002406530b21642c8597ff800000000000040a1b333866b99f040c3fa398a1d3ac13f9dd1bcc6125279410cb7b2b68a04750000000c000000020000000100000000000000070000000400000000404c4666666666667ff80000000000007ff800000000000040872175c28f5c28bff000000000000040a72175c28f5c28ffffffff00000000000000000000000000000008000000080000000040589c00000000007ff80000000000007ff800000000000040bba9d700000002bff000000000000040eba9d700000002ffffffff0000000000000000000000000000000b000000020000000040448ccccccccccc7ff80000000000007ff80000000000000000000000000000bff00000000000000000000000000000ffffffff0000000000000000000000000000000c00000004000000004054c666666666667ff80000000000007ff80000000000004061a3d70a3d709ebff00000000000004081a3d70a3d709effffffff0000000000000000000000000000000d00000013000000004063e7691840ac767ff80000000000007ff800000000000040c6ccce8f05054ebff0000000000000410b133549d5f64dffffffff0000000000000000000000000000000e0000000400000000406b4ccccccccccd7ff80000000000007ff8000000000000407d7deb851eb85abff0000000000000409d7deb851eb85affffffff0000000000000000');

INSERT INTO kept.forests_summary VALUES
	('forest_train', false, 'kept.rows', 'kept.forests', 'id', 'z', 'x,k,b', 'k,b', 'x', 'g', 2, 1, 3, 5, 1, 100, false, true, 1, 3, 0, 120, 0, NULL, 'double precision', 'double precision, text, boolean', NULL, 1, 'poisson', 'best', 'x, k, b', 'None', -1, 0, '1.0.0', 1, 'mse', NULL, 3, 100, 0, 0, false, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{g}', '{integer}', NULL, '2026-11-28 04:00:48.329289+00', 'z', '{g}', NULL, 0, NULL, NULL, NULL, NULL, 0);

INSERT INTO kept.forests_then VALUES
	(120, 63.321250000000006),
	(117, 45.21818181818182),
	(114, 113.625),
	(111, 20.3),
	(108, 45.21818181818182),
	(105, 51.13125),
	(102, 113.625),
	(99, 57.40833333333333),
	(96, 63.321250000000006),
	(93, 45.21818181818182),
	(90, 84.475),
	(87, 76.05833333333334),
	(84, 45.21818181818182),
	(81, 49.03125),
	(78, 113.625),
	(75, 71.38125),
	(72, 45.21818181818182),
	(69, 45.21818181818182),
	(66, 84.475),
	(63, 78.54318181818182),
	(60, 63.321250000000006),
	(57, 45.21818181818182),
	(54, 91.63999999999999),
	(51, 71.38125),
	(48, 45.21818181818182),
	(45, 49.03125),
	(42, 56.558181818181815),
	(39, 76.05833333333334),
	(36, 63.321250000000006),
	(33, 45.21818181818182),
	(30, 84.475),
	(27, 76.05833333333334),
	(24, 45.21818181818182),
	(21, 51.13125),
	(18, 91.63999999999999),
	(15, 71.38125),
	(12, 45.21818181818182),
	(9, 45.21818181818182),
	(6, 84.475),
	(3, 76.05833333333334),
	(118, 97.7486111111111),
	(115, 20.75),
	(112, 144.97083333333333),
	(109, 21.240000000000002),
	(106, 156.57142857142856),
	(103, 97.7486111111111),
	(100, 195.27142857142854),
	(97, 21.240000000000002),
	(94, 97.7486111111111),
	(91, 156.57142857142856),
	(88, 144.51111111111112),
	(85, 28.425),
	(82, 97.7486111111111),
	(79, 97.7486111111111),
	(76, 195.27142857142854),
	(73, 21.240000000000002),
	(70, 80.575),
	(67, 97.7486111111111),
	(64, 191.73333333333332),
	(61, 28.425),
	(58, 97.7486111111111),
	(55, 20.75),
	(52, 191.73333333333332),
	(49, 97.7486111111111),
	(46, 80.575),
	(43, 97.7486111111111),
	(40, 195.27142857142854),
	(37, 21.240000000000002),
	(34, 97.7486111111111),
	(31, 20.75),
	(28, 144.97083333333333),
	(25, 104.42142857142856),
	(22, 97.7486111111111),
	(19, 97.7486111111111),
	(16, 195.27142857142854),
	(13, 189.4),
	(10, 80.575),
	(7, 97.7486111111111),
	(4, 191.73333333333332),
	(1, 104.42142857142856),
	(119, 157.96912280701753),
	(116, 199.09166666666667),
	(113, 253.97499999999997),
	(110, 207.51875),
	(107, 91.5),
	(104, 157.96912280701753),
	(101, 199.09166666666667),
	(98, 157.96912280701753),
	(95, 73.6875),
	(92, 157.96912280701753),
	(89, 253.97499999999997),
	(86, 94.63125),
	(83, 91.5),
	(80, 136.9375),
	(74, 157.96912280701753),
	(71, 73.6875),
	(68, 157.96912280701753),
	(65, 199.09166666666667),
	(62, 224.39078947368418),
	(59, 64.9),
	(56, 94.63125),
	(53, 187.55333333333334),
	(50, 207.51875),
	(47, 64.9),
	(44, 157.96912280701753),
	(41, 199.09166666666667),
	(38, 224.39078947368418),
	(35, 94.63125),
	(32, 157.96912280701753),
	(29, 187.55333333333334),
	(77, 157.96912280701753),
	(26, 207.51875),
	(23, 43.9),
	(20, 136.9375),
	(17, 187.55333333333334),
	(14, 224.39078947368418),
	(11, 135.84166666666667),
	(8, 157.96912280701753),
	(5, 199.09166666666667),
	(2, 224.39078947368418);

INSERT INTO kept.means VALUES
	(0, '{blue,green,"it''s \\odd",red,__NULL__,false,true}', '{5,2}', '{20491.81194958116,3426.8412272727264,0}', 2, 0, 1, 40, 5, 3, 36590.219, true, NULL),
	(1, '{blue,green,"it''s \\odd",red,__NULL__,false,true}', '{5,2}', '{131461.52203667953,0,0}', 2, 0, 2, 40, 5, 3, 161036.65499999997, true, NULL),
	(2, '{blue,green,"it''s \\odd",red,__NULL__,false,true}', '{5,2}', '{208131.00312500002,37558.51224999998,0}', 2, 0, 3, 40, 5, 3, 340743.931, true, NULL);

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

INSERT INTO kept.means_refreshed VALUES
	(0, '{blue,green,"it''s \\odd",red,__NULL__,false,true}', '{5,2}', '{20491.81194958116,3426.8412272727264,0}', 2, 0, 1, 40, 5, 3, 36590.219, true, NULL),
	(1, '{blue,green,"it''s \\odd",red,__NULL__,false,true}', '{5,2}', '{131461.52203667953,0,0}', 2, 0, 2, 40, 5, 3, 161036.65499999997, true, NULL),
	(2, '{blue,green,"it''s \\odd",red,__NULL__,false,true}', '{5,2}', '{208131.00312500002,37558.51224999998,0}', 2, 0, 3, 40, 5, 3, 340743.931, true, NULL);

INSERT INTO kept.means_refreshed_nodes VALUES
	(1, 0, NULL, 0, false, 'x', 50.45, NULL, true, 40, 40, 914.7554749999999, 36590.219, 0.6720173450801928, 20491.81194958116, 63.19500000000001, NULL, NULL),
	(1, 1, 0, 1, false, 'k', NULL, '{green,"it''s \\odd",NULL}', true, 22, 22, 314.0612603305785, 6909.347727272727, 0.09365457001699626, 3426.8412272727264, 40.768181818181816, NULL, '{blue,red}'),
	(1, 2, 0, 1, true, NULL, NULL, NULL, NULL, 18, 18, 282.8671913580247, 5091.609444444444, 0, NULL, 90.60555555555555, NULL, NULL),
	(1, 3, 1, 2, true, NULL, NULL, NULL, NULL, 12, 12, 236.11687500000002, 2833.4025, 0, NULL, 29.375, NULL, NULL),
	(1, 4, 1, 2, true, NULL, NULL, NULL, NULL, 10, 10, 64.91040000000001, 649.104, 0, NULL, 54.44, NULL, NULL),
	(2, 0, NULL, 0, false, 'x', 64.3, NULL, true, 40, 40, 4025.9163749999993, 161036.65499999997, 0.6637551429954438, 95728.34127580996, 111.425, NULL, NULL),
	(2, 1, 0, 1, false, 'x', 18.05, NULL, false, 26, 26, 1732.7914792899408, 45052.57846153846, 0.18715423606972584, 35733.18076086956, 73.4923076923077, NULL, NULL),
	(2, 2, 0, 1, true, NULL, NULL, NULL, NULL, 14, 14, 649.6548979591836, 9095.16857142857, 0, NULL, 181.87142857142857, NULL, NULL),
	(2, 3, 1, 2, true, NULL, NULL, NULL, NULL, 7, 7, 125.44000000000001, 878.08, 0, NULL, 17.400000000000002, NULL, NULL),
	(2, 4, 1, 2, true, NULL, NULL, NULL, NULL, 19, 19, 738.726648199446, 14035.806315789474, 0, NULL, 94.15789473684212, NULL, NULL),
	(3, 0, NULL, 0, false, 'x', 47.8, NULL, false, 40, 40, 8518.598275, 340743.931, 0.4154359109480369, 208131.00312500002, 159.36499999999998, NULL, NULL),
	(3, 1, 0, 1, true, NULL, NULL, NULL, NULL, 16, 16, 1875.0068359375, 30000.109375, 0, NULL, 86.50625, NULL, NULL),
	(3, 2, 0, 1, false, 'k', NULL, '{green,red,NULL}', false, 24, 24, 7049.4398437499985, 169186.55624999997, 0.11022503655391583, 37558.51224999998, 207.9375, NULL, '{blue,"it''s \\odd"}'),
	(3, 5, 2, 2, true, NULL, NULL, NULL, NULL, 9, 9, 6926.008888888888, 62334.07999999999, 0, NULL, 156.86666666666667, NULL, NULL),
	(3, 6, 2, 2, true, NULL, NULL, NULL, NULL, 15, 15, 4619.5976, 69293.964, 0, NULL, 238.57999999999998, NULL, NULL);

INSERT INTO kept.means_refreshed_summary VALUES
	('tree_train', false, 'kept.rows', 'kept.means_refreshed', 'id', 'x, k, b', 'None', 'z', 'x,k,b', 'k,b', 'x', 'g', 3, 0, 120, 0, NULL, 'double precision', 'double precision, text, boolean', 0, 0, '__NULL__', '1.0.0', 1, 'mse', NULL, 4, 20, 6, 100, 0, 0, true, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{g}', '{integer}', '{"b": {"1": ["false", "true"], "2": ["false", "true"], "3": ["false", "true"]}, "k": {"1": ["blue", "green", "it''s \\odd", "red", null], "2": ["blue", "green", "it''s \\odd", "red", null], "3": ["blue", "green", "it''s \\odd", "red", null]}}', '2026-11-28 04:00:47.487884+00', 'z', '{g}', NULL, 0, NULL, NULL, NULL, NULL, 0, 'kept.means', 'kept.rows');

INSERT INTO kept.means_refreshed_then VALUES
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
	(118, 94.15789473684212),
	(115, 181.87142857142857),
	(112, 181.87142857142857),
	(109, 17.400000000000002),
	(106, 94.15789473684212),
	(103, 181.87142857142857),
	(100, 181.87142857142857),
	(97, 17.400000000000002),
	(94, 94.15789473684212),
	(91, 94.15789473684212),
	(88, 94.15789473684212),
	(85, 17.400000000000002),
	(82, 94.15789473684212),
	(79, 94.15789473684212),
	(76, 181.87142857142857),
	(73, 17.400000000000002),
	(70, 94.15789473684212),
	(67, 94.15789473684212),
	(64, 181.87142857142857),
	(61, 17.400000000000002),
	(58, 94.15789473684212),
	(55, 94.15789473684212),
	(52, 181.87142857142857),
	(49, 17.400000000000002),
	(46, 94.15789473684212),
	(43, 94.15789473684212),
	(40, 181.87142857142857),
	(37, 17.400000000000002),
	(34, 94.15789473684212),
	(31, 94.15789473684212),
	(28, 181.87142857142857),
	(25, 181.87142857142857),
	(22, 94.15789473684212),
	(19, 94.15789473684212),
	(16, 181.87142857142857),
	(13, 181.87142857142857),
	(10, 94.15789473684212),
	(7, 94.15789473684212),
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

INSERT INTO kept.means_statistics VALUES
	('x', 'missing', 0, NULL, NULL, NULL, 10),
	('x', 'range', 1, 0.3, 8.7, NULL, 11),
	('x', 'range', 2, 8.7, 19.6, NULL, 11),
	('x', 'range', 3, 19.6, 30.2, NULL, 11),
	('x', 'range', 4, 30.2, 40.8, NULL, 11),
	('x', 'range', 5, 40.8, 49.5, NULL, 11),
	('x', 'range', 6, 49.5, 59.8, NULL, 11),
	('x', 'range', 7, 59.8, 68.5, NULL, 11),
	('x', 'range', 8, 68.5, 78.8, NULL, 11),
	('x', 'range', 9, 78.8, 89.4, NULL, 11),
	('x', 'range', 10, 89.4, 97.8, NULL, 11),
	('k', 'missing', 0, NULL, NULL, NULL, 17),
	('k', 'category', 1, NULL, NULL, 'green', 25),
	('k', 'category', 2, NULL, NULL, 'it''s \odd', 26),
	('k', 'category', 3, NULL, NULL, 'red', 26),
	('k', 'category', 4, NULL, NULL, 'blue', 26),
	('b', 'missing', 0, NULL, NULL, NULL, 0),
	('b', 'category', 1, NULL, NULL, 'false', 48),
	('b', 'category', 2, NULL, NULL, 'true', 72);

INSERT INTO kept.means_summary VALUES
	('tree_train', false, 'kept.rows', 'kept.means', 'id', 'x, k, b', 'None', 'z', 'x,k,b', 'k,b', 'x', 'g', 3, 0, 120, 0, NULL, 'double precision', 'double precision, text, boolean', 0, 0, '__NULL__', '1.0.0', 1, 'mse', NULL, 4, 20, 6, 100, 0, 0, true, 'min', NULL, '{x,k,b}', '{"double precision",text,boolean}', '{continuous,unordered,unordered}', '{}', '{g}', '{integer}', '{"b": {"1": ["false", "true"], "2": ["false", "true"], "3": ["false", "true"]}, "k": {"1": ["blue", "green", "it''s \\odd", "red", null], "2": ["blue", "green", "it''s \\odd", "red", null], "3": ["blue", "green", "it''s \\odd", "red", null]}}', '2026-11-28 04:00:47.487884+00', 'z', '{g}', NULL, 0, NULL, NULL, NULL, NULL, 0);

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

INSERT INTO kept.my_models_then VALUES
	('between', 'regression forest', 3),
	('boosted', 'classification boosting', 9),
	('boosts', 'regression boosting', 9),
	('classes', 'classification', 1),
	('classes_calibrated', 'classification', 1),
	('forest', 'classification forest', 3),
	('forests', 'regression forest', 6),
	('means', 'regression', 3),
	('means_refreshed', 'regression', 3),
	('ordered', 'classification boosting', 3),
	('sure', 'classification boosting', 3),
	('sure_calibrated', 'classification boosting', 3);

INSERT INTO kept.ordered VALUES
	(1, 1, NULL, NULL, '{0,16.025562239175777}', 4, -1, 1, 119, 9, 5, 0, true, NULL, 1, NULL),
	(1, 2, NULL, NULL, '{0,12.926603669032978}', 4, -1, 2, 119, 9, 5, 0, true, NULL, 2, NULL),
	(1, 3, NULL, NULL, '{2.1787408866370437,8.711712104021997}', 3, -1, 3, 119, 9, 5, 0, true, NULL, 3, NULL);

INSERT INTO kept.ordered_categories VALUES
	(1, 'k', 'blue', 26, 26, 15, 0.6, 0.5777777777777777),
	(1, 'k', 'red', 26, 26, 15, 0.6, 0.5777777777777777),
	(1, 'k', 'green', 25, 25, 15, 0.6, 0.6),
	(1, 'k', 'it''s \odd', 26, 26, 16, 0.6, 0.6148148148148148);

INSERT INTO kept.ordered_group VALUES
	(1, true, '{4}', '{blue,green,"it''s \\odd",red}', '{2.1787408866370437,37.663878012230754}', 3, 3, '{0.3914788661334244}', NULL, 119, 0, 0.642542320881107, NULL, NULL);

INSERT INTO kept.ordered_packed VALUES
	(1, '{blue,red,green,"it''s \\odd"}', '\x00000000000000000000007700000002bcc57419f5e77b497ff8000000000000401fb596bb99ea7f00000000000000000000000000000000403ca37eeca37ef6000000000000000000000000000000040000000000000000000000010000006ffffffffe3f8ced440f99bf087ff80000000000003ffdb7491306d13000000000000000000000000000000000403ab69f43fd9d26000000000000000000000000000000000000000400000000000000020000000800000000bfc915c1058754e87ff80000000000007ff8000000000000000000000000000000000000000000003ffecdfa8a5e1d000000000000000000ffffffff0000000000000000000000000000000300000024000000023faab7b34b2176d57ff8000000000000400b74a453b2187d00000000000000000000000000000000402153dcedd4f050000000000000000000000000000000000000000000000000000000040000004b00000000bf70f8dcc95d40f27ff80000000000007ff80000000000000000000000000000000000000000000040320cb0cd1324fe0000000000000000ffffffff0000000000000000000000000000000700000013fffffffebf7e1c36669a3af27ff8000000000000400678e3a540d7fb0000000000000000000000000000000040124a4cc227e1380000000000000000000000000000000000000000000000000000000800000011000000003fbe647a1c5d43d27ff80000000000007ff80000000000000000000000000000000000000000000040105d6d1981ff680000000000000000ffffffff0000000000000000000000000000000f00000009000000003fb344b88069fa6a7ff80000000000007ff800000000000000000000000000000000000000000000400153dcedd4f0500000000000000000ffffffff000000000000000000000000000000100000000a00000000bfb4eacc82f4e52c7ff80000000000007ff800000000000000000000000000000000000000000000400340bc967ad2200000000000000000ffffffff0000000000000000'),
	(2, '{blue,red,green,"it''s \\odd"}', '\x000000000000000000000077000000023f0b3249b9be46687ff80000000000004018f161bcfcc4f300000000000000000000000000000000403c9a4b7d78b530000000000000000000000000000000040000000000000000000000010000006ffffffffe3f8a31062ef414df7ff80000000000003ff885b7a86c790e00000000000000000000000000000000403a9f27fce52c20000000000000000000000000000000000000000400000000000000020000000800000000bfc5e706fb57b2d07ff80000000000007ff8000000000000000000000000000000000000000000003fffb238093891000000000000000000ffffffff0000000000000000000000000000000300000024000000023fa86573856442497ff8000000000000400715292f5bed5a0000000000000000000000000000000040211d90bab7ae7c000000000000000000000000000000000000000000000000000000040000004b00000000bf6e862d6340df3d7ff80000000000007ff8000000000000000000000000000000000000000000004032105f9f8954e20000000000000000ffffffff0000000000000000000000000000000700000013fffffffebf7adb0801dd98887ff800000000000040022ee6b1ab198a0000000000000000000000000000000040124a7e0df9bf280000000000000000000000000000000000000000000000000000000800000011000000003fbc1f164a5739e57ff80000000000007ff800000000000000000000000000000000000000000000400fe146ceeb3ba00000000000000000ffffffff0000000000000000000000000000000f00000009000000003fb1a278581d57967ff80000000000007ff80000000000000000000000000000000000000000000040010ddf8c74d6900000000000000000ffffffff000000000000000000000000000000100000000a00000000bfb28b924b122b037ff80000000000007ff8000000000000000000000000000000000000000000004003871c8f7ea7c00000000000000000ffffffff0000000000000000'),
	(3, '{blue,red,green,"it''s \\odd"}', '\x000000000000000000000077000000023f15f1011b02421c7ff800000000000040140481b86a83bd00000000000000000000000000000000403c8103e57d10e6000000000000000000000000000000040000000000000000000000010000006ffffffffe3f87be0fc24845307ff80000000000003ff45050cfa4f5b200000000000000000000000000000000403a811762fa0696000000000000000000000000000000000000000400000000000000020000000800000000bfc383dbd629a9487ff80000000000007ff8000000000000000000000000000000000000000000003ffffec82830a5000000000000000000ffffffff0000000000000000000000000000000300000024000000023fa658f54be6d5e37ff80000000000004003806a44f00688000000000000000000000000000000004020dadf52e3d21c000000000000000000000000000000000000000000000000000000040000004bffffffffbf6b737eb1b40bdd402bb3333333333340016e0fb3b4835f00000000000000000000000000000000403213a7b9881d880000000000000000ffffffff000000000000000000000000000000070000001300000000bf780a8941666c787ff80000000000007ff80000000000000000000000000000000000000000000040123ea0023699500000000000000000ffffffff0000000000000000000000000000000800000011000000003fba20cf679b18407ff80000000000007ff800000000000000000000000000000000000000000000400eee3d472215d00000000000000000ffffffff000000000000000000000000000000090000000a000000003fb5cd120da9d7387ff80000000000007ff8000000000000000000000000000000000000000000004003482a5f801f800000000000000000ffffffff0000000000000000000000000000000a0000004100000000bf916015ff93b7637ff80000000000007ff800000000000000000000000000000000000000000000402f5544db3033300000000000000000ffffffff0000000000000000');

INSERT INTO kept.ordered_rounds VALUES
	(1, 0, 0.6743510578719313, NULL),
	(1, 1, 0.6615591110150909, NULL),
	(1, 2, 0.6512386399580975, NULL),
	(1, 3, 0.642542320881107, NULL);

INSERT INTO kept.ordered_summary VALUES
	('boost_train', true, 'kept.rows', 'kept.ordered', 'id', 'x, k', 'None', 'b', 'x,k', 'k', 'x', NULL, 1, 0, 119, 1, '{false,true}', 'boolean', 'double precision, text', -1, 0, NULL, '1.0.0', 1, 'gini', NULL, 60, 10, 5, 255, 0, 0, false, 'min', NULL, '{x,k}', '{"double precision",text}', '{continuous,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:49.411955+00', 'b', '{}', 5, 0, NULL, NULL, NULL, NULL, 0, 'log_loss', 3, 0.1, 0, 0, 1, 1, 10, NULL, 10, 32, 100, 1, 0.1, 'gradient', 'ordered', 1, 0, NULL, 10, 1e-07, false, NULL, NULL);

INSERT INTO kept.ordered_then VALUES
	(1, 0.3666410910750343),
	(2, 0.3666410910750343),
	(3, 0.3666410910750343),
	(4, 0.3666410910750343),
	(5, 0.3666410910750343),
	(6, 0.3666410910750343),
	(7, 0.3666410910750343),
	(8, 0.3666410910750343),
	(9, 0.3666410910750343),
	(10, 0.3666410910750343),
	(11, 0.3666410910750343),
	(12, 0.46876957013614573),
	(13, 0.3666410910750343),
	(14, 0.3666410910750343),
	(15, 0.3666410910750343),
	(16, 0.3666410910750343),
	(17, 0.3666410910750343),
	(18, 0.3666410910750343),
	(19, 0.3666410910750343),
	(20, 0.3666410910750343),
	(21, 0.3666410910750343),
	(22, 0.3666410910750343),
	(23, 0.46876957013614573),
	(24, 0.46876957013614573),
	(25, 0.3666410910750343),
	(26, 0.3666410910750343),
	(77, 0.3666410910750343),
	(27, 0.3666410910750343),
	(28, 0.3666410910750343),
	(29, 0.3666410910750343),
	(30, 0.3666410910750343),
	(31, 0.3666410910750343),
	(32, 0.3666410910750343),
	(33, 0.3666410910750343),
	(34, 0.3666410910750343),
	(35, 0.3666410910750343),
	(36, 0.46876957013614573),
	(37, 0.46876957013614573),
	(38, 0.3666410910750343),
	(39, 0.3666410910750343),
	(40, 0.3666410910750343),
	(41, 0.3666410910750343),
	(42, 0.3666410910750343),
	(43, 0.3666410910750343),
	(44, 0.3666410910750343),
	(45, 0.3666410910750343),
	(46, 0.3666410910750343),
	(47, 0.3666410910750343),
	(48, 0.46876957013614573),
	(49, 0.46876957013614573),
	(50, 0.3666410910750343),
	(51, 0.3666410910750343),
	(52, 0.3666410910750343),
	(53, 0.3666410910750343),
	(54, 0.3666410910750343),
	(55, 0.3666410910750343),
	(56, 0.3666410910750343),
	(57, 0.3666410910750343),
	(58, 0.3666410910750343),
	(59, 0.3666410910750343),
	(60, 0.3666410910750343),
	(61, 0.46876957013614573),
	(62, 0.3666410910750343),
	(63, 0.3666410910750343),
	(64, 0.3666410910750343),
	(65, 0.3666410910750343),
	(66, 0.3666410910750343),
	(67, 0.3666410910750343),
	(68, 0.3666410910750343),
	(69, 0.3666410910750343),
	(70, 0.3666410910750343),
	(71, 0.3666410910750343),
	(72, 0.3666410910750343),
	(73, 0.46876957013614573),
	(74, 0.46876957013614573),
	(75, 0.3666410910750343),
	(76, 0.3666410910750343),
	(78, 0.3666410910750343),
	(79, 0.3666410910750343),
	(80, 0.3666410910750343),
	(81, 0.3666410910750343),
	(82, 0.3666410910750343),
	(83, 0.3666410910750343),
	(84, 0.3666410910750343),
	(85, 0.46876957013614573),
	(86, 0.46876957013614573),
	(87, 0.3666410910750343),
	(88, 0.3666410910750343),
	(89, 0.3666410910750343),
	(90, 0.3666410910750343),
	(91, 0.3666410910750343),
	(92, 0.3666410910750343),
	(93, 0.3666410910750343),
	(94, 0.3666410910750343),
	(95, 0.3666410910750343),
	(96, 0.3666410910750343),
	(97, 0.3666410910750343),
	(98, 0.46876957013614573),
	(99, 0.3666410910750343),
	(100, 0.3666410910750343),
	(101, 0.3666410910750343),
	(102, 0.3666410910750343),
	(103, 0.3666410910750343),
	(104, 0.3666410910750343),
	(105, 0.3666410910750343),
	(106, 0.3666410910750343),
	(107, 0.3666410910750343),
	(108, 0.3666410910750343),
	(109, 0.3666410910750343),
	(110, 0.3666410910750343),
	(111, 0.46876957013614573),
	(112, 0.3666410910750343),
	(113, 0.3666410910750343),
	(114, 0.3666410910750343),
	(115, 0.3666410910750343),
	(116, 0.3666410910750343),
	(117, 0.3666410910750343),
	(118, 0.3666410910750343),
	(119, 0.3666410910750343),
	(120, 0.3666410910750343);

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
	(1, 0, 0.018867924528301886, 0.9811320754716981),
	(2, 0, 0.018867924528301886, 0.9811320754716981),
	(3, 0, 0.018867924528301886, 0.9811320754716981),
	(4, 0.875, 0, 0.125),
	(5, 0, 0.018867924528301886, 0.9811320754716981),
	(6, 0, 0.018867924528301886, 0.9811320754716981),
	(7, 1, 0, 0),
	(8, 0, 0, 1),
	(9, 1, 0, 0),
	(10, 0, 1, 0),
	(11, 0, 0.018867924528301886, 0.9811320754716981),
	(12, 0, 0, 1),
	(13, 0, 0.018867924528301886, 0.9811320754716981),
	(14, 0, 0.018867924528301886, 0.9811320754716981),
	(15, 0, 0.018867924528301886, 0.9811320754716981),
	(16, 0, 1, 0),
	(17, 0, 0.018867924528301886, 0.9811320754716981),
	(18, 0, 0.018867924528301886, 0.9811320754716981),
	(19, 1, 0, 0),
	(20, 0, 0, 1),
	(21, 0, 1, 0),
	(22, 0, 0.018867924528301886, 0.9811320754716981),
	(23, 1, 0, 0),
	(24, 0, 0, 1),
	(25, 0, 0.018867924528301886, 0.9811320754716981),
	(26, 0, 0.018867924528301886, 0.9811320754716981),
	(77, 0, 0.018867924528301886, 0.9811320754716981),
	(27, 0, 0.018867924528301886, 0.9811320754716981),
	(28, 0, 0.018867924528301886, 0.9811320754716981),
	(29, 0, 0.018867924528301886, 0.9811320754716981),
	(30, 0, 0.018867924528301886, 0.9811320754716981),
	(31, 0, 1, 0),
	(32, 0, 0, 1),
	(33, 0, 0.018867924528301886, 0.9811320754716981),
	(34, 1, 0, 0),
	(35, 0, 1, 0),
	(36, 0, 0, 1),
	(37, 1, 0, 0),
	(38, 0, 0.018867924528301886, 0.9811320754716981),
	(39, 0, 0.018867924528301886, 0.9811320754716981),
	(40, 0, 1, 0),
	(41, 0, 0.018867924528301886, 0.9811320754716981),
	(42, 0, 0.018867924528301886, 0.9811320754716981),
	(43, 0, 0.018867924528301886, 0.9811320754716981),
	(44, 0.875, 0, 0.125),
	(45, 0, 1, 0),
	(46, 0, 1, 0),
	(47, 1, 0, 0),
	(48, 0, 0, 1),
	(49, 1, 0, 0),
	(50, 0, 0.018867924528301886, 0.9811320754716981),
	(51, 0, 0.018867924528301886, 0.9811320754716981),
	(52, 0.875, 0, 0.125),
	(53, 0, 0.018867924528301886, 0.9811320754716981),
	(54, 0, 0.018867924528301886, 0.9811320754716981),
	(55, 0, 0.018867924528301886, 0.9811320754716981),
	(56, 0, 1, 0),
	(57, 1, 0, 0),
	(58, 1, 0, 0),
	(59, 1, 0, 0),
	(60, 0, 0, 1),
	(61, 0, 1, 0),
	(62, 0, 0.018867924528301886, 0.9811320754716981),
	(63, 0, 0.018867924528301886, 0.9811320754716981),
	(64, 0.875, 0, 0.125),
	(65, 0, 0.018867924528301886, 0.9811320754716981),
	(66, 0, 0.018867924528301886, 0.9811320754716981),
	(67, 0, 0.018867924528301886, 0.9811320754716981),
	(68, 0.875, 0, 0.125),
	(69, 1, 0, 0),
	(70, 0, 1, 0),
	(71, 0, 1, 0),
	(72, 0, 0, 1),
	(73, 1, 0, 0),
	(74, 1, 0, 0),
	(75, 0, 0.018867924528301886, 0.9811320754716981),
	(76, 0, 1, 0),
	(78, 0, 0.018867924528301886, 0.9811320754716981),
	(79, 0, 0.018867924528301886, 0.9811320754716981),
	(80, 0, 1, 0),
	(81, 0, 1, 0),
	(82, 1, 0, 0),
	(83, 1, 0, 0),
	(84, 1, 0, 0),
	(85, 0, 1, 0),
	(86, 0, 1, 0),
	(87, 0, 0.018867924528301886, 0.9811320754716981),
	(88, 0.875, 0, 0.125),
	(89, 0, 0.018867924528301886, 0.9811320754716981),
	(90, 0, 0.018867924528301886, 0.9811320754716981),
	(91, 0, 0.018867924528301886, 0.9811320754716981),
	(92, 0.875, 0, 0.125),
	(93, 1, 0, 0),
	(94, 1, 0, 0),
	(95, 0, 1, 0),
	(96, 0, 0, 1),
	(97, 1, 0, 0),
	(98, 1, 0, 0),
	(99, 0, 0.018867924528301886, 0.9811320754716981),
	(100, 0, 1, 0),
	(101, 0, 0.018867924528301886, 0.9811320754716981),
	(102, 0, 0.018867924528301886, 0.9811320754716981),
	(103, 0, 0.018867924528301886, 0.9811320754716981),
	(104, 0.875, 0, 0.125),
	(105, 0, 0.018867924528301886, 0.9811320754716981),
	(106, 0, 1, 0),
	(107, 1, 0, 0),
	(108, 0, 0, 1),
	(109, 1, 0, 0),
	(110, 0, 0.018867924528301886, 0.9811320754716981),
	(111, 0, 1, 0),
	(112, 0, 0.018867924528301886, 0.9811320754716981),
	(113, 0, 0.018867924528301886, 0.9811320754716981),
	(114, 0, 0.018867924528301886, 0.9811320754716981),
	(115, 0, 0.018867924528301886, 0.9811320754716981),
	(116, 0, 1, 0),
	(117, 0, 0.018867924528301886, 0.9811320754716981),
	(118, 1, 0, 0),
	(119, 1, 0, 0),
	(120, 0, 0, 1);

INSERT INTO kept.sure VALUES
	(1, 1, NULL, NULL, '{6.109156907967726,0}', 3, -1, 1, 119, 9, 5, 0, true, NULL, 1, NULL),
	(1, 2, NULL, NULL, '{3.2672914428952406,2.528502123707796}', 3, -1, 2, 119, 9, 5, 0, true, NULL, 2, NULL),
	(1, 3, NULL, NULL, '{2.5141641574152227,1.8054849434124167}', 4, -1, 3, 119, 9, 5, 0, true, NULL, 3, NULL);

INSERT INTO kept.sure_calibrated VALUES
	(1, 1, NULL, NULL, '{6.109156907967726,0}', 3, -1, 1, 119, 9, 5, 0, true, NULL, 1, NULL),
	(1, 2, NULL, NULL, '{3.2672914428952406,2.528502123707796}', 3, -1, 2, 119, 9, 5, 0, true, NULL, 2, NULL),
	(1, 3, NULL, NULL, '{2.5141641574152227,1.8054849434124167}', 4, -1, 3, 119, 9, 5, 0, true, NULL, 3, NULL);

INSERT INTO kept.sure_calibrated_group VALUES
	(1, true, '{4}', '{blue,green,"it''s \\odd",red}', '{11.89061250827819,4.333987067120213}', 3, 3, '{0.3914788661334244}', NULL, 119, 0, NULL, NULL, NULL, '{-0.00975363846718251,0.1980533024147843,0.2731428886699131,0.31689530292398715,0.34264451461082357,0.349832610750541,0.40618592293099476,0.4249221970056698,0.48336592973234915,0.49535872748149484,0.5601379341773715}', '{0,0,0.4375,0.4375,0.46153846153846156,0.6307692307692307,0.6307692307692307,0.6666666666666666,0.8,0.8571428571428571,0.8571428571428571}');

INSERT INTO kept.sure_calibrated_packed VALUES
	(1, '{}', '\x00000000000000000000007700000001bcc57419f5e77b494055b000000000003ff1b5ad95c385b300000000000000000000000000000000403ca37eeca37ef60000000000000000ffffffff000000000000000000000000000000010000006a000000013f7c332d650b3b8d4053a9999999999a3ff99d09361c999c00000000000000000000000000000000403982937a95f0040000000000000000ffffffff000000000000000000000000000000020000000dffffffffbfacbe01f5c19d4d405703333333333440027989eb8cb18f000000000000000000000000000000004009075b906c77900000000000000000ffffffff000000000000000000000000000000030000006000000001bf53aa6d216991134050f000000000003ff17950ad6426ff0000000000000000000000000000000040371a7be7c695c00000000000000000ffffffff000000000000000000000000000000040000000a000000003fb5a1de718dad377ff80000000000007ff800000000000000000000000000000000000000000000400340bc967ad2200000000000000000ffffffff000000000000000000000000000000050000000500000000bfc51890fe9b172f7ff80000000000007ff8000000000000000000000000000000000000000000003ff340bc967ad2200000000000000000ffffffff0000000000000000000000000000000600000008000000003f88229d34a4695c7ff80000000000007ff8000000000000000000000000000000000000000000003ffecdfa8a5e1d000000000000000000ffffffff0000000000000000000000000000000700000053000000003f7e53ef3cc7bd157ff80000000000007ff8000000000000000000000000000000000000000000004033f99075b906ce0000000000000000ffffffff000000000000000000000000000000080000000d00000000bfacbe01f5c19d4d7ff80000000000007ff8000000000000000000000000000000000000000000004009075b906c77900000000000000000ffffffff0000000000000000'),
	(2, '{red,blue,green,"it''s \\odd"}', '\x000000000000000000000077ffffffff3ef45bbb2848745c4055b000000000003fec872d0fffdb3100000000000000000000000000000000403c9ff681eb977c0000000000000000ffffffff0000000000000000000000000000000100000061000000013f814dbcacd2266f4053a9999999999a3ff41283390a8e970000000000000000000000000000000040374e9ea333aeb80000000000000000ffffffff000000000000000000000000000000020000001600000002bfa2e810d89468e87ff800000000000040043a5f52498841000000000000000000000000000000004015455f7adfa3100000000000000000000000000000000100000003000000000000000300000057000000003f4577ccbe7f2aec7ff80000000000007ff8000000000000000000000000000000000000000000004034f18aef9c75f00000000000000000ffffffff000000000000000000000000000000040000000a000000003fb3d7b64130b1797ff80000000000007ff8000000000000000000000000000000000000000000004002e89d9cb9c6400000000000000000ffffffff0000000000000000000000000000000500000005000000003fb6fef700b9aa3a7ff80000000000007ff8000000000000000000000000000000000000000000003ff36e0a1297fba00000000000000000ffffffff000000000000000000000000000000060000001100000001bfb30e6d2f1f940340570333333333343ff1f0b9a351494900000000000000000000000000000000401069dcf639a4280000000000000000ffffffff0000000000000000000000000000000d0000000a00000000bfbe33deee3e9e0d7ff80000000000007ff8000000000000000000000000000000000000000000004003619335e75b600000000000000000ffffffff0000000000000000000000000000000e0000000700000000bf87eb636ea551287ff80000000000007ff8000000000000000000000000000000000000000000003ffae44d6d17d9e00000000000000000ffffffff0000000000000000'),
	(3, '{blue,green,"it''s \\odd",red}', '\x000000000000000000000077ffffffff3f02b413534061af400a0000000000003fec2d228efda51b00000000000000000000000000000000403c99fa2526b79c0000000000000000ffffffff0000000000000000000000000000000100000005000000003fb575ba8fcbbbc47ff80000000000007ff8000000000000000000000000000000000000000000003ff338fcfe8b7b200000000000000000ffffffff0000000000000000000000000000000200000072ffffffffbf6dce32396a2634402119999999999a3fe918cdfd37ccfd00000000000000000000000000000000403b666a553dffea0000000000000000ffffffff000000000000000000000000000000050000000500000000bfb528171a17383b7ff80000000000007ff8000000000000000000000000000000000000000000003ff338fcfe8b7b200000000000000000ffffffff000000000000000000000000000000060000006d00000001bef020b1a604ccaf4055b000000000003feb2e17d7e683e400000000000000000000000000000000403a32da855548380000000000000000ffffffff0000000000000000000000000000000d00000060000000003f7b3a8eaadd043c7ff80000000000007ff80000000000000000000000000000000000000000000040370b0de7a4e6cc0000000000000000ffffffff0000000000000000000000000000000e0000000d00000002bfa8eba8557329e87ff80000000000003ffce3442e1607210000000000000000000000000000000040093e64ed830b600000000000000000000000000000000100000003000000000000001d00000006000000003fa111ad873b69ff7ff80000000000007ff8000000000000000000000000000000000000000000003ff735230ddc31400000000000000000ffffffff0000000000000000000000000000001e0000000700000000bfbe522b79e541987ff80000000000007ff8000000000000000000000000000000000000000000003ffb47a6cd29e5800000000000000000ffffffff0000000000000000');

INSERT INTO kept.sure_calibrated_summary VALUES
	('boost_train', true, 'kept.rows', 'kept.sure_calibrated', 'id', 'x, k', 'None', 'b', 'x,k', 'k', 'x', NULL, 1, 0, 119, 1, '{false,true}', 'boolean', 'double precision, text', -1, 0, NULL, '1.0.0', 1, 'gini', NULL, 60, 10, 5, 255, 0, 0, false, 'min', NULL, '{x,k}', '{"double precision",text}', '{continuous,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:49.548008+00', 'b', '{}', 5, 0, NULL, NULL, NULL, NULL, 0, 'isotonic', 3, 0.1, 0, 0, 1, 1, 10, NULL, 10, 32, 100, 1, 0.1, 'gradient', 'none', NULL, 0, NULL, 10, 1e-07, false, NULL, NULL, 'isotonic', 'kept.sure', 'kept.rows');

INSERT INTO kept.sure_calibrated_then VALUES
	(1, 1, 0),
	(2, 0.1428571428571429, 0.8571428571428571),
	(3, 0.5384615384615384, 0.46153846153846156),
	(4, 0.36923076923076925, 0.6307692307692307),
	(5, 0.36923076923076925, 0.6307692307692307),
	(6, 0.36923076923076925, 0.6307692307692307),
	(7, 0.36923076923076925, 0.6307692307692307),
	(8, 0.36923076923076925, 0.6307692307692307),
	(9, 0.36923076923076925, 0.6307692307692307),
	(10, 0.36923076923076925, 0.6307692307692307),
	(11, 0.5625, 0.4375),
	(12, 0.19999999999999996, 0.8),
	(13, 0.5625, 0.4375),
	(14, 0.1428571428571429, 0.8571428571428571),
	(15, 0.5384615384615384, 0.46153846153846156),
	(16, 0.5384615384615384, 0.46153846153846156),
	(17, 0.36923076923076925, 0.6307692307692307),
	(18, 0.36923076923076925, 0.6307692307692307),
	(19, 0.36923076923076925, 0.6307692307692307),
	(20, 0.36923076923076925, 0.6307692307692307),
	(21, 0.36923076923076925, 0.6307692307692307),
	(22, 0.5625, 0.4375),
	(23, 0.36923076923076925, 0.6307692307692307),
	(24, 0.5625, 0.4375),
	(25, 0.5625, 0.4375),
	(26, 1, 0),
	(77, 0.1428571428571429, 0.8571428571428571),
	(27, 0.1428571428571429, 0.8571428571428571),
	(28, 0.5384615384615384, 0.46153846153846156),
	(29, 0.36923076923076925, 0.6307692307692307),
	(30, 0.36923076923076925, 0.6307692307692307),
	(31, 0.36923076923076925, 0.6307692307692307),
	(32, 0.36923076923076925, 0.6307692307692307),
	(33, 0.5625, 0.4375),
	(34, 0.36923076923076925, 0.6307692307692307),
	(35, 0.36923076923076925, 0.6307692307692307),
	(36, 0.5625, 0.4375),
	(37, 0.19999999999999996, 0.8),
	(38, 0.33333333333333337, 0.6666666666666666),
	(39, 0.1428571428571429, 0.8571428571428571),
	(40, 0.5384615384615384, 0.46153846153846156),
	(41, 0.5384615384615384, 0.46153846153846156),
	(42, 0.36923076923076925, 0.6307692307692307),
	(43, 0.36923076923076925, 0.6307692307692307),
	(44, 0.1428571428571429, 0.8571428571428571),
	(45, 0.36923076923076925, 0.6307692307692307),
	(46, 0.36923076923076925, 0.6307692307692307),
	(47, 0.36923076923076925, 0.6307692307692307),
	(48, 0.36923076923076925, 0.6307692307692307),
	(49, 0.19999999999999996, 0.8),
	(50, 0.33333333333333337, 0.6666666666666666),
	(51, 1, 0),
	(52, 0.1428571428571429, 0.8571428571428571),
	(53, 0.5384615384615384, 0.46153846153846156),
	(54, 0.36923076923076925, 0.6307692307692307),
	(55, 0.5625, 0.4375),
	(56, 0.36923076923076925, 0.6307692307692307),
	(57, 0.36923076923076925, 0.6307692307692307),
	(58, 0.36923076923076925, 0.6307692307692307),
	(59, 0.36923076923076925, 0.6307692307692307),
	(60, 0.36923076923076925, 0.6307692307692307),
	(61, 0.5625, 0.4375),
	(62, 0.33333333333333337, 0.6666666666666666),
	(63, 0.36923076923076925, 0.6307692307692307),
	(64, 0.1428571428571429, 0.8571428571428571),
	(65, 0.5384615384615384, 0.46153846153846156),
	(66, 0.5625, 0.4375),
	(67, 0.36923076923076925, 0.6307692307692307),
	(68, 0.36923076923076925, 0.6307692307692307),
	(69, 0.36923076923076925, 0.6307692307692307),
	(70, 0.36923076923076925, 0.6307692307692307),
	(71, 0.36923076923076925, 0.6307692307692307),
	(72, 0.36923076923076925, 0.6307692307692307),
	(73, 0.36923076923076925, 0.6307692307692307),
	(74, 0.19999999999999996, 0.8),
	(75, 0.5625, 0.4375),
	(76, 0.1428571428571429, 0.8571428571428571),
	(78, 0.5384615384615384, 0.46153846153846156),
	(79, 0.36923076923076925, 0.6307692307692307),
	(80, 0.36923076923076925, 0.6307692307692307),
	(81, 0.36923076923076925, 0.6307692307692307),
	(82, 0.36923076923076925, 0.6307692307692307),
	(83, 0.36923076923076925, 0.6307692307692307),
	(84, 0.36923076923076925, 0.6307692307692307),
	(85, 0.36923076923076925, 0.6307692307692307),
	(86, 0.5625, 0.4375),
	(87, 0.5625, 0.4375),
	(88, 0.1428571428571429, 0.8571428571428571),
	(89, 0.1428571428571429, 0.8571428571428571),
	(90, 0.5384615384615384, 0.46153846153846156),
	(91, 0.36923076923076925, 0.6307692307692307),
	(92, 0.36923076923076925, 0.6307692307692307),
	(93, 0.36923076923076925, 0.6307692307692307),
	(94, 0.36923076923076925, 0.6307692307692307),
	(95, 0.36923076923076925, 0.6307692307692307),
	(96, 0.36923076923076925, 0.6307692307692307),
	(97, 0.36923076923076925, 0.6307692307692307),
	(98, 0.5625, 0.4375),
	(99, 0.5625, 0.4375),
	(100, 1, 0),
	(101, 0.1428571428571429, 0.8571428571428571),
	(102, 0.5384615384615384, 0.46153846153846156),
	(103, 0.36923076923076925, 0.6307692307692307),
	(104, 0.36923076923076925, 0.6307692307692307),
	(105, 0.36923076923076925, 0.6307692307692307),
	(106, 0.36923076923076925, 0.6307692307692307),
	(107, 0.36923076923076925, 0.6307692307692307),
	(108, 0.36923076923076925, 0.6307692307692307),
	(109, 0.36923076923076925, 0.6307692307692307),
	(110, 0.5625, 0.4375),
	(111, 0.19999999999999996, 0.8),
	(112, 0.1428571428571429, 0.8571428571428571),
	(113, 0.1428571428571429, 0.8571428571428571),
	(114, 0.5384615384615384, 0.46153846153846156),
	(115, 0.5384615384615384, 0.46153846153846156),
	(116, 0.36923076923076925, 0.6307692307692307),
	(117, 0.36923076923076925, 0.6307692307692307),
	(118, 0.36923076923076925, 0.6307692307692307),
	(119, 0.36923076923076925, 0.6307692307692307),
	(120, 0.36923076923076925, 0.6307692307692307);

INSERT INTO kept.sure_group VALUES
	(1, true, '{4}', '{blue,green,"it''s \\odd",red}', '{11.89061250827819,4.333987067120213}', 3, 3, '{0.3914788661334244}', NULL, 119, 0, 0.6614004712019275, NULL, NULL);

INSERT INTO kept.sure_packed VALUES
	(1, '{}', '\x00000000000000000000007700000001bcc57419f5e77b494055b000000000003ff1b5ad95c385b300000000000000000000000000000000403ca37eeca37ef60000000000000000ffffffff000000000000000000000000000000010000006a000000013f7c332d650b3b8d4053a9999999999a3ff99d09361c999c00000000000000000000000000000000403982937a95f0040000000000000000ffffffff000000000000000000000000000000020000000dffffffffbfacbe01f5c19d4d405703333333333440027989eb8cb18f000000000000000000000000000000004009075b906c77900000000000000000ffffffff000000000000000000000000000000030000006000000001bf53aa6d216991134050f000000000003ff17950ad6426ff0000000000000000000000000000000040371a7be7c695c00000000000000000ffffffff000000000000000000000000000000040000000a000000003fb5a1de718dad377ff80000000000007ff800000000000000000000000000000000000000000000400340bc967ad2200000000000000000ffffffff000000000000000000000000000000050000000500000000bfc51890fe9b172f7ff80000000000007ff8000000000000000000000000000000000000000000003ff340bc967ad2200000000000000000ffffffff0000000000000000000000000000000600000008000000003f88229d34a4695c7ff80000000000007ff8000000000000000000000000000000000000000000003ffecdfa8a5e1d000000000000000000ffffffff0000000000000000000000000000000700000053000000003f7e53ef3cc7bd157ff80000000000007ff8000000000000000000000000000000000000000000004033f99075b906ce0000000000000000ffffffff000000000000000000000000000000080000000d00000000bfacbe01f5c19d4d7ff80000000000007ff8000000000000000000000000000000000000000000004009075b906c77900000000000000000ffffffff0000000000000000'),
	(2, '{red,blue,green,"it''s \\odd"}', '\x000000000000000000000077ffffffff3ef45bbb2848745c4055b000000000003fec872d0fffdb3100000000000000000000000000000000403c9ff681eb977c0000000000000000ffffffff0000000000000000000000000000000100000061000000013f814dbcacd2266f4053a9999999999a3ff41283390a8e970000000000000000000000000000000040374e9ea333aeb80000000000000000ffffffff000000000000000000000000000000020000001600000002bfa2e810d89468e87ff800000000000040043a5f52498841000000000000000000000000000000004015455f7adfa3100000000000000000000000000000000100000003000000000000000300000057000000003f4577ccbe7f2aec7ff80000000000007ff8000000000000000000000000000000000000000000004034f18aef9c75f00000000000000000ffffffff000000000000000000000000000000040000000a000000003fb3d7b64130b1797ff80000000000007ff8000000000000000000000000000000000000000000004002e89d9cb9c6400000000000000000ffffffff0000000000000000000000000000000500000005000000003fb6fef700b9aa3a7ff80000000000007ff8000000000000000000000000000000000000000000003ff36e0a1297fba00000000000000000ffffffff000000000000000000000000000000060000001100000001bfb30e6d2f1f940340570333333333343ff1f0b9a351494900000000000000000000000000000000401069dcf639a4280000000000000000ffffffff0000000000000000000000000000000d0000000a00000000bfbe33deee3e9e0d7ff80000000000007ff8000000000000000000000000000000000000000000004003619335e75b600000000000000000ffffffff0000000000000000000000000000000e0000000700000000bf87eb636ea551287ff80000000000007ff8000000000000000000000000000000000000000000003ffae44d6d17d9e00000000000000000ffffffff0000000000000000'),
	(3, '{blue,green,"it''s \\odd",red}', '\x000000000000000000000077ffffffff3f02b413534061af400a0000000000003fec2d228efda51b00000000000000000000000000000000403c99fa2526b79c0000000000000000ffffffff0000000000000000000000000000000100000005000000003fb575ba8fcbbbc47ff80000000000007ff8000000000000000000000000000000000000000000003ff338fcfe8b7b200000000000000000ffffffff0000000000000000000000000000000200000072ffffffffbf6dce32396a2634402119999999999a3fe918cdfd37ccfd00000000000000000000000000000000403b666a553dffea0000000000000000ffffffff000000000000000000000000000000050000000500000000bfb528171a17383b7ff80000000000007ff8000000000000000000000000000000000000000000003ff338fcfe8b7b200000000000000000ffffffff000000000000000000000000000000060000006d00000001bef020b1a604ccaf4055b000000000003feb2e17d7e683e400000000000000000000000000000000403a32da855548380000000000000000ffffffff0000000000000000000000000000000d00000060000000003f7b3a8eaadd043c7ff80000000000007ff80000000000000000000000000000000000000000000040370b0de7a4e6cc0000000000000000ffffffff0000000000000000000000000000000e0000000d00000002bfa8eba8557329e87ff80000000000003ffce3442e1607210000000000000000000000000000000040093e64ed830b600000000000000000000000000000000100000003000000000000001d00000006000000003fa111ad873b69ff7ff80000000000007ff8000000000000000000000000000000000000000000003ff735230ddc31400000000000000000ffffffff0000000000000000000000000000001e0000000700000000bfbe522b79e541987ff80000000000007ff8000000000000000000000000000000000000000000003ffb47a6cd29e5800000000000000000ffffffff0000000000000000');

INSERT INTO kept.sure_rounds VALUES
	(1, 0, 0.6743510578719313, NULL),
	(1, 1, 0.6694750465385614, NULL),
	(1, 2, 0.664848444382034, NULL),
	(1, 3, 0.6614004712019275, NULL);

INSERT INTO kept.sure_summary VALUES
	('boost_train', true, 'kept.rows', 'kept.sure', 'id', 'x, k', 'None', 'b', 'x,k', 'k', 'x', NULL, 1, 0, 119, 1, '{false,true}', 'boolean', 'double precision, text', -1, 0, NULL, '1.0.0', 1, 'gini', NULL, 60, 10, 5, 255, 0, 0, false, 'min', NULL, '{x,k}', '{"double precision",text}', '{continuous,unordered}', '{}', '{}', '{}', NULL, '2026-11-28 04:00:49.548008+00', 'b', '{}', 5, 0, NULL, NULL, NULL, NULL, 0, 'log_loss', 3, 0.1, 0, 0, 1, 1, 10, NULL, 10, 32, 100, 1, 0.1, 'gradient', 'none', NULL, 0, NULL, 10, 1e-07, false, NULL, NULL);

ALTER TABLE ONLY kept.between_group
    ADD CONSTRAINT between_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.between_outcomes
    ADD CONSTRAINT between_outcomes_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.between_packed
    ADD CONSTRAINT between_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept."between"
    ADD CONSTRAINT between_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.boosted_group
    ADD CONSTRAINT boosted_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.boosted_packed
    ADD CONSTRAINT boosted_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.boosted
    ADD CONSTRAINT boosted_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.boosted_rounds
    ADD CONSTRAINT boosted_rounds_pkey PRIMARY KEY (gid, round);

ALTER TABLE ONLY kept.boosts_group
    ADD CONSTRAINT boosts_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.boosts_packed
    ADD CONSTRAINT boosts_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.boosts
    ADD CONSTRAINT boosts_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.boosts_rounds
    ADD CONSTRAINT boosts_rounds_pkey PRIMARY KEY (gid, round);

ALTER TABLE ONLY kept.classes_calibrated_nodes
    ADD CONSTRAINT classes_calibrated_nodes_pkey PRIMARY KEY (tree_id, node_id);

ALTER TABLE ONLY kept.classes_calibrated
    ADD CONSTRAINT classes_calibrated_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.classes_calibrated_surrogates
    ADD CONSTRAINT classes_calibrated_surrogates_pkey PRIMARY KEY (tree_id, node_id, rank);

ALTER TABLE ONLY kept.classes_nodes
    ADD CONSTRAINT classes_nodes_pkey PRIMARY KEY (tree_id, node_id);

ALTER TABLE ONLY kept.classes
    ADD CONSTRAINT classes_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.classes_surrogates
    ADD CONSTRAINT classes_surrogates_pkey PRIMARY KEY (tree_id, node_id, rank);

ALTER TABLE ONLY kept.forest_group
    ADD CONSTRAINT forest_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.forest_packed
    ADD CONSTRAINT forest_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.forest
    ADD CONSTRAINT forest_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.forest_surrogates
    ADD CONSTRAINT forest_surrogates_pkey PRIMARY KEY (tree_id, node_id, rank);

ALTER TABLE ONLY kept.forests_group
    ADD CONSTRAINT forests_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.forests_packed
    ADD CONSTRAINT forests_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.forests
    ADD CONSTRAINT forests_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.means_nodes
    ADD CONSTRAINT means_nodes_pkey PRIMARY KEY (tree_id, node_id);

ALTER TABLE ONLY kept.means
    ADD CONSTRAINT means_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.means_refreshed_nodes
    ADD CONSTRAINT means_refreshed_nodes_pkey PRIMARY KEY (tree_id, node_id);

ALTER TABLE ONLY kept.means_refreshed
    ADD CONSTRAINT means_refreshed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.ordered_group
    ADD CONSTRAINT ordered_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.ordered_packed
    ADD CONSTRAINT ordered_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.ordered
    ADD CONSTRAINT ordered_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.ordered_rounds
    ADD CONSTRAINT ordered_rounds_pkey PRIMARY KEY (gid, round);

ALTER TABLE ONLY kept.rows
    ADD CONSTRAINT rows_pkey PRIMARY KEY (id);

ALTER TABLE ONLY kept.sure_calibrated_group
    ADD CONSTRAINT sure_calibrated_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.sure_calibrated_packed
    ADD CONSTRAINT sure_calibrated_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.sure_calibrated
    ADD CONSTRAINT sure_calibrated_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.sure_group
    ADD CONSTRAINT sure_group_pkey PRIMARY KEY (gid);

ALTER TABLE ONLY kept.sure_packed
    ADD CONSTRAINT sure_packed_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.sure
    ADD CONSTRAINT sure_pkey PRIMARY KEY (tree_id);

ALTER TABLE ONLY kept.sure_rounds
    ADD CONSTRAINT sure_rounds_pkey PRIMARY KEY (gid, round);

