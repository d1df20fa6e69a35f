"""Time whole runs stage by stage, in seconds of the clock and of processors.

    python benchmarks/stages.py [--old FOLDER PYTHON] [--only NAME ...] [--threads 2]

The survey and the wallet, generated rows of three models with eight metrics and every curve with
its band, 100,000 queries of 20 documents, and 15 models on 158 segments; all outputs, nothing from
the cache, each in a process of its own. Stages follow each other; within one, threads share the
work where they can: processor seconds over clock seconds say how far. `--old` is a checkout of an
earlier commit and the Python of its environment, whose runs take turns with those of this one.
Written to benchmarks/results/stages.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from old_and_new import CONFIG, ROOT, _generated
from pyarrow import parquet
from speed_ranking import put_report

PAGE = Path(__file__).parent / "results" / "stages.md"
STAGES = {
    "reading and checking": [
        ("reportgen.governance.study", "load_config"),
        ("reportgen.pipeline", "read_data"),
        ("reportgen.pipeline", "check_segments"),
    ],
    "the plan, bound to rows": [("reportgen.pipeline", "plan_datasets")],
    "replicates of metrics and curves": [("reportgen.analysis.run", "draw_replicates")],
    "estimates, intervals and tests": [
        ("reportgen.analysis.run", "compute_metric_results"),
        ("reportgen.analysis.run", "judge_in_families"),
    ],
    "robustness, choices and warnings": [
        ("reportgen.analysis.run", "analyze_sensitivity"),
        ("reportgen.analysis.run", "_iter_warnings"),
        ("reportgen.analysis.run", "iter_row_warnings"),
    ],
    "curves and costs": [
        ("reportgen.analysis.run", "iter_joint_results"),
        ("reportgen.analysis.run", "iter_curve_results"),
        ("reportgen.analysis.run", "compute_calibrations"),
    ],
    "digests of data and numbers": [("reportgen.pipeline", "compute_digests")],
    "words and tables": [
        ("reportgen.report.layout", "build_document"),
        ("reportgen.pipeline", "decide"),
    ],
    "figures": [("reportgen.report.render.plain", "_draw_figure")],
    "pages without figures, and files": [("reportgen.pipeline", "render_outputs")],
}
WITHIN = {"pages without figures, and files": "figures"}  # the second is a part of the first
RENAMED = {  # stages of earlier commits
    "what is asked, bound to rows": "the plan, bound to rows",
    "pages beside figures, and files": "pages without figures, and files",
}
SEGMENTS = {"region": 50, "shop": 60, "age": 8, "channel": 6, "week": 34}
HEAD = """# Where whole runs take their time

Made by `python benchmarks/stages.py` on {cores} cores, {threads} threads; load {load:.1f} at the
start. One run each{beside}. Where processor seconds are those of the clock, one thread works.
"""
Stages = dict[str, tuple[float, float]]


def main() -> None:
    """Time the runs and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--old", nargs=2, metavar=("FOLDER", "PYTHON"))
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        _time_stages(*asked.one, asked.threads)
        return
    load = os.getloadavg()[0]
    beside = ", in turn with one of the earlier commit: its seconds come first" if asked.old else ""
    page = [HEAD.format(cores=os.cpu_count(), threads=asked.threads, load=load, beside=beside)]
    with tempfile.TemporaryDirectory() as folder:
        for title, config in _iter_runs(Path(folder)):
            if asked.only and not any(name in title for name in asked.only):
                continue
            found = [_run((ROOT, sys.executable), config, asked.threads)]
            if asked.old:
                found.insert(0, _run((Path(asked.old[0]), asked.old[1]), config, asked.threads))
            page.append(_build_table(title, found))
            print(page[-1], flush=True)
    PAGE.write_text("\n".join(page), encoding="utf-8")


