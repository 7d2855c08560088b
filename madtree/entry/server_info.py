"""What the server's half of madtree runs in: its interpreter, numpy, the machine. Asked for by `madtree doctor`."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import numpy

from madtree import __file__ as package_file
from madtree import __version__

# A container's own limit, which sysconf knows nothing of: control groups, version 2 and 1.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def server_info() -> str:
    """A JSON object; the same for every user, with nothing in it of the user's or of the server's data."""
    return json.dumps(
        {
            "madtree_version": __version__,
            "madtree_path": str(Path(package_file).parent),
            "python_version": platform.python_version(),
            "python_prefix": sys.prefix,
            "numpy_version": numpy.__version__,
            "numpy_path": str(Path(numpy.__file__).parent),
            "cpus": os.cpu_count(),
            "memory_bytes": memory_bytes(),
        }
    )


def memory_bytes() -> int | None:
    """The machine's memory or its container's limit, whichever is less; None where neither is known."""
    known = []
    if {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= os.sysconf_names.keys():
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _LIMITS:
        try:
            known.append(int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such control group, or "max"
            continue
    return min((found for found in known if found > 0), default=None)
