"""Events of OpenAI evals: a JSON file of lines, the first of which says what was run."""

from __future__ import annotations

from typing import Any

from reportgen.data.files.evaluations.answers import Answers, LogFile, require_map


def read_events(log: LogFile, lines: list[dict[str, Any]]) -> Answers:
    """Read what was recorded of each sample; events without a sample are skipped."""
    spec = require_map(lines[0].get("spec"), log, "its first line")
    functions = spec.get("completion_fns") or [log.name]
    answers = Answers(log.shown, str(spec.get("eval_name", "")), str(functions[0]))
    rows: dict[tuple[str, int], dict[str, object]] = {}
    counts: dict[tuple[str, str], int] = {}
    for line in lines[1:]:
        item, kind, data = line.get("sample_id"), line.get("type"), line.get("data")
        if item is None or not isinstance(data, dict):
            continue
        if kind == "match":
            scores: dict[str, object] = {"correct": data.get("correct")}
        elif kind == "metrics":
            scores = {k: v for k, v in data.items() if isinstance(v, bool | int | float)}
        else:
            continue
        key = str(item), str(kind)
        counts[key] = counts.get(key, 0) + 1
        rows.setdefault((key[0], counts[key]), {}).update(scores)
    for (item, sample), scores in rows.items():
        answers.add(item, scores, sample=sample)
    if not rows:
        raise log.error("has no event of type match or metrics; did the run fail?")
    if not any("final_report" in line for line in lines):
        answers.caveats.append(f"the run of {answers.model} on {answers.task} was not finished")
    return answers.finish()
