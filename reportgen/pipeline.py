"""A run, stage by stage: from a config to the files of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.analysis.run import DatasetResults, analyze_dataset
from reportgen.config import ConfigMapping, LoadedConfig
from reportgen.data.dataset import LoadedDataset
from reportgen.data.sample import Sample
from reportgen.errors import OutputError, UsageError
from reportgen.governance.digests import compute_digests
from reportgen.governance.freeze import add_report_status, require_final
from reportgen.governance.gates import build_gates, judge_gates
from reportgen.governance.history import extend_history, load_previous_run, map_previous_models
from reportgen.governance.manifest import (
    SHORT_DIGEST,
    attach_results,
    build_manifest_files,
    digest_bytes,
    list_attachments,
)
from reportgen.governance.privacy import apply_disclosure_rules, get_disclosure_rules
from reportgen.governance.provenance import collect_provenance, explain_slow_kernels, list_versions
from reportgen.governance.run_diff import Run, compare_runs
from reportgen.governance.train_overlap import add_training_overlap, load_training_ids
from reportgen.governance.verification import Discrepancy, read_manifest
from reportgen.inference.resampling.cache import open_user_cache
from reportgen.planning.adjustments import restore_score_direction
from reportgen.planning.costs import find_fit_dataset, find_training_dataset
from reportgen.planning.loading import load_config
from reportgen.planning.plan import add_training_metrics, build_analysis_plan
from reportgen.planning.requests import read_data
from reportgen.planning.result_assembly import (
    add_glyph_warning,
    add_missing_curve_infos,
    assemble_results,
)
from reportgen.planning.segments import check_segments
from reportgen.planning.theme import describe_missing_theme, load_theme, restore_theme
from reportgen.planning.thresholds import check_top_sizes
from reportgen.progress import Progress, SilentProgress
from reportgen.report import archive
from reportgen.report.conclusion import conclude
from reportgen.report.document import Callout, Document
from reportgen.report.publish.files import read_content
from reportgen.report.render.theme import Theme
from reportgen.report.sections import build_document
from reportgen.results import Digests, Results, TrainedOn
from reportgen.streaming.restrictions import check_row_count
from reportgen.streaming.run import stream_dataset
from reportgen.terms import DRAWN, MANIFEST, RESULTS, TABLES, USUAL, VOUCHING


@dataclass(frozen=True)
class Options:
    """Options that the command line adds to the config; `folder` is where the report will go.

    With `is_final` a report that cannot be FINAL is refused; `without_git` lets one be that in no
    repository.
    """

    overrides: tuple[str, ...] = ()
    threads: int = 1
    template_dir: Path | None = None
    allow_plugins: bool = False
    use_cache: bool = True
    folder: Path | None = None
    is_final: bool = False
    without_git: bool = False


@dataclass(frozen=True)
class Outcome:
    """A finished run: the results, the files by name, and which outputs could not be made.

    `notes` say what is not as in the run that the results come from.
    """

    results: Results
    files: Mapping[str, bytes]
    failures: tuple[str, ...]
    headline: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LaidOutRun:
    """Results of a run and their laid-out report, before any output is drawn."""

    results: Results
    document: Document
    look: Theme
    outputs: tuple[str, ...]


def run_config(config: Path | ConfigMapping, options: Options, progress: Progress) -> Outcome:
    """Run a config from its text to the bytes of every output."""
    return render_run(lay_out_run(config, options, progress), progress)


def lay_out_run(config: Path | ConfigMapping, options: Options, progress: Progress) -> LaidOutRun:
    """Run a config, a file or a map, from its text to the report as plain data."""
    with ExitStack() as stack:
        loaded = load_config(config, options.overrides, options.allow_plugins, stack)
        look = load_theme(loaded, options.template_dir)
        file = config if isinstance(config, Path) else None
        origin = collect_provenance(file, options.overrides, options.folder, loaded.files)
        if options.without_git:
            origin["without_git"] = True
        if options.is_final:
            require_final(loaded, origin, options.without_git)
        if why := explain_slow_kernels():
            progress.stage(why)
        before = load_previous_run(loaded)
        progress.stage("reading the data")
        data, trained, answers = _read_and_analyse(loaded, options, progress)
        samples = {each.info.name: each.sample for each in data}
        results = add_training_overlap(
            loaded.config, assemble_results(loaded, data, answers, origin), trained
        )
        results = replace(results, digests=_build_digests(loaded, results, samples, answers))
        results = _add_changes(before, loaded, results, options)
        results = replace(results, gates=judge_gates(build_gates(loaded), results))
        results = restore_score_direction(
            apply_disclosure_rules(results, get_disclosure_rules(loaded.config), samples)
        )
        results = add_report_status(loaded, results, options.without_git)
        results = replace(results, conclusion=conclude(results))
        results = _add_changes(before, loaded, results, options)
        from reportgen.report.render.plain import find_missing_characters  # what draws takes room

        report = build_document(results)
        warned = add_glyph_warning(results, find_missing_characters(report, look))
        report = report if warned is results else build_document(warned)
        return LaidOutRun(warned, report, look, loaded.config.outputs)


def _read_and_analyse(
    loaded: LoadedConfig, options: Options, progress: Progress
) -> tuple[tuple[LoadedDataset, ...], Mapping[str, TrainedOn], tuple[DatasetResults | None, ...]]:
    """Every dataset, what models were fitted on, and what is found, by the engine of the config."""
    if loaded.config.compute.is_streamed:
        cache = open_user_cache() if options.use_cache else None
        found = stream_dataset(loaded, options.threads, progress, cache)
        return (found.data,), {}, (found.findings,)
    check_row_count(loaded)
    data = read_data(loaded)
    check_segments(loaded, data)
    samples = {each.info.name: each.sample for each in data}
    trained = load_training_ids(loaded, samples)
    answers = tuple(_analyse_dataset(loaded, each, samples, options, progress) for each in data)
    return data, trained, answers


def _add_changes(
    before: Run | None, loaded: LoadedConfig, results: Results, options: Options
) -> Results:
    """Return the results so far, with what has changed since the previous run if there is one."""
    if before is None:
        return results
    kept = open_user_cache() if options.use_cache else None
    changes = compare_runs(before, Run(results), map_previous_models(loaded), kept)
    return replace(results, changes=changes, history=extend_history(before))


def _build_digests(
    loaded: LoadedConfig,
    results: Results,
    samples: Mapping[str, Sample],
    answers: Sequence[DatasetResults | None],
) -> Digests:
    kept = {name: found.kept for name, found in zip(samples, answers, strict=True) if found}
    plugins = [loaded.file(("plugins", place)) for place in range(len(loaded.config.plugins))]
    return compute_digests(results, samples.values(), kept, plugins)


def render_run(found: LaidOutRun, progress: Progress) -> Outcome:
    """Render every output that the config names."""
    return _render_outputs(found.results, found.document, found.outputs, found.look, progress)


def rerender_results(path: Path, template_dir: Path | None) -> Outcome:
    """Make every other output from a results.json, without the data."""
    found = archive.load_any_results(path)
    results = add_missing_curve_infos(found.results)
    outputs = results.config.get("outputs")
    wanted = tuple(map(str, outputs)) if isinstance(outputs, list | tuple) else USUAL
    look = restore_theme(results, template_dir)
    outcome = _render_outputs(results, _lay_out(results, path), wanted, look, SilentProgress())
    left = describe_missing_theme(results) if set(wanted) & {"html", "pdf"} else ""
    notes = (*found.notes, left) if left else found.notes
    return replace(outcome, notes=tuple(f"{path.name}: {note}" for note in notes))


def _lay_out(results: Results, path: Path) -> Document:
    """Build the report from a results file; if that fails, the file is at fault, not `run`."""
    try:
        return build_document(results)
    except (LookupError, TypeError, ValueError) as error:
        raise archive.explain_unreadable(path, results, error) from error


def _analyse_dataset(
    loaded: LoadedConfig,
    data: LoadedDataset,
    samples: Mapping[str, Sample],
    options: Options,
    progress: Progress,
) -> DatasetResults | None:
    """Compute the results of a dataset; None for one that is there to fit."""
    if data.info.role == "fit":
        return None
    check_top_sizes(loaded, data.sample)
    fit = find_fit_dataset(loaded.config, data.info.name)
    asked = build_analysis_plan(loaded.config, data.sample, samples[fit] if fit else None)
    beside = find_training_dataset(loaded.config, data.info.name)
    if beside is not None:
        asked = add_training_metrics(loaded.config, asked, data.sample, samples[beside])
    progress.stage(f"resampling {data.info.name}", asked.design.batches)
    cache = open_user_cache() if options.use_cache else None
    return analyze_dataset(asked, options.threads, progress.done, cache)


def _render_outputs(
    results: Results, report: Document, outputs: Sequence[str], look: Theme, progress: Progress
) -> Outcome:
    """Render the files: results.json first and always, then what else is wanted and possible.

    The results name the files and are carried by some of them, so where an output cannot be made
    the others are made once more without it.
    """
    from reportgen.report.render.outputs import ATTACHING_OUTPUTS, list_output_files, render_output

    wanted = [output for output in outputs if output in DRAWN or output == TABLES]
    carried = list_attachments(report, results) if set(wanted) & ATTACHING_OUTPUTS else ()
    failures: list[str] = []
    while True:
        listed = (name for output in wanted for name in list_output_files(output, carried))
        results = replace(results, files=(RESULTS, *listed, *VOUCHING))
        told = attach_results(results)
        report = replace(report, digest=digest_bytes(told.content)[:SHORT_DIGEST])
        files, failed = {told.path: told.content}, []
        for output in wanted:
            progress.stage(f"rendering {output}")
            try:
                files |= render_output(output, report, results, look, (*carried, told))
            except OutputError as error:
                failures += error.lines
                failed.append(output)
        if not failed:
            files |= build_manifest_files(results, get_headline(report), files)
            return Outcome(results, files, tuple(failures), get_headline(report))
        wanted = [output for output in wanted if output not in failed]


def get_headline(report: Document) -> str:
    """Return the verdict in one line."""
    blocks = (block for section in report.sections for block in section.blocks)
    verdict = next(block for block in blocks if isinstance(block, Callout))
    return verdict.title


_MOST_BYTES = 1 << 32


def find_edited_files(folder: Path, template_dir: Path | None) -> Iterator[Discrepancy]:
    """Yield files that results.json does not lead to; raise UsageError if it cannot be checked."""
    manifest = read_manifest(folder)
    here = list_versions()
    other = [name for name in here if here[name] != manifest.versions.get(name)]
    if other:
        raise UsageError(
            f"{folder / MANIFEST}: cannot tell whether the pages were edited: {other[0]} was "
            f"{manifest.versions.get(other[0])}, here it is {here[other[0]]}; use the same versions"
        )
    made = rerender_results(folder / RESULTS, template_dir).files
    for name in sorted(set(manifest.outputs) - {RESULTS, *VOUCHING}):
        if made.get(name) != read_content(folder / name, _MOST_BYTES):
            yield Discrepancy(name, "does not say what results.json holds")
