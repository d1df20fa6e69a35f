"""A run, from a config to the files of a report: `finish_run` is its table of contents."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
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
from reportgen.records import record
from reportgen.report.document import Document
from reportgen.report.prose.warnings import write_warning_texts
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.results.core import TrainedOn
from reportgen.streaming.restrictions import check_row_count


@record
class Inputs:
    """The data of a study: every dataset, and how many of its ids each model was trained on."""

    datasets: tuple[LoadedDataset, ...]
    training: Mapping[str, TrainedOn]

    @property
    def samples(self) -> dict[str, Sample]:
        """The rows of each dataset, by its name."""
        return {dataset.info.name: dataset.sample for dataset in self.datasets}


@record
class FinishedRun:
    """A run that is decided, whose document is laid out on first use."""

    numbers: Results
    theme: Theme
    outputs: tuple[str, ...]

    @property
    def results(self) -> Results:
        """The results, with a warning where the report's fonts lack characters."""
        return self._layout[0]

    @property
    def document(self) -> Document:
        """The report as plain data, before any output is rendered."""
        return self._layout[1]

    @cached_property
    def _layout(self) -> tuple[Results, Document]:
        from reportgen.report.layout import lay_out_results  # here: a caller may only want numbers

        return lay_out_results(self.numbers, self.theme)


def run_config(config: Path | ConfigMapping, options: Options, progress: Progress) -> Outcome:
    """Run a config, a file or a map, from its text to the bytes of every output."""
    run = finish_run(config, options, progress)
    return render_outputs(run.results, run.document, run.outputs, run.theme, progress)


def finish_run(config: Path | ConfigMapping, options: Options, progress: Progress) -> FinishedRun:
    """Run a config as far as the decision: load, read, check, plan, analyse, decide."""
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
        return FinishedRun(decided, study.theme, study.loaded.config.outputs)


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
    return {
        name: analyze_dataset(plan, options.threads, progress, options.open_cache())
        for name, plan in plans.items()
    }


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
