"""Freeze the rule before the data are seen, and decide whether a report is DRAFT or FINAL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TypeGuard

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Config
from reportgen.errors import ConfigError, Problem
from reportgen.governance.digests import digest_map, extract_rule
from reportgen.governance.manifest import dump_canonical_json
from reportgen.governance.provenance import read_clock
from reportgen.governance.run_diff import find_differing_keys
from reportgen.paths import open_regular
from reportgen.report.prose.warnings import format_warning
from reportgen.report.wording.names import join_list
from reportgen.results import Results
from reportgen.results.changes import FrozenRule, LookCount
from reportgen.results.core import Warning
from reportgen.results.types import Plain, RaisedWarning, Scalar
from reportgen.terms import LIMITS

FROZEN_SCHEMA = "urn:reportgen:frozen:2"
LARGEST_FROZEN_BYTES = 10_000_000


def freeze_rule(loaded: LoadedConfig, *, with_scores: bool = False) -> bytes:
    """Return the rule of a config and the time, with one digest; no label is read.

    With scores, also the digest of each file of scores, which the one digest covers.
    """
    content: dict[str, object] = {
        "schema": FROZEN_SCHEMA,
        "time": read_clock().isoformat().replace("+00:00", "Z"),
        "rule": extract_rule(loaded.json_form),
    }
    if with_scores:
        content["scores"] = dict(_iter_scores(loaded))
    return dump_canonical_json({**content, "digest": digest_map(content)})


def _iter_scores(loaded: LoadedConfig) -> Iterator[tuple[str, str]]:
    """Each file with scores, as the report prints its path, and the digest of its bytes."""
    for at in _iter_score_config_paths(loaded):
        file = loaded.file(at)
        try:
            with open_regular(file) as opened:
                yield loaded.format_file(at), sha256(opened.read()).hexdigest()
        except OSError as error:
            said = f"{loaded.format_value(at)!r} cannot be read: {error.strerror}"
            raise ConfigError([Problem(said, at, loaded.place(at))]) from None


def _iter_score_config_paths(loaded: LoadedConfig) -> Iterator[tuple[str, ...]]:
    config = loaded.config
    for name, model in config.models.items():
        for kind in ("scores", "run", "lines"):
            for dataset in getattr(model, kind):
                yield ("models", name, kind, dataset, "path")
    for name, dataset in config.datasets.items():
        if dataset.connection is not None:
            at = ("datasets", name, "connection")
            text = "scores in a database cannot be frozen; write them to a file"
            raise ConfigError([Problem(text, at, loaded.place(at))])
        if dataset.path is not None:
            yield ("datasets", name, "path")


def compare_with_frozen(loaded: LoadedConfig, results: Results) -> FrozenRule | None:
    """Return what differs from the frozen rule; None where the config names none."""
    if loaded.config.frozen is None:
        return None
    known = _read_frozen_rule(loaded)
    decided, scores = known["rule"], known.get("scores")
    assert isinstance(decided, Mapping)
    now = extract_rule(results.config)
    used = {file.path: file.sha256 for each in results.datasets for file in each.inputs}
    fixed_scores = scores if isinstance(scores, Mapping) else {}
    return FrozenRule(
        digest=str(known.get("digest", "")),
        time=str(known.get("time", "")),
        differences=find_differing_keys(dict(decided), now, is_one_version=True),
        scores=tuple(
            str(path) for path, digest in fixed_scores.items() if used.get(str(path)) != digest
        ),
    )


def _read_frozen_rule(loaded: LoadedConfig) -> Plain:
    """Read the frozen rule; raise ConfigError at its place in the config if it is unusable."""
    at = ("frozen",)
    file: Path = loaded.file(at)
    try:
        with open_regular(file) as opened:
            known = json.loads(opened.read(LARGEST_FROZEN_BYTES))
    except OSError as error:
        said = f"no frozen rule {loaded.format_value(at)!r}: {error.strerror}"
        raise ConfigError([Problem(said, at, loaded.place(at))]) from None
    except (ValueError, RecursionError):
        known = None
    if not _is_frozen_rule(known):
        said = (
            f"{loaded.format_value(at)!r} is not as `reportgen freeze` of this version wrote it; "
            "run it again"
        )
        raise ConfigError([Problem(said, at, loaded.place(at))])
    return dict(known)


def _is_frozen_rule(known: object) -> TypeGuard[dict[str, object]]:
    """Tell whether this is a map that `freeze_rule` wrote, with the digest of its content."""
    if not isinstance(known, dict) or known.get("schema") != FROZEN_SCHEMA:
        return False
    content = {key: value for key, value in known.items() if key != "digest"}
    if not isinstance(content.get("rule"), dict):
        return False
    try:
        return digest_map(content) == known.get("digest")
    except (ValueError, RecursionError):  # numbers that JSON does not have, lists without end
        return False


SIGN_OFF_ROLES = 2
REFUSED = ("W110", "W115", "W121")  # what keeps a report from being FINAL
TOO_FEW = "W114"


def list_missing_for_final(
    loaded: LoadedConfig, provenance: Mapping[str, object], without_git: bool
) -> tuple[str, ...]:
    """List what FINAL lacks as far as it is known before anything is computed."""
    return tuple(_iter_missing_before_run(loaded, provenance, without_git))


def require_final(
    loaded: LoadedConfig, provenance: Mapping[str, object], without_git: bool
) -> None:
    """Refuse a config whose report cannot be FINAL, as far as that is known beforehand."""
    at = ("report", "status")
    lacking = list_missing_for_final(loaded, provenance, without_git)
    if loaded.config.report.status != "FINAL":
        lacking = ("`status: FINAL`", *lacking)
    if lacking:
        said = [f"--final: the report lacks {each}" for each in lacking]
        raise ConfigError([Problem(each, at, loaded.place(at)) for each in said])


def _iter_missing_before_run(
    loaded: LoadedConfig, provenance: Mapping[str, object], without_git: bool
) -> Iterator[str]:
    config, git = loaded.config, provenance.get("git")
    state = git if isinstance(git, Mapping) else {}
    if state.get("commit") is None and not without_git:
        yield "a commit (it is in no git repository)"
    elif state.get("commit") is not None and state.get("is_dirty") is not False:
        yield "a clean working tree"
    if not loaded.is_written(("bootstrap", "seed")):
        yield "a seed in the config"
    yield from _iter_undeclared_choices(loaded)
    if len({each.role for each in config.report.sign_off}) < SIGN_OFF_ROLES:
        yield "two roles that sign off"


def _iter_undeclared_choices(loaded: LoadedConfig) -> Iterator[str]:
    config = loaded.config
    if config.primary is None or not loaded.is_written(("primary", "metric")):
        yield "a primary metric"
    if config.primary is None or config.primary.margin is None:
        yield "a margin"
    if not loaded.is_written(("privacy", "level")):
        yield "a level of privacy"
    if not config.report.limitations:
        yield "limitations"


def add_report_status(loaded: LoadedConfig, results: Results, without_git: bool) -> Results:
    """Add the frozen rule, the looks, their warnings, and DRAFT where FINAL lacks something."""
    results = replace(
        results,
        frozen=compare_with_frozen(loaded, results),
        looks=_build_looks(loaded.config, results),
    )
    added = tuple(_iter_warnings(loaded.config, results))
    results = replace(results, warnings=(*results.warnings, *added))
    if loaded.config.report.status != "FINAL":
        return results
    lacking = (
        *list_missing_for_final(loaded, results.provenance, without_git),
        *_iter_missing_after_run(results),
    )
    if not lacking:
        return results
    report = replace(
        results.report,
        status="DRAFT",
        lacking=lacking,
        status_reason=f"FINAL lacks {join_list(lacking, 2)}",
    )
    numbers: dict[str, Scalar] = {"lacking": len(lacking), "first": lacking[0]}
    return replace(
        results,
        report=report,
        warnings=(*results.warnings, _build_warning(loaded.config, RaisedWarning("W241", numbers))),
    )


def _iter_missing_after_run(results: Results) -> Iterator[str]:
    """Yield what FINAL lacks once all is computed; unmet requirements do not prevent it."""
    codes = {warning.code for warning in results.warnings}
    yield from (f"a report without {code}" for code in REFUSED if code in codes)
    if TOO_FEW in codes:
        yield "enough resamples for all comparisons (W114)"
    if any(warning.is_fatal for warning in results.warnings):
        yield "a report without fatal warnings"
    if results.frozen is not None and not results.frozen.is_kept:
        yield "the rule that was frozen"
    looks = results.looks
    if looks is not None and looks.planned is not None and looks.count > looks.planned:
        yield f"looks: this is look {looks.count} of {looks.planned} that were planned"


def _build_looks(config: Config, results: Results) -> LookCount | None:
    """How often the rows that decide were judged, as far as runs name each other."""
    dataset = results.inference.primary_dataset
    known = results.digests.datasets if results.digests else ()
    rows = next((each.rows for each in known if each.dataset == dataset), "")
    if not rows:
        return None
    past = sum(run.rows == rows for run in results.history)
    planned, level = config.datasets[dataset].looks, config.bootstrap.level
    return LookCount(dataset, past + 1, planned, level, config.inference.sequential)


def _iter_warnings(config: Config, results: Results) -> Iterator[Warning]:
    """W141: many looks at the same rows that nobody planned. W142: another rule than the frozen."""
    looks, frozen = results.looks, results.frozen
    is_open = looks is not None and looks.planned is None and not config.inference.sequential
    if looks is not None and is_open and looks.count >= LIMITS["W141"]["looks"]:
        bound = min(looks.count * (1 - looks.level) / 2, 1.0)
        yield _build_warning(
            config, RaisedWarning("W141", {"looks": looks.count, "by_chance": bound})
        )
    if frozen is not None and not frozen.is_kept:
        keys = (*(each.key for each in frozen.differences), *frozen.scores)
        yield _build_warning(config, RaisedWarning("W142", {"keys": join_list(keys, 3)}))


def _build_warning(config: Config, raised: RaisedWarning) -> Warning:
    numbers = dict(raised.numbers)
    text = format_warning(raised.code, numbers)
    return Warning(raised.code, text, numbers, is_fatal=raised.code in config.warnings.fatal)
