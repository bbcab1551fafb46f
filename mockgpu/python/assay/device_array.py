"""An array in the mock's device memory: as much of cupy's `ndarray` as DaCe, GT4Py and their tests use.

Arithmetic is done by numpy on copies: an operation waits for the current stream, computes on the host and uploads
the result. It orders more than cupy does and never less than a program may rely on.
"""
import numpy

from . import runtime
from .streams import current_stream


class Memory:
    """An allocation, freed with the last array that uses it."""

    def __init__(self, size_bytes: int):
        self.size = size_bytes
        self.ptr = runtime.allocate(size_bytes)

    def __del__(self):
        # At the end of the interpreter the runtime may be gone already.
        if getattr(self, "ptr", 0) and runtime is not None:
            try:
                runtime.release(self.ptr)
            except Exception:
                pass


class UnownedMemory:
    """Memory of somebody else, who keeps it alive; `owner` is held as long as this object."""

    def __init__(self, ptr: int, size: int, owner, device_id: int = -1):
        self.ptr, self.size, self.owner = ptr, size, owner


class MemoryPointer:
    """An address inside an allocation, which it keeps alive."""

    def __init__(self, mem, offset: int):
        self.mem, self.offset = mem, offset

    @property
    def ptr(self) -> int:
        return self.mem.ptr + self.offset

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> "MemoryPointer":
        return MemoryPointer(self.mem, self.offset + offset)


def _packed_strides(shape, itemsize: int, order: str) -> tuple:
    strides, step = [0] * len(shape), itemsize
    for axis in range(len(shape)) if order == "F" else reversed(range(len(shape))):
        strides[axis] = step
        step *= max(int(shape[axis]), 1)
    return tuple(strides)


def _bounds(shape, strides, itemsize: int) -> tuple[int, int]:
    """First and past-the-last byte, relative to the first element; equal for an empty array."""
    if any(extent == 0 for extent in shape):
        return 0, 0
    low = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride < 0)
    high = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride > 0)
    return low, high + itemsize


def _runs(shape, strides, itemsize: int):
    """The contiguous pieces of an array: (byte offset, bytes), each once, none of them joined by gaps."""
    axes = sorted((axis for axis in zip(shape, strides) if axis[0] != 1), key=lambda axis: abs(axis[1]))
    size = itemsize
    while axes and axes[0][1] == size:
        size *= axes.pop(0)[0]
    offsets = [0]
    for extent, stride in axes:
        offsets = [offset + index * stride for index in range(extent) for offset in offsets]
    return [] if any(extent == 0 for extent in shape) else [(offset, size) for offset in offsets]


def _copy_runs(target: int, source: int, runs, kind: int, stream: int) -> None:
    """Copies the same pieces of two arrays of one layout: rows at one distance by one call."""
    pitches = {after[0] - before[0] for before, after in zip(runs, runs[1:])}
    if len(pitches) == 1 and min(pitches) >= runs[0][1]:
        first, width = runs[0]
        runtime.copy_rows_async(target + first, source + first, pitches.pop(), width, len(runs), kind, stream)
        return
    for offset, size in runs:
        runtime.copy_async(target + offset, source + offset, size, kind, stream)


