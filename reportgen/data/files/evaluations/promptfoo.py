"""Results of promptfoo: one JSON file with all providers, prompts and test cases."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from reportgen.data.files.evaluations.answers import Answers, LogFile, require_key, require_map
from reportgen.data.files.evaluations.json_stream import iter_members
from reportgen.text import quote

VERSIONS = (2, 3)
ERROR = 2  # the reason of a failure that is an error, not a wrong answer
LISTS = (("results", "results"), ("results",))


def read_results(log: LogFile, text: str) -> Answers:
    """Read all results; a provider with several prompts is a model for each."""
    answers, rows = Answers(log.shown), []
    for path, value in iter_members(text, LISTS):
        if path == ("results", "version") and value not in VERSIONS:
            raise log.error(
                f"has results version {quote(str(value))}; only versions 2 and 3 can be read. "
                "Export the results again with a promptfoo release that writes version 3"
            )
        if path in LISTS:
            rows.append(_read_result(require_map(value, log, "a result"), log))
    prompts: dict[str, dict[str, int]] = {}
    for provider, prompt, *_ in rows:
        own = prompts.setdefault(provider, {})
        own.setdefault(prompt, len(own) + 1)
    for provider, prompt, item, scores, about, is_error in rows:
        model = provider
        if len(prompts[provider]) > 1:
            model += f", prompt {prompts[provider][prompt]}"
        answers.errors[model] += is_error
        answers.add(item, scores, about, model=model)
    answers.errors = +answers.errors
    return answers.finish()


Result = tuple[str, str, str, dict[str, object], dict[str, object], bool]


def _read_result(row: dict[str, Any], log: LogFile) -> Result:
    provider = require_key(row, "provider", log, "a result")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    given = row.get("testCase")
    case: dict[str, Any] = given if isinstance(given, dict) else {}
    values = row.get("vars") or case.get("vars") or {}
    name = row.get("description") or case.get("description")
    prompt = row.get("prompt") or {}
    raw = prompt.get("raw", "") if isinstance(prompt, dict) else prompt
    # Prompts are templates filled with the variables: which one it is, its number tells.
    place = str(row.get("promptIdx", "")) if not row.get("promptId") else str(row["promptId"])
    is_error = row.get("failureReason") == ERROR or (
        "failureReason" not in row and bool(row.get("error"))
    )
    named = row.get("namedScores")
    scores: dict[str, object] = {
        "score": None if is_error else row.get("score"),
        "success": None if is_error else row.get("success"),
        **(named if isinstance(named, dict) and not is_error else {}),
    }
    for key, own in (("cost", "cost"), ("latencyMs", "latency")):
        if isinstance(row.get(key), int | float):
            scores[own] = row[key]
    item = str(name) if name else _digest(values)
    metadata = case.get("metadata")
    about = {
        **(values if isinstance(values, dict) else {}),
        **(metadata if isinstance(metadata, dict) else {}),
    }
    return str(provider), place or _digest(raw), item, scores, about, is_error


def _digest(value: object) -> str:
    """Return a name for a text that is not kept."""
    text = json.dumps(value, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
