"""Every key of the language changes what a reader sees; a key without a case here fails by name."""

import copy
import gzip
import json
import os
import sqlite3
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet
from pypdf import PdfReader

from reportgen.config.schema.config import Config
from reportgen.config.schema.fields import MarginKeys, StrictModel
from reportgen.errors import ReportgenError
from reportgen.governance.digests import digest_map
from reportgen.governance.freeze import FROZEN_SCHEMA
from reportgen.governance.study import Options
from reportgen.metrics.curves.curve import MANY_ROWS
from reportgen.pipeline import run_config
from reportgen.progress import SilentProgress
from reportgen.report.layout import build_document
from tests.end_to_end.every_key_of_classes import CASES as OF_CLASSES
from tests.end_to_end.every_key_of_classes import put_answers, put_calls
from tests.end_to_end.every_key_of_lists import CASES as OF_LISTS
from tests.end_to_end.lists import put_letor, put_lists
from tests.end_to_end.wallet import EPOCH, customers, dataset, put_config, write_rows
from tests.worked import text_of

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><!-- ours --></svg>'
PLUGIN = """
from reportgen import rowwise


@rowwise(title="Ours", task="regression", better="lower", bounds=(0, float("inf")), unit="y",
         estimand="mean", needs="amount", cite="")
def ours(y, score):
    "The mean distance."
    return abs(y - score)
"""
SMALL = {
    "models": {
        "clv": {"column": "score_clv_bgnbd_gg", "role": "baseline"},
        "boosted": {"column": "score_gbm_time"},
    },
    "datasets": dataset(segments=None),
    "metrics": ["mae"],
    "primary": None,
    "bootstrap": {"replicates": 19},
    "gates": None,
    "curves": [],
    "outputs": ["json"],
}
BELOW = {"name": "g", "rule": "below", "metric": "mae", "model": "boosted", "value": 1}
STEADY = {
    "name": "g",
    "rule": "not_worse_than_previous",
    "metric": "mae",
    "model": "boosted",
    "margin": 1,
}
SINCE = {"previous": {"path": "before.json"}}
IN_DOLLARS = {"datasets": dataset(segments=None, unit="$")}  # as in before.json
RENAMED = {
    "clv": {"column": "score_clv_bgnbd_gg", "role": "baseline"},
    "new": {"column": "score_gbm_time"},
}
EMPTY_RULE = json.dumps({"schema": FROZEN_SCHEMA, "time": "", "rule": {}, "digest": digest_map({})})
OWN = {"name": "narrow", "margin": 0.001}
OWN_ROWS = {"name": "narrow", "filter": "n_orders > 1"}
BETTER = {"name": "g", "rule": "better", "metric": "mae", "model": "boosted"}
CLOSE = {"name": "g", "rule": "non_inferior", "metric": "mae", "model": "boosted", "margin": 1}
APART = {
    "name": "g",
    "rule": "gap_below",
    "metric": "mae",
    "model": "boosted",
    "segment": "segment",
    "value": 500,
}
WIDER = {
    "name": "g",
    "rule": "gap_no_wider",
    "metric": "mae",
    "model": "boosted",
    "segment": "segment",
    "margin": 50,
}
REPEAT = {**BELOW, "segment": "segment=repeat"}
THREE = {**SMALL["models"], "rfm": {"column": "score_rfm"}}
SPLIT = {
    "datasets": dataset(path=None, labels={"path": "wallet.csv"}, segments=None),
    "models": {
        "clv": {
            "role": "baseline",
            "scores": {"path": "wallet.csv", "column": "score_clv_bgnbd_gg"},
        },
        "boosted": {"scores": {"path": "wallet.csv", "column": "score_gbm_time"}},
    },
}
OF_BOOK = {"path": "wallet.xlsx", "column": "score_gbm_time"}
PACKED = {"path": "packed.csv.gz", "column": "score_gbm_time"}
HOLDOUT = dataset(segments=None)["holdout"]
LONG = dataset(segments=None, path="long.csv", model="model", score="p")["holdout"]
OF_SQL = dataset(segments=None, path=None, sql="select * from rows", connection="FIRST")["holdout"]
LONG_MODELS = {"clv": {"role": "baseline"}, "boosted": {}}
MANY = {
    "datasets": dataset(path="many.csv", segments=None),
    "curves": ["concordance"],
    "bootstrap": {"replicates": 29},  # a band needs 20
    "allow": {"doubled": "few rows", "copies": "few rows"},
}
TWO = {"datasets": {"holdout": HOLDOUT, "late": {**HOLDOUT, "filter": "n_orders > 1"}}}
OF_SEGMENTS = {**HOLDOUT, "segments": ["segment"]}
TWO_OF_SEGMENTS = {
    "datasets": {"holdout": OF_SEGMENTS, "late": {**OF_SEGMENTS, "filter": "n_orders > 1"}}
}
THREE_SETS = {"datasets": {**TWO["datasets"], "first": {**HOLDOUT, "filter": "n_orders < 4"}}}
FOLDED = {"datasets": dataset(segments=None, fold="cohort"), "metrics": ["kendall"]}
BY_TIME = {"datasets": dataset(segments=["segment"], time="recency_days")}
FITTED = {
    "costs": {"asymmetries": [0.8]},
    "datasets": {
        "holdout": {**HOLDOUT, "filter": "cohort == '1997-01'"},
        "fitting": {**HOLDOUT, "filter": "cohort != '1997-01'", "role": "fit"},
    },
}


