"""Runs test modules with the interop environment's pytest. Usage: run_pytest.py PYTHON ROOT MODULE [PYTEST OPTIONS...]

ROOT is the folder that holds the drivers' bin and the Python package. Exit code 77: skipped, with the reason.
"""
import os
import subprocess
import sys

from python_environment import find_python


def main() -> int:
    given, root, *options = sys.argv[1:]
    python = find_python(given)
    variables = dict(os.environ, ASSAY_ROOT=root)
    variables["PYTHONPATH"] = os.path.join(root, "share", "mockgpu", "python")
    here = os.path.dirname(os.path.abspath(__file__))
    return subprocess.run([python, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rf", "--rootdir", here, *options],
                          env=variables).returncode


if __name__ == "__main__":
    sys.exit(main())
