millrace_folder(s3
  SOURCES s3/aws_chunked_decode.cc s3/aws_chunked_encode.cc s3/aws_chunked_format.cc s3/aws_chunked_framer.cc
    s3/aws_chunked_parser.cc s3/aws_chunked_signer.cc s3/sigv4.cc
  LINKS base stream crypto checksum encoding)
millrace_test(sigv4_test SOURCES s3/sigv4_test.cc LINKS s3)
millrace_test(aws_chunked_test
  SOURCES s3/aws_chunked_decode_test.cc s3/aws_chunked_encode_test.cc s3/aws_chunked_random_test.cc
    s3/aws_chunked_vectors_test.cc
  LINKS s3
  LIBRARIES OpenSSL::Crypto)
millrace_test(aws_chunked_memory_test SOURCES s3/aws_chunked_memory_test.cc LINKS s3 LIBRARIES OpenSSL::Crypto)
