#!/usr/bin/env python3
"""Writes the child pipeline of a CSCS run: the jobs that the variables of the trigger ask for.

Variables, each a list of names separated by `:`, or `all`: TARGETS, LEVELS, MODES, PROGRAMS. They come from
`cscs-ci run default;TARGETS=cuda:hip;MODES=external`, else from the pipeline's own defaults. The output is JSON, which
GitLab reads as YAML. A wrong name ends with exit code 2 and the list of right ones.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

RUNNERS = {
    "cuda": {
        "extends": [".container-runner-santis-gh200", ".device-job"],
        "variables": {"SLURM_PARTITION": "shared", "SLURM_GPUS_PER_NODE": "1"},
    },
    "hip": {
        "extends": [".container-runner-beverin-mi200", ".device-job"],
        "variables": {"SLURM_PARTITION": "mi300", "SLURM_GPUS_PER_NODE": "4"},
    },
}
MODES = ["scoped", "pool", "persistent", "external"]
LEVELS = ["unit", "device", "sanitizer", "benchmark"]


class WrongName(Exception):
    """A variable holds a name that does not exist."""


def programs(root=ROOT):
    """Names of the example programs, in alphabetical order."""
    return sorted(file.parent.name for file in root.glob("core/examples/*/program.sdfg"))


def chosen(variable, text, known):
    """The names of `text` in the order of `known`; `all` is all of them."""
    if text == "all":
        return list(known)
    names = text.split(":")
    wrong = [name for name in names if name not in known]
    if wrong:
        raise WrongName(f"{variable}={text}: unknown name '{wrong[0]}' (one of all, {', '.join(known)})")
    return [name for name in known if name in names]


def test_job(target, selection, title, environment=None):
    """A job that runs the tests that `selection` (arguments of ctest) picks in the image built for the target."""
    runner = RUNNERS[target]
    report = f"junit-{title}.xml"
    return {
        "extends": runner["extends"],
        "image": f"${{CSCS_REGISTRY_PATH}}/public/{target}/assay:${{CI_COMMIT_SHORT_SHA}}",
        "variables": {**runner["variables"], **(environment or {})},
        "script": [
            f"ctest --test-dir /assay/build/device-{target} {selection} --no-tests=error --output-on-failure"
            f" --output-junit ${{CI_PROJECT_DIR}}/{report}"
        ],
        "artifacts": {"when": "always", "paths": [report], "reports": {"junit": report}},
    }


def benchmark_job(target):
    """A job that keeps the figures of the benchmarks of the checker on that runner's processors."""
    runner = RUNNERS[target]
    figures = f"benchmark-{target}.json"
    return {
        "extends": runner["extends"],
        "image": f"${{CSCS_REGISTRY_PATH}}/public/{target}/assay:${{CI_COMMIT_SHORT_SHA}}",
        "variables": runner["variables"],
        "script": [
            f"cmake -S /assay -B /assay/build/device-{target} -DASSAY_BUILD_BENCHMARKS=ON",
            f"cmake --build /assay/build/device-{target} --target mockgpu_bench",
            f"/assay/build/device-{target}/bin/mockgpu_bench --benchmark_out=${{CI_PROJECT_DIR}}/{figures}"
            " --benchmark_out_format=json",
        ],
        "artifacts": {"when": "always", "paths": [figures]},
    }


def expand(variables, root=ROOT):
    """The child pipeline as a dictionary. Raises WrongName."""
    known_programs = programs(root)
    targets = chosen("TARGETS", variables.get("TARGETS", "all"), list(RUNNERS))
    levels = chosen("LEVELS", variables.get("LEVELS", "unit:device"), LEVELS)
    modes = chosen("MODES", variables.get("MODES", "all"), MODES)
    wanted = chosen("PROGRAMS", variables.get("PROGRAMS", "all"), known_programs)
    pipeline = {
        "include": [{"local": "ci/cscs/jobs.yml"}],
        "stages": ["test"],
    }
    required = {"ASSAY_REQUIRE_DEVICE": "1"}
    for target in targets:
        if "unit" in levels:
            title = f"unit-{target}"
            pipeline[title] = test_job(target, "-L '^(unit|codegen)$'", title)
        if "device" in levels:
            title = f"conformance-{target}"
            pipeline[title] = test_job(target, f"-R '^device/{target}/' -E '/programs[.]'", title, required)
            for mode in modes:
                title = f"programs-{target}-{mode}"
                pattern = f"^device/{target}/programs[.]({'|'.join(wanted)})_{mode}$"
                pipeline[title] = test_job(target, f"-R '{pattern}'", title, required)
        if "sanitizer" in levels and target == "cuda":
            title = "sanitizer-cuda-conformance"
            pipeline[title] = test_job(target, "-R '^sanitizer/cuda-[a-z]+/(conformance$|planted)'", title, required)
            for mode in modes:
                title = f"sanitizer-cuda-{mode}"
                pattern = f"^sanitizer/cuda-[a-z]+/programs[.]({'|'.join(wanted)})_{mode}$"
                pipeline[title] = test_job(target, f"-R '{pattern}'", title, required)
        if "benchmark" in levels:
            pipeline[f"benchmark-{target}"] = benchmark_job(target)
    if len(pipeline) == 2:
        # A pipeline without a job would pass.
        raise WrongName(f"TARGETS={':'.join(targets)}: none has the level {':'.join(levels)} (sanitizer is for cuda)")
    return pipeline


def main():
    try:
        pipeline = expand(os.environ)
    except WrongName as problem:
        print(f"ci/cscs/expand.py: error: {problem}", file=sys.stderr)
        return 2
    json.dump(pipeline, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
