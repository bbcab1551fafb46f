#!/usr/bin/env python3
"""The table of core/docs/device_rules.md against the cases of device_tests.

device_rules.py SOURCE_FOLDER [--write]: every rule that a case observes has a row with exactly its cases, and no row
is about anything else. --write makes the rows anew and keeps what the column of devices says. The rules without a
case, and why they have none, are in device_tests/unobservable_rules.txt.
"""
import pathlib
import re
import sys

NOT_RUN = "not run on hardware"
root = pathlib.Path(sys.argv[1])
file = root / "core/docs/device_rules.md"


def cases():
    """Names of cases by the rule that they observe."""
    found, without = {}, []
    for source in sorted((root / "device_tests/conformance").glob("*.cpp")):
        text = source.read_text()
        starts = list(re.finditer(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", text, re.MULTILINE))
        for start, end in zip(starts, [m.start() for m in starts[1:]] + [len(text)]):
            rules = re.findall(r'\brule\("([^"]+)"\)', text[start.end():end])
            name = f"{start[1]}.{start[2]}"
            if not rules:
                without.append(name)
            for rule in rules:
                found.setdefault(rule, []).append(name)
    return found, without


def rows(text):
    """The cells of each row by rule."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 3:
            found[cells[0].strip("` ")] = cells
    return found


found, without = cases()
text = file.read_text() if file.exists() else ""
old = rows(text)
if "--write" in sys.argv[2:]:
    head = text[:text.index("| rule |")]
    table = ["| rule | cases, on the mock in every schedule | device |", "|---|---|---|"]
    table += [f"| `{rule}` | {', '.join(names)} | {old[rule][2].strip(' |') if rule in old else NOT_RUN} |"
              for rule, names in sorted(found.items())]
    file.write_text(head + "\n".join(table) + "\n")
    sys.exit(0)

problems = [f"{name} observes no rule" for name in without]
problems += [f"no row for {rule}" for rule in sorted(found.keys() - old.keys())]
problems += [f"the row of {rule} has no case" for rule in sorted(old.keys() - found.keys())]
problems += [f"the row of {rule} has other cases than {', '.join(names)}" for rule, names in sorted(found.items())
             if rule in old and old[rule][1] != ", ".join(names)]
problems += [f"the row of {rule} names neither hardware with its command nor '{NOT_RUN}'" for rule, cells in old.items()
             if cells[2].strip(" |") != NOT_RUN and "`" not in cells[2]]
print(f"{len(found)} rules in {sum(map(len, found.values()))} cases; {len(problems)} problems")
print(*problems, sep="\n")
sys.exit(bool(problems) or len(found) < 40)
