"""Where a report stands: DRAFT or FINAL, its rule fixed beforehand or not, how often looked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reportgen import wording
from reportgen.config import Config, Loaded
from reportgen.errors import ConfigError, Problem
from reportgen.freezing import held
from reportgen.results import Looks, Results, Scalar, Warning
from reportgen.results.raised import RaisedWarning

ROLES = 2
MANY_LOOKS = 5
REFUSED = ("W110", "W115", "W121")  # what keeps a report from being FINAL
TOO_FEW = "W114"


def lacking_before(
    loaded: Loaded, provenance: Mapping[str, object], without_git: bool
) -> tuple[str, ...]:
    """What FINAL lacks as far as it is known before anything is computed."""
    return tuple(_before(loaded, provenance, without_git))


def refuse_draft(loaded: Loaded, provenance: Mapping[str, object], without_git: bool) -> None:
    """Refuse a config whose report cannot be FINAL, as far as that is known beforehand."""
    at = ("report", "status")
    lacking = lacking_before(loaded, provenance, without_git)
    if loaded.config.report.status != "FINAL":
        lacking = ("`status: FINAL`", *lacking)
    if lacking:
        said = [f"--final: the report lacks {each}" for each in lacking]
        raise ConfigError([Problem(each, at, loaded.place(at)) for each in said])


def _before(loaded: Loaded, provenance: Mapping[str, object], without_git: bool) -> Iterator[str]:
    config, git = loaded.config, provenance.get("git")
    state = git if isinstance(git, Mapping) else {}
    if state.get("commit") is None and not without_git:
        yield "a commit (it is in no git repository)"
    elif state.get("commit") is not None and state.get("is_dirty") is not False:
        yield "a clean working tree"
    if not loaded.is_written(("bootstrap", "seed")):
        yield "a seed in the config"
    yield from _undeclared(loaded)
    if len({each.role for each in config.report.sign_off}) < ROLES:
        yield "two roles that sign off"


def _undeclared(loaded: Loaded) -> Iterator[str]:
    config = loaded.config
    if config.primary is None or not loaded.is_written(("primary", "metric")):
        yield "a primary metric"
    if config.primary is None or config.primary.margin is None:
        yield "a margin"
    if not loaded.is_written(("privacy", "level")):
        yield "a level of privacy"
    if not config.report.limitations:
        yield "limitations"


def standing(loaded: Loaded, results: Results, without_git: bool) -> Results:
    """The results with the fixed rule, the looks, their warnings, and DRAFT where FINAL lacks."""
    results = replace(results, frozen=held(loaded, results), looks=_looks(loaded.config, results))
    added = tuple(_warnings(loaded.config, results))
    results = replace(results, warnings=(*results.warnings, *added))
    if loaded.config.report.status != "FINAL":
        return results
    lacking = (
        *lacking_before(loaded, results.provenance, without_git),
        *_after(results),
    )
    if not lacking:
        return results
    report = replace(results.report, status="DRAFT", lacking=lacking,
                     status_reason=f"FINAL lacks {wording.listed(lacking, 2)}")  # fmt: skip
    numbers: dict[str, Scalar] = {"lacking": len(lacking), "first": lacking[0]}
    return replace(
        results,
        report=report,
        warnings=(*results.warnings, _warning(loaded.config, RaisedWarning("W241", numbers))),
    )


def _after(results: Results) -> Iterator[str]:
    """What FINAL lacks once all is computed; a requirement that is not met keeps nothing."""
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


def _looks(config: Config, results: Results) -> Looks | None:
    """How often the rows that decide were judged, as far as runs name each other."""
    dataset = results.inference.primary_dataset
    known = results.digests.datasets if results.digests else ()
    rows = next((each.rows for each in known if each.dataset == dataset), "")
    if not rows:
        return None
    past = sum(run.rows == rows for run in results.history)
    return Looks(dataset, past + 1, config.datasets[dataset].looks, config.bootstrap.level)


def _warnings(config: Config, results: Results) -> Iterator[Warning]:
    """W141: many looks at the same rows that nobody planned. W142: another rule than the frozen."""
    looks, frozen = results.looks, results.frozen
    if looks is not None and looks.planned is None and looks.count >= MANY_LOOKS:
        bound = min(looks.count * (1 - looks.level) / 2, 1.0)
        yield _warning(config, RaisedWarning("W141", {"looks": looks.count, "by_chance": bound}))
    if frozen is not None and not frozen.is_kept:
        keys = (*(each.key for each in frozen.differences), *frozen.scores)
        yield _warning(config, RaisedWarning("W142", {"keys": wording.listed(keys, 3)}))


def _warning(config: Config, raised: RaisedWarning) -> Warning:
    numbers = dict(raised.numbers)
    text = wording.warning(raised.code, numbers)
    return Warning(raised.code, text, numbers, is_fatal=raised.code in config.warnings.fatal)
