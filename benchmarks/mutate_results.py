"""Damaged files through every command that reads one.

    python benchmarks/mutate_results.py --count 2000 --first 1

Each case damages one kind of file in one way, and hands it to a command in this process:

* results: a results.json of a worked config, to `render`, `diff`, `trend` or `verify`;
* frozen: a frozen rule, to `run`; in half of the cases with the digest of what it then holds;
* checkpoints: the state of a streamed run that was stopped, to the same run again;
* runs: the folder of an earlier run, its history or its manifest, to a new run and the commands.

A case must end with 0 to 4, and leave no part of a report behind. Prints how many cases each kind
of file, each damage and each command had, and how they ended.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parents[1]))

from reportgen.governance.digests import digest_map
from reportgen.governance.manifest import MANIFEST_SCHEMA, digest_bytes, format_checksums
from reportgen.inference.resampling.cache import CHECKSUM_LENGTH, HEAD_LINES
from reportgen.report.publish import files
from tests.end_to_end.wallet import call
from tests.worked import CONFIGS, text_of

Node = Any
Words = tuple[object, ...]
SHARES = {"results": 8, "frozen": 4, "checkpoints": 4, "runs": 4}
"""Of 20 cases."""


def choose_node(root: Node, draw: random.Random) -> tuple[Node, Any]:
    """Choose a container and a key of it: a part of the results first, then deeper or not."""
    node, key = root, draw.choice(list(root) if isinstance(root, dict) else range(len(root)))
    while isinstance(node[key], dict | list) and node[key] and draw.random() < 0.8:
        node = node[key]
        key = draw.choice(list(node) if isinstance(node, dict) else range(len(node)))
    return node, key


def nest(value: Node, depth: int) -> Node:
    """Nest a value in lists."""
    for _ in range(depth):
        value = [value]
    return value


def rename_key(node: Node, key: Any) -> None:
    if isinstance(node, dict):
        node[f"{key}_"] = node.pop(key)
    else:
        node.insert(key, {"_": node[key]})


def swap_neighbours(node: Node, key: Any) -> None:
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    other = keys[keys.index(key) - 1]
    node[key], node[other] = node[other], node[key]


def change_list(change: Callable[[list[Node]], list[Node]]) -> Callable[[Node, Any], None]:
    """Make a damage to a list; what is none becomes one."""

    def damage(node: Node, key: Any) -> None:
        value = node[key]
        node[key] = change(value if isinstance(value, list) else [value, value])

    return damage


def put(value: Node) -> Callable[[Node, Any], None]:
    """Make a damage that puts a value in place of another."""

    def damage(node: Node, key: Any) -> None:
        node[key] = value

    return damage


def delete(node: Node, key: Any) -> None:
    del node[key]


def negate(node: Node, key: Any) -> None:
    value = node[key]
    node[key] = -value if isinstance(value, int | float) else f"-{value}"


def as_text(node: Node, key: Any) -> None:
    node[key] = str(node[key])


def as_number(node: Node, key: Any) -> None:
    node[key] = len(str(node[key]))


def as_other_container(node: Node, key: Any) -> None:
    value = node[key]
    if isinstance(value, dict):
        node[key] = list(value.values())
    else:
        node[key] = {str(k): v for k, v in enumerate(value)} if isinstance(value, list) else {}


KINDS: dict[str, Callable[[Node, Any], None]] = {
    "delete": delete,
    "null": put(None),
    "empty list": put([]),
    "empty map": put({}),
    "empty text": put(""),
    "zero": put(0),
    "one": put(1),
    "minus one": put(-1),
    "a fraction": put(0.5),
    "huge": put(1e308),
    "infinity as 1e999": put("\0inf"),
    "NaN": put("\0nan"),
    "a long whole number": put(10**40),
    "true": put(True),
    "a word": put("other"),
    "a long text": put("x" * 20_000),
    "signs that command": put("\x1b[31m\u202e::error::##[group]"),
    "half a sign": put("\ud800"),
    "deep lists": put(nest(0, 800)),
    "negate": negate,
    "as text": as_text,
    "as a number": as_number,
    "as the other container": as_other_container,
    "rename a key": rename_key,
    "swap neighbours": swap_neighbours,
    "drop the last": change_list(lambda values: values[:-1]),
    "repeat the first": change_list(lambda values: [*values[:1], *values]),
    "reverse": change_list(lambda values: values[::-1]),
    "many": change_list(lambda values: values * 30),
}
BYTES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": lambda text, draw: text[: draw.randrange(len(text))],
    "one other byte": lambda text, draw: (
        text[: (at := draw.randrange(len(text)))] + bytes([draw.randrange(256)]) + text[at + 1 :]
    ),
    "no UTF-8": lambda text, draw: text.replace(b'"title": "', b'"title": "\xff', 1),
    "another version": lambda text, draw: text.replace(
        b'"schema_version": 3', b'"schema_version": ' + draw.choice([b"1", b"9", b"[2]", b"2.0"])
    ),
}
LIGHT = ["json", "html", "markdown", "junit", "tables", "curves", "queries"]


def damage_json(plain: Node, kind: str, draw: random.Random) -> bytes:
    """Damage what a JSON file holds in one way."""
    if kind in BYTES:
        return BYTES[kind](json.dumps(plain).encode(), draw)
    node, key = choose_node(plain, draw)
    KINDS[kind](node, key)
    return write_json(plain)


def write_json(plain: Node) -> bytes:
    """Write JSON, with infinite numbers and NaN, which JSON does not have."""
    made = json.dumps(plain)
    return made.replace('"\\u0000inf"', "1e999").replace('"\\u0000nan"', "NaN").encode()


def damage_results(kind: str, draw: random.Random, folder: Path) -> tuple[str, Words]:
    """Write the results of a worked config and damaged ones."""
    original = text_of(draw.choice(CONFIGS))
    plain = json.loads(original)
    plain["config"]["outputs"] = LIGHT
    for name, text in (("old", original), ("new", damage_json(plain, kind, draw))):
        (folder / name).mkdir()
        (folder / name / "results.json").write_bytes(text)
    if draw.random() < 0.5:
        seal(folder / "new")
    words = {
        "render": ("render", folder / "new" / "results.json", "--out", folder / "made"),
        "diff": ("diff", folder / "old", folder / "new"),
        "diff back": ("diff", folder / "new", folder / "old", "--format", "html"),
        "trend": ("trend", folder, "--out", folder / "trend.html"),
        "verify --deep": ("verify", folder / "new", "--deep"),
    }
    command = draw.choice(["render", *words])
    return command, words[command]


def seal(folder: Path) -> None:
    """Write a manifest and checksums that vouch for results.json, as an attacker might."""
    digest = digest_bytes((folder / "results.json").read_bytes())
    listed = {"outputs": [{"path": "results.json", "sha256": digest}], "inputs": []}
    manifest = write_json({"schema": MANIFEST_SCHEMA, **listed})
    (folder / "manifest.json").write_bytes(manifest)
    digests = {"results.json": digest, "manifest.json": digest_bytes(manifest)}
    (folder / "SHA256SUMS").write_bytes(format_checksums(digests))


SMALL = """
version: 1
report: {title: Small}
task: regression
datasets: {test: {path: rows.csv, id: id, target: y}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae]
primary: {metric: mae}
bootstrap: {replicates: 99, seed: 1}
gates: [{name: no loss, rule: not_worse_than_previous, metric: mae, model: new, margin: 1}]
sensitivity: none
curves: []
outputs: [json, markdown]
previous: {path: before}
"""
ROWS = "id,y,old,new\n" + "".join(
    f"{k},{k % 7},{k % 7 + k % 3},{k % 7 + k % 2}\n" for k in range(40)
)


def put_small(folder: Path, more: str = "") -> None:
    """Put a small config with its rows into a folder."""
    (folder / "rows.csv").write_text(ROWS)
    (folder / "small.yaml").write_text(SMALL + more)


@cache
def make_once(kind: str) -> Path:
    """Make the undamaged files of a kind, once per process."""
    folder = Path(mkdtemp())
    if kind == "checkpoints":
        put_streamed(folder)
        with patch.dict(os.environ, {"XDG_CACHE_HOME": str(folder / "kept")}):
            run_well("run", folder / "streamed.yaml", "--out", folder / "whole")
        return folder
    put_small(folder)
    run_well("freeze", folder / "small.yaml", "--scores", "--out", folder / "frozen.json")
    run_well("run", folder / "small.yaml", "--no-cache", "--out", folder / "first")
    shutil.copytree(folder / "first", folder / "before")  # so the next run has a history
    run_well("run", folder / "small.yaml", "--no-cache", "--out", folder / "before")
    return folder


def damage_frozen(kind: str, draw: random.Random, folder: Path) -> tuple[str, Words]:
    """Write a damaged frozen rule, in half of the cases with the digest of its new content."""
    put_small(folder, "frozen: frozen.json\n")
    plain = json.loads((make_once("runs") / "frozen.json").read_bytes())
    damaged = damage_json(plain, kind, draw)
    is_sealed = draw.random() < 0.5 and kind not in BYTES
    if is_sealed and isinstance(plain, dict):
        plain.pop("digest", None)
        try:
            damaged = write_json({**plain, "digest": digest_map(plain)})
        except (ValueError, RecursionError):  # what has no digest
            is_sealed = False
    (folder / "frozen.json").write_bytes(damaged)
    words = ("run", folder / "small.yaml", "--no-cache", "--out", folder / "made")
    return "run, sealed" if is_sealed else "run", words


STREAMED = """
version: 1
report: {title: Streamed}
task: binary
datasets: {test: {path: rows.parquet, id: id, target: y, cluster: shop, weight: w}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [roc_auc, brier, log_loss]
primary: {metric: brier}
bootstrap: {replicates: 99, weights: poisson}
compute: {engine: stream}
sensitivity: none
curves: []
outputs: [json]
"""


def put_streamed(folder: Path) -> None:
    """Put a config that streams its rows into a folder."""
    draw = np.random.default_rng(4)
    y = draw.integers(0, 2, 1_200)
    columns = {
        "id": np.arange(len(y)),
        "y": y,
        "old": np.clip(0.4 * y + draw.uniform(0, 0.6, len(y)), 0.01, 0.99),
        "new": np.clip(0.5 * y + draw.uniform(0, 0.5, len(y)), 0.01, 0.99),
        "shop": draw.integers(0, 60, len(y)),
        "w": draw.gamma(2, 1, len(y)),
    }
    parquet.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=200)
    (folder / "streamed.yaml").write_text(STREAMED)


Array = np.ndarray[Any, Any]
ARRAYS: dict[str, Callable[[Array], Array]] = {
    "one value less": lambda a: a.ravel()[:-1],
    "one axis more": lambda a: a[None],
    "one axis less": lambda a: a[0] if a.ndim else a,
    "no values": lambda a: a[:0] if a.ndim else a[None][:0],
    "all zero": np.zeros_like,
    "all one": np.ones_like,
    "negative": lambda a: -a.astype(np.int64),
    "texts": lambda a: a.astype(str),
    "as doubles": lambda a: a.astype(np.float64),
    "not numbers": lambda a: a * float("nan"),
    "infinite": lambda a: np.full(a.shape, np.inf),
    "largest": lambda a: np.full(a.shape, np.iinfo(np.int64).max),
    "bytes swapped": lambda a: a.byteswap(),
    "one byte a value": lambda a: a.astype(np.uint8),
    "in another order": lambda a: a[::-1] if a.ndim else a,
    "transposed": lambda a: a.T,
    "twice": lambda a: np.concatenate([a, a]) if a.ndim else a,
    "dates": lambda a: a.astype(np.int64).astype("M8[s]"),
    "complex": lambda a: a.astype(complex),
    "one value": lambda a: np.float64(0.5),
}
STATES = ("more groups than there are", "fewer than none", "half a group", "of another stage")


def pack_state(about: Node, arrays: dict[str, Array]) -> bytes:
    """Pack a state as a run does."""
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(file, about=text, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def damage_entry(content: bytes, kind: str, draw: random.Random, other: bytes) -> bytes:
    """Damage an entry of the cache that holds the state of a stage, below its checksum."""
    if kind in BYTES:
        return BYTES[kind](content, draw)
    if kind == "of another stage":
        return other
    *head, packed = content.split(b"\n", HEAD_LINES)
    start = b"\n".join(head) + b"\n" + packed[:CHECKSUM_LENGTH]
    with np.load(io.BytesIO(packed[CHECKSUM_LENGTH:])) as file:
        arrays = {name: file[name] for name in file.files}
    about = json.loads(arrays.pop("about").tobytes())
    if kind in STATES:
        about["done"] = {"more groups than there are": 99, "fewer than none": -1}.get(kind, 0.5)
    elif kind in ARRAYS:
        name = draw.choice(list(arrays))
        arrays[name] = ARRAYS[kind](arrays[name])
    else:
        about["done"] = draw.choice([about["done"], 2])
        KINDS[kind](*choose_node(about, draw))
        about = json.loads(write_json(about))
    return start + pack_state(about, arrays)


def damage_checkpoints(kind: str, draw: random.Random, folder: Path) -> tuple[str, Words]:
    """Damage most states that a run kept; the same run reads them."""
    made = make_once("checkpoints")
    shutil.copytree(made / "kept", folder / "kept")
    entries = sorted(path for path in (folder / "kept").rglob("*") if path.is_file())
    first = entries[0].read_bytes()
    chosen = [path for path in entries if draw.random() < 0.7] or entries[:1]
    for path in chosen:
        path.write_bytes(damage_entry(path.read_bytes(), kind, draw, first))
    return "run again", ("run", made / "streamed.yaml", "--out", folder / "made")


def put_pipe(path: Path) -> None:
    os.mkfifo(path)


FILES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "empty": lambda path: path.write_bytes(b""),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link elsewhere": lambda path: path.symlink_to("/etc/passwd"),
    "a pipe": put_pipe,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "zeros": lambda path: path.write_bytes(bytes(5_000)),
    "of another run": lambda path: shutil.copy(path.parents[1] / "first" / path.name, path),
    "a mark beside it": lambda path: (path.parent / files.MARKER_NAME).write_bytes(b"{}"),
}


def damage_runs(kind: str, draw: random.Random, folder: Path) -> tuple[str, Words]:
    """Write two earlier runs, one of them with a damaged file."""
    for name in ("first", "before"):
        shutil.copytree(make_once("runs") / name, folder / name)
    put_small(folder)
    damaged = folder / "before" / draw.choice(["results.json"] * 3 + ["manifest.json"])
    if kind in FILES:
        damaged.unlink()
        FILES[kind](damaged)
    elif damaged.name == "results.json" and kind in KINDS and draw.random() < 0.6:
        plain = json.loads(damaged.read_bytes())
        KINDS[kind](*choose_node(plain["history"], draw))
        damaged.write_bytes(write_json(plain))
    else:
        damaged.write_bytes(damage_json(json.loads(damaged.read_bytes()), kind, draw))
    before = folder / "before"
    if damaged.name == "results.json" and kind not in FILES and draw.random() < 0.5:
        seal(before)
    words = {
        "run": ("run", folder / "small.yaml", "--no-cache", "--out", folder / "made"),
        "run over it": ("run", folder / "small.yaml", "--no-cache", "--out", before),
        "trend": ("trend", folder, "--out", folder / "trend.html"),
        "trend of one": ("trend", before),
        "diff": ("diff", folder / "first", before),
        "diff back": ("diff", before, folder / "first", "--format", "html"),
        "render": ("render", before / "results.json", "--out", folder / "made"),
        "verify": ("verify", before, "--inputs", folder),
        "verify --deep": ("verify", before, "--deep"),
    }
    command = draw.choice(list(words))
    return command, words[command]


DAMAGES = {
    "results": (damage_results, (*KINDS, *BYTES)),
    "frozen": (damage_frozen, (*KINDS, *BYTES)),
    "checkpoints": (damage_checkpoints, (*ARRAYS, *STATES, *KINDS, *BYTES)),
    "runs": (damage_runs, (*KINDS, *BYTES, *FILES)),
}


def choose_file(seed: int) -> tuple[str, str]:
    """Choose the kind of file and the damage of a case: every damage has its turn."""
    turns = [what for what, share in SHARES.items() for _ in range(share)]
    rounds, turn = divmod(seed, len(turns))
    what = turns[turn]
    kinds = DAMAGES[what][1]
    return what, kinds[(rounds * SHARES[what] + turn - turns.index(what)) % len(kinds)]


def run_quietly(*words: object) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            code = call(*words)
        except BaseException:  # what ended the process itself
            code = -1
            traceback.print_exc(file=printed)
    return code, printed.getvalue()


def run_well(*words: object) -> None:
    """Run a command that must end with 0."""
    code, printed = run_quietly(*words)
    assert code == 0, printed


def find_parts(folder: Path, code: int) -> str:
    """Find what a case left that is not a complete report; return an empty text if nothing."""
    staged = [path.name for path in folder.rglob(".reportgen-*") if path.name != files.MARKER_NAME]
    if staged:
        return f"left {staged}"
    made = folder / "made"
    if made.exists() and run_quietly("verify", made)[0]:
        return "left a report that is not whole"
    return "left a report and failed" if code in (2, 3) and made.exists() else ""


def run_case(seed: int, folder: Path) -> tuple[str, str, str, int, str]:
    """Run one case; return its file, damage, command, exit code and what was printed."""
    draw = random.Random(seed)
    what, kind = choose_file(seed)
    command, words = DAMAGES[what][0](kind, draw, folder)
    kept = {"XDG_CACHE_HOME": str(folder / "kept")} if what == "checkpoints" else {}
    with patch.dict(os.environ, kept):
        code, printed = run_quietly(*words)
    left = find_parts(folder, code)
    return what, kind, command, *((-2, left) if left else (code, printed))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", choices=SHARES, help="one kind of file")
    asked = parser.parse_args()
    kinds, ends, failures = Counter[tuple[str, str]](), Counter[tuple[str, str, int]](), 0
    for seed in range(asked.first, asked.first + asked.count):
        if asked.only not in (None, choose_file(seed)[0]):
            continue
        with TemporaryDirectory() as folder:
            what, kind, command, code, printed = run_case(seed, Path(folder))
        kinds[what, kind] += 1
        ends[what, command, code] += 1
        if code not in range(5) or "Traceback" in printed or (code and not printed.strip()):
            failures += 1
            place = [line for line in printed.splitlines() if ", line " in line][-1:]
            print(f"{seed} {what}, {kind}, {command} {code}: {place} {printed[-300:]!r}"[:700])
            sys.stdout.flush()
    for (what, kind), count in sorted(kinds.items()):
        print(f"{count:6,} {what}: {kind}")
    for (what, command, code), count in sorted(ends.items()):
        print(f"{count:6,} {what}: {command}: exit {code}")
    print(f"{failures} of {kinds.total():,} cases of {len(kinds)} kinds ended otherwise")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
