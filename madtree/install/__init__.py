"""Bringing madtree into a PostgreSQL installation.

`sources` finds madtree's own files (in a checkout or a wheel), `script` assembles the extension's SQL from them and
`migrations` the upgrades, `files` lays everything out under an installation's directories, `postgres` finds such
installations. Standard library only: ``make install`` runs it with whatever Python 3.10+ there is.
"""

from madtree.install.files import install, uninstall
from madtree.install.migrations import upgrade_scripts
from madtree.install.postgres import Installation, NoPostgresError, find_installation
from madtree.install.script import assemble
