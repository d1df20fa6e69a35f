"""What a report rests on, as a small file: versions, the command, each input with its hash."""

from __future__ import annotations

import json
from dataclasses import asdict

from reportgen.results import Results

SCHEMA = "urn:reportgen:evidence:1"
_KEPT = ("time", "command", "versions", "python", "platform", "git")


def evidence(results: Results) -> bytes:
    """JSON with sorted keys: the report, what made it, its inputs, its gates by outcome."""
    told = {key: results.provenance[key] for key in _KEPT if results.provenance.get(key)}
    gates = [gate.status for gate in results.gates]
    inputs = [
        {"dataset": dataset.name, **asdict(file)}
        for dataset in results.datasets
        for file in dataset.inputs
    ]
    held = {
        "schema": SCHEMA,
        "report": {"id": results.report.id, "title": results.report.title,
                   "status": results.report.status},
        "seed": results.inference.seed,
        "inputs": inputs,
        "gates": {status: gates.count(status) for status in sorted(set(gates))},
        **told,
    }  # fmt: skip
    return (json.dumps(held, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