class ndarray:
    """Like `cupy.ndarray(shape, dtype, memptr, strides, order)`; strides are in bytes."""

    __array_priority__ = 100
    __hash__ = None

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        self.shape = tuple(int(n) for n in (shape if hasattr(shape, "__iter__") else (shape,)))
        self.dtype = numpy.dtype(dtype)
        self.strides = (tuple(int(s) for s in strides) if strides is not None else _packed_strides(
            self.shape, self.dtype.itemsize, order))
        if memptr is None:
            low, high = _bounds(self.shape, self.strides, self.dtype.itemsize)
            memptr = MemoryPointer(Memory(high - low), -low)
        self.data = memptr
        self.base = None

    # ---- what it is ----
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(numpy.prod(self.shape, dtype=numpy.int64)))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    T = property(lambda self: self.transpose())

    @property
    def device(self):
        from .streams import Device
        return Device(0)

    @property
    def flags(self):
        return self._pattern().flags

    @property
    def __cuda_array_interface__(self) -> dict:
        contiguous = self.strides == _packed_strides(self.shape, self.dtype.itemsize, "C")
        return {"shape": self.shape, "typestr": self.dtype.str, "descr": self.dtype.descr, "version": 3,
                "strides": None if contiguous else self.strides, "data": (self.data.ptr, False),
                "stream": current_stream().ptr or 1}

    def __array_namespace__(self, *, api_version=None):
        import cupy
        return cupy

    def _pattern(self) -> numpy.ndarray:
        """A host array of the same layout, whose elements nobody may touch: numpy computes views with it."""
        return numpy.lib.stride_tricks.as_strided(numpy.empty(1, self.dtype), self.shape, self.strides)

    def _view(self, change) -> "ndarray":
        pattern = self._pattern()
        view = change(pattern)
        if view.size and not numpy.may_share_memory(view, pattern) and pattern.size:
            raise ValueError("the change needs a copy")
        offset = view.__array_interface__["data"][0] - pattern.__array_interface__["data"][0]
        made = type(self)(view.shape, view.dtype, self.data + (offset if view.size else 0), view.strides)
        made.base = self if self.base is None else self.base
        return made

    # ---- to the host and back ----
    def get(self, stream=None, order="C", out=None) -> numpy.ndarray:
        """The elements as a numpy array: copied on the current stream, which the host waits for."""
        on = (stream or current_stream()).ptr
        host = numpy.empty(self.shape, self.dtype, order if order in "CF" else "C")
        runs = sorted(_runs(self.shape, self.strides, self.itemsize))
        low = runs[0][0] if runs else 0
        covered = numpy.empty((runs[-1][0] + runs[-1][1] - low) if runs else 0, numpy.uint8)
        _copy_runs(covered.ctypes.data - low, self.data.ptr, runs, runtime.DEVICE_TO_HOST, on)
        runtime.synchronise(on)
        if runs:
            runtime.host_access(covered.ctypes.data, covered.size, write=False)
            host[...] = numpy.ndarray(self.shape, self.dtype, covered, -low, self.strides)
        if out is None:
            return host
        out[...] = host
        return out

    def set(self, values, stream=None) -> None:
        """Overwrites the elements: uploaded on the current stream, which the host waits for."""
        on = (stream or current_stream()).ptr
        runs = sorted(_runs(self.shape, self.strides, self.itemsize))
        if not runs:
            return
        low = runs[0][0]
        covered = numpy.zeros(runs[-1][0] + runs[-1][1] - low, numpy.uint8)
        numpy.ndarray(self.shape, self.dtype, covered, -low, self.strides)[...] = values
        runtime.host_access(covered.ctypes.data, covered.size, write=True)
        _copy_runs(self.data.ptr, covered.ctypes.data - low, runs, runtime.HOST_TO_DEVICE, on)
        runtime.synchronise(on)

    def fill(self, value) -> None:
        self.set(value)

    def item(self, *index):
        return self.get().item(*index)

    def tolist(self):
        return self.get().tolist()

    def copy(self, order="C") -> "ndarray":
        return array(self, order=order)

    def astype(self, dtype, copy=True, **_) -> "ndarray":
        return self if not copy and self.dtype == dtype else array(self.get().astype(dtype))

    # ---- views ----
    def __getitem__(self, index):
        if _is_basic(index):
            return self._view(lambda pattern: pattern[_with_ellipsis(index)])
        return array(self.get()[_host_index(index)])

    def __setitem__(self, index, values) -> None:
        values = to_host(values)
        if _is_basic(index):
            self[index].set(values)
        else:
            whole = self.get()
            whole[_host_index(index)] = values
            self.set(whole)

    def transpose(self, *axes) -> "ndarray":
        return self._view(lambda pattern: pattern.transpose(*axes))

    def reshape(self, *shape, order="C") -> "ndarray":
        shape = shape[0] if len(shape) == 1 else shape
        try:
            return self._view(lambda pattern: pattern.reshape(shape, order=order))
        except ValueError:
            return array(self.get().reshape(shape, order=order))

    def ravel(self, order="C") -> "ndarray":
        return self.reshape(-1, order=order)

    flatten = ravel

    def squeeze(self, axis=None) -> "ndarray":
        return self._view(lambda pattern: pattern.squeeze(axis))

    def view(self, dtype=None) -> "ndarray":
        if isinstance(dtype, type) and issubclass(dtype, ndarray):
            return dtype(self.shape, self.dtype, self.data, self.strides)
        return self._view(lambda pattern: pattern if dtype is None else pattern.view(dtype))

    # ---- arithmetic, by numpy on copies ----
    def __array_ufunc__(self, function, method, *inputs, out=None, **options):
        result = getattr(function, method)(*map(to_host, inputs), **options)
        if out is None:
            return to_device(result)
        (out[0] if isinstance(out, tuple) else out)[...] = result
        return out[0] if isinstance(out, tuple) else out

    def __array_function__(self, function, types, arguments, options):
        # As cupy: its function of that name. Which of them take arrays of the host too (allclose does) is not
        # modelled: all do.
        import cupy
        if not all(issubclass(one, (ndarray, numpy.ndarray)) for one in types):
            return NotImplemented
        module = cupy
        for part in function.__module__.split(".")[1:]:
            module = getattr(module, part, None)
        ours = getattr(module, function.__name__, None)
        return NotImplemented if ours is None else ours(*arguments, **options)

    def __array__(self, dtype=None, copy=None):
        # As cupy: what would silently copy to the host is an error.
        raise TypeError("implicit conversion to a numpy array is not allowed: use .get()")

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __index__(self) -> int:
        return self.get().__index__()

    def __repr__(self) -> str:
        return repr(self.get())


