"""manifest.json and SHA256SUMS: the digest of every file of a report.

The manifest is plain JSON of texts and whole numbers, so that whoever signs files can sign it. Its
own digest stands in no file of the report: recorded elsewhere, it vouches for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256

from reportgen.evidence import as_json, facts
from reportgen.outputs import MANIFEST, RESULTS, SUMS
from reportgen.results import Results

SCHEMA = "urn:reportgen:manifest:1"
SIGNS = 12
"""How many signs of the digest of results.json each page shows."""


def vouching_files(results: Results, verdict: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The manifest of these files, by name, and the sums of them and of the manifest."""
    manifest = manifest_of(results, verdict, files)
    digests = {name: digest(content) for name, content in files.items()}
    return {MANIFEST: manifest, SUMS: sums({**digests, MANIFEST: digest(manifest)})}


def manifest_of(results: Results, verdict: str, files: Mapping[str, bytes]) -> bytes:
    """What the report rests on, its verdict in one line, and each file with its digest."""
    report = {
        "id": results.report.id,
        "title": results.report.title,
        "status": results.report.status,
        "verdict": verdict,
    }
    outputs = [
        {"path": name, "sha256": digest(files[name]), "bytes": len(files[name])}
        for name in sorted(files)
    ]
    return as_json({
        **facts(results),
        "schema": SCHEMA,
        "report": report,
        "previous": results.history[-1].digest if results.history else None,
        "config": results.provenance.get("config_files", []),
        "digests": {**_digests(results), "results": digest(files[RESULTS])},
        "outputs": outputs,
    })  # fmt: skip


def _digests(results: Results) -> dict[str, object]:
    """Of rows, scores, rule and code, as results.json has them; without names of the cache."""
    if results.digests is None:
        return {}
    told = asdict(results.digests)
    datasets = {
        each["dataset"]: {name: each[name] for name in ("ids", "rows", "scores", "design")}
        for each in told["datasets"]
    }
    return {**told, "datasets": datasets}


def sums(digests: Mapping[str, str]) -> bytes:
    r"""Digests by file as `sha256sum -c` reads them.

    >>> sums({"b": "02", "a": "01"})
    b'01  a\n02  b\n'
    """
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def digest(content: bytes) -> str:
    """SHA-256 in lower hexadecimal digits."""
    return sha256(content).hexdigest()