def data(key: str, value: object, **beside: object) -> tuple[dict[str, object], dict[str, object]]:
    """One more key of the dataset."""
    before = dataset(segments=None, **beside)
    return {"datasets": before}, {"datasets": dataset(**{"segments": None, **beside, key: value})}


def model(key: str, value: object) -> tuple[dict[str, object], dict[str, object]]:
    """One more key of the second model."""
    models = copy.deepcopy(SMALL["models"])
    models["boosted"][key] = value
    return {}, {"models": models}


FEW = dataset(segments=None, sample={"n": 12})
OF_FEW = {"datasets": FEW, "gates": [{**BELOW, "inconclusive": "fail"}]}
AMOUNTS = ("y_spend_hold", "score_clv_bgnbd_gg", "score_gbm_time")
NUMBERS = {
    "datasets": {
        "holdout": {"path": "wallet.parquet", "id": "customer_id", "target": "y_spend_hold"}
    },
    "bootstrap": {"replicates": 19, "weights": "poisson"},
}


def top(key: str, part: str, before: object, after: object, **more: object):
    """One key of a map at the top, with one value and with another."""
    rest = more.pop("beside", {})
    return {key: {**rest, part: before}, **more}, {key: {**rest, part: after}, **more}


def gate(rule: dict[str, object], key: str, value: object, **more: object):
    """One key of a gate, with another value."""
    return {"gates": [rule], **more}, {"gates": [{**rule, key: value}], **more}


def held_against(reference: dict[str, object], key: str, value: object, **more: object):
    """One key of a reference, with another value."""
    return {"references": [reference], **more}, {"references": [{**reference, key: value}], **more}


def report(key: str, value: object):
    return {}, {"report": {"title": "Wallet", key: value}}


def found(key: str):
    """One more key of a finding."""
    return report("findings", [{"id": "F-1"}])[1], report(
        "findings", [{"id": "F-1", key: "shown"}]
    )[1]


def kept(key: str, before: object, after: object, **beside: object):
    """One key of a map of the second model, with one value and with another."""
    under = "trained_on" if "path" in {key, *beside} else "artifact"
    return tuple(model(under, {**beside, key: value})[1] for value in (before, after))


def signed(key: str):
    return report("sign_off", [{"role": "Owner"}])[1], report(
        "sign_off", [{"role": "Owner", key: "shown"}]
    )[1]


def costs(key: str, value: object, **beside: object):
    beside = beside or {"asymmetries": [0.2, 0.8]}
    return {"costs": beside}, {"costs": {**beside, key: value}}


