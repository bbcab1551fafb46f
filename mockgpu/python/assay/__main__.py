"""python -m assay run [--schedule S] [--dialect D] [--depth D] [--leaks] SCRIPT|-m MODULE [ARGUMENTS...]
python -m assay env [--dialect D]

`run` starts Python on the script, with everything set so that DaCe and GT4Py build for the mock; its findings go to
standard error and make the exit code 1 where the script's own is 0. `env` prints the variables as shell text.
"""
import argparse
import os
import shlex
import subprocess
import sys

from . import installation
from .reports import ReportFiles


def print_environment(dialect: str) -> int:
    changed = installation.environment(dialect=dialect)
    for name in sorted(changed):
        if os.environ.get(name) != changed[name]:
            print(f"export {name}={shlex.quote(changed[name])}")
    return 0


def run(arguments) -> int:
    if not arguments.command:
        sys.exit("assay: error: run: no script given")
    files = ReportFiles()
    variables = installation.environment(dialect=arguments.dialect)
    variables.update(files.variables, MOCKGPU_SCHEDULE=arguments.schedule, MOCKGPU_DEPTH=arguments.depth,
                     ASSAY_LEAKS="1" if arguments.leaks else "0")
    try:
        child = subprocess.run([sys.executable, "-c", _START, *arguments.command], env=variables)
        report = files.read()
    finally:
        files.remove()
    for finding in report.findings:
        print(finding.text, file=sys.stderr)
    print(f"assay: {len(report.findings)} findings, {report.operations} operations and {report.accesses} accesses "
          f"checked", file=sys.stderr)
    if child.returncode == 0 and report.processes == 0:
        print("assay: error: the script made no call that the mock saw", file=sys.stderr)
        return 2
    return child.returncode if child.returncode != 0 else int(bool(report.findings))


# In the child: the script as Python would start it, between the hooks of this package.
_START = """
import sys
from assay.session import start
start(sys.argv[1:])
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m assay", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="name", required=True)
    command = commands.add_parser("env", help="print the variables that builds and programs need")
    command.add_argument("--dialect", default="cuda-13", choices=installation.DIALECTS)
    command = commands.add_parser("run", help="run a Python script under the checker")
    command.add_argument("--schedule", default="eager", help="eager, lazy, random:SEED or pct:SEED")
    command.add_argument("--dialect", default="cuda-13", choices=installation.DIALECTS)
    command.add_argument("--depth", default="threads", choices=("ops", "threads"))
    command.add_argument("--leaks", action="store_true", help="report what is still allocated at the end")
    command.add_argument("command", nargs=argparse.REMAINDER, metavar="SCRIPT|-m MODULE ...")
    arguments = parser.parse_args()
    return print_environment(arguments.dialect) if arguments.name == "env" else run(arguments)


if __name__ == "__main__":
    sys.exit(main())
