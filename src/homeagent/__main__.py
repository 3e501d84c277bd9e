"""Run the command line as ``python -m homeagent``."""

from homeagent.cli import main

main()
