#!/usr/bin/env python3
"""What the triggers that people type expand to."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import expand

SCRIPT = pathlib.Path(expand.__file__)


def run(**variables):
    """Exit code, output and messages of the script under these variables alone."""
    environment = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Expand(unittest.TestCase):
    def test_gives_the_jobs_that_the_trigger_names_and_no_others(self):
        code, output, _ = run(TARGETS="cuda:hip", MODES="external", LEVELS="unit:device", PROGRAMS="hdiff")
        self.assertEqual(code, 0)
        jobs = json.loads(output)
        self.assertEqual(
            [name for name in jobs if name not in ("include", "stages")],
            ["unit-cuda", "conformance-cuda", "programs-cuda-external",
             "unit-hip", "conformance-hip", "programs-hip-external"],
        )
        self.assertIn("'^device/hip/programs[.](hdiff)_external$'", jobs["programs-hip-external"]["script"][0])

    def test_demands_a_device_from_device_jobs_alone(self):
        jobs = expand.expand({"TARGETS": "cuda"})
        self.assertEqual(jobs["conformance-cuda"]["variables"]["ASSAY_REQUIRE_DEVICE"], "1")
        self.assertNotIn("ASSAY_REQUIRE_DEVICE", jobs["unit-cuda"]["variables"])

    def test_runs_the_sanitizer_on_its_vendors_devices_alone(self):
        jobs = expand.expand({"TARGETS": "cuda:hip", "LEVELS": "sanitizer", "MODES": "pool", "PROGRAMS": "axpy"})
        self.assertEqual(
            [name for name in jobs if name not in ("include", "stages")],
            ["sanitizer-cuda-conformance", "sanitizer-cuda-pool"],
        )
        self.assertIn("'^sanitizer/cuda-[a-z]+/programs[.](axpy)_pool$'", jobs["sanitizer-cuda-pool"]["script"][0])
        self.assertEqual(jobs["sanitizer-cuda-pool"]["variables"]["ASSAY_REQUIRE_DEVICE"], "1")

    def test_takes_all_for_every_name(self):
        jobs = expand.expand({"TARGETS": "all", "MODES": "all", "LEVELS": "all", "PROGRAMS": "all"})
        self.assertEqual(sum(name.startswith("programs-") for name in jobs), 2 * len(expand.MODES))
        for program in expand.programs():
            self.assertIn(program, jobs["programs-cuda-pool"]["script"][0])
        self.assertIn("benchmark-hip", jobs)

    def test_refuses_a_wrong_name_with_the_list_of_right_ones(self):
        for variables, message in [
            ({"TARGETS": "cuda:rocm"}, "TARGETS=cuda:rocm: unknown name 'rocm' (one of all, cuda, hip)"),
            ({"MODES": "extern"}, "unknown name 'extern' (one of all, scoped, pool, persistent, external)"),
            ({"LEVELS": ""}, "LEVELS=: unknown name '' (one of all, unit, device, sanitizer, benchmark)"),
            ({"PROGRAMS": "hdiff,axpy"}, "unknown name 'hdiff,axpy' (one of all, axpy, "),
        ]:
            code, output, messages = run(**variables)
            self.assertEqual((code, output), (2, ""), variables)
            self.assertIn(message, messages)

    def test_refuses_what_would_run_nothing(self):
        code, output, messages = run(TARGETS="hip", LEVELS="sanitizer")
        self.assertEqual((code, output), (2, ""))
        self.assertIn("TARGETS=hip: none has the level sanitizer (sanitizer is for cuda)", messages)

    def test_names_every_job_report_differently(self):
        jobs = expand.expand({"LEVELS": "all"})
        reports = [job["artifacts"]["paths"][0] for name, job in jobs.items() if name not in ("include", "stages")]
        self.assertEqual(len(reports), len(set(reports)))

    def test_offers_the_programs_that_the_device_tests_run(self):
        self.assertEqual(expand.programs(), os.environ["ASSAY_DEVICE_PROGRAMS"].split(":"))


if __name__ == "__main__":
    unittest.main()
