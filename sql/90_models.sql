-- The catalogue of models: found from the tables themselves, so that it is true after a dump and a restore. Functions
-- in a view run with the rights of whoever asks: everybody sees the models that they can read. VOLATILE, so that each
-- of the queries sees models that were replaced since the outer one began. row_security = off makes an error, and so a
-- model that is not listed, of a policy that would run.

CREATE FUNCTION madtree_internal.found_models()
RETURNS TABLE (
    schema text,
    name text,
    owner text,
    kind text,
    source_table text,
    dependent text,
    n_rows bigint,
    n_trees integer,
    depth integer,
    n_leaves bigint,
    parameters jsonb,
    version text,
    trained_at timestamptz,
    age interval,
    mistake text[]
)
LANGUAGE plpython3u
VOLATILE
ROWS 100
AS $python$
@load@
return madtree.list_models(plpy)
$python$;

COMMENT ON FUNCTION madtree_internal.found_models()
IS 'internal: the rows of list_models, or the mistake that it raises';

CREATE FUNCTION madtree_internal.list_models()
RETURNS TABLE (
    schema text,
    name text,
    owner text,
    kind text,
    source_table text,
    dependent text,
    n_rows bigint,
    n_trees integer,
    depth integer,
    n_leaves bigint,
    parameters jsonb,
    version text,
    trained_at timestamptz,
    age interval
)
LANGUAGE plpgsql
VOLATILE
ROWS 100
SET row_security = off
SET array_nulls = 'on'
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    PERFORM madtree_internal.set_up_servers();
    FOR
        schema, name, owner, kind, source_table, dependent, n_rows, n_trees, depth, n_leaves, parameters,
        version, trained_at, age, mistake
    IN
        SELECT * FROM madtree_internal.found_models()
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.list_models() IS 'internal: the rows of the view models';

CREATE VIEW @extschema@.models AS
SELECT
    pg_catalog.format('%I.%I', m.schema, m.name) AS model,
    m.schema,
    m.name,
    m.owner,
    m.kind,
    m.source_table,
    m.dependent,
    m.n_rows,
    m.n_trees,
    m.depth,
    m.n_leaves,
    m.parameters,
    m.version,
    m.trained_at,
    m.age
FROM madtree_internal.list_models() AS m;

COMMENT ON VIEW @extschema@.models
IS 'every model that you can read: what it predicts, rows, trees, depth, leaves, parameters, version, age';

COMMENT ON COLUMN @extschema@.models.model IS 'qualified name, quoted where it must be: what the functions take';
COMMENT ON COLUMN @extschema@.models.schema IS 'schema of the model''s tables';
COMMENT ON COLUMN @extschema@.models.name IS 'output_table_name of the function that trained it';
COMMENT ON COLUMN @extschema@.models.owner IS 'role that owns the model''s tables';
COMMENT ON COLUMN @extschema@.models.kind
IS 'classification or regression, and behind it the kind of model where it is none of single trees';
COMMENT ON COLUMN @extschema@.models.source_table IS 'training table, as it was given';
COMMENT ON COLUMN @extschema@.models.dependent IS 'dependent variable';
COMMENT ON COLUMN @extschema@.models.n_rows IS 'training rows';
COMMENT ON COLUMN @extschema@.models.n_trees
IS 'rows of the model''s table, one for each tree';
COMMENT ON COLUMN @extschema@.models.depth IS 'depth of the deepest tree';
COMMENT ON COLUMN @extschema@.models.n_leaves IS 'leaves of all trees';
COMMENT ON COLUMN @extschema@.models.parameters IS 'what it was trained with';
COMMENT ON COLUMN @extschema@.models.version IS 'version of madtree that trained it';
COMMENT ON COLUMN @extschema@.models.trained_at IS 'when; NULL for a model older than this column';
COMMENT ON COLUMN @extschema@.models.age IS 'time since then';

-- A view cannot lose columns, so what fits a screen is another one.
CREATE VIEW @extschema@.model_list AS
SELECT
    m.model,
    m.kind,
    CASE
        WHEN pg_catalog.int4le(pg_catalog.length(m.dependent), 20) THEN m.dependent
        ELSE pg_catalog.textcat(pg_catalog.left(m.dependent, 17), '...')
    END AS dependent,
    m.n_rows,
    m.n_leaves,
    pg_catalog.date_trunc(CASE WHEN pg_catalog.interval_lt(m.age, '1 day') THEN 'second' ELSE 'day' END, m.age) AS age
FROM @extschema@.models AS m;

COMMENT ON VIEW @extschema@.model_list
IS 'the models that you can read, a short line each; the view models has all that is told of them';

COMMENT ON COLUMN @extschema@.model_list.model IS 'qualified name, quoted where it must be: what the functions take';
COMMENT ON COLUMN @extschema@.model_list.kind IS 'as in models';
COMMENT ON COLUMN @extschema@.model_list.dependent IS 'dependent variable, shortened';
COMMENT ON COLUMN @extschema@.model_list.n_rows IS 'training rows';
COMMENT ON COLUMN @extschema@.model_list.n_leaves IS 'leaves of all trees';
COMMENT ON COLUMN @extschema@.model_list.age IS 'time since it was trained, in days from one day on';
