"""Builds DaCe's own code for one program with the mock's drivers, runs it and judges the findings.

Usage: check_dace_code.py --python PYTHON --tools BIN_DIR --program DIRECTORY --backend cuda|hip --work DIRECTORY
                          --expect holds|missing-wait

The untouched output of the real `dace` package is the program under test. "holds": right results and no finding in
every schedule. "missing-wait": DaCe reads a scalar on the host that an asynchronous copy is still writing; reported
wherever pageable copies are asynchronous.
"""
import argparse
import json
import os
import subprocess
import sys

from python_environment import find_python

SCHEDULES = ["eager", "lazy", "random:1", "random:2", "random:3", "random:4"]


class Failure(Exception):
    pass


def demand(condition: bool, message: str) -> None:
    if not condition:
        raise Failure(message)


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    demand(result.returncode == 0, f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def build(arguments, python: str) -> str:
    output = arguments.work
    run([python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate.py"), arguments.program,
         arguments.backend, output])
    with open(os.path.join(output, "headers.txt")) as file:
        headers = file.read().strip()
    flags = ["-std=c++20", "-O2", "-g", "-fPIC", f"-I{headers}", f"-I{output}/include", "-DWITH_CUDA"]
    if arguments.backend == "hip":
        flags += ["-DWITH_HIP"]
    device_driver = os.path.join(arguments.tools, "mockgpu-nvcc" if arguments.backend == "cuda" else "mockgpu-hipcc")
    host_driver = os.path.join(arguments.tools, "mockgpu-cxx")
    objects = []
    with open(os.path.join(output, "sources.txt")) as file:
        for line in file:
            kind, path = line.split()
            objects.append(os.path.join(output, f"{len(objects)}.o"))
            driver = device_driver if kind == "device" else host_driver
            run([driver, *flags, "-c", path, "-o", objects[-1]])
    demand(any(True for _ in objects), "DaCe generated no sources")
    library = os.path.join(output, "libprogram.so")
    run([device_driver, "-shared", *objects, "-o", library])
    return library


def execute(arguments, library: str, schedule: str) -> tuple[list[dict], dict]:
    environment = dict(os.environ, MOCKGPU_SCHEDULE=schedule, OMP_THREAD_LIMIT="1",
                       MOCKGPU_DIALECT="cuda-13" if arguments.backend == "cuda" else "hip-6")
    result = run([os.path.join(arguments.tools, "run_program"), library, os.path.join(arguments.work, "call.txt")],
                 env=environment)
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    demand(bool(lines) and lines[-1].get("summary", False), f"no summary in:\n{result.stdout}")
    return lines[:-1], lines[-1]


def check_holds(schedule: str, findings: list[dict], summary: dict) -> None:
    demand(not findings, f"{schedule}: unexpected findings:\n" + "\n".join(json.dumps(f) for f in findings))
    demand(summary["difference"] == "", f"{schedule}: wrong result: {summary['difference']}")


def check_missing_wait(arguments, schedule: str, findings: list[dict]) -> bool:
    """True if the missing wait was reported. Nothing else may be."""
    for finding in findings:
        demand(finding["kind"] == "host-race", f"{schedule}: unexpected finding {json.dumps(finding)}")
        first, second, edge = finding["first"], finding["second"], finding["edge"]
        demand(first["what"] == "copy" and first["name"].endswith("MemcpyAsync"), f"{schedule}: first side {first}")
        demand(second["access"] == "read" and second["location"]["line"] > 0, f"{schedule}: second side {second}")
        with open(second["location"]["file"]) as file:
            line = file.read().splitlines()[second["location"]["line"] - 1]
        demand("s_index" in line, f"{schedule}: the read is said to be in '{line}'")
        demand(edge.startswith(f"host:{first['issue']}:"), f"{schedule}: missing edge {edge}")
    return bool(findings)


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("--python", "--tools", "--program", "--backend", "--work", "--expect"):
        parser.add_argument(option, required=True)
    arguments = parser.parse_args()
    library = build(arguments, find_python(arguments.python))
    for schedule in SCHEDULES:
        findings, summary = execute(arguments, library, schedule)
        demand(summary["accesses"] > 0 and summary["operations"] > 0, f"{schedule}: nothing ran")
        demand(summary["exit_code"] == 0, f"{schedule}: __dace_exit gave {summary['exit_code']}")
        if arguments.expect == "holds":
            check_holds(schedule, findings, summary)
        else:
            reported = check_missing_wait(arguments, schedule, findings)
            # Eager and some seeds copy at the call; the checker reports the missing order all the same.
            demand(reported, f"{schedule}: the missing wait was not reported")
        print(f"{schedule}: {summary['operations']} operations, {summary['accesses']} accesses, "
              f"{len(findings)} findings")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"failed: {failure}")
