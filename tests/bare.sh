#!/usr/bin/env bash
# Does what a newcomer does on a bare Debian: git, make, ca-certificates, and the checkout as it is now. Needs root and
# debootstrap.
#
#   tests/bare.sh [--demo] RELEASE [DIRECTORY [PYTEST ARGUMENTS...]]
#   tests/bare.sh --package deb|wheel|pgxn|source RELEASE [DIRECTORY]
#   tests/bare.sh --from RELEASE RELEASE [DIRECTORY]
#
# RELEASE is bookworm (PostgreSQL 15, Python 3.11), trixie (17, 3.13) or forky (18, 3.14). `make test` runs there, with
# WORKERS if that is set; with --demo, `make demo` before it. DIRECTORY (default: a temporary one, removed at the end) is
# kept and used again by the next run, which finds there what this one installed. The new root gets this machine's package
# mirror, certificates and pip settings, and nothing else of it: what the project needs there, `make` must install.
#
# With --package, the package is built in a copy of the new root and installed in the new root, which has no compiler;
# tests/bare/package.sh says what is tried there. Released versions whose commits this clone has are built, too, and
# upgraded. The last lines are the seconds that each step took.
#
# With --from, PostgreSQL is upgraded from the version of the first release to that of the second, by pg_dump and by
# pg_upgrade, with models of every kind; tests/bare/major.sh says how.
set -euo pipefail

usage() {
    sed -n 's/^#   \(tests\/bare.sh .*\)/usage: \1/p' "$0" >&2
    exit 2
}

# Namespaces of our own: whatever is mounted or started below is gone with this script.
if [ -z "${MADTREE_UNSHARED:-}" ]; then
    exec env MADTREE_UNSHARED=1 unshare --mount --propagation private --pid --fork --kill-child -- bash "$0" "$@"
fi

demo=
package=
older=
if [ "${1:-}" = --demo ]; then
    demo=yes
    shift
elif [ "${1:-}" = --package ]; then
    [[ ${2:-} =~ ^(deb|wheel|pgxn|source)$ ]] || usage
    package=$2
    shift 2
elif [ "${1:-}" = --from ]; then
    [[ ${2:-} =~ ^[a-z]+$ ]] || usage
    older=$2
    shift 2
fi
[[ ${1:-} =~ ^[a-z]+$ ]] || usage
release=$1
shift
checkout=$(cd "$(dirname "$0")/.." && pwd)

if [ $# -gt 0 ]; then
    root=$(mkdir -p "$1" && cd "$1" && pwd)
    shift
else
    root=$(mktemp -d -t "madtree-$release.XXXXXX")
    trap 'umount -R -l "$root"{,.build,.older}/{proc,dev} 2>/dev/null || true
          rm -rf --one-file-system "$root" "$root.build" "$root.older"' EXIT
fi
chmod 755 "$root"

# --- the root: debootstrap's directory is there as long as it is at work ---

# bootstrap RELEASE ROOT
bootstrap() {
    if [ ! -e "$2/etc/debian_version" ] || [ -e "$2/debootstrap" ]; then
        # The mirror that this machine's apt uses; debootstrap's own default where there is none.
        local debian=('Identifier: Packages' 'Origin: Debian' 'Label: Debian') mirror script
        mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' "${debian[@]}" 2>/dev/null | sort -u | head -1)}
        # To a debootstrap that does not know a release yet, it is like sid.
        local scripts=/usr/share/debootstrap/scripts
        [ -e "$scripts/$1" ] && script= || script=$scripts/sid
        debootstrap --variant=minbase --include=ca-certificates,git,make "$1" "$2" "$mirror" "$script"
    fi
    if ! grep -qx "VERSION_CODENAME=$1" "$2/etc/os-release"; then
        echo "$2 holds another release than $1" >&2
        exit 1
    fi
}
bootstrap "$release" "$root"
[ -z "$older" ] || bootstrap "$older" "$root.older"

# What a root needs of this machine.
furnish() {
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/dev/shm"
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /etc/apt/apt.conf.d/99*; do
        [ ! -e "$file" ] || install -D -m 644 "$file" "$1$file"
    done
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d" # no service is started in a chroot
    chmod 755 "$1/usr/sbin/policy-rc.d"
}

variables=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
while IFS= read -r variable; do
    variables+=("$variable")
done < <(env | grep -iE '^(pip_|https?_proxy=|no_proxy=)' || true)
variables+=("SOURCE_DATE_EPOCH=$("$checkout/scripts/source-date")")
within() { chroot "$1" env -i "${variables[@]}" "${@:2}"; }
inside() { within "$root" "$@"; }

# --- the checkout as it is now, committed or not, without what git ignores, as a checkout of git ---

# check_out ROOT
check_out() {
    mkdir -p "$1/madtree"
    find "$1/madtree" -mindepth 1 -maxdepth 1 ! -name .venv -exec rm -rf {} +
    (cd "$checkout" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read) |
        tar -x --no-same-owner -C "$1/madtree"
    within "$1" git -C /madtree init --quiet --initial-branch=main
    within "$1" git -C /madtree add --all
}
check_out "$root"

if [ -n "$older" ]; then
    check_out "$root.older"
    furnish "$root.older"
    furnish "$root"
    within "$root.older" bash /madtree/tests/bare/major.sh train
    rm -rf "$root/kept"
    cp -r "$root.older/kept" "$root"
    inside bash /madtree/tests/bare/major.sh upgrade "$older"
    exit
fi
if [ -n "$package" ]; then
    . "$checkout/tests/bare/roots.sh"
    exit
fi
furnish "$root"

# --- what the newcomer types ---

if [ -n "$demo" ]; then
    inside make -C /madtree demo
    inside /madtree/.venv/bin/madtree down
fi
inside make -C /madtree test ${WORKERS:+WORKERS="$WORKERS"} ARGS="${*@Q}"
