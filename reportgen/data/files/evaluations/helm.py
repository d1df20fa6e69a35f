"""Statistics of HELM: per_instance_stats.json of a run, next to its run_spec.json."""

from __future__ import annotations

import json
import re

from reportgen.data.files.evaluations.answers import Answers, LogFile, require_key, require_map
from reportgen.data.files.evaluations.json_stream import iter_members

NAME, SPEC = "per_instance_stats.json", "run_spec.json"
_MODEL = re.compile(r"([,:])?model=[^,]*")


def read_instances(log: LogFile, text: str) -> Answers:
    """Read the statistics of each instance; a perturbed one is of the instance it comes from."""
    model, task = _read_spec(log)
    answers = Answers(log.shown, task, model)
    for _, value in iter_members(text, [()]):
        row = require_map(value, log, "an instance")
        instance = str(require_key(row, "instance_id", log, "an instance"))
        about: dict[str, object] = {"instance": instance}
        perturbation = row.get("perturbation")
        if isinstance(perturbation, dict):
            about["perturbation"] = perturbation.get("name", "")
        scores: dict[str, object] = {}
        for each in row.get("stats") or ():
            stat = require_map(each, log, "a statistic")
            named = stat.get("name")
            about_stat = named if isinstance(named, dict) else {"name": named}
            scores.setdefault(str(about_stat.get("name")), stat.get("mean"))
            for key in ("split", "sub_split"):
                if isinstance(about_stat.get(key), str):
                    about.setdefault(key, about_stat[key])
        name = f"{instance} {about['perturbation']}" if "perturbation" in about else instance
        trial = row.get("train_trial_index", 0)
        answers.add(name, scores, about, sample=trial + 1 if isinstance(trial, int) else None)
    return answers.finish()


def _read_spec(log: LogFile) -> tuple[str, str]:
    """Read the model and the task of the run, from the file next to it or the folder's name."""
    folder = log.shown.rpartition("/")[0].rpartition("/")[2]
    if log.path is not None:
        folder = log.path.parent.name
        try:
            spec = require_map(json.loads((log.path.parent / SPEC).read_bytes()), log, SPEC)
        except (OSError, ValueError, RecursionError):
            spec = {}
        adapter = spec.get("adapter_spec")
        model = adapter.get("model") if isinstance(adapter, dict) else None
        if model:
            return str(model), _MODEL.sub("", str(spec.get("name") or folder))
    return folder, ""
