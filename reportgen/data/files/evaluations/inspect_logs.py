"""Logs of Inspect: a zip file of JSON, or one JSON file."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from reportgen.data.files.evaluations.answers import (
    Answers,
    LogFile,
    require_key,
    require_map,
    shorten_name,
)
from reportgen.data.files.evaluations.json_stream import iter_members
from reportgen.data.files.opening import TooLarge, build_too_large_error, iter_zstd
from reportgen.text import quote

VERSIONS = (1, 2)
HEADER, START, SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
ZSTD = 93  # a method of zip files that Python reads from 3.14 on
_PIECE = 1 << 20
_LOCAL = struct.Struct("<4s5H3I2H")  # the header before each file of a zip file
BROKEN = (BadZipFile, zlib.error, EOFError, OSError, KeyError, struct.error, RuntimeError)


def is_zipped_log(data: bytes) -> bool:
    """Tell whether content is a zip file with the parts of a log of Inspect."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            return bool({HEADER, START} & {*archive.namelist()})
    except BadZipFile:
        return False


def read_zipped_log(log: LogFile) -> Answers:
    """Read the header and the summaries of a zipped log; samples where summaries say too little."""
    try:
        with ZipFile(io.BytesIO(log.file.data)) as archive:
            return _read_archive(archive, log)
    except RecursionError:
        raise
    except TooLarge:
        raise build_too_large_error(log.shown, log.file.most) from None
    except BROKEN as fault:
        text = f"is not a valid .eval file ({type(fault).__name__}); was it cut off? Copy it again"
        raise log.error(text) from None


def _read_archive(archive: ZipFile, log: LogFile) -> Answers:
    parts, left = {each.filename: each for each in archive.infolist()}, [log.file.most]

    def read(name: str) -> str:
        content = _unpack(archive, parts[name], log, left[0])
        left[0] -= len(content)
        return content.decode("utf-8", "replace")

    is_finished = HEADER in parts
    header = require_map(json.loads(read(HEADER if is_finished else START)), log, "its header")
    answers = _start(header if is_finished else {**header, "status": "started"}, log)
    if SUMMARIES in parts:
        names = [SUMMARIES]
    else:
        names = sorted(n for n in parts if n.startswith("_journal/summaries/"))
    for name in names:
        for _, sample in iter_members(read(name), [()]):
            if "metadata" not in require_map(sample, log, "a summary"):
                return _read_samples(parts, read, log, _start(header, log))
            _add(answers, sample, log)
    return answers.finish()


def _read_samples(parts: dict[str, ZipInfo], read: Any, log: LogFile, answers: Answers) -> Answers:
    """Read all samples, since logs before 2025 have summaries without metadata."""
    for name in parts:
        if name.startswith("samples/"):
            _add(answers, json.loads(read(name)), log)
    return answers.finish()


def _unpack(archive: ZipFile, part: ZipInfo, log: LogFile, most: int) -> bytearray:
    if part.file_size > most:
        raise TooLarge
    if part.flag_bits & 1:
        raise log.error("is a zip file with a password; save it without one")
    content = bytearray()
    for piece in _iter_pieces(archive, part, log):
        content += piece
        if len(content) > most:
            raise TooLarge
    return content


def _iter_pieces(archive: ZipFile, part: ZipInfo, log: LogFile) -> Iterator[bytes]:
    if part.compress_type != ZSTD:
        try:
            with archive.open(part) as opened:
                while piece := opened.read(_PIECE):
                    yield piece
        except NotImplementedError:
            raise log.error(
                f"uses zip compression method {part.compress_type}, which cannot be read; save the "
                "log again with deflate or zstd"
            ) from None
        return
    data, at = log.file.data, part.header_offset
    fields = _LOCAL.unpack_from(data, at)
    start = at + _LOCAL.size + fields[9] + fields[10]
    yield from iter_zstd(data[start : start + part.compress_size])


def read_json_log(log: LogFile, text: str) -> Answers:
    """Read a log that is one JSON text."""
    header: dict[str, Any] = {}
    answers: Answers | None = None
    for path, value in iter_members(text, [("samples",)]):
        if path == ("samples",):
            answers = _start(header, log) if answers is None else answers
            _add(answers, value, log)
        else:
            header[path[0]] = value
    if answers is None:
        raise log.error("has no samples; did the run fail at once?")
    return answers.finish()


def _start(header: dict[str, Any], log: LogFile) -> Answers:
    """Begin the answers of a log by its header; say what the run came to."""
    version = header.get("version", VERSIONS[-1])
    if version not in VERSIONS:
        raise log.error(
            f"has Inspect log version {quote(str(version))}; only versions 1 and 2 can be read. "
            "Write the log with a release of inspect_ai that uses version 2"
        )
    about = require_map(require_key(header, "eval", log, "its header"), log, "eval")
    model = str(require_key(about, "model", log, "eval"))
    answers = Answers(log.shown, str(about.get("task", "")), model)
    answers.judges |= dict.fromkeys(_iter_judges(header))
    status = header.get("status", "success")
    if status != "success":
        ended = {"started": "was not finished", "error": "failed"}.get(str(status))
        ended = ended or f"was {shorten_name(status)}"
        answers.caveats.append(f"the run of {model} on {answers.task} {ended}")
    return answers


def _iter_judges(header: dict[str, Any]) -> Iterator[str]:
    """Yield the models that scorers use, as the header names them."""
    results, about = header.get("results"), header.get("eval")
    scores = results.get("scores") if isinstance(results, dict) else None
    roles = about.get("model_roles") if isinstance(about, dict) else None
    parts = [each.get("params") for each in scores or () if isinstance(each, dict)]
    parts += [*roles.values()] if isinstance(roles, dict) else []
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("model"), str):
            yield part["model"]


def _add(answers: Answers, sample: object, log: LogFile) -> None:
    sample = require_map(sample, log, "a sample")
    item, scores = require_key(sample, "id", log, "a sample"), sample.get("scores") or {}
    values: dict[str, object] = {
        name: each.get("value") if isinstance(each, dict) else each
        for name, each in require_map(scores, log, "scores").items()
    }
    if sample.get("error"):
        answers.errors[answers.model] += 1
    if isinstance(usage := sample.get("model_usage"), dict) and usage:
        counts = [each.get("total_tokens") for each in usage.values() if isinstance(each, dict)]
        values["total_tokens"] = sum(n for n in counts if isinstance(n, int | float))
    if isinstance(sample.get("total_time"), int | float):
        values["total_time"] = sample["total_time"]
    epoch = sample.get("epoch")
    number = epoch if isinstance(epoch, int) else None
    answers.add(item, values, sample.get("metadata"), sample=number)
