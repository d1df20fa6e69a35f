"""Test runs of DeepEval: one JSON file for each run."""

from __future__ import annotations

from collections import Counter
from typing import Any

from reportgen.data.files.evaluations.answers import Answers, LogFile, require_map
from reportgen.data.files.evaluations.json_stream import iter_members

LISTS = (("testCases",), ("conversationalTestCases",))


def read_test_run(log: LogFile, text: str) -> Answers:
    """Read the test cases of a run; their order names them where names are not unique."""
    answers, cases = Answers(log.shown), list[dict[str, Any]]()
    answers.model = log.name.rpartition(".")[0] or log.name
    for path, value in iter_members(text, LISTS):
        if path in LISTS:
            cases.append(_reduce(require_map(value, log, "a test case")))
            answers.judges |= dict.fromkeys(cases[-1]["judges"])
        elif path == ("hyperparameters",) and isinstance(value, dict) and value.get("model"):
            answers.model = str(value["model"])
    names = Counter(case["name"] for case in cases)
    is_unique = all(names) and max(names.values(), default=0) <= 1
    if not is_unique and cases:
        answers.caveats.append("test cases share names, so they are matched by their order")
    for place, case in enumerate(cases):
        order = case["order"] if isinstance(case["order"], int) else place
        item = case["name"] if is_unique else order
        answers.add(item, case["scores"], case["about"], sample=1)
    return answers.finish()


def _reduce(case: dict[str, Any]) -> dict[str, Any]:
    """Keep what is read of a test case, without its texts."""
    scores, judges = dict[str, object](), []
    for each in case.get("metricsData") or ():
        if isinstance(each, dict) and each.get("name"):
            scores[str(each["name"])] = each.get("score")
            judges += [str(each["evaluationModel"])] if each.get("evaluationModel") else []
    scores["success"] = case.get("success")
    about = case.get("metadata") or case.get("additionalMetadata")
    about = dict(about) if isinstance(about, dict) else {}
    if isinstance(tags := case.get("tags"), list):
        about["tags"] = ", ".join(map(str, tags))
    name = case.get("name")
    return {
        "name": str(name) if name is not None else "",
        "order": case.get("order"),
        "scores": scores,
        "judges": judges,
        "about": about,
    }
