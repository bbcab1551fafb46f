"""Takes a program through both doors of `assay check`: the SDFG, for which Assay generates code, and the build folder
with DaCe's own code."""
import contextlib
import json
import os
import subprocess
import sys
import warnings

import dace
import numpy as np
from dace.codegen import common, compiler

from gpu_modes import gpu_sdfg
from programs import PROGRAMS, Program


def assay(*arguments: str) -> tuple[int, dict, str]:
    """Exit code, JSON report (empty after an error) and standard error of `assay check`."""
    tool = os.path.join(os.environ["ASSAY_ROOT"], "bin", "assay")
    result = subprocess.run([tool, "check", *arguments, "--format", "json", "--quiet"], capture_output=True, text=True,
                            timeout=500, env=dict(os.environ, ASSAY_PYTHON=sys.executable))
    return result.returncode, json.loads(result.stdout) if result.stdout.strip() else {}, result.stderr


def write_case(folder: str, sdfg: dace.SDFG, source: Program) -> str:
    """The case file for this SDFG's arguments, with numpy's results."""
    os.makedirs(folder, exist_ok=True)
    values = source.arguments(np.random.default_rng(7))
    expected = source.expected({name: np.copy(one) if isinstance(one, np.ndarray) else one
                                for name, one in values.items()})
    arguments, expect = {}, {}
    for name, descriptor in sdfg.arglist().items():
        if isinstance(values[name], np.ndarray):
            np.save(os.path.join(folder, f"{name}.npy"), values[name])
            on_device = descriptor.storage == dace.StorageType.GPU_Global
            arguments[name] = {"file": f"{name}.npy", "memory": "device" if on_device else "host"}
        else:
            arguments[name] = values[name]
    for name, one in expected.items():
        np.save(os.path.join(folder, f"expect_{name}.npy"), one)
        expect[name] = f"expect_{name}.npy"
    path = os.path.join(folder, "case.json")
    with open(path, "w") as file:
        json.dump({"program": sdfg.name, "arguments": arguments, "expect": expect}, file)
    return path


@contextlib.contextmanager
def _settings(backend: str, streams: int):
    with dace.config.temporary_config():
        dace.Config.set("compiler", "cuda", "backend", value=backend)
        dace.Config.set("compiler", "cuda", "max_concurrent_streams", value=streams)
        common.get_gpu_backend.cache_clear()  # DaCe asks for the setting once in a process
        yield


def write_sdfg(name: str, folder: str, mode: str = "scoped") -> tuple[str, str]:
    """The SDFG file of a program and its case."""
    source = PROGRAMS[name]
    sdfg = gpu_sdfg(source.function, source.on_host, mode)
    case = write_case(os.path.join(folder, "case"), sdfg, source)
    path = os.path.join(folder, "program.sdfg")
    sdfg.save(path)
    return path, case


def write_build_folder(name: str, folder: str, mode: str, backend: str = "cuda", streams: int = -1) -> tuple[str, str]:
    """The folder that DaCe would build from, untouched, and the case."""
    source = PROGRAMS[name]
    with _settings(backend, streams), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sdfg = gpu_sdfg(source.function, source.on_host, mode)
        case = write_case(os.path.join(folder, "case"), sdfg, source)
        objects = sdfg.generate_code()
        path = os.path.join(folder, "build")
        compiler.generate_program_folder(sdfg, objects, path, folder_mode="development")
    return path, case
