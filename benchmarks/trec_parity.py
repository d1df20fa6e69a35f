"""Measures of ranking held against trec_eval, query by query, on judgements and runs of TREC.

    python benchmarks/trec_parity.py QRELS RUN...

Files are tables with the columns topic, doc and rel, or topic, doc and score, as in the folder
`robust03` of trectools. The runs are judged under `like: trec_eval`, by ids where scores are tied;
pytrec-eval-terrier must be installed. Prints the largest difference of each measure over all runs
and topics; the exit code is 1 if any exceeds 1e-9. The data are not part of this project.

trec_eval finds the number of relevant documents that a recall asks for as int(recall · R + 0.9), in
floating point: 0.3 of 7 is 2.1, and 2.1 + 0.9 is below 3 there, so that 2 are enough where 2.1 are
asked for. Here 3 are. Such pairs of a topic and a recall are counted and not compared.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterator
from math import ceil
from pathlib import Path

import numpy as np
import pytrec_eval

from reportgen.data.queries import read_queries
from reportgen.data.requests import (
    ColumnRequest,
    DatasetRequest,
    ModelRequest,
    RankedRequest,
    RunRequest,
    TableRequest,
)
from reportgen.metrics import METRICS
from reportgen.planning.ranking import build_runs

LARGEST = 1e-9
CUTS = (5, 10, 15, 20, 30, 100, 200)
POLICY = {"ties": "trec", "no_relevant": "zero"}  # what `like: trec_eval` stands for
SHARED: dict[str, tuple[str, dict[str, object]]] = {
    "map": ("ap", {}),
    "Rprec": ("r_precision", {}),
    "recip_rank": ("rr", {}),
    "bpref": ("bpref", {}),
    "ndcg": ("ndcg", {}),
    "set_P": ("precision_at", {}),
    "set_recall": ("recall_at", {}),
    "set_F": ("f_at", {}),
    **{f"P_{k}": ("precision_at", {"k": k}) for k in CUTS},
    **{f"recall_{k}": ("recall_at", {"k": k}) for k in CUTS},
    **{f"ndcg_cut_{k}": ("ndcg", {"k": k}) for k in CUTS},
    **{f"map_cut_{k}": ("ap", {"k": k}) for k in CUTS},
    "11pt_avg": ("eleven_point", {}),
    **{f"iprec_at_recall_{k / 10:.2f}": ("iprec", {"recall": k / 10}) for k in range(11)},
    **{f"success_{k}": ("success_at", {"k": k}) for k in (1, 5, 10)},
}


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table that may be packed."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def nested(path: Path, column: str, kind: type) -> dict[str, dict[str, float]]:
    """What pytrec_eval takes: a number by query and document."""
    found: dict[str, dict[str, float]] = {}
    for row in rows_of(path):
        found.setdefault(row["topic"], {})[row["doc"]] = kind(float(row[column]))
    return found


def ours(qrels: Path, run: Path) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """The queries, and the value of each in every shared measure."""
    topic, doc, rel, score = map(ColumnRequest, ("topic", "doc", "rel", "score"))
    tables = [TableRequest(str(path), path.name) for path in (qrels, run)]
    ranked = RankedRequest(
        RunRequest(tables[0], topic, doc, rel), {"run": RunRequest(tables[1], topic, doc, score)}
    )
    request = DatasetRequest("trec", tables[0], rel, {"run": ModelRequest(score)}, ranked=ranked)
    sample = read_queries(request).sample
    lists, values = build_runs(sample)["run"], {}
    for name, (metric, params) in SHARED.items():
        used = METRICS[metric].use(**params, **POLICY)  # type: ignore[arg-type]
        values[name] = used.function(lists, **used.params)
    return sample.ids, values


def is_short(name: str, relevant: int) -> bool:
    """Whether trec_eval takes a recall as reached with fewer documents than it asks for."""
    asked = [k / 10 for k in range(11)] if name == "11pt_avg" else []
    if name.startswith("iprec"):
        asked = [float(name.rpartition("_")[2])]
    return any(int(r * relevant + 0.9) < ceil(r * relevant - 1e-9) for r in asked)


def main(qrels: Path, runs: list[Path]) -> int:
    """Compare all runs and tell the largest difference of each measure."""
    judged, worst = nested(qrels, "rel", int), dict.fromkeys(SHARED, 0.0)
    compared = left_out = 0
    families = {name.partition("_cut_")[0] + "_cut" if "_cut_" in name else name for name in SHARED}
    families = {"iprec_at_recall" if name.startswith("iprec") else name: "" for name in families}
    asked = {n.rstrip("0123456789").rstrip("_") if n[-1].isdigit() else n for n in families}
    for run in runs:
        evaluator = pytrec_eval.RelevanceEvaluator(judged, asked | set(SHARED))
        theirs = evaluator.evaluate(nested(run, "score", float))
        queries, values = ours(qrels, run)
        for at, query in enumerate(queries):
            if query not in theirs:
                continue
            compared += 1
            relevant = sum(grade > 0 for grade in judged[query].values())
            for name in SHARED:
                if is_short(name, relevant):
                    left_out += 1
                    continue
                apart = abs(values[name][at] - theirs[query][name])
                worst[name] = max(worst[name], float(apart))
    for name, apart in sorted(worst.items(), key=lambda pair: -pair[1]):
        print(f"{name:14} {apart:.1e}")
    print(f"{len(SHARED)} measures, {len(runs)} runs, {compared} lists: {max(worst.values()):.1e}")
    print(f"{left_out} values left out, whose recall trec_eval rounds down")
    return int(max(worst.values()) > LARGEST or not compared)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