CASES = {
    "Config.version": ({}, {"version": 2}),
    "Config.report": report("title", "Another"),
    "Config.datasets": ({}, TWO),
    "Config.task": ({}, {"task": "binary"}),
    "Config.models": ({}, {"models": THREE}),
    "Config.metrics": ({}, {"metrics": ["rmse"]}),
    "Config.primary": (
        {"metrics": ["mae", "rmse"]},
        {"metrics": ["mae", "rmse"], "primary": {"metric": "rmse"}},
    ),
    "Config.buckets": ({"metrics": ["ranking_last"]}, {"metrics": ["ranking_last"], "buckets": 3}),
    "Config.costs": ({}, {"costs": {"asymmetries": [0.8]}}),
    "Config.compute": (MANY, {**MANY, "compute": {"exact": True}}),
    "Compute.memory": (
        {"compute": {"engine": "stream"}, **NUMBERS},
        {"compute": {"engine": "stream", "memory": "1MB"}, **NUMBERS},
    ),
    "Compute.engine": (
        {"compute": {"engine": "memory"}, **NUMBERS},
        {"compute": {"engine": "stream"}, **NUMBERS},
    ),
    # Clusters are reached in tests/streaming; one that is not there is told of.
    "DaskEngine.dask": (
        {"compute": {"engine": "stream"}, **NUMBERS},
        {"compute": {"engine": {"dask": "there"}}, **NUMBERS},
    ),
    "Compute.exact": ({**MANY, "compute": {"exact": False}}, {**MANY, "compute": {"exact": True}}),
    "Config.bootstrap": ({}, {"bootstrap": {"replicates": 29}}),
    "Config.comparisons": ({"models": THREE}, {"models": THREE, "comparisons": {"against": "all"}}),
    "Config.inference": ({}, {"inference": {"sequential": True, "largest_difference": 9000}}),
    "InferenceKeys.sequential": ({}, {"inference": {"sequential": True}}),
    "InferenceKeys.largest_difference": top(
        "inference", "largest_difference", 900, 9000, beside={"sequential": True}
    ),
    "Config.gates": ({}, {"gates": [BELOW]}),
    "Config.curves": ({}, {"curves": ["ranking"]}),
    "Config.outputs": ({}, {"outputs": ["markdown"]}),
    "Config.sections": ({}, {"sections": ["decision", "data"]}),
    "Config.sensitivity": ({}, {"sensitivity": "none"}),
    "SensitivityKeys.variants": top("sensitivity", "variants", "usual", "none"),
    "SensitivityKeys.also": top("sensitivity", "also", [], [OWN]),
    "OwnVariant.name": top("sensitivity", "also", [OWN], [{**OWN, "name": "wide"}]),
    "OwnVariant.margin": top("sensitivity", "also", [OWN], [{**OWN, "margin": "90%"}]),
    "OwnVariant.filter": top("sensitivity", "also", [OWN], [OWN_ROWS]),
    "Config.privacy": ({}, {"privacy": "strict"}),
    "PrivacyKeys.level": top("privacy", "level", "open", "strict"),
    "PrivacyKeys.min_segment": (
        {"datasets": dataset()},
        {"datasets": dataset(), "privacy": {"min_segment": 59}},
    ),
    "PrivacyKeys.min_cell": top("privacy", "min_cell", 1, 50, curves=["gain"]),
    "PrivacyKeys.extremes": top("privacy", "extremes", True, False),
    "PrivacyKeys.leverage": top("privacy", "leverage", True, False),
    "Config.frozen": ({}, {"frozen": "frozen.json"}),
    "Config.previous": ({}, {"previous": {"path": "before.json"}}),
    "Previous.path": top("previous", "path", "before.json", "none.json"),
    "Previous.required": top("previous", "required", False, True, beside={"path": "none.json"}),
    "Previous.models": top(
        "previous", "models", {}, {"boosted": "clv"}, beside={"path": "before.json"}
    ),
    "Config.pdf": ({"outputs": ["pdf"]}, {"outputs": ["pdf"], "pdf": {"attach": []}}),
    "Pdf.attach": top("pdf", "attach", ["config"], ["evidence"], outputs=["pdf"]),
    "Config.theme": ({"outputs": ["html"]}, {"outputs": ["html"], "theme": {"accent": "#112233"}}),
    "Config.warnings": ({}, {"warnings": {"fatal": ["W102"]}}),
    "Config.show_variables": (
        {"report": {"title": "Wallet", "audience": "${AUDIENCE}"}},
        {"report": {"title": "Wallet", "audience": "${AUDIENCE}"}, "show_variables": ["AUDIENCE"]},
    ),
    "Config.plugins": ({"metrics": ["ours"]}, {"metrics": ["ours"], "plugins": ["ours.py"]}),
    "Config.meta": ({}, {"meta": {"ticket": "A-1"}}),
    "Config.allow": ({"datasets": FEW}, {"datasets": FEW, "allow": {"too_few": "by design"}}),
    "Config.checks": (OF_FEW, {**OF_FEW, "checks": {"on_stop": "inconclusive"}}),
    "ChecksKeys.on_stop": top("checks", "on_stop", "error", "inconclusive", **OF_FEW),
    "ReportKeys.title": report("title", "Another"),
    "ReportKeys.id": report("id", "A-1"),
    "ReportKeys.question": report("question", "Which one?"),
    "ReportKeys.audience": report("audience", "The board"),
    "ReportKeys.classification": report("classification", "SECRET"),
    "ReportKeys.status": report("status", "FINAL"),
    "ReportKeys.length": (
        {"outputs": ["markdown"]},
        {"outputs": ["markdown"], "report": {"title": "Wallet", "length": "memo"}},
    ),
    "ReportKeys.limitations": report("limitations", ["One cohort."]),
    "ReportKeys.sign_off": report("sign_off", [{"role": "Owner"}]),
    "ReportKeys.show_ids": report("show_ids", True),
    "ReportKeys.psi": tuple(
        {**FITTED, "report": {"title": "Wallet", "psi": psi}} for psi in (False, True)
    ),
    "ReportKeys.decision": report("decision", "enough"),
    "ReportKeys.needs": report("needs", "not_worse"),
    "ReportKeys.headline": tuple(
        {**each, "metrics": ["mae", "rmse", "r2"], "primary": {"metric": "mae"}}
        for each in report("headline", ["r2"])
    ),
    "ReportKeys.about": tuple({**each, "models": THREE} for each in report("about", "boosted")),
    "SignOffKeys.role": (
        report("sign_off", [{"role": "Owner"}])[1],
        report("sign_off", [{"role": "Maker"}])[1],
    ),
    **{f"SignOffKeys.{key}": signed(key) for key in ("name", "decision", "date")},
    "ReportKeys.findings": report("findings", [{"id": "F-1"}]),
    "FindingKeys.id": (
        report("findings", [{"id": "F-1"}])[1],
        report("findings", [{"id": "F-2"}])[1],
    ),
    **{f"FindingKeys.{key}": found(key) for key in ("text", "severity", "owner", "due", "status")},
    "Dataset.path": data("path", "others.csv"),
    "Dataset.labels": ({"datasets": dataset(path=None)}, SPLIT),
    "Labels.path": (
        SPLIT,
        {**SPLIT, "datasets": dataset(path=None, segments=None, labels={"path": "others.csv"})},
    ),
    "Dataset.id": tuple(
        {**each, "report": {"title": "Wallet", "show_ids": True}} for each in data("id", "number")
    ),
    "Dataset.target": data("target", "n_orders"),
    "Dataset.target_label": data("target_label", "spend in nine months"),
    "Dataset.unit": data("unit", "USD"),
    "Dataset.case": data("case", "customer"),
    "Case.one": (data("case", "customer")[1], data("case", "buyer")[1]),
    "Case.many": (
        data("case", {"one": "person"})[1],
        data("case", {"one": "person", "many": "people"})[1],
    ),
    "Dataset.weight": data("weight", "n_orders"),
    "Dataset.cluster": data("cluster", "cohort"),
    **{
        f"Dataset.{key}": tuple(
            {"datasets": {"holdout": {**LONG, key: each}}, "models": LONG_MODELS} for each in pair
        )
        for key, pair in {"model": ("model", "other"), "score": ("p", "q")}.items()
    },
    **{
        f"Dataset.{key}": tuple(
            {"datasets": {"holdout": {k: v for k, v in {**OF_SQL, **one}.items() if v is not None}}}
            for one in pair
        )
        for key, pair in {
            "sql": ({}, {"sql": "select * from rows limit 40"}),
            "sql_file": tuple({"sql": None, "sql_file": f"{n}.sql"} for n in ("all", "some")),
            "connection": ({}, {"connection": "OTHER"}),
            "driver": ({}, {"driver": "adbc_driver_sqlite"}),
        }.items()
    },
    "Dataset.strata": data("strata", "segment"),
    "Dataset.query": data("query", "cohort"),
    "Dataset.fold": data("fold", "cohort"),
    "Dataset.repeat": data("repeat", "segment", fold="cohort"),
    "Config.across": (THREE_SETS, {**THREE_SETS, "across": {}}),
    "AcrossKeys.rope": ({**THREE_SETS, "across": {}}, {**THREE_SETS, "across": {"rope": 9}}),
    "Config.folds": (FOLDED, {**FOLDED, "folds": {"question": "fitted"}}),
    "FoldKeys.question": (
        {**FOLDED, "folds": {"question": "procedure"}},
        {**FOLDED, "folds": {"question": "fitted"}},
    ),
    "FoldKeys.train_share": (
        {**FOLDED, "folds": {"train_share": "auto"}},
        {**FOLDED, "folds": {"train_share": 0.9}},
    ),
    "FoldKeys.pool": (FOLDED, {**FOLDED, "folds": {"pool": True}}),
    "Dataset.time": data("time", "recency_days"),
    "Dataset.segments": data("segments", ["segment"]),
    "SegmentKeys.column": (data("segments", ["segment"])[1], data("segments", ["cohort"])[1]),
    "SegmentKeys.bins": (
        data("segments", [{"column": "n_orders", "bins": [0, 2, 1000]}])[1],
        data("segments", [{"column": "n_orders", "bins": [0, 3, 1000]}])[1],
    ),
    **{
        f"SegmentKeys.{key}": (
            {"gates": [REPEAT], **data("segments", ["segment"])[1]},
            {"gates": [REPEAT], **data("segments", {"segment": {key: value}})[1]},
        )
        for key, value in (("label", "Customers"), ("values", {"repeat": "Repeat"}))
    },
    "Dataset.filter": data("filter", "n_orders > 1"),
    "Dataset.sample": data("sample", {"n": 20}),
    "SampleOf.n": (data("sample", {"n": 20})[1], data("sample", {"n": 21})[1]),
    "SampleOf.seed": (data("sample", {"n": 20})[1], data("sample", {"n": 20, "seed": 2})[1]),
    "Dataset.delimiter": data("delimiter", ";"),
    "Dataset.format": data("format", "jsonl"),
    "Dataset.encoding": data("encoding", "utf-16"),
    "Dataset.decimal": data("decimal", ","),
    "Dataset.thousands": data("thousands", "."),
    "Dataset.skip_rows": data("skip_rows", 1),
    "Dataset.sheet": tuple(
        {"datasets": dataset(segments=None, path="wallet.xlsx", sheet=each)} for each in ("a", "b")
    ),
    "Dataset.columns": data("columns", ["customer_id", "y_spend_hold"]),
    "Dataset.max_unpacked": data("max_unpacked", 1e-6, path="packed.csv.gz"),
    "Dataset.missing": data("missing", "drop", path="gaps.csv"),
    "Dataset.match": tuple({**each, "outputs": ["markdown"]} for each in data("match", "loose")),
    "Dataset.role": (
        {"datasets": {"holdout": HOLDOUT, "late": HOLDOUT}},
        {"datasets": {"holdout": HOLDOUT, "late": {**HOLDOUT, "role": "fit"}}},
    ),
    "Dataset.fit": (
        {**FITTED, "datasets": {**FITTED["datasets"], "again": {**HOLDOUT, "role": "fit"}}},
        {
            **FITTED,
            "datasets": {
                **FITTED["datasets"],
                "again": {**HOLDOUT, "role": "fit"},
                "holdout": {**FITTED["datasets"]["holdout"], "fit": "fitting"},
            },
        },
    ),
    "Dataset.looks": (
        {"primary": {"metric": "mae"}},
        {"primary": {"metric": "mae"}, "datasets": dataset(looks=5)},
    ),
    "Dataset.used_to_choose": data("used_to_choose", True),
    "Dataset.used_to_fit": (
        {**FITTED, "datasets": {"holdout": HOLDOUT, "fitting": {**HOLDOUT, "role": "fit"}}},
        {
            **FITTED,
            "datasets": {
                "holdout": {**HOLDOUT, "used_to_fit": True},
                "fitting": {**HOLDOUT, "role": "fit"},
            },
        },
    ),
    "Model.label": model("label", "Boosted trees"),
    "Model.role": (
        {},
        {
            "models": {
                "clv": {"column": "score_clv_bgnbd_gg"},
                "boosted": {"column": "score_gbm_time", "role": "baseline"},
            }
        },
    ),
    "Model.scale": model("scale", "rank"),
    "Model.transform": model("transform", {"times": 2}),
    "TimesKeys.times": tuple(model("transform", {"times": each})[1] for each in (0.1, 0.2)),
    "Model.allow": model("allow", {"constant": "a flat forecast"}),
    "Model.version": model("version", "2"),
    "Model.owner": model("owner", "Pricing"),
    "Model.artifact": model("artifact", {"sha256": 64 * "0"}),
    "ArtifactKeys.uri": kept("uri", "a.pkl", "b.pkl", sha256=64 * "0"),
    "ArtifactKeys.sha256": kept("sha256", 64 * "0", 64 * "1"),
    "Model.trained_on": model("trained_on", {"path": "many.csv", "id": "customer_id"}),
    "TrainedOnKeys.path": kept("path", "many.csv", "wallet.csv", id="customer_id"),
    "TrainedOnKeys.id": kept("id", "customer_id", "number", path="wallet.csv"),
    "Model.column": model("column", "score_rfm"),
    "Model.columns": (
        {},
        {
            "models": {
                "clv": SMALL["models"]["clv"],
                "boosted": {"columns": {"mean": "score_rfm", "sd": "n_orders"}},
            }
        },
    ),
    "Model.scores": (
        {**SPLIT, "models": SMALL["models"]},
        {
            **SPLIT,
            "models": {
                **SMALL["models"],
                "boosted": {"scores": {"path": "wallet.csv", "column": "score_rfm"}},
            },
        },
    ),
    **{
        f"Scores.{key}": (
            SPLIT,
            {
                **SPLIT,
                "models": {
                    **SPLIT["models"],
                    "boosted": {
                        "scores": {**{"path": "wallet.csv", "column": "score_gbm_time"}, key: value}
                    },
                },
            },
        )
        for key, value in (("path", "others.csv"), ("id", "number"), ("column", "score_rfm"))
    },
    **{
        f"Scores.{key}": (
            {**SPLIT, "models": {**SPLIT["models"], "boosted": {"scores": PACKED}}},
            {
                **SPLIT,
                "models": {**SPLIT["models"], "boosted": {"scores": {**PACKED, key: value}}},
            },
        )
        for key, value in (
            ("delimiter", ";"),
            ("max_unpacked", 1e-6),
            ("format", "jsonl"),
            ("encoding", "utf-16"),
            ("decimal", ","),
            ("thousands", "."),
            ("skip_rows", 1),
            ("header", ["customer_id", "score"]),
        )
    },
    "Scores.sheet": tuple(
        {**SPLIT, "models": {**SPLIT["models"], "boosted": {"scores": {**OF_BOOK, "sheet": each}}}}
        for each in ("a", "b")
    ),
    "Scores.columns": (
        SPLIT,
        {
            **SPLIT,
            "models": {
                **SPLIT["models"],
                "boosted": {
                    "scores": {
                        "path": "wallet.csv",
                        "columns": {"mean": "score_rfm", "sd": "n_orders"},
                    }
                },
            },
        },
    ),
    "MetricUse.name": ({}, {"metrics": ["rmse"]}),
    "MetricUse.as_": ({}, {"metrics": [{"name": "mae", "as": "error"}]}),
    "CurveUse.name": ({"curves": ["ranking"]}, {"curves": ["lift"]}),
    "CurveUse.as_": (
        {"curves": ["ranking", {"name": "ranking", "buckets": 3}]},
        {"curves": ["ranking", {"name": "ranking", "as": "steps", "buckets": 3}]},
    ),
    "CurveUse.params": ({"curves": ["ranking"]}, {"curves": [{"name": "ranking", "buckets": 3}]}),
    "MetricUse.verb": (
        {"metrics": [{"name": "bias", "verb": "is off by less"}]},
        {"metrics": [{"name": "bias", "verb": "predicts amounts better"}]},
    ),
    "MetricUse.phrase": (
        {"metrics": [{"name": "mae", "phrase": "size of the error"}]},
        {"metrics": [{"name": "mae", "phrase": "average error"}]},
    ),
    "MetricUse.params": (
        {"metrics": [{"name": "pinball", "alpha": 0.5}]},
        {"metrics": [{"name": "pinball", "alpha": 0.9}]},
    ),
    "Primary.metric": (
        {"metrics": ["mae", "rmse"], "primary": {"metric": "mae"}},
        {"metrics": ["mae", "rmse"], "primary": {"metric": "rmse"}},
    ),
    "Primary.margin": ({"primary": {"metric": "mae"}}, {"primary": {"metric": "mae", "margin": 1}}),
    "Primary.dataset": (
        {**TWO, "primary": {"metric": "mae"}},
        {**TWO, "primary": {"metric": "mae", "dataset": "late"}},
    ),
    "Costs.loss": costs("loss", "quadquad"),
    "Costs.c": costs("c", [0.02], loss="linexp"),
    "Costs.hybrid": costs("hybrid", {"over": 2.5}),
    "Hybrid.bias": (costs("hybrid", {"bias": 0})[1], costs("hybrid", {"bias": 1})[1]),
    "Hybrid.over": (costs("hybrid", {"over": 1})[1], costs("hybrid", {"over": 2})[1]),
    "Costs.asymmetries": costs("asymmetries", [0.3]),
    "Costs.under": costs("under", 3, under=4, over=1),
    "Costs.over": costs("over", 2, under=4, over=1),
    "CostColumn.column": (
        {"costs": {"under": {"column": "n_orders"}, "over": 1}},
        {"costs": {"under": {"column": "recency_days"}, "over": 1}},
    ),
    "Costs.currency": costs("currency", "EUR", under=4, over=1),
    "Costs.degree": (FITTED, {**FITTED, "costs": {"asymmetries": [0.8], "degree": 1}}),
    "Costs.with_alpha": (FITTED, {**FITTED, "costs": {"asymmetries": [0.8], "with_alpha": True}}),
    **{
        f"Bootstrap.{key}": top("bootstrap", key, before, after, beside={"replicates": 19})
        for key, before, after in (
            ("replicates", 19, 29),
            ("seed", 1, 2),
            ("interval", "auto", "percentile"),
            ("level", 0.95, 0.9),
            ("weights", "multinomial", "poisson"),
        )
    },
    "Bootstrap.block": top(
        "bootstrap",
        "block",
        2,
        9,
        beside={"replicates": 19},
        datasets=dataset(segments=None, time="recency_days"),
    ),
    "Comparisons.against": top("comparisons", "against", "baseline", "all", models=THREE),
    "Comparisons.adjust": top("comparisons", "adjust", "holm", "none", models=THREE),
    "Comparisons.test": top("comparisons", "test", "auto", {"mae": "sign-flip"}),
    "Bound.name": gate(BELOW, "name", "h"),
    "Bound.metric": gate(BELOW, "metric", "rmse", metrics=["mae", "rmse"]),
    "Bound.model": gate(BELOW, "model", "clv"),
    "Bound.dataset": gate(BELOW, "dataset", "late", **TWO),
    "Bound.segment": gate(BELOW, "segment", "segment=repeat", datasets=dataset()),
    "Bound.inconclusive": gate({**BELOW, "value": 40}, "inconclusive", "fail"),
    "Bound.rule": gate(BELOW, "rule", "above"),
    "Bound.value": gate(BELOW, "value", 2),
    "Bound.on": gate({**BELOW, "value": 40}, "on", "value"),
    "Versus.name": gate(BETTER, "name", "h"),
    "Versus.metric": gate(BETTER, "metric", "rmse", metrics=["mae", "rmse"]),
    "Versus.model": gate(BETTER, "model", "rfm", models=THREE),
    "Versus.dataset": gate(BETTER, "dataset", "late", **TWO),
    "Versus.segment": gate(BETTER, "segment", "segment=repeat", datasets=dataset()),
    "Versus.inconclusive": gate(BETTER, "inconclusive", "fail"),
    "Versus.rule": gate(BETTER, "rule", "no_regression"),
    "Versus.against": gate(BETTER, "against", "rfm", models=THREE, comparisons={"against": "all"}),
    "Versus.margin": gate(BETTER, "margin", 1),
    "NonInferior.name": gate(CLOSE, "name", "h"),
    "NonInferior.metric": gate(CLOSE, "metric", "rmse", metrics=["mae", "rmse"]),
    "NonInferior.model": gate(CLOSE, "model", "rfm", models=THREE),
    "NonInferior.dataset": gate(CLOSE, "dataset", "late", **TWO),
    "NonInferior.segment": gate(CLOSE, "segment", "segment=repeat", datasets=dataset()),
    "NonInferior.inconclusive": gate(CLOSE, "inconclusive", "fail"),
    "NonInferior.rule": gate({**CLOSE, "margin": 900}, "rule", "better"),
    "NonInferior.against": gate(
        CLOSE, "against", "rfm", models=THREE, comparisons={"against": "all"}
    ),
    "NonInferior.margin": gate(CLOSE, "margin", 2),
    **{
        f"{kind}.{key}": gate(rule, key, value, **{"datasets": dataset(), **more})
        for kind, rule in (("GapBelow", APART), ("GapNoWider", WIDER))
        for key, value, more in (
            ("name", "h", {}),
            ("metric", "rmse", {"metrics": ["mae", "rmse"]}),
            ("model", "rfm", {"models": THREE}),
            ("dataset", "late", TWO_OF_SEGMENTS),
            ("segment", "cohort", {}),
            ("between", ["repeat", "one-time"], {}),
        )
    },
    "GapBelow.inconclusive": gate(
        {**APART, "value": 20}, "inconclusive", "fail", datasets=dataset()
    ),
    "GapBelow.rule": gate(
        {**APART, "value": 1, "segment": "segment"}, "rule", "below", datasets=dataset()
    ),
    "GapBelow.value": gate(APART, "value", 400, datasets=dataset()),
    "GapNoWider.inconclusive": gate(WIDER, "inconclusive", "fail", datasets=dataset()),
    "GapNoWider.rule": gate(WIDER, "rule", "non_inferior", datasets=dataset()),
    "GapNoWider.against": gate(
        WIDER,
        "against",
        "rfm",
        models=THREE,
        comparisons={"against": "all"},
        datasets=dataset(),
    ),
    "GapNoWider.margin": gate(WIDER, "margin", 60, datasets=dataset()),
    "NotWorseThanPrevious.name": gate(STEADY, "name", "h", **SINCE),
    "NotWorseThanPrevious.metric": gate(
        STEADY, "metric", "kendall", **SINCE, metrics=["mae", "kendall"]
    ),
    "NotWorseThanPrevious.model": gate(STEADY, "model", "clv", **SINCE, **IN_DOLLARS),
    "NotWorseThanPrevious.dataset": gate(STEADY, "dataset", "late", **SINCE, **TWO),
    "NotWorseThanPrevious.segment": gate(
        STEADY, "segment", "segment=repeat", **SINCE, datasets=dataset()
    ),
    "NotWorseThanPrevious.inconclusive": gate(
        {**STEADY, "model": "new"}, "inconclusive", "fail", **SINCE, models=RENAMED
    ),
    "NotWorseThanPrevious.rule": gate({**STEADY, "margin": 900}, "rule", "non_inferior", **SINCE),
    "NotWorseThanPrevious.margin": gate(STEADY, "margin", 2, **SINCE, **IN_DOLLARS),
    "Config.references": ({}, {"references": "none"}),
    "ReferenceUse.name": held_against({"name": "zero"}, "name", "mean"),
    "ReferenceUse.by": held_against({"name": "last_value"}, "by", "segment", **BY_TIME),
    "ReferenceUse.lag": held_against({"name": "seasonal"}, "lag", 3, **BY_TIME),
    "ReferenceUse.value": held_against({"name": "people", "value": 9}, "value", 10),
    "ReferenceUse.metric": held_against(
        {"name": "people", "value": 9}, "metric", "rmse", metrics=["mae", "rmse"]
    ),
    "ThemeKeys.accent": top("theme", "accent", "#112233", "#332211", outputs=["html"]),
    "ThemeKeys.colours": top(
        "theme", "colours", ["#112233"], ["#332211"], outputs=["html"], curves=["ranking"]
    ),
    "ThemeKeys.logo": ({"outputs": ["html"]}, {"outputs": ["html"], "theme": {"logo": "logo.svg"}}),
    "ThemeKeys.fonts": ({"outputs": ["html"]}, {"outputs": ["html"], "theme": {"fonts": "none"}}),
    "Warnings.fatal": ({}, {"warnings": {"fatal": ["W102"]}}),
    **OF_LISTS,
    **OF_CLASSES,
}


