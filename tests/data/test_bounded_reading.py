"""Data are regular files, unpacked within a limit; a glob stays below its folder."""

import gzip
import os
from dataclasses import replace

import pyarrow as pa
import pytest
import zstandard
from pyarrow import feather, parquet

from reportgen.data.dataset import read_dataset
from reportgen.data.files import opening
from reportgen.errors import ConfigError, DataError

GOOD = "id,y,a,b\n1,10,1,2\n2,20,3,4\n3,30,5,6\n"
LIMIT = 100_000
SAYS = "unpacks to more than 0.0001 GB; if this is intended, write `max_unpacked:`"


def limited(asked, path, most=LIMIT):
    request = asked.wide(path)
    return replace(request, table=replace(request.table, max_unpacked=most))


def packed(folder, suffix, text):
    pack = gzip.compress if suffix == ".gz" else zstandard.ZstdCompressor().compress
    path = folder / f"t.csv{suffix}"
    path.write_bytes(pack(text.encode()))
    return path


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_file_that_unpacks_to_more_than_is_allowed_is_refused(suffix, tmp_path, asked):
    path = packed(tmp_path, suffix, GOOD + "4,5,6,7\n" * 200_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match=SAYS):
        read_dataset(limited(asked, path))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_file_within_the_limit_is_read(suffix, tmp_path, asked):
    path = packed(tmp_path, suffix, GOOD)
    assert read_dataset(limited(asked, path, len(GOOD))).sample.n == 3
    with pytest.raises(DataError, match="unpacks to more than"):
        read_dataset(limited(asked, path, len(GOOD) - 1))


def test_frames_and_members_that_follow_each_other_are_all_read(tmp_path, asked):
    for suffix in (".gz", ".zst"):
        path = packed(tmp_path, suffix, GOOD)
        more = packed(tmp_path, suffix, "4,40,7,8\n" * 1).read_bytes()
        path.write_bytes(packed(tmp_path, suffix, GOOD).read_bytes() + more)
        assert read_dataset(asked.wide(path)).sample.n == 4


def test_the_limit_holds_for_the_files_of_a_glob_together(tmp_path, asked):
    for k in range(3):
        text = "id,y,a,b\n" + "".join(f"{k}-{i},1,2,3\n" for i in range(4000))
        packed(tmp_path, ".gz", text).rename(tmp_path / f"part-{k}.csv.gz")
    assert len(text) < LIMIT < 3 * len(text)
    with pytest.raises(DataError, match="unpacks to more than"):
        read_dataset(limited(asked, tmp_path / "part-*.csv.gz"))


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_a_typed_file_of_many_equal_values_is_refused(suffix, tmp_path, asked):
    n = 200_000
    table = pa.table({"id": pa.array(range(n)), **{c: pa.array([1.0] * n) for c in "yab"}})
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="zstd")
    assert path.stat().st_size < 2_000_000
    with pytest.raises(DataError, match=r"unpacks to more than"):
        read_dataset(limited(asked, path))


def test_a_device_or_a_pipe_is_no_data(tmp_path, asked):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "device.csv"):
        with pytest.raises(DataError, match=f"{name}: cannot be read: Not a regular file"):
            read_dataset(asked.wide(tmp_path / name))


def test_a_glob_meets_only_regular_files(tmp_path, asked):
    (tmp_path / "a.csv").write_text(GOOD, encoding="utf-8")
    os.mkfifo(tmp_path / "b.csv")
    (tmp_path / "c.csv").symlink_to("/dev/zero")
    assert read_dataset(asked.wide(tmp_path / "*.csv")).sample.n == 3


def test_a_glob_does_not_climb(tmp_path, asked):
    (tmp_path / "in").mkdir()
    (tmp_path / "t.csv").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"'\.\.' may stand only before the first wildcard"):
        read_dataset(asked.wide(tmp_path / "in" / "**" / ".." / "*.csv"))
    assert read_dataset(asked.wide(tmp_path / "in" / ".." / "*.csv")).sample.n == 3


def test_a_glob_that_would_look_at_too_much_is_refused(tmp_path, asked, monkeypatch):
    for k in range(12):
        (tmp_path / f"{k}").mkdir()
    monkeypatch.setattr(opening, "MOST_ENTRIES", 10)
    with pytest.raises(ConfigError, match="files and folders to search; give a more specific path"):
        read_dataset(asked.wide(tmp_path / "**" / "*.csv"))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.csv", ["a.csv", "b.csv"]),
        ("**/*.csv", ["a.csv", "b.csv", "one/c.csv", "one/two/d.csv"]),
        ("one/**/*.csv", ["one/c.csv", "one/two/d.csv"]),
        ("*/*.csv", ["loop/a.csv", "loop/b.csv", "one/c.csv"]),
        ("**/two/*", ["one/two/d.csv"]),
        ("[ab].csv", ["a.csv", "b.csv"]),
        ("**/**/?.csv", ["a.csv", "b.csv", "one/c.csv", "one/two/d.csv"]),
        ("*.tsv", []),
    ],
)
def test_a_glob_finds_what_it_says(pattern, found, tmp_path):
    (tmp_path / "one" / "two").mkdir(parents=True)
    for name in ("a.csv", "b.csv", "one/c.csv", "one/two/d.csv"):
        (tmp_path / name).touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    made = opening.find_matching_files(tmp_path, pattern)
    assert [path.relative_to(tmp_path).as_posix() for path in made] == found


def test_where_no_system_tells_its_memory_the_limit_is_4_gb(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert opening.half_memory_bytes() == 4_000_000_000
