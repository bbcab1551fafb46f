// HIP's device attributes.
#include "api/hip_vendor.hpp"

#include "api/device_support.hpp"

namespace {

/// False where HIP has no such attribute, or the mock no answer.
bool find_attribute(hipDeviceProp_t const& p, hipDeviceAttribute_t attribute, int& value) {
  switch (attribute) {
#define ATTRIBUTE(name, expression)                                                                \
  case hipDeviceAttribute##name:                                                                   \
    value = static_cast<int>(expression);                                                          \
    return true;
    ATTRIBUTE(MaxThreadsPerBlock, p.maxThreadsPerBlock)
    ATTRIBUTE(MaxBlockDimX, p.maxThreadsDim[0])
    ATTRIBUTE(MaxBlockDimY, p.maxThreadsDim[1])
    ATTRIBUTE(MaxBlockDimZ, p.maxThreadsDim[2])
    ATTRIBUTE(MaxGridDimX, p.maxGridSize[0])
    ATTRIBUTE(MaxGridDimY, p.maxGridSize[1])
    ATTRIBUTE(MaxGridDimZ, p.maxGridSize[2])
    ATTRIBUTE(MaxSharedMemoryPerBlock, p.sharedMemPerBlock)
    ATTRIBUTE(TotalConstantMemory, p.totalConstMem)
    ATTRIBUTE(WarpSize, p.warpSize)
    ATTRIBUTE(MaxPitch, p.memPitch)
    ATTRIBUTE(MaxRegistersPerBlock, p.regsPerBlock)
    ATTRIBUTE(ClockRate, p.clockRate)
    ATTRIBUTE(TextureAlignment, p.textureAlignment)
    ATTRIBUTE(DeviceOverlap, p.deviceOverlap)
    ATTRIBUTE(MultiprocessorCount, p.multiProcessorCount)
    ATTRIBUTE(KernelExecTimeout, p.kernelExecTimeoutEnabled)
    ATTRIBUTE(Integrated, p.integrated)
    ATTRIBUTE(CanMapHostMemory, p.canMapHostMemory)
    ATTRIBUTE(ComputeMode, p.computeMode)
    ATTRIBUTE(SurfaceAlignment, p.surfaceAlignment)
    ATTRIBUTE(ConcurrentKernels, p.concurrentKernels)
    ATTRIBUTE(EccEnabled, p.ECCEnabled)
    ATTRIBUTE(PciBusId, p.pciBusID)
    ATTRIBUTE(PciDeviceId, p.pciDeviceID)
    ATTRIBUTE(PciDomainID, p.pciDomainID)
    ATTRIBUTE(TccDriver, p.tccDriver)
    ATTRIBUTE(MemoryClockRate, p.memoryClockRate)
    ATTRIBUTE(MemoryBusWidth, p.memoryBusWidth)
    ATTRIBUTE(L2CacheSize, p.l2CacheSize)
    ATTRIBUTE(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor)
    ATTRIBUTE(AsyncEngineCount, p.asyncEngineCount)
    ATTRIBUTE(UnifiedAddressing, p.unifiedAddressing)
    ATTRIBUTE(TexturePitchAlignment, p.texturePitchAlignment)
    ATTRIBUTE(ComputeCapabilityMajor, p.major)
    ATTRIBUTE(ComputeCapabilityMinor, p.minor)
    ATTRIBUTE(StreamPrioritiesSupported, p.streamPrioritiesSupported)
    ATTRIBUTE(GlobalL1CacheSupported, p.globalL1CacheSupported)
    ATTRIBUTE(LocalL1CacheSupported, p.localL1CacheSupported)
    ATTRIBUTE(SharedMemPerMultiprocessor, p.sharedMemPerMultiprocessor)
    ATTRIBUTE(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor)
    ATTRIBUTE(ManagedMemory, p.managedMemory)
    ATTRIBUTE(IsMultiGpuBoard, p.isMultiGpuBoard)
    ATTRIBUTE(MultiGpuBoardGroupID, p.multiGpuBoardGroupID)
    ATTRIBUTE(HostNativeAtomicSupported, p.hostNativeAtomicSupported)
    ATTRIBUTE(SingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio)
    ATTRIBUTE(PageableMemoryAccess, p.pageableMemoryAccess)
    ATTRIBUTE(ConcurrentManagedAccess, p.concurrentManagedAccess)
    ATTRIBUTE(ComputePreemptionSupported, p.computePreemptionSupported)
    ATTRIBUTE(CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem)
    ATTRIBUTE(CooperativeLaunch, p.cooperativeLaunch)
    ATTRIBUTE(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin)
    ATTRIBUTE(HostRegisterSupported, p.hostRegisterSupported)
    ATTRIBUTE(PageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables)
    ATTRIBUTE(DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost)
    ATTRIBUTE(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor)
    ATTRIBUTE(PersistingL2CacheMaxSize, p.persistingL2CacheMaxSize)
    ATTRIBUTE(AccessPolicyMaxWindowSize, p.accessPolicyMaxWindowSize)
    ATTRIBUTE(ReservedSharedMemPerBlock, p.reservedSharedMemPerBlock)
    ATTRIBUTE(MemoryPoolsSupported, p.memoryPoolsSupported)
    ATTRIBUTE(MemoryPoolSupportedHandleTypes, p.memoryPoolSupportedHandleTypes)
    ATTRIBUTE(TotalGlobalMem, std::min<size_t>(p.totalGlobalMem, 0x7FFFFFFF))
    ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, p.maxSharedMemoryPerMultiProcessor)
    ATTRIBUTE(CooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch)
    ATTRIBUTE(IsLargeBar, p.isLargeBar)
    ATTRIBUTE(AsicRevision, p.asicRevision)
    ATTRIBUTE(ClockInstructionRate, p.clockInstructionRate)
    ATTRIBUTE(PhysicalMultiProcessorCount, p.multiProcessorCount)
    ATTRIBUTE(WallClockRate, 100'000) // kHz, of all devices
    ATTRIBUTE(CanUseStreamWaitValue, 0)
#undef ATTRIBUTE
  default:
    return false;
  }
}

} // namespace

extern "C" {

ENTRY("call", DeviceGetAttribute, (int* value, hipDeviceAttribute_t attribute, int device),
      ([&]() -> status {
        hipDeviceProp_t p;
        if (value == nullptr) return status::invalid_value;
        if (status const known = mockgpu::fill_properties(c, &p, device); known != status::success)
          return known;
        return find_attribute(p, attribute, *value) ? status::success : status::invalid_value;
      })())

} // extern "C"
