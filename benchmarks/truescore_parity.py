"""The same made-up evaluation through truescore and through reportgen: `python FILE TRUESCORE`.

TRUESCORE is the program of an environment that has truescore (0.7.4 when this was written). Each
line has what both say, as Markdown.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.evaluations import WRITERS, draw_answers, write_table

ROOT = Path(__file__).parents[1]


def ask(folder: Path, *words: str) -> str:
    """What truescore says, in one line."""
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.argv[1], *words], cwd=folder, env=environ, capture_output=True, text=True
    )
    text = done.stdout + done.stderr
    kept = [
        line.strip()
        for line in text.splitlines()
        if re.search(r"difference \(|FINDING|error:|p = |estimate|corrected|rows", line)
    ]
    return " ".join(kept)[:300] or f"exit {done.returncode}"


def compare(folder: Path, path: Path, **keys: Any) -> str:
    """What reportgen says of the primary comparison."""
    config: dict[str, Any] = {
        "version": 1,
        "report": {"title": "Parity"},
        "task": "scored",
        "datasets": {"qa": {"path": str(path)} | keys.pop("data", {})},
        "bootstrap": {"replicates": 99},
        "sensitivity": "none",
        "outputs": ["json"],
        **keys,
    }
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    words = [sys.executable, "-m", "reportgen", "run", "c.yaml", "--out", "out", "--quiet"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["rm", "-rf", "out"], cwd=folder, check=True)
    done = subprocess.run(
        [*words, "--no-cache"], cwd=folder, env=environ, capture_output=True, text=True
    )
    if not (folder / "out" / "results.json").exists():
        return done.stderr.strip()[:200]
    results = json.loads((folder / "out" / "results.json").read_text())
    c = next(c for c in results["comparisons"] if c["segment"] is None)
    said = f"{c['difference']:+.4f} [{c['low']:+.4f}, {c['high']:+.4f}], p {c['p_value']:.4f}"
    for each in results["evaluations"][0]["corrected"]:
        own, of = each["corrected"], f" less {each['baseline']}" if each["baseline"] else ""
        said += f"; {each['model']}{of} {own['value']:.4f} [{own['low']:.4f}, {own['high']:.4f}]"
    return f"{said}; metrics {', '.join(m['key'] for m in results['metrics'])}"


def write_wide(path: Path, rows: list[dict[str, Any]], scores: tuple[str, ...]) -> None:
    """Write a row for each item, with columns of both models: the means of its samples."""
    items: dict[str, dict[str, Any]] = {}
    for row in rows:
        own = items.setdefault(row["item"], {"item": row["item"], "passage": row["passage"]})
        for score in scores:
            own.setdefault(f"{score}_{row['model']}", []).append(row[score])
    with path.open("w", newline="") as file:
        first = next(iter(items.values()))
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        for own in items.values():
            means = {
                k: "" if v == [None] else sum(v) / len(v) if isinstance(v, list) else v
                for k, v in own.items()
            }
            writer.writerow({k: int(v) if v in (0.0, 1.0) else v for k, v in means.items()})


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rows = list(draw_answers())
        first = [row for row in rows if row["sample"] == 1]
        write_wide(folder / "first.csv", first, ("exact", "judge", "human"))
        write_wide(folder / "wide.csv", rows, ("exact",))
        write_table(folder / "long.csv", rows)
        write_table(folder / "long-first.csv", first)
        logs = folder / "logs"
        for name in ("lm-evaluation-harness", "HELM", "OpenAI evals"):
            (logs / name).mkdir(parents=True)
            WRITERS[name](logs / name)
        pair = ("--judge-a", "exact_A", "--judge-b", "exact_B", "--id-column", "item")
        item, clustered = {"id": "item"}, {"id": "item", "cluster": "passage"}
        exact = {"scores": {"exact": {"bounds": [0, 1]}}}
        judge = {
            "scores": {"judge": {"bounds": [0, 1]}},
            "judge": {"score": "judge", "human": "human", "correct": True},
        }
        by_human = ("--gold-a", "human_A", "--gold-b", "human_B")
        by_judge = ("--judge-a", "judge_A", "--judge-b", "judge_B", *pair[4:])
        [lm] = (logs / "lm-evaluation-harness" / "org__model-A").glob("samples_gsm*")
        helm = next((logs / "HELM").rglob("per_instance_stats.json"))
        table = {
            "pass or fail, first sample": (
                ask(folder, "compare", "first.csv", *pair),
                compare(folder, folder / "long-first.csv", data=item, **exact),
            ),
            "the same by passage": (
                ask(folder, "compare", "first.csv", *pair, "--cluster-column", "passage"),
                compare(folder, folder / "long-first.csv", data=clustered, **exact),
            ),
            "means of samples": (
                ask(folder, "compare", "wide.csv", *pair),
                compare(folder, folder / "long.csv", data=item, **exact),
            ),
            "a long table": (
                ask(folder, "compare", "long.csv", "--judge-a", "exact", "--judge-b", "judge"),
                compare(folder, folder / "long.csv", data=item),
            ),
            "lm-eval with two filters": (
                ask(folder, "doctor", str(lm)),
                compare(folder, logs / "lm-evaluation-harness"),
            ),
            "HELM": (ask(folder, "doctor", str(helm)), compare(folder, logs / "HELM")),
            "OpenAI evals": (
                ask(folder, "doctor", str(logs / "OpenAI evals" / "openai_A.jsonl")),
                compare(folder, logs / "OpenAI evals"),
            ),
            "judge and human": (
                ask(folder, "compare", "first.csv", *by_judge, *by_human),
                compare(folder, folder / "long-first.csv", data=item, **judge),
            ),
            "judge and human by passage": (
                ask(
                    *(folder, "compare", "first.csv", *by_judge, *by_human),
                    *("--cluster-column", "passage"),
                ),
                compare(folder, folder / "long-first.csv", data=clustered, **judge),
            ),
        }
        print("| | truescore | reportgen |\n|---|---|---|")
        for name, (theirs, ours) in table.items():
            print(f"| {name} | {theirs.replace('|', '/')} | {ours.replace('|', '/')} |")


if __name__ == "__main__":
    main()
