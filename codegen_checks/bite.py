#!/usr/bin/env python3
"""Shows that a codegen test can fail.

A line `BITE: s/from/to/` of a .test file is a sed -E script. It is applied to the generated text of
every RUN line of the file, must change it, and FileCheck must then fail where it passed before.
`BITE-NAME:` belongs to the RUN lines with --check-prefix=NAME only. A file without BITE lines, a RUN
line that no BITE reaches, and a FileCheck call that may pass on nothing are errors.
"""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)


def run_lines(source):
    lines, pending = [], ""
    for line in source.splitlines():
        found = re.match(r"\s*RUN:\s*(.*)$", line)
        if not found:
            continue
        pending += found.group(1)
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        lines.append(pending)
        pending = ""
    if pending:
        raise ValueError("a RUN line ends in a continuation")
    return lines


def prefix_of(check):
    for word in check:
        found = re.match(r"--check-prefix=(\w+)$", word)
        if found:
            return found.group(1)
    return "CHECK"


def substituted(text, names):
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("test", type=Path)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--filecheck", required=True)
    parser.add_argument("--examples", required=True)
    options = parser.parse_args()
    source = options.test.read_text()
    names = {
        "%assay": options.assay,
        "%FileCheck": options.filecheck,
        "%examples": options.examples,
        "%S": str(options.test.parent),
        "%s": str(options.test),
    }
    bites = re.findall(r"^\s*BITE(?:-(\w+))?:\s*(.*)$", source, re.M)
    if not bites:
        print(f"{options.test}: no BITE line: nothing shows that this test can fail")
        return 1

    failures, applied = [], 0
    positive = set(re.findall(r"^\s*(\w+)(?:-NEXT|-SAME|-LABEL|-COUNT-\d+)?:", source, re.M))
    for line in run_lines(source):
        if "%FileCheck" not in line:
            continue
        cut = line.index("|", 0, line.index("%FileCheck"))
        left, right = substituted(line[:cut], names), substituted(line[cut + 1 :], names)
        generate, check = shlex.split(left), shlex.split(right)
        prefix = prefix_of(check)
        if "--allow-empty" in check or prefix not in positive:
            failures.append(f"may pass on nothing: {line}")
            continue
        generated = run(generate)
        if generated.returncode != 0:
            failures.append(f"exit {generated.returncode}: {left}\n{generated.stderr}")
            continue
        unchanged = run(check, generated.stdout)
        if unchanged.returncode != 0:
            failures.append(f"fails without a bite: {line}\n{unchanged.stderr}")
            continue
        reached = [script for owner, script in bites if owner in ("", prefix)]
        if not reached:
            failures.append(f"no BITE line reaches: {line}")
        for script in reached:
            edited = run(["sed", "-E", script], generated.stdout)
            if edited.returncode != 0:
                failures.append(f"BITE: {script}: {edited.stderr.strip()}")
            elif edited.stdout == generated.stdout:
                failures.append(f"BITE: {script} changes nothing of: {left}")
            elif run(check, edited.stdout).returncode == 0:
                failures.append(f"BITE: {script} is not noticed by: {right}")
            else:
                applied += 1
    for failure in failures:
        print(f"{options.test}: {failure}")
    print(f"{options.test.name}: {applied} bites noticed, {len(failures)} failures")
    return 0 if applied and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
