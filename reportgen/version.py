"""The version of this program, and the package that holds it."""

from __future__ import annotations

__version__ = "0.2.0"
DISTRIBUTION = "reportgen-compare"
"""The name of the package: `reportgen` on the package index is somebody else's."""


def format_install_command(extra: str, package: str = "") -> str:
    """Format the command that installs the packages of an extra, as the metadata name them.

    It is `package` where the metadata do not know the extra.
    """
    from importlib.metadata import PackageNotFoundError, requires
    from re import match

    try:
        listed = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # run from files that were never installed
        listed = []
    mark = f'extra == "{extra}"'
    packages = [each.partition(";")[0].strip() for each in listed if each.endswith(mark)]
    names = packages or [package or extra]
    return "pip install " + " ".join(
        name if match(r"[\w.-]+$", name) else f"'{name}'" for name in names
    )


def describe_missing_package(what: str, package: str, extra: str = "") -> str:
    """Say that something needs a package that is not installed, and how to install it.

    A package of an `extra` is installed in the versions that this names.

    >>> describe_missing_package("report.pdf", "typst")
    'report.pdf needs typst, which is not installed; run: pip install typst'
    """
    command = format_install_command(extra, package)
    return f"{what} needs {package}, which is not installed; run: {command}"


def describe_other_package() -> str:
    """Say what to uninstall where another package owns the same folder; empty where none does."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        ours, other = metadata(DISTRIBUTION), metadata("reportgen")
    except PackageNotFoundError:
        return ""
    if other["Summary"] == ours["Summary"]:  # an older version of this program
        return ""
    return (
        f"the package reportgen {other['Version']} is installed too, and writes into the same "
        f"folder; run: pip uninstall reportgen && pip install --force-reinstall {DISTRIBUTION}"
    )
