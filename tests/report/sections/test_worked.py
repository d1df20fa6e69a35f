"""What the sections say of the worked configs, from their results as files."""

import json
import re
from dataclasses import fields, is_dataclass
from functools import lru_cache

import pytest

from reportgen.report import archive
from reportgen.report.document import Figure, Listing, Span, iter_unfolded
from reportgen.report.layout import SECTIONS, build_document
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from reportgen.terms import DRAWN
from tests.worked import CONFIGS, results_of, text_of

SAYS = [
    # Who is better than whom on what decides, and where another reading is at hand.
    (
        "wallet",
        "decision",
        "Yes, for ranking customers: Gradient boosting is clearly better than CLV. For predicting "
        "amounts, it is worse.",
    ),
    (
        "churn",
        "decision",
        "Use Random forest or Gradient boosting: both are clearly better than Logistic regression.",
    ),
    (
        "churn",
        "decision",
        "With Random forest, flagging scores of 0.313 or more costs 5,800",
    ),
    (
        "churn",
        "decision",
        "The threshold “call list” (the 110 highest scores) costs 10,000 EUR",
    ),
    ("churn", "results", "where flagging pays for itself"),
    ("churn", "decision", "One random split of the customers of one company"),
    ("rroc-paper", "decision", "whether another model is better on cost of errors at 4 : 1."),
    (
        "wallet-shifts",
        "decision",
        "Keep CLV and correct its predictions with a fitted polynomial.",
    ),
    (
        "see-also",
        "decision",
        "Whole docstring is not worse, but the data cannot tell whether it is better.",
    ),
    # What it rests on: rows, margin, interval, resamples and seed.
    ("wallet", "method", "23,570"),
    (
        "wallet",
        "method",
        "95% CIs come from formulas or 199 resamples, seed 20261121.",
    ),
    (
        "auc-matrix",
        "method",
        "95% CIs of values come from 199 resamples, seed 42; CIs of differences come from "
        "formulas.",
    ),
    ("auc-matrix", "method", "CIs and p-values of the exact signed-rank test"),
    ("rroc-paper", "method", "The verdict rests on asymmetric cost. No margin is set."),
    (
        "wallet-shifts",
        "method",
        "The verdict rests on cost with a fitted constant (expected cost with a fitted "
        "correction). The margin is 2%.",
    ),
    ("churn", "results", "Logistic regression"),
    # Which model to use at which costs, and that a shift was fitted on the rows that judge it.
    ("wallet", "costs", "Cheapest at 1 : 4: Spend, last 91 days ①, 45% less than CLV"),
    ("wallet-shifts", "costs", "Cheapest at 4 : 1: CLV with its fitted polynomial"),
    (
        "rroc-paper",
        "costs",
        "Cheapest at 1 : 3: m1. The data cannot tell it apart from m4 ①, m2",
    ),
    (
        "rroc-paper",
        "costs",
        "The corrections were fitted on rows with ids that also occur in the test rows.",
    ),
    (
        "rroc-paper",
        "results",
        "Corrections were fitted on the dataset fit, which contains 10 of the 10 ids",
    ),
    ("wallet", "segments", "n = 9,616; the result reverses."),
    (
        "churn",
        "segments",
        "2 segments by International plan, compared on AUC. Intervals are adjusted",
    ),
    # What would change the verdict, and what wrong rows can do.
    ("wallet", "robustness", "With a second method, these verdicts change"),
    (
        "churn",
        "robustness",
        "The kind of interval changes no verdict on all customers.",
    ),
    (
        "wallet-shifts",
        "robustness",
        "without 5 customers, the verdict “clearly better” becomes “better”",
    ),
    (
        "churn",
        "robustness",
        "A single customer with a wrong target can change these metrics without limit: log loss.",
    ),
    ("wallet", "data", "70% of the target values are zero; 49% of the pairs are tied."),
    ("churn", "data", "The target is 1 on 14% of the customers and 0 on the others."),
    ("wallet-shifts", "data", "Dataset fit, used only for fitting"),
    ("wallet", "method", "6 for the other metrics of a model and 5 for the segments of"),
    ("rroc-paper", "method", "none declared, so “not worse” and “equivalent” cannot be verdicts"),
    (
        "ranking-in-regression",
        "decision",
        "Score 1 is clearly better for ranking rows, but worse for predicting amounts.",
    ),
    ("churn", "files", "data/churn.csv"),
    ("digits", "classes", "Random forest and Logistic regression apart on the F score of any of"),
    ("digits", "classes", "The 15 most frequent of 47 confusions: share of the class"),
    ("folds", "decision", "Intervals are for models retrained on the same number of new rows."),
    ("folds", "folds", "A model trained on the other folds (80% of all rows) scored each row"),
    ("folds", "folds", "The model trained on all rows was not tested."),
    ("digits", "data", "10 classes; the largest is 3 (183), the smallest 8 (174)."),
]


