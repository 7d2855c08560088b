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

-- PL/Python has texts in Unicode alone, where of some encodings (DOUBLES in madtree/sqltext/query.py) two characters
-- are one, or one is two: another name would be written than was read.
CREATE FUNCTION madtree_internal.is_read_as_it_is(given text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT AS $plpgsql$
DECLARE
    encoding pg_catalog.name DEFAULT pg_catalog.getdatabaseencoding();
    unicode pg_catalog.bytea;
BEGIN
    IF encoding OPERATOR(pg_catalog.=) ANY ('{UTF8, SQL_ASCII}') THEN
        RETURN true;
    END IF;
    unicode := pg_catalog.convert_to(given, 'UTF8');
    IF pg_catalog.byteaeq(pg_catalog.convert(unicode, 'UTF8', encoding), pg_catalog.convert_to(given, encoding))
        AND pg_catalog.int4eq(pg_catalog.length(unicode, 'UTF8'), pg_catalog.length(given))
    THEN
        RETURN true;
    END IF;
    RAISE EXCEPTION 'madtree: a text has a character that would be read as another one'
    USING ERRCODE = 'character_not_in_repertoire',
        HINT = 'It can be written in two ways in this database''s encoding, of which madtree takes one.';
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.is_read_as_it_is(text)
IS 'internal: true; an error where a text would be another one for Python';

CREATE FUNCTION madtree_internal.begin_call(arguments text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    PERFORM madtree_internal.set_up_servers(), madtree_internal.is_read_as_it_is(arguments);
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.begin_call(text)
IS 'internal: what each call begins with; its arguments, one behind the other';

-- @functions@
