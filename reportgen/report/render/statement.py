"""statement.json: the gates as an in-toto statement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from reportgen.report.document import Document
from reportgen.report.render.outputs import Attachment
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.results.core import GateResult, ModelInfo
from reportgen.terms import RESULTS
from reportgen.text import escape_json

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
Resource = dict[str, object]


def render(
    document: Document,
    results: Results,
    theme: Theme | None = None,
    attached: Sequence[Attachment] = (),
) -> bytes:
    """Render the statement, which nobody has signed yet."""
    statement = {
        "_type": TYPE,
        "subject": [*_iter_subjects(results)],
        "predicateType": PREDICATE,
        "predicate": {
            "result": _format_result(results),
            "configuration": [*_iter_configuration(results, attached)],
            "passedTests": [g.name for g in results.gates if g.is_passed],
            "warnedTests": [g.name for g in results.gates if _is_let_through(g)],
            "failedTests": [*_iter_failures(results)],
        },
    }
    text = json.dumps(statement, indent=1, sort_keys=True, ensure_ascii=False)
    return (escape_json(text) + "\n").encode()


def _iter_subjects(results: Results) -> Iterator[Resource]:
    """Each candidate's artifact, else the files with its scores, each file once."""
    judged = [model for model in results.models if model.role == "candidate"] or results.models
    resources: dict[tuple[str, str], Resource] = {}
    for model in judged:
        for each in _iter_resources(model, results):
            resources.setdefault((str(each["name"]), str(each["digest"])), each)
    yield from resources.values()


def _iter_resources(model: ModelInfo, results: Results) -> Iterator[Resource]:
    if model.artifact is None:
        yield from _iter_scores(model, results)
        return
    found = _build_resource(model.name, model.artifact.sha256)
    if model.artifact.uri is not None:
        found["uri"] = model.artifact.uri
    if model.version is not None:
        found["annotations"] = {"version": model.version}
    yield found


def _iter_scores(model: ModelInfo, results: Results) -> Iterator[Resource]:
    """Yield the files that the model's scores were read from, or the data with all scores."""
    inputs = [file for dataset in results.datasets for file in dataset.inputs]
    own = [file for file in inputs if model.name in _models_in(file.role)]
    whole = [file for file in inputs if file.role.split(",")[0] == "data"]
    yield from (_build_resource(file.path, file.sha256) for file in own or whole or inputs)


def _models_in(role: str) -> list[str]:
    """Return the models whose scores a file has, by the role that the report gives it.

    >>> _models_in("scores of a, b"), _models_in("data")
    (['a', 'b'], [])
    """
    return role.partition("scores of ")[2].split(", ") if "scores of " in role else []


def _iter_configuration(results: Results, attached: Sequence[Attachment]) -> Iterator[Resource]:
    """Yield the files of the config, and the numbers that the gates read."""
    files = results.provenance.get("config_files")
    for file in files if isinstance(files, list | tuple) else ():
        if isinstance(file, Mapping):
            yield _build_resource(str(file["path"]), str(file["sha256"]))
    for each in attached:
        if each.path == RESULTS:
            yield _build_resource(RESULTS, sha256(each.content).hexdigest())


def _build_resource(name: str, digest: str) -> Resource:
    return {"name": name, "digest": {"sha256": digest}}


def _format_result(results: Results) -> str:
    if any(_iter_failures(results)):
        return "FAILED"
    return "WARNED" if any(map(_is_let_through, results.gates)) else "PASSED"


def _iter_failures(results: Results) -> Iterator[str]:
    yield from ["input"] * results.is_stopped
    yield from (gate.name for gate in results.gates if gate.is_failure)
    yield from (f"warning {each.code}" for each in results.warnings if each.is_fatal)


def _is_let_through(gate: GateResult) -> bool:
    return gate.status == "cannot tell" and not gate.is_failure
