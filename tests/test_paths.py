"""How a path stands in a report: relative to the config, and never a folder of the machine."""

from pathlib import Path

import pytest

from reportgen.paths import format_path

HOME = Path("/home/a/project")


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("data/x.csv", "data/x.csv"),
        ("/home/a/project/data/x.csv", "data/x.csv"),
        ("data/../x.csv", "x.csv"),
        ("../secret/x.csv", "x.csv"),
        ("/srv/secret/x.csv", "x.csv"),
        ("/srv/secret/2026-*/x*.csv", "2026-*/x*.csv"),
        ("../secret/*.csv", "*.csv"),
        ("${DATA}/x.csv", "${DATA}/x.csv"),
    ],
)
def test_a_path_below_the_config_is_relative_and_any_other_its_last_part(
    written: str, printed: str
) -> None:
    assert format_path(written, HOME, HOME) == printed


def test_a_path_of_a_base_elsewhere_begins_where_the_base_stands() -> None:
    assert format_path("../x.csv", HOME / "bases", HOME) == "x.csv"
    assert format_path("../../x.csv", HOME / "bases", HOME) == "x.csv"