def told(part):
    """Every text of a part of a document, phrases as one text; no figure, no listing."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple) and part and all(isinstance(each, Span) for each in part):
        yield "".join(each.text for each in part)
    elif isinstance(part, tuple):
        for each in part:
            yield from told(each)
    elif is_dataclass(part) and not isinstance(part, Figure | Listing):
        for field in fields(part):
            yield from told(getattr(part, field.name))


@lru_cache
def sections_of(name):
    """The texts of each section by its key, with plain spaces."""
    made = build_document(results_of(name)).sections
    return {each.id: " | ".join(told(each)).replace("\u00a0", " ") for each in made}


@pytest.mark.parametrize("name, section, sentence", SAYS)
def test_a_section_says(name, section, sentence):
    assert sentence in sections_of(name)[section]


def test_every_section_is_held_to_a_sentence_but_those_of_several_datasets_or_runs():
    assert {section for _, section, _ in SAYS} == set(SECTIONS) - {"across", "changes"}


@pytest.mark.parametrize("name", CONFIGS)
def test_no_section_prints_what_has_no_value(name):
    for section, text in sections_of(name).items():
        for word in ("nan", "None", "inf"):
            assert f" {word} " not in text, (section, word)


@pytest.mark.parametrize("name", CONFIGS)
def test_results_that_were_read_are_written_and_read_the_same(name, tmp_path):
    results = results_of(name)
    (tmp_path / "results.json").write_bytes(archive.dump_results(results))
    assert archive.load_results(tmp_path / "results.json") == results


def is_kept(old, new):
    """Whether all of a JSON value is in another, which may have keys that are newer."""
    if isinstance(old, dict):
        return old.keys() <= new.keys() and all(is_kept(old[key], new[key]) for key in old)
    if isinstance(old, list):
        return len(old) == len(new) and all(map(is_kept, old, new))
    return old == new


@pytest.mark.parametrize("name", CONFIGS)
def test_nothing_of_a_file_is_lost_by_reading_it(name):
    assert is_kept(json.loads(text_of(name)), json.loads(archive.dump_results(results_of(name))))


WORDS_OF_VERSION_2 = re.compile(
    r"inconclusive|[Nn]on-inferior|[Nn]ot enough evidence|size unclear|negligibl|"
    r"Better on this metric only|Equal on these rows|(better|worse) beyond the margin"
)


@pytest.mark.parametrize("name", CONFIGS)
def test_no_report_has_a_verdict_of_an_earlier_version(name):
    results = results_of(name)
    made = build_document(results)
    blocks = (each for section in made.sections for each in iter_unfolded(section.blocks))
    drawn = [(b.title, b.caption, b.description) for b in blocks if isinstance(b, Figure)]
    shown = " ".join([*sections_of(name).values(), *(" ".join(each) for each in drawn)])
    assert WORDS_OF_VERSION_2.findall(shown) == []
    [suite] = render_output("junit", made, results, Theme()).values()
    assert WORDS_OF_VERSION_2.findall(suite.decode()) == []


@pytest.mark.parametrize("output", ["markdown", "junit"])
def test_a_report_is_made_again_from_its_results(output):
    results = results_of("churn")
    files = render_output(output, build_document(results), results, Theme())
    assert files[DRAWN[output]]


@pytest.mark.parametrize("name", ["wallet", "churn"])
def test_segments_go_by_their_names_everywhere_but_in_the_config(name):
    columns = {s.segment for s in results_of(name).datasets[0].segments if s.label}
    assert columns
    for section, said in sections_of(name).items():
        found = {segment for segment in columns if segment in said}
        assert not found or section == "reference", (section, found)


def test_of_several_curves_the_model_asked_about_leads_then_the_farthest_away():
    sections = build_document(results_of("see-also")).sections
    figures = [b for s in sections for b in iter_unfolded(s.blocks) if isinstance(b, Figure)]
    [title] = [f.title for f in figures if f.title.startswith("nDCG by depth")]
    assert title.endswith(
        "Whole docstring is higher at ranks from 40 to 50, Shared words is lower at ranks "
        "from 1 to "
        "50 and 1 other model differs at some points"
    )
