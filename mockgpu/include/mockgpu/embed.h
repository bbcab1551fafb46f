#ifndef MOCKGPU_EMBED_H
#define MOCKGPU_EMBED_H
/* For processes that load the mock without being linked with it, such as a Python interpreter. C
 * ABI. Options come from the environment (see control.hpp, `configure`). */
#ifdef __cplusplus
extern "C" {
#endif

/* Runs what is still queued and closes the report of this process: a second call, and the end of
 * the process, add nothing. For processes that end without running what `atexit` holds. With
 * `report_leaks` 0 what is still allocated is no finding: an interpreter holds memory and handles
 * in objects that nobody collects before its end. */
void mockgpu_end_report(int report_leaks);

#ifdef __cplusplus
}
#endif
#endif
