"""Times our generator and DaCe's own `generate_code` on the same file, one after the other in one run.

Usage: generates_faster.py --python PYTHON --assay ASSAY [--least RATIO] PROGRAM.sdfg

Both are measured in seconds of processor time, the better of five runs: ours the whole command, with the start of
the process, the reading of the file and the writing of the code; DaCe's the one call, without its imports and without
reading the file. Fails where ours is not RATIO times faster (default: 50).
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

from python_environment import find_python

DACE = r"""
import sys
import time
import warnings
warnings.simplefilter("ignore")
import dace
from dace.codegen import codegen

seconds = []
for _ in range(5):
    sdfg = dace.SDFG.from_file(sys.argv[1])
    start = time.process_time()
    codegen.generate_code(sdfg)
    seconds.append(time.process_time() - start)
print("seconds:", min(seconds))
"""


def our_seconds(assay: str, program: str) -> float:
    def of_children() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            before = of_children()
            subprocess.run([assay, "generate", program, "-o", folder], check=True)
            seconds.append(of_children() - before)
    return min(seconds)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--least", type=float, default=50)
    parser.add_argument("program")
    arguments = parser.parse_args()
    python = find_python(arguments.python)
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run([python, "-c", DACE, os.path.abspath(arguments.program)], check=True, cwd=folder,
                                capture_output=True, text=True).stdout
    theirs = float(output.rsplit("seconds:", 1)[1])
    ours = our_seconds(arguments.assay, arguments.program)
    print(f"DaCe {theirs * 1000:.0f} ms, assay {ours * 1000:.1f} ms: {theirs / ours:.0f} times faster")
    return 0 if theirs >= arguments.least * ours else 1


if __name__ == "__main__":
    sys.exit(main())
