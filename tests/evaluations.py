"""A made-up evaluation of two models, as a table and as each tool writes its logs."""

from __future__ import annotations

import csv
import hashlib
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ITEMS, SAMPLES = 400, 3
MODELS = ("A", "B")
Row = dict[str, Any]


@cache
def draw_answers() -> tuple[Row, ...]:
    """Rows of 400 items in passages, tasks and languages, with 3 samples of each of two models.

    A human labelled the first sample of 120 items.
    """
    rng = np.random.default_rng(20260101)
    passage = rng.integers(0, 100, ITEMS)
    effect = rng.normal(0, 0.8, 100)
    task = rng.choice(["arc", "gsm", "code"], ITEMS, p=[0.5, 0.3, 0.2])
    language = rng.choice(["en", "de", "sw"], ITEMS, p=[0.6, 0.25, 0.15])
    hard = rng.normal(0, 1.2, ITEMS) + effect[passage] + (language == "sw") * 0.6
    labelled = set(rng.choice(ITEMS, 120, replace=False).tolist())
    rows = []
    for model in MODELS:
        for i in range(ITEMS):
            for sample in range(1, SAMPLES + 1):
                gain = (0.35 - 0.5 * (language[i] == "sw")) if model == "B" else 0.0
                truth = int(rng.random() < 1 / (1 + np.exp(-(0.3 + gain - hard[i]))))
                judge = int(rng.random() < (0.92 if truth else 0.18))
                rubric = round(float(np.clip(0.7 * truth + 0.3 * rng.random(), 0, 1)), 3)
                rows.append(
                    {
                        "model": model,
                        "item": f"q{i:04d}",
                        "sample": sample,
                        "task": str(task[i]),
                        "language": str(language[i]),
                        "passage": f"p{passage[i]:03d}",
                        "exact": truth,
                        "judge": judge,
                        "rubric": rubric,
                        "tokens": int(rng.gamma(4, 60)),
                        "human": truth if i in labelled and sample == 1 else None,
                    }
                )
    return tuple(rows)


def write_table(path: Path, rows: tuple[Row, ...] | list[Row] | None = None) -> Path:
    """Write the rows as a long CSV file."""
    rows = draw_answers() if rows is None else rows
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _of(model: str) -> list[Row]:
    return [row for row in draw_answers() if row["model"] == model]


def _first(model: str) -> list[Row]:
    return [row for row in _of(model) if row["sample"] == 1]


def inspect_sample(row: Row) -> Row:
    """One sample as Inspect writes it."""
    return {
        "id": row["item"],
        "epoch": row["sample"],
        "input": f"secret question {row['item']}",
        "target": "secret answer",
        "scores": {
            "match": {"value": "C" if row["exact"] else "I", "answer": "secret"},
            "rubric": {"value": row["rubric"]},
            "judge": {"value": "C" if row["judge"] else "I"},
        },
        "metadata": {key: row[key] for key in ("task", "language", "passage")},
        "model_usage": {"m": {"total_tokens": row["tokens"]}},
    }


def inspect_header(model: str, **changes: Any) -> Row:
    """The head of a log as Inspect writes it."""
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": model,
            "task": "qa",
            "model": f"org/model-{model}",
            "config": {"epochs": SAMPLES},
            "dataset": {"name": "qa", "samples": ITEMS},
        },
        "plan": {},
        "results": {"total_samples": ITEMS * SAMPLES, "completed_samples": ITEMS * SAMPLES},
        "stats": {},
        **changes,
    }


def write_inspect_json(folder: Path) -> None:
    """Write one JSON log for each model."""
    for model in MODELS:
        samples = [inspect_sample(row) for row in _of(model)]
        (folder / f"{model}.json").write_text(
            json.dumps({**inspect_header(model), "samples": samples})
        )


def write_inspect_zip(folder: Path) -> None:
    """Write one .eval log for each model, with its summaries."""
    for model in MODELS:
        samples = [inspect_sample(row) for row in _of(model)]
        with zipfile.ZipFile(folder / f"{model}.eval", "w", zipfile.ZIP_DEFLATED) as log:
            log.writestr("_journal/start.json", "{}")
            for each in samples:
                log.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
            log.writestr("summaries.json", json.dumps(samples))
            log.writestr("header.json", json.dumps(inspect_header(model)))


