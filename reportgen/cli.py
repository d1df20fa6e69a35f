"""The command line: commands and exit codes (see `errors.EXIT_CODES`), nothing else.

Heavy libraries are imported where they are used.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import traceback
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from reportgen import comparing, processors, shortage, signals, streams
from reportgen.cache_commands import cache
from reportgen.errors import Bug, ReportgenError, require_docstrings
from reportgen.saying import complain as _complain
from reportgen.saying import printed as _printed
from reportgen.saying import say as _say
from reportgen.version import __version__

_CONFIG = click.argument("config", type=click.Path(path_type=Path))
_SET = click.option(
    "--set", "overrides", multiple=True, metavar="a.b=c", help="Override one value of the config."
)
_PLUGINS = click.option(
    "--allow-plugins", is_flag=True, help="Run the Python files that the config names as plugins."
)

_TEMPLATES = click.option(
    "--template-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Templates of your own.",
)


_OF = click.option(
    "--config",
    "of",
    type=click.Path(path_type=Path),
    help="Also what the plug-ins of this config bring.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="reportgen")
def cli() -> None:
    """One YAML file in, a decided model comparison out."""


cli.add_command(comparing.diff)
cli.add_command(comparing.freeze)
cli.add_command(comparing.trend)
cli.add_command(comparing.log_mlflow)
cli.add_command(cache)


@cli.command()
@_CONFIG
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the report.")
@_SET
@click.option("--threads", type=click.IntRange(min=1), help="Threads; results do not depend on it.")
@_TEMPLATES
@_PLUGINS
@click.option("--no-cache", is_flag=True, help="Draw every resample anew.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--final", "is_final", is_flag=True, help="End with an error unless it is FINAL.")
@click.option("--allow-no-git", is_flag=True, help="Let it be FINAL in no git repository.")
@click.option("--ci", type=click.Choice(["github"]), help="Also tell the build that runs this.")
def run(
    config: Path,
    out: Path | None,
    overrides: tuple[str, ...],
    threads: int | None,
    template_dir: Path | None,
    allow_plugins: bool,
    no_cache: bool,
    quiet: bool,
    is_final: bool,
    allow_no_git: bool,
    ci: str | None,
) -> int:
    """Make the report that CONFIG describes.

    Writes into reports/NAME, or --out. Ends with 1 if a gate failed.
    """
    threads = threads or processors.available()
    shortage.require(shortage.REPORTING, threads)
    from reportgen import output
    from reportgen.pipeline import Options, outcome_of
    from reportgen.progress import progress

    folder = out or Path("reports", config.stem)
    output.check(folder)
    options = Options(
        overrides=overrides,
        threads=threads,
        template_dir=template_dir,
        allow_plugins=allow_plugins,
        use_cache=not no_cache,
        folder=folder,
        is_final=is_final,
        without_git=allow_no_git,
    )
    with progress(quiet) as shown:
        outcome = outcome_of(config, options, shown)
        shown.stage("writing the report")
        output.write(outcome.files, folder)
    if ci is not None:
        from reportgen.github import tell

        for told in tell(outcome, os.environ):
            click.echo(told)
    code = _tell(outcome, folder)
    return 1 if is_final and outcome.results.report.lacking else code


@cli.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder; default: beside RESULTS.")
@_TEMPLATES
def render(results: Path, out: Path | None, template_dir: Path | None) -> int:
    """Make every other output from a results.json, without the data."""
    shortage.require(shortage.REPORTING)
    from reportgen import output
    from reportgen.pipeline import outcome_from_results

    folder = out or results.parent
    output.check(folder)
    outcome = outcome_from_results(results, template_dir)
    output.write(outcome.files, folder)
    return _tell(outcome, folder)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--manifest-sha256", metavar="H", help="The number that run printed.")
@click.option("--deep", is_flag=True, help="Also make the pages again from results.json.")
@_TEMPLATES
@click.option("--inputs", metavar="ROOT", type=click.Path(path_type=Path), help="Also the data.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def verify(
    folder: Path,
    manifest_sha256: str | None,
    deep: bool,
    template_dir: Path | None,
    inputs: Path | None,
    as_json: bool,
) -> int:
    """Check that the files of a report in FOLDER are those that its manifest names."""
    shortage.require(shortage.REPORTING if deep else shortage.PRINTING)
    from reportgen.verification import checked_digest, verified

    given = None if manifest_sha256 is None else checked_digest(manifest_sha256)
    found = verified(folder, given, inputs)
    if deep and not found.problems:
        from reportgen.rerendering import edited

        found = replace(found, problems=tuple(edited(folder, template_dir)))
    printed = _printed(found.as_json() if as_json else "\n".join(found.lines()))
    return 1 if found.problems else printed


@cli.command()
@click.argument(
    "configs", metavar="CONFIG...", type=click.Path(path_type=Path), nargs=-1, required=True
)
@_SET
@_PLUGINS
@click.option("--data", "with_data", is_flag=True, help="Also check files, columns and joins.")
def validate(
    configs: tuple[Path, ...], overrides: tuple[str, ...], allow_plugins: bool, with_data: bool
) -> int:
    """Check the language of each CONFIG; with --data also its files, columns and joins.

    What the report will warn of in the data themselves is told with its code.
    """
    shortage.require(shortage.REPORTING if with_data else shortage.PRINTING)
    code = 0
    for config in configs:
        try:
            _validate(config, overrides, allow_plugins, with_data)
        except ReportgenError as error:
            click.echo(str(error), err=True)
            code = code or error.exit_code
    return code


def _validate(
    config: Path, overrides: tuple[str, ...], allow_plugins: bool, with_data: bool
) -> None:
    from reportgen.reading import read

    with ExitStack() as stack:
        loaded = read(config, overrides, allow_plugins, stack)
        if with_data:
            from reportgen.plan import read_data
            from reportgen.slices import check_segments
            from reportgen.telling import of_data

            check_segments(loaded, data := read_data(loaded))
            for line in of_data(data):
                _say(f"{config}: {line}")
    _say(f"{config}: fine")


@cli.command()
@click.argument("which", type=click.Choice(["config", "results"]), default="config")
def schema(which: str) -> int:
    """Print the JSON Schema of a config (or of results.json), for editors."""
    shortage.require(shortage.PRINTING)
    if which == "results":
        import json

        from reportgen.archive import json_schema

        return _printed(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    from reportgen.catalogue import config_schema

    return _printed(config_schema())


@cli.command()
@click.argument("scores", type=click.Path(path_type=Path))
@click.option("--target", help="The column that says what happened.")
@click.option("--models", multiple=True, metavar="a,b,c", help="The columns with the scores.")
@click.option("--baseline", help="The model that the others are compared with.")
@click.option("--out", type=click.Path(path_type=Path), help="The file to write; default: print.")
def init(
    scores: Path,
    target: str | None,
    models: tuple[str, ...],
    baseline: str | None,
    out: Path | None,
) -> int:
    """Write a commented config from the columns of SCORES, and say what was guessed.

    SCORES may be judgements as TREC writes them (.qrels), --models then names the runs; or LETOR,
    --models then names files with a score a line.
    """
    shortage.require(shortage.REPORTING)
    from reportgen.config import Named
    from reportgen.drafting import drafted, put

    columns = tuple(name.strip() for listed in models for name in listed.split(","))
    text, said = drafted(scores, Named(target, columns, baseline), out)
    _complain("\n".join(said))
    if out is None:
        return _printed(text)
    for made in put(text, out):
        _say(str(made))
    return 0


@cli.command("list")
@click.argument("kind", required=False)
@_OF
@_PLUGINS
def list_(kind: str | None, of: Path | None, allow_plugins: bool) -> int:
    """List what has a name, such as metrics; without KIND, the kinds."""
    shortage.require(shortage.PRINTING)
    from reportgen.reference import listed

    with ExitStack() as stack:
        _bring(of, allow_plugins, stack)
        return _printed(listed(kind))


@cli.command()
@click.argument("name")
@_OF
@_PLUGINS
def explain(name: str, of: Path | None, allow_plugins: bool) -> int:
    """Explain what is called NAME: a metric, a warning, a rule, a test, an exit code and so on.

    `explain which` helps to choose a metric: by the question that it answers.
    """
    shortage.require(shortage.PRINTING)
    from reportgen.reference import explained

    with ExitStack() as stack:
        _bring(of, allow_plugins, stack)
        return _printed(explained(name))


def _bring(of: Path | None, allow_plugins: bool, stack: ExitStack) -> None:
    """Until the stack ends, what the plug-ins of a config bring is known."""
    if of is not None:
        from reportgen.reading import open_plugins

        open_plugins(of, (), allow_plugins, stack)


def main() -> NoReturn:
    """The entry point: run the command, and turn whatever happens into an exit code."""
    code = 0
    try:
        signals.install()
        streams.secure()
        shortage.spare()
        # Most of what is made lives to the end, so looking for rubbish often is mostly in vain.
        gc.set_threshold(20_000, 20, 20)
        code = _exit_code()
        signals.note_only()
    except (KeyboardInterrupt, signals.Terminated):
        signals.note_only()
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End with all that was written, but without tearing down the libraries.

    Arrow's threads can outlive their work and then abort an orderly end now and then
    (https://github.com/apache/arrow/issues/34314): the exit code would be theirs.
    """
    failure = streams.lost()
    if failure is not None:
        click.echo(f"standard output: could not be written: {failure.strerror}", err=True)
    asked = signals.asked()
    if asked is not None and code != 128 + asked:  # it came too late to stop anything, or was lost
        code = _stopped(asked)
    streams.flushed(sys.stderr)
    os._exit(code)


