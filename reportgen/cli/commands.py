"""The commands, from `run` to `explain`, but for those that compare runs."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from reportgen import signals
from reportgen.cli import process
from reportgen.errors import InternalError, ReportgenError, UsageError, require_docstrings
from reportgen.progress import choose_threads, explain_threads, get_current_stage
from reportgen.terms import KIND_TEXTS
from reportgen.text import align_rows, format_line
from reportgen.version import __version__, describe_other_package


@click.group()
def cache() -> None:
    """Show or clear the resamples that are kept between runs."""


@cache.command()
def size() -> int:
    """Print the size of the cache, and its limit."""
    process.check_resources(process.PRINTING_NEED)
    from reportgen.inference.resampling.cache import format_megabytes, open_user_cache

    kept = open_user_cache()
    held, most = kept.measure(), format_megabytes(kept.most_bytes)
    return print_result(
        f"{held.entries:,} entries, {format_megabytes(held.bytes)} of at most {most}"
    )


@cache.command()
def clear() -> int:
    """Delete all kept resamples; the next run draws them again."""
    process.check_resources(process.PRINTING_NEED)
    from reportgen.inference.resampling.cache import format_megabytes, open_user_cache

    try:
        held = open_user_cache().clear()
    except OSError as error:
        raise UsageError(f"the cache cannot be cleared: {error.strerror}") from None
    print_line(f"removed {held.entries:,} entries, {format_megabytes(held.bytes)}")
    return 0


_CONFIG = click.argument("config", type=click.Path(path_type=Path))
_SET = click.option(
    "--set", "overrides", multiple=True, metavar="a.b=c", help="Override one value of the config."
)
_PLUGINS = click.option(
    "--allow-plugins", is_flag=True, help="Run the Python files that the config names as plug-ins."
)
_REMOTE = click.option(
    "--allow-remote",
    is_flag=True,
    help="Connect to the databases, buckets and Dask scheduler that the config names.",
)
_TEMPLATES = click.option(
    "--template-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with your own templates.",
)


_OF = click.option(
    "--config",
    "of",
    type=click.Path(path_type=Path),
    help="Include what the plug-ins of this config add.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="reportgen")
def cli() -> None:
    """Compare models from one YAML file; get a report with a verdict you can defend."""


cli.add_command(cache)


@cli.command()
@_CONFIG
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the report.")
@_SET
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Number of threads, at most one per processor; it does not change results.",
)
@_TEMPLATES
@_PLUGINS
@_REMOTE
@click.option("--no-cache", is_flag=True, help="Draw all resamples again.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.option("--final", "is_final", is_flag=True, help="Fail unless the report is FINAL.")
@click.option("--allow-no-git", is_flag=True, help="Allow FINAL outside a git repository.")
@click.option("--ci", type=click.Choice(["github"]), help="Also report to the CI that runs this.")
def run(
    config: Path,
    out: Path | None,
    overrides: tuple[str, ...],
    threads: int | None,
    template_dir: Path | None,
    allow_plugins: bool,
    allow_remote: bool,
    no_cache: bool,
    quiet: bool,
    is_final: bool,
    allow_no_git: bool,
    ci: str | None,
) -> int:
    """Make the report that CONFIG describes.

    Writes to reports/NAME or to --out. Exits with 1 if a gate fails.
    """
    if note := explain_threads(threads):
        print_error(note)
    threads = choose_threads(threads)
    process.check_resources(process.REPORTING_NEED, threads)
    from reportgen.governance.study import Options
    from reportgen.pipeline import run_config
    from reportgen.progress import show_progress
    from reportgen.report import publish

    if other := describe_other_package():
        print_error(other)
    folder = out or Path("reports", config.stem)
    publish.check_folder(folder)
    options = Options(
        overrides=overrides,
        threads=threads,
        template_dir=template_dir,
        allow_plugins=allow_plugins,
        allow_remote=allow_remote,
        use_cache=not no_cache,
        folder=folder,
        is_final=is_final,
        without_git=allow_no_git,
    )
    with show_progress(quiet) as shown:
        outcome = run_config(config, options, shown)
        shown.stage("writing the report")
        publish.publish_files(outcome.files, folder)
    if ci is not None:
        from reportgen.cli.messages import write_github_outputs

        for line in write_github_outputs(outcome, folder, os.environ):
            click.echo(line)
    code = _report_outcome(outcome, folder)
    return 1 if is_final and outcome.results.report.lacking else code


@cli.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder; default: that of RESULTS.")
@_TEMPLATES
def render(results: Path, out: Path | None, template_dir: Path | None) -> int:
    """Make all other outputs from a results.json, without the data."""
    process.check_resources(process.REPORTING_NEED)
    from reportgen.governance.outputs import rerender_results
    from reportgen.report import publish

    folder = out or results.parent
    publish.check_folder(folder)
    outcome = rerender_results(results, template_dir)
    publish.publish_files(outcome.files, folder)
    return _report_outcome(outcome, folder)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder; default: FOLDER-figures.")
@_TEMPLATES
def figures(folder: Path, out: Path | None, template_dir: Path | None) -> int:
    """Write each figure of the report in FOLDER as SVG and PNG, with its caption."""
    process.check_resources(process.REPORTING_NEED)
    from reportgen.governance.outputs import write_figures

    target = out or folder.with_name(f"{folder.name}-figures")
    count = write_figures(folder, target, template_dir)
    return print_result(f"{count} figures: {target}")


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--manifest-sha256", metavar="H", help="The SHA-256 that the run printed.")
@click.option("--deep", is_flag=True, help="Also compare pages made from results.json.")
@_TEMPLATES
@click.option(
    "--inputs", metavar="ROOT", type=click.Path(path_type=Path), help="Also check the data."
)
@_REMOTE
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def verify(
    folder: Path,
    manifest_sha256: str | None,
    deep: bool,
    template_dir: Path | None,
    inputs: Path | None,
    allow_remote: bool,
    as_json: bool,
) -> int:
    """Check that the files of the report in FOLDER match its manifest."""
    process.check_resources(process.REPORTING_NEED if deep else process.PRINTING_NEED)
    from reportgen.governance.verification import parse_digest, verify_folder

    given = None if manifest_sha256 is None else parse_digest(manifest_sha256)
    found = verify_folder(folder, given, inputs, allow_remote=allow_remote)
    if deep and not found.problems:
        from reportgen.governance.outputs import find_edited_files

        found = replace(found, problems=tuple(find_edited_files(folder, template_dir)))
    printed = print_result(found.as_json() if as_json else "\n".join(found.lines()))
    return 1 if found.problems else printed


@cli.command()
@click.argument(
    "configs", metavar="CONFIG...", type=click.Path(path_type=Path), nargs=-1, required=True
)
@_SET
@_PLUGINS
@_REMOTE
@click.option("--data", "with_data", is_flag=True, help="Also check files, columns and joins.")
def validate(
    configs: tuple[Path, ...],
    overrides: tuple[str, ...],
    allow_plugins: bool,
    allow_remote: bool,
    with_data: bool,
) -> int:
    """Check each CONFIG for errors; with --data, also its files, columns and joins.

    With --data, it prints warnings about the data with their codes. Warnings about scores and
    metrics come with the run.
    """
    process.check_resources(process.REPORTING_NEED if with_data else process.PRINTING_NEED)
    from reportgen.data.files.remote import permit_remote

    code = 0
    for config in configs:
        try:
            with permit_remote(allow_remote):
                own = _validate(config, overrides, allow_plugins, with_data)
            code = code or own
        except ReportgenError as error:
            click.echo(str(error), err=True)
            code = code or error.exit_code
    return code


def _validate(
    config: Path, overrides: tuple[str, ...], allow_plugins: bool, with_data: bool
) -> int:
    """Say what is wrong with a config or its data; 3 if the data support no judgement."""
    from reportgen.planning.loading import load_config

    with ExitStack() as stack:
        loaded = load_config(config, overrides, allow_plugins, stack)
        if with_data:
            from reportgen.cli.messages import iter_check_messages, iter_data_messages
            from reportgen.planning.input_checks import run_input_checks
            from reportgen.planning.requests import read_data
            from reportgen.planning.segments import check_segments

            data = read_data(loaded)
            check_segments(loaded, {each.info.name: each.info.segments for each in data})
            checks = run_input_checks(loaded.config, data)
            for line in (
                *iter_data_messages(data),
                *iter_check_messages(loaded.config, data, checks),
            ):
                print_line(f"{config}: {line}")
            if loaded.config.checks.on_stop == "error" and any(each.is_stop for each in checks):
                return 3
    print_line(f"{config}: {'config, files, columns and joins are ' * with_data}fine")
    return 0


@cli.command()
@click.argument("which", type=click.Choice(["config", "results"]), default="config")
def schema(which: str) -> int:
    """Print the JSON Schema of a config (or of results.json), for editors."""
    process.check_resources(process.PRINTING_NEED)
    if which == "results":
        import json

        from reportgen.report.archive import build_results_schema

        return print_result(json.dumps(build_results_schema(), indent=2, ensure_ascii=False))
    from reportgen.planning.loading import dump_config_schema

    return print_result(dump_config_schema())


@cli.command()
@click.argument("scores", type=click.Path(path_type=Path))
@click.option("--target", help="The column to predict.")
@click.option("--models", multiple=True, metavar="a,b,c", help="The columns with the scores.")
@click.option("--baseline", help="The model that the others are compared with.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default: print it.")
@click.option("--schema", is_flag=True, help="Also write the schema that editors read, beside it.")
def init(
    scores: Path,
    target: str | None,
    models: tuple[str, ...],
    baseline: str | None,
    out: Path | None,
    schema: bool,
) -> int:
    """Write a commented config from the columns of SCORES, and list what was guessed.

    SCORES may be TREC judgements (.qrels); --models then names the runs. It may also be a LETOR
    file; --models then names files with one score per line. SCORES may also be a log of an
    evaluation, or a folder of them: of Inspect, lm-evaluation-harness, promptfoo, DeepEval, HELM
    or OpenAI evals.
    """
    process.check_resources(process.REPORTING_NEED)
    from reportgen.cli.init.draft import check_draft, draft_config, write_draft
    from reportgen.cli.init.guess_columns import UserChoices

    columns = tuple(name.strip() for listed in models for name in listed.split(","))
    named = UserChoices(target, columns, baseline)
    if schema and out is None:
        raise UsageError("--schema is written beside the config; name that with --out")
    text, said = draft_config(scores, named, out)
    stops = check_draft(scores, named)
    if out is None:
        print_error("\n".join(stops) or "check the lines with ←, then run it")
        return print_result(text)
    print_error("\n".join((*said, *stops)))
    for made in write_draft(text, out, has_schema=schema):
        print_line(str(made))
    return 0


@cli.command("list")
@click.argument("kind", required=False)
@_OF
@_PLUGINS
def list_(kind: str | None, of: Path | None, allow_plugins: bool) -> int:
    """List the names of a KIND, such as metrics; without KIND, list the kinds."""
    process.check_resources(process.PRINTING_NEED)
    if kind is None:
        return print_result(align_rows(KIND_TEXTS.items()))
    from reportgen.cli.explain import format_entry_list

    with ExitStack() as stack:
        _load_plugins(of, allow_plugins, stack)
        return print_result(format_entry_list(kind))


@cli.command()
@click.argument("name")
@_OF
@_PLUGINS
def explain(name: str, of: Path | None, allow_plugins: bool) -> int:
    """Explain NAME: a metric, a warning, a rule, a test, an exit code and so on.

    `explain which` helps you choose a metric by the question that it answers.
    """
    process.check_resources(process.PRINTING_NEED)
    from reportgen.cli.explain import explain_name

    with ExitStack() as stack:
        _load_plugins(of, allow_plugins, stack)
        return print_result(explain_name(name))


@cli.command()
@click.argument("key", default="")
@_TEMPLATES
def words(key: str, template_dir: Path | None) -> int:
    """Print all messages of reports, or those whose key begins with KEY.

    To change some, save them as DIR/prose/ours.md, edit them, and run with --template-dir DIR.
    """
    process.check_resources(process.PRINTING_NEED)
    from reportgen.report.prose import load_messages
    from reportgen.report.prose.replacing import format_messages

    return print_result(format_messages(load_messages(template_dir), key))


@cli.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "as_",
    type=click.Choice(["text", "markdown", "json", "html"]),
    default="text",
    help="Output format; default: text.",
)
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default: print it.")
@click.option(
    "--model", "models", multiple=True, metavar="NEW=OLD", help="The name in OLD of a model in NEW."
)
@click.option("--fail-on", type=click.Choice(["worse"]), help="Exit with 1 if a value got worse.")
@click.option("--no-cache", is_flag=True, help="Ignore the resamples of earlier runs.")
def diff(
    old: Path,
    new: Path,
    as_: str,
    out: Path | None,
    models: tuple[str, ...],
    fail_on: str | None,
    no_cache: bool,
) -> int:
    """Compare two reports (folders or results.json): list what changed from OLD to NEW."""
    named = _parse_model_names(models)
    process.check_resources(process.REPORTING_NEED)
    from reportgen.cli.messages import render_changes
    from reportgen.governance.history import is_successor
    from reportgen.governance.run_diff import compare_runs, load_run
    from reportgen.governance.study import Options
    from reportgen.report.archive import explain_unreadable

    before, now = load_run(old), load_run(new)
    for place, run in ((old, before), (new, now)):
        for note in run.notes:
            print_error(f"{place}: {note}")
    for names, run in ((list(named), now), (list(named.values()), before)):
        _refuse_unknown(names, [model.name for model in run.results.models], run is now)
    if not is_successor(before, now.results):
        print_error(f"{new}: the last run of its history is not {old}")
    with explain_unreadable(f"{old} or {new}"):
        changes = compare_runs(before, now, named, Options(use_cache=not no_cache).open_cache())
        text = render_changes(changes, now.results, as_)
    code = _print_or_write(text, out)
    is_worse = any(move.word == "worsened" for move in changes.moves)
    return 1 if fail_on and is_worse else code


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Also write an HTML page.")
def trend(folder: Path, out: Path | None) -> int:
    """Show the primary metric over the reports in FOLDER and their histories."""
    process.check_resources(process.REPORTING_NEED)
    from reportgen.governance.history import collect_runs, iter_trend_lines, render_trend_page
    from reportgen.report.archive import explain_unreadable

    with explain_unreadable(folder):
        found = collect_runs(folder)
        lines = "\n".join(iter_trend_lines(found))
        page = "" if out is None else render_trend_page(found)
    for note in found.notes:
        print_error(f"{folder}: {note}")
    code = print_result(lines)
    return code if out is None else _print_or_write(page, out)


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--set", "overrides", multiple=True, metavar="a.b=c", help="Override one value.")
@click.option("--allow-plugins", is_flag=True, help="Run the plug-ins that the config names.")
@click.option("--scores", "with_scores", is_flag=True, help="Include digests of the score files.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default: print it.")
def freeze(
    config: Path,
    overrides: tuple[str, ...],
    allow_plugins: bool,
    with_scores: bool,
    out: Path | None,
) -> int:
    """Lock the decision rule of CONFIG before anyone sees the data, with digest and time."""
    process.check_resources(process.PRINTING_NEED)
    from reportgen.governance.freeze import freeze_rule
    from reportgen.planning.loading import load_config

    with ExitStack() as stack:
        loaded = load_config(config, overrides, allow_plugins, stack)
        return _print_or_write(
            freeze_rule(loaded, with_scores=with_scores).decode().rstrip("\n"), out
        )


@cli.command("log-mlflow")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--run-id", help="The run to add to; default: a new one.")
def log_mlflow(folder: Path, run_id: str | None) -> int:
    """Log the report in FOLDER as an MLflow run; MLflow must be installed."""
    process.check_resources(process.PRINTING_NEED)
    from reportgen.governance.mlflow_export import log_report

    print_line(f"MLflow run {log_report(folder, run_id)}")
    return 0


def _parse_model_names(models: tuple[str, ...]) -> dict[str, str]:
    """Models of now with what they were called, as `NEW=OLD` says."""
    found = {}
    for text in models:
        new, is_given, old = text.partition("=")
        if not (is_given and new.strip() and old.strip()):
            raise UsageError(f"--model needs NEW=OLD, and has {text!r}")
        found[new.strip()] = old.strip()
    return found


def _refuse_unknown(names: Sequence[str], known: Sequence[str], is_new: bool) -> None:
    """Stop at a model of `--model` that its report does not have."""
    for each in names:
        if each not in known:
            side, near = ("NEW", "new") if is_new else ("OLD", "old")
            raise UsageError(
                f"--model needs NEW=OLD, and the {near} report has no model {each!r} for {side}; "
                f"it has {', '.join(map(repr, known))}"
            )


def _print_or_write(text: str, out: Path | None) -> int:
    """Print a text, or write it into a file; the exit code."""
    if out is None:
        return print_result(text)
    from reportgen.report.publish import replace_file

    replace_file(out, (text + "\n" * (text[-1:] != "\n")).encode())
    print_line(str(out))
    return 0


def _load_plugins(of: Path | None, allow_plugins: bool, stack: ExitStack) -> None:
    """Until the stack ends, what the plug-ins of a config bring is known."""
    if of is not None:
        from reportgen.planning.loading import load_config_plugins

        load_config_plugins(of, (), allow_plugins, stack)


def print_result(text: str) -> int:
    """Print what a command is asked for; the exit code: 4 where it could not be printed."""
    click.echo(text, nl=not text.endswith("\n"))
    return 4 if process.get_stream_failure() else 0


def print_line(text: str) -> None:
    """One line on standard output, whatever names and values are in it."""
    click.echo(format_line(text))


def print_error(text: str) -> None:
    """Lines on standard error, whatever names and values are in them."""
    for each in text.rstrip("\n").split("\n"):
        click.echo(format_line(each), err=True)


def main() -> NoReturn:
    """Run the command line and exit with a code that says what happened."""
    code = 0
    try:
        signals.install_handlers()
        process.secure_streams()
        process.prepare_libraries()
        # Most of what is made lives to the end, so looking for rubbish often is mostly in vain.
        gc.set_threshold(100_000, 50, 50)
        code = _exit_code()
        signals.stop_raising()
    except (KeyboardInterrupt, signals.Terminated):
        signals.stop_raising()
    _exit_process(code)


def _exit_process(code: int) -> NoReturn:
    """End with all that was written, but without tearing down the libraries.

    Arrow's threads can outlive their work and then abort an orderly end now and then
    (https://github.com/apache/arrow/issues/34314): the exit code would be theirs.
    """
    failure = process.get_stream_failure()
    if failure is not None:
        click.echo(f"standard output: could not be written: {failure.strerror}", err=True)
    asked = signals.first_signal()
    if asked is not None and code != 128 + asked:  # it came too late to stop anything, or was lost
        code = _report_stop(asked)
    process.flush_stream(sys.stderr)
    process.remove_figure_folder()
    os._exit(code)


def _exit_code() -> int:
    """Return the exit code of the command, which a signal ends whatever it is doing."""
    try:
        return _run_cli()
    except (KeyboardInterrupt, click.Abort):
        return _report_stop(signal.SIGINT)
    except signals.Terminated:
        return _report_stop(signal.SIGTERM)


def _run_cli() -> int:
    try:
        require_docstrings()
        return int(cli.main(standalone_mode=False) or 0)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        print_error(shown.getvalue())
        return 2
    except ReportgenError as error:
        click.echo(str(error), err=True)  # its lines are safe by themselves
        return error.exit_code
    except Exception as error:
        if isinstance(error, click.Abort):
            if not isinstance(error.__cause__, EOFError):  # which click takes for an interrupt
                raise
            error = error.__cause__
        asked = signals.first_signal()
        if asked is not None:  # a library made another error of it
            return _report_stop(asked)
        short = process.explain_shortage(_unwrap_error(error))
        if short is not None:
            from reportgen.report.publish import describe_folder_state

            print_error(f"{short}; {describe_folder_state()}")
            return 4
        print_error(error.args[0] if isinstance(error, InternalError) else traceback.format_exc())
        click.echo("This is a bug in reportgen, not in your config or data.", err=True)
        return 101


def _unwrap_error(error: Exception) -> BaseException:
    """Return the original error where secrets or values had to be removed from its text."""
    hidden = error.__context__ if isinstance(error, InternalError) else None
    return _unwrap_error(hidden) if isinstance(hidden, Exception) else error


def _report_stop(number: int) -> int:
    """Say that a signal ended the run, and what is true of the report; the exit code."""
    from reportgen.report.publish import describe_folder_state

    word = "interrupted" if number == signal.SIGINT else "terminated"
    stage = get_current_stage()
    print_error(f"{word}{' while ' * bool(stage)}{stage}; {describe_folder_state()}")
    return 128 + number


def _report_outcome(outcome: Any, folder: Path) -> int:
    """Say where the report is and what it says; the exit code that follows."""
    from reportgen.cli.messages import iter_closing_messages, iter_result_messages

    for text in iter_result_messages(outcome, folder):
        print_line(text)
    for failure in (*outcome.notes, *outcome.failures):
        print_error(failure)
    for text in iter_closing_messages(outcome, folder):
        print_line(text)
    if outcome.results.is_stopped and outcome.results.report.on_stop == "error":
        return 3
    if outcome.results.is_failed:
        return 1
    return 4 if outcome.failures else 0
