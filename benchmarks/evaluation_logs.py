"""How long 100 MB of evaluation logs take to read, and how much memory: `python FILE [MB]`.

Writes logs of two models in each format, with texts as long as those of real logs, and runs a
report on them in a process of its own.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEXT = "The quick brown fox jumps over the lazy dog, and asks why it did so. " * 40  # 2.8 kB
CONFIG = """
version: 1
report: {title: Logs}
task: scored
datasets: {qa: {path: logs}}
outputs: [json]
"""
Row = dict[str, Any]


def iter_rows(model: str, count: int) -> Iterator[Row]:
    """Yield so many answers of a model."""
    draw = random.Random(model)
    for k in range(count):
        yield {"item": f"q{k:06d}", "right": int(draw.random() < 0.6), "topic": f"t{k % 7}"}


def write_inspect(folder: Path, model: str, rows: Iterator[Row]) -> None:
    """Write a JSON log and, with the same answers, none else."""
    head = {"version": 2, "status": "success", "eval": {"task": "qa", "model": model}}
    with (folder / f"{model}.json").open("w") as file:
        file.write(json.dumps(head)[:-1] + ', "samples": [')
        for place, row in enumerate(rows):
            sample = {
                "id": row["item"],
                "epoch": 1,
                "input": TEXT,
                "messages": [{"role": "user", "content": TEXT}],
                "scores": {"match": {"value": "CI"[row["right"] == 0]}},
                "metadata": {"topic": row["topic"]},
            }
            file.write((", " if place else "") + json.dumps(sample))
        file.write("]}")


def write_zip(folder: Path, model: str, rows: Iterator[Row]) -> None:
    """Write a .eval log, stored so that the file is as large as its content."""
    summaries = [
        {
            "id": row["item"],
            "epoch": 1,
            "input": TEXT,
            "scores": {"match": {"value": "CI"[row["right"] == 0]}},
            "metadata": {"topic": row["topic"]},
        }
        for row in rows
    ]
    head = {"version": 2, "status": "success", "eval": {"task": "qa", "model": model}}
    with zipfile.ZipFile(folder / f"{model}.eval", "w") as log:
        log.writestr("header.json", json.dumps(head))
        log.writestr("summaries.json", json.dumps(summaries))


def write_lines(folder: Path, model: str, rows: Iterator[Row]) -> None:
    """Write samples of lm-evaluation-harness."""
    (folder / model).mkdir()
    with (folder / model / "samples_qa_2026-01-01T00-00-00.jsonl").open("w") as file:
        for row in rows:
            line = {
                "doc_id": row["item"],
                "doc": {"question": TEXT, "topic": row["topic"]},
                "resps": [[TEXT]],
                "filter": "none",
                "metrics": ["exact_match"],
                "exact_match": row["right"],
            }
            file.write(json.dumps(line) + "\n")


def write_promptfoo(folder: Path, model: str, rows: Iterator[Row]) -> None:
    """Write results of one provider; two files make two models."""
    with (folder / f"{model}.json").open("w") as file:
        file.write('{"evalId": "e", "results": {"version": 3, "results": [')
        for place, row in enumerate(rows):
            result = {
                "provider": {"id": model, "label": model},
                "vars": {"question": row["item"]},
                "prompt": {"raw": TEXT},
                "response": {"output": TEXT},
                "score": row["right"],
                "success": bool(row["right"]),
            }
            file.write((", " if place else "") + json.dumps(result))
        file.write("]}}")


WRITERS = {
    "Inspect .json": write_inspect,
    "Inspect .eval": write_zip,
    "lm-evaluation-harness": write_lines,
    "promptfoo": write_promptfoo,
}
SIZES = {"Inspect .eval": 2.95e3}  # bytes of an answer; of the others 5.8 kB


def main() -> None:
    """Print a line for each format."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 100.0
    print("| format | MB | answers | seconds | peak memory, MB |\n|---|--:|--:|--:|--:|")
    for name, write in WRITERS.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            (folder / "logs").mkdir()
            count = int(megabytes * 1e6 / 2 / SIZES.get(name, 5.8e3))
            for model in ("a", "b"):
                write(folder / "logs", model, iter_rows(model, count))
            size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6
            (folder / "c.yaml").write_text(CONFIG)
            words = [sys.executable, "-m", "reportgen", "run", "c.yaml", "--no-cache", "--quiet"]
            start = time.perf_counter()
            subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            took = time.perf_counter() - start
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
            print(f"| {name} | {size:.0f} | {2 * count:,} | {took:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
