"""The published study of ranking says what was counted."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_page_on_coverage_of_ranking_is_that_of_the_counts():
    code = (
        "import sys; sys.path.insert(0, 'benchmarks'); import coverage_ranking as c; "
        "from coverage_ranking_page import page; "
        "print(page(', '.join(sorted(c.OF_INTERVALS))), end='')"
    )
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    published = (ROOT / "benchmarks" / "results" / "coverage-of-ranking.md").read_text(
        encoding="utf-8"
    )
    assert made.stdout.decode() == published
