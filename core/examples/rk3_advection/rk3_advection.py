"""Upwind advection of a tracer in the three stages of Wicker and Skamarock's Runge-Kutta scheme."""
import dace

N, M, K = (dace.symbol(name, dtype=dace.int32) for name in "NMK")


@dace.program
def rk3_advection(q: dace.float64[K, N, M], cx: dace.float64, cy: dace.float64, q_out: dace.float64[K, N, M]):
    flux_x1 = dace.define_local([K, N, M], dace.float64)
    flux_y1 = dace.define_local([K, N, M], dace.float64)
    flux_x2 = dace.define_local([K, N, M], dace.float64)
    flux_y2 = dace.define_local([K, N, M], dace.float64)
    flux_x3 = dace.define_local([K, N, M], dace.float64)
    flux_y3 = dace.define_local([K, N, M], dace.float64)
    q1 = dace.define_local([K, N, M], dace.float64)
    q2 = dace.define_local([K, N, M], dace.float64)
    for k, i, j in dace.map[0:K, 1:N, 0:M]:
        flux_x1[k, i, j] = cx * (q[k, i, j] - q[k, i - 1, j])
    for k, i, j in dace.map[0:K, 0:N, 1:M]:
        flux_y1[k, i, j] = cy * (q[k, i, j] - q[k, i, j - 1])
    for k, i, j in dace.map[0:K, 0:N, 0:M]:
        if i > 0 and j > 0:
            q1[k, i, j] = q[k, i, j] - (flux_x1[k, i, j] + flux_y1[k, i, j]) / 3.0
        else:
            q1[k, i, j] = q[k, i, j]
    for k, i, j in dace.map[0:K, 1:N, 0:M]:
        flux_x2[k, i, j] = cx * (q1[k, i, j] - q1[k, i - 1, j])
    for k, i, j in dace.map[0:K, 0:N, 1:M]:
        flux_y2[k, i, j] = cy * (q1[k, i, j] - q1[k, i, j - 1])
    for k, i, j in dace.map[0:K, 0:N, 0:M]:
        if i > 0 and j > 0:
            q2[k, i, j] = q[k, i, j] - (flux_x2[k, i, j] + flux_y2[k, i, j]) / 2.0
        else:
            q2[k, i, j] = q[k, i, j]
    for k, i, j in dace.map[0:K, 1:N, 0:M]:
        flux_x3[k, i, j] = cx * (q2[k, i, j] - q2[k, i - 1, j])
    for k, i, j in dace.map[0:K, 0:N, 1:M]:
        flux_y3[k, i, j] = cy * (q2[k, i, j] - q2[k, i, j - 1])
    for k, i, j in dace.map[0:K, 1:N, 1:M]:
        q_out[k, i, j] = q[k, i, j] - (flux_x3[k, i, j] + flux_y3[k, i, j])
