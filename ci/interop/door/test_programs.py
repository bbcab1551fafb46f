"""Every program, in the four memory modes, through both doors: our generated code, DaCe's own code and numpy agree, and
where DaCe's code has a fault, that is the finding."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from both_doors import assay, write_build_folder, write_sdfg  # noqa: E402
from gpu_modes import MODES  # noqa: E402
from programs import PROGRAMS  # noqa: E402

# One program per entry of ctest; two modes in a pull request, all of them at night.
NAMES = [os.environ["ASSAY_INTEROP_PROGRAM"]] if "ASSAY_INTEROP_PROGRAM" in os.environ else list(PROGRAMS)
CHOSEN_MODES = MODES if os.environ.get("ASSAY_INTEROP_MODES") == "all" else ("scoped", "external")

# What is wrong with DaCe's code, by program, mode and kind of finding. Without an entry: nothing.
FAULTS = {
    # External arrays are packed without alignment: an array of bool of odd length, then doubles.
    ("mixed_types", "external"): "misaligned",
    # With one stream nothing waits between the copy of a device result to the host and the host's condition.
    ("device_decides", "scoped"): "host-race",
    ("device_decides", "pool"): "host-race",
    ("device_decides", "persistent"): "host-race",
    ("device_decides", "external"): "host-race",
}


def kinds(report: dict) -> set[str]:
    return {finding["kind"] for run in report["runs"] for finding in run["findings"]}


@pytest.mark.parametrize("name", NAMES)
def test_generated_code_agrees_with_numpy(name, tmp_path):
    program, case = write_sdfg(name, str(tmp_path))
    code, report, errors = assay(program, "--case", case, "--target", "cuda", "--stream", "external", "--call", "async",
                                 "--mode", ",".join(CHOSEN_MODES), "--schedule", "eager,lazy")
    assert code == 0, (errors, report.get("verdict"), kinds(report) if report else "")
    assert [run["outputs"] for run in report["runs"]] == ["equal"] * 2 * len(CHOSEN_MODES)
    assert report["checked"]["accesses"] > 0


@pytest.mark.parametrize("mode", CHOSEN_MODES)
@pytest.mark.parametrize("name", NAMES)
def test_own_code_of_dace_agrees_or_has_the_known_fault(name, mode, tmp_path):
    folder, case = write_build_folder(name, str(tmp_path), mode)
    code, report, errors = assay(folder, "--case", case, "--stream", "default", "--schedule", "eager,lazy")
    assert report, errors
    fault = FAULTS.get((name, mode))
    if fault is None:
        assert (code, report["verdict"]) == (0, "holds"), (report["verdict"], kinds(report), report["runs"][0])
        assert [run["outputs"] for run in report["runs"]] == ["equal"] * 2
    else:
        assert code == 1 and kinds(report) == {fault}, (report["verdict"], kinds(report))
    assert report["checked"]["operations"] > 0
