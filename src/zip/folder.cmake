millrace_folder(zip
  SOURCES zip/archive_builder.cc zip/entry_name.cc zip/zip_directory.cc zip/zip_reader.cc zip/zip_writer.cc
  LINKS base stream checksum)
millrace_test(zip_test
  SOURCES zip/archive_builder_test.cc zip/sdk_readers_test.cc zip/zip_reader_test.cc zip/zip_writer_test.cc
  LINKS zip)
