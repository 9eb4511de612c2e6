millrace_folder(base SOURCES base/check.cc base/describe.cc base/secret.cc)
if(MILLRACE_BUILD_TESTS)
  target_compile_definitions(millrace_base PUBLIC $<BUILD_INTERFACE:MILLRACE_COUNT_COPIES>)
endif()
