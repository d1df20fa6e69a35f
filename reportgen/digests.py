"""What tells one run from another: digests of rows, scores, resamples, rule, config and code.

Parts of a digest are joined by their lengths (eight bytes, little end first), so that no two lists
of parts give the same bytes. Numbers are float64 or int64, little end first; texts are UTF-8; a
map is RFC 8785's canonical JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rfc8785
from numpy.typing import NDArray

from reportgen.data.arrow import Texts
from reportgen.data.sample import Codes, Sample
from reportgen.results import DatasetDigests, Digests, Plain, Results

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

# Of the config's keys these change no answer: what things are called, where they stand, how a
# report looks. A key that is not here is taken to change one.
_UNRELATED = {
    "version", "report", "outputs", "sections", "theme", "pdf", "show_variables", "plugins", "meta",
    "compute", "curves", "previous", "sensitivity", "frozen", "privacy",
}  # fmt: skip
_NAMES_AND_PLACES = {
    "datasets": {"path", "target_label", "case", "unit"},
    "models": {"label", "path", "column", "columns", "version", "owner", "artifact", "trained_on"},
    "labels": {"path"},
    "segments": {"label", "values"},
    "metrics": {"phrase"},
    "gates": {"name"},
}
LENGTH = 8  # bytes that say how long a part is
_COMPUTING = (
    "rows", "kernels", "losses", "metrics", "curves", "data", "resampling", "inference", "analysis",
    "costs", "tasks",
)  # fmt: skip


def digests(
    results: Results,
    samples: Iterable[Sample],
    drawn: Mapping[str, Mapping[str, Mapping[str, str]]],
    plugins: Sequence[Path] = (),
) -> Digests:
    """Every digest of a run; `drawn` are the names of its replicates by dataset, model, metric."""
    return Digests(
        decision=of_map(rule(results.config)),
        config=of_map(results.config),
        code=_of_code(plugins),
        metrics={m.key: of_map({
            "name": m.name, "params": m.params, "better": m.better, "unit": m.unit,
            "definition": m.definition,
        }) for m in results.metrics},
        datasets=tuple(
            _of_sample(each, results, drawn.get(each.dataset, {})) for each in samples
        ),
    )  # fmt: skip


def rule(config: Plain) -> Plain:
    """The part of a resolved config that can change an answer, without names and places."""
    kept = {key: value for key, value in config.items() if key not in _UNRELATED}
    found = _without_names(kept, "")
    assert isinstance(found, dict)
    return found


def of_map(told: Mapping[str, Any]) -> str:
    """The digest of a map's canonical form, whatever the order of its keys.

    >>> of_map({"b": 1, "a": 0.5}) == of_map({"a": 0.50, "b": 1.0})
    True
    """
    return sha256(rfc8785.dumps(_plain(told))).hexdigest()


def of_parts(parts: Iterable[bytes]) -> str:
    """The digest of several texts, each with its length before it.

    >>> of_parts([b"1", b"23"]) == of_parts([b"12", b"3"])
    False
    """
    found = sha256()
    _add(found, parts)
    return found.hexdigest()


def _add(found: Hash, parts: Iterable[bytes]) -> None:
    for part in parts:
        found.update(len(part).to_bytes(LENGTH, "little"))
        found.update(part)


def _of_sample(
    sample: Sample, results: Results, replicates: Mapping[str, Mapping[str, str]]
) -> DatasetDigests:
    ids = of_texts(sample.ids)
    rows = ids.copy()
    _add(rows, _known_of_rows(sample))
    info = next(each for each in results.datasets if each.name == sample.dataset)
    how = results.inference
    design = {
        "rows": rows.hexdigest(), "dataset": sample.dataset, "kind": info.design,
        "weights": how.weights,
        "block": info.block_length, "seed": how.seed, "replicates": info.replicates,
    }  # fmt: skip
    return DatasetDigests(
        dataset=sample.dataset,
        ids=ids.hexdigest(),
        rows=rows.hexdigest(),
        scores={model: of_parts(_scores(sample, model)) for model in sample.scores},
        design=of_map(design) if info.design else "",
        replicates={model: dict(names) for model, names in replicates.items()},
    )


def of_texts(texts: Sequence[str]) -> Hash:
    """The digest of texts so far: parts may follow."""
    found = sha256()
    if isinstance(texts, Texts):
        for lengths, content in texts.contents():
            found.update(_framed(lengths, content))
    else:
        _add(found, (str(each).encode("utf-8", "surrogatepass") for each in texts))
    return found


def _framed(lengths: NDArray[np.int64], content: NDArray[np.uint8]) -> bytes:
    """Texts that lie behind one another, each with its length before it."""
    ends = np.cumsum(lengths + LENGTH)
    found = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    at = (ends - lengths - LENGTH)[:, None] + np.arange(LENGTH)
    is_content = np.ones(len(found), bool)
    is_content[at] = False
    found[at] = lengths.astype("<i8")[:, None].view(np.uint8)
    found[is_content] = content
    return found.tobytes()


def _known_of_rows(sample: Sample) -> Iterator[bytes]:
    """All that is known of the rows but the scores, each part after its name."""
    yield from (b"y", _bytes(sample.y), b"classes", *(text.encode() for text in sample.classes))
    if sample.weight is not None:
        yield from (b"weight", _bytes(sample.weight))
    named = {
        "together": sample.together.codes if sample.together else None,
        "strata": sample.strata,
        "fold": sample.fold,
    }
    for name, codes in named.items():
        if codes is not None:
            yield from (name.encode(), *_codes(codes))
    if sample.time is not None:
        yield from (b"time", _bytes(sample.time))
    for side, costs in sorted(sample.costs.items()):
        yield from (f"cost {side}".encode(), _bytes(costs))
    if sample.second is not None:
        yield from (b"second", _bytes(sample.second))
    if sample.judged is not None:
        yield from (b"judged", _bytes(sample.judged.start), _bytes(sample.judged.grade))


def _codes(codes: Codes) -> Iterator[bytes]:
    yield from (_bytes(codes.code), *(label.encode() for label in codes.labels))


def _scores(sample: Sample, model: str) -> Iterator[bytes]:
    yield _bytes(sample.scores[model])
    for name, part in sorted(sample.parts.get(model, {}).items()):
        yield from (name.encode(), _bytes(part))
    lists = sample.lists.get(model)
    if lists is not None:
        yield from (_bytes(lists.start), _bytes(lists.grade), _bytes(lists.score))
        if lists.name is not None:
            yield _bytes(lists.name)


def _bytes(values: Any) -> bytes:
    """Numbers as bytes; −0 is 0."""
    array = np.asarray(values)
    kind = "<f8" if array.dtype.kind == "f" else "<i8"
    return np.ascontiguousarray(array.astype(kind) + 0).tobytes()


def _of_code(plugins: Sequence[Path]) -> str:
    found = _of_package().copy()
    _add(found, (file.read_bytes() for file in plugins))
    return found.hexdigest()


@cache
def _of_package() -> Hash:
    """The package's own sources that compute; they are read once, as what was imported is."""
    here = Path(__file__).parent
    files = (
        file
        for folder in _COMPUTING
        for file in sorted((here / folder).rglob("*.[pch]*"))
        if file.suffix in (".py", ".c", ".h")
    )
    found = sha256()
    for file in files:
        _add(found, (file.relative_to(here).as_posix().encode(), file.read_bytes()))
    return found


def _without_names(value: Any, place: str) -> Any:
    """A value of the config without what things are called and where they are, at any depth."""
    if isinstance(value, list | tuple):
        return [_without_names(each, place) for each in value]
    if not isinstance(value, Mapping):
        return value
    dropped = _NAMES_AND_PLACES.get(place, set())
    is_named = place in ("datasets", "models") and all(
        isinstance(v, Mapping) for v in value.values()
    )
    return {
        key: _without_names(each, place if is_named else key if key in _NAMES_AND_PLACES else place)
        for key, each in value.items()
        if is_named or key not in dropped
    }


def _plain(value: Any) -> Any:
    """A value that JSON can hold; a whole number is one however it was written."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) >= 1 << 53:
        return str(value)
    return value if isinstance(value, int | float) else str(value)
