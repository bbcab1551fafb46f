"""Unmodified DaCe, its own build by CMake, calls on arrays of the stand-in: under `pytest --assay` and `python -m
assay run`."""
import os
import re
import subprocess
import sys

import pytest

SAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "samples")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """The text of one run of the samples, and the outcome of each."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--assay", "-p", "no:cacheprovider", "-q", "-rA", "-W", "ignore",
         os.path.join(SAMPLES, "whole_way.py")],
        cwd=tmp_path_factory.mktemp("whole_way"), capture_output=True, text=True, timeout=500)
    text = result.stdout + result.stderr
    outcomes = {name: word for word, name in re.findall(r"^(PASSED|FAILED|ERROR) \S*::(\w+)", text, re.M)}
    assert len(outcomes) == 8, text
    return text, outcomes


@pytest.mark.parametrize("name", ["test_host_arrays_correct", "test_device_arrays_correct",
                                  "test_other_stream_correct", "test_workspace_correct"])
def test_passes_the_correct_program(outcome, name):
    assert outcome[1][name] == "PASSED", outcome[0]


@pytest.mark.parametrize("name, words", [
    ("test_other_stream_faulty", ["stream-race", "'y'", "cudaMemcpyAsync"]),
    ("test_short_array_faulty", ["out-of-bounds", "'y'", "312 to 320"]),
    ("test_workspace_short_faulty", ["out-of-bounds", "312 to 320"]),
    ("test_workspace_missing_faulty", ["workspace-unset"]),
])
def test_fails_the_faulty_program_with_the_finding(outcome, name, words):
    assert outcome[1][name] == "FAILED", outcome[0]
    section = outcome[0].split(f" {name} ")[1].split("\n____")[0]
    for word in words:
        assert word in section, f"{word} is not in:\n{section}"


def test_counts_what_it_checked(outcome):
    counts = re.search(r"^assay: (\d+) test runs used the GPU; (\d+) operations and (\d+) accesses", outcome[0], re.M)
    assert counts and int(counts[1]) == 8 and int(counts[2]) > 10 and int(counts[3]) > 100, outcome[0]


def test_run_reports_and_exits_with_1(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import cupy\nx = cupy.zeros(8)\n"
                      "with cupy.cuda.Stream(non_blocking=True):\n    print(float(x.get().sum()))\n")
    command = [sys.executable, "-m", "assay", "run", str(script)]
    faulty = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert faulty.returncode == 1 and "stream-race" in faulty.stderr, faulty.stderr
    script.write_text("import cupy\nprint(float(cupy.zeros(8).get().sum()))\n")
    correct = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert (correct.returncode, correct.stdout) == (0, "0.0\n"), correct.stderr
    assert "assay: 0 findings, 2 operations" in correct.stderr


HIP_SCRIPT = """
import cupy, dace, numpy as np
N = dace.symbol("N")

@dace.program
def whole_way_hip(x: dace.float64[N] @ dace.StorageType.GPU_Global, y: dace.float64[N] @ dace.StorageType.GPU_Global):
    for i in dace.map[0:N]:
        y[i] = 3 * x[i]

sdfg = whole_way_hip.to_sdfg()
sdfg.apply_gpu_transformations()
program = sdfg.compile()
assert "hipLaunchKernel" in "".join(one.clean_code for one in sdfg.generate_code())
x, y = cupy.asarray(np.arange(40.0)), cupy.empty(SIZE)
program(x=x, y=y, N=40)
print(np.allclose(y.get(), 3 * x.get()[:SIZE]))
"""


@pytest.mark.parametrize("size, code", [(40, 0), (39, 1)])
def test_code_for_hip_goes_through_cmake_and_is_checked(tmp_path, size, code):
    script = tmp_path / "script.py"
    script.write_text(HIP_SCRIPT.replace("SIZE", str(size)))
    result = subprocess.run([sys.executable, "-W", "ignore", "-m", "assay", "run", "--dialect", "hip-7", str(script)],
                            cwd=tmp_path, capture_output=True, text=True, timeout=400)
    assert (result.returncode, result.stdout) == (code, "True\n"), result.stdout + result.stderr
    counts = re.search(r"^assay: (\d+) findings?, (\d+) operations and (\d+) accesses", result.stderr, re.M)
    assert counts and int(counts[1]) == code and int(counts[3]) > 80, result.stderr
    assert ("out-of-bounds" in result.stderr) == (code == 1), result.stderr


def test_run_of_a_script_without_a_gpu_is_no_pass(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("pass\n")
    result = subprocess.run([sys.executable, "-m", "assay", "run", str(script)], capture_output=True, text=True,
                            timeout=200)
    assert result.returncode == 2 and "no call that the mock saw" in result.stderr


def test_arrays_of_the_stand_in_behave_as_those_of_numpy(tmp_path):
    result = subprocess.run([sys.executable, "-m", "assay", "run", os.path.join(SAMPLES, "stand_in.py")], cwd=tmp_path,
                            capture_output=True, text=True, timeout=200)
    assert (result.returncode, result.stdout) == (0, "compared\n"), result.stderr


def test_a_crash_is_one_tests_and_keeps_its_findings(tmp_path):
    (tmp_path / "test_crash.py").write_text(
        "import os, cupy\n"
        "def test_crash():\n"
        "    x = cupy.zeros(8)\n"
        "    with cupy.cuda.Stream(non_blocking=True):\n"
        "        x.get()\n"
        "    os.abort()\n"
        "def test_after():\n"
        "    assert float(cupy.ones(8).sum()) == 8\n")
    result = subprocess.run([sys.executable, "-m", "pytest", "--assay", "-q", "-rA", str(tmp_path)], cwd=tmp_path,
                            capture_output=True, text=True, timeout=200)
    assert "by signal 6" in result.stdout and "stream-race" in result.stdout, result.stdout
    assert "1 failed, 1 passed" in result.stdout, result.stdout
