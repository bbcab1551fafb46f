"""What the mock found, from the files that it writes while a process runs: complete even after a crash."""
import dataclasses
import json
import os
import tempfile


@dataclasses.dataclass(frozen=True)
class Finding:
    """One finding: its JSON members (see core/docs/formats.md) and its text for people."""

    members: dict
    text: str

    @property
    def kind(self) -> str:
        return self.members["kind"]


@dataclasses.dataclass
class Report:
    """Findings in their order, and how much was checked; `closed` says that the process got to its end."""

    findings: list[Finding]
    processes: int = 0
    operations: int = 0
    accesses: int = 0
    closed: bool = False


class ReportFiles:
    """The two files of one run. Set `variables` in its environment before the mock's first call."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="assay-")
        self.json_file = os.path.join(self._folder.name, "findings.jsonl")
        self.text_file = os.path.join(self._folder.name, "findings.txt")

    @property
    def variables(self) -> dict[str, str]:
        return {"MOCKGPU_REPORT": self.json_file, "MOCKGPU_TEXT": self.text_file}

    def read(self) -> Report:
        return read_report(self.json_file, self.text_file)

    def remove(self) -> None:
        self._folder.cleanup()


def read_report(json_file: str, text_file: str | None = None) -> Report:
    """Reads the files that MOCKGPU_REPORT and MOCKGPU_TEXT named; absent ones are empty."""
    report, texts = Report([]), []
    if text_file and os.path.exists(text_file):
        with open(text_file) as file:
            # Each starts at the beginning of a line; those that follow are indented.
            texts = ["mockgpu: " + one for one in ("\n" + file.read()).split("\nmockgpu: ")[1:]]
    if not os.path.exists(json_file):
        return report
    with open(json_file) as file:
        for line in file:
            try:
                members = json.loads(line)
            except ValueError:
                continue  # torn: the process was killed while it wrote
            if "begin" in members:
                report.processes += 1
            elif end := members.get("end"):
                report.operations += end["operations"]
                report.accesses += end["accesses"]
                report.closed = True
            elif "kind" in members:
                index = len(report.findings)
                report.findings.append(Finding(members, texts[index] if index < len(texts) else members["message"]))
    return report
