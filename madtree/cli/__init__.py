"""The command line: `madtree up`, `madtree demo` and the rest."""

from madtree.cli.app import main
