"""The commands on the resamples that are kept between runs."""

from __future__ import annotations

import click

from reportgen import shortage
from reportgen.errors import UsageError
from reportgen.saying import printed, say


@click.group()
def cache() -> None:
    """Show or clear the resamples that are kept between runs."""


@cache.command()
def size() -> int:
    """Print how much is kept, and how much may be."""
    shortage.require(shortage.PRINTING)
    from reportgen.caching import said_in_megabytes, user_cache

    kept = user_cache()
    held, most = kept.held(), said_in_megabytes(kept.most_bytes)
    return printed(f"{held.entries:,} entries, {said_in_megabytes(held.bytes)} of at most {most}")


@cache.command()
def clear() -> int:
    """Remove everything that is kept; the next run draws it anew."""
    shortage.require(shortage.PRINTING)
    from reportgen.caching import said_in_megabytes, user_cache

    try:
        held = user_cache().clear()
    except OSError as error:
        raise UsageError(f"the cache cannot be cleared: {error.strerror}") from None
    say(f"removed {held.entries:,} entries, {said_in_megabytes(held.bytes)}")
    return 0
