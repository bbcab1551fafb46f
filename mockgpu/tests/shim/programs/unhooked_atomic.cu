// A floating-point update that the compiler turns into a bus-locked loop without a hook.
__global__ void add_up(double* sum, double value) {
#pragma omp atomic
  *sum += value;
}
