"""What a user of DaCe writes: nothing in it knows of the mock. Each test is the twin of another one in its name's
other ending; `pytest --assay` must pass those that end on `_correct` and fail those that end on `_faulty`."""
import dace
import numpy as np
import pytest

N = dace.symbol("N")


@dace.program
def whole_way_axpy(a: dace.float64, x: dace.float64[N], y: dace.float64[N]):
    for i in dace.map[0:N]:
        y[i] = a * x[i] + y[i]


@dace.program
def whole_way_device(x: dace.float64[N] @ dace.StorageType.GPU_Global,
                     y: dace.float64[N] @ dace.StorageType.GPU_Global):
    for i in dace.map[0:N]:
        y[i] = 2 * x[i]


@dace.program
def whole_way_workspace(x: dace.float64[N] @ dace.StorageType.GPU_Global,
                        y: dace.float64[N] @ dace.StorageType.GPU_Global):
    t = np.empty_like(x)
    for i in dace.map[0:N]:
        t[i] = x[i] + 1
    for i in dace.map[0:N]:
        y[i] = t[N - 1 - i]


@pytest.fixture(scope="module")
def with_workspace():
    """A program whose transient lies in memory of the caller's; DaCe finds it in what a compiled program offers."""
    with dace.config.set_temporary("compiler", "cuda", "max_concurrent_streams", value=-1):
        sdfg = whole_way_workspace.to_sdfg()
        sdfg.apply_gpu_transformations()
        for descriptor in sdfg.arrays.values():
            if descriptor.transient and descriptor.storage == dace.StorageType.GPU_Global:
                descriptor.lifetime = dace.AllocationLifetime.External
        return sdfg.compile()


def call_in_workspace(program, size_bytes):
    """The result of a call with a workspace of so many bytes, None for no workspace."""
    import cupy
    x, y = cupy.asarray(np.random.rand(40)), cupy.empty(40)
    program.initialize(x=x, y=y, N=40)
    assert program.get_workspace_sizes() == {dace.StorageType.GPU_Global: 320}
    workspace = cupy.empty(320 if size_bytes is None else size_bytes, dtype=np.uint8)
    if size_bytes is not None:
        program.set_workspace(dace.StorageType.GPU_Global, workspace)
    program(x=x, y=y, N=40)
    return y.get(), x.get()[::-1] + 1


@pytest.fixture(scope="module")
def on_host():
    sdfg = whole_way_axpy.to_sdfg()
    sdfg.apply_gpu_transformations()
    return sdfg.compile()


@pytest.fixture(scope="module")
def one_stream():
    """A program whose work all goes to the default stream, and whose call returns before it is done."""
    with dace.config.set_temporary("compiler", "cuda", "max_concurrent_streams", value=-1):
        sdfg = whole_way_device.to_sdfg()
        sdfg.apply_gpu_transformations()
        return sdfg.compile()


def test_host_arrays_correct(on_host):
    x, y = np.random.rand(50), np.random.rand(50)
    expected = 2.0 * x + y
    on_host(a=2.0, x=x, y=y, N=50)
    assert np.allclose(y, expected)


def test_device_arrays_correct(one_stream):
    import cupy
    x, y = cupy.asarray(np.random.rand(40)), cupy.empty(40)
    one_stream(x=x, y=y, N=40)
    assert np.allclose(y.get(), 2 * x.get())


def test_other_stream_faulty(one_stream):
    import cupy
    x, y = cupy.asarray(np.random.rand(40)), cupy.empty(40)
    one_stream(x=x, y=y, N=40)
    with cupy.cuda.Stream(non_blocking=True):
        y.get()  # nothing orders this stream with the default stream


def test_other_stream_correct(one_stream):
    import cupy
    x, y = cupy.asarray(np.random.rand(40)), cupy.empty(40)
    one_stream(x=x, y=y, N=40)
    cupy.cuda.Stream.null.synchronize()
    with cupy.cuda.Stream(non_blocking=True):
        assert np.allclose(y.get(), 2 * x.get())


def test_short_array_faulty(one_stream):
    import cupy
    x, y = cupy.asarray(np.random.rand(40)), cupy.empty(39)
    one_stream(x=x, y=y, N=40)




def test_workspace_correct(with_workspace):
    result, expected = call_in_workspace(with_workspace, 320)
    assert np.allclose(result, expected)


def test_workspace_short_faulty(with_workspace):
    call_in_workspace(with_workspace, 312)


def test_workspace_missing_faulty(with_workspace):
    call_in_workspace(with_workspace, None)
