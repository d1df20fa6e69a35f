"""What came from the environment reaches no output, whichever key it fills, and no message."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from reportgen.config.schema.config import Config
from reportgen.config.secrets import Secrets, is_shown_path
from reportgen.governance.digests import digest_map
from reportgen.governance.freeze import FROZEN_SCHEMA
from reportgen.text import format_foreign_error
from tests.end_to_end.lists import answers, judgements, put_letor
from tests.end_to_end.wallet import ROOT, call, contents, customers, results, write_rows

Said = pytest.CaptureFixture[str]
PLUGIN = """
from reportgen import rowwise


@rowwise(title="Own", task="regression", better="lower", bounds=(0, float("inf")), unit="y",
         estimand="mean", needs="amount", cite="")
def own(y, score):
    "Own."
    return abs(y - score)
"""
PRINTED = """
version: 1
report: {title: Wallet, id: R-17, question: q0, audience: q1, classification: q2,
         limitations: [q3, q4], sign_off: [{role: q5, name: q6, decision: q7, date: May}],
         headline: [mae, q32],
         findings: [{id: q87, text: q88, severity: q90, owner: q89, due: May, status: q91}]}
datasets:
  holdout:
    labels: {path: q8.csv}
    id: q9
    target: q10
    target_label: q43
    case: {one: q44, many: q45}
    unit: q11
    weight: q12
    strata: q14
    segments: [{column: q15, label: q46, values: {repeat: q47}}, {column: q16, bins: [0, 2, .inf]}]
    filter: q17 > -1 and q15 != "none"
    fold: q18
  blocks:
    path: q19/data.csv
    id: q9
    target: q10
    time: q20
    filter: q17 > -1
  glob: {path: 'q19/q22*.csv', id: q9, target: q10, cluster: q13, query: q21}
allow: {too_few: q95}
task: regression
models:
  clv:
    label: q23
    role: baseline
    allow: {constant: q96}
    scores: {holdout: {path: q24.csv, id: q25, column: q26}}
    column: q26
  boosted:
    label: q27
    column: q28
    owner: q85
    trained_on: {path: q24.csv, id: q25}
    artifact: {uri: q86, sha256: "0000000000000000000000000000000000000000000000000000000000000000"}
  soft:
    scores: {holdout: {path: q24.csv, columns: {mean: q29, sd: q30}}}
    columns: {mean: q29, sd: q30}
metrics: [{name: kendall, as: q31, phrase: q48, verb: q49}, {name: mae}, {name: own, as: q32}]
primary: {metric: q31, margin: 0.01}
references: [auto, {name: q97, value: 0.4, metric: q31}]
buckets: 5
curves: [{name: lift, as: q38}]
costs: {under: {column: q41}, over: {column: q42}, currency: q33}
comparisons: {test: {q31: bootstrap}}
folds: {question: fitted}
bootstrap: {replicates: 40, seed: 1}
gates:
  - {name: q34, rule: non_inferior, metric: q31, model: boosted, margin: 0.5}
  - {name: segment, rule: below, metric: mae, model: clv, value: 9999, segment: {q15: repeat}}
previous: {path: q75.json, models: {boosted: q76}}
sensitivity: {also: [{name: q79, margin: 0.02}, {name: some, filter: q17 > 0}]}
frozen: q84.json
theme: {logo: q35.svg, fonts: q36}
plugins: [q37.py]
meta: {owner: q39, deep: [{team: q40}]}
outputs: [html, pdf, json, markdown, junit]
"""
RANKED = """
version: 1
report: {title: Lists}
datasets:
  web:
    qrels: {path: q49.csv, query: q50, id: q51}
    target: q52
    queries: {path: q53.csv, id: q54}
    balance: q70
task: ranking
models:
  one: {role: baseline, run: {web: {path: q55.csv, query: q56, id: q57, column: q58}}}
  two: {run: {web: {path: q59.csv, query: q56, id: q57, column: q58}}}