def write_lm_eval(folder: Path) -> None:
    """Write samples by task with two filters of one of them, and the results of each model."""
    stamp = "2026-08-20T12-00-00.000000"
    for model in MODELS:
        own = folder / f"org__model-{model}"
        own.mkdir(parents=True)
        for task in ("arc", "gsm", "code"):
            lines = []
            for row in _first(model):
                if row["task"] != task:
                    continue
                for name in ("strict-match", "flexible-extract") if task == "gsm" else ("none",):
                    loose = max(row["exact"], row["judge"])
                    line = {
                        "doc_id": int(row["item"][1:]),
                        "doc": {
                            "question": "secret question",
                            "language": row["language"],
                            "passage": row["passage"],
                        },
                        "target": "secret answer",
                        "arguments": {},
                        "resps": [["secret"]],
                        "filtered_resps": ["secret"],
                        "filter": name,
                        "metrics": ["exact_match"],
                        "doc_hash": hashlib.sha256(row["item"].encode()).hexdigest(),
                        "exact_match": float(loose if name == "flexible-extract" else row["exact"]),
                    }
                    lines.append(json.dumps(line))
            (own / f"samples_{task}_{stamp}.jsonl").write_text("\n".join(lines) + "\n")
        about = {"results": {}, "config": {}, "model_name": f"org/model-{model}"}
        (own / f"results_{stamp}.json").write_text(json.dumps(about))


def write_promptfoo(folder: Path) -> None:
    """Write one file in which providers stand side by side and samples are rows."""
    rows = []
    for row in draw_answers():
        about = {"question": row["item"], "language": row["language"]}
        rows.append(
            {
                "promptIdx": 0 if row["model"] == "A" else 1,
                "provider": {"id": f"org:model-{row['model']}", "label": f"model-{row['model']}"},
                "prompt": {"raw": "secret", "label": "secret"},
                "vars": about,
                "testCase": {
                    "vars": about,
                    "metadata": {"task": row["task"], "passage": row["passage"]},
                },
                "response": {"output": "secret"},
                "failureReason": 0 if row["exact"] else 1,
                "success": bool(row["exact"]),
                "score": float(row["exact"]),
                "namedScores": {"rubric": row["rubric"]},
            }
        )
    log = {"evalId": "e-1", "results": {"version": 3, "prompts": [], "results": rows, "stats": {}}}
    (folder / "promptfoo.json").write_text(json.dumps(log))


def write_deepeval(folder: Path) -> None:
    """Write one test run for each model."""
    for model in MODELS:
        cases = [
            {
                "name": row["item"],
                "input": "secret question",
                "actualOutput": "secret",
                "success": bool(row["judge"]),
                "order": int(row["item"][1:]),
                "metadata": {key: row[key] for key in ("language", "task", "passage")},
                "metricsData": [
                    {"name": "Correctness (GEval)", "score": row["rubric"], "success": True},
                    {"name": "Answer Relevancy", "score": 0.9, "success": True},
                ],
            }
            for row in _first(model)
        ]
        log = {
            "testCases": cases,
            "conversationalTestCases": [],
            "hyperparameters": {"model": f"org/model-{model}"},
        }
        (folder / f"deepeval_{model}.json").write_text(json.dumps(log))


def write_helm(folder: Path) -> None:
    """Write the statistics of each instance, of each model in a folder of its own."""
    for model in MODELS:
        own = folder / f"qa:model=org_model-{model}"
        own.mkdir(parents=True)
        stats = [
            {
                "instance_id": row["item"],
                "train_trial_index": row["sample"] - 1,
                "stats": [
                    {"name": {"name": name, "split": "test"}, "count": 1, "mean": float(row[key])}
                    for name, key in (("exact_match", "exact"), ("num_output_tokens", "tokens"))
                ],
            }
            for row in _of(model)
        ]
        (own / "per_instance_stats.json").write_text(json.dumps(stats))
        about = {"name": own.name, "adapter_spec": {"model": f"org/model-{model}"}}
        (own / "run_spec.json").write_text(json.dumps(about))
        (own / "instances.json").write_text(json.dumps([{"id": "q0000", "split": "test"}]))


def write_openai(folder: Path) -> None:
    """Write the events of each model's run."""
    for model in MODELS:
        lines: list[Row] = [{"spec": {"completion_fns": [f"model-{model}"], "eval_name": "qa.dev"}}]
        for row in _first(model):
            name = f"qa.dev.{int(row['item'][1:])}"
            lines.append({"sample_id": name, "type": "sampling", "data": {"prompt": "secret"}})
            data = {"correct": bool(row["exact"]), "expected": "secret"}
            lines.append({"sample_id": name, "type": "match", "data": data})
        lines.append({"final_report": {"accuracy": 0.5}})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"openai_{model}.jsonl").write_text(text)


WRITERS = {
    "inspect .eval": write_inspect_zip,
    "inspect .json": write_inspect_json,
    "lm-evaluation-harness": write_lm_eval,
    "promptfoo": write_promptfoo,
    "DeepEval": write_deepeval,
    "HELM": write_helm,
    "OpenAI evals": write_openai,
}
