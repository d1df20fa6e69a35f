"""A rule fixed before the data are seen: the file that says so, and a run held against it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeGuard

from reportgen.config import Loaded
from reportgen.diff.causes import differing
from reportgen.digests import of_map, rule
from reportgen.errors import ConfigError, Problem
from reportgen.evidence import as_json
from reportgen.provenance import clock
from reportgen.results import Frozen, Plain, Results

SCHEMA = "urn:reportgen:frozen:1"
LARGEST = 10_000_000


def fixed(loaded: Loaded, *, with_scores: bool = False) -> bytes:
    """The rule of a config with its digest and the time; no label is read.

    With scores also the digest of each file that holds some, as bytes.
    """
    decided = rule(loaded.resolved)
    told: dict[str, object] = {
        "schema": SCHEMA,
        "time": clock().isoformat().replace("+00:00", "Z"),
        "digest": of_map(decided),
        "rule": decided,
    }
    if with_scores:
        told["scores"] = dict(_scores(loaded))
    return as_json(told)


def _scores(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """Each file with scores, as the report prints its path, and the digest of its bytes."""
    for at in _places(loaded):
        file = loaded.file(at)
        try:
            yield loaded.printed_path(at), sha256(file.read_bytes()).hexdigest()
        except OSError as error:
            said = f"{loaded.written(at)!r} cannot be read: {error.strerror}"
            raise ConfigError([Problem(said, at, loaded.place(at))]) from None


def _places(loaded: Loaded) -> Iterator[tuple[str, ...]]:
    config = loaded.config
    for name, model in config.models.items():
        for kind in ("scores", "run", "lines"):
            for dataset in getattr(model, kind):
                yield ("models", name, kind, dataset, "path")
    for name, dataset in config.datasets.items():
        if dataset.path is not None:
            yield ("datasets", name, "path")


def held(loaded: Loaded, results: Results) -> Frozen | None:
    """What differs from the rule that was fixed beforehand; None where the config names none."""
    if loaded.config.frozen is None:
        return None
    known = _read(loaded)
    decided, scores = known["rule"], known.get("scores")
    assert isinstance(decided, Mapping)
    now = rule(results.config)
    used = {file.path: file.sha256 for each in results.datasets for file in each.inputs}
    fixed_scores = scores if isinstance(scores, Mapping) else {}
    return Frozen(
        digest=str(known.get("digest", "")),
        time=str(known.get("time", "")),
        differences=differing(dict(decided), now, is_one_version=True),
        scores=tuple(
            str(path) for path, digest in fixed_scores.items() if used.get(str(path)) != digest
        ),
    )


def _read(loaded: Loaded) -> Plain:
    """The file that fixes the rule, or what is wrong with it, told at its place."""
    at = ("frozen",)
    file: Path = loaded.file(at)
    try:
        with file.open("rb") as opened:
            known = json.loads(opened.read(LARGEST))
    except OSError as error:
        said = f"no frozen rule {loaded.written(at)!r}: {error.strerror}"
        raise ConfigError([Problem(said, at, loaded.place(at))]) from None
    except ValueError:
        known = None
    if not _is_one(known):
        said = f"{loaded.written(at)!r} is not as `reportgen freeze` wrote it"
        raise ConfigError([Problem(said, at, loaded.place(at))])
    return dict(known)


def _is_one(known: object) -> TypeGuard[dict[str, object]]:
    """Whether it is what `fixed` writes, its digest that of its rule."""
    if not isinstance(known, dict) or known.get("schema") != SCHEMA:
        return False
    decided = known.get("rule")
    return isinstance(decided, dict) and of_map(decided) == known.get("digest")
