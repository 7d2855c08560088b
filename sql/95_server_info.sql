-- What `madtree doctor` asks of a server.

CREATE FUNCTION @extschema@.server_info()
RETURNS jsonb
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.server_info(plpy)
$python$;

COMMENT ON FUNCTION @extschema@.server_info()
IS 'internal: versions and places of the server''s Python, numpy and madtree';
