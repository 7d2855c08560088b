"""``python -m madtree``: the command line without its script."""

from madtree.cli import main

main()
