"""The whole program, in the order in which it happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen import archive
from reportgen.analysis.findings import DatasetFindings, infer
from reportgen.attached import carried_files, results_file
from reportgen.beside_fresh import with_fitted
from reportgen.caching import user_cache
from reportgen.conclusion import conclude
from reportgen.config import Given, Loaded
from reportgen.data.dataset import LoadedDataset as Data
from reportgen.data.sample import Sample
from reportgen.demanded import demands
from reportgen.diff import Run, changes_between
from reportgen.digests import digests
from reportgen.document import Callout, Document
from reportgen.errors import OutputError
from reportgen.first_rows import refuse_more_than_all
from reportgen.fits import fit_beside, fit_of
from reportgen.gates import judge
from reportgen.looks import left_out, theme, theme_of
from reportgen.manifest import SIGNS, digest, vouching_files
from reportgen.outputs import DRAWN, RESULTS, TABLES, USUAL, VOUCHING
from reportgen.plan import analysis_plan, read_data
from reportgen.previous import history_after, models_before, previous_run
from reportgen.privacy import hidden, kept_by
from reportgen.progress import Progress, Silent
from reportgen.provenance import provenance, slowed
from reportgen.reading import read
from reportgen.render.theme import Theme
from reportgen.results import Digests, Results, TrainedOn
from reportgen.sections import document
from reportgen.slices import check_segments
from reportgen.standing import refuse_draft, standing
from reportgen.streamable import refuse_too_many
from reportgen.streamed import streamed
from reportgen.summary import summary, with_glyph_warning, with_words_of_curves
from reportgen.trained import trainings, with_training
from reportgen.turned import turned_back


@dataclass(frozen=True)
class Options:
    """What the command line says beside the config. `folder` is where the report will go.

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
class Found:
    """What a run computed and laid out, before any output is drawn."""

    results: Results
    document: Document
    look: Theme
    outputs: tuple[str, ...]


def outcome_of(config: Path | Given, options: Options, progress: Progress) -> Outcome:
    """Run a config from its text to the bytes of every output."""
    return drawn(found_of(config, options, progress), progress)


def found_of(config: Path | Given, options: Options, progress: Progress) -> Found:
    """Run a config, a file or a map, from its text to the report as plain data."""
    with ExitStack() as stack:
        loaded = read(config, options.overrides, options.allow_plugins, stack)
        look = theme(loaded, options.template_dir)
        file = config if isinstance(config, Path) else None
        origin = provenance(file, options.overrides, options.folder, loaded.files)
        if options.without_git:
            origin["without_git"] = True
        if options.is_final:
            refuse_draft(loaded, origin, options.without_git)
        if why := slowed():
            progress.stage(why)
        before = previous_run(loaded)
        progress.stage("reading the data")
        data, trained, answers = _read_and_answered(loaded, options, progress)
        samples = {each.info.name: each.sample for each in data}
        results = with_training(loaded.config, summary(loaded, data, answers, origin), trained)
        results = replace(results, digests=_digests(loaded, results, samples, answers))
        results = _since(before, loaded, results, options)
        results = replace(results, gates=judge(demands(loaded), results))
        results = turned_back(hidden(results, kept_by(loaded.config), samples))
        results = standing(loaded, results, options.without_git)
        results = replace(results, conclusion=conclude(results))
        results = _since(before, loaded, results, options)
        from reportgen.render.plain import missing_characters  # what draws takes room

        report = document(results)
        warned = with_glyph_warning(results, missing_characters(report, look))
        report = report if warned is results else document(warned)
        return Found(warned, report, look, loaded.config.outputs)


def _read_and_answered(
    loaded: Loaded, options: Options, progress: Progress
) -> tuple[tuple[Data, ...], Mapping[str, TrainedOn], tuple[DatasetFindings | None, ...]]:
    """Every dataset, what models were fitted on, and what is found, by the engine of the config."""
    if loaded.config.compute.is_streamed:
        cache = user_cache() if options.use_cache else None
        found = streamed(loaded, options.threads, progress, cache)
        return (found.data,), {}, (found.findings,)
    refuse_too_many(loaded)
    data = read_data(loaded)
    check_segments(loaded, data)
    samples = {each.info.name: each.sample for each in data}
    trained = trainings(loaded, samples)
    answers = tuple(_answer(loaded, each, samples, options, progress) for each in data)
    return data, trained, answers