metrics: [{name: ndcg, k: 3}]
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
BY_LINE = """
version: 1
report: {title: Lists}
datasets: {web: {letor: {path: q71.txt, groups: q72.txt}}}
task: ranking
models:
  one: {role: baseline, lines: {web: {path: q73.txt}}}
  two: {lines: {web: {path: q74.txt}}}
metrics: [{name: ndcg, k: 3}]
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
CALLED = """
version: 1
report: {title: Calls}
datasets:
  web: {path: q60.csv, target: q61, id: q81, fold: q82, repeat: q83, count: q84}
  read:
    {path: q60.csv, target: q61, second_target: q92, positive_case: {one: q93, many: q94}}
task: binary
classes: {"0": q68, "1": q69}
models:
  one: {column: q62, role: baseline}
  two: {column: q63}
metrics: [{name: accuracy, threshold: 0.5}, roc_auc]
primary: {metric: roc_auc}
costs: {fp: {column: q64}, fn: {column: q65}, tp: {column: q66}, tn: {column: q67}}
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
BY_DASK = """
version: 1
report: {title: Rows}
datasets: {test: {path: rows.parquet, id: id, target: y}}
task: regression
models: {one: {column: a, role: baseline}, two: {column: b}}
metrics: [mae]
bootstrap: {replicates: 40, weights: poisson}
compute: {engine: {dask: q92}}
"""
WITHOUT_HEADERS = """
version: 1
report: {title: Rows}
datasets: {d: {labels: {path: q10.csv}, columns: [q11, q12], id: q11, target: q12}}
task: regression
models:
  one: {role: baseline, scores: {path: q13.csv, header: [q14, q15], id: q14, column: q15}}
  two: {scores: {d: {path: q16.csv, header: [q17, q18], id: q17, column: q18}}}
metrics: [mae]
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
RANKED_WITHOUT_HEADERS = """
version: 1
report: {title: Lists}
datasets:
  web: {qrels: {path: q10.csv, columns: [q11, q12, q13], query: q11, id: q12}, target: q13}
task: ranking
models:
  one:
    role: baseline
    run: {web: {path: q14.csv, columns: [q16, q17, q18], query: q16, id: q17, column: q18}}
  two: {run: {web: {path: q15.csv, columns: [q16, q17, q18], query: q16, id: q17, column: q18}}}
