"""The published JSON Schema of results.json is that of the files that are written."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reportgen.report.archive import build_results_schema
from tests.worked import text_of

SCHEMA: dict[str, Any] = build_results_schema()
VALID = Draft202012Validator(SCHEMA)


def test_it_is_a_schema_that_names_its_version() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:reportgen:results:3"


@pytest.mark.parametrize("name", ["wallet", "churn", "see-also", "wallet-costs"])
def test_what_a_run_wrote_is_valid(name: str) -> None:
    assert [error.message for error in VALID.iter_errors(json.loads(text_of(name)))] == []


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("estimates", "value", "4"),
        ("comparisons", "verdict", "great"),
        ("gates", "status", None),
    ],
)
def test_a_value_of_another_kind_is_not_valid(part: str, field: str, value: object) -> None:
    told = json.loads(text_of("wallet"))
    told[part][0][field] = value
    assert not VALID.is_valid(told)