def keys_of(kind: type[StrictModel], place: str = "") -> dict[str, str]:
    """Every key of the language, with its first place in a config."""
    found = {f"{kind.__name__}.{name}": f"{place}{name}" for name in kind.model_fields}
    for name, field in kind.model_fields.items():
        for below in kinds_in(field.annotation):
            found = {**keys_of(below, f"{place}{name}."), **found}
    return found


def kinds_in(annotation: object) -> list[type[StrictModel]]:
    if isinstance(annotation, type) and issubclass(annotation, StrictModel):
        return [] if annotation is MarginKeys else [annotation]
    return [kind for part in get_args(annotation) for kind in kinds_in(part)]


@pytest.mark.guard
def test_every_key_of_the_language_has_a_case() -> None:
    places = keys_of(Config)
    missing = [place for key, place in places.items() if key not in CASES]
    assert not missing, "; ".join(
        f"{place} has no case in tests/end_to_end/test_every_key.py" for place in missing
    )
    assert not set(CASES) - set(places)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of every case."""
    here = tmp_path_factory.mktemp("keys")
    rows = [{**row, "number": str(1000 - at)} for at, row in enumerate(customers(60))]
    write_rows(here / "wallet.csv", rows)
    write_rows(
        here / "others.csv", [{**row, "y_spend_hold": "1", "score_gbm_time": "2"} for row in rows]
    )
    numbers = {name: [float(row[name]) for row in rows] for name in AMOUNTS}
    names = {"customer_id": [row["customer_id"] for row in rows]}
    book = Workbook()
    for sheet, kept in ((book.active, rows), (book.create_sheet("b"), rows[:40])):
        sheet.append(list(rows[0]))
        for row in kept:
            sheet.append([float(row[k]) if k in AMOUNTS else row[k] for k in row])
    book["Sheet"].title = "a"
    book.save(here / "wallet.xlsx")
    parquet.write_table(pa.table({**names, **numbers}), here / "wallet.parquet")
    write_rows(here / "gaps.csv", [{**rows[0], "score_gbm_time": ""}, *rows[1:]])
    write_rows(
        here / "many.csv", [{**rows[at % 60], "customer_id": str(at)} for at in range(MANY_ROWS)]
    )
    write_rows(
        here / "long.csv",
        [
            {**row, "model": one, "other": two, "p": row[score], "q": str(at)}
            for one, two, score in (
                ("clv", "boosted", "score_clv_bgnbd_gg"),
                ("boosted", "clv", "score_gbm_time"),
            )
            for at, row in enumerate(rows)
        ],
    )
    for name, kept in (("first", rows), ("other", rows[:40])):
        with sqlite3.connect(here / f"{name}.db") as opened:
            amounts = {key: "real" for key in AMOUNTS}
            kinds = ", ".join(f'"{key}" {amounts.get(key, "text")}' for key in rows[0])
            opened.execute(f"create table rows ({kinds})")
            marks = ", ".join("?" * len(rows[0]))
            opened.executemany(f"insert into rows values ({marks})", [[*r.values()] for r in kept])
        opened.close()
    (here / "all.sql").write_text("select * from rows")
    (here / "some.sql").write_text("select * from rows limit 40")
    (here / "packed.csv.gz").write_bytes(gzip.compress((here / "wallet.csv").read_bytes()))
    (here / "logo.svg").write_text(LOGO)
    (here / "before.json").write_bytes(text_of("wallet"))
    (here / "frozen.json").write_text(EMPTY_RULE)
    put_lists(here)
    put_letor(here)
    put_calls(here)
    put_answers(here)
    (here / "ours.py").write_text(PLUGIN)
    return here


ERROR = "refused:"


@cache
def seen(folder: Path, changes: str) -> str:
    """What a reader sees of a run: the report less its resolved config, the files, or the error."""
    os.chdir(folder)
    config = put_config(folder, **{**SMALL, **json.loads(changes)})
    try:
        made = run_config(config, Options(allow_plugins=True, use_cache=False), SilentProgress())
    except ReportgenError as error:
        return f"{ERROR} {error}"
    results = replace(made.results, config={}, provenance={})
    meta = made.results.config.get("meta")
    html = made.files.get("report.html", b"").decode().partition("Resolved config")[0]
    html += made.files.get("report.md", b"").decode()
    paper = made.files.get("report.pdf")
    html += str(sorted(PdfReader(BytesIO(paper)).attachments)) if paper else ""
    said = f"{build_document(results)} {results.conclusion}"
    return f"{said} {sorted(made.files)} {results.is_failed} {meta} {html}"


def test_each_number_of_buckets_changes_what_a_reader_sees(folder: Path) -> None:
    counts = ([3], [3, 5], [5, 3], [3, 5, 7])
    asked = {"metrics": ["ranking_last"], "curves": ["ranking"]}
    found = {seen(folder, json.dumps({**asked, "buckets": each})) for each in counts}
    assert len(found) == len(counts)
    one = seen(folder, json.dumps({**asked, "buckets": 3}))
    assert one == seen(folder, json.dumps({**asked, "buckets": [3]}))


@pytest.mark.parametrize("key", CASES)
def test_a_key_changes_what_a_reader_sees(
    key: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCE", "Of the variable")
    for name in ("first", "other"):
        monkeypatch.setenv(name.upper(), f"sqlite:///{folder / name}.db")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    without, changed = (seen(folder, json.dumps(each)) for each in CASES[key])
    assert without != changed
    assert not (without.startswith(ERROR) and changed.startswith(ERROR))
