"""Plan segments and subsets of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reportgen.analysis.plan import Segment
from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.report import AnyGate, Gap
from reportgen.data.requests import SubsetRequest
from reportgen.data.sample import Sample
from reportgen.errors import ConfigError, ConfigPath, Problem, suggest_value
from reportgen.results.core import SegmentInfo
from reportgen.terms import FEWEST_IN_A_WINDOW


def iter_segments(sample: Sample) -> Iterator[Segment]:
    """Every value of every column that slices the rows, with two rows or more."""
    for column, codes in sample.segments.items():
        for code, label in enumerate(codes.labels):
            rows = np.flatnonzero(codes.code == code)
            if len(rows) > 1:
                yield Segment(f"{column}={label}", rows)


MOST_WINDOWS = 6


def list_windows(sample: Sample) -> tuple[Segment, ...]:
    """List windows of time with about equal numbers of rows: six at most, of 30 rows or more.

    Rows of equal time lie in one window. None where fewer than two can be made, and none of
    clusters, which may lie in several windows.
    """
    times, sampling = sample.sampling.time, sample.sampling
    count = min(MOST_WINDOWS, sample.n // FEWEST_IN_A_WINDOW)
    if times is None or sampling.units is not None or count < 2:
        return ()
    until = np.cumsum(np.bincount(times.code))
    last_codes: list[int] = []
    used = 0
    for left in range(count, 1, -1):
        size = max(FEWEST_IN_A_WINDOW, (sample.n - used) / left)
        code = int(np.searchsorted(until, used + size))
        if code >= len(until) or sample.n - until[code] < FEWEST_IN_A_WINDOW:
            break
        last_codes.append(code)
        used = int(until[code])
    starts = [0, *(code + 1 for code in last_codes)]
    ends = [*last_codes, len(until) - 1]
    windows = [
        Segment(
            times.format_window(first, last),
            np.flatnonzero((times.code >= first) & (times.code <= last)),
        )
        for first, last in zip(starts, ends, strict=True)
    ]
    return tuple(windows) if len(windows) > 1 else ()


def build_subset_requests(
    loaded: LoadedConfig, dataset: str, *, is_of_lists: bool
) -> tuple[SubsetRequest, ...]:
    """Build the requests for the deciding dataset's other rows that the primary pair is run on."""
    config = loaded.config
    if config.sensitivity.variants == "none" or config.deciding_dataset != dataset:
        return ()
    asked = [
        SubsetRequest(
            each.name, loaded.get_true_text(at), each.filter if loaded.is_hidden(at) else None, at
        )
        for place, each in enumerate(config.sensitivity.also)
        for at in [("sensitivity", "also", place, "filter")]
        if each.filter is not None
    ]
    if asked and is_of_lists:
        said = "a filter of sensitivity.also is for rows of one table; leave it out for queries"
        raise ConfigError([Problem(said, asked[0].at)])
    return tuple(asked)


def check_segments(loaded: LoadedConfig, counted: Mapping[str, Sequence[SegmentInfo]]) -> None:
    """Refuse the config if it names a segment, or a value of one, that the data do not have.

    `counted` are the segments of each dataset.
    """
    known = {name: [s.segment for s in each if s.n > 1] for name, each in counted.items()}
    problems = [
        Problem(
            _describe_unknown_segment(loaded.format_value(at), name, known[gate.dataset]),
            at,
            loaded.place(at),
        )
        for index, gate in enumerate(loaded.config.gates)
        for at, name in _iter_segments_of_gate(gate, index)
        if name not in known[gate.dataset]
    ]
    problems += [p for name, each in counted.items() for p in _unknown_values(loaded, name, each)]
    if problems:
        raise ConfigError(problems)


def _iter_segments_of_gate(gate: AnyGate, index: int) -> Iterator[tuple[ConfigPath, str]]:
    """Yield the segments that a gate names, each with its place."""
    if isinstance(gate, Gap):
        for place, value in enumerate(gate.between):
            yield ("gates", index, "between", place), f"{gate.segment}={value}"
    elif gate.segment is not None:
        yield ("gates", index, "segment"), gate.segment


def _unknown_values(
    loaded: LoadedConfig, dataset: str, counted: Sequence[SegmentInfo]
) -> Iterator[Problem]:
    """Values of a segment's column that the config has a word for and the data lack."""
    for index, each in enumerate(loaded.config.datasets[dataset].segments):
        known = [s.value for s in counted if s.column == each.column]
        for value in each.values:
            if value not in known:
                at: ConfigPath = ("datasets", dataset, "segments", index, "values", value)
                said = f"no row has the value {value!r} of the segment {each.column!r}"
                yield Problem(f"{said}; {suggest_value(value, known)}", at, loaded.place(at))


def _describe_unknown_segment(written: str, name: str, names: Sequence[str]) -> str:
    """Describe the mistake; of a bare value, with the values that its column has."""
    if "=" not in written:
        by = name.partition("=")[0]
        names = [each.partition("=")[2] for each in names if each.startswith(f"{by}=")]
    hint = suggest_value(written, names)
    return f"the data have no segment {written!r}, or only one row of it; {hint}"
