"""How the time of a whole report goes with the number of classes, beside an earlier commit.

    python benchmarks/many_classes.py 7893ab5d [--classes 3,10,30,100] [--rows 5000]

Generated rows: two models give each of so many classes a probability; ten measures, precision,
recall, F and AUC of every class, 999 resamples, the page and results.json. The earlier commit is
checked out into a worktree of its own and its kernels are built there. Runs of both, in turns, have
a process each, two threads and nothing from the cache; after each pair it is held whether both
wrote the same numbers. Written to benchmarks/results/many_classes.md.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from old_and_new import ROOT, Spent, checked_out, run_into

PAGE = Path(__file__).parent / "results" / "many_classes.md"
CONFIG = """version: 1
report: {title: Many classes}
datasets:
  rows: {path: rows.parquet, id: id, target: y}
task: multiclass
models:
  a: {role: baseline, columns: "a_{class}"}
  b: {columns: "b_{class}"}
metrics: [accuracy, balanced_accuracy, f, mcc, kappa, log_loss, brier, roc_auc, ece,
          {name: top_k_accuracy, k: 2}]
primary: {metric: accuracy, margin: 0.005}
bootstrap: {replicates: 999, seed: 1}
outputs: [html, json]
"""
HEAD = """# How time goes with the number of classes

Made by `python benchmarks/many_classes.py {old}` on {cores} cores; load {load:.1f} at the start.
One run of each commit in turns, two threads; other work on the machine moves seconds of the clock
more than those of the processor. {rows:,} generated rows, two models, ten measures, precision,
recall, F and AUC of every class, 999 resamples, the page and results.json. *Same numbers*:
results.json is the same but for what says when and by what it was made. Old is {old}.

| classes | old, CPU s | now, CPU s | old, clock s | now, clock s | old, peak MB | now, peak MB \
| same numbers |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | :-- |
"""
TAIL = """
## What grows, and what is left out

Written by hand. Precision, recall and F of each class read the table of calls by the sums of its
rows and columns, which are found once a batch of resamples, and AUC over pairs of classes walks
along the scores of each class once, where it walked along those of each pair. So time goes with the
classes, and not with their square, except in the table itself and in slopes of measures of all of
its cells (kappa). Confusion matrices of more than 40 classes draw the 39 largest and "others", and
say so; a table has the most frequent confusions, and results.json all of them.
"""
OF_THE_RUN = ("provenance", "digests")  # of results.json


def main() -> None:
    """Time each number of classes at both commits and write the page."""
    asked = _arguments()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, checked_out(asked.old) as old:
        found = {k: _both(Path(folder), old, k, asked.rows) for k in asked.classes}
    head = HEAD.format(old=asked.old, cores=os.cpu_count(), load=load, rows=asked.rows)
    lines = (_line(k, *runs) for k, runs in found.items())
    page = head + "".join(lines) + "".join(_growth({k: v[1] for k, v in found.items()})) + TAIL
    PAGE.write_text(page, encoding="utf-8")
    print(page)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", help="the commit that is held against this tree")
    parser.add_argument("--classes", default="3,10,30,100")
    parser.add_argument("--rows", type=int, default=5_000)
    asked = parser.parse_args()
    asked.classes = list(map(int, asked.classes.split(",")))
    return asked


def _both(folder: Path, old: Path, classes: int, rows: int) -> tuple[Spent, Spent, bool]:
    """A run of each commit, and whether they found the same."""
    where = folder / str(classes)
    where.mkdir()
    _generated(rows, classes, where / "rows.parquet")
    config = where / "config.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    before, after = (run_into(where / n, t, config) for n, t in (("old", old), ("new", ROOT)))
    return before, after, _numbers(where / "old") == _numbers(where / "new")


def _generated(n: int, k: int, file: Path) -> None:
    """Classes of unequal size, and two models that know something of them, one of them more."""
    draw = np.random.default_rng(7)
    share = draw.dirichlet(np.full(k, 5.0))
    code = draw.choice(k, size=n, p=share)
    names = [f"c{place:03d}" for place in range(k)]
    columns: dict[str, Any] = {"id": np.arange(n), "y": np.array(names)[code]}
    for model, known in (("a", 2.5), ("b", 2.9)):
        logit = 1.2 * draw.normal(size=(n, k)) + np.log(share)
        logit[np.arange(n), code] += known
        odds = np.exp(logit - logit.max(axis=1, keepdims=True))
        chance = odds / odds.sum(axis=1, keepdims=True)
        columns |= {f"{model}_{name}": chance[:, at] for at, name in enumerate(names)}
    pq.write_table(pa.table(columns), file)


def _numbers(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {key: value for key, value in found.items() if key not in OF_THE_RUN}


def _line(classes: int, old: Spent, new: Spent, is_same: bool) -> str:
    cells = (
        f"{old.processor:.1f}",
        f"{new.processor:.1f}",
        f"{old.clock:.1f}",
        f"{new.clock:.1f}",
        f"{old.peak:.0f}",
        f"{new.peak:.0f}",
    )
    return f"| {classes} | {' | '.join(cells)} | {'yes' if is_same else 'no'} |\n"


def _growth(taken: dict[int, Spent]) -> Iterator[str]:
    """The power of the classes by which the processor's seconds grow, from size to size."""
    for few, many in pairwise(taken):
        power = log(taken[many].processor / taken[few].processor) / log(many / few)
        yield f"\nFrom {few} to {many} classes processor seconds now grow by the power {power:.2f}."
    yield "\n"


if __name__ == "__main__":
    main()
