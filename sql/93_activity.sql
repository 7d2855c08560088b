-- Trainings that are under way, from what their sessions say of themselves in pg_stat_activity
-- (madtree/train/activity.py). Its functions run with the rights of whoever asks: of sessions that they hide, the
-- state is NULL. Any session may give itself any name, so what does not look like a training's is no row, and no name
-- can make an error: no number has more digits than its type holds. A training has written, so it has a transaction's
-- number; parallel workers and further connections that read for it have none. PostgreSQL's operators are called by
-- their functions, so that no search path matters.

CREATE VIEW @extschema@.activity AS
WITH said AS (
    SELECT
        a.pid,
        a.datname,
        a.usename,
        a.state,
        a.backend_type,
        a.backend_xid,
        a.query_start,
        a.xact_start,
        a.query,
        pg_catalog.regexp_match(
            a.application_name,
            '^madtree(-client)? ([a-z]{1,20}) (sample|pack|passes|prune|write|level|tree|round|block) '
            '(?:-|([0-9]{1,9})(?:/([0-9]{1,9}))?) (?:-|([0-9]{1,9})s) (?:-|([0-9]{1,18})) (?:-|([0-9]{1,10}))$'
        ) AS word
    FROM pg_catalog.pg_stat_activity AS a
),

training AS (
    SELECT
        t.pid,
        t.datname,
        t.usename,
        t.query,
        t.word,
        CASE WHEN t.word[1] IS NULL THEN t.query_start ELSE t.xact_start END AS began,
        pg_catalog.array_position(ARRAY['level', 'tree', 'round', 'block'], t.word[3]) IS NOT NULL AS grows,
        CASE
            WHEN
                pg_catalog.nameeq(t.datname, pg_catalog.current_database())
                AND pg_catalog.int8le(t.word[8]::pg_catalog.int8, 4294967295)
                THEN t.word[8]::pg_catalog.oid
        END AS relation
    FROM said AS t
    WHERE
        t.word IS NOT NULL
        AND t.state IS NOT NULL
        AND t.backend_xid IS NOT NULL
        AND pg_catalog.texteq(t.backend_type, 'client backend')
),

workers AS (
    SELECT
        w.leader_pid,
        pg_catalog.count(*)::pg_catalog.int4 AS n
    FROM pg_catalog.pg_stat_activity AS w
    WHERE pg_catalog.int4ne(w.pid, w.leader_pid)
    GROUP BY w.leader_pid
)

SELECT
    t.pid,
    t.datname::pg_catalog.text AS database,
    t.usename::pg_catalog.text AS role,
    pg_catalog.concat(t.word[2], '_train') AS function,
    CASE WHEN t.word[1] IS NULL THEN 'extension' ELSE 'client' END AS engine,
    CASE
        WHEN t.relation IS NOT NULL
            THEN (pg_catalog.pg_identify_object('pg_catalog.pg_class'::pg_catalog.regclass, t.relation, 0)).identity
    END AS source_table,
    t.word[7]::pg_catalog.int8 AS n_rows,
    CASE WHEN t.grows THEN 'passes' ELSE t.word[3] END AS stage,
    CASE WHEN t.grows THEN t.word[3] WHEN t.word[4] IS NOT NULL THEN 'page range' END AS step,
    t.word[4]::pg_catalog.int4 AS n_done,
    t.word[5]::pg_catalog.int4 AS n_total,
    t.began,
    pg_catalog.timestamptz_mi(pg_catalog.clock_timestamp(), t.began) AS elapsed,
    pg_catalog.make_interval(secs => t.word[6]::pg_catalog.float8) AS remaining,
    COALESCE(w.n, 0) AS n_workers,
    t.query
FROM training AS t
LEFT JOIN workers AS w ON pg_catalog.int4eq(t.pid, w.leader_pid);

COMMENT ON VIEW @extschema@.activity
IS 'every training under way that you may see: its stage, how far it has come, what remains';

COMMENT ON COLUMN @extschema@.activity.pid IS 'process of the session: pg_cancel_backend(pid) stops the training';
COMMENT ON COLUMN @extschema@.activity.database IS 'database of the session';
COMMENT ON COLUMN @extschema@.activity.role IS 'role that has logged in';
COMMENT ON COLUMN @extschema@.activity.function IS 'the function that was called';
COMMENT ON COLUMN @extschema@.activity.engine IS 'extension, or client: the work is done by a client''s process';
COMMENT ON COLUMN @extschema@.activity.source_table IS 'training table, where it is in this database';
COMMENT ON COLUMN @extschema@.activity.n_rows IS 'training rows, once they are counted';
COMMENT ON COLUMN @extschema@.activity.stage
IS 'sample: bins are looked for; pack: rows are read; passes: trees grow; prune; write: the model''s tables';
COMMENT ON COLUMN @extschema@.activity.step
IS 'what is counted: level, tree, round, block (of small groups), page range';
COMMENT ON COLUMN @extschema@.activity.n_done IS 'levels, trees, rounds, blocks or page ranges that are done';
COMMENT ON COLUMN @extschema@.activity.n_total IS 'of how many; NULL where nobody knows, as of levels';
COMMENT ON COLUMN @extschema@.activity.began IS 'when its statement began; of a client, its transaction';
COMMENT ON COLUMN @extschema@.activity.elapsed IS 'time since then';
COMMENT ON COLUMN @extschema@.activity.remaining
IS 'of the stage, estimated at the last step from those before; NULL where n_total is';
COMMENT ON COLUMN @extschema@.activity.n_workers IS 'parallel workers that work for it now';
COMMENT ON COLUMN @extschema@.activity.query IS 'the statement, as pg_stat_activity shows it';