def _exit_code() -> int:
    """The exit code of the command; whatever it is doing, a signal ends it as such."""
    try:
        return _outcome()
    except (KeyboardInterrupt, click.Abort):
        return _stopped(signal.SIGINT)
    except signals.Terminated:
        return _stopped(signal.SIGTERM)


def _outcome() -> int:
    try:
        require_docstrings()
        return int(cli.main(standalone_mode=False) or 0)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        _complain(shown.getvalue())
        return 2
    except ReportgenError as error:
        click.echo(str(error), err=True)  # its lines are safe by themselves
        return error.exit_code
    except click.Abort:
        raise
    except Exception as error:
        asked = signals.asked()
        if asked is not None:  # a library made another error of it
            return _stopped(asked)
        short = shortage.told(_raised(error))
        if short is not None:
            from reportgen.output import standing

            _complain(f"{short}; {standing()}")
            return 4
        _complain(error.args[0] if isinstance(error, Bug) else traceback.format_exc())
        click.echo("This is a bug in reportgen, not in your config or data.", err=True)
        return 101


def _raised(error: Exception) -> BaseException:
    """What was raised in the first place, where secrets had to be taken out of its text."""
    return error.__context__ or error if isinstance(error, Bug) else error


def _stopped(number: int) -> int:
    """Say that a signal ended the run, and what is true of the report; the exit code."""
    from reportgen.output import standing

    word = "interrupted" if number == signal.SIGINT else "terminated"
    _complain(f"{word}; {standing()}")
    return 128 + number


def _tell(outcome: Any, folder: Path) -> int:
    """Say where the report is and what it says; the exit code that follows."""
    from reportgen.telling import said_first, said_last

    for text in said_first(outcome, folder):
        _say(text)
    for failure in (*outcome.notes, *outcome.failures):
        _complain(failure)
    for text in said_last(outcome, folder):
        _say(text)
    if outcome.results.is_failed:
        return 1
    return 4 if outcome.failures else 0
