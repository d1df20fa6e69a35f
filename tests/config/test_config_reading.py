"""What a config means: scalars, variables, bases, overrides, short forms, places, secrets."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reportgen.config.loading import find_plugins, read_config
from reportgen.config.schema.report import Bound, NonInferior
from reportgen.config.yaml.faults import ProblemList
from reportgen.config.yaml.parsing import parse_yaml, resolve_scalar
from reportgen.config.yaml.tree import ConfigSource, build_plain_data
from reportgen.errors import ConfigError
from reportgen.planning.loading import build_vocabulary
from reportgen.text import format_line as one_line
from tests.config.wallet_words import EXAMPLE, Reader

WORKED = Path(__file__).parents[2] / "configs"
SPLIT = EXAMPLE.replace(
    "    path: data/cdnow.csv            # or",
    "    labels: {path: labels.csv, id: customer_id, target: y_spend_hold} # or",
).replace("    id: customer_id\n    target: y_spend_hold\n", "")


def refused(read: Reader, text: str | bytes, *overrides: str, **more: object) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text, *overrides, **more)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("012", 12),
        ("089", 89),
        ("0o14", 12),
        ("0x1F", 31),
        ("-7", -7),
        ("1e-3", 0.001),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("1_000", "1_000"),
        ("190:20:30", "190:20:30"),
        ("2026-11-21", "2026-11-21"),
        ("0b1", "0b1"),
        ("1e", "1e"),
        ("9" * 5000, float("inf")),
        ("0x" + "F" * 300, float("inf")),
        ("0o" + "7" * 5000, float("inf")),
    ],
)
def test_a_word_means_what_yaml_1_2_says(word: str, value: object) -> None:
    assert resolve_scalar(word) == value
    assert type(resolve_scalar(word)) is type(value)


def test_the_example_reads_as_it_is_printed(read: Reader) -> None:
    config = read(EXAMPLE).config
    assert config.baseline == "clv"
    assert config.models["rfm"].scale == "rank"
    assert [metric.key for metric in config.metrics][:3] == [
        "kendall",
        "spearman",
        "regression_auc",
    ]
    assert config.metrics[5].params == {"alpha": 0.8}
    assert config.primary is not None and config.primary.margin is not None
    assert (config.primary.margin.value, config.primary.margin.is_relative) == (0.01, False)
    assert [segment.column for segment in config.datasets["holdout"].segments] == [
        "segment",
        "cohort",
    ]
    ranks, error = config.gates
    assert isinstance(ranks, NonInferior) and ranks.against == "clv"
    assert isinstance(error, Bound) and (error.value, error.on) == (40, "interval")
    assert error.dataset == "holdout" and error.inconclusive == "warn"
    assert [curve.name for curve in config.curves] == ["ranking"]


def test_the_resolved_config_reads_back_as_itself(read: Reader) -> None:
    for text in (EXAMPLE, SPLIT_WHOLE):
        first = read(text)
        again = read(yaml.safe_dump(first.json_form, sort_keys=False))
        assert again.config == first.config
        assert again.json_form == first.json_form


@pytest.mark.parametrize("path", sorted(WORKED.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_worked_config_reads_back_from_its_resolved_form(path: Path, tmp_path: Path) -> None:
    first = read_config(path, build_vocabulary(), environ={})
    copy = tmp_path / "again.yaml"
    copy.write_text(yaml.safe_dump(first.json_form, sort_keys=False), encoding="utf-8")
    assert read_config(copy, build_vocabulary(), environ={}).json_form == first.json_form


def test_infinite_edges_and_free_numbers_read_back_from_json(read: Reader) -> None:
    bins = EXAMPLE.replace("[segment, cohort]", "{age: [-.inf, 1, .inf]}")
    first = read(bins + "meta: {never: .nan, always: .inf}")
    again = read(json.dumps(first.json_form, allow_nan=False))
    assert again.config.datasets == first.config.datasets
    assert again.json_form == first.json_form


def test_the_language_is_read_without_any_heavy_library() -> None:
    code = "import reportgen.config.loading, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow", "jinja2"}
    assert "reportgen.config.schema.config" in loaded.stdout.split()
    assert not heavy & set(loaded.stdout.split())


def test_places_are_those_of_the_text(read: Reader) -> None:
    loaded = read(EXAMPLE)
    assert loaded.place(("gates", 1, "value")) == "wallet.yaml:32:78"
    assert loaded.place(("metrics", 5, "params", "alpha")) == "wallet.yaml:24:36"
    assert loaded.place(("models", "boosted")) == "wallet.yaml:16:3"
    assert loaded.place(("models", "boosted", "no such key")) == "wallet.yaml:16:3"
    assert loaded.place() == "wallet.yaml:1:1"


def test_a_percentage_is_a_relative_margin(read: Reader) -> None:
    config = read(EXAMPLE.replace("kendall, margin: 0.01}", "kendall, margin: 2.5%}")).config
    assert config.primary is not None and config.primary.margin is not None
    assert (config.primary.margin.value, config.primary.margin.is_relative) == (0.025, True)
    assert config.primary.margin.format_margin() == "2.5%"


SPLIT_WHOLE = (
    SPLIT.replace(
        "column: score_clv_bgnbd_gg", "scores: {path: clv.csv, id: customer_id, column: score}"
    )
    .replace("column: score_gbm_time", "scores: {path: boosted.csv, column: score}")
    .replace("column: score_rfm", "scores: {holdout: {path: rfm.csv, id: who, column: points}}")
)


def test_scores_may_have_files_of_their_own(read: Reader) -> None:
    loaded = read(SPLIT_WHOLE)
    config = loaded.config
    assert loaded.file(("models", "clv", "scores", "holdout", "path")) == Path.cwd() / "clv.csv"
    assert config.datasets["holdout"].file == "labels.csv"
    assert config.datasets["holdout"].id == "customer_id"
    assert config.models["boosted"].scores["holdout"].id == "customer_id"
    assert config.models["rfm"].scores["holdout"].id == "who"


def test_a_model_without_scores_needs_a_column_in_the_labels(read: Reader) -> None:
    text = SPLIT_WHOLE.replace(", scores: {path: boosted.csv, column: score}", "")
    assert refused(read, text) == [
        "wallet.yaml:14:3: models.boosted has no 'column' (the column with its scores); "
        "add column: NAME, or columns: {mean: NAME, sd: NAME}"
    ]


def test_segments_may_cut_numbers_into_bins(read: Reader) -> None:
    forms = (
        "[segment, {column: spend, bins: [1, 10]}]",
        "{segment: , spend: {bins: [1, 10]}}",
        "{segment: {}, spend: [1, 10]}",
    )
    found = [
        read(EXAMPLE.replace("[segment, cohort]", form)).config.datasets["holdout"].segments
        for form in forms
    ]
    assert found[0] == found[1] == found[2]
    assert found[0][1].bins == (1.0, 10.0)


def test_a_gate_may_name_its_segment_as_a_pair(read: Reader) -> None:
    for form in ("segment=repeat", "{segment: repeat}"):
        gate = read(EXAMPLE.replace("value: 40}", f"value: 40, segment: {form}}}")).config.gates[1]
        assert gate.segment == "segment=repeat"


def test_buckets_are_the_default_of_every_metric_that_has_them(read: Reader) -> None:
    text = EXAMPLE.replace("buckets: 10", "buckets: 5").replace(
        "- mae\n", "- ranking_last\n  - mae\n"
    )
    config = read(text).config
    assert config.metrics[3].params == {"buckets": 5, "statistic": "mean"}
    assert config.curves[0].params["buckets"] == 5


def test_the_first_of_several_numbers_of_buckets_is_that_of_metrics(read: Reader) -> None:
    text = EXAMPLE.replace("buckets: 10", "buckets: [10, 5, 20]").replace(
        "- mae\n", "- ranking_last\n  - mae\n"
    )
    config = read(text).config
    assert config.bucket_counts == (10, 5, 20)
    assert config.metrics[3].params["buckets"] == 10
    drawn = [(c.key, c.params["buckets"]) for c in config.curves if c.name == "ranking"]
    assert drawn == [("ranking", 10), ("ranking of 5", 5), ("ranking of 20", 20)]


def test_a_curve_that_says_its_number_of_buckets_is_drawn_once(read: Reader) -> None:
    text = EXAMPLE.replace(
        "buckets: 10", "buckets: [10, 5]\ncurves: [{name: ranking, buckets: 10}]"
    )
    assert [c.params["buckets"] for c in read(text).config.curves] == [10]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("[]", "26:1: buckets needs at least 1 item, not an empty list"),
        ("[5, 5]", "26:1: buckets needs each number once"),
        ("[5, ten]", "26:14: buckets[1] needs a whole number, not 'ten'"),
        ("[5, 1]", "26:14: buckets[1] needs a number from 2 up, not '1'"),
        ("[2, 3, 4, 5, 6, 7]", "26:1: buckets needs at most 5 items, not a list"),
        ("{a: 5}", "26:1: buckets needs a whole number, not a map"),
    ],
)
def test_numbers_of_buckets_are_a_few_that_differ(read: Reader, given: str, said: str) -> None:
    assert refused(read, EXAMPLE.replace("buckets: 10", f"buckets: {given}")) == [
        f"wallet.yaml:{said}"
    ]


def test_a_metric_used_twice_is_named_by_its_label(read: Reader) -> None:
    twice = "{name: pinball, alpha: 0.1, as: p10}\n  - {name: pinball, alpha: 0.9, as: p90}"
    text = EXAMPLE.replace("- mae\n", f"- mae\n  - {twice}\n")
    assert read(text.replace("metric: mae", "metric: p90")).config.gates[1].metric == "p90"
    assert refused(read, text.replace("metric: mae", "metric: pinball")) == [
        "wallet.yaml:34:50: gates[1].metric: 'pinball' is used 2 times; "
        "name one by its label: p10, p90"
    ]


def test_a_gate_may_point_at_a_metric_by_its_parameters(read: Reader) -> None:
    twice = "{name: pinball, alpha: 0.1, as: p10}\n  - {name: pinball, alpha: 0.9, as: p90}"
    text = EXAMPLE.replace("- mae\n", f"- mae\n  - {twice}\n")
    gate = read(text.replace("metric: mae", "metric: pinball, alpha: 0.9")).config.gates[1]
    assert gate.metric == "p90"
    assert refused(read, text.replace("metric: mae", "metric: pinball, alpha: 0.5")) == [
        "wallet.yaml:34:50: no metric 'pinball' with alpha: 0.5 is listed; "
        "add {name: pinball, alpha: 0.5} under `metrics`"
    ]


def test_a_metric_with_a_label_still_answers_to_its_name(read: Reader) -> None:
    text = EXAMPLE.replace("- mae\n", "- {name: mae, as: average error}\n")
    assert read(text).config.gates[1].metric == "average error"


def test_keys_that_begin_with_x_and_meta_are_free(read: Reader) -> None:
    text = EXAMPLE + "x-note: '${UNSET}'\nmeta: {owner: {team: growth}}\n"
    config = read(text.replace("label: CLV", "x-why: history, label: CLV")).config
    assert config.meta == {"owner": {"team": "growth"}}


def test_merge_keys_fill_in_and_what_is_written_wins(read: Reader) -> None:
    text = "x-base: &base {scale: rank, label: Points}\n" + EXAMPLE.replace(
        "{label: RFM, column: score_rfm, scale: rank}",
        "{<<: *base, label: RFM, column: score_rfm}",
    )
    model = read(text).config.models["rfm"]
    assert (model.label, model.scale) == ("RFM", "rank")


def test_a_model_without_a_label_is_called_by_its_key(read: Reader) -> None:
    assert read(EXAMPLE.replace("label: RFM, ", "")).config.models["rfm"].label == "rfm"


def test_a_variable_takes_the_type_of_its_value(read: Reader) -> None:
    text = EXAMPLE.replace("replicates: 1999", 'replicates: "${REPLICATES:-1999}"')
    assert read(text).config.bootstrap.replicates == 1999
    assert read(text, REPLICATES="99").config.bootstrap.replicates == 99
    title = EXAMPLE.replace("title: Customer wallet models, autumn review", 'title: "Run ${N}"')
    assert read(title + "show_variables: [N]\n", N="7").config.report.title == "Run 7"


def test_a_doubled_dollar_is_no_variable(read: Reader) -> None:
    loaded = read(EXAMPLE.replace("title: Customer", "title: $${HOME} Customer"))
    assert loaded.config.report.title.startswith("${HOME} Customer")
    assert read(yaml.safe_dump(loaded.json_form)).config == loaded.config


def test_a_secret_is_never_printed(read: Reader) -> None:
    text = EXAMPLE.replace("path: data/cdnow.csv ", "path: ${HOLDOUT}/cdnow.csv ").replace(
        "question: Should", "question: ${TEAM} Should"
    )
    loaded = read(text, HOLDOUT="hunter2", TEAM="hunter2")
    assert loaded.file(("datasets", "holdout", "path")) == Path.cwd() / "hunter2/cdnow.csv"
    assert loaded.format_value(("datasets", "holdout", "path")) == "${HOLDOUT}/cdnow.csv"
    assert loaded.config.report.question.startswith("${TEAM} Should")
    assert "hunter2" not in str(loaded.json_form)
    shown = read(text + "show_variables: [TEAM]\n", HOLDOUT="hunter2", TEAM="blue")
    assert shown.config.report.question.startswith("blue Should")
    assert "hunter2" not in str(shown.json_form)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("replicates: 1999", 'replicates: "${SECRET}"'),
        ("metric: mae, model", 'metric: "${SECRET}", model'),
        ("model: boosted, value", 'model: "${SECRET}", value'),
        ("- kendall\n", "- ${SECRET}\n"),
        ("ties: half", 'ties: "${SECRET}"'),
        ("value: 40}", 'value: 40, segment: "${SECRET}=1"}'),
        ("value: 40}", 'value: 40, segment: {"a": "${SECRET}"}}'),
        ("rule: below", 'rule: "${SECRET}"'),
        ("task: regression", "task: ${SECRET}"),
        ("interval: auto", 'interval: "${SECRET}"'),
        ("buckets: 10", "extends: ${SECRET}"),
        ("outputs: [html", 'outputs: ["${SECRET}"'),
        ("kendall, margin: 0.01}", 'kendall, margin: "${SECRET}"}'),
    ],
)
def test_no_error_prints_a_secret(was: str, now: str, read: Reader) -> None:
    assert was in EXAMPLE
    message = "\n".join(refused(read, EXAMPLE.replace(was, now, 1), SECRET="hunter2"))
    assert "hunter2" not in message


def test_a_base_is_extended_maps_merge_and_lists_replace(read: Reader) -> None:
    text = "extends: bases/wallet.yaml\nmetrics: [kendall, mae]\nbootstrap: {seed: 3}\n"
    loaded = read(text, beside={"bases/wallet.yaml": EXAMPLE})
    assert [metric.name for metric in loaded.config.metrics] == ["kendall", "mae"]
    assert (loaded.config.bootstrap.seed, loaded.config.bootstrap.replicates) == (3, 1999)
    assert loaded.file(("datasets", "holdout", "path")) == Path.cwd() / "bases/data/cdnow.csv"
    assert loaded.place(("buckets",)) == "bases/wallet.yaml:26:10"
    assert loaded.place(("bootstrap", "seed")) == "wallet.yaml:3:19"
    assert [source.name for source in loaded.sources] == ["wallet.yaml", "bases/wallet.yaml"]


def test_a_problem_in_a_base_is_placed_in_the_base(read: Reader) -> None:
    base = EXAMPLE.replace("replicates:", "replicats:")
    assert refused(read, "extends: base.yaml\nbuckets: x\n", beside={"base.yaml": base}) == [
        "wallet.yaml:2:10: buckets needs a whole number, not 'x'",
        "base.yaml:28:13: unknown key 'replicats' in bootstrap; did you mean 'replicates'?",
    ]


def test_of_several_bases_the_last_wins(read: Reader) -> None:
    beside = {"a.yaml": EXAMPLE, "b.yaml": "buckets: 5\nbootstrap: {seed: 4}\n"}
    config = read("extends: [a.yaml, b.yaml]\nbootstrap: {seed: 5}\n", beside=beside).config
    assert (config.buckets, config.bootstrap.seed) == (5, 5)


def test_bases_in_a_circle_are_refused(read: Reader) -> None:
    beside = {"a.yaml": "extends: wallet.yaml\n"}
    assert "a.yaml:1:10: extends: wallet.yaml extends itself; break the circle" in refused(
        read, "extends: a.yaml\n", beside=beside
    )


def test_a_setting_on_the_command_line_wins(read: Reader) -> None:
    loaded = read(
        EXAMPLE,
        "bootstrap.replicates=99",
        "gates.0.margin=2%",
        "metrics.5.alpha=0.5",
        "outputs=[json]",
        "report.title=A new title: really",
        "theme.accent='#112233'",
    )
    config = loaded.config
    assert config.bootstrap.replicates == 99
    assert config.gates[0].margin.is_relative  # type: ignore[union-attr]
    assert config.metrics[5].params == {"alpha": 0.5}
    assert config.outputs == ("json",)
    assert config.theme.accent == "#112233"
    assert loaded.place(("bootstrap", "replicates")) == "--set bootstrap.replicates=99"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "bootstrap.replicats=9",
            "unknown key 'replicats' in bootstrap; did you mean 'replicates'?",
        ),
        ("buckets=many", "buckets needs a whole number, not 'many'"),
        ("buckets", "needs KEY=VALUE, such as bootstrap.seed=7"),
        (".=1", "needs KEY=VALUE, such as bootstrap.seed=7"),
        (
            "gates.7.value=1",
            "gates is a list of 2; its items are numbered from 0, and '7' is none of them",
        ),
        ("metrics.0.k=1", "metrics[0] is 'kendall' and has no keys to set"),
        ("report.title=a\0", "the character U+0000 may not stand in a config; remove it"),
        ("report.title=\udcff", "the character U+DCFF may not stand in a config; remove it"),
        ("report={title: ?}", "a '?' that stands alone needs quotes"),
        ("outputs=[html", "the bracket opened at line 1 is not closed, or a comma is missing here"),
    ],
)
def test_a_wrong_setting_is_named_as_it_was_typed(
    override: str, message: str, read: Reader
) -> None:
    [line] = refused(read, EXAMPLE, override)
    assert line.startswith(f"--set {one_line(override)}")
    assert line.endswith(message)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{question: Shall b replace a?, id: y}", {"question": "Shall b replace a?", "id": "y"}),
        ("[a?, b?c, d ? e, f?]", ("a?", "b?c", "d ? e", "f?")),
        ("{a?: 1}", {"a?": 1}),
        ("[?a, 'b?', \"c?\"]", ("?a", "b?", "c?")),
        ("[a?\n b?]", ("a? b?",)),
        ("[a? # b?\n]", ("a?",)),
        ("{? a : b?}", {"a": "b?"}),  # here it marks a key
    ],
)
def test_a_question_mark_inside_brackets_is_a_letter_unless_it_marks_a_key(
    text: str, value: object
) -> None:
    """As a plain scalar in flow context is defined: YAML 1.2.2, 7.3.3, rules 126 to 130."""
    tree = parse_yaml(text, ConfigSource("c.yaml", 0, Path()), ProblemList())
    assert tree is not None and build_plain_data(tree) == value


def test_a_setting_with_thousands_of_dots_is_refused_in_a_short_line(read: Reader) -> None:
    [line] = refused(read, EXAMPLE, ".".join(["a"] * 5000) + "=1")
    assert line.endswith("a.a=1: the key has 5,000 parts; a config is at most 32 levels deep")
    assert len(line) < 200


@pytest.mark.parametrize(("written", "code"), [(r"\0", "U+0000"), (r"\uD83D", "U+D83D")])
@pytest.mark.parametrize("form", ["meta: {{a: [{}]}}", "meta: {{{}: 1}}", "extends: {}"])
def test_what_no_file_can_hold_is_refused_where_it_is_written(
    form: str, written: str, code: str, read: Reader
) -> None:
    [line] = refused(read, EXAMPLE + form.format(f'"{written}"'))
    said = re.escape(f"the character {code} may not stand in a config; remove it")
    assert re.fullmatch(rf"wallet\.yaml:34:\d+: {said}", line)


def test_two_halves_as_json_writes_them_are_one_character(read: Reader) -> None:
    loaded = read(EXAMPLE + r'meta: {"a": "\ud83d\ude00"}')
    assert loaded.config.meta == {"a": "\U0001f600"}


def test_a_variable_that_is_no_text_is_refused(read: Reader) -> None:
    assert refused(read, EXAMPLE.replace("CLV,", '"${NAME}",'), NAME="\udcff") == [
        "wallet.yaml:15:20: the environment variable NAME holds bytes that are no text; "
        "set it to UTF-8"
    ]


def test_plugins_are_found_before_their_metrics_are_known(read: Reader) -> None:
    text = EXAMPLE.replace("- mae\n", "- mae\n  - our_own\n") + "plugins: [metrics/own.py]\n"
    assert refused(read, text) == [
        "wallet.yaml:23:5: unknown metric 'our_own'; known: asymmetric_cost, bias, kendall, mae, "
        "pinball, r2, ranking_last, regression_auc, rmse, spearman"
    ]
    [plugin] = find_plugins("wallet.yaml", environ={})
    assert plugin.file == Path.cwd() / "metrics/own.py"
    assert (plugin.written, plugin.place) == ("metrics/own.py", "wallet.yaml:35:11")


def test_without_a_primary_metric_the_first_one_decides(read: Reader) -> None:
    text = EXAMPLE.replace("primary: {metric: kendall, margin: 0.01}\n", "")
    text = text[: text.index("gates:")] + "outputs: [json]\n"
    several = read(text).config
    assert several.primary is None
    first = several.deciding
    assert (first.metric, first.dataset, first.margin) == ("kendall", "holdout", None)
    alone = text[: text.index("metrics:")] + "metrics: [{name: mae, as: error}]\n"
    primary = read(alone).config.primary
    assert primary is not None
    assert (primary.metric, primary.dataset, primary.margin) == ("error", "holdout", None)


def test_one_model_alone_needs_no_baseline(read: Reader) -> None:
    lines = [line for line in EXAMPLE.splitlines() if "boosted" not in line or "gates" in line]
    text = "\n".join(line for line in lines if "score_rfm" not in line and line != "gates:")
    assert read(text.replace(", role: baseline", "")).config.baseline is None


def test_above_is_refused_where_zero_is_best(read: Reader) -> None:
    gate = "{name: low, rule: %s, metric: bias, model: boosted, value: 3}"
    text = EXAMPLE.replace("metrics:", "metrics:\n  - bias", 1).replace(
        "gates:", "gates:\n  - " + gate % "above", 1
    )
    (said,) = refused(read, text)
    assert said.partition(": ")[2] == (
        "gates[0]: 'above' would ask 'bias' to be far from zero, where it is best; "
        "write rule: below with the largest size that is allowed"
    )
    assert read(text.replace("rule: above", "rule: below")).config.gates[0].name == "low"


def test_a_gate_that_compares_needs_a_second_model(read: Reader) -> None:
    lines = [line for line in EXAMPLE.splitlines() if "score_gbm" not in line]
    text = "\n".join(line for line in lines if "score_rfm" not in line)
    text = text.replace(", role: baseline", "").replace("model: boosted", "model: clv")
    assert refused(read, text) == [
        "wallet.yaml:29:34: gates[0]: 'non_inferior' compares two models, and this config has one; "
        "add a model with role: baseline, or use below or above"
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"",
            "wallet.yaml:1:1: the file says nothing; "
            "`reportgen init DATA` writes a config to start from",
        ),
        (
            b"# nothing\n---\n",
            "wallet.yaml:1:1: the file says nothing; "
            "`reportgen init DATA` writes a config to start from",
        ),
        (
            b"- a\n- b\n",
            "wallet.yaml:1:1: the file holds a list; "
            "a config is a map of keys, the first `version: 1`",
        ),
        (
            b"42\n",
            "wallet.yaml:1:1: the file holds a single value; "
            "a config is a map of keys, the first `version: 1`",
        ),
        (
            b"version: 1\nreport: {title: caf\xe9}\n",
            "wallet.yaml:2:20: byte 0xe9 is not UTF-8; save the file as UTF-8",
        ),
        (
            "version: 1\n".encode("utf-16"),
            "wallet.yaml:1:1: the file is UTF-16; save it as UTF-8",
        ),
        (
            b"version: 1\nx: a\x07b\n",
            "wallet.yaml:2:5: the character U+0007 may not stand in YAML; remove it",
        ),
        (
            b"a: " + b"[" * 40 + b"]" * 40,
            "wallet.yaml:1:35: the nesting is deeper than 32 levels; a config is not",
        ),
        (
            b"#" * 1_000_001,
            "wallet.yaml: the file has 1,000,001 bytes; a config has at most 1,000,000",
        ),
    ],
)
def test_a_file_that_is_no_config_is_refused_with_its_place(
    data: bytes, message: str, read: Reader
) -> None:
    assert refused(read, data) == [message]


def test_a_billion_laughs_are_refused_at_once(read: Reader) -> None:
    laughs = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    assert refused(read, "\n".join(laughs)) == [
        "wallet.yaml:5:15: the config grows past 20,000 values here, aliases written out"
    ]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(read: Reader) -> None:
    text = "\ufeff" + EXAMPLE.replace("\n", "\r\n")
    assert read(text.encode()).config == read(EXAMPLE).config


def test_a_missing_file_is_told_with_its_neighbour(read: Reader) -> None:
    from reportgen.config.loading import read_config
    from tests.config.wallet_words import WORDS

    read(EXAMPLE)
    with pytest.raises(ConfigError, match=r"^walet\.yaml: there is no such file; did you mean"):
        read_config("walet.yaml", WORDS, environ={})
    with pytest.raises(ConfigError, match=r"this is a folder"):
        read_config(".", WORDS, environ={})


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("compute.engine=foo", "compute.engine cannot be 'foo'; known: auto, memory, stream"),
        ("models.clv.transform=log", "models.clv.transform cannot be 'log'; known: exp, expm1"),
    ],
)
def test_a_key_of_several_forms_is_named_as_it_is_written(
    read: Reader, override: str, said: str
) -> None:
    """The names of the forms stand in no YAML."""
    (line,) = refused(read, EXAMPLE, override)
    assert said in line
