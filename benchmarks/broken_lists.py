"""Judgements, runs and facts of queries, broken in a thousand ways: each has to be one line.

    python benchmarks/broken_lists.py [FILES]     writes benchmarks/results/broken_lists.md

One file of a small search is broken at random places: fields lost or added, bytes that are no text,
numbers that are none, lines twice, files cut off, packed wrongly or empty. The config is then run.
Reading must end with exit code 3 (2 where a name is gone) and lines that name a file, or go through
where what is left is whole.
"""

from __future__ import annotations

import gzip
import io
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from reportgen.cli import commands

RESULTS = Path(__file__).parent / "results" / "broken_lists.md"
QUERIES, DOCUMENTS = 12, 6
CONFIG: dict[str, object] = {
    "version": 1,
    "report": {"title": "Broken"},
    "task": "ranking",
    "datasets": {
        "web": {
            "qrels": "web.qrels",
            "queries": {"path": "topics.csv", "id": "topic"},
            "weight": "traffic",
            "segments": ["kind"],
        },
        "bare": {"letor": {"path": "bare.txt", "groups": "bare.query"}},
        "named": {"letor": "named.txt"},
    },
    "models": {
        "one": {"run": "one.run", "lines": "one.pred", "role": "baseline"},
        "two": {"run": "two.json", "lines": "two.pred"},
        "three": {"run": "three.run.gz", "lines": "three.pred.gz"},
    },
    "metrics": ["nDCG@10", "AP"],
    "bootstrap": {"replicates": 9},
    "curves": [],
    "outputs": ["json"],
}
FILES = (
    "web.qrels",
    "one.run",
    "two.json",
    "three.run.gz",
    "topics.csv",
    "bare.txt",
    "bare.query",
    "named.txt",
    "one.pred",
    "two.pred",
    "three.pred.gz",
)


def whole() -> dict[str, bytes]:
    """The files as they should be."""
    draw = random.Random(1)
    pairs = [(f"q{k}", f"d{j}") for k in range(QUERIES) for j in range(DOCUMENTS)]

    def run(name: str) -> bytes:
        lines = (
            f"{q} Q0 {d} {j % DOCUMENTS + 1} {draw.random():.3f} {name}\n"
            for j, (q, d) in enumerate(pairs)
        )
        return "".join(lines).encode()

    def lines(start: str, end: str) -> bytes:
        found = (f"{draw.randint(0, 2)}{start} 1:{draw.random():.2f} 2:1{end}\n" for _ in pairs)
        return "".join(
            line.replace("Q", q).replace("D", d) for line, (q, d) in zip(found, pairs, strict=True)
        ).encode()

    def scores() -> bytes:
        return "".join(f"{draw.random():.3f}\n" for _ in pairs).encode()

    nested: dict[str, dict[str, float]] = {}
    for q, d in pairs:
        nested.setdefault(q, {})[d] = round(draw.random(), 3)
    topics = "".join(f"q{k},{1 + k % 3},{k % 2}\n" for k in range(QUERIES))
    return {
        "web.qrels": "".join(f"{q} 0 {d} {draw.randint(0, 2)}\n" for q, d in pairs).encode(),
        "one.run": run("one"),
        "two.json": str(nested).replace("'", '"').encode(),
        "three.run.gz": gzip.compress(run("three"), mtime=0),
        "bare.txt": lines("", ""),
        "bare.query": f"{DOCUMENTS}\n".encode() * QUERIES,
        "named.txt": lines(" qid:Q", " # docid = D"),
        "one.pred": scores(),
        "two.pred": scores(),
        "three.pred.gz": gzip.compress(scores(), mtime=0),
        "topics.csv": ("topic,traffic,kind\n" + topics).encode(),
    }


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Callable[..., bytes]:
    def changed(data: bytes, draw: random.Random) -> bytes:
        lines = data.split(b"\n")
        change(lines, draw)
        return b"\n".join(lines)

    return changed


def _fields(change: Callable[[list[bytes], random.Random], None]) -> Callable[..., bytes]:
    def changed(lines: list[bytes], draw: random.Random) -> None:
        at = draw.randrange(len(lines))
        gap = b"," if b"," in lines[at] else b" "
        fields = lines[at].split(gap)
        change(fields, draw)
        lines[at] = gap.join(fields)

    return _lines(changed)


def _put(fields: list[bytes], draw: random.Random, *values: bytes) -> None:
    fields[draw.randrange(len(fields))] = draw.choice(values)


