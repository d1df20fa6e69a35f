"""Print the lowest version of each dependency that pyproject.toml allows, as pip constraints."""

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
LOWEST = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\w.]+)")

for dependency in tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]:
    bound = LOWEST.match(dependency)
    if bound is None:
        raise SystemExit(f"pyproject.toml: {dependency!r} names no lowest version")
    print(f"{bound['name']}=={bound['version']}")
