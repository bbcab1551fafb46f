#ifndef MOCKGPU_ASSERT_H
#define MOCKGPU_ASSERT_H
#ifdef __cplusplus
extern "C" {
#endif
/* Prints the broken invariant and aborts. */
void mockgpu_assertion_failed(char const* invariant, char const* file, int line);
#ifdef __cplusplus
}
#endif
/* An invariant of the mock's own code, checked in every build type. */
#define MOCKGPU_ASSERT(condition)                                                                  \
  ((condition) ? (void)0 : mockgpu_assertion_failed(#condition, __FILE__, __LINE__))
#endif
