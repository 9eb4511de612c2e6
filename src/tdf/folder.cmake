millrace_folder(tdf
  SOURCES
    tdf/tdf_cipher.cc
  LINKS base stream crypto checksum encoding segment
  PRIVATE_LINKS nlohmann_json::nlohmann_json)
millrace_test(tdf_cipher_test SOURCES tdf/tdf_cipher_test.cc LINKS tdf)
