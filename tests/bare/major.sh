#!/usr/bin/env bash
# PostgreSQL's major versions, each on the bare Debian that has it:
#
#   tests/bare/major.sh train             trains models of every kind, and leaves dumps and the server's files in /kept
#   tests/bare/major.sh upgrade RELEASE   takes what is in /kept, of RELEASE's PostgreSQL, to this one's
#
# Databases: `kept`, whose models are trained here, and one for each version that tests/data/kept_models_*.sql are of,
# with that version's models. They come over in three ways, a dump as text, one as an archive, and pg_upgrade, and must
# say the same to the bit in each.
set -euo pipefail
data=$(dirname "$0")/../data
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
major=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p')
bin=/usr/lib/postgresql/$major/bin

as_postgres() { (cd /kept && setpriv --reuid postgres --regid postgres --init-groups env PGHOST=/kept "$@"); }
psql() { as_postgres psql -X -q -v ON_ERROR_STOP=1 "$@"; }
new_cluster() { as_postgres "$bin/initdb" -D "/kept/$1" --data-checksums --encoding UTF8 --locale C.UTF-8 >/dev/null; }
start() {
    as_postgres "$bin/pg_ctl" -D "/kept/$1" -l "/kept/$1.log" -w -o "-c listen_addresses= -k /kept" start >/dev/null
}
stop() { as_postgres "$bin/pg_ctl" -D "/kept/$1" -m fast -w stop >/dev/null; }
databases() { psql -At -d postgres -c "SELECT datname FROM pg_database WHERE datname ~ '^kept' ORDER BY 1"; }
check() {
    local database
    for database in $(databases); do
        psql -d "$database" -f "$data/kept_models_check.sql" 2>&1 | sed "s/.*NOTICE:/$1, $database:/"
    done
}

# No cluster of the package's own.
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/none.conf
apt-get install -q -y --no-install-recommends "postgresql-$major" "postgresql-plpython3-$major" python3-numpy >/dev/null
make -C /madtree install PG_CONFIG="$bin/pg_config" >/dev/null
version="PostgreSQL $major"

case $1 in
train)
    mkdir -p /kept
    chown postgres: /kept
    new_cluster data
    start data
    psql -d postgres -c 'CREATE DATABASE kept'
    psql -d kept -c 'CREATE EXTENSION madtree CASCADE' -f "$data/kept_models.sql"
    for file in "$data"/kept_models_[0-9]*.sql; do
        database=$(basename "$file" .sql | sed 's/_models//')
        psql -d postgres -c "CREATE DATABASE \"$database\""
        psql -d "$database" -c 'CREATE EXTENSION madtree CASCADE' -f "$file" >/dev/null
    done
    check "$version"
    for database in $(databases); do
        as_postgres pg_dump "$database" >"/kept/$database.dump"
        as_postgres pg_dump --format=custom "$database" >"/kept/$database.archive"
    done
    stop data
    ;;
upgrade)
    chown -R postgres: /kept
    old=$(cat /kept/data/PG_VERSION)
    for kind in dump archive; do
        new_cluster "$kind"
        start "$kind"
        for file in /kept/*."$kind"; do
            database=$(basename "$file" ".$kind")
            psql -d postgres -c "CREATE DATABASE \"$database\""
            case $kind in
            dump) psql -d "$database" -f "$file" >/dev/null ;;
            archive) as_postgres pg_restore --exit-on-error --dbname "$database" "$file" ;;
            esac
        done
        check "$kind of PostgreSQL $old in $version"
        stop "$kind"
    done

    # pg_upgrade needs the older server's programs: the older release's packages, as after an upgrade of Debian itself. Their
    # madtree is not there, as the server that is upgraded to has its own.
    echo "deb $(apt-get indextargets --format '$(REPO_URI)' | sort -u | head -1) $2 main" >"/etc/apt/sources.list.d/$2.list"
    apt-get update -q >/dev/null
    apt-get install -q -y --no-install-recommends "postgresql-$old" >/dev/null
    new_cluster upgraded
    as_postgres "$bin/pg_upgrade" -b "/usr/lib/postgresql/$old/bin" -B "$bin" -d /kept/data -D /kept/upgraded
    apt-get purge -q -y "postgresql-$old" "postgresql-client-$old" >/dev/null
    start upgraded
    check "pg_upgrade of PostgreSQL $old to $version"
    psql -d kept -f "$(dirname "$0")/upgraded.sql"
    stop upgraded
    ;;
esac
