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


