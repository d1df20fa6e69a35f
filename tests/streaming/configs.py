"""Configs of rows that are streamed, and what comes of them."""

from pathlib import Path

from reportgen.governance.study import Options
from reportgen.pipeline import finish_run
from reportgen.progress import SilentProgress


def written(folder, config, engine, more, *changes):
    """The config with its engine and more of its dataset; each change must change something."""
    text = config.replace("ENGINE", engine).replace("MORE", more)
    for was, now in changes:
        assert was in text
        text = text.replace(was, now)
    path = Path(folder) / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def results_of(path, threads=1):
    """The results of a config, without a cache."""
    options = Options(threads=threads, use_cache=False, allow_remote=True)
    return finish_run(path, options, SilentProgress()).results
