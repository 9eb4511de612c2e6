millrace_folder(encoding
  SOURCES
    encoding/base64.cc encoding/base64_kernels.cc encoding/base64_portable.cc
    encoding/base64_arm64.cc encoding/base64_x86_avx2.cc encoding/base64_x86_avx512.cc
    encoding/hex.cc encoding/json_canonical.cc encoding/json_index.cc encoding/json_reader.cc encoding/json_text.cc
    encoding/utf8.cc
  LINKS base
  PRIVATE_LINKS nlohmann_json::nlohmann_json)
millrace_test(base64_test
  SOURCES encoding/base64_test.cc encoding/base64_kernels_test.cc encoding/base64_stream_test.cc
  LINKS encoding)
millrace_test(hex_test SOURCES encoding/hex_test.cc LINKS encoding)
millrace_test(json_reader_test SOURCES encoding/json_reader_test.cc LINKS encoding)
if(MILLRACE_BUILD_TESTS)
  # The same texts through every kernel; one that cannot run here leaves the choice to the machine.
  foreach(kernel x86-avx2 portable)
    add_test(NAME base64_test_${kernel} COMMAND base64_test)
    set_tests_properties(base64_test_${kernel} PROPERTIES ENVIRONMENT MILLRACE_KERNELS=${kernel})
  endforeach()
endif()
