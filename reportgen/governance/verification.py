"""Verify the files of a report against its manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field
from hashlib import sha256
from pathlib import Path, PurePath

from reportgen.data.files.buckets import read_object
from reportgen.data.files.databases import compute_rows_digest
from reportgen.data.files.remote import permit_remote
from reportgen.errors import DataError, UsageError
from reportgen.governance.manifest import MANIFEST_SCHEMA, digest_bytes, format_checksums
from reportgen.paths import BUCKET, open_regular
from reportgen.records import record
from reportgen.report.publish.files import (
    MARKER_NAME,
    is_file,
    is_folder,
    is_own_name,
    read_content,
)
from reportgen.report.publish.marker import is_marked, list_folder
from reportgen.terms import MANIFEST, RESULTS, SUMS, TABLES, VOUCHING
from reportgen.text import escape_json, format_line

HEX = re.compile("[0-9a-fA-F]{64}")
UNVOUCHED = (
    "the manifest vouches for the files; only the number in your ticket vouches for the manifest"
)
_MOST_BYTES = 1 << 28


@record
class Discrepancy:
    """A file by its path, and what is wrong with it."""

    path: str
    what: str


@record
class Manifest:
    """Contents of a manifest.json: the digest of each output and each input.

    `statements` are those that selected rows of a database, each with its connection and driver.
    """

    sha256: str
    outputs: Mapping[str, str]
    inputs: Mapping[str, str]
    statements: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)


@record
class Verification:
    """Outcome of a verification; `is_vouched` where the manifest has the digest that was given."""

    manifest_sha256: str
    checked: int
    is_vouched: bool
    problems: tuple[Discrepancy, ...]

    def lines(self) -> Iterator[str]:
        """Yield lines that describe the outcome: each problem, or that there is none."""
        if self.problems:
            yield from (
                f"{format_line(each.path)}: {format_line(each.what)}" for each in self.problems
            )
            return
        yield f"all {self.checked:,} files are as the manifest says"
        if self.is_vouched:
            yield f"manifest sha256 {self.manifest_sha256}: as given"
        else:
            yield UNVOUCHED

    def as_json(self) -> str:
        """Format the outcome as JSON for a program to read."""
        content = {"schema": "urn:reportgen:verify:1", **asdict(self)}
        return escape_json(json.dumps(content, indent=1))


def parse_digest(given: str) -> str:
    """Return a typed digest in lower-case hexadecimal digits; raise UsageError if it is none."""
    if not HEX.fullmatch(given):
        raise UsageError(
            f"--manifest-sha256 needs 64 hexadecimal digits, and has {len(given)} signs; copy the "
            "number that `reportgen run` printed"
        )
    return given.lower()


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a report's folder; raise UsageError where none can be read."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: is not a folder; name the folder of a report")
    text = read_content(folder / MANIFEST, _MOST_BYTES)
    if text is None:
        raise UsageError(f"{folder}: has no {MANIFEST}; run the config again to get one")
    return _parse_manifest_at(folder / MANIFEST, text)


def _parse_manifest_at(path: Path, text: bytes) -> Manifest:
    try:
        return _parse_manifest(text)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise UsageError(
            f"{path}: is not a manifest of reportgen, so nothing can be checked"
        ) from None


def refuse_changed_results(path: Path, digest: str) -> None:
    """Refuse a results.json that is not the one of the manifest, or of the checksums, next to it.

    Its pages would come with a manifest of their own, which vouches for what was changed; and a
    comparison with it would print what was changed.
    """
    if path.name != RESULTS:
        return
    place = next((p for p in map(path.with_name, (MANIFEST, SUMS)) if p.exists()), None)
    if place is None:
        return
    with open_regular(place) as file:  # which follows links, as the reading of results does
        text = file.read(_MOST_BYTES)
    if place.name == MANIFEST:
        is_named = _parse_manifest_at(place, text).outputs.get(RESULTS) == digest
    else:
        is_named = f"{digest}  {RESULTS}" in text.decode("utf-8", "replace").splitlines()
    if not is_named:
        raise DataError(
            f"{path}: is not the file that {place} names, so it was changed after the run; run "
            "the config again, or put back the file that the run wrote"
        )


def verify_folder(
    folder: Path,
    given: str | None = None,
    inputs: Path | None = None,
    *,
    allow_remote: bool = False,
) -> Verification:
    """Check a folder against its manifest; data paths are relative to the folder `inputs`.

    Statements are run again, on a server if `allow_remote`.
    """
    manifest = read_manifest(folder)
    is_vouched = given == manifest.sha256
    problems = [] if given is None or is_vouched else [Discrepancy(MANIFEST, "changed")]
    problems += iter_discrepancies(folder, manifest)
    checked = len(manifest.outputs) + len(VOUCHING)
    if inputs is not None:
        with permit_remote(allow_remote):
            problems += _iter_changed_inputs(inputs, manifest)
        checked += len(manifest.inputs)
    return Verification(manifest.sha256, checked, is_vouched, tuple(problems))


def _parse_manifest(text: bytes) -> Manifest:
    told = json.loads(text)
    if told["schema"] != MANIFEST_SCHEMA:
        raise ValueError(told["schema"])
    found = Manifest(
        digest_bytes(text),
        _collect_digests(told["outputs"]),
        _collect_digests(told["inputs"]),
        {
            str(each["path"]): (
                str(each["statement"]),
                str(each["connection"]),
                str(each.get("driver") or ""),
            )
            for each in told["inputs"]
            if each.get("statement")
        },
    )
    if RESULTS not in found.outputs or not all(map(_may_be_listed, found.outputs)):
        raise ValueError(MANIFEST)
    return found


def _may_be_listed(name: str) -> bool:
    """Whether a manifest may list it: a file of a report, so nothing outside of its folder."""
    return is_own_name(name) and name not in VOUCHING


def _collect_digests(listed: list[Mapping[str, str]]) -> dict[str, str]:
    found = {each["path"]: each["sha256"] for each in listed}
    if not all(HEX.fullmatch(each) for each in found.values()):
        raise ValueError("no digest")
    return found


def iter_discrepancies(folder: Path, manifest: Manifest) -> Iterator[Discrepancy]:
    """Yield every file of a report's folder that is not as the manifest says."""
    if is_marked(folder):
        yield Discrepancy(
            MARKER_NAME, "a run was stopped here, and may have left files of two reports"
        )
    for name, expected in sorted(manifest.outputs.items()):
        yield from _iter_file_discrepancies(folder, name, expected)
    known = {**manifest.outputs, MANIFEST: manifest.sha256}
    yield from _iter_file_discrepancies(folder, SUMS, digest_bytes(format_checksums(known)))
    for name in sorted(list_folder(folder)):
        if is_own_name(name) and name not in known and name != SUMS:
            yield Discrepancy(name, "is not listed in the manifest")


