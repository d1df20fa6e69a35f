"""The results of the worked configs as files, and the one command that makes them again.

    python -m tests.worked [NAME ...]

Each is what `reportgen run` writes for a config of `configs/`, with 199 resamples in place of the
config's own number: enough for every sentence, and seconds instead of minutes. A
new config asks for its file, a change of numbers for all of them.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.report.archive import load_results
from reportgen.results import Results

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "worked_results"
CONFIGS = sorted(path.stem for path in (ROOT / "configs").glob("*.yaml"))
RESAMPLES = 199


def text_of(name: str) -> bytes:
    """The bytes of a results.json as it was written."""
    return gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes())


def results_of(name: str) -> Results:
    """The results of a worked config, read as `reportgen render` reads them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        path.write_bytes(text_of(name))
        return load_results(path)


def make(name: str) -> None:
    """Run a worked config, and keep its results.json."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "reportgen", "run", f"configs/{name}.yaml", "--no-cache"]
        choices = ["outputs=[json]", f"bootstrap.replicates={RESAMPLES}"]
        command += ["--out", folder, *(part for each in choices for part in ("--set", each))]
        subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
        packed = gzip.compress((Path(folder) / "results.json").read_bytes(), mtime=0)
        (FOLDER / f"{name}.json.gz").write_bytes(packed)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in sys.argv[1:] or CONFIGS:
        make(each)
