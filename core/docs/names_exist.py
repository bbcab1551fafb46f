#!/usr/bin/env python3
"""Every test that the table of upstream's faults names exists. Usage: names_exist.py SOURCE_FOLDER"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sources = "".join(file.read_text() for folder in ("core/tests", "property_tests")
                  for file in (root / folder).rglob("*.cpp"))
checks = {f"codegen/{file.parent.name}/{file.stem}" for file in (root / "codegen_checks").glob("*/*.test")}


def exists(name):
    if name.startswith("codegen/"):
        return any(re.fullmatch(name.replace("*", ".*"), check) for check in checks)
    suite, _, test = name.rpartition(".")
    suite = suite or r"UpstreamDefects\w*"
    return re.search(rf"TEST(_F|_P)?\(\s*{suite},\s*{test}\)", sources) is not None


rows = [line for line in (root / "core/docs/upstream_defects.md").read_text().splitlines() if line.startswith("| ")]
quoted = [name for row in rows for name in re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[-1])]
named = [name for name in quoted if re.fullmatch(r"codegen/[\w/*]+|(\w+\.)?[A-Z]\w+", name)]
missing = [name for name in named if not exists(name)]
print(f"{len(named)} tests named, missing: {missing or 'none'}")
sys.exit(bool(missing) or len(named) < 40)
