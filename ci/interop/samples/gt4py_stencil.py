"""What a user of GT4Py writes; see whole_way.py."""
import gt4py.next as gtx
import numpy as np
import pytest
from gt4py.next import Field, float64
from gt4py.next.program_processors.runners.dace import make_dace_backend

I = gtx.Dimension("I")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)


@gtx.field_operator
def second_difference(a: Field[[I, K], float64]) -> Field[[I, K], float64]:
    b = a(I + 1) + a(I - 1) - 2.0 * a
    return b(I + 1) + b(I - 1)


@pytest.fixture(scope="module")
def case():
    backend = make_dace_backend(gpu=True)

    @gtx.program(backend=backend)
    def stencil(a: Field[[I, K], float64], out: Field[[I, K], float64], n: gtx.int32, k: gtx.int32):
        second_difference(a, out=out, domain={I: (2, n), K: (0, k)})

    values = np.random.default_rng(1).random((20, 5))
    a = gtx.as_field([I, K], values, allocator=backend)
    out = gtx.as_field([I, K], np.zeros((20, 5)), allocator=backend)
    stencil(a, out, 18, 5, offset_provider={})
    b = values[2:] + values[:-2] - 2 * values[1:-1]
    # A program that nobody holds is finalised, and that waits for the device.
    return out, b[2:] + b[:-2], stencil


def test_stencil_correct(case):
    out, expected, _ = case
    assert np.allclose(out.asnumpy()[2:18], expected)


def test_other_stream_faulty(case):
    import cupy
    with cupy.cuda.Stream(non_blocking=True):
        case[0].asnumpy()  # nothing orders this stream with the default stream
