-- What `madtree doctor` asks of a server.

CREATE FUNCTION madtree_internal.server_info()
RETURNS jsonb
LANGUAGE plpython3u
STABLE
AS $python$
@load@
return madtree.server_info(plpy)
$python$;

COMMENT ON FUNCTION madtree_internal.server_info()
IS 'internal: versions and places of the server''s Python, numpy and madtree';
