"""Samples of lm-evaluation-harness: a JSON file of lines for each task, in a folder by model."""

from __future__ import annotations

import json
import re
from typing import Any

from reportgen.data.files.evaluations.answers import Answers, LogFile, require_key, require_map

_NAME = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")


def read_samples(log: LogFile, lines: list[dict[str, Any]]) -> Answers:
    """Read the documents of a task; one of several filters is a score of its own."""
    named = _NAME.fullmatch(log.name)
    answers = Answers(log.shown, named[1] if named else log.name.removesuffix(".jsonl"))
    answers.model = _find_model(log, named[2] if named else "")
    filters = list(dict.fromkeys(str(line.get("filter", "none")) for line in lines))
    documents: dict[str, tuple[dict[str, object], object]] = {}
    for line in lines:
        item = str(require_key(line, "doc_id", log, "a line"))
        scores, about = documents.setdefault(item, ({}, line.get("doc")))
        own = str(line.get("filter", "none"))
        for name in line.get("metrics") or ():
            value = line.get(name)
            if isinstance(value, bool | int | float):
                if own == filters[0]:
                    scores[name] = value
                if len(filters) > 1:
                    scores[f"{name},{own}"] = value
        if isinstance(line.get("doc_hash"), str):
            answers.digests[item] = line["doc_hash"]
    for item, (scores, about) in documents.items():
        answers.add(item, scores, about, sample=1)
    if len(filters) > 1:
        answers.caveats.append(
            f"{answers.task} has {len(filters)} filters, and its scores are those of {filters[0]}"
        )
    return answers.finish()


def _find_model(log: LogFile, stamp: str) -> str:
    """Find the name of the model in the results next to the samples, or else in the folder."""
    if log.path is None:
        return log.shown.rpartition("/")[0].rpartition("/")[2]
    every = sorted(log.path.parent.glob("results_*.json"))
    exact = [each for each in every if stamp and stamp in each.name]
    for path in exact or every:
        try:
            about = require_map(json.loads(path.read_bytes()), log, path.name)
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(name := about.get("model_name"), str) and name:
            return name
    return log.path.parent.name
