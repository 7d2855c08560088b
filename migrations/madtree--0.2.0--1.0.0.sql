-- IF EXISTS: on the way from 0.1.0, what came with 0.2.0 has never been there.

-- It takes one more argument, intervals.
DROP FUNCTION IF EXISTS @extschema@.forest_train(
    text, text, text, text, text, text, text, integer, integer, boolean, integer, integer, integer, integer, integer,
    text, boolean, double precision, text, text, text, text, bigint, boolean, integer, integer, boolean, text, boolean
);
DROP FUNCTION IF EXISTS madtree_internal.forest_train(
    text, text, text, text, text, text, text, integer, integer, boolean, integer, integer, integer, integer, integer,
    text, boolean, double precision, text, text, text, text, bigint, boolean, integer, integer, boolean, text, boolean
);

-- They take one more argument, level.
DROP FUNCTION IF EXISTS @extschema@.tree_predict(text, text, text, text, boolean, boolean);
DROP FUNCTION IF EXISTS @extschema@.tree_predict(varchar, varchar, varchar, varchar, boolean, boolean);
DROP FUNCTION IF EXISTS madtree_internal.tree_predict(text, text, text, text, boolean, boolean);
DROP FUNCTION IF EXISTS @extschema@.forest_predict(text, text, text, text, boolean, boolean);
DROP FUNCTION IF EXISTS madtree_internal.forest_predict(text, text, text, text, boolean, boolean);
DROP FUNCTION IF EXISTS @extschema@.boost_predict(text, text, text, text, integer, boolean, boolean);
DROP FUNCTION IF EXISTS madtree_internal.boost_predict(text, text, text, text, integer, boolean, boolean);

-- They take one more argument, replace.
DROP FUNCTION IF EXISTS @extschema@.tree_prune(text, text, double precision, boolean);
DROP FUNCTION IF EXISTS madtree_internal.tree_prune(text, text, double precision, boolean);
DROP FUNCTION IF EXISTS @extschema@.boost_cut(text, text, integer, boolean);
DROP FUNCTION IF EXISTS madtree_internal.boost_cut(text, text, integer, boolean);

-- Its calibration table may be left out, which a form of its help would be in the way of.
DROP FUNCTION IF EXISTS @extschema@.conformal_quantiles(text);

-- It takes one more argument, offsets.
DROP FUNCTION IF EXISTS @extschema@.boost_train(
    text, text, text, text, text, text, text, text, text, integer, double precision, integer, integer, integer, integer,
    text, text, boolean, bigint, boolean, integer, integer, boolean, text, text, text, boolean, text, text
);
DROP FUNCTION IF EXISTS madtree_internal.boost_train(
    text, text, text, text, text, text, text, text, text, integer, double precision, integer, integer, integer, integer,
    text, text, boolean, bigint, boolean, integer, integer, boolean, text, text, text, boolean, text, text
);

-- A block has one more column, the scores that its rows begin with.
DROP FUNCTION IF EXISTS madtree_internal.pack_images(bytea, bytea);
DROP FUNCTION IF EXISTS madtree_internal.pack_images_steps(bytea, bytea);
DROP TYPE IF EXISTS madtree_internal.block;
