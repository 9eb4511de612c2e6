millrace_folder(segment
  SOURCES segment/segment_file.cc segment/segment_intake.cc segment/segment_layout.cc segment/segment_sink.cc
    segment/segment_source.cc segment/segment_stage.cc segment/stream_head.cc
  LINKS base stream
  PRIVATE_LINKS Threads::Threads)
