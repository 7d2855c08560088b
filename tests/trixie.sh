#!/usr/bin/env bash
# Runs the suite on a fresh Debian 13 (trixie: PostgreSQL 17, Python 3.13), in a root made with debootstrap. Needs root.
#
#   tests/trixie.sh [DIRECTORY [PYTEST ARGUMENTS...]]
#
# DIRECTORY (default: a temporary one, removed at the end) is kept and used again by the next run. SUITE=bookworm takes
# another release. The new root gets this machine's package mirror, certificates and pip settings, and nothing else of it:
# what the project needs there, `make setup` must install, as it would on a newcomer's machine.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
suite=${SUITE:-trixie}

# A mount namespace of our own: whatever is mounted below is gone with this script.
if [ -z "${MADTREE_UNSHARED:-}" ]; then
    exec env MADTREE_UNSHARED=1 unshare --mount --propagation private -- bash "$0" "$@"
fi

if [ $# -gt 0 ]; then
    root=$(mkdir -p "$1" && cd "$1" && pwd)
    shift
else
    root=$(mktemp -d -t "madtree-$suite.XXXXXX")
    trap 'umount -R "$root"/{proc,dev} 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
fi
chmod 755 "$root"

if [ ! -e "$root/etc/debian_version" ]; then
    # The mirror that this machine's apt uses; debootstrap's own default where there is none.
    mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 2>/dev/null | head -1)}
    debootstrap --variant=minbase --include=ca-certificates,make "$suite" "$root" ${mirror:+"$mirror"}
fi

mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /etc/apt/apt.conf.d/99*; do
    [ -e "$file" ] && install -D -m 644 "$file" "$root$file"
done
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no service is started in a chroot
chmod 755 "$root/usr/sbin/policy-rc.d"

# The checkout as it is now, committed or not, without what git ignores.
mkdir -p "$root/madtree"
find "$root/madtree" -mindepth 1 -maxdepth 1 ! -name .venv -exec rm -rf {} +
(cd "$source" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read) |
    tar -x --no-same-owner -C "$root/madtree"

variables=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
while IFS= read -r variable; do
    variables+=("$variable")
done < <(env | grep -iE '^(pip_|https?_proxy=|no_proxy=)' || true)
chroot "$root" env -i "${variables[@]}" make -C /madtree test ARGS="$*"
