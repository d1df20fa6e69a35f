"""Every output is the same bytes in another process with another hash seed."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import hashlib, sample_document
from reportgen.report.render import html, junit, markdown, pdf
from reportgen.terms import FILES
for renderer in (html, pdf, markdown, junit):
    content = renderer.render(sample_document.sample(), sample_document.results())
    print(FILES[renderer.__name__.rpartition(".")[2]], hashlib.sha256(content).hexdigest())
"""


@pytest.mark.full
def test_another_process_and_hash_seed_give_the_same_bytes(page, paper, pull_request, tmp_path):
    here = Path(__file__).parent
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "12345",
        "PYTHONPATH": f"{here}{os.pathsep}{here.parents[2]}",
    }
    lines = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    there = dict(zip(lines[::2], lines[1::2], strict=True))
    for name, content in (
        ("report.html", page.encode()),
        ("report.pdf", paper),
        ("report.md", pull_request.encode()),
    ):
        assert there[name] == hashlib.sha256(content).hexdigest(), name
    assert "junit.xml" in there
