"""What running cases gave: for each check whether it passed, and if not, why."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CaseResult", "CheckResult", "Report"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: what it was, whether it passed, and what was found."""

    check: str
    passed: bool
    why: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case with all its checks; it passed when there is a check and each one passed."""

    name: str
    file: str
    kind: str
    checks: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)


@dataclass(frozen=True, slots=True)
class Report:
    """All cases that were run."""

    cases: tuple[CaseResult, ...]

    @property
    def passed(self) -> bool:
        """Whether there was a case and every one passed."""
        return bool(self.cases) and all(case.passed for case in self.cases)

    def plain(self) -> dict[str, object]:
        """Return it as plain values for JSON: counts, and each case with its checks."""
        good = sum(case.passed for case in self.cases)
        return {
            "passed": good,
            "failed": len(self.cases) - good,
            "cases": [
                {
                    "name": case.name,
                    "file": case.file,
                    "kind": case.kind,
                    "passed": case.passed,
                    "checks": [
                        {"check": check.check, "passed": check.passed, "why": check.why} for check in case.checks
                    ],
                }
                for case in self.cases
            ],
        }
