#pragma once
/// \file Whether this library itself is built with ThreadSanitizer: 1 or 0. The compilers say so in
/// two ways.
#if defined(__SANITIZE_THREAD__)
#define MOCKGPU_UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MOCKGPU_UNDER_THREAD_SANITIZER 1
#endif
#endif
#ifndef MOCKGPU_UNDER_THREAD_SANITIZER
#define MOCKGPU_UNDER_THREAD_SANITIZER 0
#endif