def _iter_runs(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the title of each run and its config, made with its data when it is asked for."""
    yield "The survey, 500 rows", ROOT / "configs" / "wallet-survey.yaml"
    yield "The wallet, 3,000 rows", ROOT / "configs" / "wallet.yaml"
    config = folder / "config.yaml"
    _generated(1_000_000, folder / "rows.parquet")
    config.write_text(CONFIG.format(replicates=999), encoding="utf-8")
    yield "1,000,000 generated rows", config
    yield "100,000 queries of 20 documents", put_report(folder, 100_000)
    yield "15 models on 158 segments of 3,000 rows", _put_segments(folder)


def _put_segments(folder: Path) -> Path:
    """Write amounts, 15 models of them, five columns of segments and the config of the report."""
    draw, n = np.random.default_rng(1), 3_000
    y = draw.gamma(1.5, 20, n) * (draw.random(n) > 0.3)
    columns = {"id": np.arange(n), "y": y}
    columns |= {f"m{k}": y * (0.6 + 0.03 * k) + draw.gamma(2, 6, n) for k in range(15)}
    columns |= {
        name: [f"{name}{v}" for v in draw.integers(0, k, n)] for name, k in SEGMENTS.items()
    }
    parquet.write_table(pa.table(columns), folder / "segments.parquet")
    models = ", ".join(f"m{k}: {{column: m{k}}}" for k in range(1, 15))
    path = folder / "segments.yaml"
    path.write_text(
        f"""version: 1
report: {{title: Segments}}
task: regression
datasets:
  rows: {{path: segments.parquet, id: id, target: y, segments: [{", ".join(SEGMENTS)}]}}
models: {{m0: {{column: m0, role: baseline}}, {models}}}
metrics: [mae, rmse, kendall, spearman]
primary: {{metric: mae}}
outputs: [html, pdf, json, markdown]
""",
        encoding="utf-8",
    )
    return path


def _run(version: tuple[Path, str], config: Path, threads: int) -> Stages:
    root, python = version
    script = str(root / "benchmarks" / "stages.py")
    command = [python, script, "--threads", str(threads), "--one", str(config), ""]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, as for users
    printed = subprocess.run(
        command, cwd=root, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout
    found: Stages = json.loads(printed.splitlines()[-1])
    return {RENAMED.get(stage, stage): times for stage, times in found.items()}


def _build_table(title: str, found: list[Stages]) -> str:
    kinds = (
        ["clock, s", "processors, s"] if len(found) == 1 else ["clock, s", "", "processors, s", ""]
    )
    lines = [f"## {title}\n", f"| stage | {' | '.join(kinds)} |"]
    lines.append("| --- |" + " ---: |" * len(kinds))
    for stage in found[-1]:
        times = [each.get(stage, (0.0, 0.0))[kind] for kind in (0, 1) for each in found]
        lines.append(f"| {stage} | {' | '.join(f'{each:.2f}' for each in times)} |")
    return "\n".join(lines) + "\n"


def _time_stages(config: str, change: str, threads: int) -> None:
    """Run in this process with a watch on each stage; print what they took as JSON."""
    found: dict[str, tuple[float, float]] = {}
    begun = _find_start()
    pipeline = import_module("reportgen.pipeline")
    import_module("reportgen.report.render.outputs")
    import_module("reportgen.report.render.plain")
    import_module("reportgen.report.render.draw")
    import_module("reportgen.report.layout")
    found["imports"] = time.perf_counter() - begun, time.process_time()
    for stage, functions in STAGES.items():
        for module, name in functions:
            _watch(import_module(module), name, stage, found)
    with tempfile.TemporaryDirectory() as folder:
        options = pipeline.Options(
            folder=Path(folder),
            overrides=(change,) if change else (),
            threads=threads,
            use_cache=False,
        )
        pipeline.run_config(Path(config), options, import_module("reportgen.progress").SILENT)
    whole = time.perf_counter() - begun, time.process_time()
    for outer, inner in WITHIN.items():
        found[outer] = tuple(a - b for a, b in zip(found[outer], found[inner], strict=True))
    rest = tuple(whole[k] - sum(each[k] for each in found.values()) for k in (0, 1))
    print(json.dumps(found | {"the rest": rest, "the whole run": whole}))


def _find_start() -> float:
    """Return when this process began, by the clock of `perf_counter`."""
    ticks = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return float(ticks) / os.sysconf("SC_CLK_TCK")


def _watch(module: Any, name: str, stage: str, found: dict[str, tuple[float, float]]) -> None:
    """Add to a stage what a function takes, calls within calls of the stage once."""
    function: Callable[..., Any] = getattr(module, name)
    depth = [0]

    def timed(*args: Any, **kwargs: Any) -> Any:
        before = time.perf_counter(), time.process_time()
        depth[0] += 1
        try:
            made = function(*args, **kwargs)
            return list(made) if hasattr(made, "__next__") else made
        finally:
            depth[0] -= 1
            if not depth[0]:
                clock, used = found.get(stage, (0.0, 0.0))
                found[stage] = (
                    clock + time.perf_counter() - before[0],
                    used + time.process_time() - before[1],
                )

    setattr(module, name, timed)


if __name__ == "__main__":
    main()
