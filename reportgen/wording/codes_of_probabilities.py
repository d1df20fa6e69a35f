"""The texts of the warnings about probabilities, and about shares, of classes."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.wording.warning_text import WarningText

PROBABILITIES: Mapping[str, WarningText] = {
    "W119": WarningText(
        "classes separated",
        "The classes are told apart without error",
        "The classes are told apart without error",
        (": on all of {rows} rows",),
        "On these rows all probabilities of one class lie above all of the other; or, of several "
        "classes or labels, every row is called rightly.",
        "No finite calibration slope is best, measures stand at the end of their range, and "
        "resamples show no error either. On few rows chance does this; on many, a column that "
        "tells what happened may have been among the inputs.",
        "Look whether an input knows what happened; else judge the model on more rows.",
        consequence="Such a result is rare without a leak of what happened.",
        example=({}, "The classes are told apart without error."),
        topic="separated classes",
    ),
    "W120": WarningText(
        "miscalibrated",
        "The probabilities are not right",
        "The probabilities are not right",
        (
            " for class {class}",
            " for label {label}",
            ": they are off by {error} (calibration error)",
            "; on average they say {expected} where {happened} happened",
            "; on average the class that is called has probability {said} and is right for "
            "{right} of the rows",
            "; those of {classes} are off too",
            "; those of {more_classes} are off too",
            "; those of {more_labels} are off too",
            "; their slope is {slope} ({low} to {high}), 1 being right",
        ),
        "As much miscalibration is rarer than 1 in 100 among samples of a calibrated model, and "
        "the calibration error is above 0.02; or, of two classes, the whole interval of the "
        "calibration slope lies outside 0.8 to 1.25, or what happened differs from what the "
        "probabilities say on average, by more than 2 points where that is as rare, or with a "
        "ratio whose whole interval lies outside 0.8 to 1.25. Of several classes the class that "
        "each row is called and each class, and of labels each label, are judged by one test of "
        "them all.",
        "Whatever takes the probabilities at their word is off: expected costs, a threshold set by "
        "costs, sums over rows. The order of the rows is not touched. A slope below 1 means that "
        "probabilities are too extreme, above 1 that they are too timid.",
        "Recalibrate the model on rows that it was not fitted on, or choose thresholds by a budget "
        "or on such rows.",
        consequence="Decisions that take the probabilities at their word are off.",
        example=(
            {"error": 0.106, "slope": 1.62, "low": 1.32, "high": 1.91, "p": 0.001},
            (
                "The probabilities are not right: they are off by 0.106 (calibration error); "
                "their slope is 1.62 (1.32 to 1.91), 1 being right."
            ),
        ),
        topic="calibration",
    ),
    "W123": WarningText(
        "sure mistakes",
        "Probability 0, or next to it, was given to what happened",
        "Probability 0, or next to it, was given to what happened in {count} of the rows, {share} "
        "of the log loss",
        (),
        "The model was wholly sure of the class that did not happen.",
        "Such a row has no finite log loss, or one without measure: each class counts as at least "
        "`clip` likely, 2.2e-16 if that is not set, which costs 36, so that this share of the log "
        "loss is set by a convention.",
        "Ask for probabilities that are not rounded, or have the model hold them away from 0 "
        "and 1.",
        consequence="That share of it is set by where probabilities are clipped.",
        example=(
            {"count": 3, "share": 0.42},
            "Probability 0, or next to it, was given to what happened in 3 of the rows, 42% of "
            "the log loss.",
        ),
        topic="sure mistakes",
        instead=(
            "A probability under {clip} was given to what happened in {count} of the rows, {share} "
            "of the log loss",
        ),
    ),
    "W127": WarningText(
        "few rows at this prevalence",
        "Under these weights few rows decide",
        "At the declared prevalence {rows} rows know as much as {effective} of equal weight",
        ("; resamples lie {leans} standard errors to one side of the value",),
        "The shares of the classes under prevalence.target are so far from those of the rows that "
        "Kish's effective number is under a quarter of the rows; or, of one measure under any "
        "weights, the mean of the resamples is over an eighth of a standard error from its value.",
        "What is asked of all classes rests on the rows of the class that was drawn too rarely: "
        "each of them counts for many. Precision among the highest scores, and with it the average "
        "precision, then depends on the few negatives there: it comes out too high, and its limits "
        "with it.",
        "Judge more rows of that class, or give a prevalence nearer to that of the rows.",
        consequence="Values rest on the rows of one class.",
        example=(
            {"rows": 1000, "effective": 120},
            "At the declared prevalence 1,000 rows know as much as 120 of equal weight.",
        ),
    ),
    "W122": WarningText(
        "a class that resamples lack",
        "Some resamples hold no row of a class",
        "Of class {class} {share} of the resamples hold no row",
        (),
        "A class has so few units that more than 1% of the resamples draw none of them.",
        "What is told of that class has no value there; a mean over classes then leaves it out, so "
        "that its interval is about fewer classes now and then.",
        "Gather more rows of the class, or join it with another.",
        consequence="A class is so rare that little can be said of it.",
        example=(
            {"class": "rabies", "share": 0.05},
            "Of class rabies 5.0% of the resamples hold no row.",
        ),
    ),
    "W124": WarningText(
        "score the wrong way round",
        "The score may be the wrong way round",
        "The interval of this measure lies wholly below one half, up to {high}: the score may be "
        "the wrong way round",
        (),
        "The whole interval of an area under the ROC curve is below one half.",
        "The model puts the other class first more often than chance would: its sign, or which "
        "class is called 1, may be mistaken.",
        "Look whether higher scores are meant for the class that is 1 in the target; of a score "
        "where low ones are, say so: `order: ascending` in the model.",
        consequence="The opposite order would be better than chance.",
        example=(
            {"value": 0.4, "high": 0.45},
            (
                "The interval of this measure lies wholly below one half, up to 0.45: the "
                "score may be the wrong way round."
            ),
        ),
    ),
}
