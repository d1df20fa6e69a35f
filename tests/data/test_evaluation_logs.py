"""Logs of evaluations: the values of each format, and what is wrong with one in a line."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
import zstandard

from reportgen.data.files.evaluations.logs import is_log
from reportgen.data.files.source import find_logs, open_source
from reportgen.data.requests import TableRequest
from reportgen.errors import ConfigError, DataError
from tests.end_to_end.wallet import call, heard
from tests.evaluations import (
    WRITERS,
    draw_answers,
    inspect_header,
    inspect_sample,
    write_table,
)

NAMES = {
    "inspect .eval": ("match", "org/model-B"),
    "inspect .json": ("match", "org/model-B"),
    "lm-evaluation-harness": ("exact_match", "org/model-B"),
    "promptfoo": ("score", "model-B"),
    "DeepEval": ("Correctness (GEval)", "org/model-B"),
    "HELM": ("exact_match", "org/model-B"),
    "OpenAI evals": ("correct", "model-B"),
}
ONE_SAMPLE = ("lm-evaluation-harness", "DeepEval", "OpenAI evals")
CONFIG: dict[str, Any] = {
    "version": 1,
    "report": {"title": "Logs"},
    "task": "scored",
    "datasets": {"qa": {"path": "logs"}},
    "bootstrap": {"replicates": 49},
    "outputs": ["json", "markdown"],
}


def put(folder: Path, **data: Any) -> Path:
    config = {**CONFIG, "datasets": {"qa": {"path": "logs", **data}}}
    (folder / "c.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    (folder / "logs").mkdir(exist_ok=True)
    return folder / "c.yaml"


def run(folder: Path) -> dict[str, Any]:
    words = ("--out", folder / "out", "--quiet", "--no-cache")
    assert call("run", folder / "c.yaml", *words) == 0
    return json.loads((folder / "out" / "results.json").read_text())  # type: ignore[no-any-return]


def means(form: str) -> pd.DataFrame:
    """The mean of each item and model that a format can say."""
    rows = pd.DataFrame(draw_answers())
    if form in ONE_SAMPLE:
        rows = rows[rows["sample"] == 1]
    score = "rubric" if form == "DeepEval" else "exact"
    return rows.pivot_table(index="item", columns="model", values=score)


@pytest.mark.parametrize("form", WRITERS)
def test_each_format_gives_the_values_of_the_table(tmp_path: Path, form: str) -> None:
    put(tmp_path)
    WRITERS[form](tmp_path / "logs")
    score, model = NAMES[form]
    results, table = run(tmp_path), means(form)
    values = {e["model"]: e["value"] for e in results["estimates"] if e["key"] == score}
    assert values[model] == pytest.approx(table.B.mean(), rel=1e-9)
    [found] = [c for c in results["comparisons"] if c["key"] == score]
    difference = table.B - table.A
    assert found["difference"] == pytest.approx(difference.mean(), rel=1e-9)
    assert found["se"] == pytest.approx(difference.std(ddof=1) / 20, rel=1e-9)
    assert found["n"] == 400


@pytest.mark.parametrize("form", WRITERS)
def test_no_text_of_a_prompt_or_an_answer_enters_a_report(tmp_path: Path, form: str) -> None:
    put(tmp_path)
    WRITERS[form](tmp_path / "logs")
    run(tmp_path)
    for path in (tmp_path / "out").rglob("*"):
        assert not path.is_file() or b"secret" not in path.read_bytes()


@pytest.mark.parametrize("form", ["inspect .eval", "promptfoo", "DeepEval"])
def test_what_is_known_of_items_is_a_cluster_or_a_segment(tmp_path: Path, form: str) -> None:
    put(tmp_path, cluster="passage", segments=["task"])
    WRITERS[form](tmp_path / "logs")
    results = run(tmp_path)
    assert results["datasets"][0]["clusters"] == 98
    assert {s["value"] for s in results["datasets"][0]["segments"]} == {"arc", "code", "gsm"}


@pytest.mark.parametrize("form", [*WRITERS, "table"])
def test_init_writes_a_config_that_runs(tmp_path: Path, form: str) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    if form == "table":
        logs = write_table(logs / "long.csv")
    else:
        WRITERS[form](logs)
    assert call("init", logs, "--out", tmp_path / "c.yaml") == 0
    config = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert config["task"] == "scored"
    score = NAMES.get(form, ("exact", "B"))[0]
    results = run(tmp_path)
    [found] = [c for c in results["comparisons"] if c["key"] == score and c["segment"] is None]
    table = means(form)
    assert found["difference"] == pytest.approx((table.B - table.A).mean(), rel=1e-9)
    if form not in ONE_SAMPLE:
        assert config["metrics"][1:3] == ["pass@3", "pass^3"]
    assert config["datasets"]["answers"].get("cluster") in (None, "passage")


def test_init_finds_a_judge_and_the_labels_of_a_human(tmp_path: Path) -> None:
    write_table(tmp_path / "long.csv")
    assert call("init", tmp_path / "long.csv", "--out", tmp_path / "c.yaml") == 0
    config = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert config["judge"] == {"score": "judge", "human": "human"}
    assert len(run(tmp_path)["evaluations"][0]["agreements"]) == 3


def test_init_of_unequal_answers_keeps_what_all_models_answered(tmp_path: Path) -> None:
    put_pair(tmp_path, samples("B", 37))
    (tmp_path / "c.yaml").unlink()
    assert call("init", tmp_path / "logs", "--out", tmp_path / "c.yaml") == 0
    assert "3 items that org/model-B has not answered are left out" in page_one(tmp_path)


def put_inspect(folder: Path, samples: list[Any], model: str = "A", **changes: Any) -> None:
    log = {**inspect_header(model, **changes), "samples": samples}
    (folder / "logs" / f"{model}.json").write_text(json.dumps(log))


def samples(model: str, count: int = 40) -> list[dict[str, Any]]:
    rows = [row for row in draw_answers() if row["model"] == model and row["sample"] == 1]
    return [inspect_sample(row) for row in rows[:count]]


def put_pair(folder: Path, second: list[Any], **changes: Any) -> None:
    put(folder)
    put_inspect(folder, samples("A"))
    put_inspect(folder, second, "B", **changes)


def page_one(folder: Path) -> str:
    run(folder)
    page = (folder / "out" / "report.md").read_text(encoding="utf-8")
    return page.partition("## Results")[0]


@pytest.mark.parametrize(
    ("status", "said"),
    [("cancelled", "was cancelled"), ("error", "failed"), ("started", "was not finished")],
)
def test_page_one_names_a_run_that_did_not_end_well(tmp_path: Path, status: str, said: str) -> None:
    put_pair(tmp_path, samples("B"), status=status)
    assert f"the run of org/model-B on qa {said}" in page_one(tmp_path)


def test_page_one_counts_samples_that_ended_in_an_error(tmp_path: Path) -> None:
    broken = samples("B")
    broken[0]["error"] = {"message": "secret"}
    put_pair(tmp_path, broken)
    assert "1 of 40 samples of org/model-B ended in an error" in page_one(tmp_path)


def test_a_score_that_is_not_a_number_is_missing(tmp_path: Path) -> None:
    broken = samples("B")
    broken[0]["scores"]["match"]["value"] = float("nan")
    put_pair(tmp_path, broken)
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "1 missing value of 40" in error
    put(tmp_path, missing="drop")
    assert "1 of 40 samples of org/model-B have no score 'match'" in page_one(tmp_path)


def test_scores_by_key_are_scores_of_their_own(tmp_path: Path) -> None:
    every = {model: samples(model) for model in "AB"}
    for model, own in every.items():
        for place, sample in enumerate(own):
            value = {"tone": place % 2, "facts": 0.5 + 0.1 * (model == "B")}
            sample["scores"] = {"panel": {"value": value}}
    put(tmp_path)
    put_inspect(tmp_path, every["A"])
    put_inspect(tmp_path, every["B"], "B")
    assert {m["key"] for m in run(tmp_path)["metrics"]} == {"panel.tone", "panel.facts"}


def test_summaries_without_metadata_are_not_enough(tmp_path: Path) -> None:
    put(tmp_path, cluster="passage")
    for model in "AB":
        own = samples(model)
        with zipfile.ZipFile(tmp_path / "logs" / f"{model}.eval", "w") as log:
            bare = [{k: v for k, v in each.items() if k != "metadata"} for each in own]
            log.writestr("header.json", json.dumps(inspect_header(model)))
            log.writestr("summaries.json", json.dumps(bare))
            for each in own:
                log.writestr(f"samples/{each['id']}.json", json.dumps(each))
    assert run(tmp_path)["datasets"][0]["cluster"] == "passage"


def test_a_run_that_was_killed_is_read_from_its_journal(tmp_path: Path) -> None:
    put(tmp_path)
    put_inspect(tmp_path, samples("A"))
    with zipfile.ZipFile(tmp_path / "logs" / "B.eval", "w") as log:
        log.writestr("_journal/start.json", json.dumps(inspect_header("B")))
        for part, cut in (("1", slice(0, 20)), ("2", slice(20, 40))):
            log.writestr(f"_journal/summaries/{part}.json", json.dumps(samples("B")[cut]))
    assert "the run of org/model-B on qa was not finished" in page_one(tmp_path)


def zip_by_zstd(parts: dict[str, bytes]) -> bytes:
    """A zip file whose parts are compressed by method 93, which `zipfile` cannot write."""
    packed = {name: zstandard.ZstdCompressor().compress(data) for name, data in parts.items()}
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        for name, data in packed.items():
            archive.writestr(name, data)
    content = bytearray(stored.getvalue())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = content.find(mark)
        while at >= 0:
            content[at + offset : at + offset + 2] = (93).to_bytes(2, "little")
            at = content.find(mark, at + 4)
    return bytes(content)


def test_a_zip_file_by_zstd_is_read(tmp_path: Path) -> None:
    put(tmp_path)
    for model in "AB":
        parts = {
            "header.json": json.dumps(inspect_header(model)).encode(),
            "summaries.json": json.dumps(samples(model)).encode(),
        }
        (tmp_path / "logs" / f"{model}.eval").write_bytes(zip_by_zstd(parts))
    assert run(tmp_path)["datasets"][0]["n"] == 40


def test_names_that_are_not_unique_give_way_to_their_order(tmp_path: Path) -> None:
    put(tmp_path)
    for model in "AB":
        cases = [
            {"name": "same", "order": k, "success": (k + len(model)) % 3 > 0, "metricsData": []}
            for k in range(30)
        ]
        log = {"testCases": cases, "hyperparameters": {"model": model}}
        (tmp_path / "logs" / f"{model}.json").write_text(json.dumps(log))
    assert "test cases share names" in page_one(tmp_path)


def test_a_judge_of_the_same_family_is_named(tmp_path: Path) -> None:
    put(tmp_path)
    for model in ("gpt-4", "claude-3"):
        cases = [
            {
                "name": f"i{k}",
                "success": (k + len(model)) % 3 > 0,
                "metricsData": [{"name": "G", "score": k % 2, "evaluationModel": "openai/gpt-5"}],
            }
            for k in range(30)
        ]
        log = {"testCases": cases, "hyperparameters": {"model": model}}
        (tmp_path / "logs" / f"{model}.json").write_text(json.dumps(log))
    assert "the judge openai/gpt-5 is of the family of gpt-4" in page_one(tmp_path)


def read(path: Path) -> Any:
    """The columns of the logs in a folder, by name."""
    source = open_source(TableRequest(str(path), "logs", may_be_logs=True))
    table = source.read({*source.single}, set())
    return {name: table.texts(name).to_pylist() for name in source.single}


def test_a_further_filter_is_a_score_of_its_own(tmp_path: Path) -> None:
    WRITERS["lm-evaluation-harness"](tmp_path)
    table = read(tmp_path)
    rows = pd.DataFrame(draw_answers())
    gsm = rows[(rows["sample"] == 1) & (rows.task == "gsm")]
    values = [float(v) for v in table["exact_match,flexible-extract"] if v is not None]
    assert sum(values) == np.maximum(gsm.exact, gsm.judge).sum() and len(values) == len(gsm)
    assert len(table["id"]) == 800  # no filter is a row


def test_perturbed_instances_are_items_of_one_instance(tmp_path: Path) -> None:
    stats = [{"name": {"name": "exact_match", "split": "test"}, "mean": 1.0}]
    plain = {"instance_id": "id1", "train_trial_index": 0, "stats": stats}
    changed = {**plain, "perturbation": {"name": "typos"}}
    (tmp_path / "per_instance_stats.json").write_text(json.dumps([plain, changed]))
    table = read(tmp_path)
    assert table["id"] == ["id1", "id1 typos"] and table["instance"] == ["id1", "id1"]


def test_a_provider_with_two_prompts_is_two_models(tmp_path: Path) -> None:
    rows = [
        {"provider": {"id": "p"}, "promptIdx": k, "vars": {"q": i}, "score": 1, "success": True}
        for i in range(3)
        for k in (0, 1)
    ]
    log = {"evalId": "e", "results": {"version": 3, "results": rows}}
    (tmp_path / "p.json").write_text(json.dumps(log))
    table = read(tmp_path)
    assert sorted(set(table["model"])) == ["p, prompt 1", "p, prompt 2"]
    assert table["sample"] == ["1"] * 6 and len(set(table["id"])) == 3


def test_metrics_of_openai_evals_are_scores(tmp_path: Path) -> None:
    lines = [{"spec": {"completion_fns": ["m"], "eval_name": "e"}}]
    lines += [
        {"sample_id": f"s{k}", "type": "metrics", "data": {"f1": 0.25 * k, "note": "secret"}}
        for k in range(4)
    ]
    lines.append({"final_report": {}})
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, lines)))
    table = read(tmp_path)
    assert table["f1"] == ["0", "0.25", "0.5", "0.75"] and "note" not in table


def test_what_a_tool_and_the_metadata_both_name_has_a_prefix(tmp_path: Path) -> None:
    for model in "AB":
        for task in ("one", "two"):
            header = inspect_header(model)
            header["eval"]["task"] = task
            own = {**header, "samples": samples(model, 3)}
            (tmp_path / f"{model}{task}.json").write_text(json.dumps(own))
    table = read(tmp_path)
    assert set(table["task"]) == {"one", "two"} and set(table["meta.task"]) <= {
        "arc",
        "gsm",
        "code",
    }


def test_two_tasks_keep_their_items_apart(tmp_path: Path) -> None:
    put(tmp_path, segments=["task"])
    for model in "AB":
        for task in ("one", "two"):
            header = inspect_header(model)
            header["eval"]["task"] = task
            log = {**header, "samples": samples(model)}
            (tmp_path / "logs" / f"{model}{task}.json").write_text(json.dumps(log))
    results = run(tmp_path)
    assert results["datasets"][0]["n"] == 80
    assert {s["value"] for s in results["datasets"][0]["segments"]} == {"one", "two"}


def nested(depth: int) -> str:
    return '{"version": 2, "status": "success", "eval": ' + "[" * depth + "]" * depth + "}"


def zip_of(parts: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return content.getvalue()


HEADER = json.dumps(inspect_header("B")).encode()
BROKEN: dict[str, tuple[str, bytes, str]] = {
    "another version": (
        "B.json",
        json.dumps({**inspect_header("B", version=9), "samples": [{}]}).encode(),
        "has Inspect log version '9'; only versions 1 and 2 can be read",
    ),
    "another version of promptfoo": (
        "B.json",
        b'{"evalId": "x", "results": {"version": 7, "results": []}}',
        "has results version '7'; only versions 2 and 3 can be read",
    ),
    "cut off": ("B.json", b'{"version": 2, "status": "success", "eval": {"a": 1', "not valid JSON"),
    "a line cut off": ("b.jsonl", b'{"spec": {"a": 1}}\n{"sample_id"', "line 2 is not valid JSON"),
    "too deep": ("B.json", nested(200_000).encode(), "nests lists or objects too deeply"),
    "no samples": ("B.json", HEADER, "has no samples"),
    "a list of numbers": (
        "B.json",
        HEADER[:-1] + b', "samples": [1]}',
        "a sample must be a JSON object",
    ),
    "no item": ("B.json", HEADER[:-1] + b', "samples": [{}]}', "a sample has no 'id'"),
    "no zip": ("B.eval", b"PK\x03\x04" + b"0" * 99, "is not a valid .eval file"),
    "a zip bomb": (
        "B.eval",
        zip_of({"header.json": HEADER, "summaries.json": b"[" + b" " * 30_000_000 + b"]"}),
        "unpacks to more than 0.02 GB",
    ),
    "a zip file cut off": (
        "B.eval",
        zip_of({"header.json": HEADER, "summaries.json": b"[]" * 9999})[:-40],
        "is not a valid .eval file",
    ),
    "no event": ("b.jsonl", b'{"spec": {"completion_fns": ["b"]}}\n', "has no event of type match"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_log_is_one_line(tmp_path: Path, case: str) -> None:
    put(tmp_path, max_unpacked=0.02)
    name, data, said = BROKEN[case]
    put_inspect(tmp_path, samples("A"))
    (tmp_path / "logs" / name).write_bytes(data)
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert (code, said in error) == (3, True), error
    assert len(error.strip().splitlines()) == 1 and "logs/" in error


def test_a_zip_bomb_takes_no_memory(tmp_path: Path) -> None:
    put(tmp_path, max_unpacked=0.02)
    (tmp_path / "logs" / "B.eval").write_bytes(BROKEN["a zip bomb"][1])
    tracemalloc.start()
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "out", "--quiet") == 3
    assert tracemalloc.get_traced_memory()[1] < 25_000_000
    tracemalloc.stop()


def test_two_runs_of_one_model_are_one_line(tmp_path: Path) -> None:
    put_pair(tmp_path, samples("B"))
    (tmp_path / "logs" / "again.json").write_bytes((tmp_path / "logs" / "B.json").read_bytes())
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "samples of merged runs" in error and len(error.strip().splitlines()) == 1


def test_other_documents_of_one_number_are_one_line(tmp_path: Path) -> None:
    put(tmp_path)
    WRITERS["lm-evaluation-harness"](tmp_path / "logs")
    [path] = (tmp_path / "logs" / "org__model-B").glob("samples_arc_*")
    lines = path.read_text().splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), "doc_hash": "another"})
    path.write_text("\n".join(lines))
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "of task 'arc' is another one than in" in error


def test_an_error_of_a_provider_is_no_wrong_answer(tmp_path: Path) -> None:
    put(tmp_path, missing="drop")
    WRITERS["promptfoo"](tmp_path / "logs")
    path = tmp_path / "logs" / "promptfoo.json"
    log = json.loads(path.read_text())
    for row in log["results"]["results"][:3]:
        row["failureReason"] = 2
    path.write_text(json.dumps(log))
    assert "3 of 1200 samples of model-A ended in an error" in page_one(tmp_path)


def test_a_log_under_another_task_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(zip_of({"header.json": HEADER}))
    config = {
        **CONFIG,
        "task": "regression",
        "datasets": {"d": {"path": "a.eval", "target": "y"}},
        "models": {"m": {"column": "a"}},
        "metrics": ["mae"],
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "`task: scored` reads it" in error


HOSTILE: list[Any] = [
    *(None, True, -1, 1e308, float("nan"), "", "x" * 5000, [], {}, [1], {"a": 1}),
    *("\ud800", 10**400, [[[]]]),
]


def mutate(node: Any, draw: random.Random) -> Any:
    """The same value with one of its places changed into what no tool writes."""
    if draw.random() < 0.15 or not isinstance(node, dict | list) or not node:
        return draw.choice(HOSTILE)
    if isinstance(node, dict):
        key = draw.choice(sorted(node))
        return {**node, key: mutate(node[key], draw)}
    place = draw.randrange(min(len(node), 4))
    return [*node[:place], mutate(node[place], draw), *node[place + 1 :]]


@pytest.mark.parametrize("form", WRITERS)
def test_a_changed_log_is_read_or_is_one_line(tmp_path: Path, form: str) -> None:
    """60 changes of a log of each format; none ends with a bare exception."""
    whole = tmp_path / "whole"
    whole.mkdir()
    WRITERS[form](whole)
    files = [p for p in whole.rglob("*") if p.is_file() and is_log(p.read_bytes(), p.name)]
    draw, path = random.Random(form), tmp_path / "changed" / files[0].name
    path.parent.mkdir()
    for _ in range(60):
        path.write_bytes(changed(files[0], draw))
        request = TableRequest(str(path.parent), "logs", may_be_logs=True)
        with suppress(DataError, ConfigError):
            if find_logs(request):
                source = open_source(request)
                source.read({*source.single}, set()).texts("id")


def changed(path: Path, draw: random.Random) -> bytes:
    """The content of a log, shortened, with one change."""
    data = path.read_bytes()
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as log:
            parts = {name: json.loads(log.read(name)) for name in ("header.json", "summaries.json")}
        parts["summaries.json"] = parts["summaries.json"][:4]
        name = draw.choice(sorted(parts))
        parts[name] = mutate(parts[name], draw)
        return zip_of({name: encode(part) for name, part in parts.items()})
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in data.splitlines()[:5]]
        place = draw.randrange(len(lines))
        lines[place] = mutate(lines[place], draw)
        return b"\n".join(map(encode, lines))
    log = json.loads(data)
    rows = log if isinstance(log, list) else log.get("results", log)
    for key in ("samples", "testCases", "results"):
        if isinstance(rows, dict) and isinstance(rows.get(key), list):
            rows[key] = rows[key][:4]
    return encode(mutate(log[:4] if isinstance(log, list) else log, draw))


def encode(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


SAME = {
    "inspect .eval": ("match", "org/model-"),
    "inspect .json": ("match", "org/model-"),
    "HELM": ("exact_match", "org/model-"),
    "table": ("exact", ""),
}


def test_logs_of_the_same_answers_give_the_same_report(tmp_path: Path) -> None:
    pages = set()
    for form, (column, prefix) in SAME.items():
        folder = tmp_path / form
        (folder / "logs").mkdir(parents=True)
        if form == "table":
            write_table(folder / "logs" / "long.csv")
        else:
            WRITERS[form](folder / "logs")
        names = {"A": f"{prefix}A", "B": f"{prefix}B"}
        config = {
            **CONFIG,
            "datasets": {"qa": {"path": "logs", "id": "item" if form == "table" else "id"}},
            "models": {
                key: {"is": name, "role": "baseline" if key == "A" else "candidate"}
                for key, name in names.items()
            },
            "scores": {"exact": {"column": column, "bounds": [0, 1]}},
            "metrics": ["exact", "pass@2", "pass^3"],
        }
        (folder / "c.yaml").write_text(yaml.safe_dump(config))
        run(folder)
        pages.add((folder / "out" / "report.md").read_text("utf-8").partition("## Data")[0])
    assert len(pages) == 1
