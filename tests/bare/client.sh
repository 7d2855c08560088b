#!/bin/sh
# What the client must be able to do, on the server that PG* variables name: examine it, train and predict by the
# extension, and train the same tree without it. Leaves nothing in the database but the extension.
set -eu
dsn=${MADTREE_DSN:-postgresql:///}
psql -X -q "$dsn" -c 'CREATE EXTENSION IF NOT EXISTS madtree CASCADE' -c "CREATE TABLE calls AS
    SELECT i AS id, i * 37 % 90 AS age, i * 37 % 90 > 40 AS bought FROM generate_series(1, 900) AS i"
madtree --version
madtree --dsn "$dsn" doctor
for engine in extension client; do
    madtree --engine $engine --dsn "$dsn" train calls "by_$engine" --id id --target bought --features age
    madtree --engine $engine --dsn "$dsn" predict "by_$engine" calls "scored_by_$engine"
    madtree --dsn "$dsn" show "by_$engine"
    psql -X -q "$dsn" -v ON_ERROR_STOP=1 -c "DO 'BEGIN ASSERT (SELECT count(*) FROM calls JOIN scored_by_$engine
        USING (id) WHERE bought = estimated_bought) = 900; END'" -c "DROP TABLE scored_by_$engine" \
        -c "SELECT madtree.tree_drop('by_$engine')"
done
psql -X -q "$dsn" -c 'DROP TABLE calls'
