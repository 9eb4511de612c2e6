millrace_folder(silkd
  SOURCES silkd/bulk_frame.cc silkd/frame_object.cc silkd/frame_reader.cc silkd/frame_source.cc silkd/frame_writer.cc
    silkd/messages.cc silkd/payload_source.cc
  LINKS base stream encoding
  PRIVATE_LINKS nlohmann_json::nlohmann_json Threads::Threads)
