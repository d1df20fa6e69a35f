"""The program: `reportgen`, or `python -m reportgen`. Signals are heard before all else loads."""

from __future__ import annotations

import os
from typing import NoReturn

from reportgen import signals


def main() -> NoReturn:
    """Load the command line and run it."""
    try:
        signals.install_handlers()
        from reportgen.cli.commands import main as run

        run()
    except (KeyboardInterrupt, signals.Terminated):  # nothing has begun, or all is over
        signals.stop_raising()
    except (OSError, MemoryError) as error:
        os.write(2, f"reportgen cannot be loaded: {error or 'not enough memory'}\n".encode())
        os._exit(4)
    os._exit(128 + (signals.first_signal() or 0))


if __name__ == "__main__":
    main()
