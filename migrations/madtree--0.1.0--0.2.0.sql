-- Internal functions and types leave the schema @extschema@ for madtree_internal, where @extschema@'s users do not see
-- them. What an object of a user can depend on is moved and keeps its identity: the types of work tables, and the
-- function below the view models. All other internal functions are dropped, and the definitions that follow make them
-- anew. Nothing is dropped with CASCADE: should an object of a user depend on one, the update stops and names it.

DO $do$
BEGIN
    IF pg_catalog.to_regnamespace('madtree_internal') IS NOT NULL THEN
        RAISE EXCEPTION 'schema "madtree_internal" exists and does not belong to the extension madtree'
            USING HINT = 'Drop or rename that schema, then update the extension again.';
    END IF;
END
$do$;

CREATE SCHEMA madtree_internal;

ALTER TYPE @extschema@.packed SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.packed_in(cstring) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.packed_out(madtree_internal.packed) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.packed_recv(internal) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.packed_send(madtree_internal.packed) SET SCHEMA madtree_internal;
ALTER TYPE @extschema@.padding SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.padding_in(cstring) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.padding_out(madtree_internal.padding) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.padding_recv(internal) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.padding_send(madtree_internal.padding) SET SCHEMA madtree_internal;
ALTER FUNCTION @extschema@.list_models() SET SCHEMA madtree_internal;

DROP AGGREGATE @extschema@.node_statistics(integer, integer, bytea, bytea, bytea, bytea, bytea, bytea);
DROP FUNCTION @extschema@.node_statistics_transition(
    bytea, integer, integer, bytea, bytea, bytea, bytea, bytea, bytea
);
DROP FUNCTION @extschema@.node_statistics_merge(bytea, bytea);
DROP FUNCTION @extschema@.node_statistics_final(bytea);
DROP FUNCTION @extschema@.pack_images(bytea, bytea);
DROP TYPE @extschema@.block;
DROP FUNCTION @extschema@.array_image(anyarray);
DROP FUNCTION @extschema@.run_shared(text, bytea);
DROP FUNCTION @extschema@.grow_block(bytea, bytea);
DROP FUNCTION @extschema@.crew_work(text, text[], text[]);
DROP FUNCTION @extschema@.crew_join(text);
DROP FUNCTION @extschema@.crew_claim(text);
DROP FUNCTION @extschema@.crew_keep(text, integer, bytea);
DROP FUNCTION @extschema@.crew_step(text);
DROP FUNCTION @extschema@.run_in_crew(text);
DROP FUNCTION @extschema@.score_pages(text, tid[], tid[], bytea, anyarray);
DROP FUNCTION @extschema@.score_block(bytea, bytea);
DROP FUNCTION @extschema@.leaders_own(bytea);
DROP FUNCTION @extschema@.server_info();

-- It takes more arguments: strategy, max_leaf_nodes, min_impurity_decrease, classification, class_params, exposure,
-- shrink, feature_costs, max_competitors, null_handling_params, verbose_mode.
DROP FUNCTION @extschema@.tree_train(
    text, text, text, text, text, text, text, text, text, integer, integer, integer, integer, text, text, boolean,
    bigint, boolean, integer, integer
);

-- These take one more argument, trust_owner.
DROP FUNCTION @extschema@.tree_predict(text, text, text, text);
DROP FUNCTION @extschema@.tree_sql(text, text, integer);
DROP FUNCTION @extschema@.tree_evaluate(text, text);
DROP FUNCTION @extschema@.tree_confusion(text, text);
DROP FUNCTION @extschema@.tree_rules(text, integer);
DROP FUNCTION @extschema@.tree_path(text, text, text);
DROP FUNCTION @extschema@.tree_prune(text, text, double precision);

-- These take one more argument, tree_id.
DROP FUNCTION @extschema@.tree_to_json(text);
DROP FUNCTION @extschema@.tree_to_pmml(text);

-- These take one more argument, full.
DROP FUNCTION @extschema@.tree_display(text, boolean, boolean);
DROP FUNCTION @extschema@.tree_surr_display(text);
