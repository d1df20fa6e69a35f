"""A small wallet: 120 of the real customers, a config of every kind of key, and the program."""

import copy
import csv
import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import yaml

from reportgen.cli import commands

ROOT = Path(__file__).parents[2]
CDNOW = ROOT / "configs" / "data" / "cdnow.csv"
EPOCH = "1700000000"
WALLET = yaml.safe_load(
    """
    version: 1
    report: {title: Wallet, length: full}
    datasets:
      holdout: {path: wallet.csv, id: customer_id, target: y_spend_hold, segments: [segment]}
    task: regression
    models:
      clv: {label: CLV, column: score_clv_bgnbd_gg, role: baseline}
      boosted: {label: Boosted, column: score_gbm_time}
      rfm: {label: RFM, column: score_rfm, scale: rank}
    metrics: [kendall, mae]
    primary: {metric: kendall, margin: 0.01}
    bootstrap: {replicates: 99, seed: 1}
    gates:
      - {name: order, rule: non_inferior, metric: kendall, model: boosted, margin: 0.5}
      - {name: error, rule: below, metric: mae, model: boosted, value: 400}
    curves: []
    outputs: [json]
    """
)


TINY = {"allow": {"too_few": "a small case of a test"}}
"""A key of a config whose few rows would stop it."""


@cache
def read_customers() -> list[dict[str, str]]:
    """Read all rows of the real data, once a process."""
    with CDNOW.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def customers(count: int = 120) -> list[dict[str, str]]:
    """Every so many rows of the real data, from the first to the last."""
    rows = read_customers()
    return [dict(row) for row in rows[:: len(rows) // count][:count]]


def put(folder: Path, rows: list[dict[str, str]] | None = None, **changes: object) -> Path:
    """Write the data and the config, with some of its top keys changed, into a folder."""
    write_rows(folder / "wallet.csv", customers() if rows is None else rows)
    return put_config(folder, **changes)


def put_config(folder: Path, **changes: object) -> Path:
    """Write the config alone; a key that is changed to None is left out."""
    config = {**copy.deepcopy(WALLET), **changes}
    written = {key: value for key, value in config.items() if value is not None}
    path = folder / "wallet.yaml"
    path.write_text(yaml.safe_dump(written, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write rows as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def dataset(**changes: object) -> dict[str, object]:
    """The config's datasets, with keys of the one in it added, changed, or (None) left out."""
    one = {**WALLET["datasets"]["holdout"], **changes}
    return {"holdout": {key: value for key, value in one.items() if value is not None}}


def call(*words: object) -> int:
    """The exit code of a command, run in this process."""
    before, sys.argv = sys.argv, ["reportgen", *map(str, words)]
    try:
        return commands._exit_code()
    finally:
        sys.argv = before


def shell(*words: object, cwd: Path | None = None, **environ: str) -> tuple[int, str, str]:
    """A command's exit code and what it said on standard output and on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", *map(str, words)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def heard(*words: object, cwd: Path) -> tuple[int, str, str]:
    """The same of a command run in this process: quicker where streams are not the matter."""
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error), chdir(cwd):
        code = call(*words)
    return code, out.getvalue(), error.getvalue()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def results(folder: Path) -> dict[str, list[dict[str, object]]]:
    """What results.json holds."""
    found: dict[str, list[dict[str, object]]] = json.loads((folder / "results.json").read_bytes())
    return found
