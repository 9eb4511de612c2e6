millrace_folder(crypto
  SOURCES crypto/aes_ctr.cc crypto/aes_gcm.cc crypto/hash.cc crypto/hmac.cc crypto/openssl_cipher.cc crypto/random.cc
  LINKS base
  PRIVATE_LINKS OpenSSL::Crypto)
