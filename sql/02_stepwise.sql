-- Long work in steps (madtree/entry/stepwise.py). Python code cannot be interrupted, and in a parallel worker it may
-- run no statement; PL/pgSQL looks for cancels and timeouts between its own. So functions that do much with a block are
-- PL/pgSQL around a function that begins, `go_on` until all is done, and one that takes the result. Internal.

CREATE FUNCTION madtree_internal.go_on() RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.go_on()
$python$;
COMMENT ON FUNCTION madtree_internal.go_on() IS 'internal: go on for a short while; true when all is done';

CREATE FUNCTION madtree_internal.take_bytes() RETURNS bytea
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.take_result()
$python$;
COMMENT ON FUNCTION madtree_internal.take_bytes() IS 'internal: what the work has come to';
