-- What users call. The definitions are made from what madtree/interface declares, by madtree/install/wrappers.py;
-- python3 -m madtree.install --sql prints all of the extension's SQL with them.

CREATE FUNCTION madtree_internal.by_madlibs_name(mistake text[], names json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT AS $plpgsql$
DECLARE
    ours pg_catalog.text;
    theirs pg_catalog.text;
BEGIN
    FOR ours, theirs IN SELECT n.key, n.value FROM pg_catalog.json_each_text(names) AS n LOOP
        mistake[2] := pg_catalog.regexp_replace(
            mistake[2], pg_catalog.concat('^madtree: ', ours, '(:| must )'), pg_catalog.concat('madtree: ', theirs, '\1')
        );
    END LOOP;
    RETURN mistake;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.by_madlibs_name(text[], json)
IS 'internal: a mistake with MADlib''s name of the argument that it begins with; names: ours and MADlib''s';

-- Reached only where the fraction is none: the planner may call it then, before any row is read.
CREATE FUNCTION madtree_internal.refuse_fraction(fraction double precision) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $plpgsql$
BEGIN
    RAISE EXCEPTION 'madtree: fraction must be a number from 0 to 1, not %', COALESCE(fraction::pg_catalog.text, 'NULL')
        USING ERRCODE = 'invalid_parameter_value', HINT = 'A quarter of the rows is 0.25.';
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.refuse_fraction(double precision)
IS 'internal: the mistake that holdout raises';

-- @functions@
