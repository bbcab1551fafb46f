"""`assay check BUILD_DIR`: what the matrix is for DaCe's code, and the faults that show only with other streams or
symbols. Each fault has a twin that is silent."""
import os
import shutil
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from both_doors import assay, write_build_folder  # noqa: E402


def kinds(report: dict) -> set[str]:
    return {finding["kind"] for run in report["runs"] for finding in run["findings"]}


def streams(report: dict) -> list[str]:
    return sorted({run["stream"] for run in report["runs"]})


EAGER = ("--schedule", "eager")


@pytest.mark.parametrize("mode", ["external", "persistent"])
def test_larger_symbols_in_a_second_call_run_over_memory_of_the_first(mode, tmp_path):
    folder, _ = write_build_folder("stencil", str(tmp_path), mode)
    symbols = ("--set", "N=10", "--set", "M=8", "--stream", "default", *EAGER)
    code, report, errors = assay(folder, *symbols, "--set2", "N=14")
    assert code == 1 and "out-of-bounds" in kinds(report), (errors, report)
    code, report, errors = assay(folder, *symbols, "--set2", "N=7")
    assert (code, report["verdict"]) == (0, "holds"), (errors, kinds(report))


@pytest.mark.parametrize("mode", ["scoped", "pool"])
def test_larger_symbols_are_right_where_memory_is_allocated_in_each_call(mode, tmp_path):
    folder, _ = write_build_folder("stencil", str(tmp_path), mode)
    code, report, errors = assay(folder, "--set", "N=10", "--set", "M=8", "--set2", "N=14", "--stream", "default",
                                 *EAGER)
    assert (code, report["verdict"]) == (0, "holds"), (errors, kinds(report))
    assert [run["outputs"] for run in report["runs"]] == ["equal"]


def test_larger_symbols_in_a_larger_slab_run_from_one_array_into_the_next(tmp_path):
    folder, _ = write_build_folder("concat_where", str(tmp_path), "external")
    code, report, errors = assay(folder, "--set", "N=16", "--set", "K=5", "--set2", "N=20", "--workspace", "larger",
                                 "--stream", "default", *EAGER)
    assert code == 1 and kinds(report) == {"out-of-bounds"}, (errors, kinds(report))
    assert "sub-array-bounds" in {finding["rule"] for finding in report["runs"][0]["findings"]}


def test_sizes_beyond_32_bits_are_refused(tmp_path):
    folder, case = write_build_folder("large_transient", str(tmp_path), "external")
    small = assay(folder, "--case", case, "--stream", "default", *EAGER)
    assert (small[0], small[1]["verdict"]) == (0, "holds"), small
    code, report, _ = assay(folder, "--case", case, "--set", "L=600000000", "--stream", "default", *EAGER)
    assert (code, report["verdict"]) == (1, "crash")
    assert report["runs"][0]["detail"] == (
        "workspace for GPU_Global: the program asks for 505032704 bytes, but its arrays take 4800000000 for these "
        "symbols")


def test_a_stream_that_is_set_has_no_effect_with_one_stream(tmp_path):
    folder, case = write_build_folder("stencil", str(tmp_path), "scoped", streams=-1)
    code, report, errors = assay(folder, "--case", case, *EAGER)
    assert streams(report) == ["default", "external"], errors
    found = {run["stream"]: {finding["kind"] for finding in run["findings"]} for run in report["runs"]}
    assert code == 1 and "wrong-stream" in found["external"] and found["default"] == set()


def test_a_stream_that_is_set_is_used_with_many_streams(tmp_path):
    folder, case = write_build_folder("concat_where", str(tmp_path), "scoped", streams=0)
    code, report, errors = assay(folder, "--case", case, "--schedule", "eager,lazy")
    assert (code, report["verdict"]) == (0, "holds"), (errors, kinds(report))
    names = streams(report)
    assert names[:2] == ["default", "external"] and names[2].startswith("own:"), names
    assert {run["outputs"] for run in report["runs"]} == {"equal"}


@pytest.mark.parametrize("mode", ["scoped", "pool"])
def test_code_for_hip_is_checked_as_hip(mode, tmp_path):
    folder, case = write_build_folder("stencil", str(tmp_path), mode, backend="hip")
    code, report, errors = assay(folder, "--case", case, "--stream", "default", *EAGER)
    assert (code, report["verdict"]) == (0, "holds"), (errors, kinds(report))
    assert {(run["target"], run["dialect"], run["mode"]) for run in report["runs"]} == {("hip", "hip-7", mode)}


def test_a_missing_wait_in_code_for_hip_is_found_with_its_edge(tmp_path):
    folder, case = write_build_folder("device_decides", str(tmp_path), "scoped", backend="hip")
    code, report, errors = assay(folder, "--case", case, "--stream", "default", *EAGER)
    assert code == 1 and kinds(report) == {"host-race"}, (errors, kinds(report))
    finding = report["runs"][0]["findings"][0]
    assert finding["first"]["name"] == "hipMemcpyAsync" and finding["second"]["access"] == "read"
    assert finding["edge"].startswith(f"host:{finding['first']['issue']}:")


def test_arguments_that_are_made_up_are_compared_with_our_own_code_for_the_host(tmp_path):
    folder, _ = write_build_folder("time_loop", str(tmp_path), "scoped")
    code, report, errors = assay(folder, "--stream", "default", *EAGER)
    assert (code, report["verdict"]) == (0, "holds"), (errors, kinds(report))
    assert [run["outputs"] for run in report["runs"]] == ["equal"]


def test_a_folder_without_its_sources_is_bad_input(tmp_path):
    folder, _ = write_build_folder("copies", str(tmp_path), "scoped")
    shutil.rmtree(os.path.join(folder, "src"))
    code, _, errors = assay(folder)
    assert code == 2 and "holds no folder src: DaCe's build_folder_mode 'production' deletes it" in errors


def test_headers_that_are_missing_are_named(tmp_path):
    folder, _ = write_build_folder("copies", str(tmp_path), "scoped")
    code, _, errors = assay(folder, "--dace-include", str(tmp_path))
    assert code == 4 and "holds no dace/dace.h" in errors