def _iter_file_discrepancies(folder: Path, name: str, expected: str) -> Iterator[Discrepancy]:
    path = folder / name
    is_inside = "/" not in name or is_folder(folder / TABLES)
    if not path.exists() and not path.is_symlink():
        yield Discrepancy(name, "missing")
    elif not (is_inside and is_file(path)):
        yield Discrepancy(name, "is a link, or no file")
    elif _digest_of(path) != expected:
        yield Discrepancy(name, "changed")


def _iter_changed_inputs(root: Path, manifest: Manifest) -> Iterator[Discrepancy]:
    for name, expected in sorted(manifest.inputs.items()):
        if name in manifest.statements:
            statement, connection, driver = manifest.statements[name]
            if "${" in statement + connection + driver:
                yield Discrepancy(name, "has values of the environment, so it cannot be run again")
            elif compute_rows_digest(name, statement, connection, driver) != expected:
                yield Discrepancy(name, "changed")
            continue
        if name.startswith(BUCKET):
            data = read_object(Path(name.removeprefix(BUCKET)), name)
            if digest_bytes(data) != expected:
                yield Discrepancy(name, "changed")
            continue
        path = PurePath(name)
        if path.is_absolute() or ".." in path.parts:
            yield Discrepancy(name, "leads out of the folder of the inputs")
            continue
        try:
            if _digest_of(root / path) != expected:
                yield Discrepancy(name, "changed")
        except FileNotFoundError:
            yield Discrepancy(name, "missing")
        except OSError as error:
            yield Discrepancy(name, f"cannot be read: {error.strerror}")
        except ValueError:  # a null character
            yield Discrepancy(name, "is not a file name")


def _digest_of(path: Path) -> str:
    found = sha256()
    with open_regular(path) as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.hexdigest()
