"""Replicates that are kept: the same numbers as without, whatever became of the files."""

import os
import stat
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import PlannedMetric
from reportgen.inference.resampling.cache import OLD_DRAFT, Cache, digest_parts
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.metric import rowwise
from reportgen.metrics.rows import Amounts
from reportgen.metrics.statistic import are_built_in
from tests.analysis.asked import question, uses

NAME = digest_parts("entry")
VALUES = np.linspace(0.0, 1.0, 12).reshape(4, 3)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept")


def entry(cache: Cache) -> Path:
    """The file of one array that is kept."""
    cache.put(NAME, VALUES)
    [file] = cache.folder.iterdir()
    return file


def small(*names: str):
    return change_plan(question(n=40, names=names, replicates=70), curves=(CURVES["ranking"],))


def damaged(data: bytes, draw: np.random.Generator) -> bytes:
    """The content of an entry after one of the things that befall files."""
    at, size = int(draw.integers(len(data))), int(draw.integers(1, 600))
    kinds = (
        lambda: data[:at] + bytes([data[at] ^ (1 << int(draw.integers(8)))]) + data[at + 1 :],
        lambda: data[:at] + bytes(len(data[at : at + size])) + data[at + size :],
        lambda: data[:at],
        lambda: data + data[-size:],
        lambda: data[:at] + data[at + 1 :],
        lambda: bytes(draw.integers(0, 256, size, dtype=np.uint8)),
    )
    return kinds[int(draw.integers(len(kinds)))]()


def test_what_is_kept_comes_back(cache):
    cache.put(NAME, VALUES)
    found = cache.get(NAME, VALUES.shape)
    assert np.array_equal(found, VALUES)
    found[0, 0] = 7.0  # and is the reader's own


def test_an_entry_of_another_shape_is_not_what_was_asked_for(cache):
    cache.put(NAME, VALUES)
    assert all(cache.get(NAME, shape) is None for shape in ((3, 4), (12,), (4, 2), (8, 3), (4,)))


def test_an_entry_under_anothers_name_is_not_what_was_asked_for(cache):
    other = digest_parts("other")
    entry(cache).rename(cache.folder / f"{other}.replicates")
    assert cache.get(other, VALUES.shape) is None


def test_a_changed_bit_a_zeroed_block_or_a_cut_end_is_noticed(cache):
    file, draw = entry(cache), np.random.default_rng(1)
    whole = file.read_bytes()
    for _ in range(400):
        file.write_bytes(damaged(whole, draw))
        assert file.read_bytes() == whole or cache.get(NAME, VALUES.shape) is None
    file.write_bytes(whole)
    assert cache.get(NAME, VALUES.shape) is not None


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'shape': (1000000000000,)}"],
)
def test_a_file_of_another_kind_is_no_entry(cache, content):
    entry(cache).write_bytes(content)
    assert cache.get(NAME, VALUES.shape) is None


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "device", "loop"])
def test_what_is_no_plain_file_is_no_entry_and_makes_nobody_wait(cache, tmp_path, kind):
    file = entry(cache)
    kept = file.rename(tmp_path / "elsewhere")
    make = {
        "pipe": lambda: os.mkfifo(file),
        "folder": file.mkdir,
        "link": lambda: file.symlink_to(kept),
        "device": lambda: file.symlink_to("/dev/zero"),
        "loop": lambda: file.symlink_to(file),
    }
    make[kind]()
    assert cache.get(NAME, VALUES.shape) is None
    cache.put(NAME, VALUES)
    cache.trim()
    assert [path.name for path in cache.folder.iterdir()] == [file.name]


def test_a_study_with_damaged_entries_is_the_one_without_a_cache(cache):
    asked, draw = small("mae", "kendall", "rmse"), np.random.default_rng(2)
    plain = draw_replicates(asked).replicates
    for _ in range(5):
        draw_replicates(asked, cache=cache)
        for file in cache.folder.iterdir():
            file.write_bytes(damaged(file.read_bytes(), draw))
        found = draw_replicates(asked, cache=cache).replicates
        assert found.keys() == plain.keys()
        assert all(np.array_equal(found[key], plain[key], equal_nan=True) for key in plain)


def test_a_second_study_draws_nothing(cache):
    asked, drawn = small("mae", "kendall", "rmse"), []
    draw_replicates(asked, cache=cache)
    draw_replicates(asked, 1, drawn.append, cache)
    assert drawn == []


@pytest.mark.parametrize("catalogue", [METRICS, CURVES], ids=["metrics", "curves"])
def test_every_statistic_of_the_package_is_kept(catalogue):
    functions = [
        found
        for each in catalogue.values()
        for part in fields(each)
        if callable(found := getattr(each, part.name))
    ]
    assert are_built_in(*functions)


