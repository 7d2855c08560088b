-- Resident workers: processes of one parallel query, from the first row to the last tree (madtree/storage/workers).
-- Internal; for trainings.

CREATE FUNCTION madtree_internal.workers_join(key text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_join(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_join(text)
IS 'internal: take part in a training; false where that is over';

CREATE FUNCTION madtree_internal.workers_claim(
    key text, OUT part integer, OUT query text, OUT careful text, OUT low tid, OUT high tid
) RETURNS record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_claim(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_claim(text) IS 'internal: the next part to pack; null if none is left';

CREATE FUNCTION madtree_internal.workers_keep(key text, part integer, images bytea) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_keep(key, part, images)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_keep(text, integer, bytea)
IS 'internal: take the rows of a part; false where a number is NULL';

CREATE FUNCTION madtree_internal.workers_grow(key text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_grow(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_grow(text)
IS 'internal: grow trees of the rows of a part for a short while; true when no more are to be grown of them';

CREATE FUNCTION madtree_internal.workers_step(key text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.blocks.workers_step(key)
$python$;
COMMENT ON FUNCTION madtree_internal.workers_step(text) IS 'internal: count, or wait a little; true when all is done';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The queries run with the caller's rights.
-- The first one expects no NULL where the sample had none; the careful one is for parts that have one after all.
-- Between statements the server looks for cancels and for errors of workers. The leader's queries may not be shared out
-- again: their rows would come in any order.
CREATE FUNCTION madtree_internal.resident_worker(key text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET max_parallel_workers_per_gather = 0 AS $plpgsql$
DECLARE
    claimed pg_catalog.record;
    images pg_catalog.bytea;
BEGIN
    IF NOT madtree_internal.workers_join(key) THEN
        RETURN false;
    END IF;
    LOOP
        SELECT * INTO claimed FROM madtree_internal.workers_claim(key);
        EXIT WHEN claimed.part IS NULL;
        EXECUTE claimed.query INTO images USING claimed.low, claimed.high;
        IF NOT madtree_internal.workers_keep(key, claimed.part, images) THEN
            EXECUTE claimed.careful INTO images USING claimed.low, claimed.high;
            IF NOT madtree_internal.workers_keep(key, claimed.part, images) THEN
                RAISE EXCEPTION 'madtree: part % has a NULL where its query leaves none', claimed.part
                USING ERRCODE = 'internal_error', HINT = 'This is a defect of madtree. Please report it.';
            END IF;
        END IF;
        LOOP
            EXIT WHEN madtree_internal.workers_grow(key);
        END LOOP;
    END LOOP;
    LOOP
        EXIT WHEN madtree_internal.workers_step(key);
    END LOOP;
    RETURN true;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.resident_worker(text)
IS 'internal: work with others until the trees are grown';

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION madtree_internal.run_in_workers(query text, key text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    EXECUTE query USING key;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.run_in_workers(text, text) IS 'internal: run a query whose workers are resident';
