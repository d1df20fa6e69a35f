"""`python -m reportgen` is `reportgen`."""

from reportgen.cli import main

main()
