"""One test in a child process: the mock's state, its token and its end belong to the test, and a crash is one
test's."""
import gc
import json
import os
import signal

from _pytest import runner
from _pytest.reports import TestReport

from . import runtime
from .reports import Report, ReportFiles


def run_isolated(item, schedule: str, depth: str, leaks: bool) -> tuple[list[TestReport], Report]:
    """The test's reports, of which the call fails where anything was found; and what the checker saw."""
    files = ReportFiles()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(item, files, writing, schedule, depth, leaks)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    found = files.read()
    files.remove()
    reports = [TestReport._from_json(one) for one in json.loads(text)] if text else []
    problem = "" if reports else f"the test's process ended {_ending(status)}"
    return _with_findings(item, reports, found, problem, schedule), found


def _in_child(item, files: ReportFiles, writing: int, schedule: str, depth: str, leaks: bool) -> None:
    """Never returns."""
    os.environ.update(files.variables, MOCKGPU_SCHEDULE=schedule, MOCKGPU_DEPTH=depth)
    try:
        reports = runner.runtestprotocol(item, log=False, nextitem=None)
        text = json.dumps([report._to_json() for report in reports])
        # What the test still holds is given back before the report is closed.
        item.funcargs = None
        del reports
        gc.collect()
        runtime.end_report(leaks)
        with os.fdopen(writing, "w") as pipe:
            pipe.write(text)
    finally:
        os._exit(0)


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"by signal {os.WTERMSIG(status)} ({signal.strsignal(os.WTERMSIG(status))})"
    code = os.waitstatus_to_exitcode(status)
    return "by the checker: an access cannot be carried out" if code == 70 else f"with exit code {code}"


def _with_findings(item, reports: list, found: Report, problem: str, schedule: str) -> list:
    """Fails the call where something was found; a test that failed by itself keeps its own text, with the findings
    behind it. Expected failures stay as they are."""
    if not found.findings and not problem:
        return reports
    texts = [problem] if problem else []
    texts += [f"{len(found.findings)} findings in schedule {schedule}:"] if found.findings else []
    text = "\n\n".join(texts + [finding.text for finding in found.findings])
    call = next((report for report in reports if report.when == "call"), None)
    if call is None:
        call = TestReport(item.nodeid, item.location, {}, "failed", text, "call")
        return reports + [call]
    if call.outcome == "passed":
        call.outcome, call.longrepr = "failed", text
    else:
        call.sections.append(("assay", text))
    return reports
