"""The JSON Schema and the reader agree on every example, and on the plainest mistakes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reportgen.config.json_schema import build_config_schema
from reportgen.config.loading import read_config
from reportgen.config.yaml.faults import ProblemList
from reportgen.config.yaml.parsing import parse_yaml
from reportgen.config.yaml.tree import ConfigSource, build_plain_data
from reportgen.planning.loading import build_vocabulary
from tests.config.wallet_words import CONFIGS, EXAMPLE, WORDS

SCHEMA = build_config_schema(WORDS)
CATALOGUE = build_vocabulary()


def as_lists(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: as_lists(below) for key, below in value.items()}
    return [as_lists(below) for below in value] if isinstance(value, tuple) else value


def complaints(text: str, schema: dict[str, Any] = SCHEMA) -> list[str]:
    tree = parse_yaml(text, ConfigSource("test.yaml", 0, Path()), ProblemList())
    assert tree is not None
    return [
        e.message
        for e in Draft202012Validator(schema).iter_errors(as_lists(build_plain_data(tree)))
    ]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_example_is_valid() -> None:
    assert complaints(EXAMPLE) == []


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_example_in_the_repository_satisfies_schema_and_reader(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8"), build_config_schema(CATALOGUE)) == []
    assert read_config(path, CATALOGUE, environ={}).config.version == 1


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("replicates: 1999", "replicats: 1999"),
        ("- kendall\n", "- kendal\n"),
        ("alpha: 0.8}\nprimary", "alpha: much}\nprimary"),
        ("{name: asymmetric_cost, alpha: 0.8}", "{name: asymmetric_cost}"),
        ("task: regression", "task: regresion"),
        ("rule: below", "rule: bellow"),
        ("value: 40}", "value: forty}"),
        ("[html, pdf", "[htm, pdf"),
        ("  title: Customer wallet models, autumn review\n", ""),
        ("interval: auto", "interval: bcaa"),
        ("interval: auto", "weights: poison"),
        ("interval: auto", "block: 0.5"),
        ("buckets: 10", "buckets: [10, 1]"),
        ("buckets: 10", "buckets: []"),
        ("id: customer_id\n", "id: customer_id\n    used_to_choose: sometimes\n"),
        ("[segment, cohort]", '{spend: ["inf", 1, 10]}'),
    ],
)
def test_what_the_reader_refuses_the_editor_marks(was: str, now: str) -> None:
    assert was in EXAMPLE
    assert complaints(EXAMPLE.replace(was, now, 1))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("replicates: 1999", 'replicates: "${REPLICATES:-1999}"'),
        ("margin: 0.01}\nbuckets", "margin: 2%}\nbuckets"),
        ("buckets: 10", "buckets: 10\nx-note: [anything]\nmeta: {any: [thing]}"),
        ("[segment, cohort]", "{segment: , spend: {bins: [1, 10]}, age: [20, 40]}"),
        ("[segment, cohort]", "[segment, {column: spend, bins: [1, 10]}]"),
        ("[segment, cohort]", '{spend: [".inf", 1, 10]}'),
        ("[segment, cohort]", '[{column: spend, bins: ["-.inf", 1, ".inf"]}]'),
        ("value: 40}", "value: 40, segment: {segment: repeat}}"),
        ("id: customer_id\n", "id: customer_id\n    filter: n >= 2\n"),
        ("loss: linlin, ", ""),
        ("interval: auto", "weights: bayesian, block: 12"),
        ("buckets: 10", "buckets: [10, 5, 20]"),
        ("id: customer_id\n", "id: customer_id\n    used_to_choose: true\n"),
    ],
)
def test_what_the_reader_allows_the_editor_allows(was: str, now: str) -> None:
    assert was in EXAMPLE
    assert complaints(EXAMPLE.replace(was, now, 1)) == []
