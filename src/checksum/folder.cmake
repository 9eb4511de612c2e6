millrace_folder(checksum
  SOURCES checksum/crc.cc checksum/crc_arm64_pmull.cc checksum/crc_portable.cc checksum/crc_x86_crc32q.cc
    checksum/crc_x86_pclmul.cc checksum/crc_x86_vpclmul256.cc checksum/crc_x86_vpclmul512.cc checksum/digest.cc
    checksum/digest_file.cc checksum/digest_stream.cc
  LINKS base stream crypto
  PRIVATE_LINKS xxHash::xxhash Threads::Threads)

millrace_test(crc_test SOURCES checksum/crc_test.cc LINKS checksum)
millrace_test(crc_algebra_test SOURCES checksum/crc_algebra_test.cc LINKS checksum)
millrace_test(digest_test SOURCES checksum/digest_test.cc LINKS checksum encoding)
millrace_test(digest_file_test SOURCES checksum/digest_file_test.cc LINKS checksum)
if(MILLRACE_BUILD_TESTS)
  add_test(NAME crc_forced_test COMMAND crc_test --gtest_filter=*OrTheOneThatIsForced)
  set_tests_properties(crc_forced_test PROPERTIES ENVIRONMENT MILLRACE_KERNELS=portable)
endif()
