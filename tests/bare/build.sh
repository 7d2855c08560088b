#!/usr/bin/env bash
# Builds one kind of package below /packages/new, of the checkout in /madtree, and of released versions from /older:
#
#   tests/bare/build.sh deb|wheel|pgxn|source [VERSION...]
set -euo pipefail
kind=$1
export DEBIAN_FRONTEND=noninteractive

prepare() {
    apt-get update -q
    case $kind in
    deb) ;; # scripts/deb --setup
    wheel)
        apt-get install -q -y --no-install-recommends python3-venv
        python3 -m venv /opt/build
        /opt/build/bin/pip install -q --no-cache-dir build twine
        ;;
    *) apt-get install -q -y --no-install-recommends python3 ;;
    esac
}

# build TREE INTO
build() {
    mkdir -p "$2"
    case $kind in
    deb)
        (cd "$1" && scripts/deb --setup)
        cp "$1"/dist/*.deb "$2"
        ;;
    wheel)
        /opt/build/bin/python -m build --outdir "$2" "$1"
        /opt/build/bin/twine check --strict "$2"/*
        ;;
    pgxn) (cd "$1" && python3 scripts/pgxn "$2") ;;
    source) cp -r "$1/." "$2" ;;
    esac
}

prepare
build /madtree /packages/new
for version in "${@:2}"; do
    tree=/older/$version
    # Released before there were packages: with the packaging of today.
    if [ "$kind" = deb ]; then
        rm -rf "$tree/debian"
        cp -r /madtree/debian "$tree"
        cp /madtree/scripts/{deb,source-date} "$tree/scripts/"
        sed -i "1s/(.*)/($version-1)/" "$tree/debian/changelog"
    fi
    git -C "$tree" init --quiet --initial-branch=main
    git -C "$tree" add --all
    build "$tree" "/packages/$version"
done
