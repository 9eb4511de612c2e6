millrace_folder(s3
  SOURCES s3/sigv4.cc
  LINKS base stream crypto checksum encoding)
millrace_test(sigv4_test SOURCES s3/sigv4_test.cc LINKS s3)
