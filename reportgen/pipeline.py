"""A run, from a config to the files of a report: `lay_out_run` is its table of contents."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.analysis.plan import AnalysisPlan
from reportgen.analysis.run import DatasetResults, analyze_dataset
from reportgen.config.sources import ConfigMapping
from reportgen.data.dataset import LoadedDataset
from reportgen.data.sample import Sample
from reportgen.governance.decision import decide
from reportgen.governance.digests import compute_digests
from reportgen.governance.history import extend_history
from reportgen.governance.outputs import Outcome, render_outputs
from reportgen.governance.study import Options, Study, load_study, load_training_ids
from reportgen.planning.plan import plan_datasets
from reportgen.planning.requests import read_data
from reportgen.planning.result_assembly import assemble_results
from reportgen.planning.segments import check_segments
from reportgen.planning.thresholds import check_top_sizes
from reportgen.progress import Progress
from reportgen.report import prose
from reportgen.report.document import Document
from reportgen.report.prose.warnings import format_warning, write_warning_texts
from reportgen.report.render.theme import Theme
from reportgen.report.sections import build_document
from reportgen.results import Results
from reportgen.results.core import TrainedOn, Warning
from reportgen.streaming.restrictions import check_row_count

MAX_CHARACTERS = 20


def lay_out_results(results: Results, theme: Theme) -> tuple[Results, Document]:
    """Build the document; W205 is added where its fonts lack characters that it uses."""
    from reportgen.report.render.plain import find_missing_characters  # what draws takes room

    with prose.use_messages(prose.load_messages(theme.template_dir)):
        document = build_document(results)
        missing = find_missing_characters(document, theme)
        if not missing:
            return results, document
        warned = add_glyph_warning(results, missing)
        return warned, build_document(warned)


def add_glyph_warning(results: Results, missing: tuple[str, ...]) -> Results:
    """Add a warning to the results if the report uses characters that none of its fonts has."""
    if not missing:
        return results
    fatal = "W205" in str(results.config.get("warnings", ""))
    numbers = {"characters": " ".join(f"U+{ord(sign):04X}" for sign in missing[:MAX_CHARACTERS])}
    text = format_warning("W205", dict(numbers))
    added = Warning(code="W205", text=text, numbers=dict(numbers), is_fatal=fatal)
    return replace(results, warnings=(*results.warnings, added))


@dataclass(frozen=True)
class Inputs:
    """The data of a study: every dataset, and how many of its ids each model was trained on."""

    datasets: tuple[LoadedDataset, ...]
    training: Mapping[str, TrainedOn]

    @property
    def samples(self) -> dict[str, Sample]:
        """The rows of each dataset, by its name."""
        return {dataset.info.name: dataset.sample for dataset in self.datasets}


@dataclass(frozen=True)
class LaidOutRun:
    """Results of a run and their document, before any output is rendered."""

    results: Results
    document: Document
    theme: Theme
    outputs: tuple[str, ...]


def run_config(config: Path | ConfigMapping, options: Options, progress: Progress) -> Outcome:
    """Run a config, a file or a map, from its text to the bytes of every output."""
    run = lay_out_run(config, options, progress)
    return render_outputs(run.results, run.document, run.outputs, run.theme, progress)


def lay_out_run(config: Path | ConfigMapping, options: Options, progress: Progress) -> LaidOutRun:
    """Run a config to the report as plain data: load, read, check, plan, analyse, decide."""
    with ExitStack() as stack:
        study = load_study(config, options, progress, stack)
        if study.loaded.config.compute.is_streamed:
            inputs, findings = stream_inputs(study, options, progress)
        else:
            inputs = read_inputs(study, progress)
            check_inputs(study, inputs)
            plans = plan_datasets(study.loaded.config, inputs.samples)
            findings = analyze_datasets(plans, options, progress)
        measured = collect_results(study, inputs, findings)
        decided = decide(measured, study, inputs.samples, options)
        results, document = lay_out_results(decided, study.theme)
        return LaidOutRun(results, document, study.theme, study.loaded.config.outputs)


def read_inputs(study: Study, progress: Progress) -> Inputs:
    """Read every dataset, and the ids that models were trained on."""
    progress.stage("reading the data")
    check_row_count(study.loaded)
    read = Inputs(read_data(study.loaded), {})
    return replace(read, training=load_training_ids(study.loaded, read.samples))


def check_inputs(study: Study, inputs: Inputs) -> None:
    """Refuse data that lack a segment or the rows that the config requests."""
    check_segments(study.loaded, {d.info.name: d.info.segments for d in inputs.datasets})
    for each in inputs.datasets:
        if each.info.role == "test":
            check_top_sizes(study.loaded, each.sample)


def analyze_datasets(
    plans: Mapping[str, AnalysisPlan], options: Options, progress: Progress
) -> dict[str, DatasetResults]:
    """Carry out every plan, by the name of its dataset."""
    findings = {}
    for name, plan in plans.items():
        progress.stage(f"resampling {name}", plan.sampling.design.batches)
        findings[name] = analyze_dataset(plan, options.threads, progress.done, options.open_cache())
    return findings


def stream_inputs(
    study: Study, options: Options, progress: Progress
) -> tuple[Inputs, dict[str, DatasetResults]]:
    """Read and analyse one dataset, row group by row group."""
    from reportgen.streaming.run import stream_dataset  # here, since few runs stream

    progress.stage("reading the data")
    cache = options.open_cache()
    dataset, results = stream_dataset(
        study.loaded, options.threads, progress, cache, allow_remote=options.allow_remote
    )
    return Inputs((dataset,), {}), {dataset.info.name: results}


def collect_results(
    study: Study, inputs: Inputs, findings: Mapping[str, DatasetResults]
) -> Results:
    """Join all findings to one set of results: numbers, warnings with their texts, digests."""
    loaded = study.loaded
    by_dataset = [findings.get(each.info.name) for each in inputs.datasets]
    history = extend_history(study.previous)
    results = assemble_results(
        loaded, inputs.datasets, by_dataset, inputs.training, history, study.provenance
    )
    replicates = {name: each.kept for name, each in findings.items()}
    plugins = [loaded.file(("plugins", k)) for k in range(len(loaded.config.plugins))]
    digests = compute_digests(results, inputs.samples.values(), replicates, plugins)
    return replace(write_warning_texts(results), digests=digests)
