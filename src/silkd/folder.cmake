millrace_folder(silkd
  SOURCES silkd/bulk_frame.cc silkd/frame_object.cc silkd/frame_reader.cc silkd/frame_source.cc silkd/frame_writer.cc
    silkd/messages.cc silkd/payload_source.cc
  LINKS base stream encoding
  PRIVATE_LINKS nlohmann_json::nlohmann_json Threads::Threads)
millrace_test(silkd_messages_test SOURCES silkd/messages_test.cc LINKS silkd)
millrace_test(silkd_frames_test
  SOURCES silkd/frame_differential_test.cc silkd/frame_reader_test.cc silkd/frame_writer_test.cc
  LINKS silkd)
millrace_test(silkd_frame_memory_test SOURCES silkd/frame_memory_test.cc LINKS silkd)
