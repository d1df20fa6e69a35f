"""Short forms of other programs: what each stands for, and what is none."""

import re

import pytest

from reportgen.config.task_shorthand import PATTERN, parse_measure_name
from reportgen.metrics import METRICS


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        ("IPrec@0.1", "iprec", {"recall": 0.1}),
        ("IPrec(rel=2)@1", "iprec", {"relevant": 2.0, "recall": 1.0}),
        ("iprec_at_recall_0.30", "iprec", {"recall": 0.3}),
        ("11pt_avg", "eleven_point", {}),
        ("nDCG@10", "ndcg", {"k": 10}),
        ("RBP(p=0.9)", "rbp", {"p": 0.9}),
        ("success_5", "success_at", {"k": 5}),
        ("DCG@5", "dcg", {"k": 5}),
        ("F(beta=2)@5", "f_at", {"beta": 2.0, "k": 5}),
    ],
)
def test_a_short_form_is_a_measure_with_its_parameters(text, name, params):
    assert parse_measure_name(text) == (name, params)
    assert re.fullmatch(PATTERN, text)
    assert set(params) <= {p.name for p in METRICS[name].parameters}


@pytest.mark.parametrize("text", ["nDCG@0.5", "iprec_at_recall", "iprec_at_recall_2", "11pt", "P_"])
def test_what_is_no_short_form_is_none(text):
    assert parse_measure_name(text) is None
