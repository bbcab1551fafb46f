"""An unmodified GT4Py program with `make_dace_backend(gpu=True)` under `pytest --assay`."""
import os
import re
import shutil
import subprocess
import sys

import pytest

SAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "samples")


def test_a_stencil_passes_and_a_read_on_another_stream_fails(tmp_path):
    # As in GT4Py's own tests: imported here, GT4Py looks for cupy once and remembers that there is none.
    (tmp_path / "conftest.py").write_text("import gt4py.next\n")
    shutil.copy(os.path.join(SAMPLES, "gt4py_stencil.py"), tmp_path / "test_stencil.py")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--assay", "-p", "no:cacheprovider", "-q", "-rA", "-W", "ignore",
         "test_stencil.py"], cwd=tmp_path, capture_output=True, text=True, timeout=500)
    text = result.stdout + result.stderr
    outcomes = {name: word for word, name in re.findall(r"^(PASSED|FAILED|ERROR) \S*::(\w+)", text, re.M)}
    assert outcomes == {"test_stencil_correct": "PASSED", "test_other_stream_faulty": "FAILED"}, text
    assert "stream-race: copy 'cudaMemcpy2DAsync'" in text
    counts = re.search(r"^assay: 2 test runs used the GPU; (\d+) operations and (\d+) accesses", text, re.M)
    assert counts and int(counts[1]) > 10 and int(counts[2]) > 1000, text


@pytest.mark.skipif(os.environ.get("ASSAY_INTEROP_MODES") != "all", reason="five builds by CMake: at night")
def test_programs_of_the_field_view_agree_with_numpy(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--assay", "-p", "no:cacheprovider", "-q", "-rA", "-W", "ignore",
         os.path.join(SAMPLES, "gt4py_programs.py")], cwd=tmp_path, capture_output=True, text=True, timeout=590)
    text = result.stdout + result.stderr
    outcomes = {name: word for word, name in re.findall(r"^(PASSED|FAILED|ERROR) \S*::(\S+)", text, re.M)}
    assert len(outcomes) == 6 and set(outcomes.values()) == {"PASSED"}, text
    counts = re.search(r"^assay: 6 test runs used the GPU; (\d+) operations and (\d+) accesses", text, re.M)
    assert counts and int(counts[1]) > 20 and int(counts[2]) > 500, text
