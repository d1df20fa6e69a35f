"""Runs of streamed rows that are killed by SIGKILL at 20 moments, then run again to the same bytes.

    python benchmarks/scale_kills.py [millions of rows]

Prints when each run was killed, from which row the next one went on, and whether its results are
those of a run that nobody killed. Exits with 1 where they are not.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scale import CONFIG, write

MOMENTS = 20


def started(folder: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "reportgen", "run", "config.yaml", "--out", "out"]
    environ = {**os.environ, "XDG_CACHE_HOME": str(folder / "kept")}
    return subprocess.Popen([*command, "--threads", "2", *more], cwd=folder, env=environ, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip


def told(folder: Path) -> bytes:
    results = json.loads((folder / "out" / "results.json").read_text())
    shutil.rmtree(folder / "out")
    return json.dumps({**results, "provenance": None}, sort_keys=True).encode()


def main() -> None:
    draw, is_same = np.random.default_rng(4), True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "rows.parquet", round(float((sys.argv[1:] or ["2"])[0]) * 1e6))
        (folder / "config.yaml").write_text(json.dumps({**CONFIG, "outputs": ["json"]}))
        begun = time.monotonic()
        assert started(folder, "--no-cache").wait() == 0
        took, whole = time.monotonic() - begun, told(folder)
        print(f"a run that nobody kills takes {took:.1f} s")
        for _ in range(MOMENTS):
            shutil.rmtree(folder / "kept", ignore_errors=True)
            run, after = started(folder), float(draw.uniform(0.05, 1) * took)
            time.sleep(after)
            run.send_signal(signal.SIGKILL)
            was_killed = run.wait() == -signal.SIGKILL
            again = started(folder)
            said = re.findall(r"^reportgen: (.* from row .*) on$", again.communicate()[1], re.M)
            same = again.returncode == 0 and told(folder) == whole
            is_same &= same
            where = said[-1] if said else "the first row"
            print(f"killed after {after:5.2f} s{'' if was_killed else ' (it had ended)'}: "
                  f"goes on with {where}; {'same bytes' if same else 'OTHER BYTES'}",
                  flush=True)  # fmt: skip
    sys.exit(not is_same)


if __name__ == "__main__":
    main()
