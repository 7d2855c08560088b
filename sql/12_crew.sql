-- Crews: parallel workers that stay from the first row to the last level (madtree/crew). Internal; for tree_train.

CREATE FUNCTION madtree_internal.crew_join(crew text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_join(crew)
$python$;
COMMENT ON FUNCTION madtree_internal.crew_join(text) IS 'internal: take part in a crew; false where that is over';

CREATE FUNCTION madtree_internal.crew_claim(
    crew text, OUT part integer, OUT query integer, OUT low tid, OUT high tid
) RETURNS record
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_claim(crew)
$python$;
COMMENT ON FUNCTION madtree_internal.crew_claim(text) IS 'internal: the next part to pack; null if none is left';

CREATE FUNCTION madtree_internal.crew_keep(crew text, part integer, images bytea) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_keep(crew, part, images)
$python$;
COMMENT ON FUNCTION madtree_internal.crew_keep(text, integer, bytea)
IS 'internal: bin the rows of a part and keep them; false where a number is NULL';

CREATE FUNCTION madtree_internal.crew_step(crew text) RETURNS boolean
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $python$
@load@
return madtree.crew_step(crew)
$python$;
COMMENT ON FUNCTION madtree_internal.crew_step(text) IS 'internal: count, or wait a little; true when all is done';

-- STABLE: a volatile function may not run EXECUTE in a parallel worker. The queries run with the caller's rights.
-- The first ones expect no NULL where the sample had none; the others are for parts that have one after all.
-- Between statements the server looks for cancels and for errors of workers. The leader's queries may not be shared out
-- again: their rows would come in any order.
CREATE FUNCTION madtree_internal.crew_work(crew text, queries text[], careful text[]) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET max_parallel_workers_per_gather = 0 AS $plpgsql$
DECLARE
    claimed record;
    images bytea;
BEGIN
    IF NOT madtree_internal.crew_join(crew) THEN
        RETURN false;
    END IF;
    LOOP
        SELECT * INTO claimed FROM madtree_internal.crew_claim(crew);
        EXIT WHEN claimed.part IS NULL;
        EXECUTE queries[claimed.query] INTO images USING claimed.low, claimed.high;
        IF NOT madtree_internal.crew_keep(crew, claimed.part, images) THEN
            EXECUTE careful[claimed.query] INTO images USING claimed.low, claimed.high;
            IF NOT madtree_internal.crew_keep(crew, claimed.part, images) THEN
                RAISE EXCEPTION 'madtree: a row has NULLs after all';
            END IF;
        END IF;
    END LOOP;
    LOOP
        EXIT WHEN madtree_internal.crew_step(crew);
    END LOOP;
    RETURN true;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.crew_work(text, text[], text[])
IS 'internal: pack and count in a crew until its trees are grown';

-- PL/Python prepares its queries in a way that keeps them from parallel workers; PL/pgSQL does not.
CREATE FUNCTION madtree_internal.run_in_crew(query text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $plpgsql$
BEGIN
    EXECUTE query;
END
$plpgsql$;
COMMENT ON FUNCTION madtree_internal.run_in_crew(text) IS 'internal: run a query whose workers are a crew';
