"""What a run says at its end stays a line, whatever names are in it."""

from pathlib import Path
from types import SimpleNamespace

from reportgen.cli.messages import LONGEST_VERDICT, iter_closing_messages
from reportgen.terms import MANIFEST


def test_a_verdict_with_a_long_unit_is_one_short_line():
    results = SimpleNamespace(conclusion=None)
    files = {MANIFEST: b""}
    outcome = SimpleNamespace(files=files, results=results, headline=f"MAE is 3.2 {'a' * 900}.")
    *_, said = iter_closing_messages(outcome, Path())
    assert len(said) <= LONGEST_VERDICT and said.startswith("MAE is 3.2 a")
