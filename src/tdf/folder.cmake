millrace_folder(tdf
  SOURCES
    tdf/assertion.cc
    tdf/assertion_files.cc
    tdf/assertion_json.cc
    tdf/assertion_key.cc
    tdf/inspect.cc
    tdf/json_members.cc
    tdf/jws.cc
    tdf/kas_public_key.cc
    tdf/key_split.cc
    tdf/key_wrap.cc
    tdf/local_key_access.cc
    tdf/manifest_plan.cc
    tdf/manifest_reader.cc
    tdf/manifest_text.cc
    tdf/new_file.cc
    tdf/policy.cc
    tdf/policy_binding.cc
    tdf/reader.cc
    tdf/recognize.cc
    tdf/root_signature.cc
    tdf/share_metadata.cc
    tdf/spec_version.cc
    tdf/tdf_cipher.cc
    tdf/writer.cc
  LINKS base stream crypto checksum encoding segment zip)
target_compile_definitions(millrace_tdf PRIVATE MILLRACE_VERSION="${PROJECT_VERSION}")
millrace_test(tdf_cipher_test SOURCES tdf/tdf_cipher_test.cc LINKS tdf)
millrace_test(tdf_file_test
  SOURCES
    tdf/reader_attack_test.cc
    tdf/reader_test.cc
    tdf/writer_test.cc
  LINKS tdf
  LIBRARIES OpenSSL::Crypto)
millrace_test(tdf_memory_test SOURCES tdf/tdf_memory_test.cc LINKS tdf LIBRARIES OpenSSL::Crypto)
millrace_test(tdf_keys_test
  SOURCES
    tdf/assertion_test.cc
    tdf/key_split_test.cc
    tdf/keys_vectors_test.cc
  LINKS tdf)
millrace_test(tdf_manifest_test
  SOURCES
    tdf/manifest_reader_test.cc
    tdf/manifest_text_test.cc
    tdf/manifest_vectors_test.cc
    tdf/policy_test.cc
  LINKS tdf)
millrace_test(tdf_manifest_memory_test SOURCES tdf/manifest_memory_test.cc LINKS tdf)
if(MILLRACE_BUILD_TESTS)
  # What is written, against the published JSON schemas.
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(tdf_manifest_samples tdf/manifest_samples.cc)
  millrace_flags(tdf_manifest_samples)
  target_link_libraries(tdf_manifest_samples PRIVATE millrace_tdf)
  add_test(NAME tdf_manifest_schema_test
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/manifest_schema_test.py $<TARGET_FILE:tdf_manifest_samples>
      ${PROJECT_SOURCE_DIR}/tests/vectors/opentdf/schemas)
endif()
