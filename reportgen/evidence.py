"""What a report rests on, as a small file: versions, the command, each input with its hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from reportgen.results import Results
from reportgen.text import in_json

SCHEMA = "urn:reportgen:evidence:1"
_KEPT = ("time", "command", "versions", "python", "platform", "git")


def evidence(results: Results) -> bytes:
    """JSON with sorted keys: the report, what made it, its inputs, its gates by outcome."""
    return as_json({"schema": SCHEMA, **facts(results)})


def as_json(told: Mapping[str, object]) -> bytes:
    """Plain JSON that anybody can sign: keys sorted, one value a line, UTF-8."""
    text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)
    return (in_json(text) + "\n").encode()


def facts(results: Results) -> dict[str, object]:
    """What a report rests on, as texts and whole numbers."""
    told = {key: results.provenance[key] for key in _KEPT if results.provenance.get(key)}
    gates = [gate.status for gate in results.gates]
    inputs = [
        {"dataset": dataset.name, **asdict(file)}
        for dataset in results.datasets
        for file in dataset.inputs
    ]
    return {
        "report": {"id": results.report.id, "title": results.report.title,
                   "status": results.report.status},
        "seed": results.inference.seed,
        "inputs": inputs,
        "gates": {status: gates.count(status) for status in sorted(set(gates))},
        **told,
    }  # fmt: skip
