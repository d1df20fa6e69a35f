"""What compiled code is given is what it was written for, or an error."""

import importlib
import os
import re
import shutil
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np
import pytest

from reportgen import progress
from reportgen.governance import provenance
from reportgen.kernels import native
from reportgen.kernels.native import SIGNATURES, WRITTEN

C = (Path(native.__file__).parent / "c" / "kernels.c").read_text()
NAMES = {"double": "f64", "float": "f32"}
compiled = pytest.mark.skipif(not native.list_kinds(), reason="the kernels were not built")


def declared():
    """The parameters of each exported function as the C has them."""
    for name, text in re.findall(r"EXPORT void (\w+)\(i32 kind,([^)]*)\)", C):
        words = [re.findall(r"\w+|\*", each.replace("const", "")) for each in text.split(",")]
        kinds = (
            "int" if "*" not in w else "columns" if w.count("*") == 2 else NAMES.get(w[0], w[0])
            for w in words
        )
        yield name, " ".join(kinds)


def test_the_table_is_that_of_the_c():
    assert {name: kinds.replace("?", "") for name, kinds in WRITTEN.items()} == dict(declared())


@compiled
@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((4, 64), np.float32),
        np.zeros((4, 64), np.int8),
        np.zeros((4, 64), np.uint8)[:, ::2],
        np.zeros((4, 64), np.uint8).T,
        [0] * 256,
        None,
        3,
    ],
    ids=["type", "sign", "gaps", "order", "list", "nothing", "number"],
)
def test_an_array_of_another_kind_is_a_type_error(wrong):
    right = np.zeros(64, np.uint64), 4, np.zeros((4, 64), np.uint8)
    native.call_kernel("whole_poisson", *right)
    with pytest.raises(TypeError, match="whole_poisson takes u8 as argument 3"):
        native.call_kernel("whole_poisson", *right[:2], wrong)
    native.call_kernel("whole_poisson", *right)


@compiled
def test_a_call_with_too_few_arguments_is_a_type_error():
    with pytest.raises(TypeError, match="takes 3 arguments, and was given 1"):
        native.call_kernel("whole_poisson", np.zeros(64, np.uint64))


@pytest.mark.parametrize("wrong", [1.5, None, np.zeros(3)])
def test_a_whole_number_is_nothing_else(wrong):
    with pytest.raises(TypeError, match="takes int as argument 2"):
        SIGNATURES["whole_poisson"].require((np.zeros(64, np.uint64), wrong, np.zeros(4, np.uint8)))


def test_columns_of_another_type_have_no_address():
    with pytest.raises(TypeError, match="float64"):
        native.get_addresses([np.zeros(3, np.float32)])


@compiled
def test_the_library_can_be_imported():
    assert importlib.import_module("reportgen.kernels._lanes").__doc__


def test_where_the_system_does_not_tell_all_processors_are_used(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert progress.count_processors() == (os.cpu_count() or 1)


@pytest.fixture
def built(tmp_path):
    """A folder with the C and a library of it under the last of the names that Python knows."""
    here = Path(native.__file__).parent
    shutil.copytree(here / "c", tmp_path / "c")
    library = native._load(here)._name
    shutil.copy(library, tmp_path / ("_lanes" + EXTENSION_SUFFIXES[-1]))
    return tmp_path


@compiled
def test_a_library_left_by_an_earlier_build_does_not_hide_the_one_built_now(built):
    (built / ("_lanes" + EXTENSION_SUFFIXES[0])).write_bytes(b"left behind")
    assert native._load(built) is not None


@compiled
def test_a_library_of_other_sources_is_left_alone(built):
    (built / "c" / "added.h").write_text("/* changed */")
    assert native._load(built) is None


@compiled
def test_a_run_tells_that_its_kernels_are_of_other_sources(built, monkeypatch):
    assert provenance.explain_slow_kernels() == ""
    (built / "c" / "added.h").write_text("/* changed */")
    monkeypatch.setattr(native, "__file__", str(built / "native.py"))
    monkeypatch.setattr(native._state, "library", native._load(built))
    assert "install again" in provenance.explain_slow_kernels()
    monkeypatch.setattr(native, "__file__", str(built / "c" / "native.py"))
    assert provenance.explain_slow_kernels() == "", "nothing was built: nothing to tell"
