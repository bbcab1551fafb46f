"""The Python that has DaCe and GT4Py: made by ci/interop/setup, or named by ASSAY_PYTHON."""
import os
import subprocess
import sys

SKIPPED = 77


def find_python(given: str, package: str = "dace") -> str:
    """A Python that has the package, or SystemExit: 77 with the reason to skip, an error where
    ASSAY_REQUIRE_INTEROP=1."""
    here = os.path.dirname(os.path.abspath(__file__))
    if python := os.environ.get("ASSAY_PYTHON"):
        candidate, reason = python, f"ASSAY_PYTHON={python} has no package '{package}'"
    else:
        directory = os.path.dirname(os.path.dirname(given))
        setup = subprocess.run([os.path.join(here, "setup"), directory], capture_output=True, text=True)
        candidate = given
        reason = f"ci/interop/setup failed, is the package registry reachable?\n{setup.stderr[-500:]}"
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{package}') is None)"
    if os.path.exists(candidate) and subprocess.run([candidate, "-c", probe], capture_output=True).returncode == 0:
        return candidate
    if os.environ.get("ASSAY_REQUIRE_INTEROP") == "1":
        sys.exit(f"error: ASSAY_REQUIRE_INTEROP is set and {reason}")
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