metrics: [{name: ndcg, k: 3}]
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
BY_DATABASE = """
version: 1
report: {title: Rows}
datasets:
  d:
    sql: select * from t where q16 >= 0
    connection: q10
    id: q11
    target: q12
    model: q13
    score: q14
  e: {sql_file: q15.sql, connection: q10, id: q11, target: q12, model: q13, score: q14}
task: regression
models: {one: {role: baseline}, two: {}}
metrics: [mae]
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
BY_DRIVER = """
version: 1
report: {title: Rows}
datasets: {d: {sql: select 1, connection: NAME, driver: q17, id: i, target: t}}
task: regression
models: {one: {column: a, role: baseline}, two: {column: b}}
metrics: [mae]
"""
OF_ANSWERS = """
version: 1
report: {title: Answers}
datasets: {qa: {path: q10.csv, id: q11, model: q12, samples: q13, cluster: q14}}
task: scored
models: {one: {role: baseline}, two: {}}
scores: {exact: {column: q15, bounds: [0, 1]}, cost: {column: q18}}
metrics: [exact, pass@2, cost]
judge: {score: exact, human: q20}
bootstrap: {replicates: 40, seed: 1}
outputs: [html, pdf, json, markdown, junit]
"""
IN_SERIES = "references: [{name: last_value, by: q98}]"
OF_TWO_SEGMENTS = "gates: [{rule: gap_below, between: [q120, q121]}]"
TEXTS = (
    *(PRINTED, RANKED, BY_LINE, CALLED, BY_DASK, IN_SERIES, OF_TWO_SEGMENTS),
    *(WITHOUT_HEADERS, RANKED_WITHOUT_HEADERS, BY_DATABASE, BY_DRIVER, OF_ANSWERS),
)
COLUMNS = {
    9: "customer_id",
    10: "y_spend_hold",
    12: "one",
    13: "customer_id",
    14: "segment",
    15: "segment",
    16: "n_orders",
    17: "n_cds",
    18: "segment",
    20: "place",
    21: "customer_id",
    25: "customer_id",
    26: "score_clv_bgnbd_gg",
    28: "score_gbm_time",
    29: "score_gbm_time",
    30: "one",
    41: "one",
    42: "n_orders",
}
LABEL = re.compile(r"\bq(\d+)\b")


def secret(number: int) -> str:
    """A text that nothing else holds."""
    return f"hunter{number:02d}zz"


def variables(text: str) -> dict[str, str]:
    return {f"SECRET_{n}": secret(int(n)) for n in LABEL.findall(text)}


def set_variables(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Set every variable that a config reads."""
    for name, value in variables(text).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def wallet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config in which every key that takes a text of one's own takes it from a variable."""
    set_variables(monkeypatch, PRINTED)
    rows = []
    for place, row in enumerate(customers(60)):
        whole = {**row, "one": "1", "place": str(place)}
        rows.append({secret(k): whole[name] for k, name in COLUMNS.items()})
    (tmp_path / secret(19)).mkdir()
    (tmp_path / secret(36)).mkdir()
    for name in (secret(8), f"{secret(19)}/data", secret(24), f"{secret(19)}/{secret(22)}1"):
        write_rows(tmp_path / f"{name}.csv", rows)
    shutil.copy(next(ROOT.glob("templates/fonts/*.ttf")), tmp_path / secret(36))
    logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
    (tmp_path / f"{secret(35)}.svg").write_text(logo)
    (tmp_path / f"{secret(37)}.py").write_text(PLUGIN)
    frozen = {"schema": FROZEN_SCHEMA, "time": "", "rule": {}}
    frozen["digest"] = digest_map(frozen)
    (tmp_path / f"{secret(84)}.json").write_text(json.dumps(frozen))
    return written(tmp_path, PRINTED)


def written(folder: Path, text: str) -> Path:
    """The config with each mark in a value as a variable; keys are plain, and hold the text."""
    tree = yaml.safe_load(text)
    file = folder / "wallet.yaml"
    file.write_text(yaml.safe_dump(_filled(tree), sort_keys=False))
    return file


def _filled(node: Any) -> Any:
    if isinstance(node, dict):
        return {LABEL.sub(lambda m: secret(int(m[1])), k): _filled(v) for k, v in node.items()}
    if isinstance(node, list):
        return [_filled(item) for item in node]
    return LABEL.sub(r"${SECRET_\1}", node) if isinstance(node, str) else node


def leaks(*texts: bytes | str) -> set[str]:
    """The secrets that stand in some texts."""
    found = (text if isinstance(text, str) else text.decode("latin-1") for text in texts)
    return {leak for text in found for leak in re.findall(r"hunter\d\d(?:zz)?", text)}


def page_of(pdf: bytes) -> str:
    """All that a PDF says, in its pages and about itself."""
    from io import BytesIO

    from pypdf import PdfReader

    reader = PdfReader(BytesIO(pdf))
    return "".join(page.extract_text() for page in reader.pages) + str(reader.metadata)


def refuse_leaks(folder: Path, capfd: Said) -> None:
    """No message, no file of a report and no page of its PDF holds a secret."""
    said, files = capfd.readouterr(), contents(folder)
    assert leaks(said.out, said.err) == set()
    assert {name for name, data in files.items() if leaks(data)} == set()
    assert leaks(page_of(files["report.pdf"])) == set()


def test_no_output_no_message_and_no_kept_file_holds_a_secret(wallet: Path, capfd: Said) -> None:
    words = ("--allow-plugins", "--set", "datasets.blocks.unit=${SECRET_11}")
    assert call("run", wallet, "--out", "out", *words) == 0
    said = capfd.readouterr()
    files = contents(wallet.parent / "out")
    assert leaks(said.out, said.err) == set()
    assert {name for name, data in files.items() if leaks(data)} == set()
    assert leaks(page_of(files["report.pdf"])) == set()
    assert leaks(*(str(path) for path in (wallet.parent / "cache").rglob("*"))) == set()
    assert "${SECRET_23}" in files["report.md"].decode().replace("\\", "")
    assert len(results(wallet.parent / "out")["gates"]) == 2


