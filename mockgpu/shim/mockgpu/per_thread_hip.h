#ifndef MOCKGPU_SHIM_PER_THREAD_HIP_H
#define MOCKGPU_SHIM_PER_THREAD_HIP_H
#pragma GCC system_header
/* In code that is compiled with HIP_API_PER_THREAD_DEFAULT_STREAM the null stream means the default
 * stream of the calling thread: the calls that it can be given to have entry points of their own. */
#define hipMemcpy hipMemcpy_spt
#define hipMemcpy2D hipMemcpy2D_spt
#define hipMemcpy3D hipMemcpy3D_spt
#define hipMemcpyToSymbol hipMemcpyToSymbol_spt
#define hipMemcpyFromSymbol hipMemcpyFromSymbol_spt
#define hipMemset hipMemset_spt
#define hipMemset2D hipMemset2D_spt
#define hipMemset3D hipMemset3D_spt
#define hipMemcpyAsync hipMemcpyAsync_spt
#define hipMemcpy2DAsync hipMemcpy2DAsync_spt
#define hipMemcpy3DAsync hipMemcpy3DAsync_spt
#define hipMemcpyToSymbolAsync hipMemcpyToSymbolAsync_spt
#define hipMemcpyFromSymbolAsync hipMemcpyFromSymbolAsync_spt
#define hipMemsetAsync hipMemsetAsync_spt
#define hipMemset2DAsync hipMemset2DAsync_spt
#define hipMemset3DAsync hipMemset3DAsync_spt
#define hipStreamQuery hipStreamQuery_spt
#define hipStreamSynchronize hipStreamSynchronize_spt
#define hipStreamWaitEvent hipStreamWaitEvent_spt
#define hipStreamGetFlags hipStreamGetFlags_spt
#define hipStreamGetPriority hipStreamGetPriority_spt
#define hipStreamAddCallback hipStreamAddCallback_spt
#define hipLaunchHostFunc hipLaunchHostFunc_spt
#define hipEventRecord hipEventRecord_spt
#endif
