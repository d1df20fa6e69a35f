"""Coverage of intervals on made-up evaluations: `python FILE [RUNS] [SEED]`, or `direct [RUNS]`.

Each run draws 400 items, writes the table of two models' answers, and runs reportgen on it: the
interval of the paired difference, and that of the judge's difference corrected by 120 labels
(PPI++). Half of the runs have independent items, half 40 passages of 10 items, by `cluster:`, and
without it. With `direct`, PPI++ alone is called, without the rest of the program.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from click.testing import CliRunner

from reportgen.cli.commands import cli
from reportgen.inference.judges import correct_mean

ITEMS, LABELLED, PASSAGES = 400, 120, 40
CHANCE_BIG = 2_000_000
"""Draws that the true difference is found from."""


def draw_chances(rng: np.random.Generator, items: int, passages: int) -> tuple[Any, ...]:
    """The chances that each of two models is right, and the passage of each item."""
    group = rng.integers(0, passages, items) if passages else np.arange(items)
    hard = rng.normal(0, 1.2, items)
    gain = rng.normal(0.3, 0.8, items)
    if passages:
        gain = rng.normal(0.3, 1.2, passages)[group]
    return 1 / (1 + np.exp(hard - 0.3)), 1 / (1 + np.exp(hard - 0.3 - gain)), group


def find_truth(passages: int) -> float:
    """The true difference, over all items and passages there could be."""
    rng = np.random.default_rng(1)
    hard = rng.normal(0, 1.2, CHANCE_BIG)
    gain = rng.normal(0.3, 1.2 if passages else 0.8, CHANCE_BIG)
    return float((1 / (1 + np.exp(hard - 0.3 - gain)) - 1 / (1 + np.exp(hard - 0.3))).mean())


def write_answers(path: Path, rng: np.random.Generator, passages: int) -> None:
    """Write one answer of each model to each item, with a judge that favours the second."""
    *chances, group = draw_chances(rng, ITEMS, passages)
    labelled = np.isin(np.arange(ITEMS), rng.choice(ITEMS, LABELLED, replace=False))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "model", "passage", "right", "judge", "human"])
        for model, chance, (hit, miss) in zip(
            "AB", chances, ((0.92, 0.18), (0.9, 0.28)), strict=True
        ):
            right = (rng.random(ITEMS) < chance).astype(int)
            judge = (rng.random(ITEMS) < np.where(right, hit, miss)).astype(int)
            for k in range(ITEMS):
                human = right[k] if labelled[k] else ""
                writer.writerow([f"q{k:03d}", model, f"p{group[k]}", right[k], judge[k], human])


def build_config(cluster: str | None) -> dict[str, Any]:
    """The config of a report on the table."""
    data = {"path": "t.csv"} | ({} if cluster is None else {"cluster": cluster})
    return {
        "version": 1,
        "report": {"title": "Coverage"},
        "task": "scored",
        "datasets": {"qa": data},
        "models": {"A": {"role": "baseline"}, "B": {}},
        "scores": {"right": {"bounds": [0, 1]}, "judge": {"bounds": [0, 1]}},
        "metrics": ["right"],
        "judge": {"score": "judge", "human": "human", "correct": True},
        "bootstrap": {"replicates": 19},
        "sensitivity": "none",
        "outputs": ["json"],
    }


def cover_directly(runs: int) -> None:
    """Count how often PPI++ holds the true difference, by its function."""
    print("| items, interval | runs | coverage | mean width |\n|---|--:|--:|--:|")
    for passages in (0, PASSAGES):
        truth, hits, width = find_truth(passages), 0, 0.0
        for number in range(runs):
            rng = np.random.default_rng([7, passages, number])
            *chances, group = draw_chances(rng, ITEMS, passages)
            labelled = np.isin(np.arange(ITEMS), rng.choice(ITEMS, LABELLED, replace=False))
            right, judge = [], []
            for chance, (hit, miss) in zip(chances, ((0.92, 0.18), (0.9, 0.28)), strict=True):
                right.append((rng.random(ITEMS) < chance).astype(float))
                judge.append((rng.random(ITEMS) < np.where(right[-1], hit, miss)).astype(float))
            pair = judge[1] - judge[0], right[1] - right[0]
            each = correct_mean(*pair, labelled, group, 0.95).corrected
            hits += each.low <= truth <= each.high
            width += each.high - each.low
        name = "passages, by cluster" if passages else "independent items"
        print(f"| {name}, PPI++ | {runs} | {hits / runs:.3f} | {width / runs:.3f} |")


def main() -> None:
    """Count how often each interval holds the truth."""
    if sys.argv[1:2] == ["direct"]:
        cover_directly(int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    runner, counts = CliRunner(), dict[str, list[float]]()
    for passages in (0, PASSAGES):
        truth = find_truth(passages)
        ways = (
            {"independent items": None}
            if not passages
            else {"passages, by rows": None, "passages, by cluster": "passage"}
        )
        for number in range(runs):
            rng = np.random.default_rng([seed, passages, number])
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                write_answers(folder / "t.csv", rng, passages)
                for name, cluster in ways.items():
                    (folder / "c.yaml").write_text(yaml.safe_dump(build_config(cluster)))
                    out = folder / name.replace(" ", "-")
                    words = ["run", str(folder / "c.yaml"), "--out", str(out), "--quiet"]
                    runner.invoke(cli, [*words, "--no-cache"])
                    results = json.loads((out / "results.json").read_text())
                    [c] = results["comparisons"]
                    own = results["evaluations"][0]["corrected"]
                    corrected = next(e["corrected"] for e in own if e["baseline"])
                    for what, (low, high) in {
                        "difference": (c["low"], c["high"]),
                        "PPI++": (corrected["low"], corrected["high"]),
                    }.items():
                        row = counts.setdefault(f"{name}, {what}", [0, 0, 0.0])
                        row[0] += 1
                        row[1] += low <= truth <= high
                        row[2] += high - low
    print("| items, interval | runs | coverage | mean width |\n|---|--:|--:|--:|")
    for name, (total, hits, width) in counts.items():
        print(f"| {name} | {total:.0f} | {hits / total:.3f} | {width / total:.3f} |")


if __name__ == "__main__":
    main()
