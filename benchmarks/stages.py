"""Where whole runs take their time: seconds of the clock and of processors, stage by stage.

    python benchmarks/stages.py [--rows 1000000] [--replicates 999] [--threads 2]

The survey (500 rows, all outputs but the PDF) and generated rows of three models with eight
metrics and every curve with its band (all outputs), nothing from the cache, each in a process of
its own. Stages follow each other; within one, threads share the work where they can: processor
seconds over clock seconds say how far. Written to benchmarks/results/stages.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from old_and_new import CONFIG, ROOT, _generated

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
    "pages beside figures, and files": [("reportgen.pipeline", "render_outputs")],
}
WITHIN = {"pages beside figures, and files": "figures"}  # the second is a part of the first
HEAD = """# Where whole runs take their time

Made by `python benchmarks/stages.py` on {cores} cores, {threads} threads; load {load:.1f} at the
start. One run each. Where processor seconds are those of the clock, one thread works.
"""


def main() -> None:
    """Time both runs and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--replicates", type=int, default=999)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        _staged(*asked.one, asked.threads)
        return
    load = os.getloadavg()[0]
    page = [HEAD.format(cores=os.cpu_count(), threads=asked.threads, load=load)]
    with tempfile.TemporaryDirectory() as folder:
        _generated(asked.rows, Path(folder) / "rows.parquet")
        many = Path(folder) / "config.yaml"
        many.write_text(CONFIG.format(replicates=asked.replicates), encoding="utf-8")
        survey = ROOT / "configs" / "wallet-survey.yaml"
        outputs = {survey: "outputs=[html,json,markdown,junit]", many: ""}
        titles = {survey: "The survey, 500 rows", many: f"{asked.rows:,} generated rows"}
        for config, change in outputs.items():
            page.append(_table(titles[config], _run(config, change, asked.threads)))
    PAGE.write_text("\n".join(page), encoding="utf-8")
    print("\n".join(page))


def _run(config: Path, change: str, threads: int) -> dict[str, tuple[float, float]]:
    command = [sys.executable, __file__, "--threads", str(threads), "--one", str(config), change]
    told = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, tuple[float, float]] = json.loads(told.stdout.splitlines()[-1])
    return found


def _table(title: str, found: dict[str, tuple[float, float]]) -> str:
    lines = [f"## {title}\n", "| stage | clock, s | processors, s |", "| --- | ---: | ---: |"]
    lines += [f"| {stage} | {clock:.2f} | {used:.2f} |" for stage, (clock, used) in found.items()]
    return "\n".join(lines) + "\n"


def _staged(config: str, change: str, threads: int) -> None:
    """Run in this process with a watch on each stage; print what they took as JSON."""
    found: dict[str, tuple[float, float]] = {}
    begun = _process_started()
    pipeline = import_module("reportgen.pipeline")
    import_module("reportgen.report.render.outputs")
    import_module("reportgen.report.render.plain")
    import_module("reportgen.report.render.draw.pictures")
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


def _process_started() -> float:
    """When this process began, by the clock of `perf_counter`."""
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