@pytest.fixture
def own():
    """A metric of the user's own, whose constant may change from run to run."""
    before = dict(METRICS)
    constant = [2.0]

    @rowwise(
        title="Own",
        task="regression",
        better="lower",
        bounds=(0, np.inf),
        unit="y",
        estimand="mean",
        needs="amount",
        cite="",
    )
    def own_loss(y, score):
        """Own."""
        return constant[0] * abs(y - score)

    yield constant
    METRICS.clear()
    METRICS.update(before)


def test_a_metric_of_the_users_own_is_drawn_anew_whatever_it_reads(cache, own):
    first = draw_replicates(small("own_loss"), cache=cache).replicates
    own[0] = 5.0
    found, plain = (
        draw_replicates(small("own_loss"), cache=cache).replicates,
        draw_replicates(small("own_loss")),
    )
    assert any(not np.array_equal(found[key], first[key], equal_nan=True) for key in found)
    assert all(np.array_equal(found[key], plain.replicates[key], equal_nan=True) for key in found)


def test_a_built_in_function_finished_by_the_users_own_is_not_kept(own):
    metric = replace(METRICS["mae"], finish=lambda means: own[0] * means[:, 0])
    assert metric.bind(Amounts(np.arange(4.0), np.ones(4))).identity is None


def test_a_label_that_reads_like_the_key_of_an_error_is_a_label(cache):
    key = "mae\0standard error"
    asked = small("mae", "rmse")
    odd = change_plan(
        asked, metrics=(*uses("mae"), PlannedMetric(key, METRICS["rmse"].use(), None, False))
    )
    found = draw_replicates(odd, cache=cache)
    whole = draw_replicates(asked)
    part = found.parts[0]
    assert np.array_equal(
        found.evidence(part, odd.statistics.metrics[1], "m0").replicates,
        whole.evidence(whole.parts[0], asked.statistics.metrics[1], "m0").replicates,
    )


def test_the_longest_unused_go_first_and_what_is_read_is_used(cache):
    names = [digest_parts(k) for k in range(4)]
    for age, name in enumerate(names):
        cache.put(name, VALUES)
        file = cache.folder / f"{name}.replicates"
        os.utime(file, (1000 + age, 1000 + age))
    size = file.stat().st_size
    assert cache.get(names[0], VALUES.shape) is not None
    Cache(cache.folder, 2 * size).trim()
    kept = [name for name in names if cache.get(name, VALUES.shape) is not None]
    assert kept == [names[0], names[3]]


def test_a_write_that_fails_leaves_nothing_behind(cache, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    cache.put(digest_parts("first"), VALUES)
    monkeypatch.setattr(Path, "replace", full)
    cache.put(NAME, VALUES)
    assert [file.suffix for file in cache.folder.iterdir()] == [".replicates"]


def test_a_draft_that_a_killed_run_left_is_swept_and_one_being_written_stays(cache):
    cache.put(NAME, VALUES)
    old, new = (cache.folder / f"{digest_parts(k)}.{k}.draft" for k in "ab")
    for draft in (old, new):
        draft.write_bytes(b"half")
    past = time.time() - 2 * OLD_DRAFT
    os.utime(old, (past, past))
    cache.trim()
    assert not old.exists()
    assert new.exists()


def test_clearing_takes_what_is_ours_those_of_earlier_versions_too_and_nothing_else(cache):
    file = entry(cache)
    earlier, others = cache.folder / f"{NAME}.npy", cache.folder / "thesis.npy"
    for each in (earlier, others):
        each.write_bytes(b"12345")
    assert cache.measure().entries == 2
    held = cache.clear()
    assert held.entries == 2
    assert held.bytes > 5
    assert not file.exists()
    assert list(cache.folder.iterdir()) == [others]


def test_an_entry_is_nobody_elses_to_read(cache):
    assert stat.S_IMODE(entry(cache).stat().st_mode) == 0o600


def test_nothing_is_kept_where_the_disk_is_nearly_full(cache, monkeypatch):
    monkeypatch.setattr("reportgen.inference.resampling.cache.SPARE_BYTES", 1 << 62)
    cache.put(NAME, VALUES)
    assert list(cache.folder.iterdir()) == []


def test_a_folder_that_is_none_is_as_good_as_no_cache(tmp_path):
    (tmp_path / "kept").write_text("")
    cache = Cache(tmp_path / "kept")
    cache.put(NAME, VALUES)
    cache.trim()
    assert cache.get(NAME, VALUES.shape) is None
    assert cache.clear().entries == 0
