"""Find every number of the worked results of an earlier commit in those of today.

    python benchmarks/values_kept.py 03003c11

Numbers are compared with seven digits, within a config. Those that are not found are counted by
field in benchmarks/results/values_kept.md, with the reason; exit 1 if a field has none. Those that
are found are kept as fingerprints in tests/worked_values.json.gz, so that a test holds that they
stay: all but those of curves, of which there is a quarter.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.test_worked_values import KEPT, iter_values, make_fingerprint, pack_fingerprints
from tests.worked import CONFIGS, ROOT, text_of

PAGE = Path(__file__).parent / "results" / "values_kept.md"
REASONS = {
    r"(classes\.)?estimates\.(low|high|se)|(classes\.)?comparisons\.(low|high|se)": (
        "limits of means over classes add up those of each class, and those at the end of a "
        "ranking rest on its few rows"
    ),
    r"points\.outcomes\.(low|high)": "the cut of a share of the rows moves with the rows",
    r"(classes\.)?comparisons\.(equivalence|adjusted)_\w+": "a comparison has one interval",
    r"(classes\.|across\.)?comparisons\.(low|high|level|p_adjusted)": (
        "the one interval is adjusted by one-step Bonferroni, in place of Holm"
    ),
    r"(gates|sensitivity\.choices|sensitivity\.deletions\.sets)\.(low|high|difference)": (
        "requirements and re-analyses have the adjusted interval, as their comparison has"
    ),
    r"(classes\.)?comparisons\.(n_to_settle|smallest_detectable|replicates_to_settle)": (
        "`units_to_detect` for a stated power replaces `n_to_settle`; all are at the adjusted level"
    ),
    r"(\w+\.)?(comparisons|fold_comparisons)\.p_value|fold_comparisons\.p_value": (
        "no p-value of a test that rests on another method than the printed interval"
    ),
    r"sensitivity\.from_best\.\w+": "`pairs` replaces it",
    r"sensitivity\.pools\.random.*": "`references` replaces it, in closed form",
    r"warnings\.numbers\.(needed|comparisons)": "the families of comparisons are other ones",
    r"curves\.(y|low|high|band_low|band_high|marks\..*)": (
        "shares of a total are undefined where the target has values below zero"
    ),
}
STREAMED = "streamed rows that fit in memory have exact values, not values from bins"
SMALL = "the last digits of sums depend on the machine"


def read_old(commit: str, name: str) -> Any:
    """Read the results of a worked config as a commit has them; None if it has none."""
    path = f"{commit}:tests/worked_results/{name}.json.gz"
    found = subprocess.run(["git", "-C", str(ROOT), "show", path], capture_output=True)
    return json.loads(gzip.decompress(found.stdout)) if found.returncode == 0 else None


def find_reason(name: str, field: str) -> str:
    """Find why numbers of a field are others today; empty where nobody knows."""
    listed = (said for form, said in REASONS.items() if re.fullmatch(form, field))
    small = SMALL if re.fullmatch(r".*\.(se|x)|(classes\.)?estimates\.(low|high)", field) else ""
    return next(listed, "") or (STREAMED if name == "streamed" else small)


def main(commit: str) -> int:
    """Compare, and write the page and the fingerprints."""
    every, missed, kept = 0, Counter[tuple[str, str]](), {}
    for name in CONFIGS:
        old = read_old(commit, name)
        if old is None:
            continue
        today = {make_fingerprint(x) for _, x in iter_values(json.loads(text_of(name)))}
        found: dict[str, set[int]] = {}
        for field, value in iter_values(old):
            every += 1
            print_ = make_fingerprint(value)
            if print_ in today:
                found.setdefault(field, set()).add(print_)
            else:
                missed[find_reason(name, field), field] += 1
        kept[name] = {
            field: pack_fingerprints(
                prints if "curves" not in field else {x for x in prints if x % 4 == 0}
            )
            for field, prints in found.items()
        }
    KEPT.write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))
    lines = [f"| {field} | {count} | {why} |" for (why, field), count in sorted(missed.items())]
    head = (
        f"# Numbers of {commit} that today's worked results have\n\n"
        f"Made by `python benchmarks/values_kept.py {commit}`. Of {every:,} numbers, "
        f"{every - missed.total():,} are found with seven digits. The others changed on purpose:\n"
        "\n| field | numbers | reason |\n| --- | ---: | --- |\n"
    )
    PAGE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
    return int(any(not why for why, _ in missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
