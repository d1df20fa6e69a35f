"""What a run says at its end stays a line, whatever names are in it."""

from pathlib import Path
from types import SimpleNamespace

from reportgen.telling import LONGEST_VERDICT, said_first


def test_a_verdict_with_a_long_unit_is_one_short_line():
    results = SimpleNamespace(gates=(), warnings=())
    outcome = SimpleNamespace(files={}, results=results, headline=f"MAE is 3.2 {'a' * 900}.")
    (said,) = said_first(outcome, Path())
    assert len(said) <= LONGEST_VERDICT and said.startswith("MAE is 3.2 a")
