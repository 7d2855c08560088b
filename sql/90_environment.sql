-- What `madtree doctor` asks of a server.

CREATE FUNCTION @extschema@.environment()
RETURNS jsonb
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.environment(plpy)
$python$;

COMMENT ON FUNCTION @extschema@.environment()
IS 'internal: versions and places of the server''s Python, numpy and madtree';
