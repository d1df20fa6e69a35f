"""A file that another job replaces while it is read: the file that was opened, or no report."""

import os
from hashlib import sha256
from pathlib import Path

import pytest
from pyarrow import parquet

from reportgen.errors import DataError
from reportgen.governance.study import Options
from reportgen.pipeline import run_config
from reportgen.progress import SilentProgress
from tests.streaming import configs, test_queries

STAGES = ("looking for queries", "looking at the rows", "adding up and resampling")


class Replacing(SilentProgress):
    """Puts other rows in place of the data, as a stage begins or once a row group of it is read."""

    def __init__(self, stage: str, is_late: bool, file: Path) -> None:
        self.titles, self.wanted, self.is_late, self.file = [], stage, is_late, file
        self.count = 0

    def replace_file(self) -> None:
        self.count += 1
        other = self.file.with_name("other.parquet")
        parquet.write_table(parquet.read_table(self.file).slice(30), other, row_group_size=500)
        other.replace(self.file)

    def stage(self, title: str, total: int = 0) -> None:
        self.titles.append(title)
        if title.startswith(self.wanted) and not self.is_late:
            self.replace_file()

    def done(self, steps: int) -> None:
        if self.titles[-1].startswith(self.wanted) and self.is_late and not self.count:
            self.replace_file()


def write_config(folder: Path, engine: str) -> tuple[Path, Path]:
    file = folder / "rows.parquet"
    parquet.write_table(test_queries.table(), file, row_group_size=500)
    return file, configs.written(folder, test_queries.CONFIG, engine, "weight: w")


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("stage", STAGES)
def test_a_streamed_file_that_is_replaced_ends_the_run(
    tmp_path: Path, stage: str, is_late: bool
) -> None:
    file, config = write_config(tmp_path, "stream")
    progress = Replacing(stage, is_late, file)
    with pytest.raises(DataError, match=r"rows\.parquet: was replaced while it was read"):
        run_config(config, Options(use_cache=False), progress)
    assert progress.count == 1


def test_a_file_that_is_changed_in_place_is_no_longer_the_same(tmp_path: Path) -> None:
    file, config = write_config(tmp_path, "stream")

    class Touching(Replacing):
        def replace_file(self) -> None:
            self.count += 1
            os.utime(self.file)

    with pytest.raises(DataError, match="was replaced while it was read"):
        run_config(config, Options(use_cache=False), Touching(STAGES[-1], True, file))


def test_in_memory_the_report_describes_the_file_that_was_opened(tmp_path: Path) -> None:
    file, config = write_config(tmp_path, "memory")
    digest = sha256(file.read_bytes()).hexdigest()
    undisturbed = run_config(config, Options(use_cache=False), SilentProgress())
    progress = Replacing("resampling", False, file)
    found = run_config(config, Options(use_cache=False), progress)
    assert progress.count == 1 and sha256(file.read_bytes()).hexdigest() != digest
    assert found.results.estimates == undisturbed.results.estimates
    assert [each.sha256 for each in found.results.datasets[0].inputs] == [digest]