def _since(before: Run | None, loaded: Loaded, results: Results, options: Options) -> Results:
    """The results with what changed since the previous run, as far as they are made."""
    if before is None:
        return results
    kept = user_cache() if options.use_cache else None
    changes = changes_between(before, Run(results), models_before(loaded), kept)
    return replace(results, changes=changes, history=history_after(before))


def _digests(
    loaded: Loaded,
    results: Results,
    samples: Mapping[str, Sample],
    answers: Sequence[DatasetFindings | None],
) -> Digests:
    kept = {name: found.kept for name, found in zip(samples, answers, strict=True) if found}
    plugins = [loaded.file(("plugins", place)) for place in range(len(loaded.config.plugins))]
    return digests(results, samples.values(), kept, plugins)


def drawn(found: Found, progress: Progress) -> Outcome:
    """The bytes of every output that the config names."""
    return _rendered(found.results, found.document, found.outputs, found.look, progress)


def outcome_from_results(path: Path, template_dir: Path | None) -> Outcome:
    """Make every other output from a results.json, without the data."""
    found = archive.reading(path)
    results = with_words_of_curves(found.results)
    outputs = results.config.get("outputs")
    wanted = tuple(map(str, outputs)) if isinstance(outputs, list | tuple) else USUAL
    look = theme_of(results, template_dir)
    outcome = _rendered(results, _laid_out(results, path), wanted, look, Silent())
    left = left_out(results) if set(wanted) & {"html", "pdf"} else ""
    notes = (*found.notes, left) if left else found.notes
    return replace(outcome, notes=tuple(f"{path.name}: {note}" for note in notes))


def _laid_out(results: Results, path: Path) -> Document:
    """The report from a file. What `run` made it could lay out, so failing is the file's fault."""
    try:
        return document(results)
    except (LookupError, TypeError, ValueError) as error:
        raise archive.unreadable(path, results, error) from error


def _answer(
    loaded: Loaded,
    data: Data,
    samples: Mapping[str, Sample],
    options: Options,
    progress: Progress,
) -> DatasetFindings | None:
    """What is found on a dataset; nothing is judged on one that is there to fit."""
    if data.info.role == "fit":
        return None
    refuse_more_than_all(loaded, data.sample)
    fit = fit_of(loaded.config, data.info.name)
    asked = analysis_plan(loaded.config, data.sample, samples[fit] if fit else None)
    beside = fit_beside(loaded.config, data.info.name)
    if beside is not None:
        asked = with_fitted(loaded.config, asked, data.sample, samples[beside])
    progress.stage(f"resampling {data.info.name}", asked.design.batches)
    cache = user_cache() if options.use_cache else None
    return infer(asked, options.threads, progress.done, cache)


def _rendered(
    results: Results, report: Document, outputs: Sequence[str], look: Theme, progress: Progress
) -> Outcome:
    """The files: results.json first and always, then what else is wanted and can be made.

    The results name the files and are carried by some of them, so where an output cannot be made
    the others are made once more without it.
    """
    from reportgen.render.outputs import CARRYING, names, rendered

    wanted = [output for output in outputs if output in DRAWN or output == TABLES]
    carried = carried_files(report, results) if set(wanted) & CARRYING else ()
    failures: list[str] = []
    while True:
        listed = (name for output in wanted for name in names(output, carried))
        results = replace(results, files=(RESULTS, *listed, *VOUCHING))
        told = results_file(results)
        report = replace(report, digest=digest(told.content)[:SIGNS])
        files, failed = {told.path: told.content}, []
        for output in wanted:
            progress.stage(f"rendering {output}")
            try:
                files |= rendered(output, report, results, look, (*carried, told))
            except OutputError as error:
                failures += error.lines
                failed.append(output)
        if not failed:
            files |= vouching_files(results, headline(report), files)
            return Outcome(results, files, tuple(failures), headline(report))
        wanted = [output for output in wanted if output not in failed]


def headline(report: Document) -> str:
    """The verdict in one line."""
    blocks = (block for section in report.sections for block in section.blocks)
    verdict = next(block for block in blocks if isinstance(block, Callout))
    return verdict.title
