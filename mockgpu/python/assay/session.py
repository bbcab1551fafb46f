"""One process under the checker: what happens before and after the user's code."""
import atexit
import gc
import os
import runpy
import sys

from . import dace_hooks, runtime


def close() -> None:
    """Collects what nobody holds any more and closes the report."""
    gc.collect()
    runtime.end_report(os.environ.get("ASSAY_LEAKS") == "1")


def start(command: list[str]) -> None:
    """Runs `SCRIPT ARGUMENTS...` or `-m MODULE ARGUMENTS...` as the main program."""
    dace_hooks.install()
    atexit.register(close)
    if command[0] == "-m":
        sys.argv = command[1:]
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        sys.path.insert(0, os.path.dirname(os.path.abspath(command[0])))
        runpy.run_path(command[0], run_name="__main__")
