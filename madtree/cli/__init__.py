"""The command line: `madtree up`, `madtree demo` and the rest."""

from madtree.late import loading

try:
    with loading():
        from madtree.cli.app import main
except KeyboardInterrupt:  # Ctrl-C while modules are loaded
    raise SystemExit(130) from None
