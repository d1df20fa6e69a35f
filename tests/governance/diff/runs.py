"""Small runs to hold against each other: real customers, another model, another rule."""

import copy
import json
from pathlib import Path
from typing import Any

from tests.end_to_end.wallet import WALLET, customers, heard, put

Row = dict[str, str]


def noisy(rows: list[Row], by: float = 1.3, column: str = "score_gbm_time") -> list[Row]:
    """The same customers with a score that was made worse, by a rule anybody can follow."""
    return [
        {**row, column: f"{float(row[column]) * (0.4 + by * ((7 * k) % 11) / 10):.4f}"}
        for k, row in enumerate(rows)
    ]


def run(folder: Path, name: str, rows: list[Row] | None = None, **changes: Any) -> Path:
    """A run in a folder of its own; the folder of its report."""
    here = folder / name
    here.mkdir()
    changes = {"curves": [], "bootstrap": {"replicates": 199, "seed": 1}, **changes}
    put(here, customers(400) if rows is None else rows, **changes)
    code, _, err = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=here)
    assert code in (0, 1), err
    return here / "out"


def gate(**changes: Any) -> list[dict[str, Any]]:
    """The gates of the wallet, the first one with changes."""
    first, *others = copy.deepcopy(WALLET["gates"])
    return [{**first, **changes}, *others]


def diff(old: Path, new: Path, *words: str) -> dict[str, Any]:
    """What `reportgen diff` says, as JSON."""
    code, said, err = heard("diff", old, new, "--format", "json", *words, cwd=old)
    assert code == 0, err
    found: dict[str, Any] = json.loads(said)
    return found


def cause(told: dict[str, Any], name: str) -> bool | None:
    """Whether a cause changed."""
    [found] = [each for each in told["causes"] if each["name"] == name]
    changed: bool | None = found["is_changed"]
    return changed


def move(told: dict[str, Any], key: str, model: str, against: str | None = None) -> dict[str, Any]:
    """One move."""
    wanted = (key, model, against)
    [found] = [m for m in told["moves"] if (m["key"], m["model"], m["against"]) == wanted]
    return dict(found)
