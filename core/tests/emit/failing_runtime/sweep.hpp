#pragma once
// Fails each runtime call of a program in turn, once: included behind the generated files of
// `walk`.
#include <algorithm>

struct sweep_result {
  int failures = 0, wrong = 0;
};

template <class Install> int sweep(Install install) {
  sweep_result result;
  auto const wrong = [&](char const* what) {
    std::printf("call %d failed: %s\n", failing_call, what);
    ++result.wrong;
  };
  for (int n = 1;; ++n) {
    calls = 0, failing_call = n, held = 0;
    after_failure.clear();
    auto* const state = __dace_init_walk(4);
    if (state == nullptr) {
      ++result.failures;
      if (held != 0) wrong("init left something behind");
      continue;
    }
    bool const after_init = calls < n;
    install(state);
    double h[64] = {};
    int const before_call = calls;
    __program_walk(state, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, h,
                   4);
    bool const in_call = after_init && before_call < n && calls >= n;
    if (in_call) {
      ++result.failures;
      if (__dace_gpu_last_error(state) != injected_failure) wrong("the call does not report it");
      if (__dace_gpu_last_error(state) != 0) wrong("the report is not cleared");
      for (auto const& name : after_failure)
        if (name != "StreamSynchronize" && name.rfind("Free", 0) != 0)
          wrong(("the call goes on with " + name).c_str());
      // The state is as good as new: the next call succeeds and holds nothing of this one.
      int const held_before = held;
      __program_walk(state, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                     h, 4);
      if (__dace_gpu_last_error(state) != 0) wrong("the next call fails too");
      if (held != held_before) wrong("the next call leaves something behind");
    } else if (__dace_gpu_last_error(state) != 0) {
      wrong("a call without a failure reports one");
    }
    bool const fails_in_exit = calls < n;
    int const status_of_exit = __dace_exit_walk(state);
    if (held != 0) wrong("something is left after exit");
    if (fails_in_exit && calls < n) { // no call was left to fail
      if (status_of_exit != 0) wrong("exit reports a failure that was not");
      break;
    }
    if (fails_in_exit) {
      ++result.failures;
      if (status_of_exit != injected_failure) wrong("exit does not report it");
    } else if (status_of_exit != 0) {
      wrong("exit reports what was reported already");
    }
  }
  std::printf("%d failures injected\n", result.failures);
  return result.wrong;
}
