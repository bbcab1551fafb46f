"""The mutation score of DaCe's own code: writes build folders and hands them to code_mutation_score.

Usage: code_mutation.py PYTHON ROOT, with the interop environment's Python and the build folder. Exit code 77: skipped,
with the reason.
"""
import os
import subprocess
import sys
import tempfile

from python_environment import find_python

# Programs that hold as DaCe generates them: with waits between streams, host copies, updates and workspaces.
SUBJECTS = [("stencil", "pool", 3), ("host_arguments", "external", 0), ("reduction", "external", 0),
            ("concat_where", "external", 0), ("device_decides", "persistent", 0), ("copies", "scoped", 2),
            ("time_loop", "scoped", 0), ("extremes", "pool", -1)]


def write_folders(folder: str) -> list[str]:
    """FOLDER=CASE of each subject. Runs in the interop environment."""
    from both_doors import write_build_folder
    return ["=".join(write_build_folder(name, os.path.join(folder, f"{name}_{mode}_{streams}"), mode, streams=streams))
            for name, mode, streams in SUBJECTS]


def main() -> int:
    if sys.argv[1] == "--write":
        print(":".join(write_folders(sys.argv[2])))
        return 0
    given, root = sys.argv[1:]
    python = find_python(given)
    with tempfile.TemporaryDirectory() as folder:
        written = subprocess.run([python, os.path.abspath(__file__), "--write", folder], cwd=folder, text=True,
                                 stdout=subprocess.PIPE, check=True).stdout.strip().splitlines()[-1]
        variables = dict(os.environ, ASSAY_PYTHON=python, ASSAY_MUTATION_FOLDERS=written)
        return subprocess.run([os.path.join(root, "bin", "code_mutation_score")], env=variables).returncode


if __name__ == "__main__":
    sys.exit(main())