def _flipped(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


WAYS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "a field lost": _fields(lambda f, d: f.pop(d.randrange(len(f))) and None),
    "a field more": _fields(lambda f, d: f.insert(d.randrange(len(f) + 1), b"more")),
    "no number": _fields(lambda f, d: _put(f, d, b"x", b"", b"1,5", b"--3", b"0x1F", b"1e")),
    "no finite number": _fields(lambda f, d: _put(f, d, b"nan", b"inf", b"-inf", b"1e999")),
    "too large a number": _fields(lambda f, d: _put(f, d, b"1e60", b"9" * 400)),
    "a name that is not there": _fields(lambda f, d: _put(f, d, b"q999", b"Q1", b"q01")),
    "no UTF-8": _fields(lambda f, d: _put(f, d, b"\xff\xfe", b"q\xc3", b"\x00")),
    "a line twice": _lines(lambda ls, d: ls.insert(d.randrange(len(ls)), d.choice(ls))),
    "a line of others": _lines(lambda ls, d: ls.insert(d.randrange(len(ls)), b"<html> 404")),
    "cut off": lambda data, draw: data[: draw.randrange(len(data))],
    "empty": lambda data, draw: draw.choice([b"", b"\n", b" \n\n", b"\xef\xbb\xbf", b"{}", b"[]"]),
    "a byte changed": _flipped,
    "other line ends": lambda data, draw: data.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\0"])),
    "another file": lambda data, draw: draw.choice([b"PK\3\4" + data, b"\x89PNG\r\n", data * 2]),
}


def broken(name: str, data: bytes, way: str, draw: random.Random) -> bytes:
    """A file broken in one way; a packed one is broken inside, or as it is."""
    if name.endswith(".gz") and draw.random() < 0.7:
        return gzip.compress(WAYS[way](gzip.decompress(data), draw), mtime=0)
    return WAYS[way](data, draw)


def told(folder: Path, files: dict[str, bytes]) -> tuple[int, list[str]]:
    """Run the config on these files: the exit code and the lines of what was said."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    config = folder / "broken.yaml"
    config.write_text(yaml.safe_dump(CONFIG, sort_keys=False), encoding="utf-8")
    said, before = io.StringIO(), sys.argv
    sys.argv = ["reportgen", "run", str(config), "--out", str(folder / "out"), "--quiet"]
    sys.argv += ["--no-cache"]
    try:
        with redirect_stderr(said), redirect_stdout(io.StringIO()):
            code = commands._exit_code()
    finally:
        sys.argv = before
    return code, [line for line in said.getvalue().splitlines() if line.strip()]


def fault(name: str, code: int, lines: list[str]) -> str:
    """What is wrong with what was said of a broken file; "" where nothing is."""
    if code in (0, 1):
        return ""
    if code not in (2, 3):
        return f"exit code {code}"
    if not lines or len(lines) > 3:
        return f"{len(lines)} lines"
    stem = name.removesuffix(".gz")
    if not all(len(line) < 400 and line.isprintable() for line in lines):
        return "a line that is long, or not printable"
    others = ("broken.yaml", "web.qrels", "bare.txt", "named.txt")
    if not any(said in line for line in lines for said in (stem, *others)):
        return "no line names the file"
    return ""


def study(count: int, seed: int = 1) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How files broken in each way ended, and the faults."""
    draw, files, ends, faults = random.Random(seed), whole(), Counter[tuple[str, str]](), []
    with TemporaryDirectory() as held:
        for number in range(count):
            way, name = list(WAYS)[number % len(WAYS)], draw.choice(FILES)
            data = broken(name, files[name], way, draw)
            code, lines = told(Path(held), {**files, name: data})
            ends[
                way,
                "went through"
                if code in (0, 1)
                else "one line"
                if len(lines) == 1
                else f"{len(lines)} lines",
            ] += 1
            if wrong := fault(name, code, lines):
                faults.append(f"{number} {name}, {way}: {wrong}: {lines[:2]}")
    return ends, faults


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    ends, faults = study(count)
    ways = sorted({way for way, _ in ends})
    kinds = sorted({kind for _, kind in ends})
    head = f"| broken | {' | '.join(kinds)} |\n|{' --- |' * (len(kinds) + 1)}\n"
    rows = "".join(f"| {way} | {' | '.join(str(ends[way, k]) for k in kinds)} |\n" for way in ways)
    text = (
        "# Broken files of judgements and runs\n\n"
        f"Made by `python benchmarks/broken_lists.py {count}`: {count:,} files, one broken at a "
        "time. What went through was whole as it stood: another grade, a name more, a line of a "
        "query that nobody judged, a field that is not read. The others ended with exit code 3, "
        f"or 2 where a column was gone.\n\n{head}{rows}\nFaults: {len(faults)}.\n"
    )
    RESULTS.write_text(text, encoding="utf-8")
    print(text, *faults, sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
