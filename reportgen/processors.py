"""How many processors a run may use."""

from __future__ import annotations

import os


def available() -> int:
    """Those that the system lets this process run on, or all where it does not tell (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