def put_ranked(folder: Path) -> Path:
    """Judgements, a file of queries and two runs, whose every name comes from a variable."""
    judged, asked = judgements(), sorted({query for query, _, _ in judgements()})
    write_rows(
        folder / f"{secret(49)}.csv",
        [{secret(50): q, secret(51): d, secret(52): str(g)} for q, d, g in judged],
    )
    write_rows(
        folder / f"{secret(53)}.csv",
        [{secret(54): query, secret(70): str(k % 2)} for k, query in enumerate(asked)],
    )
    for number, seed in ((55, 2), (59, 3)):
        write_rows(
            folder / f"{secret(number)}.csv",
            [{secret(56): q, secret(57): d, secret(58): str(s)} for q, d, s in answers(seed=seed)],
        )
    return written(folder, RANKED)


@pytest.mark.full
def test_names_of_judgements_and_runs_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    set_variables(monkeypatch, RANKED)
    assert call("run", put_ranked(tmp_path), "--out", "out") == 0
    refuse_leaks(tmp_path / "out", capfd)


@pytest.mark.full
def test_names_of_files_read_line_by_line_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    set_variables(monkeypatch, BY_LINE)
    put_letor(tmp_path)
    for number, name in (
        (71, "bare.letor"),
        (72, "sizes.query"),
        (73, "web.pred"),
        (74, "late.pred"),
    ):
        (tmp_path / name).rename(tmp_path / f"{secret(number)}.txt")
    assert call("run", written(tmp_path, BY_LINE), "--out", "out") == 0
    refuse_leaks(tmp_path / "out", capfd)


