"""Damaged results.json through every command that reads one.

    python benchmarks/mutate_results.py --count 2000 --first 1

Each case takes the results of a worked config, damages them in one of the ways of `KINDS` and
`BYTES`, and hands them to `render`, `diff`, `trend` or `verify`, in this process. A case must end
with 0 to 4. Prints how many cases each kind and each command had, and how they ended.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.end_to_end.wallet import call
from tests.worked import CONFIGS, text_of

Node = Any
COMMANDS = ("render", "render", "diff", "diff back", "trend", "verify --deep")


def choose_node(root: Node, draw: random.Random) -> tuple[Node, Any]:
    """Choose a container and a key of it: a part of the results first, then deeper or not."""
    node, key = root, draw.choice(list(root))
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
        b'"schema_version": 2', b'"schema_version": ' + draw.choice([b"1", b"9", b"[2]", b"2.0"])
    ),
}
LIGHT = ["json", "html", "markdown", "junit", "tables", "curves", "queries"]


def damage_results(text: bytes, kind: str, draw: random.Random) -> bytes:
    """Damage the text of a results.json in one way."""
    plain = json.loads(text)
    plain["config"]["outputs"] = LIGHT
    if kind in BYTES:
        return BYTES[kind](json.dumps(plain).encode(), draw)
    node, key = choose_node(plain, draw)
    KINDS[kind](node, key)
    made = json.dumps(plain)
    return made.replace('"\\u0000inf"', "1e999").replace('"\\u0000nan"', "NaN").encode()


def run_case(seed: int, folder: Path) -> tuple[str, str, int, str]:
    """Run one case; return its kind, its command, its exit code and what was printed."""
    draw = random.Random(seed)
    names = (*KINDS, *BYTES)
    kind, command = names[seed % len(names)], COMMANDS[seed % len(COMMANDS)]
    config = draw.choice(CONFIGS)
    original = text_of(config)
    for name, text in (("old", original), ("new", damage_results(original, kind, draw))):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "results.json").write_bytes(text)
    words: tuple[object, ...] = {
        "render": ("render", folder / "new" / "results.json", "--out", folder / "made"),
        "diff": ("diff", folder / "old", folder / "new"),
        "diff back": ("diff", folder / "new", folder / "old", "--format", "html"),
        "trend": ("trend", folder, "--out", folder / "trend.html"),
        "verify --deep": ("verify", folder / "new", "--deep"),
    }[command]
    printed = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(printed):
        try:
            code = call(*words)
        except BaseException:  # what ended the process itself
            code = -1
            traceback.print_exc(file=printed)
    return kind, command, code, printed.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=1)
    asked = parser.parse_args()
    kinds, ends, failures = Counter[str](), Counter[tuple[str, int]](), 0
    for seed in range(asked.first, asked.first + asked.count):
        with TemporaryDirectory() as folder:
            kind, command, code, printed = run_case(seed, Path(folder))
        kinds[kind] += 1
        ends[command, code] += 1
        if code not in range(5):
            failures += 1
            place = [line for line in printed.splitlines() if ", line " in line][-1:]
            print(f"{seed} {kind} {command} {code}: {place} {printed.splitlines()[-2:]}"[:600])
            sys.stdout.flush()
    for kind, count in sorted(kinds.items()):
        print(f"{count:6,} {kind}")
    for (command, code), count in sorted(ends.items()):
        print(f"{count:6,} {command}: exit {code}")
    print(f"{failures} of {asked.count:,} ended otherwise")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
