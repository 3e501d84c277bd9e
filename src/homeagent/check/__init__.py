"""Runs cases: a few turns, a policy, a question, and what must come of it. Each in a home of its own.

`run` works through the memory's public face only, so it tells of any version whether it keeps what the cases promise.
"""

from homeagent.check.report import CaseResult, CheckResult, Report
from homeagent.check.run import run

__all__ = ["CaseResult", "CheckResult", "Report", "run"]
