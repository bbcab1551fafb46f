"""pytest --assay: every test in a process of its own under the checker; a finding fails the test with its text."""
import os
import sys

import pytest

from . import installation


def pytest_addoption(parser) -> None:
    group = parser.getgroup("assay")
    group.addoption("--assay", action="store_true", help="run tests under the GPU checker, on the mock")
    group.addoption("--assay-schedule", default="eager",
                    help="who runs next: a list of eager, lazy, random:SEED, pct:SEED; a test runs once in each")
    group.addoption("--assay-dialect", default="cuda-13", choices=installation.DIALECTS,
                    help="whose runtime the mock stands for; with one of HIP's, DaCe builds for HIP")
    group.addoption("--assay-depth", default="threads", choices=("ops", "threads"),
                    help="check orders between operations, or also threads of one kernel (default)")
    group.addoption("--assay-leaks", action="store_true", help="report what a test leaves allocated")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args) -> None:
    """Before any conftest file: what one imports may ask for cupy at once, and remember that there is none."""
    if early_config.known_args_namespace.assay:
        _prepare(early_config.known_args_namespace.assay_dialect)


def pytest_configure(config) -> None:
    if config.getoption("--assay"):
        _prepare(config.getoption("--assay-dialect"))  # a conftest file may be what names this plug-in
        config.pluginmanager.register(_Runner(config), "assay-runner")


def _prepare(dialect: str) -> None:
    for name, value in installation.environment(dialect=dialect).items():
        os.environ[name] = value
    if installation.stand_in() not in sys.path:
        sys.path.insert(0, installation.stand_in())
    if (found := sys.modules.get("cupy")) is not None and not found.__file__.startswith(installation.stand_in()):
        raise pytest.UsageError("--assay: cupy is imported already, by another plug-in")
    from . import dace_hooks
    dace_hooks.install()


class _Runner:
    """Runs tests in children, and counts what they checked."""

    def __init__(self, config):
        self.schedules = config.getoption("--assay-schedule").split(",")
        self.depth = config.getoption("--assay-depth")
        self.leaks = config.getoption("--assay-leaks")
        self.checked = self.operations = self.accesses = self.findings = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        from .isolated_test import run_isolated
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for schedule in self.schedules:
            reports, found = run_isolated(item, schedule, self.depth, self.leaks)
            self.checked += bool(found.processes)
            self.operations += found.operations
            self.accesses += found.accesses
            self.findings += len(found.findings)
            if schedule == self.schedules[-1] or any(report.failed for report in reports):
                break
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_terminal_summary(self, terminalreporter) -> None:
        terminalreporter.write_line(
            f"assay: {self.checked} test runs used the GPU; {self.operations} operations and {self.accesses} accesses "
            f"checked, {self.findings} findings")
