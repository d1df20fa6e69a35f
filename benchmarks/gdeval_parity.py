"""ERR and nDCG with exponential gain held against gdeval.pl of the TREC Web Track, query by query.

    python benchmarks/gdeval_parity.py GDEVAL QRELS RUN...

GDEVAL is the script (the package ir-measures has it in `bin`); it needs Perl. QRELS and RUN are
tables as trec_parity.py takes them. At depth 10 and 20, under its conventions: gain 2^g − 1, the
highest grade 4, ties by id. Exit code 1 if a value differs by more than half of its five digits.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import trec_outputs
from trec_parity import rows_of

from reportgen.metrics import METRICS

HALF = 0.500001e-5
POLICY = {"ties": "trec", "no_relevant": "zero"}
MEASURES = {"ndcg": {"gain": "exp2"}, "err": {"top": 4.0}}


def written(folder: Path, qrels: Path, run: Path) -> tuple[Path, Path]:
    """The tables as TREC's files."""
    judged, answers = folder / "judged.qrels", folder / "answers.run"
    lines = (f"{r['topic']} 0 {r['doc']} {r['rel']}\n" for r in rows_of(qrels))
    judged.write_text("".join(lines), encoding="utf-8")
    lines = (f"{r['topic']} Q0 {r['doc']} 1 {r['score']} run\n" for r in rows_of(run))
    answers.write_text("".join(lines), encoding="utf-8")
    return judged, answers


def main(script: Path, qrels: Path, runs: list[Path]) -> int:
    """Compare every query of every run."""
    worst, seen = 0.0, 0
    for run in runs:
        with TemporaryDirectory() as held:
            files = written(Path(held), qrels, run)
            sample, lists = trec_outputs.read(*files)
            for k in (10, 20):
                words = ["perl", str(script), *map(str, files), str(k)]
                printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
                theirs = {
                    line.split(",")[1]: [float(v) for v in line.split(",")[2:]]
                    for line in printed.splitlines()[1:]
                }
                for at, (name, params) in enumerate(MEASURES.items()):
                    used = METRICS[name].use(k=k, **params, **POLICY)
                    values = used.function(lists, **used.params)
                    for query, value in zip(sample.ids, values, strict=True):
                        if query in theirs:
                            worst = max(worst, abs(float(value) - theirs[query][at]))
                            seen += 1
    print(f"{seen} values of {len(runs)} runs compared: largest difference {worst:.1e}")
    return int(worst > HALF or not seen)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]]))
