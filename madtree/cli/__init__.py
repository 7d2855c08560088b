"""The command line: `madtree up`, `madtree demo` and the rest."""

from madtree.late import loading

with loading():
    from madtree.cli.app import main
