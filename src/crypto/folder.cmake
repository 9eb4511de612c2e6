option(MILLRACE_NATIVE_AES_GCM "Compile the native AES-GCM and AES-CTR kernels (otherwise OpenSSL's are used)" ON)

set(millrace_crypto_native)
if(MILLRACE_NATIVE_AES_GCM AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(millrace_crypto_native crypto/aes_x86_256.cc crypto/aes_x86_512.cc)
  if(MILLRACE_SANITIZE MATCHES "undefined")
    # Unrolled vector code: the checks of every intrinsic make it take minutes to compile. The others stay on.
    set_source_files_properties(${millrace_crypto_native} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  endif()
endif()

millrace_folder(crypto
  SOURCES crypto/aes_ctr.cc crypto/aes_gcm.cc crypto/aes_gcm_openssl.cc crypto/hash.cc crypto/hmac.cc crypto/hmac_direct.cc
    crypto/hmac_evp.cc crypto/kernel_policy.cc crypto/key_encoding.cc crypto/openssl_cipher.cc crypto/openssl_key.cc
    crypto/openssl_version.cc crypto/private_key_der.cc crypto/public_key.cc crypto/random.cc ${millrace_crypto_native}
  LINKS base
  PRIVATE_LINKS OpenSSL::Crypto)
if(millrace_crypto_native)
  target_compile_definitions(millrace_crypto PRIVATE MILLRACE_NATIVE_AES)
endif()

foreach(test aes_ctr_test aes_gcm_test aes_gcm_wycheproof_test gcm_sealer_test hmac_test kernel_policy_test random_test)
  millrace_test(${test} SOURCES crypto/${test}.cc LINKS crypto LIBRARIES OpenSSL::Crypto Threads::Threads)
endforeach()
millrace_test(public_key_test SOURCES crypto/private_key_residue_test.cc crypto/public_key_test.cc crypto/public_key_vectors_test.cc
  LINKS crypto LIBRARIES OpenSSL::Crypto Threads::Threads)
if(MILLRACE_BUILD_TESTS AND millrace_crypto_native)
  target_compile_definitions(kernel_policy_test PRIVATE MILLRACE_NATIVE_AES)
endif()
if(MILLRACE_BUILD_TESTS)
  # HMAC and HKDF once more the way through OpenSSL's providers.
  add_test(NAME hmac_openssl_test COMMAND hmac_test)
  set_tests_properties(hmac_openssl_test PROPERTIES ENVIRONMENT MILLRACE_CRYPTO=openssl)
endif()
