"""Where the mock lies, and the environment in which builds and programs use it.

The package stands in `<root>/share/mockgpu/python`, both in a build tree and in an installed one; the environment
variable ASSAY_ROOT names another root.
"""
import glob
import os


DIALECTS = ("cuda-13", "hip-6", "hip-7")


class NotInstalled(RuntimeError):
    """The mock's library or drivers are not where they should be."""


def root() -> str:
    """The folder that holds `bin`, `lib` and `share/mockgpu`. Symbolic links of a build tree are not resolved."""
    given = os.environ.get("ASSAY_ROOT")
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.abspath(given) if given else os.path.normpath(os.path.join(here, "..", "..", "..", ".."))
    if not os.path.exists(os.path.join(folder, "bin", "mockgpu-nvcc")):
        raise NotInstalled(f"no mockgpu-nvcc in '{folder}/bin': set ASSAY_ROOT to the folder that holds bin and lib")
    return folder


def library() -> str:
    """The path of libmockgpu.so."""
    for pattern in ("lib", "lib64", "lib/*"):
        for path in sorted(glob.glob(os.path.join(root(), pattern, "libmockgpu.so"))):
            return path
    raise NotInstalled(f"libmockgpu.so is not below '{root()}'")


def toolkit() -> str:
    """A folder that is laid out as NVIDIA's toolkit, with the mock in it."""
    return os.path.join(root(), "share", "mockgpu", "toolkit")


def stand_in() -> str:
    """The folder with the modules `cupy` and `cupyx` that hand out the mock's memory."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stand_in")


def cache(of: str) -> str:
    """The folder for what a package keeps between builds: apart from its builds for real devices."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "assay", of)
    os.makedirs(folder, exist_ok=True)
    return folder


def rocm() -> str:
    """A folder that is laid out as ROCm, with the mock in it."""
    return os.path.join(root(), "share", "mockgpu", "rocm")


def environment(base: dict[str, str] | None = None, dialect: str = "cuda-13") -> dict[str, str]:
    """`base` (default: this process's environment) with what makes DaCe, GT4Py and CMake build for the mock and
    makes Python find it. Values that already name a compiler are replaced: nothing may be built for another one."""
    variables = dict(os.environ if base is None else base)

    def prepend(name: str, *folders: str) -> None:
        old = [part for part in variables.get(name, "").split(os.pathsep) if part and part not in folders]
        variables[name] = os.pathsep.join([*folders, *old])

    binaries = os.path.join(root(), "bin")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    prepend("PATH", binaries, os.path.join(toolkit(), "bin"), os.path.join(rocm(), "bin"))
    prepend("PYTHONPATH", stand_in(), package)
    cxx = os.path.join(binaries, "mockgpu-cxx")
    nvcc = os.path.join(binaries, "mockgpu-nvcc")
    variables.update(
        ASSAY_ROOT=root(),
        CXX=cxx,
        CUDACXX=nvcc,
        CUDAToolkit_ROOT=toolkit(),
        CUDA_HOME=toolkit(),
        # Host threads of OpenMP carry no order that the checker sees.
        OMP_NUM_THREADS="1",
        DACE_BUILD_CACHE_DIR=cache("dace"),
        DACE_compiler_cpu_executable=cxx,
        DACE_compiler_cuda_path=toolkit(),
        DACE_compiler_cuda_backend="hip" if dialect.startswith("hip") else "cuda",
        MOCKGPU_DIALECT=dialect,
        DACE_compiler_extra_cmake_args=(
            f"-DCMAKE_USER_MAKE_RULES_OVERRIDE_CUDA={toolkit()}/cuda_standards.cmake"
            f" -DCMAKE_CUDA_COMPILER={nvcc}" + (f" -C {rocm()}/hip_language.cmake" if dialect.startswith("hip") else "")),
        # Folders keep their sources, so that `assay check FOLDER` can read them (GT4Py's production mode drops them).
        DACE_compiler_build_folder_mode="development",
        # Libraries for a real device and for the mock must not be taken for each other; and a worker process of
        # GT4Py's, which imports the user's script again, would have a report of its own.
        GT4PY_BUILD_CACHE_DIR=cache("gt4py"),
        GT4PY_BUILD_JOBS="0",
        # A header that was compiled before is compiled without the flags that make hooks.
        DACE_compiler_precompiled_header="0",
    )
    return variables
