"""Measures of ranking held against what trec_eval printed: the test files of its own repository.

    python benchmarks/trec_outputs.py QRELS RESULTS OUTPUT

OUTPUT is what `trec_eval -q` printed of the judgements and the run, such as `out.test.aq`. Each
printed value that has a measure here is compared under `like: trec_eval`, query by query, to the
four digits that were printed; the exit code is 1 if one differs by more than half of the last.
A recall of 0.1 of 474 documents asks for 47.4: here 48 must be found, and the version that printed
these files took the nearest number, 47. Interpolated precision is compared at its number, and those
values are counted that are another at ours. The files are not part of this project.
"""

from __future__ import annotations

import re
import sys
from math import floor
from pathlib import Path

import numpy as np

from reportgen.data.files.list_files import QRELS, RUN
from reportgen.data.queries import read_queries
from reportgen.data.requests import (
    ColumnRequest,
    DatasetRequest,
    ModelRequest,
    RankedRequest,
    RunRequest,
    TableRequest,
)
from reportgen.data.sample import Sample
from reportgen.kernels.ranked_lists import Lists
from reportgen.metrics import METRICS
from reportgen.planning.ranking import build_runs

HALF = 0.500001e-4  # of the last printed digit
POLICY = {"ties": "trec", "no_relevant": "zero"}
AT = {
    "P": "precision_at",
    "recall": "recall_at",
    "ndcg_cut": "ndcg",
    "map_cut": "ap",
    "success": "success_at",
    "unj": "judged_at",
}
ALONE = {
    "map": "ap",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "rr",
    "ndcg": "ndcg",
    "set_P": "precision_at",
    "set_recall": "recall_at",
    "set_F": "f_at",
    "11pt_avg": "eleven_point",
}


def measure(name: str) -> tuple[str, dict[str, float]] | None:
    """Our metric of a printed name, and its parameters; None where there is none."""
    if name in ALONE:
        return ALONE[name], {}
    if name in ("rbp", "rbp_resid"):
        return ("rbp" if name == "rbp" else "rbp_residual"), {"p": 0.9}
    if match := re.fullmatch(r"iprec_at_recall_([\d.]+)", name):
        return "iprec", {"recall": float(match[1])}
    if (match := re.fullmatch(r"(\w+)_(\d+)", name)) and match[1] in AT:
        return AT[match[1]], {"k": int(match[2])}
    return None


def read(qrels: Path, run: Path) -> tuple[Sample, Lists]:
    """The lists of the run."""
    query, document = ColumnRequest("query"), ColumnRequest("document")
    judged = TableRequest(str(qrels), qrels.name, fields=QRELS)
    answers = TableRequest(str(run), run.name, fields=RUN)
    grade, score = ColumnRequest("grade"), ColumnRequest("score")
    ranked = RankedRequest(
        RunRequest(judged, query, document, grade),
        {"run": RunRequest(answers, query, document, score)},
    )
    request = DatasetRequest("trec", judged, grade, {"run": ModelRequest(score)}, ranked=ranked)
    sample = read_queries(request).sample
    return sample, build_runs(sample)["run"]


def interpolated(lists: Lists, at: int, recall: float, relevant: int) -> tuple[float, float]:
    """Precision at a recall by the number of documents that they ask for, and by ours."""
    theirs = floor(recall * relevant + 0.5) / relevant
    return tuple(
        float(METRICS["iprec"].use(recall=r, **POLICY).function(lists, recall=r, **POLICY)[at])
        for r in (theirs, recall)
    )


def main(qrels: Path, run: Path, printed: Path) -> int:
    """Compare every printed value that has a measure here."""
    with np.errstate(all="ignore"):
        sample, lists = read(_named(qrels, ".qrels"), _named(run, ".run"))
    place = {name: at for at, name in enumerate(sample.ids)}
    seen, other, wrong, unknown = 0, 0, [], set()
    for line in printed.read_text(encoding="utf-8").splitlines():
        name, query, value = line.split(None, 2)
        found = measure(name)
        if query not in place:
            continue
        if found is None:
            unknown.add(name)
            continue
        at, (metric, params) = place[query], found
        if metric in ("iprec", "eleven_point"):
            levels = [params["recall"]] if metric == "iprec" else [k / 10 for k in range(11)]
            pairs = [interpolated(lists, at, level, int(sample.y[at])) for level in levels]
            ours, strict = (float(np.mean(each)) for each in zip(*pairs, strict=True))
            other += abs(ours - strict) > HALF
        else:
            own = METRICS[metric]
            policy = {k: v for k, v in POLICY.items() if k in own.parameters}
            used = own.use(**params, **policy)
            ours = float(used.function(lists, **used.params)[at])
            ours = 1 - ours if name.startswith("unj_") else ours
        seen += 1
        if abs(ours - float(value)) > HALF:
            wrong.append(f"{name} of {query}: {value} printed, {ours:.6f} here")
    print(*wrong, sep="\n")
    print(f"{seen} values compared, {len(wrong)} differ; {other} are others at a recall in full")
    print("no measure here:", ", ".join(sorted(unknown)))
    return int(bool(wrong) or not seen)


def _named(path: Path, suffix: str) -> Path:
    """A file under a name that says what it is."""
    import tempfile

    copy = Path(tempfile.mkdtemp()) / f"{path.name}{suffix}"
    copy.write_bytes(path.read_bytes())
    return copy


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*map(Path, sys.argv[1:])))
