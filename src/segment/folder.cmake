millrace_folder(segment
  SOURCES segment/segment_file.cc segment/segment_intake.cc segment/segment_layout.cc segment/segment_pieces.cc
    segment/segment_sink.cc segment/segment_source.cc segment/segment_stage.cc segment/stream_head.cc
  LINKS base stream
  PRIVATE_LINKS Threads::Threads)
millrace_test(segment_test
  SOURCES segment/segment_attack_test.cc segment/segment_copy_test.cc segment/segment_driver_test.cc
    segment/segment_fault_test.cc segment/segment_layout_test.cc segment/segment_pieces_test.cc
  LINKS segment)
millrace_test(segment_memory_test SOURCES segment/segment_memory_test.cc LINKS segment)
if(MILLRACE_BUILD_TESTS)
  # The longest program of all, in two halves: under sanitizers the rest of the tests would wait for it.
  add_test(NAME segment_test_second COMMAND segment_test)
  set(half "SegmentDrivers.*:SegmentPieces.*")
  set_tests_properties(segment_test PROPERTIES ENVIRONMENT "GTEST_FILTER=${half}")
  set_tests_properties(segment_test_second PROPERTIES ENVIRONMENT "GTEST_FILTER=-${half}")
endif()
