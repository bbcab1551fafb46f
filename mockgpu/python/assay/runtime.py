"""The part of the vendor's runtime that device arrays need, by ctypes: CUDA's names, or HIP's where MOCKGPU_DIALECT is one
of HIP's. Loaded at the first call, so that the options of the mock (MOCKGPU_*) can be set until then."""
import ctypes
import functools
import os

from . import installation

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3


def is_hip() -> bool:
    """Whether this process stands for a machine with AMD's GPUs."""
    return os.environ.get("MOCKGPU_DIALECT", "").startswith("hip")


def _vendor(name: str) -> str:
    return "hip" + name.removeprefix("cuda") if is_hip() else name


class CudaError(RuntimeError):
    """A call of the runtime failed; `status` is the vendor's number."""

    def __init__(self, call: str, status: int):
        self.status = status
        name = getattr(library(), _vendor("cudaGetErrorName"))
        name.restype = ctypes.c_char_p
        super().__init__(f"{call}: {name(status).decode()} ({status})")


@functools.cache
def library() -> ctypes.CDLL:
    """The mock. Its symbols are global: programs that are loaded later find the same runtime."""
    return ctypes.CDLL(installation.library(), mode=ctypes.RTLD_GLOBAL)


def _call(name: str, *arguments) -> None:
    name = _vendor(name)
    status = getattr(library(), name)(*arguments)
    if status != 0:
        raise CudaError(name, status)


def allocate(size_bytes: int) -> int:
    """Device memory; address 0 for 0 bytes."""
    if size_bytes == 0:
        return 0
    pointer = ctypes.c_void_p()
    _call("cudaMalloc", ctypes.byref(pointer), ctypes.c_size_t(size_bytes))
    return pointer.value


def release(address: int) -> None:
    """Frees what `allocate` gave."""
    _call("cudaFree", ctypes.c_void_p(address))


def copy_async(target: int, source: int, size_bytes: int, kind: int, stream: int) -> None:
    """Queues a copy."""
    _call("cudaMemcpyAsync", ctypes.c_void_p(target), ctypes.c_void_p(source), ctypes.c_size_t(size_bytes), kind,
          ctypes.c_void_p(stream))


def copy_rows_async(target: int, source: int, pitch_bytes: int, width_bytes: int, rows: int, kind: int,
                    stream: int) -> None:
    """Queues a copy of rows that lie `pitch_bytes` apart on both sides."""
    _call("cudaMemcpy2DAsync", ctypes.c_void_p(target), ctypes.c_size_t(pitch_bytes), ctypes.c_void_p(source),
          ctypes.c_size_t(pitch_bytes), ctypes.c_size_t(width_bytes), ctypes.c_size_t(rows), kind,
          ctypes.c_void_p(stream))


def fill_async(target: int, byte: int, size_bytes: int, stream: int) -> None:
    """Queues a fill."""
    _call("cudaMemsetAsync", ctypes.c_void_p(target), byte, ctypes.c_size_t(size_bytes), ctypes.c_void_p(stream))


def create_stream(non_blocking: bool) -> int:
    """A new stream's handle."""
    handle = ctypes.c_void_p()
    _call("cudaStreamCreateWithFlags", ctypes.byref(handle), 1 if non_blocking else 0)
    return handle.value


def destroy_stream(stream: int) -> None:
    """Gives the handle back; queued work still runs."""
    _call("cudaStreamDestroy", ctypes.c_void_p(stream))


def synchronise(stream: int) -> None:
    """Waits for the stream."""
    _call("cudaStreamSynchronize", ctypes.c_void_p(stream))


def synchronise_device() -> None:
    """Waits for all streams."""
    _call("cudaDeviceSynchronize")


def set_device(number: int) -> None:
    """Makes the device current."""
    _call("cudaSetDevice", number)


def current_device() -> int:
    """The number of the current device."""
    number = ctypes.c_int()
    _call("cudaGetDevice", ctypes.byref(number))
    return number.value


def device_count() -> int:
    """Devices that the mock shows (MOCKGPU_DEVICES)."""
    count = ctypes.c_int()
    _call("cudaGetDeviceCount", ctypes.byref(count))
    return count.value


def name_memory(address: int, size_bytes: int, name: str) -> None:
    """The name that reports give to this memory."""
    library().mockgpu_name_memory(ctypes.c_void_p(address), ctypes.c_size_t(size_bytes), name.encode())


def host_access(address: int, size_bytes: int, write: bool) -> None:
    """Says that code without hooks (numpy) reads or writes host memory now."""
    library().mockgpu_host_access(ctypes.c_void_p(address), ctypes.c_size_t(size_bytes), int(write))


def is_loaded() -> bool:
    """Whether the mock is in this process: by this module, or by a program that is linked with it."""
    try:
        ctypes.CDLL(installation.library(), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        return True
    except OSError:
        return False


def end_report(leaks: bool) -> None:
    """Runs what is queued and closes the report, if the mock is in use at all."""
    if is_loaded():
        library().mockgpu_end_report(int(leaks))
