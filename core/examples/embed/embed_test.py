#!/usr/bin/env python3
"""The driver on mockgpu: results do not depend on modes, layouts or processes, and errors say what to do."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EMBED, DRIVERS, INCLUDE = (Path(p) for p in sys.argv[1:4])
CONFIGURATION = Path(__file__).with_name("config.json")


class Embed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.expected = cls.run_embed(cls)["checksums"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_embed(self, *words, exit_code=0, **environment):
        report = Path(self.folder.name) / "report.jsonl"
        report.unlink(missing_ok=True)
        device = "mockgpu-hipcc" if "target=hip" in words else "mockgpu-nvcc"
        defaults = {
            "artifacts": str(Path(self.folder.name) / "artifacts"),
            "host_compiler": [str(DRIVERS / "mockgpu-cxx")],
            "device_compiler": [str(DRIVERS / device)],
            "linker": [str(DRIVERS / device)],
            "include_directories": [str(INCLUDE)],
        }
        command = [EMBED, CONFIGURATION]
        command += [f"{name}={json.dumps(value)}" for name, value in defaults.items()]
        done = subprocess.run(
            command + list(words),
            capture_output=True,
            text=True,
            timeout=200,
            env={**os.environ, "MOCKGPU_REPORT": str(report), "MOCKGPU_SCHEDULE": "lazy", **environment},
        )
        if done.returncode != exit_code:
            raise AssertionError(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        lines = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
        findings = [line for line in lines if "kind" in line]
        if exit_code == 0 and findings:
            raise AssertionError(f"findings: {findings}")
        return {
            "checksums": re.findall(r"(\w+): checksum (\w+)", done.stdout),
            "workspaces": re.findall(r"workspace (\w+) (\d+) bytes", done.stdout),
            "errors": done.stderr,
            "operations": sum(line.get("end", {}).get("operations", 0) for line in lines),
        }

    def test_two_programs_share_a_slab_and_a_stream(self):
        self.assertEqual([name for name, _ in self.expected], ["programs_hdiff", "programs_multistream"])

    def test_another_process_runs_what_was_saved(self):
        again = self.run_embed("load_only=true")
        self.assertEqual(again["checksums"], self.expected)
        self.assertEqual(len(again["workspaces"]), 2)
        self.assertGreater(again["operations"], 10)  # the checker has watched

    def test_modes_and_targets_agree(self):
        for words in (
            ["optimization_args.transient_memory_mode=external", "layout=packed", "target=hip"],
            ["sync_sdfg_call=true"],
            ["max_concurrent_streams=0", "guard=order"],
        ):
            with self.subTest(words=words):
                self.assertEqual(self.run_embed(*words)["checksums"], self.expected)

    def test_the_command_line_reaches_the_slab(self):
        small = self.run_embed("load_only=true", "workspace_size=512", exit_code=2)
        self.assertRegex(small["errors"], r"workspace of GPU_Global on device 0: \d+ bytes asked, the slab has 512")

    def test_a_configured_workspace_hides_the_environment(self):
        name = "ICON4PY_BACKEND_WORKSPACE_SIZE"
        self.run_embed("load_only=true", **{name: "nonsense"})

    def test_a_workspace_beside_another_mode_is_refused(self):
        refused = self.run_embed("optimization_args.transient_memory_mode=pool", exit_code=2)
        self.assertIn("a workspace beside transient_memory_mode=pool", refused["errors"])

    def test_unknown_options_are_refused(self):
        self.assertIn("unknown option 'colour'", self.run_embed("colour=red", exit_code=2)["errors"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
