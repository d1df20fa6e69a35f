"""Whether a report's page keeps the rules of accessibility that a program can check.

    npm install axe-core            # in any folder
    python benchmarks/accessible.py REPORT.html node_modules/axe-core/axe.min.js

Opens the page in a headless Chromium with axe-core in it, once as it is and once with every fold
open, at two widths, and prints the rules that it breaks, a line each; ends with 1 if there is one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

WIDTHS = (1400, 500)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
RUN = """
axe.run(document, {resultTypes: ["violations"]}).then(found => {
  const told = found.violations.map(v => [v.id, v.impact, v.help, v.nodes.length,
                                          v.nodes[0].html.slice(0, 120)]);
  document.body.innerHTML = "";
  document.body.dataset.told = JSON.stringify(told);
});
"""
OPEN = "document.querySelectorAll('details').forEach(each => each.open = true);"
BROWSER = (
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=60000",
    "--dump-dom",
)


def broken(page: str, axe: str, width: int, *, is_open: bool) -> list[list[object]]:
    """The rules that a page breaks: name, weight, what to do, how often, the first place."""
    scripts = f"<script>{axe}</script><script>{OPEN if is_open else ''}{RUN}</script>"
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "page.html")
        probe.write_text(POLICY.sub("", page).replace("</body>", f"{scripts}</body>"), "utf-8")
        made = subprocess.run(
            [
                *BROWSER,
                f"--window-size={width},900",
                f"--user-data-dir={folder}/profile",
                probe.as_uri(),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    told = re.search(r'data-told="([^"]*)"', made.stdout)
    if told is None:
        raise SystemExit("axe-core told nothing")
    found: list[list[object]] = json.loads(unescape(told.group(1)))
    return found


def main(report: str, axe: str) -> int:
    """Print what is broken; 1 if anything is."""
    page, script = Path(report).read_text("utf-8"), Path(axe).read_text("utf-8")
    count = 0
    for width in WIDTHS:
        for is_open in (False, True):
            found = broken(page, script, width, is_open=is_open)
            count += len(found)
            print(f"{width} px, {'open' if is_open else 'as it is'}: {len(found)} broken")
            for rule in found:
                print("   ", *rule)
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
