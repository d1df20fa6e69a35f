"""Logs written by the tools themselves, without a model: `python FILE FOLDER`, then it is read.

Run the first part where the tools are installed, and the second where reportgen is:

    TOOLS/bin/python benchmarks/evaluation_tools.py write FOLDER
    python benchmarks/evaluation_tools.py read FOLDER

A tool that is not installed is left out. Each writes the answers of two made-up models to 30
items; `truth.json` has their mean as the answers were made.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ITEMS = 30
RIGHT = {"old": 0.5, "new": 0.8}


def draw_answers(model: str) -> list[bool]:
    """Whether each answer of a model is right."""
    draw = random.Random(model)
    return [draw.random() < RIGHT[model] for _ in range(ITEMS)]


def write_inspect(folder: Path) -> None:
    """Run an evaluation of Inspect whose solver knows the answers, in both forms of logs.

    Its mock model is not asked: it counts tokens by a file that it loads from the network.
    """
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import Generate, TaskState, solver

    @solver
    def answer(right: dict[str, bool]):  # type: ignore[no-untyped-def]
        async def solve(state: TaskState, _: Generate) -> TaskState:
            text = "yes" if right[str(state.sample_id)] else "no"
            state.output = ModelOutput.from_content("mockllm/model", text)
            return state

        return solve

    samples = [
        Sample(id=f"i{k}", input=f"question {k}", target="yes", metadata={"topic": f"t{k % 3}"})
        for k in range(ITEMS)
    ]
    for kind in ("eval", "json"):
        for model in RIGHT:
            right = {f"i{k}": each for k, each in enumerate(draw_answers(model))}
            evaluate(
                Task(dataset=samples, solver=answer(right), scorer=match(), name="mock"),
                model=get_model(f"mockllm/{model}"),
                log_dir=str(folder / f"inspect-{kind}"),
                log_format=kind,
                display="none",
            )


def write_deepeval(folder: Path) -> None:
    """Run test cases of DeepEval with a metric that asks no model."""
    from deepeval.evaluate import AsyncConfig, DisplayConfig, evaluate
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Right(BaseMetric):
        threshold = 0.5
        async_mode = False
        evaluation_model = None

        def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
            self.score = float(test_case.actual_output == "yes")
            self.success = self.score >= self.threshold
            return self.score

        async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
            return self.measure(test_case)

        def is_successful(self) -> bool:
            return bool(self.success)

        @property
        def __name__(self) -> str:  # type: ignore[override]
            return "Right"

    for model in RIGHT:
        cases = [
            LLMTestCase(name=f"i{k}", input=f"question {k}", actual_output="yes" if each else "no")
            for k, each in enumerate(draw_answers(model))
        ]
        os.environ["DEEPEVAL_RESULTS_FOLDER"] = str(folder / "deepeval" / model)
        evaluate(
            test_cases=cases,
            metrics=[Right()],
            hyperparameters={"model": model},
            async_config=AsyncConfig(run_async=False),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
        )


def write_lm_eval(folder: Path) -> None:
    """Run a task of lm-evaluation-harness on its dummy model, which answers at random."""
    task = folder / "task"
    task.mkdir(parents=True)
    rows = "".join(
        json.dumps({"question": f"question {k}", "answer": k % 2}) + "\n" for k in range(ITEMS)
    )
    (task / "rows.jsonl").write_text(rows)
    (task / "mock.yaml").write_text(
        f"""task: mock
dataset_path: json
dataset_kwargs: {{data_files: {{test: {task / "rows.jsonl"}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: ["no", "yes"]
doc_to_target: answer
metric_list: [{{metric: acc}}]
"""
    )
    for seed, model in enumerate(RIGHT):
        words = ["lm_eval", "--model", "dummy", "--include_path", str(task), "--tasks", "mock"]
        words += ["--log_samples", "--output_path", str(folder / "lm-eval" / model)]
        words += ["--seed", str(seed)]
        program = str(Path(sys.executable).parent / words[0])
        subprocess.run([program, *words[1:]], check=True)


WRITERS = {
    "inspect_ai": write_inspect,
    "deepeval": write_deepeval,
    "lm_eval": write_lm_eval,
}


def write(folder: Path) -> None:
    """Write the logs of each tool that is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {}
    for name, each in WRITERS.items():
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            print(f"{name} is not installed")
            continue
        each(folder)
    means = {model: sum(draw_answers(model)) / ITEMS for model in RIGHT}
    (folder / "truth.json").write_text(json.dumps({"means": means, "versions": known}))


def read(folder: Path) -> None:
    """Draft a config for each folder of logs, run it, and print the means next to the truth."""
    truth = json.loads((folder / "truth.json").read_text())
    print(f"written by {truth['versions']}; true means {truth['means']}")
    for logs in sorted(p for p in folder.iterdir() if p.is_dir() and p.name != "task"):
        config, out = folder / f"{logs.name}.yaml", folder / f"report-{logs.name}"
        program = [sys.executable, "-m", "reportgen"]
        subprocess.run([*program, "init", str(logs), "--out", str(config)], check=True)
        words = ["run", str(config), "--out", str(out), "--quiet", "--no-cache"]
        ended = subprocess.run([*program, *words, "--set", "outputs=[json]"]).returncode
        if not (out / "results.json").exists():
            print(f"{logs.name}: exit {ended}")
            continue
        results = json.loads((out / "results.json").read_text())
        values = {
            f"{e['key']} of {e['model']}": e["value"]
            for e in results["estimates"]
            if e["segment"] is None
        }
        print(f"{logs.name}: exit {ended}, {results['datasets'][0]['n']} items, {values}")


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]).absolute())
