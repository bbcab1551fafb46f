"""Horizontal diffusion of two wind components with Smagorinsky's coefficient."""
import dace

N, M, K = (dace.symbol(name, dtype=dace.int32) for name in "NMK")


@dace.program
def smagorinsky(u: dace.float64[K, N, M], v: dace.float64[K, N, M], u_out: dace.float64[K, N, M],
                v_out: dace.float64[K, N, M], weight: dace.float64, limit: dace.float64):
    tension = dace.define_local([K, N, M], dace.float64)
    shear = dace.define_local([K, N, M], dace.float64)
    factor_u = dace.define_local([K, N, M], dace.float64)
    factor_v = dace.define_local([K, N, M], dace.float64)
    for k, i, j in dace.map[0:K, 1:N - 1, 1:M - 1]:
        tension[k, i, j] = (v[k, i, j] - v[k, i, j - 1]) - (u[k, i, j] - u[k, i - 1, j])
    for k, i, j in dace.map[0:K, 1:N - 1, 1:M - 1]:
        shear[k, i, j] = (u[k, i, j + 1] - u[k, i, j]) + (v[k, i + 1, j] - v[k, i, j])
    for k, i, j in dace.map[0:K, 1:N - 1, 1:M - 1]:
        factor_u[k, i, j] = min(limit, weight * (tension[k, i, j] * tension[k, i, j] +
                                                 shear[k, i, j] * shear[k, i, j]))
    for k, i, j in dace.map[0:K, 1:N - 1, 1:M - 1]:
        factor_v[k, i, j] = min(limit, weight * (tension[k, i, j] * tension[k, i, j] +
                                                 2.0 * shear[k, i, j] * shear[k, i, j]))
    for k, i, j in dace.map[0:K, 1:N - 1, 1:M - 1]:
        u_out[k, i, j] = u[k, i, j] + factor_u[k, i, j] * (u[k, i + 1, j] + u[k, i - 1, j] + u[k, i, j + 1] +
                                                           u[k, i, j - 1] - 4.0 * u[k, i, j])
    for k, i, j in dace.map[0:K, 1:N - 1, 1:M - 1]:
        v_out[k, i, j] = v[k, i, j] + factor_v[k, i, j] * (v[k, i + 1, j] + v[k, i - 1, j] + v[k, i, j + 1] +
                                                           v[k, i, j - 1] - 4.0 * v[k, i, j])
