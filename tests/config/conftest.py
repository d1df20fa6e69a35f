"""Reading a config from its text."""

from pathlib import Path

import pytest

from reportgen.config.loading import LoadedConfig, read_config
from tests.config.wallet_words import WORDS, Reader


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Read a config's text as wallet.yaml in an empty folder; `beside` are files next to it."""
    monkeypatch.chdir(tmp_path)

    def read(
        text: str | bytes,
        *overrides: str,
        beside: dict[str, str] | None = None,
        **environ: str,
    ) -> LoadedConfig:
        Path("wallet.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        for name, content in (beside or {}).items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(content, encoding="utf-8")
        return read_config("wallet.yaml", WORDS, overrides=overrides, environ=environ)

    return read
