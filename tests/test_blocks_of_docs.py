"""Every block of the documentation runs as it is printed, in a copy of the repository's configs.

Comments before a block say how: `<!-- skip: why -->`, `<!-- cwd: folder -->`,
`<!-- expect-exit: code -->`, and `<!-- first: command -->` for what a reader did before.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from click.testing import CliRunner

from reportgen.cli.commands import cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
FENCE = re.compile(
    r"(?P<marks>(?:^<!-- [\w-]+: .*? -->\n)*)^```(?P<language>[^\n]*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"<!-- ([\w-]+): (.*?) -->", re.DOTALL)
MARKS = {"skip", "cwd", "expect-exit", "first"}
LANGUAGES = {"sh", "python", "yaml", "yml", "text", "html", "markdown", "{toctree}"}
GIVEN = """
import numpy as np, pandas as pd, reportgen
from sklearn.ensemble import GradientBoostingRegressor as Boost
from sklearn.linear_model import Ridge

draw = np.random.default_rng(1)
past, X = draw.normal(size=(300, 3)), draw.normal(size=(300, 3))
past_y, y = (each @ [1.0, 2.0, 3.0] + draw.normal(size=300) for each in (past, X))
ridge, boost = Ridge().fit(past, past_y), Boost(n_estimators=20).fit(past, past_y)
p1, p2 = ridge.predict(X), boost.predict(X)
fold, frame = np.arange(300) % 5, pd.DataFrame({"region": draw.choice(["north", "south"], 300)})
"""
"""What a reader of a page on notebooks has already."""


class Block(NamedTuple):
    """A block of a page, the marks before it, and its line."""

    page: Path
    line: int
    language: str
    body: str
    marks: dict[str, str]


def list_blocks(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            text[: found.start("language")].count("\n") + 1,
            found["language"],
            found["body"],
            dict(MARK.findall(found["marks"])),
        )
        for found in FENCE.finditer(text)
    ]


BLOCKS = [block for page in PAGES for block in list_blocks(page)]


def list_runnable(page):
    """List the blocks of a page that run, in their order."""
    found = [b for b in BLOCKS if b.page == page and b.language in ("sh", "python")]
    return [block for block in found if "skip" not in block.marks]


@pytest.mark.guard
def test_every_block_has_a_language_and_every_mark_is_known():
    for block in BLOCKS:
        place = f"{block.page.name}:{block.line}"
        assert block.language in LANGUAGES, place
        assert set(block.marks) <= MARKS, place
        assert block.language != "yml" or yaml.safe_load(block.body), place
    assert sum("skip" in block.marks for block in BLOCKS) <= 12


@pytest.mark.parametrize(
    "block",
    [block for block in BLOCKS if block.language == "yaml"],
    ids=lambda block: f"{block.page.stem}-{block.line}",
)
def test_every_config_is_one(block, tmp_path):
    """A block that begins `# part` is put on top of the wallet; a `# name.py` block lies beside."""
    for other in BLOCKS:
        if other.page == block.page and (named := re.match(r"# (\w+\.py)\n", other.body)):
            (tmp_path / named[1]).write_text(other.body, encoding="utf-8")
    is_part = block.body.startswith("# part")
    base = f"extends: {ROOT / 'configs' / 'wallet.yaml'}\n" if is_part else ""
    config = tmp_path / "config.yaml"
    config.write_text(base + block.body, encoding="utf-8")
    found = CliRunner().invoke(cli, ["validate", str(config)])
    assert found.exit_code == 0, found.output


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """Copy the configs, with fewer resamples, and what the start page's first block writes."""
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "configs", folder / "configs")
    for config in (folder / "configs").rglob("*.yaml"):
        text = config.read_text(encoding="utf-8")
        config.write_text(re.sub(r"replicates: \d+", "replicates: 99", text), encoding="utf-8")
    [made, *_] = [b for b in list_blocks(DOCS / "start.md") if b.language == "python"]
    subprocess.run([sys.executable, "-c", made.body], cwd=folder, check=True)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    commit = ("git", *author, "commit", "-q", "--allow-empty", "-m", "Begin")
    subprocess.run(commit, cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("page", [p for p in PAGES if list_runnable(p)], ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_in_their_order(page, repository, tmp_path):
    scratch = tmp_path / "scratch"
    shutil.copytree(repository, scratch)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    path = os.pathsep.join((str(scratch), str(ROOT)))
    env = {**os.environ, "PATH": programs, "PYTHONPATH": path, "MPLBACKEND": "agg"}
    for block in list_runnable(page):
        if block.language == "sh":
            commands = f"{block.marks.get('first', '')}\n{block.body}"
            command = ["bash", "-euo", "pipefail", "-c", commands]
        elif named := re.match(r"# (\w+\.py)\n", block.body):
            (scratch / named[1]).write_text(block.body, encoding="utf-8")
            command = [sys.executable, named[1]]
        else:
            given = "" if page.stem == "start" else GIVEN
            command = [sys.executable, "-c", given + block.body]
        where = scratch / block.marks.get("cwd", ".")
        found = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True)
        expected = int(block.marks.get("expect-exit", 0))
        assert found.returncode == expected, f"{page.name}:{block.line}\n{found.stderr}"
        assert "Traceback" not in found.stderr
