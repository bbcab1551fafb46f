"""Tells the checker what DaCe knows about a program that it calls: names of arrays, the arrays inside a workspace, and
that the caller may read host arrays as soon as the call returns."""
import contextlib
import ctypes
import importlib.util
import warnings

from . import runtime

_installed = False


def install() -> None:
    """Hooks into DaCe, once; nothing where it is not installed."""
    global _installed
    if _installed or importlib.util.find_spec("dace") is None:
        return
    _installed = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dace
        from dace.codegen.compiled_sdfg import CompiledSDFG
    dace.hooks.register_compiled_sdfg_call_hook(context_manager=_around_call)
    set_workspace = CompiledSDFG.set_workspace

    def annotated(self, storage, workspace):
        set_workspace(self, storage, workspace)
        if storage == dace.StorageType.GPU_Global:
            _annotate_workspace(self, dace.dtypes.array_interface_ptr(workspace, storage))

    CompiledSDFG.set_workspace = annotated


def _values(program, arguments) -> dict:
    """The scalars of a call by name; `arguments` in the order of the program's own."""
    return {name: one.value for name, one in zip(program._sig, arguments)
            if isinstance(getattr(one, "value", None), (int, float))}


def _bytes_of(descriptor, symbols: dict) -> int | None:
    """The size of an array for these symbols, or None where one is missing. Never below zero."""
    from dace import symbolic
    try:
        return max(int(symbolic.evaluate(descriptor.total_size, symbols)), 0) * descriptor.dtype.bytes
    except (TypeError, ValueError, KeyError):
        return None


def _pointers(program, arguments):
    """(name, descriptor, address) of each array of a call."""
    import dace
    for name, one in zip(program._sig, arguments):
        descriptor = program._typedict[name]
        address = getattr(one, "value", None)
        if isinstance(descriptor, dace.data.Array) and isinstance(address, int) and address:
            yield name, descriptor, address


@contextlib.contextmanager
def _around_call(program, arguments):
    import dace
    if not program.has_gpu_code or not runtime.is_loaded():
        yield
        return
    symbols = _values(program, arguments)
    host = []
    for name, descriptor, address in _pointers(program, arguments):
        size = _bytes_of(descriptor, symbols)
        if size:
            runtime.name_memory(address, size, name)
            if descriptor.storage not in (dace.StorageType.GPU_Global, dace.StorageType.GPU_Shared):
                host.append((address, size))
    yield
    for address, size in host:
        runtime.host_access(address, size, write=False)


def _annotate_workspace(program, base: int) -> None:
    """The arrays lie one behind the other: those of the root in their order, then those of nested SDFGs."""
    import dace
    names = [name for name in program._sig if name in program._free_symbols]
    symbols = {name: one.value for name, one in zip(names, program._lastargs[1])}
    library = runtime.library()
    library.mockgpu_clear_sub_arrays(ctypes.c_void_p(base))
    offset = 0
    for _, name, descriptor in program.sdfg.arrays_recursive():
        if (descriptor.lifetime != dace.dtypes.AllocationLifetime.External
                or descriptor.storage != dace.StorageType.GPU_Global):
            continue
        size = _bytes_of(descriptor, symbols)
        if size is None:
            return  # the rest of the slab cannot be divided
        if size:
            library.mockgpu_sub_array(ctypes.c_void_p(base + offset), ctypes.c_size_t(size), ctypes.c_size_t(descriptor.dtype.bytes),
                                      name.encode())
        offset += size

