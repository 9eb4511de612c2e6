find_path(PROTOZERO_INCLUDE_DIR protozero/varint.hpp REQUIRED)
millrace_folder(tink
  SOURCES tink/key_choice.cc tink/keyset.cc tink/keyset_binary.cc tink/keyset_json.cc tink/keyset_key.cc
    tink/keyset_masked_text.cc tink/keyset_model.cc tink/keyset_params.cc tink/keyset_proto.cc tink/keyset_seal.cc
    tink/keyset_wrapper.cc tink/stream_cipher.cc tink/streaming_aead.cc
  LINKS base stream crypto encoding segment
  PRIVATE_LINKS nlohmann_json::nlohmann_json)
target_include_directories(millrace_tink SYSTEM PRIVATE ${PROTOZERO_INCLUDE_DIR})
millrace_test(tink_keyset_test
  SOURCES tink/keyset_encrypted_test.cc tink/keyset_json_test.cc tink/keyset_manage_test.cc tink/keyset_params_test.cc
    tink/keyset_test.cc tink/keyset_wire_test.cc
  LINKS tink)
millrace_test(tink_keyset_residue_test SOURCES tink/keyset_residue_test.cc LINKS tink)
millrace_test(tink_stream_test
  SOURCES tink/key_choice_test.cc tink/stream_traps_test.cc tink/stream_vectors_test.cc
  LINKS tink
  LIBRARIES OpenSSL::Crypto)
millrace_test(tink_stream_memory_test SOURCES tink/stream_memory_test.cc LINKS tink)
if(MILLRACE_BUILD_TESTS)
  # The golden streams come out byte for byte under every kernel of every family.
  foreach(kernel x86-vaes256 portable)
    add_test(NAME tink_stream_test_${kernel} COMMAND tink_stream_test)
    set_tests_properties(tink_stream_test_${kernel} PROPERTIES ENVIRONMENT MILLRACE_KERNELS=${kernel})
  endforeach()
  add_test(NAME tink_stream_test_openssl COMMAND tink_stream_test)
  set_tests_properties(tink_stream_test_openssl PROPERTIES ENVIRONMENT MILLRACE_CRYPTO=openssl)
endif()
