"""SHA-256 digests of rows, scores, resamples, rule, config and code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rfc8785
from numpy.typing import NDArray

from reportgen.data.arrow import ArrowTexts
from reportgen.data.sample import ClassTarget, Codes, ModelColumns, QueryTarget, Sample
from reportgen.results import Results
from reportgen.results.core import DatasetDigests, Digests
from reportgen.results.types import Plain

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

# Of the config's keys these change no answer: what things are called, where they stand, how a
# report looks. A key that is not here is taken to change one.
_UNRELATED = set(
    """
    version report outputs sections theme pdf show_variables plugins meta compute curves previous
    sensitivity frozen privacy
""".split()
)
_NAMES_AND_PLACES = {
    "datasets": {"path", "target_label", "case", "positive_case", "unit"},
    "models": {"label", "path", "column", "columns", "version", "owner", "artifact", "trained_on"},
    "labels": {"path"},
    "segments": {"label", "values"},
    "metrics": {"phrase"},
    "gates": {"name"},
}
LENGTH = 8  # bytes that say how long a part is
_COMPUTING = ("kernels", "metrics", "data", "inference", "analysis")


def compute_digests(
    results: Results,
    samples: Iterable[Sample],
    drawn: Mapping[str, Mapping[str, Mapping[str, str]]],
    plugins: Sequence[Path] = (),
) -> Digests:
    """Every digest of a run; `drawn` are the names of its replicates by dataset, model, metric."""
    return Digests(
        decision=digest_map(extract_rule(results.config)),
        config=digest_map(results.config),
        code=_digest_code(plugins),
        metrics={
            m.key: digest_map(
                {
                    "name": m.name,
                    "params": m.params,
                    "better": m.better,
                    "unit": m.unit,
                    "definition": m.definition,
                }
            )
            for m in results.metrics
        },
        datasets=tuple(
            _digest_sample(each, results, drawn.get(each.dataset, {})) for each in samples
        ),
    )


def extract_rule(config: Plain) -> Plain:
    """Return the part of a resolved config that can change a result, without names and paths."""
    kept = {key: value for key, value in config.items() if key not in _UNRELATED}
    found = _strip_names(kept, "")
    assert isinstance(found, dict)
    return found


def digest_map(told: Mapping[str, Any]) -> str:
    """Return the digest of a map's canonical form, whatever the order of its keys.

    >>> digest_map({"b": 1, "a": 0.5}) == digest_map({"a": 0.50, "b": 1.0})
    True
    """
    return sha256(rfc8785.dumps(_convert_to_json_value(told))).hexdigest()


def digest_texts(parts: Iterable[bytes]) -> str:
    """Return the digest of several texts, each preceded by its length.

    >>> digest_texts([b"1", b"23"]) == digest_texts([b"12", b"3"])
    False
    """
    found = sha256()
    _add_parts(found, parts)
    return found.hexdigest()


def _add_parts(found: Hash, parts: Iterable[bytes]) -> None:
    for part in parts:
        found.update(len(part).to_bytes(LENGTH, "little"))
        found.update(part)


def _digest_sample(
    sample: Sample, results: Results, replicates: Mapping[str, Mapping[str, str]]
) -> DatasetDigests:
    ids = start_text_digest(sample.ids)
    rows = ids.copy()
    _add_parts(rows, _iter_row_bytes(sample))
    info = next(each for each in results.datasets if each.name == sample.dataset)
    how = results.inference
    design = {
        "rows": rows.hexdigest(),
        "dataset": sample.dataset,
        "kind": info.design,
        "weights": how.weights,
        "block": info.block_length,
        "seed": how.seed,
        "replicates": info.replicates,
    }
    return DatasetDigests(
        dataset=sample.dataset,
        ids=ids.hexdigest(),
        rows=rows.hexdigest(),
        scores={name: digest_texts(_iter_scores(model)) for name, model in sample.models.items()},
        design=digest_map(design) if info.design else "",
        replicates={model: dict(names) for model, names in replicates.items()},
    )


def start_text_digest(texts: Sequence[str]) -> Hash:
    """Return a hash of the texts so far, to which more parts can be added."""
    found = sha256()
    if isinstance(texts, ArrowTexts):
        for lengths, content in texts.contents():
            found.update(_frame_texts(lengths, content))
    else:
        _add_parts(found, (str(each).encode("utf-8", "surrogatepass") for each in texts))
    return found


def _frame_texts(lengths: NDArray[np.int64], content: NDArray[np.uint8]) -> bytes:
    """Texts that lie behind one another, each with its length before it."""
    ends = np.cumsum(lengths + LENGTH)
    found = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    at = (ends - lengths - LENGTH)[:, None] + np.arange(LENGTH)
    is_content = np.ones(len(found), bool)
    is_content[at] = False
    found[at] = lengths.astype("<i8")[:, None].view(np.uint8)
    found[is_content] = content
    return found.tobytes()


def _iter_row_bytes(sample: Sample) -> Iterator[bytes]:
    """All that is known of the rows but the scores, each part after its name."""
    yield from (
        b"y",
        _encode_numbers(sample.y),
        b"classes",
        *(text.encode() for text in sample.classes),
    )
    sampling, target = sample.sampling, sample.target
    if sampling.weight is not None:
        yield from (b"weight", _encode_numbers(sampling.weight))
    named = {
        "together": sampling.units.codes if sampling.units else None,
        "strata": sampling.strata,
        "fold": sampling.fold,
    }
    for name, codes in named.items():
        if codes is not None:
            yield from (name.encode(), *_iter_codes(codes))
    if sampling.time is not None:
        yield from (b"time", _encode_numbers(sampling.time.code))
    for side, costs in sorted(sample.unit_costs.items()):
        yield from (f"cost {side}".encode(), _encode_numbers(costs))
    if isinstance(target, ClassTarget) and target.second_rating is not None:
        yield from (b"second", _encode_numbers(target.second_rating))
    if isinstance(target, QueryTarget):
        judgements = target.judged
        yield from (b"judged", _encode_numbers(judgements.start), _encode_numbers(judgements.grade))


def _iter_codes(codes: Codes) -> Iterator[bytes]:
    yield from (_encode_numbers(codes.code), *(label.encode() for label in codes.labels))


def _iter_scores(model: ModelColumns) -> Iterator[bytes]:
    yield _encode_numbers(model.score)
    for name, part in sorted(model.parts.items()):
        yield from (name.encode(), _encode_numbers(part))
    lists = model.lists
    if lists is not None:
        yield from (
            _encode_numbers(lists.start),
            _encode_numbers(lists.grade),
            _encode_numbers(lists.score),
        )
        if lists.name is not None:
            yield _encode_numbers(lists.name)


def _encode_numbers(values: Any) -> bytes:
    """Numbers as bytes; −0 is 0."""
    array = np.asarray(values)
    kind = "<f8" if array.dtype.kind == "f" else "<i8"
    return np.ascontiguousarray(array.astype(kind) + 0).tobytes()


def _digest_code(plugins: Sequence[Path]) -> str:
    found = _hash_package().copy()
    _add_parts(found, (file.read_bytes() for file in plugins))
    return found.hexdigest()


@cache
def _hash_package() -> Hash:
    """Hash the package's sources that compute results, read once as imported modules are."""
    here = Path(__file__).parents[1]
    files = (
        file
        for folder in _COMPUTING
        for file in sorted((here / folder).rglob("*.[pch]*"))
        if file.suffix in (".py", ".c", ".h")
    )
    found = sha256()
    for file in files:
        _add_parts(found, (file.relative_to(here).as_posix().encode(), file.read_bytes()))
    return found


def _strip_names(value: Any, place: str) -> Any:
    """Return a config value without names and paths, at any depth."""
    if isinstance(value, list | tuple):
        return [_strip_names(each, place) for each in value]
    if not isinstance(value, Mapping):
        return value
    dropped = _NAMES_AND_PLACES.get(place, set())
    is_named = place in ("datasets", "models") and all(
        isinstance(v, Mapping) for v in value.values()
    )
    return {
        key: _strip_names(each, place if is_named else key if key in _NAMES_AND_PLACES else place)
        for key, each in value.items()
        if is_named or key not in dropped
    }


def _convert_to_json_value(value: Any) -> Any:
    """Return a value that JSON can hold; whole numbers are the same however they were written."""
    if isinstance(value, Mapping):
        return {str(key): _convert_to_json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_convert_to_json_value(each) for each in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) >= 1 << 53:
        return str(value)
    return value if isinstance(value, int | float) else str(value)
