"""One run held against another: rule, causes, verdict, gates, values, warnings.

A value that moved has an interval where both runs allow one, and a word where it is shown. What
it moved because of is said only where exactly one thing differs.
"""

from __future__ import annotations

from reportgen.diff.changes import changes_between
from reportgen.diff.moves import KeptReplicates
from reportgen.diff.runs import Run, run_in

__all__ = ["KeptReplicates", "Run", "changes_between", "run_in"]
