"""The tiers of the suite: `--tier fast` for the inner loop, `ci` (the default), `full`.

`fast` leaves out functions that take long and modules whose fixtures do. `ci` holds a sample of the
cases of each function, fewer where a case takes long; of the functions whose cases take longest,
one of three; and nothing that is marked `@pytest.mark.full`. `full` holds all, and so does a run
of tests that `-k` or `::` names. What is marked `@pytest.mark.guard` finds what a registry lacks,
or what no longer fits together, so every tier holds all of it and it takes no turns.
durations.json says how long things take. To time the suite again on an idle machine:

    pytest --record-durations tests/durations.json
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

TIMES = Path(__file__).parent / "durations.json"
MAX_VALUES = {"fast": 3, "ci": 8}
"""Values of one list of parameters that are made into cases at all."""
MAX_CASES = {"fast": 4, "ci": 12}
"""Cases of one function."""
MAX_MS = {"fast": 40, "ci": 250}
"""Time of the cases of one function together, if more than one case is to run."""
SLOWEST_MS = 1_500
"""Mean of a case beyond which a function takes turns: one of three such runs in the tier `ci`."""
TURNS = 3
SLOW_MS = 10
"""Mean of a case beyond which its function is not in the inner loop."""
SLOW_SETUP_MS = 100
"""Longest set-up beyond which a module is not in the inner loop: another test would pay for it."""


settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")  # a busy machine fails no test


def pytest_addoption(parser):
    parser.addoption("--tier", choices=("fast", "ci", "full"), help="by default ci")
    parser.addoption(
        "--sample-seed",
        default=os.environ.get("GITHUB_RUN_NUMBER", "0"),
        help="which cases the sample holds; by default the number of the run in CI",
    )
    parser.addoption("--record-durations", metavar="FILE", help="time every test into FILE")


def pytest_configure(config):
    if config.option.tier is None:
        are_named = config.option.keyword or any("::" in word for word in config.args)
        config.option.tier = "full" if are_named else "ci"
    if config.getoption("--record-durations"):
        config.pluginmanager.register(_Stopwatch(Path(config.getoption("--record-durations"))))


@cache
def read_times():
    """Read {file: {"setup": ms, "functions": {name: mean ms of a case}}}."""
    return json.loads(TIMES.read_text()) if TIMES.exists() else {}


class _Stopwatch:
    """The times of all tests of this run, written at its end by the process that gathers them."""

    def __init__(self, file):
        self.file, self.setup, self.cases = file, defaultdict(float), defaultdict(dict)

    def pytest_runtest_logreport(self, report):
        path, _, rest = report.nodeid.partition("::")
        cases = self.cases[path].setdefault(rest.partition("[")[0], defaultdict(float))
        if report.when == "setup":
            self.setup[path] = max(self.setup[path], report.duration)
        else:
            cases[rest] += report.duration

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workerinput"):
            return
        lines = (
            f"{json.dumps(path)}: "
            + json.dumps(
                {
                    "setup": round(1000 * self.setup[path]),
                    "functions": {
                        name: round(1000 * sum(cases.values()) / max(len(cases), 1))
                        for name, cases in sorted(functions.items())
                    },
                }
            )
            for path, functions in sorted(self.cases.items())
        )
        self.file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    """Thin long lists of parameters before cases are made of them: making cases takes time too."""
    tier, seed = metafunc.config.getoption("--tier"), metafunc.config.getoption("--sample-seed")
    if tier == "full" or metafunc.definition.get_closest_marker("guard"):
        return
    parametrize, function = metafunc.parametrize, metafunc.definition.nodeid

    def parametrize_sample(argnames, argvalues, *args, ids=None, **options):
        values = list(argvalues)
        if len(values) > MAX_VALUES[tier] and not args:
            order = sorted(
                range(len(values)),
                key=lambda k: crc32(f"{seed}:{function}:{argnames}:{k}".encode()),
            )
            chosen = sorted(order[: MAX_VALUES[tier]])
            values = [values[k] for k in chosen]
            if ids is not None and not callable(ids):
                names = list(ids)
                ids = [names[k] for k in chosen]
        return parametrize(argnames, values, *args, ids=ids, **options)

    metafunc.parametrize = parametrize_sample


def pytest_ignore_collect(collection_path, config):
    """Do not even import a module of which the inner loop has no test."""
    if config.getoption("--tier") != "fast" or collection_path.suffix != ".py":
        return None
    path = collection_path.relative_to(config.rootpath).as_posix()
    if path in _list_slow_modules() and "mark.guard" not in collection_path.read_text("utf-8"):
        return True
    return None


@cache
def _list_slow_modules():
    return {
        path
        for path, times in read_times().items()
        if times["setup"] > SLOW_SETUP_MS or min(times["functions"].values()) > SLOW_MS
    }


def pytest_collection_modifyitems(config, items):
    tier, seed = config.getoption("--tier"), config.getoption("--sample-seed")
    if tier == "full":
        return
    times = read_times()
    by_function = defaultdict(list)
    for item in items:
        by_function[item.nodeid.partition("[")[0]].append(item)
    kept = set()
    for function, cases in by_function.items():
        path, _, name = function.partition("::")
        mean = times.get(path, {"functions": {}})["functions"].get(name)
        if cases[0].get_closest_marker("full"):
            continue
        if cases[0].get_closest_marker("guard"):
            kept.update(cases)
            continue
        if tier == "fast" and (mean is None or mean > SLOW_MS):
            continue
        if (mean or 0) > SLOWEST_MS and crc32(f"{seed}:{function}".encode()) % TURNS:
            continue
        count = min(MAX_CASES[tier], max(1, MAX_MS[tier] // (mean or 1)))
        kept.update(_sample(cases, count, seed))
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _sample(cases, most, seed):
    """Choose at most so many cases, each value of each parameter as early as possible."""
    drawn = sorted(cases, key=lambda case: crc32(f"{seed}:{case.nodeid}".encode()))
    seen, first, rest = set(), [], []
    for case in drawn:
        params = getattr(getattr(case, "callspec", None), "params", {})
        values = {(name, str(value)) for name, value in params.items()}
        (first if values - seen else rest).append(case)
        seen |= values
    return [*first, *rest][:most]


def pytest_terminal_summary(terminalreporter, config):
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        tier, seed = config.getoption("--tier"), config.getoption("--sample-seed")
        terminalreporter.write_line(
            f"to run this sample again: pytest --tier {tier} --sample-seed {seed}"
        )
