"""Lets the real DaCe load, validate and generate code from what `assay transform` writes.

Usage: accepts_transformed.py --python PYTHON --assay ASSAY --work DIRECTORY PROGRAM.sdfg...

For each program, vendor, memory mode and kind of call: DaCe's code must contain what the mode promises, the caller's
stream must reach init, and no name of the other vendor may be in it.
"""
import argparse
import os
import subprocess
import sys

from python_environment import find_python

CHECK = r"""
import sys
import dace
from dace.codegen import codegen

path, backend, mode, call = sys.argv[1:]
dace.Config.set("compiler", "cuda", "backend", value=backend)
dace.Config.set("compiler", "cuda", "max_concurrent_streams", value=0)
sdfg = dace.SDFG.from_file(path)
sdfg.validate()
objects = codegen.generate_code(sdfg)
code = "\n".join(o.code for o in objects if o.language in ("cpp", "cu"))
other = "hip" if backend == "cuda" else "cuda"
failures = []
def demand(condition, message):
    if not condition:
        failures.append(message)
demand("gt_external_gpu_stream" in sdfg.arglist(), "the stream is no argument")
demand("__dace_gpu_set_all_streams(__state, (gpuStream_t)gt_external_gpu_stream);" in code, "init does not set the stream")
for name in ("StreamSynchronize", "DeviceSynchronize", "StreamDefault"):
    demand(other + name not in code, f"{other}{name} in code for {backend}")
transients = [d for s in sdfg.all_sdfgs_recursive() for d in s.arrays.values()
              if d.transient and type(d) is dace.data.Array and d.storage == dace.StorageType.GPU_Global]
lifetimes = {d.lifetime for d in transients}
if mode == "pool":
    demand(all(d.pool for d in transients), "a device transient without pool")
    demand(not transients or backend + "MallocAsync" in code, "no stream-ordered allocation")
if mode == "external":
    external = dace.AllocationLifetime.External in lifetimes
    demand(external == ("__dace_set_external_memory_GPU_Global" in code), "workspace functions and lifetimes differ")
demand(("num_streams; ++__i" in code) == (call == "sync"), "the waiting loop does not match the kind of call")
if failures:
    sys.exit("; ".join(failures))
print(len(transients), "device transients")
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    python = find_python(arguments.python)
    os.makedirs(arguments.work, exist_ok=True)
    checked, failures = 0, []
    for program in arguments.programs:
        for backend, mode, call in [("cuda", "scoped", "async"), ("cuda", "pool", "sync"),
                                    ("cuda", "external", "async"), ("hip", "persistent", "sync"),
                                    ("hip", "external", "async")]:
            output = os.path.join(arguments.work, "transformed.sdfg")
            subprocess.run([arguments.assay, "transform", program, "--mode", mode, "--target", backend, "--call", call,
                            "-o", output], check=True)
            result = subprocess.run([python, "-c", CHECK, output, backend, mode, call], capture_output=True, text=True,
                                    cwd=arguments.work)
            checked += 1
            if result.returncode:
                failures.append(f"{program} {backend} {mode} {call}: {result.stderr.strip()[-600:]}")
    print("\n".join(failures))
    print(f"{checked} transformed programs given to DaCe, {len(failures)} refused")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
