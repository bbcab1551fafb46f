"""Runs DaCe's and GT4Py's GPU programs on the mock, under its checker.

`python -m assay run script.py` runs a script, `pytest --assay` runs tests; both build unmodified programs with the
mock's compiler drivers and report findings. See the user guide, "DaCe's own code".
"""
from .installation import environment, root
from .reports import Finding, Report, read_report

__all__ = ["Finding", "Report", "environment", "read_report", "root"]
