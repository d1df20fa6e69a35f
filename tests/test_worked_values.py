"""No number of the worked results of an earlier version is lost."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.worked import CONFIGS, text_of

KEPT = Path(__file__).with_name("worked_values.json.gz")
"""Fingerprints by config and field; `python benchmarks/values_kept.py COMMIT` makes them."""
NO_RESULTS = {
    *("schema_version", "schema_minor", "report", "inference", "config", "provenance", "digests"),
    *("changes", "history", "conclusion", "curve_infos", "files", "looks"),
}
BYTES = 3


def iter_values(part: Any, field: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number of results with the field that it is in."""
    if isinstance(part, dict):
        for key, each in part.items():
            if field or key not in NO_RESULTS:
                yield from iter_values(each, f"{field}.{key}".lstrip("."))
    elif isinstance(part, list):
        for each in part:
            yield from iter_values(each, field)
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield field, part


def make_fingerprint(value: float) -> int:
    """Make three bytes of the size of a number, as seven digits give it."""
    return crc32(f"{abs(value):.7g}".encode()) & 0xFFFFFF


def pack_fingerprints(prints: Iterable[int]) -> str:
    """Pack fingerprints as text, in their order."""
    rows = [each.to_bytes(BYTES, "big") for each in sorted(prints)]
    return b64encode(b"".join(rows)).decode()


def unpack_fingerprints(text: str) -> set[int]:
    """Unpack what `pack_fingerprints` made."""
    packed = b64decode(text)
    return {int.from_bytes(packed[k : k + BYTES], "big") for k in range(0, len(packed), BYTES)}


@pytest.mark.parametrize("name", CONFIGS)
def test_no_number_of_an_earlier_version_is_lost(name):
    kept = json.loads(gzip.decompress(KEPT.read_bytes())).get(name, {})
    today = {make_fingerprint(value) for _, value in iter_values(json.loads(text_of(name)))}
    lost = {field: len(unpack_fingerprints(prints) - today) for field, prints in kept.items()}
    assert {field: count for field, count in lost.items() if count} == {}
