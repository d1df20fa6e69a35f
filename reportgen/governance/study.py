"""A study: its config, theme, origin and previous run, and the ids that models were trained on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from reportgen.config.loading import LoadedConfig
from reportgen.config.sources import ConfigMapping
from reportgen.data.files.remote import permit_remote
from reportgen.data.files.source import open_source
from reportgen.data.requests import ColumnRequest, TableRequest
from reportgen.data.sample import Sample
from reportgen.errors import ConfigError, Problem
from reportgen.governance.freeze import require_final
from reportgen.governance.history import load_previous_run
from reportgen.governance.provenance import collect_provenance, explain_slow_kernels
from reportgen.governance.run_diff import Run
from reportgen.inference.resampling.cache import Cache, find_cache_problem, open_user_cache
from reportgen.planning.loading import load_config
from reportgen.progress import Progress
from reportgen.records import record
from reportgen.report.render.theme import Theme, assign_colours, check_templates
from reportgen.results.core import TrainedOn
from reportgen.results.types import Plain


@record
class Options:
    """Options that the command line adds to the config; `folder` is where the report will go.

    With `is_final` a report that cannot be FINAL is refused; `without_git` lets one be that in no
    repository.
    """

    overrides: tuple[str, ...] = ()
    threads: int = 1
    template_dir: Path | None = None
    allow_plugins: bool = False
    allow_remote: bool = False
    use_cache: bool = True
    folder: Path | None = None
    is_final: bool = False
    without_git: bool = False

    def open_cache(self) -> Cache | None:
        """Open the cache of replicates; None if the run must not use it, or cannot."""
        return open_user_cache() if self.use_cache and not find_cache_problem() else None


@record
class Study:
    """A checked config, its theme and origin, and the previous run if there is one."""

    loaded: LoadedConfig
    theme: Theme
    provenance: Plain
    previous: Run | None


def load_study(
    config: Path | ConfigMapping, options: Options, progress: Progress, stack: ExitStack
) -> Study:
    """Load the config, its theme and the previous run; plugins stay until the stack ends."""
    stack.enter_context(permit_remote(options.allow_remote))
    loaded = load_config(config, options.overrides, options.allow_plugins, stack)
    theme = load_theme(loaded, options.template_dir)
    file = config if isinstance(config, Path) else None
    provenance = collect_provenance(file, options.overrides, options.folder, loaded.files)
    if options.without_git:
        provenance["without_git"] = True
    if options.is_final:
        require_final(loaded, provenance, options.without_git)
    for why in (explain_slow_kernels(), find_cache_problem() if options.use_cache else ""):
        if why:
            progress.stage(why)
    return Study(loaded, theme, provenance, load_previous_run(loaded))


def load_theme(loaded: LoadedConfig, template_dir: Path | None) -> Theme:
    """Load the theme of a config; its files are found next to the file that names them."""
    written = loaded.config.theme
    _refuse_missing(loaded)
    if template_dir is not None:
        check_templates(template_dir)
    roles = [model.role for model in loaded.config.models.values()]
    colours = assign_colours(written.accent, written.colours, roles)
    return Theme(
        colours=colours,
        dark=colours,
        logo=loaded.file(("theme", "logo")) if written.logo else None,
        logo_name=written.logo or "",
        fonts=loaded.file(("theme", "fonts")) if written.fonts else None,
        template_dir=template_dir,
    )


def _refuse_missing(loaded: LoadedConfig) -> None:
    """Refuse a missing file of the theme before any work is done."""
    problems = [
        Problem(f"no {kind} {written!r}", ("theme", key), loaded.place(("theme", key)))
        for key, written, kind, is_there in (
            ("logo", loaded.config.theme.logo, "file", Path.is_file),
            ("fonts", loaded.config.theme.fonts, "folder", Path.is_dir),
        )
        if written and not is_there(loaded.file(("theme", key)))
    ]
    if problems:
        raise ConfigError(problems)


def load_training_ids(loaded: LoadedConfig, samples: Mapping[str, Sample]) -> dict[str, TrainedOn]:
    """Load what each model was trained on, by model, as far as the config names it."""
    models = loaded.config.models.items()
    return {name: _build_training(loaded, name, samples) for name, m in models if m.trained_on}


def _build_training(loaded: LoadedConfig, model: str, samples: Mapping[str, Sample]) -> TrainedOn:
    """Read the training ids, and count those of each evaluated dataset that has ids among them."""
    named = loaded.config.models[model].trained_on
    assert named is not None
    at = ("models", model, "trained_on")
    column = ColumnRequest(named.id, (*at, "id"), loaded.get_true_text((*at, "id")))
    where = (*at, "path")
    request = TableRequest(
        path=str(loaded.file(where)),
        shown=loaded.format_value(where),
        id=column,
        at=where,
        printed=loaded.format_file(where),
        is_hidden=loaded.is_hidden(where),
    )
    try:
        source = open_source(request, {column.name: column.source})
        if problem := source.problem_with(column):
            raise ConfigError([problem])
    except ConfigError as error:
        placed = (replace(p, place=loaded.place(p.at)) for p in error.problems)
        raise ConfigError(list(placed)) from None
    table = source.read({column.name}, set())
    ids = set(table.texts(column.name).drop_null().to_pylist())
    judged = [name for name, each in loaded.config.datasets.items() if each.role == "test"]
    return TrainedOn(
        source.inputs(f"rows that {model} was trained on", table),
        len(ids),
        {
            name: len(ids.intersection(samples[name].ids))
            for name in judged
            if not samples[name].numbered_in
        },
    )
