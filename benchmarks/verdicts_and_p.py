"""Count decided verdicts that stand beside an adjusted p-value above the level.

    python benchmarks/verdicts_and_p.py results.json ...

A line a file: replicates, comparisons, decided ones, and how many of those have an adjusted p-value
above 1 − level. The last should be 0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    for name in sys.argv[1:]:
        found = json.loads(Path(name).read_text(encoding="utf-8"))
        compared = found["comparisons"]
        decided = [c for c in compared if c["verdict"] in ("better", "worse")]
        wrong = [
            c
            for c in decided
            if c["p_adjusted"] is not None and c["p_adjusted"] > 1 - c["level"] + 1e-12
        ]
        drawn = found["inference"]["replicates"]
        print(f"{name}: {drawn} {len(compared)} {len(decided)} {len(wrong)}")


if __name__ == "__main__":
    main()
