"""A class on which the better model is worse: the answer names it."""

from dataclasses import replace

from reportgen.report.conclusion.answer import describe_worse_classes
from reportgen.report.selection import Selection
from reportgen.results.classification import ClassValues
from reportgen.results.core import ClassInfo
from tests.report.conclusion.numbers_in import MAE, TAU, compared, results


def found_with(*verdicts):
    made = results(compared(TAU, 0.011, 0.03))
    leading = replace(MAE, key="f", name="f")
    classes = tuple(ClassInfo(f"c{k}", f"Class {k}", 30) for k in range(len(verdicts)))
    values = tuple(
        ClassValues(
            "holdout",
            f"c{k}",
            "",
            "f",
            "F",
            30,
            (),
            (replace(compared(TAU, -0.1, 0.1), word=verdict),),
        )
        for k, verdict in enumerate(verdicts)
    )
    info = replace(made.datasets[0], classes=classes)
    return Selection(
        replace(made, datasets=(info, *made.datasets[1:]), classes=values, class_metrics=(leading,))
    )


def test_the_class_is_named_and_several_are_counted():
    assert describe_worse_classes(found_with("better", "cannot tell"), "boost") == ""
    assert (
        describe_worse_classes(found_with("better", "worse"), "boost") == "worse on class Class 1"
    )
    assert describe_worse_classes(found_with("worse", "worse"), "boost") == "worse on 2 classes"
    assert describe_worse_classes(found_with("worse"), "rfm") == ""