@pytest.mark.full
def test_names_of_columns_of_costs_of_calls_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    set_variables(monkeypatch, CALLED)
    rows = [
        {
            secret(81): str(i // 2),
            secret(82): str(i // 2 % 5),
            secret(83): str(i % 2),
            secret(61): str(i // 2 % 2),
            secret(62): str(i % 7 / 7),
            secret(63): str((i % 5 + i % 2) / 6),
            secret(92): str(i // 3 % 2),
            **{secret(n): str(1 + i % 3) for n in (64, 65, 66, 67, 84)},
        }
        for i in range(60)
    ]
    write_rows(tmp_path / f"{secret(60)}.csv", rows)
    assert call("run", written(tmp_path, CALLED), "--out", "out") == 0
    refuse_leaks(tmp_path / "out", capfd)


def test_names_of_a_database_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    set_variables(monkeypatch, BY_DATABASE)
    monkeypatch.setenv(secret(10), f"sqlite:///{tmp_path / 't.db'}")
    with sqlite3.connect(tmp_path / "t.db") as opened:
        opened.execute(f"create table t ({', '.join(secret(n) for n in (11, 12, 13, 14, 16))})")
        rows = [
            (i, i % 7, m, i % 7 + i % k, i) for i in range(60) for k, m in ((3, "one"), (5, "two"))
        ]
        opened.executemany("insert into t values (?, ?, ?, ?, ?)", rows)
    opened.close()
    (tmp_path / f"{secret(15)}.sql").write_text("select * from t")
    code = call("run", written(tmp_path, BY_DATABASE), "--out", "out")
    said = capfd.readouterr()
    assert code == 0, said.err
    files = contents(tmp_path / "out")
    assert leaks(said.out, said.err) == set()
    assert {name for name, data in files.items() if leaks(data)} == set()
    assert call("verify", "out", "--inputs", ".") == 1
    assert "has values of the environment" in capfd.readouterr().out


def test_the_address_of_a_cluster_is_kept_where_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    set_variables(monkeypatch, BY_DASK)
    assert call("run", written(tmp_path, BY_DASK), "--out", "out", "--allow-remote") == 2
    said = capfd.readouterr().err
    assert "'${SECRET_92}' is not the address of a Dask scheduler" in said
    assert leaks(said) == set()


def test_the_name_of_a_driver_is_kept_where_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    monkeypatch.setenv("NAME", "other://me:hunter22@h/db")
    set_variables(monkeypatch, BY_DRIVER)
    for words, code in (((), 2), (("--allow-remote",), 4)):
        assert call("run", written(tmp_path, BY_DRIVER), "--out", "out", *words) == code
        assert leaks(capfd.readouterr().err) == set()


def put_without_header(path: Path, rows: list[dict[str, str]]) -> None:
    """Write rows whose columns the config names."""
    write_rows(path, rows)
    path.write_text(path.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")


def put_without_headers(folder: Path) -> Path:
    """Write labels and scores to files without a header."""
    rows = [{"id": str(k), "y": str(k % 5), "score": str(k % 3)} for k in range(60)]
    put_without_header(folder / f"{secret(10)}.csv", [{k: r[k] for k in ("id", "y")} for r in rows])
    for number, name in ((13, "score"), (16, "y")):
        scores = [{"id": row["id"], "score": row[name]} for row in rows]
        put_without_header(folder / f"{secret(number)}.csv", scores)
    return written(folder, WITHOUT_HEADERS)


def put_ranked_without_headers(folder: Path) -> Path:
    """Write judgements and runs to files without a header."""
    judged = [dict(zip("qdg", map(str, each), strict=True)) for each in judgements()]
    put_without_header(folder / f"{secret(10)}.csv", judged)
    for number, seed in ((14, 2), (15, 3)):
        run = [dict(zip("qds", map(str, each), strict=True)) for each in answers(seed=seed)]
        put_without_header(folder / f"{secret(number)}.csv", run)
    return written(folder, RANKED_WITHOUT_HEADERS)


@pytest.mark.full
@pytest.mark.parametrize("put", [put_without_headers, put_ranked_without_headers])
def test_names_of_columns_of_files_without_a_header_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said, put: Callable[[Path], Path]
) -> None:
    for number in range(10, 19):
        monkeypatch.setenv(f"SECRET_{number}", secret(number))
    assert call("run", put(tmp_path), "--out", "out") == 0
    refuse_leaks(tmp_path / "out", capfd)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "${SECRET_1" in page.replace("\\", "")


def test_the_walk_has_every_text_that_the_language_may_hide(wallet: Path) -> None:
    leaves = [leaf for text in TEXTS for leaf in _leaves(yaml.safe_load(text))]
    walked = {_spread(at) for at, value in leaves if isinstance(value, str) and LABEL.search(value)}
    hidden = {at for at in _texts(Config.model_json_schema()) if not is_shown_path(at)}
    short = {("datasets", "*", "segments", "*", "column"): ("datasets", "*", "segments", "*")}
    lacking = {at for at in hidden if at not in walked and short.get(at) not in walked}
    assert lacking == set()


def test_names_of_columns_of_answers_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    set_variables(monkeypatch, OF_ANSWERS)
    rows = [
        {
            secret(11): f"i{item}",
            secret(12): model,
            secret(13): str(sample),
            secret(14): str(item % 9),
            secret(15): str((item * sample + len(model + model[0:1] * sample)) % 2),
            secret(18): str(item % 5 + sample),
            secret(20): str(item % 2) if item < 30 else "",
        }
        for item in range(40)
        for model in ("one", "two")
        for sample in (1, 2)
    ]
    write_rows(tmp_path / f"{secret(10)}.csv", rows)
    config = written(tmp_path, OF_ANSWERS)
    assert call("run", config, "--out", "out") in (0, 3)
    said = capfd.readouterr()
    files = contents(tmp_path / "out")
    assert leaks(said.out, said.err) == set()
    assert {name for name, data in files.items() if leaks(data)} == set()
    write_rows(tmp_path / f"{secret(10)}.csv", rows[:-1])  # an item that lacks a sample
    assert call("run", config, "--out", "again") == 3
    said = capfd.readouterr()
    assert "needs 2 samples" in said.err and leaks(said.out, said.err) == set()


def test_what_the_report_is_called_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TITLE", "Autumn"), ("NUMBER", "R-2026-11"), ("DAY", "3 May")):
        monkeypatch.setenv(name, value)
    report = {
        "title": "${TITLE} review",
        "id": "${NUMBER}",
        "sign_off": [{"role": "r", "date": "${DAY}"}],
    }
    page = page_with(tmp_path, report=report)
    assert "Autumn review" in page.partition("## ")[0]
    assert "R-2026-11" in page.replace("\\", "").partition("## ")[0]
    assert "3 May" in page


def test_a_variable_is_shown_where_it_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNIT", "zloty")
    changes = {"datasets": {"d": {"path": "d.csv", "id": "id", "target": "y", "unit": "${UNIT}"}}}
    assert "zloty" not in page_with(tmp_path, **changes)
    assert "zloty" in page_with(tmp_path, **changes, show_variables=["UNIT"])


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("target: q10", "target: q50"),
        ("id: q9", "id: q50"),
        ("weight: q12", "weight: q14"),
        ("time: q20", "time: q14"),
        ("segments: [{column: q15", "segments: [{column: q50"),
        ("segments: [{column: q15", "segments: [{column: q17"),
        ("bins: [0, 2, .inf]", "bins: [0, 1]"),
        ("q17 > -1 and", "q50 > -1 and"),
        ("q17 > -1 and", "q17 > and"),
        ("q17 > -1 and", "q50 in q51 and"),
        ("q17 > -1 and", "q17 > 99999 and"),
        ("{path: q8.csv}", "{path: q50.csv}"),
        ("{path: q8.csv}", "{path: q37.py}"),
        ("path: 'q19/q22*.csv'", "path: 'q50*/q22*.csv'"),
        ("column: q28", "column: q50"),
        ("column: q28", "column: q14"),
        ("sd: q30", "sd: q50"),
        ("metric: q31, model", "metric: q50, model"),
        ("{q15: repeat}", "{q15: q50}"),
        ("{q15: repeat}", "q50=repeat"),
        ("model: clv, value", "model: q50, value"),
        ("logo: q35.svg", "logo: q50.svg"),
        ("fonts: q36", "fonts: q50"),
        ("plugins: [q37.py]", "plugins: [q50.py]"),
        ("plugins: [q37.py]", "plugins: [q19/fails.py]"),
        ("plugins: [q37.py]", "plugins: [q19/breaks.py]"),
        ("task: regression", "task: q50"),
        ("version: 1", "extends: q50.yaml"),
        ("currency: q33", "currencies: q33"),
        ("currency: q33", "loss: q50"),
        ("as: q32", "as: q31"),
        ("outputs: [html", "outputs: [q50"),
        ("segment: {q15: repeat}", "segment: 'q50'"),
    ],
)
def test_no_message_holds_a_secret(
    wallet: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch, was: str, now: str
) -> None:
    set_variables(monkeypatch, now)
    fails = wallet.parent / secret(19) / "fails.py"
    fails.write_text("raise ValueError(__file__)\n")
    broken = PLUGIN.replace("return abs", "raise RuntimeError(__file__)\n    return abs")
    (fails.parent / "breaks.py").write_text(broken)
    assert was in PRINTED
    config = written(wallet.parent, PRINTED.replace(was, now, 1))
    code = call("run", config, "--out", "out", "--quiet", "--allow-plugins")
    said = capfd.readouterr()
    assert code in ((101,) if "breaks" in now else (2, 3))
    assert said.err
    assert leaks(said.out, said.err) <= ({secret(15)} if "q15" in now else set())


@pytest.mark.parametrize("before", range(100, 200, 5))
def test_a_message_is_cut_after_a_secret_is_hidden(before: int) -> None:
    hidden = "".join(chr(65 + i % 26) for i in range(50))
    with Secrets({hidden: "${KEY}"}).hide_in_errors():
        told = format_foreign_error(ValueError("-" * before + hidden + "." * 400))
    assert all(part not in told for part in (hidden[:6], hidden[-6:]))


def test_a_logo_that_is_no_picture_is_named_by_its_variable(
    tmp_path: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGO", secret(1))
    (tmp_path / f"{secret(1)}.txt").write_text("no picture")
    config = small(tmp_path, theme={"logo": "${LOGO}.txt"}, outputs=["html"])
    assert call("run", config, "--out", "out", "--quiet") == 4
    said = capfd.readouterr()
    assert leaks(said.out, said.err) == set()
    assert "${LOGO}.txt" in said.err


def test_a_plug_in_that_is_not_allowed_is_named_by_its_variable(wallet: Path, capfd: Said) -> None:
    assert call("run", wallet, "--out", "out", "--quiet") == 2
    assert "if you trust ${SECRET_37}.py, add" in capfd.readouterr().err


def test_one_column_under_two_names_is_read_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMN", "s")
    one = {"path": "d.csv", "id": "id", "target": "y", "weight": "${COLUMN}", "filter": "s >= 0"}
    page_with(tmp_path, datasets={"d": one})
    [info] = results(tmp_path / "out")["datasets"]
    assert [column["column"] for column in info["columns"]] == ["y", "${COLUMN}", "s"]


def test_a_short_secret_leaves_numbers_and_words_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for unit in ("1", "zloty"):
        monkeypatch.setenv("UNIT", unit)
        one = {"path": "d.csv", "id": "id", "target": "y", "unit": "a${UNIT}"}
        pages.append(page_with(tmp_path, datasets={"d": one}))
    assert pages[0] == pages[1]


def small(folder: Path, **changes: object) -> Path:
    """A config of one model and one metric on forty rows, with some keys changed."""
    rows = [{"id": str(i), "y": str(i % 7), "s": str(1 + i % 3)} for i in range(40)]
    write_rows(folder / "d.csv", rows)
    config = {
        "version": 1,
        "report": {"title": "t"},
        "datasets": {"d": {"path": "d.csv", "id": "id", "target": "y"}},
        "task": "regression",
        "models": {"a": {"column": "s"}},
        "metrics": ["mae"],
        "curves": ["lift"],
        "bootstrap": {"replicates": 40, "seed": 1},
        "outputs": ["markdown"],
    }
    (folder / "c.yaml").write_text(yaml.safe_dump({**config, **changes}))
    return folder / "c.yaml"


def page_with(folder: Path, **changes: object) -> str:
    """The Markdown page of the small config."""
    assert call("run", small(folder, **changes), "--out", "out", "--quiet") == 0
    return (folder / "out" / "report.md").read_text()


def _leaves(node: Any, at: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], object]]:
    if isinstance(node, dict):
        for key, below in node.items():
            yield from _leaves(below, (*at, key))
    elif isinstance(node, list):
        for below in node:
            yield from _leaves(below, (*at, "*"))
    else:
        yield at, node


def _spread(at: tuple[object, ...]) -> tuple[object, ...]:
    """A path with `*` for what the user names."""
    named = {("datasets",): 1, ("models",): 1, ("classes",): 1, ("scores",): 1}
    parts = [*at]
    if tuple(parts[:1]) in named:
        parts[1] = "*"
    if tuple(parts[:2]) == ("previous", "models"):
        parts[2:3] = ["*"] * len(parts[2:3])
    if parts[0] == "allow":
        parts[1] = "*"
    for key in ("allow", "scores", "run", "lines", "columns", "values"):
        if key in parts[2:-1]:
            parts[parts.index(key) + 1] = "*"
    return tuple(parts)


def _texts(schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Every path of the language at which any text may stand."""

    def walk(node: dict[str, Any], at: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
        for each in (*node.get("anyOf", ()), *node.get("oneOf", ())):
            yield from walk(each, at)
        for key, below in node.get("properties", {}).items():
            yield from walk(below, (*at, key))
        if isinstance(node.get("additionalProperties"), dict):
            yield from walk(node["additionalProperties"], (*at, "*"))
        if isinstance(node.get("items"), dict):
            yield from walk(node["items"], (*at, "*"))
        if node.get("type") == "string" and "enum" not in node:
            yield at

    yield from walk(schema, ())
