"""Measuring HomeAgent's memory from outside, through its public API: ``python -m bench --help``.

Every command writes exactly one JSON object to stdout with ``--json`` and a table without; progress goes to stderr.
The sets it measures on are read from a folder that the user names and are never part of this repository; ``smoke/``
holds a small set of our own.
"""
