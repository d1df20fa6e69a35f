"""Provenance: what made this report, and from what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from reportgen import wording
from reportgen.document import Block, Definitions, Listing, Phrase, Section, Span, phrase
from reportgen.results import Results
from reportgen.sections.about import models
from reportgen.sections.folding import in_full

_SHOWN_APART = frozenset({"command", "config", "config_text"})
_LINE = 92


def section(results: Results) -> Section:
    """The command, the resolved config, versions, seeds, hashes."""
    blocks: list[Block] = []
    command = results.provenance.get("command")
    if command:
        blocks.append(Listing(str(command), "sh", "Command", is_folded=False))
    facts = tuple(_facts(results))
    if facts:
        blocks.append(Definitions(facts))
    blocks += models.table(results)
    blocks += in_full("Resolved config", [_config(results)])
    return Section("provenance", "Provenance", tuple(blocks))


def _facts(results: Results) -> Iterator[tuple[str, Phrase]]:
    for key, value in results.provenance.items():
        if key in _SHOWN_APART or value in (None, "", {}, []) or not _flat(value):
            continue
        yield wording.capital(key.replace("_", " ")), phrase(Span(_flat(value), is_code=True))
    yield "Seed", phrase(Span(str(results.inference.seed), is_code=True))
    for dataset in results.datasets:
        for file in dataset.inputs:
            said = f"{wording.name(file.path, 200)}: {file.sha256}"
            yield f"SHA-256, {file.role}", phrase(Span(said, is_code=True))


def _flat(value: object) -> str:
    """A recorded value on one line, keys in order.

    >>> _flat({"numpy": "2.1", "a": [1, 2]})
    'a 1, 2; numpy 2.1'
    """
    if isinstance(value, Mapping):
        known = (key for key in sorted(value, key=str) if value[key] is not None)
        return "; ".join(f"{key} {_flat(value[key])}" for key in known)
    if isinstance(value, list | tuple):
        return ", ".join(_flat(item) for item in value)
    return wording.name(str(value), 500)


def _config(results: Results) -> Listing:
    written = results.provenance.get("config_text")
    if isinstance(written, str) and written:
        return Listing(written, "yaml", "Resolved config")
    return Listing(_laid_out(results.config), "json", "Resolved config")


def _laid_out(value: object, indent: int = 0) -> str:
    """A value as JSON, on one line where it fits."""
    flat = json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, dict | list) or len(flat) + indent <= _LINE:
        return flat
    pad = "\n" + " " * (indent + 2)
    if isinstance(value, dict):
        inner = [f"{json.dumps(str(key), ensure_ascii=False)}: {_laid_out(item, indent + 2)}"
                 for key, item in value.items()]  # fmt: skip
        return "{" + ",".join(pad + line for line in inner) + "\n" + " " * indent + "}"
    inner = [_laid_out(item, indent + 2) for item in value]
    return "[" + ",".join(pad + line for line in inner) + "\n" + " " * indent + "]"
