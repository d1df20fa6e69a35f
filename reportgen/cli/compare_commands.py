"""The commands that compare runs: `diff`, `trend`, `freeze`, `log-mlflow`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from reportgen.cli import resource_limits
from reportgen.cli.console import print_error, print_line, print_result
from reportgen.errors import UsageError

_PLACE = click.Path(path_type=Path)


@click.command()
@click.argument("old", type=_PLACE)
@click.argument("new", type=_PLACE)
@click.option(
    "--format",
    "as_",
    type=click.Choice(["text", "markdown", "json", "html"]),
    default="text",
    help="How it is printed; default: text.",
)
@click.option("--out", type=_PLACE, help="The file to write; default: print.")
@click.option(
    "--model", "models", multiple=True, metavar="NEW=OLD", help="What a model of NEW was called."
)
@click.option("--fail-on", type=click.Choice(["worse"]), help="End with 1 if a value worsened.")
@click.option("--no-cache", is_flag=True, help="Read no resamples that earlier runs kept.")
def diff(
    old: Path,
    new: Path,
    as_: str,
    out: Path | None,
    models: tuple[str, ...],
    fail_on: str | None,
    no_cache: bool,
) -> int:
    """Say what changed from the report OLD to the report NEW, folders or results.json."""
    named = _parse_model_names(models)
    resource_limits.check_resources(resource_limits.REPORTING_NEED)
    from reportgen.cli.messages import render_changes
    from reportgen.governance.history import is_successor
    from reportgen.governance.run_diff import compare_runs, load_run
    from reportgen.inference.resampling.cache import open_user_cache

    before, now = load_run(old), load_run(new)
    for place, run in ((old, before), (new, now)):
        for note in run.notes:
            print_error(f"{place}: {note}")
    for names, run in ((list(named), now), (list(named.values()), before)):
        _refuse_unknown(names, [model.name for model in run.results.models], run is now)
    if not is_successor(before, now.results):
        print_error(f"{new}: its history has another last run than {old}")
    changes = compare_runs(before, now, named, None if no_cache else open_user_cache())
    text = render_changes(changes, now.results, as_)
    code = _print_or_write(text, out)
    is_worse = any(move.word == "worsened" for move in changes.moves)
    return 1 if fail_on and is_worse else code


@click.command()
@click.argument("folder", type=_PLACE)
@click.option("--out", type=_PLACE, help="Also write a page of HTML.")
def trend(folder: Path, out: Path | None) -> int:
    """Say how the primary metric went over the reports in FOLDER and their histories."""
    resource_limits.check_resources(resource_limits.REPORTING_NEED)
    from reportgen.governance.history import collect_runs, iter_trend_lines, render_trend_page

    found = collect_runs(folder)
    for note in found.notes:
        print_error(f"{folder}: {note}")
    code = print_result("\n".join(iter_trend_lines(found)))
    return _print_or_write(render_trend_page(found), out) if out is not None else code


@click.command()
@click.argument("config", type=_PLACE)
@click.option("--set", "overrides", multiple=True, metavar="a.b=c", help="Override one value.")
@click.option("--allow-plugins", is_flag=True, help="Run the plugins that the config names.")
@click.option("--scores", "with_scores", is_flag=True, help="Also the digests of score files.")
@click.option("--out", type=_PLACE, help="The file to write; default: print.")
def freeze(
    config: Path,
    overrides: tuple[str, ...],
    allow_plugins: bool,
    with_scores: bool,
    out: Path | None,
) -> int:
    """Fix the rule of CONFIG before the data are seen: what decides, its digest, the time."""
    resource_limits.check_resources(resource_limits.PRINTING_NEED)
    from reportgen.governance.freeze import freeze_rule
    from reportgen.planning.loading import load_config

    with ExitStack() as stack:
        loaded = load_config(config, overrides, allow_plugins, stack)
        return _print_or_write(
            freeze_rule(loaded, with_scores=with_scores).decode().rstrip("\n"), out
        )


@click.command("log-mlflow")
@click.argument("folder", type=_PLACE)
@click.option("--run-id", help="The run to add to; default: a new one.")
def log_mlflow(folder: Path, run_id: str | None) -> int:
    """Log the report in FOLDER as a run of MLflow, which must be installed."""
    resource_limits.check_resources(resource_limits.PRINTING_NEED)
    from reportgen.governance.mlflow_export import log_report

    print_line(f"MLflow run {log_report(folder, run_id)}")
    return 0


def _parse_model_names(models: tuple[str, ...]) -> dict[str, str]:
    """Models of now with what they were called, as `NEW=OLD` says."""
    found = {}
    for text in models:
        new, is_given, old = text.partition("=")
        if not (is_given and new.strip() and old.strip()):
            raise UsageError(f"--model wants NEW=OLD, and has {text!r}")
        found[new.strip()] = old.strip()
    return found


def _refuse_unknown(names: Sequence[str], known: Sequence[str], is_new: bool) -> None:
    """Stop at a model of `--model` that its report does not have."""
    for each in names:
        if each not in known:
            side, near = ("NEW", "new") if is_new else ("OLD", "old")
            raise UsageError(
                f"--model wants NEW=OLD, and the {near} report has no model {each!r} for {side}; "
                f"it has {', '.join(map(repr, known))}"
            )


def _print_or_write(text: str, out: Path | None) -> int:
    """Print a text, or write it into a file; the exit code."""
    if out is None:
        return print_result(text)
    try:
        out.write_text(text + "\n" * (text[-1:] != "\n"), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from None
    print_line(str(out))
    return 0