ndarray.__module__ = "cupy"


def _delegate(name: str):
    def method(self, *arguments, **options):
        return to_device(getattr(self.get(), name)(*map(to_host, arguments), **options))
    method.__name__ = name
    return method


for _name in ("sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "argmin", "argmax", "cumsum", "dot",
              "round", "clip", "conj", "repeat", "take", "nonzero", "argsort", "diagonal", "trace"):
    setattr(ndarray, _name, _delegate(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
              "rshift"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(ndarray, _form, _delegate(_form))

    def _in_place(self, other, name=f"__{_name}__"):
        self[...] = getattr(self.get(), name)(to_host(other))
        return self
    setattr(ndarray, f"__i{_name}__", _in_place)
for _name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(ndarray, f"__{_name}__", _delegate(f"__{_name}__"))


def _is_basic(index) -> bool:
    return all(part is None or part is Ellipsis or isinstance(part, (int, slice, numpy.integer))
               and not isinstance(part, bool) for part in (index if isinstance(index, tuple) else (index,)))


def _with_ellipsis(index) -> tuple:
    """So that numpy gives a view, never a scalar."""
    index = index if isinstance(index, tuple) else (index,)
    return index if any(part is Ellipsis for part in index) else (*index, Ellipsis)


def _host_index(index):
    return tuple(map(to_host, index)) if isinstance(index, tuple) else to_host(index)


def to_host(value):
    """Device arrays, also inside lists and tuples, as numpy arrays; everything else as it is."""
    if isinstance(value, ndarray):
        return value.get()
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_host, value))
    return value


def to_device(value):
    """Numpy arrays and numbers of numpy, also inside lists and tuples, as device arrays."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return array(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(to_device, value))
    return value


def array(values, dtype=None, copy=True, order="C", **_) -> ndarray:
    """A new device array with these values."""
    host = numpy.asarray(to_host(values), dtype)
    made = ndarray(host.shape, host.dtype,
                   order="F" if order == "F" or (order in "KA" and host.flags.fnc) else "C")
    made.set(host)
    return made


def asarray(values, dtype=None, **options) -> ndarray:
    """The array itself where it is a device array of that type, else a new one."""
    if isinstance(values, ndarray) and dtype in (None, values.dtype):
        return values
    interface = getattr(values, "__cuda_array_interface__", None)
    if interface is not None and not isinstance(values, ndarray):
        pointer = MemoryPointer(UnownedMemory(interface["data"][0], 0, values), 0)
        return ndarray(interface["shape"], interface["typestr"], pointer, interface.get("strides"))
    return array(values, dtype, **options)
