-- Help texts. What users call is SQL or PL/pgSQL, and the Python is below: PL/Python shows every error with a
-- traceback, so it returns a user's mistake (SQLSTATE, message, detail, hint), and `@raise@` in PL/pgSQL raises it.

CREATE FUNCTION madtree_internal.answered(answer anyelement, mistake text[])
RETURNS anyelement
LANGUAGE plpgsql
VOLATILE
AS $plpgsql$
BEGIN
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.answered(anyelement, text[])
IS 'internal: the answer of a function, or the mistake that it raises';

CREATE FUNCTION madtree_internal.usage(function text, message text, OUT answer text, OUT mistake text[])
RETURNS record
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.usage(function, message)
$python$;

COMMENT ON FUNCTION madtree_internal.usage(text, text)
IS 'internal: the help text of a function, or the mistake that help raises';

CREATE FUNCTION madtree_internal.help(function text, message text)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $plpgsql$
DECLARE
    answer pg_catalog.text;
    mistake pg_catalog.text[];
BEGIN
    SELECT * INTO answer, mistake FROM madtree_internal.usage(function, message);
    @raise@
    RETURN answer;
END
$plpgsql$;

COMMENT ON FUNCTION madtree_internal.help(text, text) IS 'internal: how to use a function';
