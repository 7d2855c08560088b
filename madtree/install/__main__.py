"""``python3 -m madtree.install``: what ``make install`` and ``make uninstall`` run. Standard library only."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from madtree.install import NoPostgresError, find_installation, install, uninstall
from madtree.install.migrations import freeze
from madtree.install.script import definitions, extension_root


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m madtree.install", description=__doc__)
    parser.add_argument("--pg-config", help="the installation's pg_config (default: the newest that has PL/Python)")
    parser.add_argument("--destdir", type=Path, default=Path("/"), help="install below this directory, for packaging")
    parser.add_argument("--uninstall", action="store_true", help="remove madtree from the installation")
    parser.add_argument("--sql", action="store_true", help="print the extension's SQL, its macros as they are")
    parser.add_argument("--freeze", action="store_true", help="keep a release's definitions, below migrations/")
    options = parser.parse_args()
    if options.sql:
        sys.stdout.write(definitions())
        return 0
    if options.freeze:
        print("frozen:", freeze(extension_root()))
        return 0
    try:
        installation = find_installation(options.pg_config)
        paths = (uninstall if options.uninstall else install)(installation, options.destdir)
    except (NoPostgresError, PermissionError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in paths:
        print("removed" if options.uninstall else "installed", path)
    if not options.uninstall:
        print(installation.next_step)
    return 0


if __name__ == "__main__":
    sys.exit(main())
