"""manifest.json, SHA256SUMS and the files attached to a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256

from reportgen.config.yaml.tree import dump_yaml
from reportgen.report import archive
from reportgen.report.document import Document
from reportgen.report.render.outputs import Attachment, list_table_files
from reportgen.results import Results
from reportgen.terms import MANIFEST, RESULTS, SUMS, TABLES
from reportgen.text import escape_json

EVIDENCE_SCHEMA = "urn:reportgen:evidence:1"
_KEPT = ("time", "command", "versions", "python", "platform", "git")


def build_evidence(results: Results) -> bytes:
    """JSON with sorted keys: the report, what made it, its inputs, its gates by outcome."""
    return dump_canonical_json({"schema": EVIDENCE_SCHEMA, **collect_facts(results)})


def dump_canonical_json(told: Mapping[str, object]) -> bytes:
    """Plain JSON that anybody can sign: keys sorted, one value a line, UTF-8."""
    text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)
    return (escape_json(text) + "\n").encode()


def collect_facts(results: Results) -> dict[str, object]:
    """Collect what a report rests on, as texts and whole numbers."""
    told = {key: results.provenance[key] for key in _KEPT if results.provenance.get(key)}
    gates = [gate.status for gate in results.gates]
    inputs = [
        {"dataset": dataset.name, **{k: v for k, v in asdict(file).items() if v is not None}}
        for dataset in results.datasets
        for file in dataset.inputs
    ]
    return {
        "report": {
            "id": results.report.id,
            "title": results.report.title,
            "status": results.report.status,
        },
        "seed": results.inference.seed,
        "inputs": inputs,
        "gates": {status: gates.count(status) for status in sorted(set(gates))},
        **told,
    }


MANIFEST_SCHEMA = "urn:reportgen:manifest:1"
SHORT_DIGEST = 12
"""How many signs of the digest of results.json each page shows."""


def build_manifest_files(
    results: Results, document: Document, files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Build the manifest of these files and the checksums of them and of the manifest, by name."""
    manifest = build_manifest(results, document, files)
    digests = {name: digest_bytes(content) for name, content in files.items()}
    return {
        MANIFEST: manifest,
        SUMS: format_checksums({**digests, MANIFEST: digest_bytes(manifest)}),
    }


def build_manifest(results: Results, document: Document, files: Mapping[str, bytes]) -> bytes:
    """Build the manifest: what the report rests on, its verdict in one line, each file's digest.

    It lists the messages that a team replaced, if there are any.
    """
    report = {
        "id": results.report.id,
        "title": results.report.title,
        "status": results.report.status,
        "verdict": document.headline,
        **({"messages_replaced": document.replaced} if document.replaced else {}),
    }
    outputs = [
        {"path": name, "sha256": digest_bytes(files[name]), "bytes": len(files[name])}
        for name in sorted(files)
    ]
    return dump_canonical_json(
        {
            **collect_facts(results),
            "schema": MANIFEST_SCHEMA,
            "report": report,
            "previous": results.history[-1].digest if results.history else None,
            "config": results.provenance.get("config_files", []),
            "digests": {**_collect_digests(results), "results": digest_bytes(files[RESULTS])},
            "outputs": outputs,
        }
    )


def _collect_digests(results: Results) -> dict[str, object]:
    """Of rows, scores, rule and code, as results.json has them; without names of the cache."""
    if results.digests is None:
        return {}
    told = asdict(results.digests)
    datasets = {
        each["dataset"]: {name: each[name] for name in ("ids", "rows", "scores", "design")}
        for each in told["datasets"]
    }
    return {**told, "datasets": datasets}


def format_checksums(digests: Mapping[str, str]) -> bytes:
    r"""Digests by file as `sha256sum -c` reads them.

    >>> format_checksums({"b": "02", "a": "01"})
    b'01  a\n02  b\n'
    """
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def digest_bytes(content: bytes) -> str:
    """SHA-256 in lower hexadecimal digits."""
    return sha256(content).hexdigest()


def list_attachments(report: Document, results: Results) -> tuple[Attachment, ...]:
    """All but the results, which name the other files and so come last."""
    config = dump_yaml(results.config).encode()
    return (
        Attachment("config", f"{TABLES}/config.yaml", config, "The config with every default"),
        Attachment(
            "evidence",
            f"{TABLES}/evidence.json",
            build_evidence(results),
            "Versions, the command, each input with its hash",
        ),
        *list_table_files(report, results),
    )


def attach_results(results: Results) -> Attachment:
    """results.json, byte for byte as it is written."""
    return Attachment("results", RESULTS, archive.dump_results(results), "Every number")
